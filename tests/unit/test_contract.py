"""The contract between the rooms: who may import whom, and that the page copies every file."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.view.intents import INTENTS
from app.view.page import TOPICS

ROOT = Path(__file__).resolve().parents[2]
APP = ROOT / "app"
INWARD = ("conversation", "memory", "models", "state", "session")
"""The pure rooms; each may import itself and those that MAY names."""
MAY = {  # no two rooms import each other
    "conversation": set[str](),
    "memory": {"conversation", "models"},
    "models": {"conversation"},
    "state": {"conversation", "memory", "models"},
    "session": {"conversation", "memory", "models", "state"},
}
BROWSER_ONLY = {"js", "pyscript", "pyodide", "pyodide_js", "_pyodide", "polyscript"}


def imports(source: str, package: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """Every absolute name that a module imports, wherever in it, with the line.

    `package` is the package that relative imports start from. `from a import b` gives a.b, which
    also names the module a.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            prefix = ".".join((*base, *([node.module] if node.module else [])))
            for alias in node.names:
                yield node.lineno, f"{prefix}.{alias.name}"
        elif isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            called = node.func.id if isinstance(node.func, ast.Name) else called
            if called in {"__import__", "import_module"}:
                yield node.lineno, "an import by a name that is computed"


def room(path: Path) -> str:
    """The room of a module: the folder in app/, or the module's own name."""
    first = path.relative_to(APP).parts[0]
    return first.removesuffix(".py")


def pure_modules() -> list[Path]:
    return sorted(path for path in APP.rglob("*.py") if room(path) in INWARD)


def trespasses(path: Path, source: str) -> list[str]:
    """What a module imports that its room may not."""
    own = room(path)
    package = ("app", *path.relative_to(APP).parts[:-1])
    found: list[str] = []
    for line, name in imports(source, package):
        top, *rest = name.split(".")
        if top == "app":
            allowed = bool(rest) and (rest[0] == own or rest[0] in MAY[own])
        else:
            allowed = top in sys.stdlib_module_names and top not in BROWSER_ONLY
        if not allowed:
            found.append(f"{path.relative_to(APP)}:{line} imports {name}")
    return found


@pytest.mark.parametrize("own", INWARD)
def test_a_pure_room_imports_the_standard_library_and_inner_rooms_only(own: str) -> None:
    modules = [path for path in pure_modules() if room(path) == own]
    assert modules
    found = [t for path in modules for t in trespasses(path, path.read_text("utf-8"))]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "import js",
        "from pyscript import window",
        "import pyodide.ffi as ffi",
        "from app.browser import transport",
        "from app.view.page import Page",
        "from .. import browser",
        "from ..state import settings",
        "def f():\n    import js",
        "import numpy",
        "import importlib\nimportlib.import_module('js')",
    ],
)
def test_the_check_sees_each_way_to_trespass(line: str) -> None:
    assert trespasses(APP / "memory" / "example.py", line)


@pytest.mark.parametrize(
    "line", ["import json", "from app.conversation import tree", "from .plan import plan"]
)
def test_the_check_lets_what_is_allowed_pass(line: str) -> None:
    assert trespasses(APP / "memory" / "example.py", line) == []


def test_only_the_edge_imports_the_browser() -> None:
    edge = {"browser", "view", "main"}
    found = [
        f"{path.relative_to(APP)}:{line} imports {name}"
        for path in sorted(APP.rglob("*.py"))
        if room(path) not in edge
        for line, name in imports(path.read_text("utf-8"), ("app",))
        if name.split(".")[0] in BROWSER_ONLY
    ]
    assert found == []


def test_pyscript_copies_every_module_of_the_app() -> None:
    text = (ROOT / "pyscript.toml").read_text("utf-8")
    listed = [line for line in text.splitlines() if line.startswith('"./app/')]
    names = (path.relative_to(ROOT).as_posix() for path in APP.rglob("*.py"))
    wanted = [f'"./{name}" = "./{name}"' for name in sorted(names) if name != "app/main.py"]
    assert listed == wanted, "run 'make files'"


def test_the_contract_names_every_topic_and_every_intent_and_no_intent_that_is_not_there() -> None:
    text = ROOT.joinpath("docs/architecture.md").read_text("utf-8")
    contract = text[text.index("## Topics") :]
    for name in TOPICS:
        assert f"- `{name}`" in contract
    listed = contract[contract.index("Intents are methods") : contract.index("Not for the page")]
    assert set(re.findall(r"`([a-z_]+)\(", listed)) == INTENTS
