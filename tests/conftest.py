"""For all tests, on CPython and in Pyodide: `async def` tests, and hypothesis without a clock."""

from __future__ import annotations

import asyncio
import inspect
import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]
os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(ROOT / ".cache" / "tiktoken"))

profile = settings.register_profile
profile("here", deadline=None, print_blob=True)
profile("ci", deadline=None, print_blob=True, derandomize=True)
profile("pyodide", deadline=None, max_examples=20, derandomize=True, database=None)
in_pyodide = sys.platform == "emscripten"
settings.load_profile("pyodide" if in_pyodide else "ci" if os.environ.get("CI") else "here")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run an `async def` test on an event loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = pyfuncitem._fixtureinfo.argnames
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True
