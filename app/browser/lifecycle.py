"""The page's life: what must be saved before it goes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import js
from pyodide.ffi import create_proxy

_proxies: list[Any] = []


def before_hiding(handler: Callable[[], object]) -> None:
    """Call ``handler`` when the page is hidden or left: it may not come back."""

    def leaving(_event: Any) -> None:
        handler()

    def hidden(_event: Any) -> None:
        if js.document.visibilityState == "hidden":
            handler()

    leaving_proxy, hidden_proxy = create_proxy(leaving), create_proxy(hidden)
    _proxies.extend((leaving_proxy, hidden_proxy))
    js.window.addEventListener("pagehide", leaving_proxy)
    js.document.addEventListener("visibilitychange", hidden_proxy)
