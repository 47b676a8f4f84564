"""Two tabs on one conversation: all is kept, a range is folded once, deleted stays deleted."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import BrowserContext, expect

from tests.browser.e2e.chat import Chat, apples, contents
from tests.browser.scripted_server import Answer, Gate, ScriptedServer

OpenPage = Callable[..., object]


def two_tabs(
    browser_context: BrowserContext,
    open_chat: Callable[..., Chat],
    open_app: OpenPage,
    **settings: object,
) -> tuple[Chat, Chat]:
    """Two pages of one browser, in the same conversation, which begins with one turn."""
    one = open_chat(where=browser_context, **settings)
    one.ask("Hello from the first tab.")
    one.until_stored("messages", "Scripted answer.")
    two = Chat(open_app(context=browser_context))  # type: ignore[arg-type]
    expect(two.questions).to_contain_text(["Hello from the first tab."])
    return one, two


def test_what_two_tabs_say_at_once_is_all_kept(
    fresh_context: BrowserContext,
    open_chat: Callable[..., Chat],
    open_app: OpenPage,
    server: ScriptedServer,
) -> None:
    one, two = two_tabs(fresh_context, open_chat, open_app)
    first, second = Gate(), Gate()
    server.chat(Answer(first, "To one."), Answer(second, "To two."))
    one.send("From one.")
    assert first.reached.wait(60)
    two.send("From two.")
    assert second.reached.wait(60)
    first.open()
    second.open()
    one.idle()
    two.idle()
    one.until_stored("messages", "To one.")
    one.until_stored("messages", "To two.")
    records = one.stored("messages")
    assert [m["status"] for m in records if m.get("status") != "complete"] == []
    said = " ".join(part["text"] for m in records for part in m["parts"])
    for text in ("From one.", "From two.", "To one.", "To two."):
        assert said.count(text) == 1
    one.page.reload()
    one.idle()
    expect(one.log).to_contain_text(re.compile("From (one|two)."))
    one.accounted()
    one.ask("Go on.")
    two.page.reload()
    expect(two.log).to_contain_text("Go on.")


def test_two_tabs_fold_a_range_once_and_share_the_summary(
    fresh_context: BrowserContext,
    open_chat: Callable[..., Chat],
    open_app: OpenPage,
    server: ScriptedServer,
) -> None:
    one, two = two_tabs(fresh_context, open_chat, open_app, context=8192)
    for number in range(5):
        one.ask(f"Fact {number}." + apples(40))
    expect(two.questions).to_have_count(6)
    gate = Gate()
    server.utility(Answer(gate, "- Folded by one of two."))
    server.default_utility = Answer("- Folded a second time.")
    for tab in (one, two):
        button = tab.memory.get_by_role("button", name="Summarize & continue")
        expect(button).to_be_enabled()
        button.click()
    assert gate.reached.wait(60)
    gate.open()
    for tab in (one, two):
        tab.idle()
        expect(tab.summary).to_have_value(re.compile("Folded by one of two"))
        tab.folded(1)
        tab.accounted()
    assert len(server.utilities()) == 1, "both tabs asked for a summary of the same turns"
    assert len(one.stored("folds")) == 1
    two.page.evaluate("() => window.pleat.memory.update('Written in the second tab.')")
    expect(one.summary).to_have_value("Written in the second tab.")
    one.ask("What is the summary?")
    assert "Written in the second tab." in contents(server.chats()[-1].json)[0]


def test_a_chat_deleted_in_another_tab_stays_deleted_while_it_streams_and_folds(
    fresh_context: BrowserContext,
    open_chat: Callable[..., Chat],
    open_app: OpenPage,
    server: ScriptedServer,
) -> None:
    one, two = two_tabs(fresh_context, open_chat, open_app, context=8192)
    gate = Gate()
    server.chat(Answer("So far", gate, "and on."))
    one.send("Stream this.")
    expect(one.answers.last).to_contain_text("So far")
    expect(two.conversations.get_by_role("listitem")).to_have_count(1)
    one.box.fill("Typed just now.")
    two.delete("Hello from the first tab.")
    expect(two.messages).to_have_count(0)
    expect(one.notices).to_contain_text("deleted in another tab")
    expect(one.box).to_have_value("Typed just now.")
    expect(one.messages).to_have_count(0)
    one.box.fill("")
    gate.open()
    one.idle()
    expect(one.messages).to_have_count(0)
    expect(one.conversations.get_by_role("listitem")).to_have_count(0)

    for number in range(5):
        one.ask(f"Second chat, fact {number}." + apples(40))
    expect(two.conversations.get_by_role("listitem")).to_have_count(1)
    held = Gate()
    server.utility(Answer(held, "- A summary that comes too late."))
    one.memory.get_by_role("button", name="Summarize & continue").click()
    assert held.reached.wait(60)
    two.delete("Second chat, fact 0.")
    expect(one.messages).to_have_count(0)
    held.open()
    one.idle()
    for tab in (one, two):
        tab.page.reload()
        tab.idle()
        expect(tab.messages).to_have_count(0)
        expect(tab.conversations.get_by_role("listitem")).to_have_count(0)
    assert one.stored("folds") == []
    assert one.summary_record() is None
    expect(one.summary).to_have_value("")
