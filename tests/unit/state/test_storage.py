"""Storage that is blocked, full, corrupt, newer or cleared: the page goes on, and says so."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

import pytest

from app.conversation.message import user_message
from app.conversation.tree import Conversation
from app.memory.ledger import Fold
from app.state.local_values import LocalValues
from app.state.memory_store import MemoryStore
from app.state.partials import Partials
from app.state.ports import Change
from app.state.repository import STUB_PERIOD, UNDO_PERIOD, Repository
from app.state.safe_store import SafeStore
from app.state.settings_store import SettingsStore
from app.state.summary_mirror import KEPT, PREFIX, SummaryMirror
from tests.support.fakes import FakeClock, FakeKeyValue, FakeStorageArea
from tests.support.tab import FaultyStore


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(work)


class Values:
    """A ``LocalValues`` with all that it says."""

    def __init__(self, area: FakeStorageArea | None = None) -> None:
        self.raw = FakeKeyValue(area)
        self.clock = FakeClock()
        self.unsaved: list[str] = []
        self.corrupt: list[str] = []
        self.values = LocalValues(
            self.raw, self.clock, on_unsaved=self.unsaved.append, on_corrupt=self.corrupt.append
        )


CORRUPT = [
    '{"conversationId":"A","summ',
    "undefined",
    "[object Object]",
    "null",
    "42",
    "[]",
    "[" * 5000,
]


@pytest.mark.parametrize("text", CORRUPT)
def test_a_corrupt_value_is_set_aside_whole_and_said_once(text: str) -> None:
    kept = Values()
    kept.raw.area.texts["pleat.settings"] = text
    assert kept.values.read("pleat.settings") is None
    assert kept.values.read("pleat.settings") is None
    assert kept.corrupt == ["pleat.settings"]
    aside = [key for key in kept.raw.area.texts if key.startswith("pleat.settings.corrupt-")]
    assert [kept.raw.area.texts[key] for key in aside] == [text]
    assert "pleat.settings" not in kept.raw.area.texts


@pytest.mark.parametrize("text", [*CORRUPT, '{"conversation_id":5,"summary":null}'])
def test_a_corrupt_summary_is_no_summary_and_is_set_aside(text: str) -> None:
    kept = Values()
    kept.raw.area.texts[PREFIX + "c"] = text
    assert SummaryMirror(kept.values).stored("c") is None
    assert kept.corrupt == [PREFIX + "c"]


def test_blocked_storage_keeps_values_in_memory_and_says_so() -> None:
    kept = Values()
    kept.raw.blocked = True
    assert kept.values.read("pleat.settings") is None
    assert not kept.values.write("pleat.settings", {"a": 1})
    assert kept.values.read("pleat.settings") == {"a": 1}
    assert kept.values.keys("pleat.") == ["pleat.settings"]
    assert kept.unsaved
    kept.raw.blocked = False
    assert kept.values.retry()
    assert json.loads(kept.raw.area.texts["pleat.settings"]) == {"a": 1}


def test_full_storage_loses_nothing_and_a_corrupt_value_stays_where_it_is() -> None:
    kept = Values()
    kept.raw.area.texts["pleat.settings"] = "broken"
    kept.raw.quota = 10
    assert kept.values.read("pleat.settings") is None
    assert kept.raw.area.texts["pleat.settings"] == "broken"
    assert not kept.values.set_text("pleat.draft.c", "long text")
    assert kept.values.text("pleat.draft.c") == "long text"
    assert set(kept.unsaved) == {"quota"}


def test_settings_of_a_newer_program_are_left_as_they_are() -> None:
    kept = Values()
    said: list[str] = []
    newer = json.dumps({"schema": 99, "theme": "dark"})
    kept.raw.area.texts["pleat.settings"] = newer
    store = SettingsStore(kept.values, said.append, lambda: said.append("newer"))
    settings = store.load()
    assert settings.theme == "system"
    mine = replace(settings, theme="light")
    assert not store.save(mine)
    assert store.load(mine) == mine
    assert kept.raw.area.texts == {"pleat.settings": newer}
    assert said == ["newer", "newer"]


def test_a_partial_answer_that_cannot_be_read_is_never_destroyed() -> None:
    kept = Values()
    newer = json.dumps({"schema": 99, "id": "n"})
    kept.raw.area.texts["pleat.partial.n"] = newer
    kept.raw.area.texts["pleat.partial.b"] = "{half"
    for _ in range(2):
        assert Partials(kept.values).taken("c", []) == []
    texts = kept.raw.area.texts
    assert texts.pop("pleat.partial.n") == newer
    assert list(texts.values()) == ["{half"]
    assert next(iter(texts)).startswith("pleat.partial.b.corrupt-")
    assert kept.corrupt == ["pleat.partial.b"]


def test_keys_are_apart_and_forgotten_with_their_endpoint() -> None:
    kept = Values()
    store = SettingsStore(kept.values, lambda _: None)
    store.set_key("a", "sk-test-000")
    store.set_key("b", "sk-test-111")
    store.save(store.load())
    assert "sk-test" not in kept.raw.area.texts["pleat.settings"]
    store.keep_only({"a"})
    assert store.keys() == {"a": "sk-test-000"}
    store.set_key("a", "")
    assert store.key("a") == ""


def fold(id: str = "f1", commit: int = 0, boundary: str = "m1") -> Fold:
    return Fold(id, "c", None, (boundary,), boundary, "digest", "The user's cat is Miso.", (None,))


def test_corrupt_keys_are_set_aside_only_until_a_key_is_set_again() -> None:
    kept = Values()
    kept.raw.area.texts["pleat.secrets"] = '{"e": "sk-half'
    store = SettingsStore(kept.values, lambda _: None)
    assert store.key("e") == ""
    assert any("sk-half" in text for text in kept.raw.area.texts.values())
    store.set_key("e", "sk-whole")
    assert kept.raw.area.texts == {"pleat.secrets": '{"e": "sk-whole"}'}


def test_the_mirror_is_published_then_stored_and_heard_by_other_tabs() -> None:
    area = FakeStorageArea()
    here, there = Values(area), Values(area)
    mirror, other = SummaryMirror(here.values), SummaryMirror(there.values)
    order: list[str] = []
    mirror.topic("c").subscribe(
        lambda new, _: order.append("published" if PREFIX + "c" not in area.texts else "late")
    )
    heard: list[object] = []
    other.topic("c").subscribe(lambda new, _: heard.append(new))
    mirror.committed("c", fold())
    assert order == ["published"]
    assert json.loads(area.texts[PREFIX + "c"]) == {
        "conversation_id": "c",
        "fold_id": "f1",
        "summary": "The user's cat is Miso.",
        "last_summarized_message_id": "m1",
        "revision": 0,
    }
    assert heard == [mirror.topic("c").get()]
    mirror.committed("c", None)
    assert PREFIX + "c" not in area.texts
    assert heard[-1] is None


def test_the_mirror_keeps_the_conversations_used_last() -> None:
    kept = Values()
    mirror = SummaryMirror(kept.values)
    for number in range(KEPT + 5):
        id = f"c{number}"
        mirror.committed(id, fold())
        mirror.used(id)
    stored = [key for key in kept.raw.area.texts if key.startswith(PREFIX)]
    assert len(stored) == KEPT
    assert PREFIX + "c0" not in stored


def message(id: str, parent: str | None = None) -> Any:
    return user_message(id, "c", parent, f"text of {id}")


def repository(store: Any = None) -> tuple[Repository, FakeClock, list[str]]:
    clock, asides = FakeClock(), []
    return Repository(store or MemoryStore(), clock, asides.append), clock, asides


def test_a_deleted_conversation_gets_nothing_written_and_can_come_back() -> None:
    async def work() -> None:
        repo, clock, _ = repository()
        await repo.create(Conversation("c", "Title"), [message("m1")])
        assert await repo.delete("c")
        assert not await repo.delete("c")
        assert await repo.conversations() == []
        assert await repo.write("c", [message("m2", "m1")]) is None
        assert await repo.commit_fold(fold(), structure=0, commit=0) == "gone"
        assert await repo.counters("c") is None
        back = await repo.undelete("c")
        assert back is not None
        assert [m.id for m in await repo.messages("c")] == ["m1"]
        await repo.delete("c")
        clock.advance(UNDO_PERIOD + 1)
        assert await repo.conversations() == []
        assert await repo.undelete("c") is None
        assert await repo.messages("c") == []

    run(work())


def test_a_fold_commits_only_over_what_it_read() -> None:
    async def work() -> None:
        repo, _, _ = repository()
        await repo.create(Conversation("c"), [message("m1")])
        assert await repo.commit_fold(fold("f1"), structure=0, commit=0) == "ok"
        assert await repo.commit_fold(fold("f2"), structure=0, commit=0) == "conflict"
        assert await repo.counters("c") == (0, 1)
        await repo.write("c", structural=True, patch={"pinned": {"m1"}})
        assert await repo.commit_fold(fold("f2"), structure=0, commit=1) == "conflict"
        assert await repo.commit_fold(fold("f2"), structure=1, commit=1) == "ok"
        folds = await repo.folds("c")
        assert [(f.id, f.commit) for f in folds] == [("f1", 1), ("f2", 2)]
        assert await repo.retire_folds("c", ["f2"], commit=1) == "conflict"
        assert await repo.retire_folds("c", ["f2"], commit=2) == "ok"
        assert [f.retired_at is None for f in await repo.folds("c")] == [True, False]

    run(work())


def test_what_streams_never_replaces_what_is_finished() -> None:
    async def work() -> None:
        store = MemoryStore()
        repo, _, _ = repository(store)
        await repo.create(Conversation("c"), [message("m1")])
        late = {**(await store.of("messages", "c"))[0], "status": "streaming", "parts": []}
        await store.apply(Change("c", put={"messages": [late]}))
        assert (await repo.messages("c"))[0].text == "text of m1"

    run(work())


def test_messages_are_relinked_past_deleted_ones() -> None:
    async def work() -> None:
        repo, _, _ = repository()
        one, two, three = message("m1"), message("m2", "m1"), message("m3", "m2")
        await repo.create(Conversation("c"), [one, two, three])
        await repo.write("c", spliced=[two], structural=True)
        await repo.write("c", spliced=[one], structural=True)
        await repo.write("c", [message("m4", "m2")])  # a tab that did not know
        assert [(m.id, m.parent_id) for m in await repo.messages("c")] == [
            ("m3", None),
            ("m4", None),
        ]

    run(work())


def test_corrupt_records_are_set_aside_newer_ones_stay_and_the_rest_is_read() -> None:
    async def work() -> None:
        store = MemoryStore()
        repo, _, asides = repository(store)
        await repo.create(Conversation("c"), [message("m1"), message("m2", "m1")])
        good = (await store.of("messages", "c"))[1]
        store.take(
            "messages", [{**good, "id": "m3", "parts": 7}, {**good, "id": "m4", "schema": 9}]
        )
        store.take("folds", [{"id": "f9", "conversation_id": "c", "schema": 1, "text": 5}])
        store.take("folds", [{"id": "f8", "conversation_id": "c", "schema": 2, "words": 5}])
        store.take("conversations", [{"id": "d", "title": []}, {"id": "e", "schema": 2}])
        assert [m.id for m in await repo.messages("c")] == ["m1", "m2"]
        assert await repo.folds("c") == []
        found = {c.id: c.title for c in await repo.conversations()}
        assert found == {"c": "", "d": "Recovered chat"}
        aside = [each["record"]["id"] for each in await store.all("aside")]
        assert aside == ["m3", "f9", "d"]
        assert asides == ["corrupt", "newer", "corrupt", "newer", "corrupt", "newer"]
        assert (await store.get("messages", "m4") or {})["schema"] == 9
        assert (await store.get("folds", "f8") or {})["words"] == 5
        assert await store.get("conversations", "e") == {"id": "e", "schema": 2}

    run(work())


def test_what_storage_refuses_is_kept_in_memory_and_written_when_it_can_be() -> None:
    async def work() -> None:
        store = FaultyStore()
        saved: list[tuple[bool, str]] = []
        safe = SafeStore(store, lambda ok, why: saved.append((ok, why)))
        repo, _, _ = repository(safe)
        await repo.create(Conversation("c"), [message("m1")])
        store.fails = "quota"
        assert await repo.write("c", [message("m2", "m1")]) is not None
        assert await repo.write("c", [message("m3", "m2")]) is not None
        assert saved == [(False, "quota")]
        assert {m.id for m in await repo.messages("c")} == {"m1", "m2", "m3"}
        assert await repo.commit_fold(fold(), structure=0, commit=0) == "ok"
        assert await repo.counters("c") == (0, 1)
        store.fails = ""
        await repo.write("c", patch={"title": "Saved"})
        assert saved[-1] == (True, "")
        assert {r["id"] for r in await store.of("messages", "c")} == {"m1", "m2", "m3"}
        assert [r["commit"] for r in await store.of("folds", "c")] == [1]

    run(work())


@pytest.mark.parametrize("reads", [True, False])
def test_without_any_storage_everything_works_in_memory(reads: bool) -> None:
    async def work() -> None:
        store = FaultyStore()
        store.fails, store.fails_reads = "unavailable", reads
        saved: list[tuple[bool, str]] = []
        safe = SafeStore(store, lambda ok, why: saved.append((ok, why)))
        repo, _, _ = repository(safe)
        assert await repo.conversations() == []
        await repo.create(Conversation("c"), [message("m1")])
        await repo.write("c", [message("m2", "m1")])
        assert {m.id for m in await repo.messages("c")} == {"m1", "m2"}
        assert [c.id for c in await repo.conversations()] == ["c"]
        assert await repo.delete("c")
        assert await repo.write("c", [message("m3")]) is None
        assert saved == [(False, "unavailable")]

    run(work())


def test_a_store_that_was_cleared_under_the_page_gets_the_conversation_back() -> None:
    async def work() -> None:
        store = FaultyStore()
        safe = SafeStore(store)
        repo, _, _ = repository(safe)
        await repo.create(Conversation("c"), [message("m1")])
        await repo.messages("c")
        store.__init__()  # type: ignore[misc]
        assert await repo.write("c", [message("m2", "m1")]) is not None
        assert {r["id"] for r in await store.of("messages", "c")} == {"m1", "m2"}

    run(work())


def test_a_store_that_was_cleared_while_writes_waited_gets_them_all() -> None:
    async def work() -> None:
        store = FaultyStore()
        safe = SafeStore(store)
        repo, _, _ = repository(safe)
        await repo.create(Conversation("c"), [message("m1")])
        store.fails = "quota"
        await repo.write("c", [message("m2", "m1")], structural=True)
        await repo.write("c", [message("m3", "m2")], structural=True)
        store.__init__()  # type: ignore[misc]
        assert await safe.retry()
        assert {r["id"] for r in await store.of("messages", "c")} == {"m1", "m2", "m3"}
        assert [r["structure"] for r in await store.all("conversations")] == [2]

    run(work())


def test_a_tab_that_slept_through_a_deletion_brings_nothing_back() -> None:
    async def work() -> None:
        store = FaultyStore()
        (awake, clock, _), (asleep, _, _) = (
            repository(SafeStore(store)),
            repository(SafeStore(store)),
        )
        await awake.create(Conversation("c", "Secret title"), [message("m1")])
        assert [each.id for each in await asleep.messages("c")] == ["m1"]
        assert await asleep.conversation("c") is not None
        await awake.delete("c")
        await awake.purge("c")
        assert await asleep.write("c", [message("m2", "m1")]) is None
        assert await asleep.conversations() == []
        assert await asleep.undelete("c") is None
        assert await store.all("messages") == []
        assert "Secret" not in str(await store.all("conversations"))
        clock.advance(STUB_PERIOD + 1)
        await awake.conversations()
        assert await store.all("conversations") == []

    run(work())
