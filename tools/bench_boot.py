"""Time the boot: our page against a bare page that only calls stock loadPyodide().

    python -m tools.bench_boot [--runs 7] [--folder dist]

Both are served by the same server and loaded by the same browser, in turns. Cold: a new context
(nothing cached). Warm: loaded again in that context. Prints medians, and the ratios to the bare
page. "ready": milliseconds from the navigation to Python ready (ours: the app drawn). "blocked":
the longest task of the main thread until then.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, sync_playwright

from tools import browser as chromium
from tools import serve
from tools.common import NODE_MODULES, ROOT, main, say

BARE = """<!doctype html><meta charset="utf-8"><title>bare</title>
<link rel="icon" href="data:,">
<script type="module">
  import { loadPyodide } from "/stock/pyodide.mjs";
  const python = await loadPyodide();
  python.runPython("1 + 1");
  performance.mark("pleat:ready");
  document.documentElement.dataset.boot = "ready";
</script>
"""
OBSERVE = """
window.longest = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.longest = Math.max(window.longest, entry.duration);
}).observe({ type: "longtask", buffered: true });
new PerformanceObserver((list) => {
  window.painted = list.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0;
}).observe({ type: "paint", buffered: true });
"""
RESULT = """() => new Promise((done) => setTimeout(() => done([
  performance.getEntriesByName("pleat:ready")[0].startTime, window.longest, window.painted ?? 0,
]), 100))"""

Figures = tuple[float, float, float]
"""Milliseconds: ready, longest blocked task, first contentful paint (0 when nothing is drawn)."""


def load(context: BrowserContext, url: str) -> Figures:
    """Load a page once and read its figures."""
    page = context.new_page()
    page.goto(url)
    page.locator("html[data-boot=ready]").wait_for(state="attached", timeout=120_000)
    ready, blocked, paint = page.evaluate(RESULT)
    page.close()
    return ready, blocked, paint


def pair(browser: Browser, url: str) -> tuple[Figures, Figures]:
    """A cold load and a warm one of the same page (the one between lets caches be written)."""
    context = browser.new_context()
    context.add_init_script(OBSERVE)
    cold = load(context, url)
    load(context, url)
    warm = load(context, url)
    context.close()
    return cold, warm


def bench() -> None:
    """Load both pages in turns and print the table."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench_boot")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--folder", type=Path, default=ROOT / "dist")
    options = parser.parse_args()
    names = serve.SITE if options.folder.resolve() == ROOT else None
    taken: dict[tuple[str, str], list[Figures]] = {}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        Path(folder, "index.html").write_text(BARE, "utf-8")
        mounts: serve.Mounts = {
            "/pleat/": (options.folder.resolve(), names),
            "/stock/": (NODE_MODULES / "pyodide", None),
            "/bare/": (Path(folder), None),
        }
        browser = playwright.chromium.launch(
            executable_path=chromium.executable(), args=chromium.flags()
        )
        with serve.serving(mounts) as origin:
            for _ in range(options.runs):
                for name in ("bare", "pleat"):
                    cold, warm = pair(browser, f"{origin}/{name}/")
                    taken.setdefault((name, "cold"), []).append(cold)
                    taken.setdefault((name, "warm"), []).append(warm)
        say(f"Chromium {browser.version}, {options.runs} runs, medians in milliseconds\n")
        browser.close()
    say(table(taken))


def table(taken: dict[tuple[str, str], list[Figures]]) -> str:
    """The medians of both pages and ours as a share of the bare page's."""
    row = "{:<6}{:<24}{:>10}{:>10}{:>8}".format
    lines = [row("", "", "bare", "Pleat", "ratio")]
    for cache in ("warm", "cold"):
        bare, ours = (
            [statistics.median(column) for column in zip(*taken[name, cache], strict=True)]
            for name in ("bare", "pleat")
        )
        for index, what in enumerate(("Python ready", "longest blocked task")):
            ratio = f"{ours[index] / bare[index]:.2f}"
            lines.append(row(cache, what, f"{bare[index]:.0f}", f"{ours[index]:.0f}", ratio))
        share = f"{ours[2] / ours[0]:.2f}"
        lines.append(row(cache, "first paint (of ready)", "", f"{ours[2]:.0f}", share))
    return "\n".join(lines)


if __name__ == "__main__":
    main(bench)
