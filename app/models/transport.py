"""The ports through which the network is reached: one method, a deadline and a clock.

A browser's ``fetch`` implements them in ``browser/transport.py``; tests implement them in memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

T = TypeVar("T")


def _nothing() -> None:
    """Close nothing."""


@dataclass(frozen=True, slots=True)
class Response:
    """An answer whose headers are here and whose body may still be coming.

    Header names are lower case. ``close`` aborts the request, may be called at any time and
    more than once, and must be called by whoever got the response.
    """

    status: int
    headers: Mapping[str, str]
    chunks: AsyncIterator[bytes]
    close: Callable[[], None] = _nothing


class Transport(Protocol):
    """Sends one HTTP request.

    Cancelling the task that awaits ``request`` or the next chunk aborts the request. Raises
    ``Unreachable`` when there is no answer (or CORS forbids reading it), also from ``chunks``
    when the connection breaks; ``Aborted`` when the request was closed from elsewhere.
    """

    async def request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None
    ) -> Response:
        """Send, and return as soon as status and headers are known."""
        ...


class Deadline(Protocol):
    """Awaits something for at most ``seconds``; raises ``TimeoutError`` after that."""

    async def __call__(self, awaitable: Awaitable[T], seconds: float) -> T:
        """The result of ``awaitable``, which is cancelled when its time is over."""
        ...


async def within(awaitable: Awaitable[T], seconds: float) -> T:
    """The ``Deadline`` of real time, on the running asyncio loop."""
    async with asyncio.timeout(seconds):
        return await awaitable
