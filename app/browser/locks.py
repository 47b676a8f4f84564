"""Web Locks as ``Locks``; where the page has none (http in a LAN), locks within this tab."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import js
from pyodide.ffi import JsException

from app.browser.convert import text_or_none
from app.state.tab_locks import TabLocks


class WebLocks:
    """``Locks`` across tabs. ``script``: the module ``locks.js``."""

    def __init__(self, script: Any) -> None:
        self._script = script
        prefix = text_or_none(getattr(js.window, "pleatStoragePrefix", None)) or "pleat."
        self._prefix = f"{prefix}lock:"

    async def acquire(self, name: str, *, wait: bool = True) -> Callable[[], None] | None:
        """Take the lock; cancelling the wait gives it up."""
        lock = self._script.request(self._prefix + name, wait)
        try:
            got = await lock.ready
        except BaseException:
            lock.release()
            raise
        return lock.release if got else None

    async def held(self, prefix: str) -> set[str] | None:
        """The names that any tab holds now."""
        try:
            names: list[str] = json.loads(str(await self._script.held()))
        except JsException:
            return None
        ours = [n.removeprefix(self._prefix) for n in names if n.startswith(self._prefix)]
        return {name for name in ours if name.startswith(prefix)}


def make_locks(script: Any) -> WebLocks | TabLocks:
    """The best locks that this page may have."""
    return WebLocks(script) if script.available() else TabLocks()
