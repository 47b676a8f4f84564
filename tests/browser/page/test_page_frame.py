"""The frame: names that people and tests rely on, live regions, drawers, notices, conversations."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

ROLES = [
    ("textbox", "Message"),
    ("button", "Send"),
    ("button", "New chat"),
    ("log", "Conversation"),
    ("region", "Memory"),
    ("meter", "Context used"),
    ("button", "Summarize & continue"),
    ("textbox", "Summary"),
    ("status", "Status"),
    ("list", "Conversations"),
    ("list", "Folds"),
]
FOLD = {
    "id": "f", "parent_id": None, "commit": 1, "trigger": "auto", "model": "", "count": 1,
    "method": "extractive", "used_fallback": True, "tokens_in": 9, "tokens_out": 5,
    "duration_ms": 1, "created_at": 0, "state": "current", "covered": [], "text": "x",
    "sources": [],
}  # fmt: skip
CHATS = [
    {"id": "c1", "title": "First", "open": True},
    {"id": "c2", "title": "Second", "open": False},
]


@pytest.mark.parametrize(("role", "name"), ROLES)
def test_each_promised_name_is_there_exactly_once(stub, role: str, name: str) -> None:
    stub.publish("conversations", items=CHATS)
    stub.publish("memory", folds=[FOLD])
    expect(stub.page.get_by_role(role, name=name, exact=True)).to_have_count(1)
    expect(stub.page.get_by_role(role, name=name)).to_have_count(1)


def test_an_answer_is_announced_once_and_not_token_by_token(stub, message) -> None:
    page = stub.page
    log, status = page.get_by_role("log"), page.get_by_role("status", name="Status", exact=True)
    said = """() => {
      window.said = [];
      new MutationObserver(() => window.said.push(document.getElementById('status').textContent))
        .observe(document.getElementById('status'), {childList: true, characterData: true});
    }"""
    page.evaluate(said)
    stub.publish("thread", messages=[message("a", "assistant", "", status="streaming")])
    stub.publish("busy", state="answering", conversation_id="c1")
    for n in range(1, 51):
        stub.publish("stream", message_id="a", text="word " * n)
    expect(log).to_have_attribute("aria-live", "off")
    expect(log).to_have_attribute("aria-busy", "true")
    stub.publish("thread", messages=[message("a", "assistant", "word " * 50)])
    stub.publish("busy", state="idle")
    expect(status).to_have_text("Answer complete")
    expect(log).to_have_attribute("aria-busy", "false")
    assert page.evaluate("() => window.said") == ["Generating", "Answer complete"]


def test_an_answer_that_was_cut_off_is_not_called_complete(stub, message) -> None:
    status = stub.page.get_by_role("status", name="Status", exact=True)
    stub.publish("busy", state="answering", conversation_id="c1")
    stub.publish("thread", messages=[message("a", "assistant", "So far", finish="length")])
    stub.publish("busy", state="idle")
    expect(status).to_have_text("The answer was cut off at its limit")


@pytest.mark.parametrize(
    ("status", "words"), [("stopped", "Stopped"), ("failed", "The answer failed")]
)
def test_the_status_says_how_an_answer_ended(stub, message, status: str, words: str) -> None:
    stub.publish("busy", state="answering", conversation_id="c1")
    stub.publish("thread", messages=[message("a", "assistant", "x", status=status)])
    stub.publish("busy", state="idle")
    expect(stub.page.get_by_role("status", name="Status", exact=True)).to_have_text(words)


def test_no_element_carries_a_style_attribute_of_the_markup(page: Page) -> None:
    html = page.request.get(page.url).text()
    assert " style=" not in html
    assert "<style" not in html
    assert html.count("<script") == html.count("<script src=") + html.count('<script type="')


def test_the_open_conversation_is_marked(stub) -> None:
    stub.publish("conversations", items=CHATS)
    chats = stub.page.get_by_role("list", name="Conversations")
    first = chats.get_by_role("button", name="First", exact=True)
    expect(first).to_have_attribute("aria-current", "true")
    second = chats.get_by_role("button", name="Second", exact=True)
    assert second.get_attribute("aria-current") is None


def test_a_chat_is_renamed_in_place_or_left_as_it_was(stub) -> None:
    page = stub.page
    stub.publish("conversations", items=CHATS)
    page.get_by_role("button", name="First", exact=True).hover()
    page.get_by_role("button", name="Rename First").click()
    box = page.get_by_role("textbox", name="Name of the chat")
    box.fill("Better")
    box.press("Escape")
    assert stub.asked("rename_conversation") == []
    page.get_by_role("button", name="First", exact=True).press("F2")
    box.fill("Better")
    box.press("Enter")
    assert stub.asked("rename_conversation", 1) == [["c1", "Better"]]


def test_a_deleted_chat_can_be_brought_back(stub) -> None:
    page = stub.page
    stub.publish("conversations", items=CHATS)
    page.get_by_role("button", name="First", exact=True).hover()
    page.get_by_role("button", name="Delete First").click()
    assert stub.asked("delete_conversation", 1) == [["c1"]]
    stub.publish("conversations", items=CHATS[1:], undo={"id": "c1", "title": "First"})
    page.get_by_role("region", name="Notices").get_by_role("button", name="Undo").click()
    assert stub.asked("undo_delete", 1) == [[]]
    stub.publish("conversations", items=CHATS, undo=None)
    expect(page.get_by_text("was deleted")).to_have_count(0)


def test_the_offer_to_bring_a_chat_back_can_be_dismissed(stub) -> None:
    page = stub.page
    notices = page.get_by_role("region", name="Notices")
    stub.publish("conversations", items=CHATS[1:], undo={"id": "c1", "title": "First"})
    notices.get_by_role("button", name="Dismiss").click()
    expect(notices.get_by_role("button", name="Undo")).to_have_count(0)
    stub.publish("conversations", items=CHATS[1:], undo={"id": "c1", "title": "First"})
    expect(notices.get_by_role("button", name="Undo")).to_have_count(0)
    stub.publish("conversations", items=[], undo={"id": "c2", "title": "Second"})
    expect(notices.get_by_role("button", name="Undo")).to_have_count(1)
    assert stub.asked("undo_delete") == []


def test_search_asks_once_one_stops_typing(stub) -> None:
    page = stub.page
    page.keyboard.press("Control+K")
    expect(page.get_by_role("searchbox", name="Search chats")).to_be_focused()
    page.keyboard.type("cedar")
    assert stub.asked("search", 1)[-1] == ["cedar"]
    stub.publish("conversations", items=[], query="cedar")
    expect(page.get_by_text("No chat holds these words.")).to_be_visible()


def test_notices_are_said_once_acted_on_and_dismissed(stub) -> None:
    page = stub.page
    notice = {"id": "n1", "level": "error", "text": "The disk is full.",
              "action": {"label": "Try again", "intent": "retry_storage"}}  # fmt: skip
    stub.publish_list("notices", [notice])
    alert = page.get_by_role("alert").filter(has_text="The disk is full.")
    first = alert.element_handle()
    more = {"id": "n2", "level": "info", "text": "By the way.", "action": None}
    stub.publish_list("notices", [notice, more])
    assert first.evaluate("(node) => node.isConnected")
    alert.get_by_role("button", name="Try again").click()
    assert stub.asked("retry_storage", 1) == [[]]
    page.get_by_role("button", name="Dismiss").last.click()
    assert stub.asked("dismiss_notice", 1)[-1] == ["n2"]


def test_what_is_not_saved_is_said(stub) -> None:
    stub.publish("storage", saved=False, text="This browser keeps no data for the page.")
    expect(stub.page.get_by_text("Not saved")).to_be_visible()
    stub.publish("storage", saved=True, text="")
    expect(stub.page.get_by_text("Not saved")).to_be_hidden()


def test_the_help_lists_the_shortcuts_and_typing_a_question_mark_does_not_open_it(stub) -> None:
    page = stub.page
    box = page.get_by_role("textbox", name="Message")
    box.press("?")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("button", name="New chat").focus()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("/")
    expect(box).to_be_focused()


def test_new_chat_has_a_shortcut(stub) -> None:
    stub.page.keyboard.press("Control+Shift+O")
    assert stub.asked("new_conversation", 1) == [[]]


def test_on_a_phone_both_panels_are_drawers(shell, start) -> None:
    page = shell(viewport={"width": 390, "height": 844}, has_touch=True)
    start(page)
    memory, chats = page.get_by_role("region", name="Memory"), page.get_by_role("navigation")
    expect(memory).to_be_hidden()
    expect(chats).to_be_hidden()
    opener = page.get_by_role("button", name="Memory")
    opener.click()
    expect(memory).to_be_visible()
    expect(page.locator("#main")).to_have_js_property("inert", True)
    page.keyboard.press("Escape")
    expect(memory).to_be_hidden()
    expect(opener).to_be_focused()
    page.get_by_role("button", name="Chats").click()
    expect(chats).to_be_visible()
    page.get_by_role("button", name="New chat").click()
    expect(chats).to_be_hidden()
    wide = "() => document.scrollingElement.scrollWidth - innerWidth"
    assert page.evaluate(wide) <= 0


SMALL = """() => [...document.querySelectorAll('button, select, input, textarea, summary')]
  .filter((e) => e.checkVisibility({visibilityProperty: true}) && !e.closest('.sr-only, .scrim')
    && !e.matches('.sr-only, .scrim'))
  .map((e) => [e.ariaLabel || e.textContent || e.id, e.getBoundingClientRect()])
  .filter(([, box]) => box.width && (box.height < 39.5 || box.width < 39.5))
  .map(([name, box]) => `${name}: ${Math.round(box.width)} x ${Math.round(box.height)}`)"""

CONTRAST = """() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgb = (color, below) => {
    canvas.fillStyle = below ? `rgb(${below})` : '#fff';
    canvas.fillRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (c) => c.map((v) => v / 255)
    .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const under = (e) => (e ? rgb(getComputedStyle(e).backgroundColor, under(e.parentElement)) : null)
    ?? [255, 255, 255];
  const bad = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !e.checkVisibility({visibilityProperty: true})) continue;
    if (e.closest('script, .sr-only, .skip-link, :disabled, mpy-config, option')) continue;
    const below = under(e);
    const [a, b] = [light(rgb(getComputedStyle(e).color, below)), light(below)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) bad.push(`${e.className || e.tagName} "${e.textContent.slice(0, 30)}" ${ratio.toFixed(2)}`);
  }
  return bad;
}"""  # noqa: E501


def fill_the_page(stub, message) -> None:
    """A page with one of everything on it."""
    states = ["folded", "pinned", "excluded", "unsendable", "window"]
    text = "**bold** `code` [link](https://a.test)\n\n```py\nx = 1\n```\n\n> quote"
    messages = [
        message(f"{state}{role}", role, text, state=state, created_at=1, siblings=2,
                reasoning="so" if role == "assistant" else "")
        for state in states for role in ("user", "assistant")
    ]  # fmt: skip
    messages.append(message("bad", "assistant", "", status="failed", error="It failed."))
    messages.append(message("cut", "assistant", "x", status="stopped", state="window"))
    stub.publish(
        "thread", messages=messages, boundary_id="foldedassistant", folded_count=2, title="All"
    )
    stub.publish("conversations", items=CHATS, undo={"id": "c9", "title": "Gone"})
    folds = [{**FOLD, "id": s, "state": s} for s in ("current", "lineage", "stale", "retired")]
    account = dict.fromkeys(("system", "summary", "recall", "pins", "window", "question"), 90)
    stub.publish(
        "memory", folds=folds, notice="Look here.", can_fold=True, why_not="",
        account={**account, "overhead": 9, "total": 549, "answer": 9},
        summary={"text": "s", "tokens": 1, "limit": 800, "fold_id": "current", "stale": True},
    )  # fmt: skip
    levels = ("info", "warning", "error")
    stub.publish_list("notices", [{"id": x, "level": x, "text": x, "action": None} for x in levels])
    stub.publish("storage", saved=False, text="Full.")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_targets_are_large_and_contrast_holds(
    shell, start, message, scheme: str, width: int, screenshot
) -> None:
    page = shell(viewport={"width": width, "height": 844}, color_scheme=scheme,
                 reduced_motion="reduce")  # fmt: skip
    stub = start(page)
    fill_the_page(stub, message)
    assert page.evaluate(SMALL) == []
    assert page.evaluate(CONTRAST) == []
    screenshot(page, f"page-{scheme}-{width}")
    if width < 500:
        page.get_by_role("button", name="Memory").click()
        assert page.evaluate(CONTRAST) == []
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Chats", exact=True).click()
    page.get_by_role("button", name="Settings").click()
    assert page.evaluate(SMALL) == []
    assert page.evaluate(CONTRAST) == []
    screenshot(page, f"settings-{scheme}-{width}")


@pytest.mark.parametrize("width", [1280, 390])
def test_only_the_thread_is_printed_in_full_and_black_on_white(
    shell, start, message, width: int
) -> None:
    page = shell(viewport={"width": width, "height": 844}, color_scheme="dark")
    stub = start(page)
    fill_the_page(stub, message)
    page.emulate_media(media="print")
    for hidden in ("#sidebar", "#memory", "#composer", ".topbar", "#jump"):
        expect(page.locator(hidden)).to_be_hidden()
    expect(page.get_by_role("button")).to_have_count(0)
    log = page.get_by_role("log")
    expect(log).to_have_css("overflow-y", "visible")
    assert log.evaluate("e => e.scrollHeight === e.clientHeight && e.clientHeight > innerHeight")
    for part in ("html", "body", ".app", ".main", ".log-wrap"):
        expect(page.locator(part)).to_have_css("overflow-y", "visible")
    expect(page.locator("body")).to_have_css("background-color", "rgb(255, 255, 255)")
    for text in page.locator(".msg-body").all():
        expect(text).to_have_css("color", "rgb(0, 0, 0)")


def test_before_a_thread_is_printed_all_of_it_is_drawn(stub, message) -> None:
    roles = ("user", "assistant")
    messages = [message(str(n), roles[n % 2], f"Message {n}.") for n in range(90)]
    messages.append(message("long", "user", "word " * 2000 + "end"))
    stub.publish("thread", messages=messages)
    log = stub.page.get_by_role("log")
    expect(log).not_to_contain_text("Message 1.")
    expect(log).not_to_contain_text("word end")
    stub.page.pdf()
    expect(log).to_contain_text("Message 0.")
    expect(log).to_contain_text("word end")
    expect(log.get_by_role("article")).to_have_count(91)


def test_the_welcome_of_a_low_screen_is_read_from_its_top(shell, start, message) -> None:
    page = shell(viewport={"width": 390, "height": 500})
    stub = start(page)
    stub.publish("thread", messages=[])
    headline = page.get_by_role("heading", name="Talk as long as you like.")
    expect(headline).to_be_in_viewport(ratio=1)
    expect(page.locator("#jump")).to_be_hidden()
    page.set_viewport_size({"width": 390, "height": 460})  # what follows the bottom moves now
    stub.settle()
    expect(headline).to_be_in_viewport(ratio=1)
    stub.publish("thread", messages=[message(str(n), "user", f"Line {n}.") for n in range(20)])
    expect(page.get_by_text("Line 19.")).to_be_in_viewport()
