# ruff: noqa: E501 (streams as they are)
"""Event streams as servers send them, and what they mean: shared by unit and property tests."""

from __future__ import annotations

import json
from dataclasses import dataclass


def chunk(delta: object = None, finish: str | None = None, **more: object) -> str:
    """One ``data:`` line's JSON, in the shape of chat.completion.chunk."""
    choice: dict[str, object] = {"index": 0, "delta": delta, "finish_reason": finish}
    return json.dumps(
        {"id": "c", "object": "chat.completion.chunk", "choices": [choice], **more},
        ensure_ascii=False,
    )


def events(*data: str, end: str = "\n", done: bool = True) -> bytes:
    """A stream of ``data:`` events."""
    lines = [f"data: {d}{end}{end}" for d in (*data, *(["[DONE]"] if done else []))]
    return "".join(lines).encode()


ROLE = chunk({"role": "assistant", "content": ""})
HELLO = chunk({"content": "Hello"})
WORLD = chunk({"content": " world"})
STOP = chunk({}, "stop")


@dataclass(frozen=True)
class Stream:
    """Bytes and their meaning; ``error`` is the kind of the error it ends with."""

    name: str
    data: bytes
    text: str = "Hello world"
    reasoning: str = ""
    finish: str = "stop"
    prompt_tokens: int = 0
    error: str = ""


PLAIN = events(ROLE, HELLO, WORLD, STOP)

STREAMS = [
    Stream("plain", PLAIN),
    Stream("byte order mark", b"\xef\xbb\xbf" + PLAIN),
    Stream("CRLF", PLAIN.replace(b"\n", b"\r\n")),
    Stream("CR only", PLAIN.replace(b"\n", b"\r")),
    Stream("no space after the colon", PLAIN.replace(b"data: ", b"data:")),
    Stream(
        "comments, pings and odd fields",
        b": PROCESSING\n\n: ping - 1\n\n"
        + events(HELLO, done=False)
        + b':\n\nevent: ping\ndata: {"type": "ping"}\n\ndata:\n\ndata: : keepalive\n\n'
        + b"id: 5\nretry: 3000\nunknown\n"
        + events(WORLD)
        + b"",
    ),
    Stream(
        "data over several lines",
        b'data: {"choices":[{"index":0,\ndata: "delta":{"content":"Hello world"}}]}\n\n'
        b"data: [DONE]\n\n",
    ),
    Stream(
        "letters of two, three and four bytes",
        events(chunk({"content": "Žluťoučký 🐎 修 \u2028"}), STOP),
        text="Žluťoučký 🐎 修 \u2028",
    ),
    Stream("no newline after the last line", PLAIN.rstrip()),
    Stream("[DONE] only", events(HELLO, WORLD)),
    Stream("finish without [DONE]", events(HELLO, WORLD, STOP, done=False)),
    Stream("length", events(HELLO, chunk({}, "length")), text="Hello", finish="length"),
    Stream(
        "max_tokens as a reason",
        events(HELLO, chunk({}, "MAX_TOKENS")),
        text="Hello",
        finish="length",
    ),
    Stream(
        "content filter",
        events(HELLO, chunk({}, "content_filter")),
        text="Hello",
        finish="content_filter",
    ),
    Stream("neither finish nor [DONE]", events(HELLO, WORLD, done=False), error="truncated"),
    Stream(
        "cut inside an event", events(HELLO, WORLD, done=False)[:-20], text="Hello", error="truncated"
    ),
    Stream(
        "an event that is no JSON",
        events(HELLO, '{"choices": [{"ind', STOP),
        text="Hello",
        error="truncated",
    ),
    Stream("empty", b"", text="", error="truncated"),
    Stream("only comments", b": ping\n\n: ping\n\n", text="", error="truncated"),
    Stream(
        "an error object in mid-stream",
        events(HELLO, '{"error":{"message":"Provider overloaded","code":502}}', done=False),
        text="Hello",
        error="server",
    ),
    Stream(
        "an error event without data",
        events(HELLO, done=False) + b"event: error\nid: 1\n\n",
        text="Hello",
        error="server",
    ),
    Stream(
        "an error event with a bare message",
        events(HELLO, done=False) + b"event: error\ndata: upstream died\n\n",
        text="Hello",
        error="server",
    ),
    Stream(
        "an error beside a finish",
        events(
            HELLO,
            '{"error":{"code":"server_error","message":"Disconnected"},'
            '"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}',
        ),
        text="Hello",
        error="server",
    ),
    Stream("finish error alone", events(HELLO, chunk({}, "error")), text="Hello", error="server"),
    Stream(
        "an overflow told in the stream",
        events('{"error":{"message":"the input length exceeds the context length"}}'),
        text="",
        error="context_overflow",
    ),
    Stream(
        "reasoning under two names",
        events(
            chunk({"role": "assistant", "content": None, "reasoning_content": "Two and"}),
            chunk({"content": None, "reasoning": " two"}),
            chunk({"content": "", "reasoning_content": ""}),
            chunk({"content": "Four", "reasoning_content": None}),
            chunk({"content": "."}),
            chunk({"content": None}, "stop"),
        ),
        text="Four.",
        reasoning="Two and two",
    ),
    Stream(
        "reasoning sent twice in one chunk",
        events(chunk({"reasoning": "Hm", "reasoning_content": "Hm"}), HELLO, WORLD, STOP),
        reasoning="Hm",
    ),
    Stream(
        "content in parts",
        events(
            chunk({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]}]}),
            chunk({"content": [{"type": "text", "text": "Hello"}]}),
            WORLD,
            STOP,
        ),
        reasoning="Hm",
    ),
    Stream(
        "usage apart, empty choices, null delta",
        events(
            '{"choices":[],"prompt_filter_results":[]}',
            chunk({"role": "assistant"}),
            HELLO,
            WORLD,
            chunk(None),
            STOP,
            '{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":1,"total_tokens":6}}',
            '{"usage":{"total_tokens":6}}',
            '{"usage":null}',
        ),
        prompt_tokens=5,
    ),
    Stream(
        "other choices and odd values",
        events(
            '{"choices":[{"index":1,"delta":{"content":"no"}},{"index":0,"delta":{"content":"Hello"}}]}',
            '{"choices":null,"error":null}',
            '{"choices":["x",{"delta":7}]}',
            "[1, 2]",
            "42",
            WORLD,
            STOP,
        ),
    ),
    Stream("a refusal is shown", events(chunk({"refusal": "Hello world"}), STOP)),
    Stream("text after [DONE] is not read", PLAIN + events(chunk({"content": "!"}))),
]  # fmt: skip
