"""The adapter for any OpenAI-compatible endpoint: streamed answers over a ``Transport``.

Only ``Content-Type`` and ``Authorization`` are sent (more would break CORS preflights at Ollama
and LM Studio). All times are seconds.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from app.models.answer import Timeouts, Waits, answer_deltas, read_body
from app.models.catalog import ModelInfo, read_models
from app.models.clean import looks_like_html
from app.models.endpoint import is_mixed_content, normal_base_url, normal_key
from app.models.errors import BadRequest, ModelError, NotAnApi, Server, TimedOut, Unreachable
from app.models.parameters import Quirks, chat_body, encode, learn
from app.models.port import Delta, WireMessage
from app.models.safe_json import parse
from app.models.transport import Deadline, Response, Transport, within

MAX_ATTEMPTS = 5  # of one request, each with one refused parameter less


@dataclass(slots=True)
class Endpoint:
    """Where to ask, with which key, by which ports. Raises ``EndpointError`` on bad texts."""

    base_url: str
    transport: Transport
    key: str = ""
    page_is_https: bool = False
    timeouts: Timeouts = field(default_factory=Timeouts)
    deadline: Deadline = within
    clock: Callable[[], float] = time.monotonic
    quirks: dict[str, Quirks] = field(default_factory=dict[str, Quirks])  # by model

    def __post_init__(self) -> None:
        """Check and regularise what was typed."""
        self.base_url = normal_base_url(self.base_url)
        self.key = normal_key(self.key)

    @property
    def waits(self) -> Waits:
        """The timeouts with the clock and the deadline that keep them."""
        return Waits(self.timeouts, self.deadline, self.clock)

    def __repr__(self) -> str:
        """Without the key."""
        return f"Endpoint({self.base_url!r})"

    async def request(self, method: str, path: str, body: bytes | None, seconds: float) -> Response:
        """Send; the response of a refusal is read and raised as its typed error."""
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        if is_mixed_content(self.base_url, page_is_https=self.page_is_https):
            raise Unreachable(mixed=True)
        sent = self.transport.request(method, self.base_url + path, headers, body)
        response = await self.deadline(sent, seconds)
        if 200 <= response.status < 300:
            return response
        from app.models.classify import classify  # its patterns cost time, and errors are rare

        try:
            text = await read_body(self.waits, response, seconds)
        except (TimeoutError, Unreachable, Server):
            text = ""  # the status alone says enough
        raise classify(response.status, response.headers, text).without(self.key)

    async def list_models(self) -> list[ModelInfo]:
        """The models on offer. Raises ``ModelError``; ``NotAnApi`` if the answer is no list."""
        seconds = self.timeouts.list_models
        try:
            response = await self.request("GET", "/models", None, seconds)
            text = await read_body(self.waits, response, seconds)
        except TimeoutError as error:
            raise TimedOut(seconds=seconds, first=True) from error
        models = read_models(parse(text))
        if models is None:
            raise Server(status=response.status, html=True) if looks_like_html(text) else NotAnApi()
        return models


class OpenAICompatible:
    """A ``ChatModel`` at an endpoint."""

    def __init__(self, endpoint: Endpoint, model: str) -> None:
        """``model``: its id as the endpoint lists it."""
        self.endpoint = endpoint
        self._model = model

    @property
    def name(self) -> str:
        """The model's id."""
        return self._model

    async def stream(
        self,
        messages: Sequence[WireMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> AsyncGenerator[Delta, None]:
        """See ``ChatModel``. Closing or cancelling aborts the request."""
        asked = self.endpoint.clock()
        response = await self._ask(messages, max_tokens, temperature)
        try:
            async with aclosing(answer_deltas(self.endpoint.waits, response, asked)) as deltas:
                async for delta in deltas:
                    yield delta
        except ModelError as error:
            error.without(self.endpoint.key)
            raise
        finally:
            response.close()

    async def _ask(
        self, messages: Sequence[WireMessage], max_tokens: int | None, temperature: float | None
    ) -> Response:
        """Send until accepted: each refusal of a parameter leaves one out, and is remembered."""
        endpoint = self.endpoint
        quirks = endpoint.quirks.get(self._model, frozenset())
        seconds = endpoint.timeouts.first_token
        for attempt in range(MAX_ATTEMPTS):
            body = chat_body(
                self._model,
                messages,
                max_tokens=max_tokens,
                temperature=temperature,
                quirks=quirks,
            )
            try:
                response = await endpoint.request(
                    "POST", "/chat/completions", encode(body), seconds
                )
            except TimeoutError as error:
                raise TimedOut(seconds=seconds, first=True) from error
            except BadRequest as error:
                learned = learn(error, body, quirks)
                if learned is None or learned == quirks or attempt == MAX_ATTEMPTS - 1:
                    raise
                quirks = learned
                continue
            if quirks:
                endpoint.quirks[self._model] = quirks
            return response
        raise BadRequest()  # not reached: the last attempt returns or raises
