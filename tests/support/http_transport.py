"""The network on CPython: the ``Transport`` port over the standard library, for benchmarks.

Blocking reads: one request at a time. Loopback or whatever endpoint the user names.
"""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Mapping
from http.client import HTTPException, HTTPResponse

from app.models.errors import Unreachable
from app.models.transport import Response

CHUNK = 4096  # bytes read at once
SECONDS = 600  # a slow model may take this long for its first token


class HttpTransport:
    """Sends each request with ``urllib``."""

    async def request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None
    ) -> Response:
        """The response, its body still to be read. Raises ``Unreachable``."""
        request = urllib.request.Request(url, data=body, method=method, headers=dict(headers))
        try:
            answer: HTTPResponse = urllib.request.urlopen(request, timeout=SECONDS)  # noqa: ASYNC210
        except urllib.error.HTTPError as error:
            return Response(error.code, _lower(error.headers), _read(error), error.close)
        except (urllib.error.URLError, OSError, HTTPException) as error:
            raise Unreachable(str(error)) from error
        return Response(answer.status, _lower(answer.headers), _read(answer), answer.close)


def _lower(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


async def _read(answer: HTTPResponse | urllib.error.HTTPError) -> AsyncIterator[bytes]:
    while True:
        try:
            piece = answer.read1(CHUNK) if isinstance(answer, HTTPResponse) else answer.read()
        except (OSError, HTTPException) as error:
            raise Unreachable(str(error)) from error
        if not piece:
            return
        yield piece
