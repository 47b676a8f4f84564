"""Find a Chromium for the tests, or install one; the choice is kept in .cache/browser.json.

In order: the variable CHROMIUM, a browser on the machine, Playwright's own download, and, where
that is refused and we are root on a Debian, the distribution's package.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from tools.common import CACHE, VENV_PYTHON, SetupError, run, say

CHOICE = CACHE / "browser.json"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FEATURES_OFF = (
    "AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,"
    "HttpsFirstBalancedModeAutoEnable,LensOverlay,MediaRouter,PaintHolding,"
    "ThirdPartyStoragePartitioning,AvoidCorsURLLoaderRestartOnRedirect,OptimizationHints,"
    "NetworkTimeServiceQuerying,AimEnabled,PreconnectToSearch,"
    "WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup"
)
"""What Playwright turns off (a second list takes the place of its own), and the pages that Chromium
loads behind the address bar of each new window, which cost as much as a small page of ours."""
FLAGS = (
    f"--disable-features={FEATURES_OFF}",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""Chromium must not talk to anybody; without these it looks for its maker's hosts."""


def is_root() -> bool:
    """Whether we are the superuser: Chromium then needs --no-sandbox, and apt-get works."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def flags() -> list[str]:
    """The arguments to start a headless Chromium with."""
    return [*FLAGS, *(["--no-sandbox"] if is_root() else [])]


def on_machine() -> str | None:
    """The path of a Chromium that is there already. Raises SetupError for a wrong CHROMIUM."""
    named = os.environ.get("CHROMIUM")
    if named:
        found = shutil.which(named)
        if found is None:
            raise SetupError(f"CHROMIUM={named} is no program")
        return found
    return next((path for path in map(shutil.which, NAMES) if path), None)


def executable() -> str:
    """The path of the browser that was chosen.

    Raises SetupError when no choice was made, or the browser is gone.
    """
    if os.environ.get("CHROMIUM"):
        return on_machine() or ""
    path = _remembered()
    if path is None:
        raise SetupError("no browser was set up, or it is gone: run 'make setup-test'")
    return path


def _remembered() -> str | None:
    if not CHOICE.is_file():
        return None
    path = json.loads(CHOICE.read_text())["executable"]
    return path if Path(path).is_file() else None


def _remember(path: str, how: str) -> None:
    CHOICE.parent.mkdir(exist_ok=True)
    CHOICE.write_text(json.dumps({"executable": path, "how": how}) + "\n")
    say(f"browser: {path} ({how})")


def _playwright() -> str | None:
    """Let Playwright download its own; None where it cannot."""
    ask = (
        "from playwright.sync_api import sync_playwright as start\n"
        "with start() as p: print(p.chromium.executable_path)"
    )
    try:
        run([VENV_PYTHON, "-m", "playwright", "install", "--no-shell", "chromium"])
        if is_root() and shutil.which("apt-get"):
            run([VENV_PYTHON, "-m", "playwright", "install-deps", "chromium"], tries=3)
        return run([VENV_PYTHON, "-c", ask]).strip()
    except SetupError as error:
        say(f"  Playwright's own is not to be had: {str(error).splitlines()[-1][:120]}")
        return None


def _apt() -> str | None:
    """The distribution's package; None where that cannot be."""
    if not (is_root() and shutil.which("apt-get")):
        return None
    env = {"DEBIAN_FRONTEND": "noninteractive"}
    wanted = ["chromium", "libgomp1", "fonts-dejavu-core"]
    run(["apt-get", "update"], tries=3, env=env)
    run(["apt-get", "install", "-y", "--no-install-recommends", *wanted], tries=3, env=env)
    return shutil.which("chromium")


def ensure() -> None:
    """See to it that there is a browser, and remember which. Raises SetupError."""
    if os.environ.get("CHROMIUM"):
        on_machine()
        return
    if _remembered():
        return
    found, how = on_machine(), "found on this machine"
    if not found:
        say("browser …")
        found, how = _playwright(), "downloaded by Playwright"
    if not found:
        found, how = _apt(), "installed by apt-get"
    if not found:
        raise SetupError("no Chromium: install one, or set CHROMIUM to its path")
    _remember(found, how)
