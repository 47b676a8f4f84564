"""Reload at each await of a fold: wherever it was, all is there and nothing is folded twice."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import count
from pathlib import Path

from playwright.sync_api import Page, Route, expect

from tests.browser.e2e.chat import Chat, apples
from tests.browser.e2e.test_e2e_reload import once
from tests.browser.scripted_server import Answer, ScriptedServer

SCRIPTS = Path(__file__).resolve().parents[3] / "static" / "js"
PAUSE = """
window.pleatPause = (place) => {
  if (!window.pauseAt || window.paused) return undefined;
  window.passed += 1;
  if (window.passed < window.pauseAt) return undefined;
  window.paused = place;
  return new Promise(() => {});
};
"""
HELD = """
const paused = (name, work) => async (...given) => {
  await globalThis.pleatPause?.(`before ${name}`);
  const value = await work(...given);
  await globalThis.pleatPause?.(`after ${name}`);
  return value;
};
"""
BEGUN = "(n) => Object.assign(window, { pauseAt: n, passed: 0, paused: '' })"
FOLD_ID = "() => window.pleat.memory.get()?.fold_id ?? null"
PAUSED_OR_DONE = """(before) => window.paused
  || (window.pleat.memory.get()?.fold_id ?? null) !== before"""


def with_pauses(page: Page) -> None:
    """Every call of the store and every lock may be held, before and after it."""

    def store(route: Route) -> None:
        script = (SCRIPTS / "indexeddb.js").read_text()
        for name in ("all", "of", "get", "apply"):
            assert f"export const {name} = " in script
            script = script.replace(f"export const {name} = ", f"const {name}Now = ")
            script += f"export const {name} = paused('{name}', {name}Now);\n"
        route.fulfill(body=HELD + script, content_type="text/javascript")

    def locks(route: Route) -> None:
        script = (SCRIPTS / "locks.js").read_text()
        assert script.count("    ready,\n") == 1
        paused = "    ready: paused('lock', () => ready)(),\n"
        route.fulfill(
            body=HELD + script.replace("    ready,\n", paused), content_type="text/javascript"
        )

    page.add_init_script(PAUSE)
    page.route("**/static/js/indexeddb.js", store)
    page.route("**/static/js/locks.js", locks)


def test_a_reload_at_each_await_of_a_fold_loses_nothing(
    open_chat: Callable[..., Chat], server: ScriptedServer
) -> None:
    chat = open_chat(context=8192)
    with_pauses(chat.page)
    server.default_chat = Answer("Noted." + apples(40))
    server.default_utility = Answer("- The cellar key hangs behind the clock.")
    chat.page.reload()
    for number in range(5):
        chat.ask(f"Fact {number}: the cellar key hangs behind the clock." + apples(40))
    chat.exact()
    said = len(chat.stored("messages"))
    places: list[str] = []
    for n in count(1):
        assert n < 60, "the fold has no end"
        before = chat.page.evaluate(FOLD_ID)
        button = chat.memory.get_by_role("button", name="Summarize & continue")
        expect(button).to_be_enabled()
        chat.page.evaluate(BEGUN, n)
        button.click()
        chat.page.wait_for_function(PAUSED_OR_DONE, arg=before)
        place = chat.page.evaluate("() => window.paused")
        if not place:
            break
        places.append(place)
        chat.page.reload()
        expect(chat.questions).to_have_count(5)
        chat.exact()
        chat.idle()
        chat.accounted()
        once(chat)
        assert len(chat.stored("messages")) == said
        if chat.summary.input_value():
            assert place not in ("before lock", "after lock")
            chat.memory.get_by_role("button", name="Undo fold").click()
            expect(chat.summary).to_have_value("")
            chat.idle()
    chat.idle()
    expect(chat.summary).to_have_value(re.compile("The cellar key hangs behind the clock"))
    assert {"before lock", "after lock", "before apply", "after apply"} <= {*places}, places
    once(chat)
