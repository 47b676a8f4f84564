"""Asking and answering: what is sent, what stays, and that every busy state ends."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from app.models.errors import Auth, ContextOverflow, Server, Truncated, Unreachable
from app.models.port import Usage
from app.state.fields import Refused
from tests.support.fakes import Reply, settle
from tests.support.tab import Browser, Tab
from tests.unit.session.running import held


def run(work: Coroutine[Any, Any, None]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(20):  # a hang is a failure
            await work

    asyncio.run(bounded())


def test_a_question_is_answered_and_both_are_stored() -> None:
    async def work() -> None:
        tab = await Tab().start()
        tab.model.then("Hello there.")
        await tab.ask("Hi")
        assert tab.texts == ["Hi", "Hello there."]
        assert [m["status"] for m in tab.thread] == ["complete", "complete"]
        assert tab.prompt()[-1] == ("user", "Hi")
        assert tab.idle
        assert tab.titles == ["Hi"]
        again = await tab.browser.tab().start()
        assert again.texts == ["Hi", "Hello there."]
        assert not tab.faults

    run(work())


def test_a_failed_answer_stays_in_place_and_retry_asks_the_same_question_once() -> None:
    async def work() -> None:
        tab = await Tab().start()
        tab.model.then(Server("boom", status=500), "ok")
        await tab.ask("hello")
        assert tab.texts == ["hello", ""]
        failed = tab.thread[1]
        assert failed["status"] == "failed"
        assert failed["error_kind"] == "server"
        assert "HTTP 500" in failed["error"]
        assert tab.idle
        await tab.session.retry(failed["id"])
        await tab.session.settled()
        assert tab.texts == ["hello", "ok"]
        users = [content for role, content in tab.prompt() if role == "user"]
        assert users == ["hello"]
        assert not any("HTTP 500" in content for _, content in tab.prompt())
        again = await tab.browser.tab().start()
        assert again.texts == ["hello", "ok"]

    run(work())


@pytest.mark.parametrize(
    "error", [Unreachable(), Auth(status=401), Truncated(), ValueError("a fault"), TimeoutError()]
)
def test_every_failure_ends_the_busy_state_and_the_next_send_is_taken(error: Exception) -> None:
    async def work() -> None:
        tab = await Tab().start()
        tab.model.then(error, "fine")
        await tab.ask("one")
        assert tab.idle
        assert tab.thread[-1]["status"] == "failed"
        assert tab.thread[-1]["error"]
        await tab.ask("two")
        assert tab.texts[-2:] == ["two", "fine"]
        assert [c for r, c in tab.prompt() if r == "assistant"] == []

    run(work())


def test_what_came_before_a_broken_stream_is_kept_and_sendable() -> None:
    async def work() -> None:
        tab = await Tab().start()
        tab.model.then(Reply(["Half an "], error=Truncated()), "Rest.")
        await tab.ask("one")
        assert tab.thread[-1]["text"] == "Half an "
        assert tab.thread[-1]["status"] == "stopped"
        assert tab.thread[-1]["error_kind"] == "truncated"
        await tab.ask("two")
        assert ("assistant", "Half an ") in tab.prompt()

    run(work())


def test_stop_keeps_the_partial_answer_and_aborts_the_request() -> None:
    async def work() -> None:
        tab = await Tab().start()
        gate = asyncio.Event()
        tab.model.then(Reply(["Once ", "upon"], gate=gate, gate_after=1))
        await tab.session.send("Tell me")
        await settle()
        assert tab.state.busy.get()["state"] == "answering"
        await tab.session.stop()
        assert tab.idle
        assert tab.thread[-1]["text"] == "Once "
        assert tab.thread[-1]["status"] == "stopped"
        assert tab.model.calls[0].closed
        await tab.ask("Again")
        assert tab.texts[-1] == "Fine."

    run(work())


def test_stop_while_the_end_of_an_answer_is_being_stored_waits_for_it() -> None:
    async def work() -> None:
        tab = await Tab().start()
        with held(tab, "assistant") as gate:
            tab.model.then("One.")
            await tab.session.send("First")
            await settle()
            stopping = asyncio.create_task(tab.session.stop())
            await settle()
            assert not stopping.done()
            gate.set()
            await stopping
        assert tab.idle
        assert tab.texts == ["First", "One."]
        assert tab.thread[-1]["status"] == "complete"
        await tab.ask("Second")
        assert tab.prompt()[1:] == [("user", "First"), ("assistant", "One."), ("user", "Second")]

    run(work())


def test_a_page_that_goes_while_the_end_is_being_stored_keeps_the_whole_answer() -> None:
    async def work() -> None:
        browser = Browser()
        tab = await browser.tab().start()
        first = asyncio.Event()
        with held(tab, "assistant") as never:
            tab.model.then(Reply(["One ", "and all."], gate=first, gate_after=1))
            await tab.session.send("First")
            await settle()
            first.set()
            await settle()
            tab.session.leaving()
            await settle()
            lock = next(name for name in browser.locks.taken if name.startswith("pleat.tab.t1-"))
            del browser.locks._held[lock]  # the tab was closed, and wrote nothing more
            store = await browser.store.all("messages")
            assert [m["status"] for m in store if m["role"] == "assistant"] == ["streaming"]
            for name in list(browser.locks._held):
                del browser.locks._held[name]
            browser.store.apply = type(browser.store).apply.__get__(browser.store)  # type: ignore[method-assign]
            again = await browser.tab().start()
            assert again.texts == ["First", "One and all."]
            assert again.thread[-1]["status"] == "complete"
            never.set()

    run(work())


def test_a_message_that_is_deleted_twice_while_an_answer_ends_is_deleted_once() -> None:
    async def work() -> None:
        tab = await Tab().start()
        await tab.ask("Zero")
        asked = tab.thread[0]["id"]
        with held(tab, "assistant") as gate:
            await tab.session.send("First")
            await settle()
            both = [asyncio.create_task(tab.session.delete_message(asked)) for _ in range(2)]
            await settle()
            gate.set()
            await asyncio.gather(*both)
        assert tab.texts == ["Fine.", "First", "Fine."]
        assert not tab.faults

    run(work())


def test_stop_before_the_first_token_ends_at_once() -> None:
    async def work() -> None:
        tab = await Tab().start()
        gate = asyncio.Event()
        tab.model.then(Reply(["never"], gate=gate))
        await tab.session.send("Tell me")
        await settle()
        await tab.session.stop()
        assert tab.idle
        assert tab.model.calls[0].closed
        await tab.session.send("Again")
        await tab.session.stop()  # before its task has run at all
        assert tab.idle
        await tab.ask("And again")
        assert tab.texts[-2:] == ["And again", "Fine."]

    run(work())


def test_a_second_send_while_busy_is_refused_with_a_reason() -> None:
    async def work() -> None:
        tab = await Tab().start()
        gate = asyncio.Event()
        tab.model.then(Reply(["one"], gate=gate))
        first = asyncio.create_task(tab.session.send("first"))
        with pytest.raises(Refused, match="Stop"):
            await asyncio.sleep(0)
            await tab.session.send("second")
        await first
        gate.set()
        await tab.session.settled()
        assert tab.texts == ["first", "one"]

    run(work())


def test_other_conversations_stay_usable_while_one_answers() -> None:
    async def work() -> None:
        tab = await Tab().start()
        gate = asyncio.Event()
        tab.model.then(Reply(["slow"], gate=gate), "quick")
        await tab.session.send("first")
        await settle()
        slow = tab.id
        await tab.session.new_conversation()
        assert tab.idle
        await tab.ask("other")
        assert tab.texts == ["other", "quick"]
        gate.set()
        await settle()
        await tab.session.open_conversation(slow)
        assert tab.texts == ["first", "slow"]
        assert tab.idle

    run(work())


def test_two_chats_that_begin_alike_share_nothing() -> None:
    async def work() -> None:
        tab = await Tab().start()
        await tab.ask("hi")
        await tab.ask("my cat is Miso")
        await tab.session.new_conversation()
        await tab.ask("hi")
        assert not any("Miso" in content for _, content in tab.prompt())

    run(work())


def test_an_empty_question_is_refused() -> None:
    async def work() -> None:
        tab = await Tab().start()
        with pytest.raises(Refused):
            await tab.session.send(" \n\u200b")
        assert tab.texts == []

    run(work())


def test_an_answer_with_nothing_in_it_is_a_failure_with_retry() -> None:
    async def work() -> None:
        tab = await Tab().start()
        tab.model.then(Reply(["\u200b\n"]), Reply([], reasoning="thinking"))
        await tab.ask("one")
        assert tab.thread[-1]["error_kind"] == "empty"
        await tab.ask("two")
        assert tab.thread[-1]["error_kind"] == "empty"
        assert tab.thread[-1]["reasoning"] == "thinking"

    run(work())


def test_a_context_overflow_is_retried_once_and_its_size_is_learned() -> None:
    async def work() -> None:
        tab = await Tab().start()
        tab.model.then(ContextOverflow(status=400, limit=1024, prompt=2000), "fits")
        await tab.ask("word " * 300)
        assert tab.texts[-1] == "fits"
        assert len(tab.model.calls) == 2
        assert tab.session.current_settings().context_size() == 1024
        tab.model.then(ContextOverflow(status=400), ContextOverflow(status=400))
        await tab.ask("more")
        assert tab.thread[-1]["error_kind"] == "context_overflow"
        assert tab.idle

    run(work())


def test_a_prompt_that_the_server_cut_silently_is_said() -> None:
    async def work() -> None:
        tab = await Tab().start()
        tab.model.then(Reply(["ok"], usage=Usage(prompt_tokens=50, completion_tokens=2)))
        await tab.ask("word " * 400)
        assert any("silently" in text for text in tab.notices)

    run(work())


def test_the_stream_is_drawn_at_most_every_fifty_milliseconds_and_saved_every_second() -> None:
    async def work() -> None:
        tab = await Tab().start()
        drawn: list[str] = []
        tab.state.stream.subscribe(lambda new, _: drawn.append(new["text"]))
        gate, last = asyncio.Event(), asyncio.Event()
        pieces = [f"{i} " for i in range(30)]
        tab.model.then(Reply(pieces, gate=gate, gate_after=20, gates={29: last}))
        await tab.session.send("count")
        await settle()
        assert len([text for text in drawn if text]) == 0
        tab.clock.advance(50)
        await settle()
        assert [text for text in drawn if text] == ["".join(f"{i} " for i in range(20))]
        tab.clock.advance(1000)
        gate.set()
        await settle()
        last.set()
        await tab.session.settled()
        await settle()
        saved = [
            record
            for change in tab.browser.store.changes
            for record in change.put.get("messages", ())
            if record["status"] == "streaming"
        ]
        assert len(saved) == 2  # the first words at once, the rest a second later
        assert tab.texts[-1].startswith("0 1 2")

    run(work())


def test_an_answer_whose_tab_is_gone_is_stopped_at_the_next_load() -> None:
    async def work() -> None:
        browser = Browser()
        tab = await browser.tab().start()
        gate = asyncio.Event()
        tab.model.then(Reply(["Half"], gate=gate, gate_after=1))
        await tab.session.send("Tell me")
        await settle()
        tab.session.leaving()
        await settle()
        other = await browser.tab().start()
        assert other.thread[-1]["status"] == "streaming"
        lock = next(name for name in browser.locks.taken if name.startswith("pleat.tab.t1-"))
        del browser.locks._held[lock]  # the tab was closed
        third = await browser.tab().start()
        assert third.thread[-1]["status"] == "stopped"
        assert third.thread[-1]["text"] == "Half"
        await third.ask("Go on")
        assert ("assistant", "Half") in third.prompt()
        await tab.session.stop()

    run(work())


def test_what_has_come_of_an_answer_is_there_after_a_reload_in_mid_stream() -> None:
    async def work() -> None:
        browser = Browser()
        tab = await browser.tab().start()
        gate = asyncio.Event()
        tab.model.then(Reply(["The first", " half", "!"], gates={1: gate, 2: asyncio.Event()}))
        await tab.session.send("Tell me")
        await settle()
        stored = [each["status"] for each in await browser.store.all("messages")]
        assert [each["state"] for each in tab.thread] == ["window", "window"]  # on its way
        assert stored == ["complete", "streaming"]  # the first words are stored at once
        gate.set()
        await settle()
        browser.store.fails = "unavailable"  # nothing is waited for any more
        tab.session.leaving()
        lock = next(name for name in browser.locks.taken if name.startswith("pleat.tab.t1-"))
        del browser.locks._held[lock]
        browser.store.fails = ""
        for task in list(tab.session._desk.tasks):
            task.cancel()
        again = await browser.tab().start()
        assert again.texts == ["Tell me", "The first half"]
        assert again.thread[-1]["status"] == "stopped"
        assert not any(key.startswith("pleat.partial.") for key in browser.area.texts)
        third = await browser.tab().start()
        assert third.texts == ["Tell me", "The first half"]

    run(work())


def test_regenerate_and_edit_make_siblings() -> None:
    async def work() -> None:
        tab = await Tab().start()
        tab.model.then("one", "two", "three")
        await tab.ask("Q")
        await tab.session.regenerate(tab.thread[-1]["id"])
        await tab.session.settled()
        assert tab.texts == ["Q", "two"]
        assert (tab.thread[-1]["sibling"], tab.thread[-1]["siblings"]) == (2, 2)
        assert tab.prompt()[-1] == ("user", "Q")
        assert len([1 for role, _ in tab.prompt() if role == "assistant"]) == 0
        await tab.session.edit(tab.thread[0]["id"], "Q2")
        await tab.session.settled()
        assert tab.texts == ["Q2", "three"]
        assert tab.thread[0]["previous_sibling"] is not None
        await tab.session.switch_branch(tab.thread[0]["previous_sibling"])
        assert tab.texts == ["Q", "two"]
        again = await tab.browser.tab().start()
        assert again.texts == ["Q", "two"]

    run(work())


def test_regenerate_asked_twice_at_once_starts_one_answer() -> None:
    async def work() -> None:
        tab = await Tab().start()
        tab.model.then("one", "two", "three")
        await tab.ask("Q")
        asked = tab.thread[-1]["id"]
        before = len(tab.model.calls)
        await asyncio.gather(tab.session.regenerate(asked), tab.session.regenerate(asked))
        await tab.session.settled()
        assert len(tab.model.calls) == before + 1
        assert tab.texts == ["Q", "two"]
        assert (tab.thread[-1]["sibling"], tab.thread[-1]["siblings"]) == (2, 2)
        assert tab.idle
        assert not tab.faults

    run(work())


def test_regenerate_asked_twice_in_mid_stream_starts_one_answer() -> None:
    async def work() -> None:
        tab = await Tab().start()
        never, gate = asyncio.Event(), asyncio.Event()
        tab.model.then(Reply(["one", "!"], gate=never, gate_after=1))
        tab.model.then(Reply(["two"], gate=gate), Reply(["three"], gate=gate))
        await tab.session.send("Q")
        await settle()
        asked = tab.thread[-1]["id"]
        await asyncio.gather(tab.session.regenerate(asked), tab.session.regenerate(asked))
        await settle()
        gate.set()
        await tab.session.settled()
        assert len(tab.model.calls) == 2
        assert tab.texts == ["Q", "two"]
        assert (tab.thread[-1]["sibling"], tab.thread[-1]["siblings"]) == (2, 2)
        assert tab.idle
        assert not tab.faults

    run(work())


def test_retry_asked_twice_at_once_replaces_a_failed_answer_by_one() -> None:
    async def work() -> None:
        tab = await Tab().start()
        gate = asyncio.Event()
        tab.model.then(Server("boom", status=500))
        tab.model.then(Reply(["two"], gate=gate), Reply(["three"], gate=gate))
        await tab.ask("Q")
        failed = tab.thread[-1]["id"]
        await asyncio.gather(tab.session.regenerate(failed), tab.session.regenerate(failed))
        await settle()
        gate.set()
        await tab.session.settled()
        assert len(tab.model.calls) == 2
        assert tab.texts == ["Q", "two"]
        assert tab.thread[-1]["siblings"] == 1
        assert tab.idle
        assert not tab.faults

    run(work())


def test_continue_asks_for_the_rest() -> None:
    async def work() -> None:
        tab = await Tab().start()
        tab.model.then(Reply(["A long"], finish="length"), " story")
        await tab.ask("Tell")
        assert tab.thread[-1]["finish"] == "length"
        await tab.session.continue_answer(tab.thread[-1]["id"])
        await tab.session.settled()
        assert tab.prompt()[-1][0] == "user"
        assert ("assistant", "A long") in tab.prompt()
        assert tab.texts[-1] == " story"

    run(work())


def test_a_deleted_message_is_spliced_also_for_a_tab_that_did_not_know() -> None:
    async def work() -> None:
        browser = Browser()
        tab = await browser.tab().start()
        await tab.ask("one")
        await tab.ask("two")
        answer = tab.thread[1]["id"]
        await tab.session.delete_message(answer)
        assert tab.texts == ["one", "two", "Fine."]
        again = await browser.tab().start()
        assert again.texts == ["one", "two", "Fine."]
        await again.session.delete_message(again.thread[-1]["id"])
        assert again.texts == ["one", "two"]

    run(work())


def test_pins_and_excludes_show_and_are_sent_accordingly() -> None:
    async def work() -> None:
        tab = await Tab().start()
        await tab.ask("secret word")
        await tab.ask("second")
        turn = tab.thread[0]["turn_id"]
        await tab.session.exclude(turn, True)
        assert tab.thread[0]["state"] == "excluded"
        await tab.ask("third")
        assert not any("secret" in content for _, content in tab.prompt())
        await tab.session.pin(turn, True)
        assert tab.thread[0]["state"] == "pinned"
        assert not tab.thread[0]["excluded"]
        await tab.ask("fourth")
        assert any("secret" in content for _, content in tab.prompt())
        again = await tab.browser.tab().start()
        assert again.thread[0]["state"] == "pinned"

    run(work())
