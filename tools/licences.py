"""Collect the licences of the third-party parts that the site ships: files and one list.

The list (static/vendor/THIRD_PARTY.txt) is what a host of the page has to show.
"""

from __future__ import annotations

import json
import shutil
import sysconfig
from pathlib import Path

from tools.common import NODE_MODULES, VENDOR, SetupError

PARTS = {
    "pyscript": "@pyscript/core",
    "pyodide": "pyodide",
    "gpt-tokenizer": "gpt-tokenizer",
    "wllama": "@wllama/wllama",
    "marked": "marked",
    "dompurify": "dompurify",
    "idb": "idb",
}
BORROWED = {"pyodide": "dompurify/LICENSE-MPL"}
"""Pyodide's package names MPL-2.0 without its text; another package carries the same text."""

HEAD = """\
Third-party parts of this site
==============================

Each part's licence lies in its folder. Versions are those of package-lock.json.

"""
TAIL = """\
CPython's standard library (in pyodide/)  Python Software Foundation License 2
llama.cpp (compiled into wllama/)         MIT
SmolLM2-135M-Instruct (static/models/)    Apache-2.0
"""


def licence_files(package: Path) -> list[Path]:
    """The licence files in a package's folder."""
    names = ("licen", "copying", "notice")
    return sorted(p for p in package.iterdir() if p.is_file() and p.name.lower().startswith(names))


def copy_all() -> None:
    """Copy each part's licence beside it and write the list. Raises SetupError when one is not."""
    lines: list[str] = []
    for folder, name in PARTS.items():
        package = NODE_MODULES / name
        found = licence_files(package)
        if folder in BORROWED:
            found.append(NODE_MODULES / BORROWED[folder])
        if not found:
            raise SetupError(f"the npm package {name} has no licence file")
        for path in found:
            target = VENDOR / folder / path.name
            shutil.copyfile(path, target)
        about = json.loads((package / "package.json").read_text("utf-8"))
        label = f"{name} {about['version']} ({folder}/)"
        lines.append(f"{label:<42}{about['license']}\n")
    python = Path(sysconfig.get_path("stdlib")) / "LICENSE.txt"
    if python.is_file():
        shutil.copyfile(python, VENDOR / "pyodide" / "LICENSE-PYTHON.txt")
    (VENDOR / "THIRD_PARTY.txt").write_text(HEAD + "".join(lines) + TAIL, "utf-8")
