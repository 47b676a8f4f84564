"""The models' ``Transport`` over the browser's ``fetch``: streamed, and really aborted.

Cancelling a task does not stop a read that is under way, so every way out aborts the request
by its ``AbortController``. No cookies, no referrer, no cache.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

import js
from pyodide.ffi import JsException, to_js

from app.models.errors import Aborted, ModelError, Unreachable
from app.models.transport import Response


class FetchTransport:
    """A ``Transport`` (see ``models/transport.py``); ``batches`` is that of ``batches.js``."""

    def __init__(self, batches: Any) -> None:
        self._batches = batches

    async def request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None
    ) -> Response:
        """Send, and return with status and headers."""
        controller = js.AbortController.new()
        init: dict[str, Any] = {
            "method": method,
            "headers": dict(headers),
            "cache": "no-store",
            "credentials": "omit",
            "referrerPolicy": "no-referrer",
        }
        options = to_js(init, dict_converter=js.Object.fromEntries)
        if body is not None:
            options.body = to_js(body)
        options.signal = controller.signal
        try:
            answer = await js.fetch(url, options)
        except JsException as error:
            raise _model_error(error) from None
        except BaseException:  # cancelled: the fetch must not go on
            controller.abort()
            raise
        found: dict[str, str] = js.Object.fromEntries(answer.headers).to_py()  # lower-case names
        return Response(answer.status, found, self._chunks(answer, controller), controller.abort)

    async def _chunks(self, answer: Any, controller: Any) -> AsyncIterator[bytes]:
        if not answer.body:  # jsnull: an answer without a body
            return
        batch = self._batches(answer.body)
        try:
            while piece := await batch():
                yield piece.to_bytes()
        except JsException as error:
            raise _model_error(error) from None
        finally:
            controller.abort()  # nothing happens when the body has been read to its end


def _model_error(error: JsException) -> ModelError:
    """``fetch`` tells no causes: all but an abort is "unreachable" (network or CORS)."""
    return Aborted() if error.name == "AbortError" else Unreachable()


def page_is_https() -> bool:
    """Whether the page came by https, where http endpoints on other machines are forbidden."""
    return str(js.location.protocol) == "https:"
