"""The thread: strangers' text made safe, streamed without jumps, folds marked, actions in place."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)></svg>",
    "<a href=javascript:alert(1)>k</a>",
    "<details open ontoggle=alert(1)>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "[k](javascript:alert(1))",
    "[k](data:text/html,<script>alert(1)</script>)",
    "[k](vbscript:x)",
    "![k](javascript:alert(1))",
    '[k](https://a.test "x\\" onclick=alert(1))',
    '```"><img src=x onerror=alert(1)>\ncode\n```',
    "<style>*{display:none}</style>",
    "- <input autofocus onfocus=alert(1)>",
    "| a |\n|--|\n| <b onclick=alert(1)>x</b> |",
]
ALLOWED = {
    "A": {"href", "target", "rel", "title"},
    "BUTTON": {"type", "class", "data-act", "aria-label"},
    "DIV": {"class", "tabindex", "role", "aria-label"},
    "IMG": {"src", "alt"},
    "LI": set(),
    "OL": {"start"},
    "PRE": {"tabindex"},
    "SPAN": {"class"},
    "svg": {"class", "aria-hidden"},
    "use": {"href"},
    "TD": {"align"},
    "TH": {"align"},
}
PLAIN = set(
    re.findall(
        r"\w+", "BLOCKQUOTE BR CODE DEL EM H1 H2 H3 H4 H5 H6 HR P STRONG TABLE TBODY THEAD TR UL"
    )
)
ELEMENTS = """(node) => [...node.querySelectorAll('*')].map(
  (e) => [e.nodeName, [...e.attributes].map((a) => [a.name, a.value])])"""


def check_elements(node) -> None:
    for name, attributes in node.evaluate(ELEMENTS):
        assert name in ALLOWED or name in PLAIN, name
        for attribute, value in attributes:
            assert attribute in ALLOWED.get(name, set()), (name, attribute)
            if attribute == "href" and name == "A":
                assert value.startswith(("https://", "http://", "mailto:")), value


@pytest.mark.parametrize("text", HOSTILE)
def test_raw_html_is_shown_as_text_and_nothing_else_gets_in(stub, message, text: str) -> None:
    stub.publish("thread", messages=[message("1", "assistant", text)])
    body = stub.page.locator("[data-id='1'] .msg-body")
    check_elements(body)
    if text.startswith("<"):
        expect(body).to_contain_text(text[:8])


@pytest.mark.parametrize("text", HOSTILE)
def test_streamed_text_is_as_safe_at_every_length(stub, message, text: str) -> None:
    stub.publish("thread", messages=[message("1", "assistant", "", status="streaming")])
    body = stub.page.locator("[data-id='1'] .msg-body")
    for end in range(1, len(text) + 1, 7):
        stub.publish("stream", message_id="1", text=text[:end])
        check_elements(body)


def test_hostile_text_stays_text_wherever_it_stands(stub, message) -> None:
    bad = "<img src=x onerror=alert(1)>"
    stub.publish("conversations", items=[{"id": "c1", "title": bad, "open": True}])
    failed = message("1", "assistant", "", status="failed", error=bad, model=bad)
    stub.publish("thread", title=bad, messages=[message("0", "user", bad), failed])
    summary = {"text": bad, "tokens": 9, "limit": 800, "fold_id": "f", "stale": False}
    stub.publish("memory", summary=summary, notice=bad, why_not=bad)
    stub.publish_list("notices", [{"id": "n", "level": "error", "text": bad, "action": None}])
    assert stub.page.locator("img").count() == 0
    assert stub.page.title().startswith(bad)


def test_a_remote_image_is_a_link_and_never_fetched(stub, message) -> None:
    text = "![x](https://collector.test/p.png?q=secret) and ![y](//collector.test/z.png)"
    stub.publish("thread", messages=[message("1", "assistant", text)])
    body = stub.page.locator("[data-id='1'] .msg-body")
    assert body.locator("img").count() == 0
    links = body.get_by_role("link")
    expect(links).to_have_count(2)
    expect(links.first).to_have_text("image: x, collector.test")
    expect(links.first).to_have_attribute("rel", "noopener noreferrer")
    expect(links.first).to_have_attribute("target", "_blank")


def test_the_users_own_picture_is_shown(stub, message) -> None:
    data = (
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
        "YPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
    )
    parts = [
        {"kind": "image", "text": "", "name": "dot", "data": data},
        {"kind": "image", "text": "", "name": "far", "data": "https://collector.test/p.png"},
    ]
    stub.publish("thread", messages=[message("1", "user", "look", parts=parts)])
    expect(stub.page.get_by_role("img", name="dot")).to_be_visible()
    expect(stub.page.locator("[data-id='1']")).to_contain_text("Image: far")


def test_finished_blocks_are_not_drawn_again_while_text_streams(stub, message) -> None:
    stub.publish("thread", messages=[message("1", "assistant", "", status="streaming")])
    text = "first **bold**\n\nsecond\n\n```py\na = 1\n"
    stub.publish("stream", message_id="1", text=text)
    first = stub.page.locator("[data-id='1'] .md > p").first.element_handle()
    code = stub.page.locator("[data-id='1'] code").last.element_handle()
    whole = text + "b = 2\n```\n\n- one\n- two\n\nlast"
    for end in range(len(text), len(whole) + 1, 3):
        stub.publish("stream", message_id="1", text=whole[:end])
    assert first.evaluate("(node) => node.isConnected")
    assert code.evaluate("(node) => node.isConnected")
    stub.publish("thread", messages=[message("1", "assistant", whole)])
    assert first.evaluate("(node) => node.isConnected")
    expect(stub.page.locator("[data-id='1'] li")).to_have_count(2)


@pytest.mark.parametrize(
    "text",
    [
        "# Title\n\npara *a*\nmore\n\n1. x\n\n2. y\n\n   z\n\n> q\n> r\n\nend",
        "start\n\n| a | b |\n|--|--:|\n| 1 | 2 |\n\nend",
        "see [x][1] and\n\n```\ncode\n\nmore\n```\n\n[1]: https://example.org\n",
        "line\r\nline two\r\n\r\nother",
        "open **bold and `code** here",
        "all **done** and `closed`\n\nlast **open",
        "- a\n  - b\n\n    c\n- d\n\n***\n\ntext",
        "4. one\n5. two **b**\n   - in\n     1. deep\n6. `x`\n\n   more\n7. end",
        "- [ ] a\n- [x] b\n- c [l](https://example.org)\n\n  ```py\n  z = 1\n  ```\n* d\n+ e\n1. f",
        "7. seven\n1.\n- `code\n1. one",
        "|---|---|\n| 1 | 2 |\n7. seven\n1.\n- `code\n1. one",
        "- a\n- b <i>c</i>\n| t |\n|---|\n| u |\n\n- a\n-\n- b\nlazy",
    ],
)
def test_streamed_and_whole_drawing_end_alike(stub, message, text: str) -> None:
    stub.publish("thread", messages=[message("1", "assistant", "", status="streaming")])
    for end in range(1, len(text) + 1):
        stub.page.evaluate("(x) => stub.patch('stream', {message_id: '1', text: x})", text[:end])
        if end % 5 == 0:
            stub.settle()
    stub.publish(
        "thread", messages=[message("1", "assistant", text), message("2", "assistant", text)]
    )
    html = "(node) => node.innerHTML.replace(/\\n/g, '')"
    grown = stub.page.locator("[data-id='1'] .md").evaluate(html)
    assert grown == stub.page.locator("[data-id='2'] .md").evaluate(html)


def test_of_a_list_only_the_last_items_are_drawn_again(stub, message) -> None:
    stub.publish("thread", messages=[message("1", "assistant", "", status="streaming")])
    text = "".join(f"- item {number}\n" for number in range(20))
    stub.publish("stream", message_id="1", text=text)
    items = stub.page.locator("[data-id='1'] li")
    first = items.first.element_handle()
    stub.publish("stream", message_id="1", text=text + "- new **one")
    expect(items).to_have_count(21)
    assert first.evaluate("(node) => node.isConnected")
    stub.publish("stream", message_id="1", text=text + "- new **one** is\n\n- loose")
    expect(stub.page.locator("[data-id='1'] li > p")).to_have_count(22)


def test_bold_that_is_still_open_shows_no_asterisks_while_it_streams(stub, message) -> None:
    stub.publish("thread", messages=[message("1", "assistant", "", status="streaming")])
    body = stub.page.locator("[data-id='1'] .md")
    for text in ("a **rough op", "a **", "use `code ** here"):
        stub.publish("stream", message_id="1", text=text)
        expect(body).not_to_contain_text("**" if "`" not in text else "`")
    stub.publish("thread", messages=[message("1", "assistant", "a **rough op")])
    expect(body).to_have_text("a **rough op")


def test_reasoning_is_collapsed(stub, message) -> None:
    stub.publish("thread", messages=[message("1", "assistant", "42", reasoning="6 times 7")])
    expect(stub.page.get_by_text("6 times 7")).to_be_hidden()
    stub.page.get_by_text("Reasoning").click()
    expect(stub.page.get_by_text("6 times 7")).to_be_visible()


def test_a_failed_answer_offers_one_way_to_ask_again(stub, message) -> None:
    failed = message("2", "assistant", "", status="failed", error="The server is busy.")
    stub.publish("thread", messages=[message("1", "user", "hi"), failed])
    answer = stub.page.locator("[data-id='2']")
    answer.hover()
    expect(answer.get_by_role("button", name="Retry")).to_have_count(1)
    expect(answer.get_by_role("button", name="Regenerate")).to_have_count(0)


def test_who_asks_sees_the_newest_again(stub, message) -> None:
    page = stub.page
    messages = [message(str(n), "user" if n % 2 else "assistant", "word " * 200) for n in range(20)]
    stub.publish("thread", messages=messages)
    log = page.get_by_role("log", name="Conversation")
    log.evaluate("(node) => { node.scrollTop = 0; }")
    expect(page.get_by_role("button", name="Jump to latest")).to_be_visible()
    page.get_by_role("textbox", name="Message").fill("And now?")
    page.keyboard.press("Enter")
    stub.publish("thread", messages=[*messages, message("new", "user", "And now?")])
    expect(page.locator("[data-id='new']")).to_be_in_viewport()
    expect(page.get_by_role("button", name="Jump to latest")).to_be_hidden()


def test_the_fold_mark_stands_at_the_boundary(stub, message) -> None:
    messages = [message(str(n), "user" if n % 2 else "assistant", f"text {n}") for n in range(1, 7)]
    for each in messages[:4]:
        each["state"] = "folded"
    stub.publish("thread", messages=messages, boundary_id="4", folded_count=4)
    mark = stub.page.get_by_role("button", name="4 messages folded into the summary")
    expect(mark).to_be_visible()
    assert mark.evaluate("(node) => node.previousElementSibling.dataset.id") == "4"
    expect(stub.page.locator("[data-id='2']")).to_contain_text("Folded")
    expect(stub.page.locator("[data-id='2']")).to_contain_text("text 2")
    stub.publish("thread", boundary_id=None, folded_count=0)
    expect(mark).to_have_count(0)


def test_each_action_asks_its_intent_once_after_fifty_openings(stub, message) -> None:
    page = stub.page
    messages = [
        message("q", "user", "question"),
        message(
            "a",
            "assistant",
            "answer",
            turn_id="q",
            sibling=2,
            siblings=3,
            previous_sibling="a0",
            next_sibling="a2",
        ),
    ]
    for turn in range(50):
        stub.page.evaluate(
            "([id, m]) => stub.patch('thread', {conversation_id: id, messages: m})",
            [f"c{turn}", messages],
        )
    stub.settle()
    answer = page.locator("[data-id='a']")
    question = page.locator("[data-id='q']")
    answer.get_by_role("button", name="Regenerate").click()
    answer.get_by_role("button", name="Continue this answer").click()
    answer.get_by_role("button", name="Previous version").click()
    answer.get_by_role("button", name="Next version").click()
    question.hover()
    question.get_by_role("button", name="Pin this turn").click()
    question.get_by_role("button", name="Leave this turn out").click()
    assert stub.asked("regenerate", 1) == [["a"]]
    assert stub.asked("continue_answer", 1) == [["a"]]
    assert stub.asked("switch_branch", 2) == [["a0"], ["a2"]]
    assert stub.asked("pin", 1) == [["q", True]]
    assert stub.asked("exclude", 1) == [["q", True]]
    expect(answer).to_contain_text("2/3")
    box = page.get_by_role("textbox", name="Message")
    box.fill("x")
    page.get_by_role("button", name="Send").click()
    assert stub.asked("send", 1) == [["x"]]


def test_an_edit_is_made_in_place_and_can_be_left(stub, message) -> None:
    page = stub.page
    stub.publish("thread", messages=[message("q", "user", "old words")])
    page.locator("[data-id='q']").hover()
    page.get_by_role("button", name="Edit", exact=True).first.click()
    box = page.get_by_role("textbox", name="Edited text")
    expect(box).to_have_value("old words")
    box.press("Escape")
    expect(page.locator("[data-id='q']")).to_contain_text("old words")
    page.locator("[data-id='q']").get_by_role("button", name="Edit").click()
    box.fill("new words")
    page.get_by_role("button", name="Save and answer").click()
    assert stub.asked("edit", 1) == [["q", "new words"]]
    assert stub.asked("stop") == []


def test_a_refused_edit_stays_with_its_reason(stub, message) -> None:
    page = stub.page
    stub.publish("thread", messages=[message("q", "user", "old words")])
    stub.refuse("edit", "An answer is on its way.")
    question = page.locator("[data-id='q']")
    question.hover()
    question.get_by_role("button", name="Edit").click()
    box = page.get_by_role("textbox", name="Edited text")
    box.fill("new words")
    page.get_by_role("button", name="Save and answer").click()
    expect(question.get_by_role("alert")).to_have_text("An answer is on its way.")
    expect(box).to_have_value("new words")
    stub.answer("edit", None)
    page.get_by_role("button", name="Save and answer").click()
    expect(box).to_have_count(0)
    assert stub.asked("edit", 2) == [["q", "new words"], ["q", "new words"]]


def test_a_failed_answer_says_so_in_place_with_retry(stub, message) -> None:
    failed = message("a", "assistant", "", status="failed", error="The server is overloaded.")
    stub.publish("thread", messages=[message("q", "user", "hello"), failed])
    alert = stub.page.get_by_role("alert").filter(has_text="The server is overloaded.")
    expect(alert).to_be_visible()
    alert.get_by_role("button", name="Retry").click()
    assert stub.asked("retry", 1) == [["a"]]


IN_SIGHT = """(bar) => [...bar.querySelectorAll('button')].every((one) => {
  const {left, top, width, height} = one.getBoundingClientRect();
  return document.elementFromPoint(left + width / 2, top + height / 2)?.closest('button') === one;
})"""


def test_on_a_touch_screen_the_tools_of_a_message_come_with_a_tap(shell, start, message) -> None:
    page = shell(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    stub = start(page)
    messages = [message("q", "user", "question"), message("a", "assistant", "answer"),
                message("q2", "user", "more"), message("a2", "assistant", "the last")]  # fmt: skip
    stub.publish("thread", messages=messages)
    bar = {each["id"]: page.locator(f"[data-id='{each['id']}'] .msg-actions") for each in messages}

    def in_sight() -> list[str]:
        return [id for id, each in bar.items() if each.evaluate(IN_SIGHT)]

    assert in_sight() == ["a2"]
    page.get_by_text("question", exact=True).tap()
    assert in_sight() == ["q", "a2"]
    page.get_by_text("answer", exact=True).tap()
    assert in_sight() == ["a", "a2"]
    stub.publish("busy", state="idle")
    page.locator("[data-id='a']").get_by_role("button", name="Regenerate").tap()
    assert stub.asked("regenerate", 1) == [["a"]]
    page.get_by_text("answer", exact=True).tap()
    page.get_by_role("textbox", name="Message").focus()
    assert in_sight() == ["a2"]
    page.locator("[data-id='q']").get_by_role("button", name="Edit").focus()
    assert in_sight() == ["q", "a2"]


def test_a_message_is_deleted_only_after_a_yes(stub, message) -> None:
    page = stub.page
    stub.publish("thread", messages=[message("a", "assistant", "hello")])
    page.get_by_role("button", name="Delete message").click()
    page.get_by_role("button", name="Cancel").click()
    assert stub.asked("delete_message") == []
    page.get_by_role("button", name="Delete message").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    assert stub.asked("delete_message", 1) == [["a"]]


BOTTOM = "(log) => log.scrollHeight - log.clientHeight - log.scrollTop"


def test_the_thread_sticks_to_the_bottom_only_at_the_bottom(stub, message) -> None:
    page = stub.page
    log = page.get_by_role("log", name="Conversation")
    messages = [message(str(n), "assistant", "word " * 80) for n in range(20)]
    messages.append(message("s", "assistant", "", status="streaming"))
    stub.publish("thread", messages=messages)
    stub.publish("stream", message_id="s", text="line\n\n" * 40)
    assert log.evaluate(BOTTOM) < 2
    log.hover()
    page.mouse.wheel(0, -300)
    jump = page.get_by_role("button", name="Jump to latest")
    expect(jump).to_be_visible()
    top = log.evaluate("(log) => log.scrollTop")
    stub.publish("stream", message_id="s", text="line\n\n" * 80)
    assert log.evaluate("(log) => log.scrollTop") == top
    jump.click()
    stub.publish("stream", message_id="s", text="line\n\n" * 120)
    assert log.evaluate(BOTTOM) < 2
    expect(jump).to_be_hidden()


def test_two_thousand_messages_are_drawn_in_portions_without_losing_the_place(
    stub, message
) -> None:
    messages = [message(str(n), "user" if n % 2 else "assistant", f"text {n}") for n in range(2000)]
    stub.publish("thread", conversation_id="long", messages=messages)
    drawn = stub.page.locator(".msg")
    assert drawn.count() <= 60
    expect(stub.page.get_by_text("text 1999", exact=True)).to_be_in_viewport()
    stub.page.get_by_role("log").evaluate("(log) => { log.scrollTop = 0; }")
    oldest = stub.page.locator(f"[data-id='{2000 - 40}']")
    stub.page.locator(f"[data-id='{2000 - 70}']").wait_for(state="attached")
    expect(oldest).to_be_in_viewport()


def test_a_long_question_is_clipped_until_it_is_wanted(stub, message) -> None:
    text = "start " + "x" * 5000 + " the end"
    stub.publish("thread", messages=[message("q", "user", text)])
    body = stub.page.locator("[data-id='q'] .msg-body")
    expect(body).not_to_contain_text("the end")
    stub.page.get_by_role("button", name="Show all").click()
    expect(body).to_contain_text("the end")


def test_code_is_copied_as_it_is(stub, message, page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    stub.publish("thread", messages=[message("a", "assistant", "```py\nif a < b:\n    pass\n```")])
    expect(page.locator(".code-head")).to_contain_text("py")
    page.get_by_role("button", name="Copy code").click()
    expect(page.locator("#announcer")).to_have_text("Copied")
    assert page.evaluate("() => navigator.clipboard.readText()").strip() == "if a < b:\n    pass"


TIGHT = """() => [...document.querySelectorAll('.msg:not(:last-of-type)')].map((node) =>
  node.getBoundingClientRect().bottom
    - node.querySelector('.msg-body').getBoundingClientRect().bottom)"""
HEIGHTS = "() => [...document.querySelectorAll('.msg')].map((one) => one.offsetHeight)"


def test_no_row_is_kept_under_older_messages_and_their_tools_move_nothing(stub, message) -> None:
    page = stub.page
    messages = [
        message(f"{role}{n}", role, f"Message {n}.", siblings=1 + n % 2)
        for n in range(3)
        for role in ("user", "assistant")
    ]
    stub.publish("thread", messages=messages)
    assert max(page.evaluate(TIGHT)) <= 16
    heights = page.evaluate(HEIGHTS)
    older = page.locator("article.assistant").first
    tools = older.locator(".msg-actions .icon").first
    expect(tools).to_be_hidden()
    older.hover()
    expect(tools).to_be_visible()
    assert page.evaluate(HEIGHTS) == heights
    page.mouse.move(4, 4)
    expect(tools).to_be_hidden()
    page.locator("article.user").nth(1).get_by_role("button", name="Copy message").focus()
    for _ in range(20):  # backwards, from the next question to the answer's tools
        page.keyboard.press("Shift+Tab")
        if older.locator(":focus").count():
            break
    expect(older.get_by_role("button", name="Delete message")).to_be_focused()
    expect(tools).to_be_visible()
    assert page.evaluate(HEIGHTS) == heights
    last = page.locator("article.assistant").last
    expect(last.locator(".msg-actions .icon").first).to_be_visible()
