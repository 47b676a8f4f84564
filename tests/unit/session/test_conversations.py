"""Whole conversations: the list, deleting and undoing, tabs, storage, import and export."""

from __future__ import annotations

import asyncio
import json

import pytest

from app.conversation.message import Message
from app.models.catalog import ModelInfo
from app.models.errors import Server, Unreachable
from app.state.repository import UNDO_PERIOD
from tests.support.fakes import Reply, ScriptedModel, settle
from tests.support.tab import Browser, Tab
from tests.unit.session.running import LONG, folded, held, run


def test_a_conversation_deleted_while_it_streams_stays_deleted() -> None:
    async def work() -> None:
        tab = await Tab().start()
        await tab.ask("kept")
        await tab.session.new_conversation()
        gate = asyncio.Event()
        tab.model.then(Reply(["one ", "two"], gate=gate, gate_after=1))
        await tab.session.send("doomed")
        await settle()
        doomed = tab.id
        await tab.session.delete_conversation(doomed)
        assert tab.model.calls[-1].closed
        gate.set()
        await settle()
        assert tab.titles == ["kept"]
        assert tab.texts == ["kept", "Fine."]
        assert tab.idle
        assert not any(doomed in key for key in tab.browser.area.texts)
        assert not tab.faults
        again = await tab.browser.tab().start()
        assert again.titles == ["kept"]

    run(work())


def test_a_conversation_deleted_in_another_tab_while_it_streams_stays_deleted() -> None:
    async def work() -> None:
        browser = Browser()
        one = await browser.tab().start()
        gate = asyncio.Event()
        one.model.then(Reply(["one ", "two"], gate=gate, gate_after=1))
        await one.session.send("doomed")
        await settle()
        two = await browser.tab().start()
        await two.session.delete_conversation(two.id)
        await settle()
        assert one.idle
        assert one.titles == []
        gate.set()
        await settle()
        assert await two.repository.conversations() == []
        assert not one.faults
        assert not two.faults

    run(work())


def test_a_deletion_can_be_undone_until_it_is_final() -> None:
    async def work() -> None:
        tab = await Tab().start()
        await tab.ask("precious")
        id = tab.id
        await tab.session.delete_conversation(id)
        assert tab.titles == []
        assert tab.state.conversations.get()["undo"]["title"] == "precious"
        await tab.session.undo_delete()
        assert tab.texts == ["precious", "Fine."]
        await tab.session.delete_conversation(id)
        await settle()
        tab.clock.advance(UNDO_PERIOD + 1)
        await settle()
        assert tab.state.conversations.get()["undo"] is None
        assert await tab.browser.store.all("messages") == []

    run(work())


def test_delete_all_leaves_no_text_behind() -> None:
    async def work() -> None:
        tab = await Tab().start()
        await tab.ask("one")
        await tab.session.new_conversation()
        tab.session.set_draft("half a thought")
        await tab.ask("two")
        await tab.session.delete_all()
        assert tab.titles == []
        assert tab.texts == []
        assert await tab.browser.store.all("messages") == []
        assert not any(key.startswith("pleat.draft.") for key in tab.browser.area.texts)

    run(work())


def test_search_finds_titles_and_texts_and_new_messages() -> None:
    async def work() -> None:
        tab = await Tab().start()
        tab.model.then("The capital is Lima.")
        await tab.ask("Peru?")
        await tab.session.new_conversation()
        await tab.ask("Weather")
        await tab.session.search("lima CAPITAL")
        assert tab.titles == ["Peru?"]
        await tab.session.search("weath")
        assert tab.titles == ["Weather"]
        await tab.ask("And in Lima, the capital?")
        await tab.session.search("lima")
        assert set(tab.titles) == {"Peru?", "Weather"}
        await tab.session.search("")
        assert len(tab.titles) == 2

    run(work())


def test_rename_keeps_the_title_also_after_the_next_question() -> None:
    async def work() -> None:
        tab = await Tab().start()
        await tab.ask("first words")
        await tab.session.rename_conversation(tab.id, "  My\n title ")
        await tab.session.rename_conversation(tab.id, "   ")
        await tab.ask("more")
        again = await tab.browser.tab().start()
        assert again.titles == ["My title"]

    run(work())


def test_drafts_are_kept_per_conversation_and_cleared_when_the_question_is_stored() -> None:
    async def work() -> None:
        tab = await Tab().start()
        await tab.ask("first")
        first = tab.id
        tab.session.set_draft("unsent")
        await tab.session.new_conversation()
        assert tab.session.draft() == ""
        await tab.session.open_conversation(first)
        assert tab.session.draft() == "unsent"
        # Saved late, when another chat is shown already: into its own.
        await tab.session.new_conversation()
        tab.session.set_draft("unsent, and more", first)
        tab.session.set_draft("of a chat that is gone", "nobody")
        assert tab.session.draft() == ""
        await tab.session.open_conversation(first)
        assert tab.session.draft() == "unsent, and more"
        again = await tab.browser.tab().start()
        assert again.session.draft() == "unsent, and more"
        await tab.ask("unsent")
        assert tab.session.draft() == ""

    run(work())


def test_the_draft_of_a_new_chat_is_there_after_a_reload_and_gone_once_it_is_sent() -> None:
    async def work() -> None:
        tab = await Tab().start()
        tab.session.set_draft("half a thought")
        again = await tab.browser.tab().start()
        assert again.session.draft() == "half a thought"
        await again.ask("half a thought, whole")
        assert again.session.draft() == ""
        again.session.set_draft("more")
        await again.session.new_conversation()
        assert again.session.draft() == ""
        await again.session.delete_all()
        assert not any(key.startswith("pleat.draft.") for key in again.browser.area.texts)

    run(work())


def test_a_new_chat_that_is_being_stored_keeps_its_draft_from_the_next_new_chat() -> None:
    async def work() -> None:
        tab = await Tab().start()
        first = tab.id
        with held(tab, "user") as gate:
            tab.session.set_draft("first")
            sending = asyncio.create_task(tab.session.send("first"))
            await settle()
            tab.session.set_draft("first\n\nsecond", first)
            await tab.session.new_conversation()
            assert tab.id != first
            assert tab.session.draft() == ""
            tab.session.set_draft("of the other chat")
            gate.set()
            await sending
        assert tab.session.draft() == "of the other chat"
        tab.session.set_draft("second", first)  # as the page does when the question is stored
        await tab.session.open_conversation(first)
        assert tab.session.draft() == "second"

    run(work())


def test_a_deleted_chat_that_can_come_back_keeps_what_was_typed() -> None:
    async def work() -> None:
        tab = await Tab().start()
        await tab.ask("first")
        first = tab.id
        await tab.session.delete_conversation(first)
        tab.session.set_draft("typed since", first)
        await tab.session.undo_delete()
        await tab.session.open_conversation(first)
        assert tab.session.draft() == "typed since"

    run(work())


def test_two_tabs_that_write_into_one_conversation_keep_both_messages() -> None:
    async def work() -> None:
        browser = Browser()
        one, two = await browser.tab().start(), browser.tab()
        await one.ask("shared")
        await two.start()
        gate = asyncio.Event()
        one.model.then(Reply(["A"], gate=gate))
        two.model.then(Reply(["B"], gate=gate))
        await asyncio.gather(one.session.send("m4"), two.session.send("m5"))
        gate.set()
        await one.session.settled()
        await two.session.settled()
        await settle()
        third = await browser.tab().start()
        stored = {m.text for m in await third.repository.messages(third.id)}
        assert {"shared", "m4", "m5", "A", "B"} <= stored
        assert not one.faults
        assert not two.faults

    run(work())


def test_a_tab_sees_what_another_adds_and_goes_on_from_there() -> None:
    async def work() -> None:
        browser = Browser()
        one, two = await browser.tab().start(), browser.tab()
        await one.ask("first")
        await two.start()
        await two.ask("second")
        await settle()
        assert one.texts == ["first", "Fine.", "second", "Fine."]
        await one.ask("third")
        await settle()
        assert two.texts[-2:] == ["third", "Fine."]

    run(work())


def test_two_tabs_on_different_branches_do_not_answer_each_other_for_ever() -> None:
    async def work() -> None:
        browser = Browser()
        tab = await browser.tab().start()
        await folded(tab)
        other = await browser.tab().start()
        assert other.state.memory.get()["summary"]["fold_id"]
        posted = len(browser.area.channels[1].posted)
        refreshed = 0
        refresh = other.session._library.refresh

        async def counted(id: str) -> None:
            nonlocal refreshed
            refreshed += 1
            assert refreshed < 50
            await refresh(id)

        other.session._library.refresh = counted  # type: ignore[method-assign]
        first = next(each["id"] for each in tab.thread if each["role"] == "assistant")
        await tab.session.regenerate(first)
        await tab.session.settled()
        await settle(400)
        assert tab.state.memory.get()["summary"]["fold_id"] is None
        assert other.state.memory.get()["summary"]["fold_id"] is not None
        assert len(browser.area.channels[1].posted) == posted
        assert not tab.faults
        assert not other.faults

    run(work())


def test_no_fold_of_a_message_that_another_tab_has_deleted_meanwhile() -> None:
    async def work() -> None:
        browser = Browser()
        tab = await browser.tab().start()
        for number in range(8):
            await tab.ask(f"Question {number}: {LONG[:400]}")
        other = await browser.tab().start()
        doomed = tab.thread[0]["id"]
        hold, reads = asyncio.Event(), tab.repository.messages

        async def held(id: str) -> list[Message]:
            await hold.wait()
            return await reads(id)

        tab.repository.messages = held  # type: ignore[method-assign]
        await other.session.delete_message(doomed)
        await settle()
        await tab.session.send("And now?")
        for _ in range(20):
            await settle()
        await tab.session.update_settings({"context_size": 1024})
        folding = asyncio.ensure_future(tab.session.summarize_and_continue())
        for _ in range(20):
            await settle()
        hold.set()
        await folding
        await tab.session.settled()
        await settle()
        folds = await tab.repository.folds(tab.id)
        assert all(doomed not in fold.covered for fold in folds)
        assert doomed not in [each["id"] for each in tab.thread]
        assert (await tab.session.summarize_and_continue())["status"] in ("folded", "nothing")
        assert tab.state.memory.get()["coverage"]["unaccounted"] == 0
        assert not tab.faults

    run(work())


def test_after_a_reload_the_same_memory_is_used_and_nothing_is_folded_again() -> None:
    async def work() -> None:
        tab = await Tab().start()
        await folded(tab)
        memory = tab.state.memory.get()
        assert memory["summary"]["text"]
        folds = len(memory["folds"])
        key = f"pleat.summary.{tab.id}"
        mirrored = json.loads(tab.browser.area.texts[key])
        assert mirrored["summary"] == memory["summary"]["text"]
        again = await tab.browser.tab().start()
        after = again.state.memory.get()
        assert after["summary"]["text"] == memory["summary"]["text"]
        assert after["summary"]["fold_id"] == mirrored["fold_id"]
        assert len(after["folds"]) == folds
        assert again.state.thread.get()["boundary_id"] == mirrored["last_summarized_message_id"]
        first = again.thread[0]
        assert first["state"] == "folded"
        await again.ask("short")
        assert any(mirrored["summary"][:40] in content for _, content in again.prompt())
        assert not tab.faults
        assert not again.faults

    run(work())


@pytest.mark.parametrize("stored", [None, "broken", '{"conversation_id": "x"}', "stale"])
def test_a_mirror_that_is_missing_corrupt_or_stale_is_rebuilt_from_the_ledger(
    stored: str | None,
) -> None:
    async def work() -> None:
        tab = await Tab().start()
        await folded(tab)
        key = f"pleat.summary.{tab.id}"
        right = tab.browser.area.texts[key]
        if stored is None:
            del tab.browser.area.texts[key]
        elif stored == "stale":
            old = {**json.loads(right), "fold_id": "gone", "summary": "Lies.", "revision": 0}
            tab.browser.area.texts[key] = json.dumps(old)
        else:
            tab.browser.area.texts[key] = stored
        again = await tab.browser.tab().start()
        assert json.loads(tab.browser.area.texts[key]) == json.loads(right)
        await again.ask("short")
        assert not any("Lies." in content for _, content in again.prompt())

    run(work())


def test_where_the_ledger_is_lost_the_mirror_alone_carries_the_memory() -> None:
    async def work() -> None:
        tab = await Tab().start()
        await folded(tab)
        summary = tab.state.memory.get()["summary"]
        for record in await tab.browser.store.all("folds"):
            await tab.browser.store.set_aside("folds", record, 1)
        again = await tab.browser.tab().start()
        after = again.state.memory.get()["summary"]
        assert after["text"] == summary["text"]
        assert after["boundary_id"] == summary["boundary_id"]
        await again.ask("short")
        assert any(summary["text"][:40] in content for _, content in again.prompt())
        assert not again.faults

    run(work())


def test_a_failing_summariser_is_asked_at_most_once_a_turn_and_the_answer_comes() -> None:
    async def work() -> None:
        utility = ScriptedModel("utility", [Server(status=500) for _ in range(50)])
        tab = await Tab(utility=utility).start()
        await tab.session.update_settings({"context_size": 1024})
        turns = 8
        for number in range(turns):
            before = len(utility.calls) + 50 - len(utility.script)
            tab.model.then(f"Noted {number}. " + LONG[:300])
            await tab.ask(f"Question {number}: {LONG[:500]}")
            asked = len(utility.calls) + 50 - len(utility.script) - before
            assert asked <= 2  # ScriptedModel counts a call and its script entry
            assert tab.thread[-1]["status"] == "complete"
            assert tab.idle
        assert 50 - len(utility.script) <= 3
        assert tab.state.memory.get()["summary"]["text"]

    run(work())


def test_full_storage_keeps_the_answer_and_says_what_is_not_saved() -> None:
    async def work() -> None:
        tab = await Tab().start()
        await tab.ask("before")
        tab.browser.store.fails = "quota"
        tab.key_value.quota = 0
        await tab.ask("while full")
        assert tab.texts[-2:] == ["while full", "Fine."]
        assert tab.idle
        assert (False, "quota") in tab.saved
        tab.browser.store.fails = ""
        await tab.ask("after")
        assert tab.saved[-1] == (True, "")
        again = await tab.browser.tab().start()
        assert again.texts == ["before", "Fine.", "while full", "Fine.", "after", "Fine."]
        assert not tab.faults

    run(work())


def test_without_storage_the_app_starts_and_works_in_memory() -> None:
    async def work() -> None:
        tab = Tab()
        tab.browser.store.fails, tab.browser.store.fails_reads = "unavailable", True
        tab.key_value.blocked = True
        await tab.start()
        await tab.ask("hello")
        assert tab.texts == ["hello", "Fine."]
        assert tab.unsaved
        assert tab.saved == [(False, "unavailable")]
        await tab.session.new_conversation()
        await tab.ask("other")
        assert set(tab.titles) == {"hello", "other"}
        assert "other" in await tab.session.export_all()

    run(work())


def test_a_key_is_forgotten_when_its_endpoint_moves_to_another_server() -> None:
    async def work() -> None:
        tab = await Tab().start()

        async def address(url: str) -> dict[str, str]:
            return await tab.session.update_settings({"endpoints": [{"id": "e", "base_url": url}]})

        assert await address("https://api.one.test/v1") == {}
        assert await tab.session.set_key("e", "sk-secret-000") == ""
        assert await address("https://api.one.test/v2") == {}
        assert tab.state.settings.get()["has_key"]["e"] is True
        said = await address("https://api.two.test/v2")
        assert "https://api.one.test alone" in said["endpoints"]
        assert "sk-secret" not in str(said)
        assert tab.state.settings.get()["has_key"]["e"] is False
        assert "sk-secret" not in tab.browser.area.texts["pleat.secrets"]
        endpoint = tab.session.current_settings().endpoint("e")
        assert endpoint is not None
        assert endpoint.base_url == "https://api.two.test/v2"
        assert await address("https://api.three.test") == {}  # there is none to forget

    run(work())


def test_keys_that_cannot_be_are_refused_and_never_shown() -> None:
    async def work() -> None:
        tab = await Tab().start()
        await tab.session.update_settings({"endpoints": [{"id": "e", "base_url": "http://h.test"}]})
        assert "space" in await tab.session.set_key("e", "sk test 000")
        assert await tab.session.set_key("none", "sk-1")
        assert await tab.session.set_key("e", " sk-good-000\n") == ""
        shown = json.dumps(tab.state.settings.get())
        assert '"e": true' in shown
        assert "sk-good" not in shown
        await tab.session.update_settings({"endpoints": []})
        assert "sk-good" not in tab.browser.area.texts["pleat.secrets"]

    run(work())


def test_the_list_of_models_fills_in_context_sizes_and_says_failures() -> None:
    async def work() -> None:
        tab = await Tab().start()
        endpoints = [{"id": "e", "base_url": "http://h.test"}]
        await tab.session.update_settings({"endpoints": endpoints, "chat_endpoint": "e"})
        tab.models.infos = [ModelInfo("big", 32768), ModelInfo("unknown")]
        await tab.session.load_models("e")
        assert tab.state.models.get()["state"] == "ready"
        await tab.session.update_settings({"chat_model": "big"})
        assert tab.session.current_settings().context_size() == 32768
        await tab.session.update_settings({"context_size": 8192})
        await tab.session.load_models("e")
        assert tab.session.current_settings().context_size() == 8192
        tab.models.infos = Unreachable()
        await tab.session.load_models("e")
        assert tab.state.models.get()["state"] == "failed"
        assert "reached" in tab.state.models.get()["error"]
        assert (await tab.session.test_connection("e"))["ok"]

    run(work())


def test_without_a_chosen_model_the_answer_says_what_to_do() -> None:
    async def work() -> None:
        tab = await Tab().start()
        tab.models.model = None
        await tab.ask("hello")
        assert tab.thread[-1]["status"] == "failed"
        assert tab.idle

    run(work())


def test_settings_changed_in_another_tab_hold_here_too() -> None:
    async def work() -> None:
        browser = Browser()
        one, two = await browser.tab().start(), await browser.tab().start()
        await one.session.update_settings({"theme": "dark", "context_size": "2000"})
        assert two.state.settings.get()["theme"] == "dark"
        assert two.session.current_settings().context_size() == 2000

    run(work())


def test_a_subscriber_that_raises_stops_neither_the_answer_nor_the_others() -> None:
    async def work() -> None:
        tab = await Tab().start()

        def broken(*_: object) -> None:
            raise RuntimeError("a listener")

        for topic in (tab.state.thread, tab.state.busy, tab.state.stream, tab.state.memory):
            topic.subscribe(broken)
        await tab.ask("hello")
        assert tab.texts == ["hello", "Fine."]
        assert tab.idle
        assert {str(fault) for fault in tab.faults} == {"a listener"}

    run(work())


def test_the_scanner_folds_under_pressure_while_nobody_waits() -> None:
    async def work() -> None:
        tab = await Tab().start()
        await tab.session.update_settings({"context_size": 8192, "preset": "switchboard"})
        for number in range(5):
            tab.model.then(f"Noted {number}. " + LONG[:600])
            await tab.ask(f"Question {number}: {LONG[:500]}")
        assert not tab.state.memory.get()["folds"]
        await tab.session.update_settings({"context_size": 1600})
        for _ in range(3):
            tab.clock.advance(16_000)
            await settle()
        folds = tab.state.memory.get()["folds"]
        assert folds
        assert folds[0]["trigger"] == "auto"
        assert not tab.faults

    run(work())
