"""From events of a stream (or one JSON answer) to deltas, and how the stream ended.

Servers differ in every field: null content, two names for reasoning, usage with or without
choices, errors inside a stream of HTTP 200. ``AnswerReader`` makes one thing of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from app.models.errors import ModelError, NotAnApi, Server, Truncated
from app.models.port import Delta, Usage
from app.models.safe_json import JsonObject, as_count, as_list, as_object, parse
from app.models.sse import Event

_FINISH = {
    "stop": "stop",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "content_filter",
    "safety": "content_filter",
    "recitation": "content_filter",
    "blocklist": "content_filter",
    "prohibited_content": "content_filter",
    "tool_calls": "tool_calls",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
}
_FAILED = ("error", "abort", "cancelled", "canceled")
MOST_TOKENS = 10_000_000  # of one call: a server that states more miscounts, and is not believed


class AnswerReader:
    """Reads one answer: give it events, then ask for its ``end``."""

    def __init__(self) -> None:
        """Nothing has come yet."""
        self.finish = ""  # in the words of ``Delta.finish``
        self.done = False  # ``[DONE]`` came
        self._usage: Usage | None = None
        self._broken = False

    def read(self, event: Event) -> Iterator[Delta]:
        """The deltas of one event; then raises the typed error that the event carries."""
        data = event.data.strip()
        if data == "[DONE]":
            self.done = True
            return
        value = parse(data) if data[:1] in ("{", "[", '"') else None
        chunk = as_object(value)
        if event.name == "error" or chunk.get("object") == "error":
            raise _stream_error(chunk.get("error") or chunk or data)
        if data.startswith("{") and not isinstance(value, dict):
            self._broken = True  # a piece that cannot be read: text is missing
        yield from self.read_chunk(chunk)

    def read_chunk(self, chunk: JsonObject) -> Iterator[Delta]:
        """The deltas of one parsed chunk, or of a whole answer in one object; then its error."""
        self._read_usage(chunk)
        failed = False
        for choice in map(as_object, as_list(chunk.get("choices"))):
            if as_count(choice.get("index")) == 0:
                yield from self._read_choice(choice)
                failed = self._read_finish(choice.get("finish_reason"))
                break
        if chunk.get("error"):
            raise _stream_error(chunk["error"])
        if failed:
            raise Server("The answer was broken off by the server.")

    def end(self) -> Delta:
        """The last delta, when the server sends no more. Raises ``Truncated`` if it is none."""
        if not self.finish and not self.done:
            raise Truncated()
        if self._broken:
            raise Truncated("A piece of the answer could not be read.")
        return Delta(finish=self.finish or "stop", usage=self._usage)

    def _read_finish(self, reason: object) -> bool:
        """Note the finish reason; True when it says that the answer failed."""
        if not isinstance(reason, str) or not reason:
            return False
        if reason.lower() in _FAILED:
            return True
        self.finish = _FINISH.get(reason.lower(), "stop")
        return False

    def _read_choice(self, choice: JsonObject) -> Iterator[Delta]:
        piece = as_object(choice.get("delta")) or as_object(choice.get("message"))
        text = content_text(piece.get("content")) or content_text(piece.get("refusal"))
        if not piece:
            text = content_text(choice.get("text"))
        reasoning = content_text(piece.get("reasoning_content"), thinking=True)
        reasoning = reasoning or content_text(piece.get("reasoning"), thinking=True)
        reasoning = reasoning or content_text(piece.get("content"), thinking=True, only=True)
        if text or reasoning:
            yield Delta(text=text, reasoning=reasoning)

    def _read_usage(self, chunk: JsonObject) -> None:
        stated = as_object(chunk.get("usage")) or as_object(
            as_object(chunk.get("x_groq")).get("usage")
        )
        details = as_object(stated.get("prompt_tokens_details"))
        old = self._usage or Usage()
        new = Usage(
            _tokens(stated.get("prompt_tokens")) or old.prompt_tokens,
            _tokens(stated.get("completion_tokens")) or old.completion_tokens,
            _tokens(details.get("cached_tokens"))
            or _tokens(stated.get("prompt_cache_hit_tokens"))
            or old.cached_tokens,
        )
        if new != Usage():
            self._usage = new


def _tokens(value: object) -> int:
    """What a server counted, 0 (as if it had not) where no call can have so many."""
    count = as_count(value)
    return count if count <= MOST_TOKENS else 0


def read_whole(body: str) -> list[Delta]:
    """The deltas of an answer that came as one JSON object, because ``stream`` was ignored.

    Raises the typed error in it, ``Truncated`` when it is cut off, ``NotAnApi`` for anything else.
    """
    value = parse(body)
    listed = as_list(value)  # Gemini wraps its errors in a list
    answer = as_object(listed[0] if listed else value)
    reader = AnswerReader()
    if answer.get("object") == "error":
        raise _stream_error(answer)
    deltas = list(reader.read_chunk(answer))
    if not as_list(answer.get("choices")):
        cut = body.lstrip().startswith("{") and not isinstance(value, dict)
        raise Truncated() if cut else NotAnApi()
    reader.done = True
    return [*deltas, reader.end()]


def content_text(content: object, *, thinking: bool = False, only: bool = False) -> str:
    """The text of a content field: a string, null, or a list of parts.

    With ``thinking`` the text of thinking parts, else of all others; ``only``: not a bare string.
    """
    if isinstance(content, str):
        return "" if only else content
    pieces: list[str] = []
    for part in map(as_object, as_list(content)):
        if (part.get("type") in ("thinking", "reasoning")) == thinking:
            inner = part.get("text") or part.get("thinking") or part.get("reasoning")
            nested = [as_object(item).get("text") for item in as_list(inner)]
            pieces.extend(text for text in (inner, *nested) if isinstance(text, str))
    return "".join(pieces)


def _stream_error(value: object) -> ModelError:
    from app.models.classify import classify_value  # its patterns cost time, and errors are rare

    return classify_value(value, status=0)
