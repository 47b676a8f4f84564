"""localStorage as a ``KeyValue``; its very getter may throw, and null is not None.

The room's keys begin with ``pleat.``; stored they begin with this site's own prefix
(``static/js/storage_names.js``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import js
from pyodide.ffi import JsException, create_proxy

from app.browser.convert import text_or_none
from app.state.ports import StorageFailed

OURS = "pleat."


class LocalStorage:
    """A ``KeyValue``."""

    def __init__(self) -> None:
        self._prefix = text_or_none(getattr(js.window, "pleatStoragePrefix", None)) or OURS
        self._proxies: list[Any] = []

    def get(self, key: str) -> str | None:
        """The text, or None."""
        try:
            return text_or_none(js.window.localStorage.getItem(self._outer(key)))
        except (JsException, AttributeError) as error:
            raise _failed(error) from None

    def set(self, key: str, text: str) -> None:
        """Store."""
        try:
            js.window.localStorage.setItem(self._outer(key), text)
        except (JsException, AttributeError) as error:
            raise _failed(error) from None

    def remove(self, key: str) -> None:
        """Forget."""
        try:
            js.window.localStorage.removeItem(self._outer(key))
        except (JsException, AttributeError) as error:
            raise _failed(error) from None

    def keys(self) -> list[str]:
        """All keys of this site's own, as the room names them."""
        try:
            area = js.window.localStorage
            found = [text_or_none(area.key(index)) for index in range(area.length)]
        except (JsException, AttributeError) as error:
            raise _failed(error) from None
        return [self._inner(key) for key in found if key and key.startswith(self._prefix)]

    def watch(self, handler: Callable[[str, str | None], object]) -> None:
        """Hear what other tabs change, for as long as the page lives."""

        def heard(event: Any) -> None:
            key = text_or_none(event.key)
            if key is not None and key.startswith(self._prefix):
                handler(self._inner(key), text_or_none(event.newValue))

        proxy = create_proxy(heard)
        self._proxies.append(proxy)
        js.window.addEventListener("storage", proxy)

    def _outer(self, key: str) -> str:
        return self._prefix + key.removeprefix(OURS)

    def _inner(self, key: str) -> str:
        return OURS + key.removeprefix(self._prefix)


def _failed(error: Exception) -> StorageFailed:
    """localStorage that is null gives an AttributeError; full storage has a name of its own."""
    full = "QuotaExceeded" in f"{getattr(error, 'name', '')} {error}"
    return StorageFailed("quota" if full else "unavailable", str(error)[:200])
