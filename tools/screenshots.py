"""Makes the pictures in docs/images: the real page, a scripted model, one folded conversation.

    .venv/bin/python -m tools.screenshots            the pictures of the README
    .venv/bin/python -m tools.screenshots --all DIR  those and every other view, into DIR

Needs what the tests need ('make setup-test'). The words are ours; nothing leaves this machine.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.browser.scripted_server import Answer, ScriptedServer, Status
from tools import browser as chromium
from tools import serve
from tools.common import ROOT

MODEL = "qwen3-8b"
CONTEXT = 4096  # tokens
PATIENCE = 120_000  # milliseconds
DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
IMAGES = ROOT / "docs" / "images"

TALK = [
    (
        "I am turning our garage into a small pottery studio. The room is 5.2 by 3.4 m, and I have "
        "€4,800 for everything. Where do I start?",
        "Start with what cannot be moved later:\n\n1. **Power.** A small kiln wants its own 16 A "
        "circuit, better 32 A.\n2. **Air.** Fumes must go out through the wall, not into the "
        "house.\n3. **Floor.** Clay dust should be mopped, never swept: seal the concrete first."
        "\n\nWith €4,800 I would set €1,900 aside for the kiln, €700 for the electrician and €400 "
        "for the floor. What is left buys a wheel and shelves.",
    ),
    (
        "The electrician, Jana Horáková, can come on 14 May. She says the line allows 20 A at "
        "most. Which kilns are out, then?",
        "At 230 V and 20 A you have 4.6 kW, and a circuit should not run at its limit, so look for "
        "**4.2 kW or less**.\n\n| Kiln | Volume | Power | Fits |\n| --- | --- | --- | --- |\n"
        "| Top-loader | 40 l | 3.3 kW | yes |\n| Top-loader | 60 l | 4.2 kW | just |\n"
        "| Front-loader | 80 l | 5.5 kW | no |\n\nThe 60-litre top-loader is the largest that is "
        "safe. Ask Jana for a dedicated breaker and a lockable switch.",
    ),
    (
        "Then the 60 l one. My daughter has asthma, so no dust may stay in the air.",
        "That decides a few things for good:\n\n- Buy clay and glazes **wet**, never as powder.\n"
        "- Wet-clean every evening; no broom in the room.\n- A filter of class H13 at the wheel, "
        "about €260.\n- She should stay out while you load or glaze.",
    ),
    (
        "Agreed, all of that. What about the window? It is north-facing, 90 by 60 cm.",
        "North light is the best light for glazing: even, without glare. Put the wheel under it "
        "and the kiln on the far wall, 45 cm from anything that burns. The vent then needs 1.8 m "
        "of duct to the outer wall.",
    ),
    (
        "Write me the order of work until the end of June.",
        "| When | What | Cost |\n| --- | --- | --- |\n| 2–4 May | Clear, seal the floor | €400 |\n"
        "| 14 May | Circuit (Jana) | €700 |\n| 20 May | Vent and duct | €310 |\n"
        "| 3 June | Kiln delivered, test firing | €1,880 |\n| 10 June | Wheel, shelves, filter | "
        "€1,190 |\n\nThat is **€4,480**; €320 stay for clay and mistakes.",
    ),
    (
        "The kiln shop can only deliver on 9 June. Does anything else move?",
        "Only the test firing: make it **11 June**, once the glue of the duct has cured. Let the "
        "wheel come on the 10th as planned, so that one day of cleaning serves both.",
    ),
]
OTHERS = ["Names for a narrowboat", "Rye bread without yeast", "Questions for the landlord"]
SUMMARY = """Facts and data
- Garage, 5.2 by 3.4 m, becomes a pottery studio; budget €4,800, planned €4,480.
- Line allows 20 A at most, so the kiln is the 60 l top-loader with 4.2 kW.
- North-facing window, 90 by 60 cm: the wheel goes under it, the kiln to the far wall, 45 cm clear.
Decisions
- Jana Horáková wires the circuit on 14 May: own breaker, lockable switch.
Constraints
- The daughter has asthma: no dust in the air. Wet clay and glazes only, no broom, H13 filter.
Open tasks
- Seal the floor 2–4 May, vent 20 May (1.8 m of duct), wheel and shelves 10 June."""
LAST = (
    "Which of these would you cut if the floor costs €200 more?",
    "Not the filter and not the breaker. I would buy **used shelves** (saves about €150) and start "
    "with one glaze instead of four (saves €60). The test firing on 11 June stays as it is.",
)


def ask(page: Page, text: str) -> None:
    """Send, and wait for the answer's end."""
    answers = page.locator("article.assistant")
    before = answers.count()
    page.get_by_role("textbox", name="Message").fill(text)
    page.get_by_role("button", name="Send").click()
    expect(answers).to_have_count(before + 1)
    expect(page.get_by_role("button", name="Send")).to_be_visible()
    expect(page.get_by_role("log")).to_have_attribute("aria-busy", "false")


def stored(base_url: str) -> str:
    """The settings of a page that talks to the scripted model."""
    endpoint = {"id": "e", "name": "llama.cpp", "base_url": base_url, "kind": "openai"}
    return json.dumps(
        {
            "schema": 1,
            "endpoints": [endpoint],
            "chat_endpoint": "e",
            "chat_model": MODEL,
            "context_sizes": {"e": {MODEL: CONTEXT}},
        }
    )


def opened(context: BrowserContext, url: str, settings: str | None) -> Page:
    """A booted page, with these settings if any."""
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    if settings is not None:
        page.goto(f"{url}static/js/csp.js")
        page.evaluate("(text) => localStorage.setItem('pleat.settings', text)", settings)
    page.goto(url)
    page.locator("html:is([data-boot=ready], [data-boot=failed])").wait_for(state="attached")
    expect(page.locator("html")).to_have_attribute("data-boot", "ready", timeout=1000)
    return page


def converse(page: Page, server: ScriptedServer) -> None:
    """Talk, fold, and talk on; other chats stand in the list."""
    for question in OTHERS:
        server.chat(Answer("Gladly."))
        ask(page, question)
        page.get_by_role("button", name="New chat", exact=True).first.click()
        expect(page.locator("article.assistant")).to_have_count(0)
    for question, answer in TALK:
        server.chat(Answer(answer))
        ask(page, question)
    server.utility(Answer(SUMMARY))
    page.get_by_role("button", name="Summarize & continue").click()
    expect(page.get_by_role("list", name="Folds").get_by_role("listitem")).to_have_count(1)
    server.chat(Answer(LAST[1]))
    ask(page, LAST[0])
    row = page.get_by_role("list", name="Conversations").get_by_role("listitem").first
    row.hover()
    row.get_by_role("button", name="Rename").click()
    name = page.get_by_role("textbox", name="Name of the chat")
    name.fill("Pottery studio in the garage")
    name.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Pottery studio in the garage")


def show_mark(page: Page) -> None:
    """Scroll so that the fold mark stands in the upper third."""
    page.locator(".fold-mark").evaluate(
        "(mark) => { const log = document.getElementById('log');"
        " log.scrollTop += mark.getBoundingClientRect().top - log.clientHeight * 0.36; }"
    )
    page.mouse.move(4, 4)
    page.evaluate("() => document.activeElement.blur()")


def shoot(page: Page, path: Path) -> None:
    """One picture, still."""
    path.parent.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=path, animations="disabled")
    print(f"{path}  {path.stat().st_size / 1000:.0f} kB")


def both(page: Page, name: Callable[[str], Path]) -> None:
    """The same in light and dark."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        shoot(page, name(scheme))
    page.emulate_media(color_scheme="light")


def more(browser: Browser, page: Page, server: ScriptedServer, url: str, folder: Path) -> None:
    """Every other view, to be looked at."""
    page.get_by_role("button", name="Settings").click()
    both(page, lambda scheme: folder / f"settings-{scheme}.png")
    page.locator(".dialog-body").evaluate("(body) => { body.scrollTop = body.scrollHeight; }")
    both(page, lambda scheme: folder / f"settings-end-{scheme}.png")
    page.keyboard.press("Escape")
    page.get_by_role("list", name="Folds").get_by_role("button").first.click()
    shoot(page, folder / "fold.png")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="What the model sees").click()
    page.get_by_role("dialog").wait_for()
    shoot(page, folder / "request.png")
    page.keyboard.press("Escape")
    server.chat(Status(401, {"error": {"message": "Incorrect API key provided."}}))
    ask(page, "And the insurance?")
    page.get_by_role("alert").filter(has_text="key").wait_for()
    both(page, lambda scheme: folder / f"error-{scheme}.png")
    page.set_viewport_size({"width": 390, "height": 844})
    shoot(page, folder / "phone-error.png")
    page.get_by_role("button", name="Chats", exact=True).click()
    shoot(page, folder / "phone-chats.png")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Memory").first.click()
    both(page, lambda scheme: folder / f"phone-memory-{scheme}.png")
    page.keyboard.press("Escape")
    first = browser.new_context(viewport=DESKTOP)  # type: ignore[arg-type]
    fresh = opened(first, url, None)
    both(fresh, lambda scheme: folder / f"first-{scheme}.png")
    fresh.set_viewport_size({"width": 390, "height": 844})
    shoot(fresh, folder / "phone-first.png")
    first.close()


def main() -> None:
    """Make them."""
    parser = argparse.ArgumentParser(prog="python -m tools.screenshots")
    parser.add_argument("--all", type=Path, metavar="DIR", help="every view, into this folder")
    folder: Path | None = parser.parse_args().all
    images = folder or IMAGES
    expect.set_options(timeout=PATIENCE)
    mounts: Any = {"/": (ROOT, serve.SITE)}
    with serve.serving(mounts) as origin, ScriptedServer() as server, sync_playwright() as play:
        url = f"{origin}/"
        browser = play.chromium.launch(executable_path=chromium.executable(), args=chromium.flags())
        desktop = browser.new_context(viewport=DESKTOP)  # type: ignore[arg-type]
        page = opened(desktop, url, stored(server.base_url))
        converse(page, server)
        show_mark(page)
        both(page, lambda scheme: images / f"desktop-{scheme}.png")
        state = desktop.storage_state(indexed_db=True)
        phone = browser.new_context(
            viewport=PHONE,  # type: ignore[arg-type]
            storage_state=state,
            device_scale_factor=2,
            has_touch=True,
            is_mobile=True,
        )
        small = opened(phone, url, None)
        small.locator(".fold-mark").wait_for()
        exact = re.compile(r"^\d")  # counted, no longer estimated
        expect(small.locator(".gauge")).to_have_attribute("aria-valuetext", exact)
        show_mark(small)
        both(small, lambda scheme: images / f"phone-{scheme}.png")
        if folder is not None:
            more(browser, page, server, url, folder)
        browser.close()


if __name__ == "__main__":
    main()
