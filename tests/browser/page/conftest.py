"""The page without Python: index.html and its scripts as they are, boot.js replaced by a stub.

`page` gives the shell before Python is there; `stub` starts it: topics are drawn, intents are kept.
Fast enough for many tests, and every request off the host or error still fails the test.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

STUB = Path(__file__).with_name("boot_stub.js")


class Stub:
    """The session's stand-in, as a test drives it."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def start(self) -> None:
        """Python is ready: all topics are drawn and intents are taken."""
        self.page.evaluate("() => window.stub.start()")
        self.settle()

    def publish(self, topic: str, **values: Any) -> None:
        """Change some values of a topic and wait until they are drawn."""
        self.page.evaluate("([name, x]) => window.stub.patch(name, x)", [topic, values])
        self.settle()

    def publish_list(self, topic: str, value: list[Any]) -> None:
        """Replace a topic that is a list."""
        self.page.evaluate("([name, x]) => window.stub.publish(name, x)", [topic, value])
        self.settle()

    def settle(self) -> None:
        """Two frames: topics are drawn in one, what follows them (scrolling) in the next."""
        self.page.evaluate(
            "() => new Promise(d => requestAnimationFrame(() => requestAnimationFrame(d)))"
        )

    def answer(self, intent: str, value: Any) -> None:
        """What an intent gives from now on."""
        self.page.evaluate("([name, x]) => { window.stub.answers[name] = x; }", [intent, value])

    def refuse(self, intent: str, reason: str) -> None:
        """Let an intent raise."""
        script = "([name, x]) => { window.stub.answers[name] = () => { throw new Error(x); }; }"
        self.page.evaluate(script, [intent, reason])

    def asked(self, intent: str, at_least: int = 0) -> list[list[Any]]:
        """The arguments of each call of an intent, in order; waits some frames for `at_least`."""
        found: list[list[Any]] = []
        for _ in range(60):
            calls = json.loads(self.page.evaluate("() => JSON.stringify(window.stub.asked)"))
            found = [call[1:] for call in calls if call[0] == intent]
            if len(found) >= at_least:
                break
            self.settle()
        return found


def message(id: str, role: str, text: str, **more: Any) -> dict[str, Any]:
    """One entry of the thread topic."""
    return {
        "id": id,
        "turn_id": id,
        "role": role,
        "text": text,
        "reasoning": "",
        "status": "complete",
        "model": "scripted" if role == "assistant" else "",
        "error": "",
        "error_kind": "",
        "finish": "",
        "created_at": 0,
        "sibling": 1,
        "siblings": 1,
        "previous_sibling": None,
        "next_sibling": None,
        "state": "window",
        "pinned": False,
        "excluded": False,
        "parts": [],
        **more,
    }


@pytest.fixture(name="message")
def message_fixture() -> Callable[..., dict[str, Any]]:
    return message


@pytest.fixture
def shell(browser: Browser, browser_context_args: dict[str, Any], watch: Any) -> Iterator[Callable]:
    """Opens the page without Python; keyword arguments are the browser context's."""
    contexts = []

    def open_page(**options: Any) -> Page:
        context = browser.new_context(**{**browser_context_args, **options})
        contexts.append(context)
        page = context.new_page()
        watch.attach(page)
        page.route("**/static/js/boot.js", lambda route: route.fulfill(path=STUB))
        page.goto("./")
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture
def page(shell: Callable[..., Page]) -> Page:
    """The page before Python is ready."""
    return shell()


@pytest.fixture
def stub(page: Page) -> Stub:
    """The page with its stand-in for Python started."""
    stub = Stub(page)
    stub.start()
    return stub


@pytest.fixture
def start() -> Callable[[Page], Stub]:
    """Starts the stand-in of a page that a test opened itself."""

    def begin(page: Page) -> Stub:
        stub = Stub(page)
        stub.start()
        return stub

    return begin
