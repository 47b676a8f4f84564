"""The page under load, for ``tools.bench_speed``: an answer that streams, a very long thread.

Each function gives a row of the table: what was measured, what was found, the goal.
"""

from __future__ import annotations

import json
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect

from tools.bench_ttft import TITLE, conversation

PATIENCE = 120_000  # milliseconds
MODEL = "metronome"
RATE = 100  # pieces a second
SECONDS = 8
OBSERVE = """() => {
  window.longest = 0;
  new PerformanceObserver((list) => {
    const took = list.getEntries().map((entry) => entry.duration);
    window.longest = Math.max(window.longest, ...took);
  }).observe({ type: "longtask" });
}"""
SCROLL = """async () => {
  const log = document.getElementById("log");
  for (let step = 0; step < 60; step += 1) {
    log.scrollTop -= 900;
    await new Promise((done) => setTimeout(done, 50));
  }
}"""


class _Metronome(BaseHTTPRequestHandler):
    """An endpoint that streams RATE pieces a second for SECONDS."""

    protocol_version = "HTTP/1.1"

    def _head(self, kind: str) -> None:
        self.send_response(200)
        for name in ("Origin", "Headers", "Methods"):
            self.send_header(f"Access-Control-Allow-{name}", "*")
        self.send_header("Content-Type", kind)
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def do_OPTIONS(self) -> None:
        """The preflight."""
        self._head("text/plain")

    def do_GET(self) -> None:
        """The list of models."""
        self._head("application/json")
        self.wfile.write(json.dumps({"object": "list", "data": [{"id": MODEL}]}).encode())

    def do_POST(self) -> None:
        """The answer: prose with a list and some code, in pieces of one word."""
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._head("text/event-stream")
        begun = time.monotonic()
        for number in range(RATE * SECONDS):
            word = f"word{number} " if number % 12 else "\n- an **item** with `code` "
            piece = {"choices": [{"index": 0, "delta": {"content": word}, "finish_reason": None}]}
            self.wfile.write(f"data: {json.dumps(piece)}\n\n".encode())
            self.wfile.flush()
            time.sleep(max(0.0, begun + (number + 1) / RATE - time.monotonic()))
        end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
        self.wfile.write(f"data: {json.dumps(end)}\n\ndata: [DONE]\n\n".encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def opened(browser: Browser, url: str, base_url: str, turns: int) -> Page:
    """The page, with a conversation of so many turns imported, not yet opened."""
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.set_default_timeout(PATIENCE)
    expect.set_options(timeout=PATIENCE)
    endpoint = {"id": "m", "name": "Metronome", "base_url": base_url, "kind": "openai"}
    stored = {
        "schema": 1,
        "endpoints": [endpoint],
        "chat_endpoint": "m",
        "chat_model": MODEL,
        "context_sizes": {"m": {MODEL: 32_768}},
        "utility": "none",
    }
    page.goto(f"{url}static/js/csp.js")
    page.evaluate("(text) => localStorage.setItem('pleat.settings', text)", json.dumps(stored))
    page.goto(url)
    page.locator("html[data-boot=ready]").wait_for(state="attached")
    with tempfile.TemporaryDirectory() as folder:
        export = Path(folder, "conversation.json")
        export.write_text(conversation(turns), "utf-8")
        page.get_by_role("button", name="Settings").click()
        page.get_by_label("File to import").set_input_files(export)
        page.get_by_role("dialog", name="Import").wait_for()
    for _ in range(2):
        page.keyboard.press("Escape")
    return page


def show(page: Page) -> None:
    """Open the imported conversation."""
    titles = page.get_by_role("list", name="Conversations")
    titles.get_by_role("button", name=TITLE, exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(TITLE)
    page.get_by_role("log", name="Conversation").get_by_role("article").first.wait_for()


def streaming(browser: Browser, url: str) -> tuple[str, str, str]:
    """How busy the main thread is while an answer streams into a thread of 200 messages."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Metronome)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    page = opened(browser, url, f"http://127.0.0.1:{server.server_port}/v1", 100)
    show(page)
    session = page.context.new_cdp_session(page)
    # the thread's own time: what other programs take of the machine does not count
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def busy() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return next(each["value"] for each in metrics if each["name"] == "TaskDuration")

    page.get_by_role("textbox", name="Message").fill("Count.")
    page.get_by_role("button", name="Send").click()
    page.locator("article.assistant").last.get_by_text("word20 ").first.wait_for()
    before, begun = busy(), time.monotonic()
    time.sleep(SECONDS - 3)
    share = (busy() - before) / (time.monotonic() - begun)
    page.get_by_role("button", name="Send").wait_for()
    page.context.close()
    server.shutdown()
    server.server_close()
    thread.join()
    what = f"main thread busy, {RATE} tokens a second into 200 messages"
    return what, f"{share:.0%}", "<= 20 %"


def opening(browser: Browser, url: str) -> tuple[str, str, str]:
    """The longest task while a thread of 2,000 messages is opened and scrolled."""
    page = opened(browser, url, "http://127.0.0.1:9/v1", 1000)
    page.reload()
    page.locator("html[data-boot=ready]").wait_for(state="attached")
    page.wait_for_timeout(1500)
    page.evaluate(OBSERVE)
    show(page)
    page.evaluate(SCROLL)
    longest: float = page.evaluate("() => window.longest")
    page.context.close()
    what = "longest task, a thread of 2,000 messages opened and scrolled"
    return what, f"{longest:.0f} ms", "<= 200 ms"
