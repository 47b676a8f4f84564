"""The thin view: topics go out to the page's scripts as JSON text, intents come in as JSON text.

All work on the document is done by `static/js`; this module holds the only bridges, made once and
kept: `window.pleatPage.render(topic, text)` and the proxies of the dispatcher's two doors.
"""

from __future__ import annotations

import asyncio
import json
import sys
import traceback
from collections.abc import Callable
from typing import Any

from app.view.intents import Dispatcher

TOPICS = (
    "settings",
    "storage",
    "conversations",
    "thread",
    "stream",
    "busy",
    "memory",
    "models",
    "local_model",
    "importing",
    "notices",
)


class Page:
    """Connects a session and its `AppState` to the document that shows them."""

    def __init__(self, session: Any, state: Any, port: Any | None = None) -> None:
        """`port` has `render(topic, text)` and `connect(dispatch, now)`; by default the page."""
        if port is None:
            from pyscript import window

            port = window.pleatPage
        self._port = port
        self._state = state
        self._dispatcher = Dispatcher(session, _log)
        self._doors: list[Any] = []
        self._undo: list[Callable[[], None]] = []
        self._dirty: dict[str, Any] = {}
        self._flushing = False

    def open(self) -> None:
        """Draw what is there, follow every topic, and let the page ask. Idempotent."""
        if self._undo:
            return
        for name in TOPICS:
            topic = getattr(self._state, name, None)
            if topic is None:
                continue
            self._render(name, topic.get())
            self._undo.append(topic.subscribe(self._follow(name)))
        self._doors = [_proxy(self._dispatcher), _proxy(self._dispatcher.now)]
        self._port.connect(*self._doors)

    def close(self) -> None:
        """Stop following and give the proxies back."""
        for undo in self._undo:
            undo()
        self._undo.clear()
        for door in self._doors:
            destroy = getattr(door, "destroy", None)
            if destroy is not None:
                destroy()
        self._doors.clear()

    def _follow(self, name: str) -> Callable[..., None]:
        def changed(value: Any, *_previous: Any) -> None:
            self._dirty[name] = value
            if not self._flushing:
                self._flushing = True
                asyncio.get_running_loop().call_soon(self._flush)

        return changed

    def _flush(self) -> None:
        """Several publishes of one topic in one step of the loop are drawn once."""
        self._flushing = False
        dirty, self._dirty = self._dirty, {}
        for name in TOPICS:
            if name in dirty:
                self._render(name, dirty[name])

    def _render(self, name: str, value: Any) -> None:
        self._port.render(name, json.dumps(value))


def _proxy(function: Any) -> Any:
    """A proxy that outlives the call that hands it over (none is needed outside the browser)."""
    if sys.platform != "emscripten":
        return function
    from pyodide.ffi import create_proxy

    return create_proxy(function)


def _log(error: BaseException) -> None:
    traceback.print_exception(error, file=sys.stderr)
