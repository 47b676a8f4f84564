"""Run the checks and say plainly what came of each.

    python -m tools.run_checks [lint] [format] [types] [unit] [browser]   none: all

Every part runs, also after one has failed; the exit code is 1 when any failed. Where there is more
than one core, the tests in the browser run beside all others, on several workers; each line says
of which part it is.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from tools.common import NODE_MODULES, ROOT, SetupError, main, say

COUNT = re.compile(r"(\d+) (passed|failed|skipped|error|errors|xfailed|xpassed)\b")
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
MOST_WORKERS = 4
ALONE = ("-p", "no:playwright", "-p", "no:xdist")
"""For tests that need neither: Playwright's plugin would clear the results of the run beside it."""
CLOSING = re.compile(r"^(=+ )?\d+ (passed|failed|error|skipped).* in [\d.]+s")


@dataclass
class Part:
    """One part of the checks: what runs, and what came of it."""

    name: str
    title: str
    command: list[str]
    env: dict[str, str] = field(default_factory=dict)
    lane: int = 0
    code: int = 1  # until it has ended well
    seconds: float = 0.0
    counts: dict[str, int] = field(default_factory=dict)


def workers() -> list[str]:
    """How pytest shares out the tests in the browser; on a single core it does not.

    The order of the tests is kept, so that the longest begin first (tests/browser/conftest.py says
    which). A worker that dies, by a crash or a test that hangs, is not replaced: it ends the run.
    """
    if CORES == 1:
        return []
    how = ["--dist=loadgroup", "--no-loadscope-reorder", "--max-worker-restart=0"]
    return [f"--numprocesses={min(CORES, MOST_WORKERS)}", *how]


def parts() -> list[Part]:
    """All parts, in the order in which they are quick to tell something."""
    python = sys.executable
    pytest = [python, "-m", "pytest", "--durations=5"]
    browser = [*pytest, "-v", *workers(), "tests/browser"]  # a line for each: it takes minutes
    return [
        Part("lint", "ruff check", [python, "-m", "ruff", "check", "."]),
        Part("format", "ruff format", [python, "-m", "ruff", "format", "--check", "."]),
        Part(
            "types",
            "pyright strict, pure rooms",
            ["node", str(NODE_MODULES / "pyright" / "index.js"), "--pythonpath", python],
        ),
        Part("unit", "unit and property tests", [*pytest, *ALONE, "tests/unit", "tests/property"]),
        Part("browser", "tests in the browser", browser, {"PLEAT_SITE": "dist"}, lane=1),
    ]


def run_part(part: Part) -> None:
    """Run one part, pass its output on line by line, and count what pytest closes with."""
    say(f"── {part.name}: {part.title} " + "─" * (68 - len(part.name) - len(part.title)))
    begun = time.monotonic()
    process = subprocess.Popen(
        part.command,
        cwd=ROOT,
        env={**os.environ, "PYTHONUNBUFFERED": "1", **part.env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    assert process.stdout is not None
    for line in process.stdout:
        print(f"{part.name:<7} {line}", end="", flush=True)
        if CLOSING.match(line):
            part.counts = {name.rstrip("s"): int(n) for n, name in COUNT.findall(line)}
    part.code = process.wait()
    part.seconds = time.monotonic() - begun


def run_lanes(chosen: Sequence[Part]) -> None:
    """Run the parts, lane beside lane, or one after the other on a single core."""
    lanes: dict[int, list[Part]] = {}
    for part in chosen:
        lanes.setdefault(part.lane if CORES > 1 else 0, []).append(part)

    def run(lane: list[Part]) -> None:
        for part in lane:
            run_part(part)

    threads = [threading.Thread(target=run, args=(lane,)) for lane in lanes.values()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def summary(done: list[Part]) -> str:
    """One line for each part, and one with the tests of all."""
    lines = ["", "── summary " + "─" * 62]
    for part in done:
        counts = ", ".join(f"{n} {name}" for name, n in part.counts.items())
        state = "ok    " if part.code == 0 else "FAILED"
        lines.append(f"{state}  {part.title:<28} {part.seconds:6.1f} s  {counts}")
    counted = [part.counts for part in done if part.counts]
    if counted:
        passed = sum(counts.get("passed", 0) for counts in counted)
        failed = sum(counts.get("failed", 0) + counts.get("error", 0) for counts in counted)
        lines.append(f"{passed} passed, {failed} failed")
    return "\n".join(lines)


def run_checks() -> None:
    """Run the parts that the command line names. Raises SetupError for an unknown one."""
    known = {part.name: part for part in parts()}
    unknown = [name for name in sys.argv[1:] if name not in known]
    if unknown:
        raise SetupError(f"no such part: {', '.join(unknown)}; there are {', '.join(known)}")
    chosen = [known[name] for name in dict.fromkeys(sys.argv[1:])] or list(known.values())
    run_lanes(chosen)
    say(summary(chosen))
    sys.exit(1 if any(part.code for part in chosen) else 0)


if __name__ == "__main__":
    main(run_checks)
