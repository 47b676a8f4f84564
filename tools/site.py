"""Build the static site into dist/: what a host has to serve, nothing else.

app/ becomes one zip of .pyc files, so that no module is fetched or compiled by itself at the boot.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from tools import files
from tools.common import CACHE, ROOT, SetupError, empty_folder, main, run, say, step

DIST = ROOT / "dist"
APP_ZIP = "app.zip"
PLAIN = ("index.html", "sw.js", "manifest.webmanifest", "LICENSE")


def _copy_tree(source: Path, target: Path) -> None:
    """Copy a folder; big files are linked where the disk allows it."""
    for folder, _, names in os.walk(source):
        into = target / Path(folder).relative_to(source)
        into.mkdir(parents=True, exist_ok=True)
        for name in names:
            try:
                os.link(Path(folder) / name, into / name)
            except OSError:
                shutil.copyfile(Path(folder) / name, into / name)


def build() -> None:
    """Make dist/ anew, beside the old one until it is whole. Raises SetupError."""
    new = empty_folder(CACHE / "dist")
    for name in PLAIN:
        if (ROOT / name).is_file():
            shutil.copyfile(ROOT / name, new / name)
    _copy_tree(ROOT / "static", new / "static")
    (new / "app").mkdir()
    shutil.copyfile(ROOT / "app" / "main.py", new / "app" / "main.py")
    run(["node", "tools/precompile.mjs", "app", new / APP_ZIP])
    config = (ROOT / "pyscript.toml").read_text("utf-8")
    config = files.with_files(config, [f'"./{APP_ZIP}" = "./*"'])
    (new / "pyscript.toml").write_text(config, "utf-8")
    # GitHub Pages would leave out names with an underscore
    (new / ".nojekyll").write_text("")
    shutil.rmtree(DIST, ignore_errors=True)
    new.rename(DIST)


def inputs() -> list[Path]:
    """Every file that dist/ is made from."""
    found = list((ROOT / "app").rglob("*.py"))
    for folder, names, file_names in os.walk(ROOT / "static"):
        names[:] = [name for name in names if name not in ("models",)]
        found += [Path(folder) / name for name in file_names]
    found += [ROOT / name for name in (*PLAIN, "pyscript.toml")]
    return found + [ROOT / "tools" / name for name in ("site.py", "files.py", "precompile.mjs")]


def build_if_stale() -> Path:
    """dist/, made anew only when one of its sources changed. Raises SetupError."""
    if not (ROOT / "static" / "vendor" / "pyodide").is_dir():
        raise SetupError("the third-party parts are missing: run 'make setup'")
    made = [DIST / "index.html", DIST / APP_ZIP]
    step("site", "site", inputs(), made, build)
    return DIST


if __name__ == "__main__":
    main(lambda: say(f"site: {build_if_stale()}"))
