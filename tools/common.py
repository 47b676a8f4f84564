"""What every tool shares: where things lie, plain failures, retried commands, and stamps.

A stamp remembers the digest of a step's inputs, so that a step runs again exactly when one changed.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".cache"
VENDOR = ROOT / "static" / "vendor"
MODELS = ROOT / "static" / "models"
NODE_MODULES = ROOT / "node_modules"
VENV_PYTHON = ROOT / ".venv" / "bin" / "python"
PAUSES = (2.0, 8.0)
"""Seconds to wait before the second and the third try of a download."""


class SetupError(Exception):
    """A step cannot be done; the text says why and what to do, for a person."""


def say(text: str) -> None:
    """One line of progress."""
    print(text, flush=True)


def run(command: Sequence[str | Path], *, tries: int = 1, env: dict[str, str] | None = None) -> str:
    """Run a command in the repository's root and return what it printed.

    A registry can fail for a moment: `tries` > 1 repeats after PAUSES. Raises SetupError with the
    end of the output when the last try fails.
    """
    words = [str(word) for word in command]
    output = ""
    for attempt in range(tries):
        done = subprocess.run(
            words,
            cwd=ROOT,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
        output = done.stdout
        if done.returncode == 0:
            return output
        if attempt + 1 < tries:
            say(f"  failed, trying again: {words[0]} {words[1] if len(words) > 1 else ''}")
            time.sleep(PAUSES[min(attempt, len(PAUSES) - 1)])
    tail = "\n".join(output.strip().splitlines()[-25:])
    raise SetupError(f"this command failed:\n  {' '.join(words)}\n{tail}")


def digest(paths: Iterable[Path], extra: str = "") -> str:
    """A digest of the names and contents of files; a missing file counts as empty."""
    total = hashlib.sha256(extra.encode())
    for path in sorted(paths):
        total.update(os.path.relpath(path, ROOT).encode() + b"\0")
        total.update(path.read_bytes() if path.is_file() else b"")
    return total.hexdigest()


def sha256(path: Path) -> str:
    """The sha256 of one file, in hex."""
    total = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            total.update(block)
    return total.hexdigest()


def step(
    name: str,
    title: str,
    inputs: Iterable[Path],
    outputs: Iterable[Path],
    action: Callable[[], None],
    extra: str = "",
) -> bool:
    """Run `action` unless the inputs are those of its last success and the outputs are there.

    One process at a time does a step of one name. Returns whether it ran.
    """
    stamp = CACHE / "stamps" / name
    stamp.parent.mkdir(parents=True, exist_ok=True)
    with stamp.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return _step(stamp, title, list(inputs), list(outputs), action, extra)


def _step(
    stamp: Path,
    title: str,
    inputs: list[Path],
    outputs: list[Path],
    action: Callable[[], None],
    extra: str,
) -> bool:
    key = digest(inputs, extra)
    fresh = stamp.is_file() and stamp.read_text() == key and all(out.exists() for out in outputs)
    if fresh:
        return False
    say(f"{title} …")
    begun = time.monotonic()
    stamp.unlink(missing_ok=True)
    action()
    missing = [str(out.relative_to(ROOT)) for out in outputs if not out.exists()]
    if missing:
        raise SetupError(f"{title}: {', '.join(missing)} did not appear")
    stamp.write_text(key)
    say(f"  done in {time.monotonic() - begun:.1f} s")
    return True


def empty_folder(path: Path) -> Path:
    """Make `path` an empty folder."""
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path


def main(action: Callable[[], None]) -> None:
    """Run a tool; a SetupError becomes a plain message and exit code 1."""
    try:
        action()
    except SetupError as error:
        sys.exit(f"\nerror: {error}")
