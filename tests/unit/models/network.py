"""A network in memory: scripted responses, a clock that only moves when told, no waiting."""

from __future__ import annotations

import inspect
import json
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from app.models.errors import ModelError
from app.models.openai_compatible import Endpoint
from app.models.port import Delta, WireMessage
from app.models.transport import Response

T = TypeVar("T")

SSE = {"content-type": "text/event-stream"}
JSON = {"content-type": "application/json"}
HI = [WireMessage("user", "Hi")]


@dataclass
class Pause:
    """So many seconds pass before the next chunk (or before the headers)."""

    seconds: float


@dataclass
class Reply:
    """A response: chunks are bytes, pauses, or errors to raise."""

    status: int = 200
    chunks: Sequence[bytes | Pause | ModelError] = ()
    headers: Mapping[str, str] = field(default_factory=lambda: SSE)
    before: float = 0.0  # seconds until the headers


def refusal(status: int, message: str, **more: Any) -> Reply:
    """An error in OpenAI's shape."""
    body = json.dumps({"error": {"message": message, **more}}).encode()
    return Reply(status, [body], JSON)


def whole(value: object) -> Reply:
    """A JSON response."""
    return Reply(200, [json.dumps(value).encode()], JSON)


class FakeNetwork:
    """Transport, clock and deadline in one."""

    def __init__(self, *replies: Reply | ModelError) -> None:
        self.replies = list(replies)
        self.requests: list[tuple[str, str, dict[str, str], bytes | None]] = []
        self.now = 0.0
        self.closed = 0
        self.read = 0  # chunks that were asked for

    async def request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None
    ) -> Response:
        self.requests.append((method, url, dict(headers), body))
        reply = self.replies.pop(0)
        if isinstance(reply, ModelError):
            raise reply
        self.now += reply.before
        return Response(reply.status, reply.headers, self._chunks(reply), self._close)

    def _close(self) -> None:
        self.closed += 1

    async def _chunks(self, reply: Reply) -> AsyncIterator[bytes]:
        for chunk in reply.chunks:
            if isinstance(chunk, Pause):
                self.now += chunk.seconds
            elif isinstance(chunk, ModelError):
                raise chunk
            else:
                self.read += 1
                yield chunk

    def clock(self) -> float:
        return self.now

    async def within(self, awaitable: Awaitable[T], seconds: float) -> T:
        """Whatever moved the clock further than allowed came too late."""
        began = self.now
        result = await awaitable
        if inspect.iscoroutine(awaitable):
            awaitable.close()
        if self.now - began > seconds:
            self.now = began + seconds
            raise TimeoutError
        return result

    def body(self, index: int = -1) -> dict[str, Any]:
        """A request's body, parsed."""
        sent = self.requests[index][3]
        assert sent is not None
        return json.loads(sent)


def endpoint(network: FakeNetwork, **options: Any) -> Endpoint:
    """An endpoint on that network."""
    defaults: dict[str, Any] = {"base_url": "https://host.test/v1", "key": "sk-test-000111222"}
    return Endpoint(
        transport=network,
        deadline=network.within,
        clock=network.clock,
        **{**defaults, **options},
    )


@dataclass
class Heard:
    """What came of a stream: its text so far is kept whatever happens."""

    text: str = ""
    reasoning: str = ""
    last: Delta = field(default_factory=Delta)
    error: ModelError | None = None


async def listen(deltas: AsyncIterator[Delta]) -> Heard:
    """Everything of a stream, with the error it ended with."""
    heard = Heard()
    try:
        async for delta in deltas:
            heard.text += delta.text
            heard.reasoning += delta.reasoning
            heard.last = delta
    except ModelError as error:
        heard.error = error
    return heard
