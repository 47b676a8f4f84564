"""What a person does to the memory: fold now, stop that, undo, rebuild, edit, look, delete it."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.support.fakes import Reply, ScriptedModel, settle
from tests.support.tab import Tab
from tests.unit.session.running import LONG, folded, run


def test_summarize_and_continue_undo_edit_and_rebuild_are_told_to_the_page() -> None:
    async def work() -> None:
        tab = await Tab().start()
        for number in range(6):
            tab.model.then(f"Noted {number}. " + LONG[:300])
            await tab.ask(f"Question {number}: {LONG[:200]}")
        result = await tab.session.summarize_and_continue()
        assert result["status"] == "folded"
        assert tab.idle
        text = tab.state.memory.get()["summary"]["text"]
        assert text
        result = await tab.session.edit_summary("Marta bought the blue house.")
        assert result["status"] == "folded"
        record = tab.session.memory_record()
        assert record is not None
        assert record["summary"] == "Marta bought the blue house."
        await tab.session.undo_fold()
        assert tab.state.memory.get()["summary"]["text"] == text
        await tab.session.rebuild()
        assert tab.state.memory.get()["summary"]["text"]
        view = await tab.session.request_view()
        assert view["messages"]
        assert not tab.faults

    run(work())


def backlog(turns: int = 60) -> str:
    import json

    messages: list[dict[str, str]] = []
    for number in range(turns):
        messages.append({"role": "user", "content": f"Question {number}? " + LONG})
        messages.append({"role": "assistant", "content": f"Answer {number}. " + LONG})
    return json.dumps([{"messages": messages}])


def test_folding_a_backlog_says_how_far_it_is_and_stop_keeps_what_is_done() -> None:
    async def work() -> None:
        utility = ScriptedModel()
        gate = asyncio.Event()
        utility.then("House 1742 was sold.", "It went to Marta Novak.", Reply(["x"], gate=gate))
        tab = await Tab(utility=utility).start()
        await tab.session.import_text("long.json", backlog())
        busy: list[dict[str, Any]] = []
        tab.state.busy.subscribe(lambda new, _: busy.append(new))
        folding = asyncio.ensure_future(tab.session.summarize_and_continue())
        for _ in range(40):
            await settle()
            if len(utility.calls) == 3:
                break
        told = busy[-1]
        assert told["state"] == "folding"
        assert 0 < told["done"] < told["total"] == 116
        await tab.session.stop()
        assert (await folding)["status"] == "cancelled"
        assert tab.idle
        shown = tab.state.memory.get()
        assert shown["coverage"]["summarised"] == told["done"]
        assert shown["coverage"]["unaccounted"] == 0
        assert f"{told['done']} of 116 messages are folded" in " ".join(tab.notices)
        gate.set()
        assert (await tab.session.summarize_and_continue())["status"] == "folded"
        assert tab.state.memory.get()["coverage"]["summarised"] == 116

    run(work())


def test_a_fold_shows_what_it_changed_against_the_one_before() -> None:
    async def work() -> None:
        tab = await Tab().start()
        await folded(tab)
        assert (await tab.session.edit_summary("Only this."))["status"] == "folded"
        newest = tab.state.memory.get()["folds"][-1]["id"]
        lines = tab.session.fold_history(newest)
        assert {"change": "new", "text": "Only this."} in lines
        assert any(line["change"] == "gone" for line in lines)
        assert tab.session.fold_history("no such fold") == []

    run(work())


def test_an_edit_of_a_summary_that_has_been_folded_on_meanwhile_is_refused() -> None:
    async def work() -> None:
        tab = await Tab().start()
        await folded(tab, 12)
        newest = tab.state.memory.get()["summary"]
        parent = tab.state.memory.get()["folds"][-1]["parent_id"]
        assert parent
        result = await tab.session.edit_summary("Written over the older one.", parent)
        assert result["status"] == "dropped"
        assert "changed" in result["reason"]
        assert tab.state.memory.get()["summary"] == newest
        result = await tab.session.edit_summary("Over the newest.", newest["fold_id"])
        assert result["status"] == "folded"
        assert tab.state.memory.get()["summary"]["text"] == "Over the newest."

    run(work())


def test_what_folding_cost_and_saved_is_told_with_the_memory() -> None:
    async def work() -> None:
        utility = ScriptedModel(default="House 1742 was sold to Marta Novak in March.")
        tab = await Tab(utility=utility).start()
        await folded(tab, 12)
        usage = tab.state.memory.get()["usage"]
        assert usage["utility"]["calls"] == len(utility.calls) > 0
        assert usage["folding_cost"] > 0
        assert usage["folding_saved"] > 0

    run(work())


def test_delete_everything_leaves_no_key_of_the_page_behind() -> None:
    async def work() -> None:
        tab = await Tab().start()
        endpoint = {"id": "e", "name": "E", "base_url": "https://host.test/v1"}
        await tab.session.update_settings({"endpoints": [endpoint]})
        await tab.session.set_key("e", "sk-test-000")
        await folded(tab)
        tab.session.set_draft("half")
        tab.browser.area.texts["another.site"] = "stays"
        await tab.session.delete_everything()
        assert list(tab.browser.area.texts) == ["another.site"]
        assert await tab.browser.store.all("messages") == []
        assert await tab.browser.store.all("folds") == []

    run(work())
