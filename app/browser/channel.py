"""BroadcastChannel as the tabs' ``Channel``; without one, tabs meet by storage events alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import js
from pyodide.ffi import JsException, create_proxy

from app.browser.convert import text_or_none


class TabChannel:
    """A ``Channel``."""

    def __init__(self) -> None:
        self._proxies: list[Any] = []
        try:
            name = text_or_none(getattr(js.window, "pleatDatabase", None)) or "pleat"
            self._channel: Any = js.BroadcastChannel.new(name)
        except (JsException, AttributeError):
            self._channel = None

    def post(self, text: str) -> None:
        """Tell the other tabs."""
        if self._channel is not None:
            try:
                self._channel.postMessage(text)
            except JsException:
                self._channel = None

    def watch(self, handler: Callable[[str], object]) -> None:
        """Hear the other tabs, for as long as the page lives."""
        if self._channel is None:
            return

        def heard(event: Any) -> None:
            text = text_or_none(event.data)
            if text is not None:
                handler(text)

        proxy = create_proxy(heard)
        self._proxies.append(proxy)
        self._channel.addEventListener("message", proxy)
