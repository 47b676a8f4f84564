"""A small OpenAI-compatible server that does exactly what a test tells it, faults included.

Loopback only, on a free port. Streams are cut and held by ``Gate`` events, never
by sleeps. Every request is recorded with headers and body.

    with ScriptedServer() as server:
        server.chat(Answer("Hello", " world"))
        server.utility(Status(500))
        ...  # talk to server.base_url
        assert server.chats()[0].json["model"] == "scripted-model"
"""

from __future__ import annotations

import contextlib
import json
import select
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from app.memory.prompts import FOLD_SYSTEM

MODEL = "scripted-model"
PATIENCE = 60.0  # seconds after which a gate that nobody opens closes the connection


class Gate:
    """A point in a reply: the server tells that it is ``reached`` and waits to be ``open``ed."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self._opened = threading.Event()

    def open(self) -> None:
        """Let the server go on."""
        self._opened.set()

    def pass_through(self, connection: Any) -> bool:
        """Wait until opened. False when the client went away (or nobody opened in time)."""
        self.reached.set()
        for _ in range(int(PATIENCE / 0.02)):
            if self._opened.wait(0.02):
                return True
            if select.select([connection], [], [], 0)[0]:
                with contextlib.suppress(OSError):
                    if connection.recv(1, 2) == b"":  # MSG_PEEK: end of stream
                        return False
                    continue
                return False
        return False


@dataclass(frozen=True)
class Usage:
    """What the server says it counted."""

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int = 0


@dataclass(frozen=True)
class Answer:
    """A streamed answer. Pieces are texts, gates, or ``Raw`` bytes; ``finish=None``: none sent."""

    pieces: tuple[str | Gate | Raw, ...]
    finish: str | None = "stop"
    done: bool = True
    usage: Usage | None = None
    whole: bool = False  # one JSON object, although a stream was asked for
    cut: bool = False  # break the connection off without the end of the body

    def __init__(
        self,
        *pieces: str | Gate | Raw,
        finish: str | None = "stop",
        done: bool = True,
        usage: Usage | None = None,
        whole: bool = False,
        cut: bool = False,
    ) -> None:
        names = ("pieces", "finish", "done", "usage", "whole", "cut")
        for name, value in zip(names, (pieces, finish, done, usage, whole, cut), strict=True):
            object.__setattr__(self, name, value)


@dataclass(frozen=True)
class Raw:
    """Bytes sent as they are in the middle of a stream."""

    data: bytes


@dataclass(frozen=True)
class Status:
    """A refusal (or any plain response)."""

    status: int
    body: str | Mapping[str, Any] = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"


@dataclass(frozen=True)
class Hang:
    """No status, no headers, until the gate opens; then the connection is closed."""

    gate: Gate = field(default_factory=Gate)


Script = Answer | Status | Hang


def unauthorized() -> Status:
    """A wrong key."""
    return error(401, "Incorrect API key provided.", code="invalid_api_key")


def rate_limited(retry_after: str = "7") -> Status:
    """Too many requests, with ``Retry-After``."""
    said = error(429, "Rate limit reached for requests.", code="rate_limit_exceeded")
    exposed = {"Retry-After": retry_after, "Access-Control-Expose-Headers": "Retry-After"}
    return Status(said.status, said.body, exposed)


def broken() -> Status:
    """An internal error."""
    return error(500, "The server had an error while processing your request.")


def web_page(status: int = 502) -> Status:
    """A proxy's page instead of JSON."""
    page = "<html><head><title>502 Bad Gateway</title></head><body><h1>502</h1></body></html>"
    return Status(status, page, content_type="text/html")


def overflow(limit: int, prompt: int) -> Status:
    """The prompt is too long for the model."""
    return error(
        400,
        f"This model's maximum context length is {limit} tokens. However, your messages "
        f"resulted in {prompt} tokens.",
        code="context_length_exceeded",
    )


def error(status: int, message: str, **more: Any) -> Status:
    """An error in OpenAI's shape."""
    return Status(status, {"error": {"message": message, **more}})


def cut_stream(*pieces: str | Gate | Raw, broken: bool = False) -> Answer:
    """The stream ends after the pieces: no finish, no ``[DONE]``.

    With ``broken`` the connection breaks instead of ending. A browser then drops what its page
    has not read yet: put a gate behind the text that the page is to show.
    """
    return Answer(*pieces, finish=None, done=False, cut=broken)


def error_in_stream(*pieces: str, message: str = "Provider overloaded") -> Answer:
    """HTTP 200, some text, then an error object."""
    data = json.dumps({"error": {"message": message, "code": 502}})
    return Answer(*pieces, Raw(f"data: {data}\n\n".encode()), finish=None, done=False)


def empty() -> Answer:
    """An answer (or summary) with nothing in it."""
    return Answer("")


def too_long(words: int = 3000) -> Answer:
    """A summary far over any limit: that many words, in lines."""
    return Answer("\n".join("- " + "apple " * 12 for _ in range(words // 12)))


@dataclass
class Request:
    """One request as it came. ``gone`` is set when the client left before the end."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    is_utility: bool = False
    gone: threading.Event = field(default_factory=threading.Event)

    @property
    def json(self) -> Any:
        """The body, parsed."""
        return json.loads(self.body)


def looks_like_utility(body: Mapping[str, Any]) -> bool:
    """The default predicate: the request begins as the app's request for a summary does."""
    messages = body.get("messages") or [{}]
    return str(messages[0].get("content", "")).startswith(FOLD_SYSTEM[:40])


class ScriptedServer:
    """The server. Scripts queue up per role; when a queue is empty, its default answers."""

    def __init__(
        self,
        *,
        models: list[Any] | None = None,
        context_length: int = 4096,
        is_utility: Callable[[Mapping[str, Any]], bool] = looks_like_utility,
        cors: bool = True,
        key: str = "",
        refused_fields: tuple[str, ...] = (),
    ) -> None:
        self.models: Any = models or [{"id": MODEL, "context_length": context_length}]
        self.models_script: Status | Hang | None = None  # instead of the list of models
        self.is_utility = is_utility
        self.cors = cors
        self.key = key  # when set, any other key is refused with 401
        self.refused_fields = refused_fields  # answered with 400 in OpenAI's wording
        self.default_chat: Script = Answer("Scripted", " answer.")
        self.default_utility: Script = Answer("- A scripted summary.")
        self.requests: list[Request] = []
        self._queues: dict[bool, list[Script]] = {False: [], True: []}
        self._changed = threading.Condition()
        self._http = _Server(("127.0.0.1", 0), _Handler)
        self._http.script = self
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> ScriptedServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop serving and free the port."""
        if self._thread.is_alive():
            self._http.shutdown()
        self._http.server_close()
        if self._thread.is_alive():
            self._thread.join(5)

    @property
    def origin(self) -> str:
        """``http://127.0.0.1:port``."""
        return f"http://127.0.0.1:{self._http.server_port}"

    @property
    def base_url(self) -> str:
        """What goes into settings."""
        return f"{self.origin}/v1"

    def chat(self, *scripts: Script) -> None:
        """Queue replies to chat requests."""
        self._queues[False].extend(scripts)

    def utility(self, *scripts: Script) -> None:
        """Queue replies to utility (summary) requests."""
        self._queues[True].extend(scripts)

    def chats(self) -> list[Request]:
        """The chat requests so far."""
        return [r for r in self._posts() if not r.is_utility]

    def utilities(self) -> list[Request]:
        """The utility requests so far."""
        return [r for r in self._posts() if r.is_utility]

    def wait_for(self, count: int, *, utility: bool | None = None) -> list[Request]:
        """Wait (bounded) until that many completions were asked for; returns them."""

        def matching() -> list[Request]:
            return [r for r in self._posts() if utility is None or r.is_utility is utility]

        with self._changed:
            if not self._changed.wait_for(lambda: len(matching()) >= count, PATIENCE):
                raise AssertionError(f"{len(matching())} requests came, {count} were expected")
        return matching()

    def forget(self) -> None:
        """Drop all records and queued scripts."""
        self.requests.clear()
        for queue in self._queues.values():
            queue.clear()

    def record(self, request: Request) -> None:
        """Note a request (called by the handler)."""
        with self._changed:
            self.requests.append(request)
            self._changed.notify_all()

    def next_script(self, request: Request) -> Script:
        """The reply to a completion request."""
        if self.key and request.headers.get("authorization") != f"Bearer {self.key}":
            return unauthorized()
        for name in self.refused_fields:
            if name in request.json:
                return _refused(name)
        queue = self._queues[request.is_utility]
        if queue:
            return queue.pop(0)
        return self.default_utility if request.is_utility else self.default_chat

    def _posts(self) -> list[Request]:
        return [r for r in self.requests if r.method == "POST"]


def _refused(name: str) -> Status:
    advice = " Use 'max_completion_tokens' instead." if name == "max_tokens" else ""
    return error(
        400,
        f"Unsupported parameter: '{name}' is not supported with this model.{advice}",
        type="invalid_request_error",
        param=name,
        code="unsupported_parameter",
    )


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    script: ScriptedServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is no error here."""


class _Gone(Exception):
    """The client left."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # a piece goes out when it is written, not with the next one
    server: _Server
    request_record: Request

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_OPTIONS(self) -> None:
        """A CORS preflight: only Content-Type and Authorization are allowed, as at Ollama."""
        self._record(b"")
        asked = self.headers.get("Access-Control-Request-Headers", "").lower()
        allowed = {"content-type", "authorization"}
        fine = self.server.script.cors and {a.strip() for a in asked.split(",") if a} <= allowed
        extra = {
            "Access-Control-Allow-Methods": "GET, POST",
            "Access-Control-Allow-Headers": "Content-Type, Authorization",
        }
        self._send(204 if fine else 403, b"", "text/plain", extra if fine else {})

    def do_GET(self) -> None:
        """``/models``."""
        request = self._record(b"")
        script = self.server.script
        if not self.path.endswith("/models"):
            self._reply(error(404, "Not found"), request)
        elif script.models_script is not None:
            self._reply(script.models_script, request)
        elif script.key and request.headers.get("authorization") != f"Bearer {script.key}":
            self._reply(unauthorized(), request)
        else:
            self._reply(Status(200, {"object": "list", "data": script.models}), request)

    def do_POST(self) -> None:
        """``/chat/completions``."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        request = self._record(body)
        if not self.path.endswith("/chat/completions"):
            self._reply(error(404, "Not found"), request)
        else:
            self._reply(self.server.script.next_script(request), request)

    def _record(self, body: bytes) -> Request:
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.command, self.path, headers, body)
        if self.command == "POST":
            with contextlib.suppress(ValueError):
                request.is_utility = self.server.script.is_utility(json.loads(body))
        self.server.script.record(request)
        return request

    def _reply(self, script: Script, request: Request) -> None:
        try:
            if isinstance(script, Status):
                body = script.body if isinstance(script.body, str) else json.dumps(script.body)
                self._send(script.status, body.encode(), script.content_type, script.headers)
            elif isinstance(script, Hang):
                self.close_connection = True
                if not script.gate.pass_through(self.connection):
                    raise _Gone
            elif script.whole:
                self._send_whole(script)
            else:
                self._stream(script)
        except (_Gone, OSError):
            request.gone.set()
            self.close_connection = True

    def _cors(self) -> Mapping[str, str]:
        return {"Access-Control-Allow-Origin": "*"} if self.server.script.cors else {}

    def _send(self, status: int, body: bytes, kind: str, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {**self._cors(), **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _send_whole(self, script: Answer) -> None:
        text = "".join(p for p in script.pieces if isinstance(p, str))
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": text},
            "finish_reason": script.finish,
        }
        answer: dict[str, Any] = {"object": "chat.completion", "choices": [choice]}
        if script.usage:
            answer["usage"] = _usage(script.usage)
        self._send(200, json.dumps(answer).encode(), "application/json", {})

    def _stream(self, script: Answer) -> None:
        self.close_connection = True
        self.send_response(200)
        for name, value in self._cors().items():
            self.send_header(name, value)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.send_header("Connection", "close")
        self.end_headers()
        self._event({"choices": [_choice({"role": "assistant", "content": None})]})
        for piece in script.pieces:
            if isinstance(piece, Gate):
                if not piece.pass_through(self.connection):
                    raise _Gone
            elif isinstance(piece, Raw):
                self._chunk(piece.data)
            else:
                self._event({"choices": [_choice({"content": piece})]})
        if script.finish is not None:
            self._event({"choices": [_choice({}, script.finish)]})
        if script.usage:
            self._event({"choices": [], "usage": _usage(script.usage)})
        if script.done:
            self._chunk(b"data: [DONE]\n\n")
        if not script.cut:
            self.wfile.write(b"0\r\n\r\n")

    def _event(self, value: Mapping[str, Any]) -> None:
        data = json.dumps({"object": "chat.completion.chunk", "model": MODEL, **value})
        self._chunk(f"data: {data}\n\n".encode())

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()


def _choice(delta: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "finish_reason": finish}


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.prompt_tokens + usage.completion_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
    }
