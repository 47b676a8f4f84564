"""The model that runs inside the page, as a ``ChatModel``: load, answer, prefill, unload.

Everything is pulled from ``static/js/in_page_model.js`` as JSON text, so no proxies live here.
One completion runs at a time; an answer stops a prefill that is under way.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import Any, Protocol

from app.models.chunks import AnswerReader
from app.models.errors import Aborted, ModelError, NotLoaded, Server
from app.models.parameters import whole
from app.models.port import Delta, WireMessage

NAME = "SmolLM2-135M-Instruct"
URL = "static/models/SmolLM2-135M-Instruct.Q4_1.gguf"
BYTES = 98_362_432
CONTEXT_SIZE = 2048  # tokens; more makes a small machine wait for minutes
ANSWER_TOKENS = 256
MOST_TOKENS = 384  # so small a model says nothing of use after that, slowly
# At a sampler's usual defaults so small a model drifts off; these are what it was tuned for.
SAMPLING: dict[str, object] = {"temperature": 0.2, "top_p": 0.9, "repeat_penalty": 1.05}
MAX_FILE_BYTES = 2_000_000_000

# Its template puts a prompt of its own in when there is none.
_DEFAULT_PROMPT = "You are a helpful assistant."


class Feed(Protocol):
    """What the script returns for each piece of work."""

    async def next(self) -> str:
        """A JSON array of items."""
        ...

    def abort(self) -> None:
        """Stop the work."""
        ...


class Script(Protocol):
    """The module ``static/js/in_page_model.js``."""

    def load(self, source: Any, options: str) -> Feed:
        """Load from a URL or a File."""
        ...

    def chat(self, messages: str, options: str) -> Feed:
        """Answer."""
        ...

    def unload(self) -> Feed:
        """Free the memory."""
        ...


class InPageModel:
    """A ``ChatModel``. ``weak``: it cannot write a summary (see ``models/roles.py``)."""

    weak = True

    def __init__(self, script: Script, *, threads: int = 4) -> None:
        """``threads`` are used where the page is cross-origin isolated, else one."""
        self._script = script
        self._threads = threads
        self._loading: Feed | None = None
        self._prefilling: Feed | None = None
        self._name = NAME
        self.ready = False
        self.context_size = CONTEXT_SIZE

    @property
    def name(self) -> str:
        """The loaded model's name."""
        return self._name

    async def load(
        self,
        progress: Callable[[int, int], None],
        url: str = URL,
        *,
        context_size: int = CONTEXT_SIZE,
    ) -> None:
        """Fetch (or take from the browser's cache) and load the model that comes with the page.

        ``progress(loaded, total)`` in bytes; ``context_size`` in tokens. Raises ``Aborted`` after
        ``abort_load``, else ``ModelError``.
        """
        await self._load(url, NAME, progress, context_size)

    async def load_file(
        self,
        file: Any,
        progress: Callable[[int, int], None],
        *,
        context_size: int = CONTEXT_SIZE,
    ) -> None:
        """Load a GGUF model from a ``File`` that the user picked. Raises ``ModelError``."""
        if int(file.size) > MAX_FILE_BYTES:
            raise Server("The file is over 2 GB, more than a page can load.")
        await self._load(file, file_name(file), progress, context_size)

    async def _load(
        self, source: Any, name: str, progress: Callable[[int, int], None], context_size: int
    ) -> None:
        self.abort_load()
        self.abort_prefill()
        self.ready = False
        options = {"n_ctx": context_size, "n_threads": self._threads}
        feed = self._loading = self._script.load(source, json.dumps(options))
        try:
            async with aclosing(_items(feed)) as items:
                async for item in items:
                    if "loaded" in item:
                        progress(int(item["loaded"]), int(item["total"] or 0))
                    elif "end" in item:
                        self.context_size = int(item["end"].get("n_ctx") or context_size)
                        self._name, self.ready = name, True
        finally:
            if self._loading is feed:
                self._loading = None

    def abort_load(self) -> None:
        """Stop loading; the waiting ``load`` raises ``Aborted``."""
        if self._loading is not None:
            self._loading.abort()

    async def unload(self) -> None:
        """Free the model's memory."""
        self.abort_load()
        self.abort_prefill()
        self.ready = False
        async for _ in _items(self._script.unload()):
            pass

    async def stream(
        self,
        messages: Sequence[WireMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> AsyncGenerator[Delta, None]:
        """See ``ChatModel``. Raises ``NotLoaded`` before ``load``."""
        if not self.ready:
            raise NotLoaded()
        self.abort_prefill()
        most = max(1, min(max_tokens or ANSWER_TOKENS, MOST_TOKENS))
        options: dict[str, object] = {**SAMPLING, "max_tokens": most}
        if temperature is not None:
            options["temperature"] = temperature
        feed = self._script.chat(_wire(messages), json.dumps(options))
        reader = AnswerReader()
        async with aclosing(_items(feed)) as items:
            async for item in items:
                if "chunk" in item:
                    for delta in reader.read_chunk(item["chunk"]):
                        yield delta
        yield reader.end()

    async def prefill(self, messages: Sequence[WireMessage]) -> bool:
        """Read ``messages`` while idle, so that the next answer with this prefix comes sooner.

        True when done, False when stopped (by ``stream`` or ``abort_prefill``) or not possible.
        """
        if not self.ready or self._prefilling is not None:
            return False
        feed = self._prefilling = self._script.chat(_wire(messages), json.dumps({"max_tokens": 1}))
        try:
            async for _ in _items(feed):
                pass
            return True
        except ModelError:
            return False
        finally:
            if self._prefilling is feed:
                self._prefilling = None

    def abort_prefill(self) -> None:
        """Stop a prefill that is under way."""
        if self._prefilling is not None:
            self._prefilling.abort()
            self._prefilling = None


def file_name(file: Any) -> str:
    """How a model from a ``File`` is called."""
    return str(file.name).removesuffix(".gguf")


def _wire(messages: Sequence[WireMessage]) -> str:
    wire = [{"role": m.role, "content": whole(m.content)} for m in messages]
    if not wire or wire[0]["role"] != "system":
        wire.insert(0, {"role": "system", "content": _DEFAULT_PROMPT})
    return json.dumps(wire)


async def _items(feed: Feed) -> AsyncGenerator[dict[str, Any], None]:
    """All items up to and with the end; leaving early aborts. Raises the error in the feed."""
    ended = False
    try:
        while not ended:
            for item in json.loads(await feed.next()):
                ended = ended or "end" in item or "error" in item
                if "error" in item:
                    raise _error(item["error"])
                yield item
    finally:
        if not ended:
            feed.abort()


def _error(error: dict[str, str]) -> ModelError:
    if error["name"] == "AbortError":
        return Aborted()
    if error["name"] == "NotLoaded":
        return NotLoaded()
    if error["type"] == "inference_error":
        from app.models.classify import classify  # its patterns cost time, and errors are rare

        return classify(0, {}, json.dumps({"error": {"message": error["message"]}}))
    return Server(error["message"])
