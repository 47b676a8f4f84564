"""Resolve requirements/test.in anew into test.txt, with versions and hashes of every platform.

Only needed to take newer versions; everyone else installs what the lock says.
"""

from __future__ import annotations

import sys

from tools.common import CACHE, ROOT, main, run, say

HEAD = "# Made by 'make lock' from test.in; installed with --require-hashes --no-deps.\n"


def lock() -> None:
    """Write requirements/test.txt. Raises SetupError."""
    venv = CACHE / "lock-venv"
    run([sys.executable, "-m", "venv", venv])
    run([venv / "bin" / "pip", "install", "pip-tools"], tries=3)
    source, target = ROOT / "requirements" / "test.in", ROOT / "requirements" / "test.txt"
    hide = [f"--no-emit-{what}" for what in ("find-links", "index-url", "trusted-host")]
    options = ["--generate-hashes", "--strip-extras", "--upgrade", "--no-header", *hide]
    run([venv / "bin" / "pip-compile", "-q", *options, "-o", target, source], tries=3)
    target.write_text(HEAD + target.read_text("utf-8"), "utf-8")
    say(f"wrote {target.relative_to(ROOT)}")


if __name__ == "__main__":
    main(lock)
