"""What is here in full is left out of an import, and nothing else is, whatever a file holds."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from tests.support.tab import Tab
from tests.unit.session.running import folded

Chat = dict[str, Any]


def run(work: Coroutine[Any, Any, None]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(60):  # a hang is a failure
            await work

    asyncio.run(bounded())


def message(id: str, parent: str | None, text: str, **fields: Any) -> Chat:
    parts = [{"kind": "text", "text": text}]
    said = {"id": id, "conversation_id": "c", "parent_id": parent, "role": "user", "parts": parts}
    return {**said, "created_at": 1000, **fields}


def chat(*messages: Chat, folds: Any = (), **fields: Any) -> Chat:
    about = {"id": "c", "title": "Sea", "created_at": 1000, "updated_at": 2000, **fields}
    return {"conversation": about, "messages": list(messages), "folds": list(folds)}


def file(*chats: Chat) -> str:
    return json.dumps({"format": "pleat", "version": 1, "conversations": chats})


async def taken(tab: Tab, text: str) -> int:
    report = await tab.session.import_text("pleat.json", text)
    for what in ("conversations", "messages", "folds"):
        counts = report[what]
        assert counts["found"] == sum(counts[how] for how in counts if how != "found")
    return report["conversations"]["imported"]


async def exported(tab: Tab) -> list[Chat]:
    return json.loads(await tab.session.export_all())["conversations"]


def _last(one: Chat) -> Chat:
    return max(one["messages"], key=lambda m: m["created_at"])


def _image(one: Chat) -> None:
    _last(one)["parts"].append({"kind": "image", "name": "a.png", "data": "data:image/png;base64,"})


def _swap(one: Chat) -> None:
    """The same two messages the other way round."""
    first, second = sorted(one["messages"], key=lambda m: m["created_at"])[-2:]
    first["parts"], second["parts"] = second["parts"], first["parts"]


def _undo(one: Chat) -> None:
    one["folds"][-1]["retired_at"] = 77


def _other_model(one: Chat) -> None:
    one["folds"][-1]["model"] = "another"


def _no_source(one: Chat) -> None:
    one["folds"][0]["sources"] = [None for _ in one["folds"][0]["sources"]]


def _fold_less(one: Chat) -> None:
    one["folds"].pop()


ONE_THING: dict[str, Callable[[Chat], Any]] = {
    "title": lambda one: one["conversation"].update(title="Other"),
    "time": lambda one: one["conversation"].update(created_at=5),
    "instructions": lambda one: one["conversation"].update(system_prompt=""),
    "preset": lambda one: one["conversation"].update(preset="dost"),
    "pin": lambda one: one["conversation"].update(pinned=[_last(one)["id"]]),
    "exclusion": lambda one: one["conversation"].update(excluded=[_last(one)["id"]]),
    "a letter": lambda one: _last(one)["parts"][0].update(text="x"),
    "a time": lambda one: _last(one).update(created_at=10**12),
    "a name": lambda one: _last(one).update(name="Ada"),
    "a model": lambda one: _last(one).update(model="other"),
    "a mark": lambda one: _last(one).update(hidden=True),
    "a part": _image,
    "an order": _swap,
    "undone": _undo,
    "who folded": _other_model,
    "sources": _no_source,
    "one fold less": _fold_less,
    "one message more": lambda one: one["messages"].append(message("m", _last(one)["id"], "m")),
    "one branch more": lambda one: one["messages"].append(message("m", None, "m")),
}


@pytest.mark.parametrize("change", ONE_THING.values(), ids=list(ONE_THING))
def test_a_chat_that_differs_in_one_thing_is_taken_in_and_then_known(
    change: Callable[[Chat], Any],
) -> None:
    async def work() -> None:
        tab = await Tab().start()
        await folded(tab)
        (one,) = await exported(tab)
        assert await taken(tab, file(one)) == 0
        change(one)
        assert await taken(tab, file(one)) == 1
        assert await taken(tab, file(one)) == 0

    run(work())


def fold(id: str, text: str, commit: int, **fields: Any) -> Chat:
    about = {"id": id, "conversation_id": "c", "parent_id": None, "path_digest": "", "schema": 1}
    return {**about, "covered": ["a"], "boundary": "a", "text": text, "commit": commit, **fields}


A = message("a", None, "one")
B = message("b", "a", "two", created_at=2000)


def test_which_of_two_summaries_is_the_newer_one_is_a_difference() -> None:
    async def work() -> None:
        tab = await Tab().start()
        assert (
            await taken(tab, file(chat(A, folds=[fold("f", "old", 1), fold("g", "new", 2)]))) == 1
        )
        other = file(chat(A, folds=[fold("f", "old", 2), fold("g", "new", 1)]))
        assert await taken(tab, other) == 1
        assert await taken(tab, other) == 0

    run(work())


def test_a_branch_below_one_of_two_like_messages_is_not_one_below_the_other() -> None:
    twin = message("t", None, "one")
    both = chat(A, twin, message("b", "a", "two"), message("d", "a", "three"))
    each = chat(A, twin, message("b", "a", "two"), message("d", "t", "three"))
    marked = chat(A, twin, message("b", "a", "two"), message("d", "t", "three"), pinned=["a"])
    other = chat(A, twin, message("b", "a", "two"), message("d", "t", "three"), pinned=["t"])

    async def work() -> None:
        tab = await Tab().start()
        for one in (both, each, marked, other):
            assert await taken(tab, file(one)) == 1
        for one in (both, each, marked, other):
            assert await taken(tab, file(one)) == 0
        mirrored = chat(A, twin, message("b", "t", "two"), message("d", "a", "three"))
        assert await taken(tab, file(mirrored)) == 0

    run(work())


ODD: dict[str, Chat] = {
    "a fold that fits nothing": chat(A, B, folds=[fold("f", "sum", 1, boundary="b")]),
    "a fold whose text is a list": chat(A, folds=[{**fold("f", "sum", 1), "text": []}]),
    "a fold whose text is missing": chat(A, folds=[{"id": "f", "covered": ["a"], "boundary": "a"}]),
    "a fold of odd fields": chat(A, folds=[fold("f", "s", 1, method={}, retired_at=[], note=[1])]),
    "a fold that is no object": chat(A, folds=[7]),
    "a fold larger than any": chat(A, folds=[fold("f", "many words " * 90_000, 1)]),
    "a circle": chat(message("a", "b", "one"), B),
    "a circle that is open": chat(message("a", "b", "one"), B, leaf_id="a"),
    "its own parent": chat(message("a", "a", "one"), B),
    "a parent that is gone": chat(message("a", "gone", "one"), B),
    "an answer on its way": chat(A, message("b", "a", "tw", status="streaming")),
    "half a character": chat(message("a", None, "one \ud800"), title="Sea \udfff"),
    "a title of any length": chat(A, title="sea " * 900),
    "no message": chat(),
    "no time": chat(message("a", None, "one", created_at=0), created_at=0),
    "marks that lead nowhere": chat(A, pinned=["gone"], excluded=["gone"], leaf_id="gone"),
    "an id twice": chat(A, message("a", None, "three")),
    "a message that is none": chat(A, {"id": "x", "parent_id": "a"}, message("b", "x", "two")),
    "only the needful": {
        "conversation": {"id": "c"},
        "messages": [{"id": "a", "conversation_id": "c", "role": "user"}],
    },
}


@pytest.mark.parametrize("one", ODD.values(), ids=list(ODD))
def test_an_odd_chat_is_taken_in_once_and_its_export_brings_no_copy(one: Chat) -> None:
    async def work() -> None:
        tab = await Tab().start()
        assert await taken(tab, file(one)) == 1
        assert await taken(tab, file(one)) == 0
        assert await taken(tab, await tab.session.export_all()) == 0
        again = await tab.browser.tab().start()
        assert await taken(again, await again.session.export_all()) == 0

    run(work())


def test_an_export_brings_no_copy_when_a_summary_had_become_old() -> None:
    async def work() -> None:
        tab = await Tab().start()
        await folded(tab)
        first = min(tab.state.thread.get()["messages"], key=lambda m: m["created_at"])
        await tab.session.exclude(first["turn_id"], True)
        assert await taken(tab, await tab.session.export_all()) == 0
        await tab.session.delete_message(first["id"])
        assert await taken(tab, await tab.session.export_all()) == 0

    run(work())


def test_a_file_without_times_is_known_among_many_of_its_title() -> None:
    """And each chat that is here is read once for the whole file."""
    many = [{"messages": [{"role": "user", "content": "Hi"}, _answer(n)]} for n in range(150)]

    async def work() -> None:
        tab = await Tab().start()
        assert await taken(tab, json.dumps(many)) == 150
        read: list[str] = []
        repository = tab.session._desk.repository  # pyright: ignore[reportPrivateUsage]
        messages = repository.messages

        async def counted(id: str) -> Any:
            read.append(id)
            return await messages(id)

        repository.messages = counted  # type: ignore[method-assign]
        assert await taken(tab, json.dumps(many)) == 0
        assert len(read) <= 2 * 150
        assert await taken(tab, json.dumps([*many, {"messages": [_answer(-1)]}])) == 1

    run(work())


def _answer(number: int) -> Chat:
    return {"role": "assistant", "content": f"Hello, {number}."}


def test_a_chat_that_is_deleted_while_a_file_is_read_is_taken_in() -> None:
    async def work() -> None:
        tab = await Tab().start()
        await taken(tab, file(chat(A)))
        (known,) = tab.state.conversations.get()["items"]
        told: list[Any] = []

        def gone(state: Any, _: Any) -> None:
            if state["state"] == "storing" and not told:
                told.append(asyncio.ensure_future(tab.session.delete_conversation(known["id"])))

        tab.state.importing.subscribe(gone)
        twice = file(chat(B | {"parent_id": None}, title="Lake"), chat(A), chat(A))
        assert await taken(tab, twice) == 3
        assert told

    run(work())
