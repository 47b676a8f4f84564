"""The unit tests hold where the program runs, too: in Pyodide, in a browser."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tools import serve
from tools.common import CACHE, NODE_MODULES, ROOT

PACKAGES = (
    "pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments", "sortedcontainers"
)  # fmt: skip
INI = "[pytest]\nfilterwarnings = error\naddopts = --strict-markers --import-mode=importlib\n"
LIMIT_MS = 300_000


def rooms() -> list[str]:
    """The folders of tests/unit: one for each room. What lies beside them tests tools."""
    return sorted(
        f"tests/unit/{path.name}"
        for path in (ROOT / "tests" / "unit").iterdir()
        if path.is_dir() and any(path.rglob("test_*.py"))
    )


def make_bundle(path: Path) -> None:
    """One archive with app/, the unit tests and their support, and pytest from this environment."""
    site_packages = Path(sysconfig.get_path("purelib"))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bundle:

        def add(folder: Path, into: str) -> None:
            for file in sorted(folder.rglob("*")):
                if file.is_file() and "__pycache__" not in file.parts:
                    bundle.write(file, f"{into}/{file.relative_to(folder).as_posix()}")

        for name in ("app", "tests/unit", "tests/support", "tests/bench"):
            add(ROOT / name, name)
        bundle.write(ROOT / "tests" / "conftest.py", "tests/conftest.py")
        bundle.writestr("pytest.ini", INI)
        for wheel in (CACHE / "pyodide-wheels").glob("*.whl"):
            with zipfile.ZipFile(wheel) as packed:
                for member in packed.namelist():
                    bundle.writestr(f"packages/{member}", packed.read(member))
        stand_in = ROOT / "tests" / "unit_in_pyodide" / "tiktoken.py"
        bundle.write(stand_in, "packages/tiktoken.py")
        bundle.writestr("no_ranks", "")
        bundle.write(site_packages / "py.py", "packages/py.py")  # pytest ships it
        for name in PACKAGES:
            add(site_packages / name, f"packages/{name}")
            for info in site_packages.glob(f"{name}-*.dist-info"):
                add(info, f"packages/{info.name}")


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("bundle")
    make_bundle(folder / "bundle.zip")
    mounts: serve.Mounts = {
        "/unit/": (ROOT / "tests" / "unit_in_pyodide", None),
        "/stock/": (NODE_MODULES / "pyodide", None),
        "/bundle/": (folder, None),
        "/pleat/": (ROOT, serve.SITE),
    }
    with serve.serving(mounts) as where:
        yield where


@pytest.fixture
def plain_page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    yield page
    page.context.close()


def collected_here() -> int:
    """How many tests of the rooms pytest finds on this Python."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", *rooms()]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    match = re.search(r"^(\d+) tests collected", done.stdout, re.MULTILINE)
    assert match, done.stdout
    return int(match[1])


def test_every_unit_test_passes_in_pyodide(plain_page: Page, origin: str) -> None:
    plain_page.goto(f"{origin}/unit/unit.html#{'%20'.join(rooms())}")
    ended = plain_page.locator("#ended")
    expect(ended).not_to_be_empty(timeout=LIMIT_MS)
    printed = plain_page.locator("#printed").text_content() or ""
    assert ended.text_content() == "exit 0", printed[-6000:]
    assert re.search(rf"^{collected_here()} passed in", printed, re.MULTILINE), printed[-500:]


def imported_from_the_library() -> set[str]:
    """Every module of the standard library that app/ imports, inside functions too."""
    found: set[str] = set()
    for path in (ROOT / "app").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                found.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module)
    return {name for name in found if name.split(".")[0] in sys.stdlib_module_names}


def test_the_precompiled_library_has_all_that_the_app_imports(
    plain_page: Page, origin: str
) -> None:
    names = imported_from_the_library()
    assert "asyncio" in names
    plain_page.goto(f"{origin}/unit/stdlib.html#{'%20'.join(sorted(names))}")
    expect(plain_page.locator("#ended")).to_have_text("failed: []", timeout=LIMIT_MS)
