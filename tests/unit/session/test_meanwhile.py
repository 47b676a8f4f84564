"""What a person changes while an answer or a fold is on its way holds, and costs neither."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from app.memory.tokens import MESSAGE_OVERHEAD, PROMPT_OVERHEAD, Estimate
from app.models.errors import ContextOverflow
from app.models.port import Usage
from tests.support.fakes import Reply, ScriptedModel, settle
from tests.support.tab import Browser, Tab
from tests.unit.session.running import LONG, folded, run

ENDPOINTS = [
    {"id": "a", "name": "A", "base_url": "http://a.test/v1"},
    {"id": "b", "name": "B", "base_url": "http://b.test/v1"},
]


class Letters(Estimate):
    """A tokenizer that has arrived: each letter is a token."""

    exact = True

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """One for each character."""
        return [len(text) for text in texts]


async def answering(tab: Tab, gate: asyncio.Event, usage: Usage | None = None) -> None:
    """A tab in the middle of an answer."""
    await tab.session.update_settings(
        {"endpoints": ENDPOINTS, "chat_endpoint": "a", "chat_model": "m"}
    )
    tab.model.then(Reply(["one", "two"], gate=gate, gate_after=1, usage=usage))
    await tab.session.send("hello " * 400)
    await settle()
    assert tab.state.busy.get()["state"] == "answering"


async def ended(tab: Tab, gate: asyncio.Event) -> None:
    gate.set()
    await tab.session.settled()
    await settle()
    assert tab.texts[-1] == "onetwo"
    assert not tab.faults


def test_a_context_size_that_is_set_while_an_answer_comes_stays() -> None:
    async def work() -> None:
        tab, gate = await Tab().start(), asyncio.Event()
        await answering(tab, gate)
        await tab.session.update_settings({"context_size": 16384})
        assert tab.state.memory.get()["context"] == 16384
        await ended(tab, gate)
        assert tab.session.current_settings().context_size() == 16384
        assert tab.state.memory.get()["context"] == 16384

    run(work())


def test_the_size_and_factor_of_one_model_are_never_taken_for_anothers() -> None:
    async def work() -> None:
        tab, gate = await Tab().start(), asyncio.Event()
        await tab.session.update_settings(
            {"endpoints": ENDPOINTS, "context_sizes": {"a": {"m": 2048}, "b": {"big": 131072}}}
        )
        await answering(tab, gate, Usage(prompt_tokens=1200, completion_tokens=2))
        await tab.session.update_settings({"chat_endpoint": "b", "chat_model": "big"})
        await ended(tab, gate)
        settings = tab.session.current_settings()
        assert settings.context_sizes == {"a": {"m": 2048}, "b": {"big": 131072}}
        assert settings.factors.get("b", {}) == {}
        assert settings.factors["a"]["m"] > 1  # the model that had answered

    run(work())


def test_a_size_that_the_server_states_is_kept_for_the_model_that_answered() -> None:
    async def work() -> None:
        tab, gate = await Tab().start(), asyncio.Event()
        await tab.session.update_settings(
            {"endpoints": ENDPOINTS, "chat_endpoint": "a", "chat_model": "m"}
        )
        tab.model.then(
            ContextOverflow(status=400, limit=1024, prompt=2000),
            Reply(["one", "two"], gate=gate, gate_after=1),
        )
        await tab.session.send("hello")
        await settle()
        await tab.session.update_settings({"chat_endpoint": "b", "chat_model": "big"})
        await ended(tab, gate)
        settings = tab.session.current_settings()
        assert settings.context_size("a", "m") == 1024
        assert settings.context_size("b", "big") == 4096

    run(work())


def test_a_tokenizer_that_comes_while_an_answer_comes_counts_all_that_is_shown() -> None:
    async def work() -> None:
        tab, gate = await Tab().start(), asyncio.Event()
        await answering(tab, gate, Usage(prompt_tokens=1200, completion_tokens=2))
        tab.counter.use(Letters())
        tab.session.tokenizer_ready()
        await ended(tab, gate)
        shown = tab.state.memory.get()
        assert shown["exact"]
        said = await tab.repository.messages(tab.id)
        assert shown["account"]["window"] == sum(tab.counter.message(each) for each in said)
        assert tab.session.current_settings().factor() == 1.0  # two counters teach no factor

    run(work())


def test_a_fold_that_ends_after_a_change_of_settings_is_shown_and_mirrored() -> None:
    async def work() -> None:
        for change in ({"theme": "dark"}, {"system_prompt": "Be brief."}):
            utility, gate = ScriptedModel("utility"), asyncio.Event()
            tab = await Tab(utility=utility).start()
            utility.then(Reply(["User: the house number is 1742, the price 385000."], gate=gate))
            tab.model.default = "answer " * 300
            for number in range(30):
                await tab.session.send(f"question {number} " + "talk about apples " * 40)
                await settle(100)
                if utility.calls:
                    break
            assert tab.state.memory.get()["folds"] == []
            await tab.session.update_settings(change)
            gate.set()
            await tab.session.settled()
            await settle()
            stored = await tab.repository.folds(tab.id)
            assert [fold.id for fold in stored] == [
                fold["id"] for fold in tab.state.memory.get()["folds"]
            ]
            assert len(stored) == 1
            assert tab.state.thread.get()["boundary_id"] == stored[0].boundary
            mirrored = tab.mirror.stored(tab.id)
            assert mirrored is not None
            assert mirrored.fold_id == stored[0].id
            assert not tab.faults

    run(work())


def test_a_pin_that_a_smaller_context_cannot_hold_is_not_shown_as_sent_word_for_word() -> None:
    async def work() -> None:
        tab = await Tab().start()
        await tab.session.update_settings({"context_size": 8192})
        for number in range(3):
            await tab.ask(f"q{number} " + "apples and pears and plums " * 150)
        await tab.session.pin(tab.thread[0]["turn_id"], True)
        assert [each["state"] for each in tab.thread] == ["pinned"] * 2 + ["window"] * 4
        await tab.session.update_settings({"context_size": 2048})
        assert "pinned" not in [each["state"] for each in tab.thread]
        assert tab.thread[0]["pinned"]  # the mark stays, for a larger context
        await tab.session.update_settings({"context_size": 8192})
        assert tab.thread[0]["state"] == "pinned"
        view = await tab.session.request_view()
        assert [each["state"] for each in view["states"]] == [e["state"] for e in tab.thread]
        assert not tab.faults

    run(work())


def test_while_an_answer_comes_the_account_is_that_of_the_request_with_question_and_recall() -> (
    None
):
    async def work() -> None:
        tab, gate = await Tab().start(), asyncio.Event()
        await folded(tab)
        tab.model.then(Reply(["one", "two"], gate=gate, gate_after=1))
        await tab.session.send("Who bought the blue house number 1742?")
        await settle(200)
        account = tab.state.memory.get()["account"]
        assert account["question"] > 0
        assert account["recall"] > 0
        kinds = ("system", "summary", "recall", "pins", "window", "question", "overhead")
        assert sum(account[kind] for kind in kinds) == account["total"]
        sent = tab.model.calls[-1].messages
        counted = sum(tab.counter.texts([each.content for each in sent]))
        assert account["total"] == counted + len(sent) * MESSAGE_OVERHEAD + PROMPT_OVERHEAD
        await ended(tab, gate)
        account = tab.state.memory.get()["account"]
        assert account["question"] == account["recall"] == 0

    run(work())


def test_looks_give_no_failing_summariser_another_trial() -> None:
    async def work() -> None:
        tab = await Tab().start()
        trials: list[str] = []
        tab.engine.settings_changed = lambda: trials.append("")  # type: ignore[method-assign]
        await tab.session.update_settings({"theme": "dark", "send_key": "ctrl-enter"})
        assert trials == []
        assert tab.session.current_settings().theme == "dark"
        await tab.session.update_settings({"context_size": 8192})
        assert trials == [""]

    run(work())


def test_the_scanner_folds_chats_that_are_not_open_and_keeps_none_of_them() -> None:
    async def work() -> None:
        browser = Browser()
        first = await browser.tab().start()
        for number in range(3):
            await first.session.new_conversation()
            for turn in range(5):
                await first.ask(f"Chat {number}, {turn}: {LONG[:700]}")
        pressed = [item["id"] for item in first.state.conversations.get()["items"]]
        tab = await browser.tab().start()
        await tab.session.new_conversation()
        other = await browser.tab().start()
        await other.session.open_conversation(pressed[1])
        await tab.session.update_settings({"context_size": 1024, "preset": "switchboard"})
        for _ in range(10):
            browser.clock.advance(16_000)
            await settle(200)
        for id in pressed:
            folds = await tab.repository.folds(id)
            assert folds
            mirrored = tab.mirror.stored(id)
            assert mirrored is not None
            assert mirrored.fold_id == folds[-1].id
        assert other.state.memory.get()["summary"]["fold_id"]
        kept = {opened.id for opened in tab.session._library.opened() if opened.stored}
        assert len(kept) <= 1  # the one that was shown at the start
        assert not tab.faults

    run(work())


def test_a_fault_in_a_look_of_the_scanner_is_reported_and_the_next_look_comes() -> None:
    async def work() -> None:
        tab = await Tab().start()
        await tab.session.update_settings({"preset": "switchboard"})
        marks = tab.session._library.marks
        looks = 0

        def broken_once() -> list[tuple[str, object]]:
            nonlocal looks
            looks += 1
            if looks == 1:
                raise RuntimeError("a broken look")
            return marks()

        tab.session._library.marks = broken_once  # type: ignore[method-assign]
        for _ in range(2):
            await settle()
            tab.clock.advance(15_000)
        await settle()
        assert [str(fault) for fault in tab.faults] == ["a broken look"]
        assert looks == 2

    run(work())


def test_a_fault_in_a_fold_before_an_answer_is_reported_and_the_answer_comes() -> None:
    async def work() -> None:
        tab = await Tab().start()
        await tab.session.update_settings({"context_size": 512})

        async def broken(*_: object, **__: object) -> str:
            raise RuntimeError("a broken store")

        tab.repository.commit_fold = broken  # type: ignore[method-assign,assignment]
        for number in range(4):
            await tab.ask(f"Question {number}: " + "apples and pears " * 60)
            assert tab.texts[-1] == "Fine."
        assert {str(fault) for fault in tab.faults} == {"a broken store"}

    run(work())
