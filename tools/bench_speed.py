"""The speed of what a turn needs, in a browser: plans, counts, folds, and the busy page.

    python -m tools.bench_speed [--skip-page]

The first part runs the page's own Python and tokenizer in a bare page (``speed_in_pyodide.py``).
The second opens the real page: a streamed answer of 100 pieces a second into a thread of 200
messages, and a thread of 2,000 messages. Prints medians and ratios; absolute times depend on the
machine and on what else it does, so that the load is printed, too. The boot: ``tools.bench_boot``.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from tools import browser as chromium
from tools import serve
from tools.bench_page import opening, streaming
from tools.common import ROOT, main, say

LIMIT = 400_000  # milliseconds
PAGE = """<!doctype html><meta charset="utf-8"><title>speed</title>
<link rel="icon" href="data:,"><output id="ended"></output>
<script type="module">
  import { loadPyodide } from "/pleat/static/js/pyodide-boot.mjs";
  import * as tokenizer from "/pleat/static/js/tokenizer.js";
  const api = await import("/pleat/static/vendor/gpt-tokenizer/encoding/o200k_base.js");
  const plain = { disallowedSpecial: new Set() };
  const native = (json) => {
    const texts = JSON.parse(json);
    const begun = performance.now();
    for (const text of texts) api.countTokens(text, plain);
    return performance.now() - begun;
  };
  const show = (text) => { document.getElementById("ended").textContent = text; };
  try {
    const python = await loadPyodide({ stdout: console.log, stderr: console.error });
    const bundle = await (await fetch("./bundle.zip")).arrayBuffer();
    python.unpackArchive(bundle, "zip", { extractDir: "/bench" });
    python.globals.set("tokenizer", tokenizer);
    python.globals.set("native", native);
    show(await python.runPythonAsync(`
import sys
sys.path.insert(0, "/bench")
from tools.speed_in_pyodide import run
await run(tokenizer, native)
`));
  } catch (error) {
    show(`failed: ${error.stack ?? error}`);
  }
</script>
"""


def make_bundle(path: Path) -> None:
    """app/, and of tests/ and tools/ what the figures need."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name in ("app", "tests/bench", "tests/support"):
            for file in sorted((ROOT / name).rglob("*.py")):
                bundle.write(file, file.relative_to(ROOT).as_posix())
        for file in sorted((ROOT / "docs").glob("*.md")):
            bundle.write(file, f"docs/{file.name}")
        bundle.write(ROOT / "tools" / "speed_in_pyodide.py", "tools/speed_in_pyodide.py")
        for name in ("tests/__init__.py", "tools/__init__.py"):
            bundle.writestr(name, "")


def in_pyodide(browser: Browser, url: str) -> dict[str, Any]:
    """The figures of ``speed_in_pyodide``. Exits with its traceback when it fails."""
    page = browser.new_page()
    page.goto(url)
    ended = page.locator("#ended:not(:empty)")
    ended.wait_for(state="attached", timeout=LIMIT)
    text = ended.text_content() or ""
    page.close()
    if text.startswith("failed"):
        sys.exit(text)
    return json.loads(text)


def rows(figures: dict[str, Any]) -> list[tuple[str, str, str]]:
    """(what, found, goal) of the figures from Pyodide."""
    plans, whole = figures["plan"], figures["whole"]
    fold, wait, ahead = figures["fold"], figures["wait"], figures["wait ahead"]
    found = [
        (
            "plan at 10,000 messages / at 100, medians",
            f"{plans['10000'] / plans['100']:.2f} ({plans['10000']:.2f} / {plans['100']:.2f} ms)",
            "<= 1.5",
        ),
        (
            "plan, recall and payload at 10,000 messages / at 100, medians",
            f"{whole['10000'] / whole['100']:.2f} ({whole['10000']:.1f} / {whole['100']:.1f} ms)",
            "",
        ),
        (
            "recounting 1,000 messages in JavaScript / our plan",
            f"{figures['recount'] / plans['1000']:.0f} times"
            f" ({figures['recount']:.1f} / {plans['1000']:.2f} ms)",
            ">= 50",
        ),
        (
            "1,000 fresh messages counted through the bridge / by gpt-tokenizer alone",
            f"{figures['counting'] / figures['counting alone']:.2f}"
            f" ({figures['counting']:.0f} / {figures['counting alone']:.0f} ms)",
            "<= 1.3",
        ),
        (
            f"extractive fold of 1,500 tokens, p95 of {fold['count']}",
            f"{fold['p95']:.0f} ms (median {fold['median']:.0f}, most {fold['most']:.0f})",
            "<= 40 ms",
        ),
        (
            f"wait for the memory before an answer, most of {ahead['count']} requests",
            f"{ahead['most of all']:.0f} ms (median {ahead['median']:.1f}, p95 {ahead['p95']:.0f};"
            f" {ahead['folds']} folds waited for, {ahead['most']:.0f} ms)",
            "< 50 ms",
        ),
        (
            "the same when nothing is folded ahead in the background",
            f"{wait['most of all']:.0f} ms (median {wait['median']:.1f}, p95 {wait['p95']:.0f};"
            f" {wait['folds']} folds waited for, {wait['most']:.0f} ms)",
            "",
        ),
    ]
    found += [
        (f"counting 1 MB: {name}", f"{took:.0f} ms", "" if name == "prose" else "< 200 ms")
        for name, took in figures["long"].items()
    ]
    return found


def bench() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench_speed",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--skip-page", action="store_true")
    parser.add_argument("--skip-pyodide", action="store_true")
    options = parser.parse_args()
    table: list[tuple[str, str, str]] = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        Path(folder, "index.html").write_text(PAGE, "utf-8")
        make_bundle(Path(folder, "bundle.zip"))
        mounts: serve.Mounts = {
            "/pleat/": (ROOT, serve.SITE),
            "/speed/": (Path(folder), None),
        }
        browser = playwright.chromium.launch(
            executable_path=chromium.executable(), args=chromium.flags()
        )
        with serve.serving(mounts) as origin:
            if not options.skip_pyodide:
                table += rows(in_pyodide(browser, f"{origin}/speed/"))
            if not options.skip_page:
                table.append(streaming(browser, f"{origin}/pleat/"))
                table.append(opening(browser, f"{origin}/pleat/"))
        load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
        say(f"Chromium {browser.version}, {os.cpu_count()} cores, load averages {load}\n")
        browser.close()
    say("| what | found | goal |\n|---|---|---|")
    for row in table:
        say(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    main(bench)
