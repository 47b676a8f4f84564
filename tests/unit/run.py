"""Run a coroutine to its end from a plain test, on CPython and inside Pyodide.

On CPython this is ``asyncio.run``. Inside Pyodide a loop is already running, and a plain test
cannot wait for it: there the coroutine is stepped by hand, with a small loop of our own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

MAX_STEPS = 1_000_000


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """The coroutine's result. Its exceptions pass through."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    return step_through(coroutine)


def step_through(coroutine: Coroutine[Any, Any, T]) -> T:
    """Drive a coroutine that never truly waits: bare yields (``sleep(0)``) and done futures only.

    Raises ``RuntimeError`` when it waits for something that nobody will finish.
    """
    try:
        for _ in range(MAX_STEPS):
            waiting = coroutine.send(None)
            if waiting is not None and not waiting.done():
                raise RuntimeError(f"the coroutine waits for {waiting!r}")
    except StopIteration as stop:
        result: T = stop.value
        return result
    finally:
        coroutine.close()
    raise RuntimeError(f"the coroutine is not done after {MAX_STEPS} steps")
