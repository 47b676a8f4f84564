"""Run the checks and say plainly what came of each.

    python -m tools.run_checks [lint] [format] [types] [unit] [browser]     none named: all

Every part runs, also after one has failed; the exit code is 1 when any failed.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass, field

from tools.common import NODE_MODULES, ROOT, SetupError, main, say

COUNT = re.compile(r"(\d+) (passed|failed|skipped|error|errors|xfailed|xpassed)\b")
CLOSING = re.compile(r"^(=+ )?\d+ (passed|failed|error|skipped).* in [\d.]+s")


@dataclass
class Part:
    """One part of the checks: what runs, and what came of it."""

    name: str
    title: str
    command: list[str]
    env: dict[str, str] = field(default_factory=dict)
    code: int = 0
    seconds: float = 0.0
    counts: dict[str, int] = field(default_factory=dict)


def parts() -> list[Part]:
    """All parts, in the order in which they are quick to tell something."""
    python = sys.executable
    pytest = [python, "-m", "pytest", "--durations=5"]
    return [
        Part("lint", "ruff check", [python, "-m", "ruff", "check", "."]),
        Part("format", "ruff format", [python, "-m", "ruff", "format", "--check", "."]),
        Part(
            "types",
            "pyright strict, pure rooms",
            ["node", str(NODE_MODULES / "pyright" / "index.js"), "--pythonpath", python],
        ),
        Part("unit", "unit and property tests", [*pytest, "tests/unit", "tests/property"]),
        Part(
            "browser",
            "tests in the browser",
            [*pytest, "tests/browser"],
            {"PLEAT_SITE": "dist"},
        ),
    ]


def run_part(part: Part) -> None:
    """Run one part, pass its output on as it comes, and count what pytest closes with."""
    say(f"\n── {part.title} " + "─" * (70 - len(part.title)))
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
        print(line, end="", flush=True)
        if CLOSING.match(line):
            part.counts = {name.rstrip("s"): int(n) for n, name in COUNT.findall(line)}
    part.code = process.wait()
    part.seconds = time.monotonic() - begun


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
    chosen = [known[name] for name in sys.argv[1:]] or list(known.values())
    for part in chosen:
        run_part(part)
    say(summary(chosen))
    sys.exit(1 if any(part.code for part in chosen) else 0)


if __name__ == "__main__":
    main(run_checks)
