"""Time to the first word of the 20th turn, model in the page: ``pleat`` beside ``minisearch``.

    python -m tools.bench_ttft [--context 1024] [--turns 1] [--presets pleat minisearch]

Two pages of one browser, one for each preset, take turns: each imports the same conversation of 18
turns, answers the 19th (which folds, and warms the model's prefix cache) and is timed on the 20th
and the ``--turns`` - 1 that follow: from the click on Send to the first word on the screen. Answers
are of 12 tokens. Both read the next prompt's beginning ahead after a fold, as the page does.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect, sync_playwright

from app.conversation.formats.pleat_json import write
from app.conversation.message import Message, Part
from app.conversation.tree import Conversation
from tools import browser as chromium
from tools import serve
from tools.common import ROOT, main, say

PATIENCE = 600_000  # milliseconds
TITLE = "Twenty turns"
ANSWER = 12  # tokens
START = 1_767_261_600_000  # milliseconds: 1 January 2026
TOPICS = (
    "the herb bed", "the new bicycle", "the leaking tap", "the night train", "the choir",
    "the old camera", "the sourdough", "the museum", "the garden gate", "the ferry", "the chess",
)  # fmt: skip

FIRST_WORD = """async ([text, limit]) => {
  const seen = () => [...document.querySelectorAll("article.assistant")];
  const before = new Set(seen());
  const box = document.querySelector("textarea");
  box.value = text;
  box.dispatchEvent(new Event("input", { bubbles: true }));
  const send = [...document.querySelectorAll("button")].find(
    (each) => each.textContent.trim() === "Send" || each.ariaLabel === "Send");
  const begun = performance.now();
  send.click();
  while (performance.now() - begun < limit) {
    await new Promise((done) => setTimeout(done, 10));
    const fresh = seen().find((each) => !before.has(each));
    const body = fresh?.querySelector(".msg-body")?.textContent.trim();
    if (body) return performance.now() - begun;
  }
  return null;
}"""


def conversation(turns: int) -> str:
    """An export of a conversation of so many short turns."""
    messages: list[Message] = []

    def say_it(role: Any, text: str) -> None:
        number = len(messages)
        parent = messages[-1].id if messages else None
        at = START + 60_000 * number
        messages.append(
            Message(f"m{number}", "c", parent, role, (Part("text", text),), created_at=at)
        )

    for turn in range(turns):
        topic = TOPICS[turn % len(TOPICS)]
        say_it(
            "user",
            f"About {topic}: on day {turn + 3} we spent {turn * 7 + 12} euros on it and Marta wants"
            " to go on with it next week, if the weather allows.",
        )
        say_it(
            "assistant",
            f"Good. Keep the receipt of {turn * 7 + 12} euros, and ask Marta on day {turn + 5}"
            f" whether {topic} still needs anything else.",
        )
    opened = Conversation(id="c", title=TITLE, created_at=START, leaf_id=messages[-1].id)
    return write([(opened, messages, ())], START)


def settings(preset: str, context: int) -> str:
    """The stored settings of a page that answers by its own model."""
    return json.dumps(
        {
            "schema": 1,
            "chat_endpoint": "in-page",
            "context_sizes": {"in-page": {"": context, "SmolLM2-135M-Instruct": context}},
            "max_answer_tokens": ANSWER,
            "temperature": 0,
            "preset": preset,
        }
    )


def opened(browser: Browser, url: str, preset: str, context: int, export: Path) -> Page:
    """A page with this preset, its model loaded and the conversation open."""
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(f"{url}static/js/csp.js")
    page.evaluate(
        "(text) => localStorage.setItem('pleat.settings', text)", settings(preset, context)
    )
    page.goto(url)
    page.locator("html[data-boot=ready]").wait_for(state="attached")
    page.get_by_role("button", name="SmolLM2 135M").first.click()
    expect(page.get_by_role("log", name="Conversation")).to_contain_text("answers, in this page")
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("File to import").set_input_files(export)
    page.get_by_role("dialog", name="Import").wait_for()
    for _ in range(2):
        page.keyboard.press("Escape")
    titles = page.get_by_role("list", name="Conversations")
    titles.get_by_role("button", name=TITLE, exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(TITLE)
    return page


def first_word(page: Page, text: str) -> float:
    """Send; milliseconds until the answer's first word is on the screen (NaN: none came)."""
    waited: float | None = page.evaluate(FIRST_WORD, [text, PATIENCE])
    expect(page.get_by_role("button", name="Send")).to_be_visible()
    expect(page.get_by_role("log", name="Conversation")).to_have_attribute("aria-busy", "false")
    return float("nan") if waited is None else waited


def bench() -> None:
    """Run the pages side by side and print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench_ttft",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--context", type=int, default=1024, help="tokens")
    parser.add_argument("--turns", type=int, default=1, help="how many turns are timed")
    parser.add_argument("--pause", type=float, default=8.0, help="seconds to read ahead in")
    parser.add_argument("--presets", nargs="*", default=["pleat", "minisearch"])
    options = parser.parse_args()
    expect.set_options(timeout=PATIENCE)
    taken: dict[str, list[float]] = {preset: [] for preset in options.presets}
    mounts: serve.Mounts = {"/": (ROOT, serve.SITE)}
    with (
        tempfile.TemporaryDirectory() as folder,
        serve.serving(mounts) as origin,
        sync_playwright() as playwright,
    ):
        export = Path(folder, "conversation.json")
        export.write_text(conversation(18), "utf-8")
        browser = playwright.chromium.launch(
            executable_path=chromium.executable(), args=chromium.flags()
        )
        pages = {
            preset: opened(browser, f"{origin}/", preset, options.context, export)
            for preset in options.presets
        }
        for turn in range(19, 20 + options.turns):
            for preset, page in pages.items():
                waited = first_word(page, f"Note {turn}: the gate took {turn} nails. Is that much?")
                say(f"turn {turn}, {preset}: {waited:.0f} ms")
                if turn > 19:
                    taken[preset].append(waited)
            time.sleep(options.pause if turn < 19 + options.turns else 0)
        say(f"\nChromium {browser.version}, context {options.context}, turns timed: 20 and on\n")
        browser.close()
    medians = {preset: statistics.median(values) for preset, values in taken.items()}
    last = medians[options.presets[-1]]
    say("| preset | first word, median ms | of the last row's |\n|---|---|---|")
    for preset, median in medians.items():
        say(f"| {preset} | {median:.0f} | {median / last:.2f} |")


if __name__ == "__main__":
    main(bench)
