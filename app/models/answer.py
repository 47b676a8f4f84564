"""Read one HTTP answer as deltas, whatever it turns out to be, and never wait for ever.

It may be an event stream, one JSON object (``stream`` was ignored) or a web page; the first
character tells, for content types are not to be trusted. All times are seconds.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from dataclasses import dataclass

from app.models.chunks import AnswerReader, read_whole
from app.models.errors import NotAnApi, Server, TimedOut, Truncated, Unreachable
from app.models.port import Delta
from app.models.sse import EventTooLong, SseDecoder
from app.models.transport import Deadline, Response

MAX_BODY = 16_000_000  # bytes of an answer that is not a stream
GRACE = 5.0  # how long a finished answer is waited for its usage and [DONE]

_BLANK = b"\xef\xbb\xbf \r\n\t"


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long to wait: for the first token, and after that for the next byte.

    Before the first token only the first limit counts: a server that reads a long prompt is
    silent, and one that sends nothing but keep-alive comments does not answer either.
    """

    first_token: float = 120.0
    idle: float = 60.0
    list_models: float = 20.0


@dataclass(frozen=True, slots=True)
class Waits:
    """The timeouts with what keeps them."""

    timeouts: Timeouts
    deadline: Deadline
    clock: Callable[[], float]


async def next_chunk(chunks: AsyncIterator[bytes]) -> bytes | None:
    """The next chunk, None at the end."""
    try:
        return await anext(chunks)
    except StopAsyncIteration:
        return None


async def read_body(waits: Waits, response: Response, seconds: float, head: bytes = b"") -> str:
    """The whole body (after ``head``) as text, at most ``seconds`` for each chunk.

    Closes the response. Raises ``TimeoutError``, ``Unreachable`` or ``Server`` (too long).
    """
    pieces = [head]
    size = len(head)
    try:
        while (chunk := await waits.deadline(next_chunk(response.chunks), seconds)) is not None:
            size += len(chunk)
            if size > MAX_BODY:
                raise Server("The answer is over 16 MB long.")
            pieces.append(chunk)
    finally:
        response.close()
    return b"".join(pieces).decode("utf-8", "replace").removeprefix("\ufeff")


async def answer_deltas(
    waits: Waits, response: Response, asked: float
) -> AsyncGenerator[Delta, None]:
    """The deltas; the last one carries finish and usage. Raises ``ModelError``.

    ``asked``: when the request was sent, by the clock of ``waits``.
    """
    head = b""
    while not head.lstrip(_BLANK):
        chunk = await _first(waits, response, asked)
        if chunk is None:
            raise Truncated()
        head += chunk
    start = head.lstrip(_BLANK)[:1]
    if start == b"<" or "text/html" in response.headers.get("content-type", "").lower():
        raise Server(status=response.status, html=True)
    if start in (b"{", b"["):
        try:
            body = await read_body(waits, response, waits.timeouts.idle, head)
        except TimeoutError as error:
            raise TimedOut(seconds=waits.timeouts.idle) from error
        except Unreachable as error:
            raise Truncated() from error
        for delta in read_whole(body):
            yield delta
        return
    stream = _Stream(waits, response, asked)
    async for delta in stream.deltas(head):
        yield delta


async def _first(waits: Waits, response: Response, asked: float) -> bytes | None:
    """A chunk before the first token. Raises ``TimedOut``; ``Truncated`` if it broke."""
    limit = waits.timeouts.first_token
    left = asked + limit - waits.clock()
    try:
        if left <= 0:
            raise TimeoutError
        return await waits.deadline(next_chunk(response.chunks), left)
    except TimeoutError as error:
        raise TimedOut(seconds=limit, first=True) from error
    except Unreachable as error:
        raise Truncated() from error


class _Stream:
    """An event stream being read."""

    def __init__(self, waits: Waits, response: Response, asked: float) -> None:
        self._waits = waits
        self._response = response
        self._asked = asked
        self._reader = AnswerReader()
        self._begun = False  # the first token is here
        self._events = 0

    async def deltas(self, head: bytes) -> AsyncIterator[Delta]:
        """All deltas of the stream that begins with ``head``."""
        decoder = SseDecoder()
        chunk: bytes | None = head
        while chunk is not None and not self._reader.done:
            for delta in self._read(decoder, chunk):
                yield delta
            chunk = None if self._reader.done else await self._next()
        if not self._reader.done:
            for delta in self._read(decoder, None):
                yield delta
        kind = self._response.headers.get("content-type", "")
        if not self._events and "event-stream" not in kind:
            raise NotAnApi()
        yield self._reader.end()

    def _read(self, decoder: SseDecoder, chunk: bytes | None) -> Iterator[Delta]:
        """The deltas of a chunk (None: of the end), given out before an error behind them."""
        try:
            events = decoder.flush() if chunk is None else decoder.decode(chunk)
        except EventTooLong as error:
            raise Server(str(error)) from error
        for event in events:
            self._events += 1
            for delta in self._reader.read(event):
                self._begun = True
                yield delta
            if self._reader.done:
                return

    async def _next(self) -> bytes | None:
        """The next chunk; None when there is none, or none is needed."""
        if not self._begun and not self._reader.finish:
            return await _first(self._waits, self._response, self._asked)
        seconds = self._waits.timeouts.idle
        if self._reader.finish:
            seconds = min(seconds, GRACE)
        try:
            return await self._waits.deadline(next_chunk(self._response.chunks), seconds)
        except TimeoutError as error:
            if self._reader.finish:
                return None
            raise TimedOut(seconds=seconds) from error
        except Unreachable as error:
            if self._reader.finish:
                return None
            raise Truncated() from error
