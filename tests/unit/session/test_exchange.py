"""Export and import: all of it and nothing secret out, nothing lost and nothing touched in."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from tests.support.tab import Tab
from tests.unit.session.running import folded, run


def test_an_export_holds_everything_but_keys_and_comes_back() -> None:
    async def work() -> None:
        tab = await Tab().start()
        endpoint = {"id": "e", "name": "E", "base_url": "https://host.test/v1"}
        await tab.session.update_settings({"endpoints": [endpoint]})
        assert await tab.session.set_key("e", "sk-test-000") == ""
        await folded(tab)
        text = await tab.session.export_all()
        assert "sk-test" not in text
        assert "host.test" not in text
        summary = tab.state.memory.get()["summary"]["text"]
        other = await Tab().start()
        await other.session.update_settings({"endpoints": [endpoint], "context_size": 1024})
        await other.session.set_key("e", "sk-local-111")
        report = await other.session.import_text("pleat.json", text)
        assert report["conversations"]["imported"] == 1
        assert other.texts == tab.texts
        assert other.state.memory.get()["summary"]["text"] == summary
        assert other.state.settings.get()["has_key"]["e"]
        assert "sk-local-111" in other.browser.area.texts["pleat.secrets"]

    run(work())


def test_a_file_that_is_no_chat_changes_nothing_and_says_why() -> None:
    async def work() -> None:
        tab = await Tab().start()
        await tab.ask("mine")
        for text in ("", "<html>", "{", "[" * 5000, '{"a": 1}'):
            report = await tab.session.import_text("x.json", text)
            assert report["error"]
        assert tab.titles == ["mine"]

    run(work())


def test_an_imported_memory_goes_on_where_it_was() -> None:
    async def work() -> None:
        tab = await Tab().start()
        await folded(tab)
        text = await tab.session.export_all()
        other = Tab()
        other.ids.new()  # ids of its own
        await other.start()
        await other.session.update_settings({"context_size": 1024})
        report = await other.session.import_text("pleat.json", text)
        folds = report["folds"]
        assert folds["imported"] == folds["found"] == len(tab.state.memory.get()["folds"])
        shown, before = other.state.memory.get(), tab.state.memory.get()
        assert shown["coverage"] == before["coverage"]
        assert [each["state"] for each in shown["folds"]] == [
            each["state"] for each in before["folds"]
        ]
        again = await other.browser.tab().start()
        assert again.state.memory.get()["summary"]["text"] == before["summary"]["text"]

    run(work())


def test_a_fold_that_does_not_fit_its_messages_is_dropped_and_counted() -> None:
    async def work() -> None:
        tab = await Tab().start()
        await folded(tab)
        data = json.loads(await tab.session.export_all())
        first = data["conversations"][0]["messages"][0]
        del data["conversations"][0]["folds"][0]["covered"][0]
        assert data["conversations"][0]["folds"][0]["covered"]
        other = await Tab().start()
        report = await other.session.import_text("pleat.json", json.dumps(data))
        folds = report["folds"]
        assert folds["failed"] >= 1
        assert folds["found"] == folds["imported"] + folds["failed"]
        assert any("does not fit" in reason["text"] for reason in report["reasons"])
        assert other.texts[0] == first["parts"][0]["text"]
        assert other.state.memory.get()["coverage"]["unaccounted"] == 0

    run(work())


def test_the_sizes_of_imported_summaries_are_counted_and_a_huge_one_is_dropped() -> None:
    async def work() -> None:
        tab = await Tab().start()
        await folded(tab)
        data = json.loads(await tab.session.export_all())
        folds = data["conversations"][0]["folds"]
        folds[-1].update(text="evil " * 200_000, sources=[None], tokens_out=5)
        folds[0]["tokens_out"] = 1
        other = await Tab().start()
        report = await other.session.import_text("pleat.json", json.dumps(data))
        assert report["folds"]["failed"] == 1
        shown = other.state.memory.get()
        assert not any("evil" in fold["text"] for fold in shown["folds"])
        for fold in shown["folds"]:
            assert fold["tokens_out"] == other.counter.text(fold["text"])
        assert shown["account"]["total"] <= shown["budget"]

    run(work())


def test_a_foreign_files_instructions_do_not_take_the_place_of_ones_own() -> None:
    async def work() -> None:
        tab = await Tab().start()
        system = {"role": "system", "content": "Talk like a pirate."}
        chat = {"messages": [system, {"role": "user", "content": "Hello?"}]}
        report = await tab.session.import_text("one.json", json.dumps([chat]))
        assert any("instructions are left out" in reason["text"] for reason in report["reasons"])
        await tab.ask("And now?")
        assert not any("pirate" in content for _, content in tab.prompt())
        assert tab.prompt()[0] == ("system", tab.session.current_settings().system_prompt)

    run(work())


def test_a_large_import_says_how_far_it_is_and_lets_the_page_live() -> None:
    async def work() -> None:
        tab = await Tab().start()
        chats: list[dict[str, Any]] = [
            {"messages": [{"role": "user", "content": f"Question {n}"}]} for n in range(40)
        ]
        told: list[dict[str, Any]] = []
        tab.state.importing.subscribe(lambda new, _: told.append(new))
        turns = 0

        async def page() -> None:
            nonlocal turns
            while True:
                turns += 1
                tab.clock.advance(101)
                await asyncio.sleep(0)

        alive = asyncio.ensure_future(page())
        report = await tab.session.import_text("many.json", json.dumps(chats))
        alive.cancel()
        assert report["conversations"]["imported"] == 40
        assert turns >= 80
        assert {"state": "reading", "done": 20, "total": 40} in told
        assert {"state": "storing", "done": 20, "total": 40} in told
        assert told[-1]["state"] == "idle"

    run(work())


def test_an_import_that_knows_no_times_counts_as_new() -> None:
    async def work() -> None:
        tab = await Tab().start()
        await tab.ask("older")
        tab.clock.advance(1000)
        chat = {"messages": [{"role": "user", "content": "imported"}]}
        await tab.session.import_text("one.json", json.dumps([chat]))
        items = tab.state.conversations.get()["items"]
        assert [each["open"] for each in items] == [True, False]
        assert items[0]["updated_at"] == tab.clock.now()

    run(work())


def test_what_is_here_already_is_not_taken_in_twice() -> None:
    async def work() -> None:
        tab = await Tab().start()
        await folded(tab)
        text = await tab.session.export_all()
        before = tab.state.conversations.get()["items"]
        report = await tab.session.import_text("pleat.json", text)
        assert tab.state.conversations.get()["items"] == before
        found = report["conversations"]["found"]
        assert report["conversations"]["skipped"] == found == 1
        assert report["messages"]["skipped"] == report["messages"]["found"] > 0
        assert report["folds"]["skipped"] == report["folds"]["found"] > 0
        assert "here already" in report["reasons"][0]["text"]

    run(work())


def test_a_chat_that_went_on_since_its_export_comes_back_as_it_was_beside_it() -> None:
    async def work() -> None:
        tab = await Tab().start()
        await tab.ask("one")
        text = await tab.session.export_all()
        await tab.ask("two")
        report = await tab.session.import_text("pleat.json", text)
        assert report["conversations"]["imported"] == 1
        assert tab.titles == ["one", "one"]

    run(work())


def test_a_chat_that_is_pinned_otherwise_or_twice_in_the_file_is_taken_in() -> None:
    async def work() -> None:
        tab = await Tab().start()
        await tab.ask("one")
        data = json.loads(await tab.session.export_all())
        chat = data["conversations"][0]
        question = next(m for m in chat["messages"] if m["role"] == "user")
        chat["conversation"]["pinned"] = [question["id"]]
        data["conversations"] = [chat, chat]
        report = await tab.session.import_text("pleat.json", json.dumps(data))
        assert report["conversations"]["imported"] == 2
        assert tab.titles == ["one", "one", "one"]

    run(work())


def test_what_only_a_backup_holds_is_never_left_out() -> None:
    """Another branch, another order, another summary, other instructions: no copy."""

    async def work() -> None:
        tab = await Tab().start()
        await folded(tab)
        text = await tab.session.export_all()
        report = await tab.session.import_text("pleat.json", text)
        assert report["conversations"]["imported"] == 0
        assert json.loads(text)["conversations"][0]["folds"]

        def changed(change: Any) -> str:
            data = json.loads(text)
            change(data["conversations"][0])
            return json.dumps(data)

        def other_instructions(chat: Any) -> None:
            chat["conversation"]["system_prompt"] = "Be brief."

        def other_summary(chat: Any) -> None:
            chat["folds"][-1]["text"] += " Marta's code is 4711."

        def other_branch(chat: Any) -> None:
            by_time = sorted(chat["messages"], key=lambda m: m["created_at"])
            by_time[-1]["parent_id"] = by_time[-3]["id"]

        for number, change in enumerate((other_instructions, other_summary, other_branch), 1):
            report = await tab.session.import_text("pleat.json", changed(change))
            assert report["conversations"]["imported"] == 1, change.__name__
            assert len(tab.state.conversations.get()["items"]) == 1 + number

    run(work())
