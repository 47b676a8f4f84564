"""A provisional fold whose better summary was cut off by a reload: taken up when all is quiet."""

from __future__ import annotations

import asyncio

from app.state.taking_up import QUIET, RECENT
from tests.support.fakes import Reply, ScriptedModel, settle
from tests.support.tab import Browser, Tab

WORDS = "The blue house number 1742 was sold to Marta Novak for 385000 euros in March. "
BETTER = "- Marta Novak bought the blue house, number 1742, for 385000 euros in March."


async def cut_off(browser: Browser) -> None:
    """A question overflows, is answered, and the page is closed before the summary is there."""
    never = asyncio.Event()
    tab = await browser.tab(utility=ScriptedModel().then(Reply([BETTER], gate=never))).start()
    await tab.session.update_settings({"context_size": 1024})
    for number in range(3):
        tab.model.then(f"Noted, {number}.")
        await tab.ask(f"Question {number}: {WORDS * 5}")
    await tab.session.send(f"A long one: {WORDS * 18}")
    await settle(200)
    assert tab.idle
    assert current(tab)["provisional"]
    for task in list(tab.session._desk.tasks):  # the tab is gone
        task.cancel()
    await settle(200)


def current(tab: Tab) -> dict[str, object]:
    return next(f for f in tab.state.memory.get()["folds"] if f["state"] == "current")


async def opened_again(browser: Browser) -> tuple[Tab, ScriptedModel]:
    utility = ScriptedModel(default=BETTER)
    tab = await browser.tab(utility=utility).start()
    await settle()
    return tab, utility


async def pause(tab: Tab, milliseconds: float = QUIET) -> None:
    tab.clock.advance(milliseconds)
    await settle(200)


async def test_the_better_summary_comes_without_another_question() -> None:
    browser = Browser()
    await cut_off(browser)
    tab, utility = await opened_again(browser)
    await pause(tab, QUIET - 1)
    assert utility.calls == []
    await pause(tab, 1)
    assert len(utility.calls) == 1
    assert "1742" in str(current(tab)["text"])
    assert not current(tab)["provisional"]
    assert tab.idle
    await tab.session.new_conversation()
    await tab.session.open_conversation(tab.state.conversations.get()["items"][0]["id"])
    await pause(tab)
    assert len(utility.calls) == 1


async def test_no_call_is_made_while_one_talks_or_looks_elsewhere() -> None:
    browser = Browser()
    await cut_off(browser)
    tab, utility = await opened_again(browser)
    await tab.session.new_conversation()
    await pause(tab)
    assert utility.calls == []
    await tab.session.open_conversation(tab.state.conversations.get()["items"][0]["id"])
    gate = asyncio.Event()
    tab.model.then(Reply(["Wait."], gate=gate))
    await tab.session.send("Are you there?")
    await pause(tab)
    assert utility.calls == []
    gate.set()
    await settle(200)
    assert len(utility.calls) == 1  # after the answer, as ever


async def test_no_call_is_made_for_a_fold_of_long_ago_or_without_a_model_for_it() -> None:
    browser = Browser()
    await cut_off(browser)
    without = await browser.tab().start()
    await settle()
    await pause(without)
    assert current(without)["provisional"]
    browser.clock.advance(RECENT)
    tab, utility = await opened_again(browser)
    await pause(tab)
    assert utility.calls == []


async def test_a_call_that_fails_is_not_made_again_and_again() -> None:
    browser = Browser()
    await cut_off(browser)
    utility = ScriptedModel().then(RuntimeError("no"), RuntimeError("no"), RuntimeError("no"))
    tab = await browser.tab(utility=utility).start()
    await settle()
    id = tab.id
    for _ in range(3):
        await pause(tab)
        await tab.session.new_conversation()
        await tab.session.open_conversation(id)
        await settle()
    assert len(utility.calls) == 1
    assert current(tab)["provisional"]
