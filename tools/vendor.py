"""Copy what the page needs from node_modules into static/vendor, each part with its licence.

Only the files that a browser asks for are copied; source-map comments are cut, so that opening the
browser's tools asks for nothing that is not there.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from tools import licences
from tools.common import NODE_MODULES, VENDOR, SetupError, empty_folder, main, run

STDLIB = "python_stdlib_pyc.zip"
ENCODINGS = ("o200k_base", "cl100k_base")
TIKTOKEN_NAMES = {
    "o200k_base": "fb374d419588a4632f3f557e76b4b70aebbca790",
    "cl100k_base": "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
}
"""tiktoken's cache names: the sha1 of the address that it would download each file from."""

WHOLE = {
    "marked": ["lib/marked.esm.js"],
    "dompurify": ["dist/purify.es.mjs"],
    "idb": ["build/index.js"],
    "@wllama/wllama": ["esm/index.min.js", "esm/wasm/wllama.wasm"],
    "pyodide": ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm"],
}
PYSCRIPT = ("core.js", "core-*.js", "core.css", "error-*.js", "toml-*.js", "zip-*.js")
"""PyScript's core; its plugins are switched off in pyscript.toml and stay away."""

SOURCE_MAP = re.compile(r"\n//# sourceMappingURL=\S*\s*$")
RELATIVE_IMPORT = re.compile(r"""(?:from|import)\s*["'](\.[^"']+)["']""")


def copy(source: Path, target: Path) -> None:
    """Copy one file; a script loses its source-map comment."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.suffix in {".js", ".mjs"}:
        target.write_text(SOURCE_MAP.sub("\n", source.read_text("utf-8")), "utf-8")
    else:
        shutil.copyfile(source, target)


def closure(first: Iterable[Path]) -> list[Path]:
    """The files and all that they import by a relative path, in a stable order."""
    seen: set[Path] = set()
    todo = list(first)
    while todo:
        path = Path(os.path.normpath(todo.pop()))
        if path in seen:
            continue
        seen.add(path)
        if "bpeRanks" not in path.parts:
            names = RELATIVE_IMPORT.findall(path.read_text("utf-8"))
            todo.extend(path.parent / name for name in names)
    return sorted(seen)


def copy_tokenizer() -> None:
    """gpt-tokenizer: the two encodings and what they import, folders kept."""
    base = NODE_MODULES / "gpt-tokenizer" / "esm"
    for path in closure(base / "encoding" / f"{name}.js" for name in ENCODINGS):
        copy(path, VENDOR / "gpt-tokenizer" / path.relative_to(base))


def write_pyodide_facts() -> None:
    """facts.mjs: Pyodide's lock without its packages, and the sizes that the progress counts."""
    folder = VENDOR / "pyodide"
    lock = json.loads((NODE_MODULES / "pyodide" / "pyodide-lock.json").read_text("utf-8"))
    sizes = {name: (folder / name).stat().st_size for name in ("pyodide.asm.wasm", STDLIB)}
    (folder / "facts.mjs").write_text(
        f"export const lock = {json.dumps({'info': lock['info'], 'packages': {}})};\n"
        f"export const sizes = {json.dumps(sizes)};\n",
        "utf-8",
    )


def vendor() -> None:
    """Fill static/vendor. Raises SetupError when a package has not the files that it had."""
    empty_folder(VENDOR)
    for package, files in WHOLE.items():
        for name in files:
            source = NODE_MODULES / package / name
            if not source.is_file():
                raise SetupError(f"the npm package {package} has no {name}")
            copy(source, VENDOR / package.rpartition("/")[2] / source.name)
    dist = NODE_MODULES / "@pyscript" / "core" / "dist"
    for pattern in PYSCRIPT:
        found = sorted(dist.glob(pattern))
        if not found:
            raise SetupError(f"the npm package @pyscript/core has no {pattern}")
        for source in found:
            copy(source, VENDOR / "pyscript" / source.name)
    copy_tokenizer()
    run(["node", "tools/precompile.mjs", "stdlib", VENDOR / "pyodide" / STDLIB])
    write_pyodide_facts()
    licences.copy_all()


if __name__ == "__main__":
    main(vendor)
