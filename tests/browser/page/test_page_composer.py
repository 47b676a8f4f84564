"""The message box: usable at once, never sends by accident, never loses what was typed."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

KEY = """([type, key, more]) => document.getElementById('message').dispatchEvent(
  new KeyboardEvent(type, {key, bubbles: true, cancelable: true, ...more}))"""


def test_one_can_type_and_send_before_python_is_ready(page: Page, start) -> None:
    box = page.get_by_role("textbox", name="Message")
    box.fill("hello early")
    page.get_by_role("button", name="Send").click()
    expect(box).to_have_value("")
    expect(page.get_by_role("log", name="Conversation")).to_contain_text("hello early")
    box.fill("typed meanwhile")
    stub = start(page)
    assert stub.asked("send", 1) == [["hello early"]]
    expect(box).to_have_value("typed meanwhile")
    expect(page.locator(".queued")).to_have_count(0)


def test_a_second_early_message_stays_in_the_box(page: Page, start) -> None:
    box = page.get_by_role("textbox", name="Message")
    for text in ("one", "two"):
        box.fill(text)
        box.press("Enter")
    expect(box).to_have_value("two")
    assert start(page).asked("send") == [["one"]]


def test_a_failed_boot_gives_the_waiting_message_back(page: Page) -> None:
    box = page.get_by_role("textbox", name="Message")
    box.fill("do not lose me")
    box.press("Enter")
    page.evaluate("() => window.dispatchEvent(new CustomEvent('pleat:failed', {detail: {}}))")
    expect(box).to_have_value("do not lose me")
    expect(page.get_by_role("status", name="Status", exact=True)).to_have_text("Could not start")


def test_enter_sends_shift_enter_breaks_the_line(stub) -> None:
    box = stub.page.get_by_role("textbox", name="Message")
    box.fill("first")
    box.press("Shift+Enter")
    box.press_sequentially("second")
    assert stub.asked("send") == []
    box.press("Enter")
    assert stub.asked("send", 1) == [["first\nsecond"]]
    expect(box).to_have_value("")
    expect(box).to_be_focused()


def test_enter_of_an_input_method_never_sends(stub) -> None:
    box = stub.page.get_by_role("textbox", name="Message")
    box.fill("にほん")
    stub.page.evaluate(KEY, ["keydown", "Enter", {"isComposing": True}])
    # Safari: compositionend first, then a keydown that only its code gives away
    stub.page.evaluate(
        "() => document.getElementById('message')"
        ".dispatchEvent(new CompositionEvent('compositionend', {data: '日本'}))"
    )
    stub.page.evaluate(KEY, ["keydown", "Enter", {"isComposing": False, "keyCode": 229}])
    assert stub.asked("send") == []
    expect(box).to_have_value("にほん")
    box.press("Enter")
    assert stub.asked("send", 1) == [["にほん"]]


def test_the_send_key_of_the_settings_holds(stub) -> None:
    stub.publish("settings", send_key="ctrl-enter")
    box = stub.page.get_by_role("textbox", name="Message")
    box.fill("a")
    box.press("Enter")
    assert stub.asked("send") == []
    box.press("Control+Enter")
    assert [re.sub(r"\s", "", text) for [text] in stub.asked("send")] == ["a"]


def test_a_blank_message_is_not_sent(stub) -> None:
    box = stub.page.get_by_role("textbox", name="Message")
    box.fill("  \n ")
    box.press("Enter")
    assert stub.asked("send") == []


def test_a_refused_message_comes_back_with_its_reason(stub) -> None:
    stub.refuse("send", "Choose a model first.")
    box = stub.page.get_by_role("textbox", name="Message")
    box.fill("precious")
    box.press("Enter")
    expect(stub.page.get_by_role("alert").filter(has_text="Choose a model first.")).to_be_visible()
    expect(box).to_have_value("precious")


HELD = """([intent]) => {
  window.stub.answers[intent] = () => new Promise((yes, no) => {
    window.take = yes;
    window.refuse = no;
  });
}"""
REFUSE = "(reason) => window.refuse(new Error(reason))"


def on_its_way(stub, text: str):
    """The message box, when this text has been sent and Python has not taken it yet."""
    box = stub.page.get_by_role("textbox", name="Message")
    stub.page.evaluate(HELD, ["send"])
    box.fill(text)
    box.press("Enter")
    return box


def test_what_is_refused_stands_before_what_was_typed_since(stub) -> None:
    box = on_its_way(stub, "first")
    box.fill("second")
    box.press("Enter")  # one at a time: it stays in the box
    stub.page.evaluate(REFUSE, "The storage is full.")
    expect(box).to_have_value("first\n\nsecond")
    assert stub.asked("send", 1) == [["first"]]
    assert stub.asked("set_draft", 1)[-1] == ["first\n\nsecond", "c1"]


def test_what_is_refused_waits_in_its_own_chat(stub) -> None:
    page = stub.page
    box = on_its_way(stub, "first")
    box.fill("second")
    stub.publish("thread", conversation_id="c2")
    expect(box).to_have_value("")
    box.fill("of another chat")
    page.evaluate(REFUSE, "The storage is full.")
    expect(
        page.get_by_role("alert").filter(has_text="waits in the box of its chat")
    ).to_be_visible()
    expect(box).to_have_value("of another chat")
    assert ["first\n\nsecond", "c1"] in stub.asked("set_draft", 1)  # a reload finds it there
    stub.answer("draft", "first\n\nsecond")
    stub.publish("thread", conversation_id="c1")
    expect(box).to_have_value("first\n\nsecond")


def test_what_was_typed_since_is_the_draft_of_a_chat_that_was_left(stub) -> None:
    box = on_its_way(stub, "first")
    box.fill("second")
    stub.publish("thread", conversation_id="c2")
    expect(box).to_have_value("")
    stub.page.evaluate("() => window.take()")
    assert stub.asked("set_draft", 1)[-1] == ["second", "c1"]


def test_the_page_itself_never_clears_the_draft_of_what_is_not_stored_yet(stub) -> None:
    on_its_way(stub, "not stored yet")
    assert stub.asked("send", 1) == [["not stored yet"]]
    stub.page.evaluate("() => window.dispatchEvent(new Event('pagehide'))")
    assert ["", "c1"] not in stub.asked("set_draft")


def test_escape_in_the_search_field_stops_no_answer(stub) -> None:
    stub.publish("busy", state="answering", conversation_id="c1")
    stub.page.get_by_role("searchbox", name="Search chats").press("Escape")
    assert stub.asked("stop") == []


def test_while_busy_stop_stands_for_send_and_what_is_typed_stays(stub) -> None:
    page = stub.page
    box = page.get_by_role("textbox", name="Message")
    stub.publish("busy", state="answering", conversation_id="c1")
    expect(page.get_by_role("button", name="Send")).to_be_hidden()
    box.fill("next one")
    box.press("Enter")
    assert stub.asked("send") == []
    page.get_by_role("button", name="Stop").click()
    assert stub.asked("stop", 1) == [[]]
    stub.publish("busy", state="idle")
    expect(page.get_by_role("button", name="Stop")).to_be_hidden()
    expect(page.get_by_role("button", name="Send")).to_be_enabled()
    expect(box).to_be_focused()
    box.press("Enter")
    assert stub.asked("send", 1) == [["next one"]]


def test_escape_stops_from_anywhere(stub) -> None:
    stub.publish("busy", state="preparing", conversation_id="c1")
    stub.page.get_by_role("button", name="New chat").focus()
    stub.page.keyboard.press("Escape")
    assert stub.asked("stop", 1) == [[]]


def test_a_fold_that_is_waited_for_can_be_skipped(stub) -> None:
    stub.publish("busy", state="folding", conversation_id="c1", can_skip=True)
    stub.page.get_by_role("button", name="Skip folding").click()
    assert stub.asked("skip", 1) == [[]]
    stub.publish("busy", state="answering", can_skip=False)
    expect(stub.page.get_by_role("button", name="Skip folding")).to_be_hidden()


def test_drafts_are_kept_before_another_chat_opens(stub) -> None:
    page = stub.page
    stub.publish("conversations", items=[{"id": "c2", "title": "Other", "open": False}])
    box = page.get_by_role("textbox", name="Message")
    box.fill("half a thought")
    page.get_by_role("button", name="Other", exact=True).click()
    assert stub.asked("set_draft", 1) == [["half a thought", "c1"]]
    assert stub.asked("open_conversation", 1) == [["c2"]]
    stub.answer("draft", "the other draft")
    stub.publish("thread", conversation_id="c2")
    expect(box).to_have_value("the other draft")


def test_a_megabyte_can_be_pasted_and_sent(stub) -> None:
    stub.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    stub.page.evaluate("() => navigator.clipboard.writeText('abcd efgh\\n'.repeat(100000))")
    box = stub.page.get_by_role("textbox", name="Message")
    box.press("Control+V")
    box.press("Enter")
    assert [len(text) for [text] in stub.asked("send")] == [1_000_000]


def test_the_box_grows_with_its_text_up_to_a_bound(stub) -> None:
    box = stub.page.get_by_role("textbox", name="Message")
    small = box.bounding_box()["height"]
    box.fill("\n".join("abcd"))
    larger = box.bounding_box()["height"]
    box.fill("\n" * 500)
    assert small < larger < box.bounding_box()["height"] <= 320


def test_the_status_says_what_is_missing_until_a_model_can_answer(stub) -> None:
    page = stub.page
    status = page.get_by_role("status", name="Status", exact=True)
    send = page.get_by_role("button", name="Send")
    link = page.get_by_role("button", name="Choose a model")
    expect(status).to_have_text("Ready")
    expect(link).to_be_hidden()
    stub.publish("settings", chat_endpoint="in-page", chat_model="")
    expect(status).to_have_text("Choose a model first.")
    expect(send).to_have_accessible_description("Choose a model first.")
    link.click()
    expect(page.get_by_role("dialog", name="Settings")).to_be_visible()
    page.keyboard.press("Escape")
    stub.publish("local_model", state="loading", loaded=40_100_000, total=98_000_000)
    expect(status).to_have_text("Loading the model: 40 %")
    expect(send).to_have_accessible_description("Loading the model: 40 %")
    expect(link).to_be_hidden()
    stub.publish("local_model", state="ready")
    expect(status).to_have_text("Ready")
    expect(send).to_have_accessible_description("Send (Enter)")


@pytest.mark.parametrize(
    ("model", "state", "words", "offered"),
    [
        ("SmolLM2-135M-Instruct", "absent", "The model loads with your next message.", False),
        ("SmolLM2-135M-Instruct", "failed", "The model could not be loaded", True),
        ("gone-from-a-file", "absent", "Choose a model first.", True),
    ],
)
def test_the_status_of_a_model_in_the_page_says_what_a_message_will_do(
    stub, model: str, state: str, words: str, offered: bool
) -> None:
    stub.publish("local_model", state=state)
    stub.publish("settings", chat_endpoint="in-page", chat_model=model)
    expect(stub.page.locator("#status")).to_contain_text(words)
    expect(stub.page.locator(".choose")).to_be_visible(visible=offered)


def test_what_is_missing_never_covers_what_is_going_on(stub) -> None:
    status = stub.page.locator("#status")
    stub.publish("busy", state="answering", conversation_id="c1")
    stub.publish("settings", chat_model="")
    expect(status).to_have_text("Generating")
    stub.publish("busy", state="idle", conversation_id=None)
    expect(status).to_have_text("Choose a model first.")
    stub.publish("settings", chat_model="qwen3-8b")
    expect(status).to_have_text("Ready")


def test_a_message_without_a_model_is_sent_on_and_never_lost(stub) -> None:
    stub.publish("settings", chat_model="")
    box = stub.page.get_by_role("textbox", name="Message")
    box.fill("Nobody answers yet")
    box.press("Enter")
    assert stub.asked("send", 1) == [["Nobody answers yet"]]


def test_what_was_typed_in_a_chat_that_another_tab_deletes_stays_in_the_box(stub) -> None:
    page = stub.page
    box = page.get_by_role("textbox", name="Message")
    box.fill("typed in the last second")
    stub.answer("draft", "of the next chat")
    stub.publish("thread", conversation_id="c2", instead_of="c1")
    expect(box).to_have_value("of the next chat\n\ntyped in the last second")
    expect(page.get_by_role("region", name="Notices")).to_contain_text("is in the message box")
    assert stub.asked("set_draft", 1)[-1] == [
        "of the next chat\n\ntyped in the last second",
        "c2",
    ]
    stub.answer("draft", "")
    stub.publish("thread", conversation_id="c3", instead_of=None)  # opened by hand
    expect(box).to_have_value("")


def test_what_was_saved_while_the_chats_changed_is_not_said_twice(stub) -> None:
    box = stub.page.get_by_role("textbox", name="Message")
    box.fill("typed in the last second")
    stub.answer("draft", "typed in the last")
    stub.publish("thread", conversation_id="c2", instead_of="c1")
    assert stub.asked("draft", 1)
    assert stub.asked("set_draft", 1)[-1] == ["typed in the last second", "c2"]
    expect(box).to_have_value("typed in the last second")


def test_a_message_on_its_way_into_a_chat_that_is_deleted_comes_back_into_the_box(stub) -> None:
    page = stub.page
    box = on_its_way(stub, "on its way")
    box.fill("typed since")
    stub.publish("thread", conversation_id="c2", instead_of="c1")
    page.evaluate(REFUSE, "This chat was deleted.")
    expect(box).to_have_value("on its way\n\ntyped since")


def test_a_message_on_its_way_is_not_typed_again_when_its_chat_is_left_and_opened(stub) -> None:
    box = on_its_way(stub, "on its way")
    box.fill("typed since")
    stub.answer("draft", "")
    stub.publish("thread", conversation_id="c2")
    expect(box).to_have_value("")
    stub.answer("draft", "on its way\n\n  typed since")  # as it was saved when the chat was left
    stub.publish("thread", conversation_id="c1")
    expect(box).to_have_value("  typed since")
    stub.page.evaluate(REFUSE, "The storage is full.")
    expect(box).to_have_value("on its way\n\n  typed since")


def test_how_an_answer_ended_is_not_said_of_another_chat(stub) -> None:
    status = stub.page.locator("#status")
    stub.publish("busy", state="answering", conversation_id="c1")
    stub.publish(
        "thread",
        conversation_id="c1",
        messages=[{"id": "m1", "role": "assistant", "text": "a", "status": "complete"}],
    )
    stub.publish("busy", state="idle", conversation_id="c1")
    expect(status).to_have_text("Answer complete")
    stub.publish("thread", conversation_id="c2", messages=[])
    expect(status).not_to_have_text("Answer complete")


LATE = """() => {
  window.stub.answers.draft = () => new Promise((give) => { window.give = give; });
}"""


@pytest.mark.parametrize(
    ("ends", "draft", "box"),
    [
        ("() => window.refuse(new Error('Full.'))", "first\n\nsecond", "first\n\nsecond"),
        ("() => window.take()", "first\n\nsecond", "second"),
        ("() => window.take()", "", "second"),  # cleared before it was read
    ],
)
def test_a_draft_that_comes_after_the_send_has_ended_loses_nothing(stub, ends, draft, box) -> None:
    message = on_its_way(stub, "first")
    message.fill("second")
    stub.publish("thread", conversation_id="c2")
    expect(message).to_have_value("")
    stub.page.evaluate(LATE)
    stub.publish("thread", conversation_id="c1")
    stub.page.wait_for_function("() => window.give")
    stub.page.evaluate(ends)
    stub.page.evaluate("(text) => window.give(text)", draft)
    expect(message).to_have_value(box)


def test_what_was_typed_last_comes_back_with_a_chat_that_is_deleted_here(stub) -> None:
    page = stub.page
    stub.publish("conversations", items=[{"id": "c1", "title": "Mine", "open": True}])
    page.get_by_role("textbox", name="Message").fill("half a thought")
    page.get_by_role("listitem").filter(has_text="Mine").hover()
    page.get_by_role("button", name="Delete Mine").click()
    assert stub.asked("delete_conversation", 1) == [["c1"]]
    assert stub.asked("set_draft") == [["half a thought", "c1"]]
