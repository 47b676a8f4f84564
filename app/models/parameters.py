"""The body of a chat request, and what a model was found not to take.

A parameter that a server refuses is renamed or dropped once, and that is remembered per model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from app.models.errors import BadRequest
from app.models.port import WireMessage
from app.models.safe_json import JsonObject

# What is known of one model: "rename:max_tokens", "drop:temperature", ...
Quirks = frozenset[str]

_NAMES = ("stream_options", "max_completion_tokens", "max_tokens", "temperature")


def chat_body(
    model: str,
    messages: Sequence[WireMessage],
    *,
    max_tokens: int | None,
    temperature: float | None,
    quirks: Quirks = frozenset(),
) -> JsonObject:
    """The request as an object. An answer of less than one token is never asked for."""
    body: JsonObject = {
        "model": whole(model),
        "messages": [{"role": m.role, "content": whole(m.content)} for m in messages],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if max_tokens is not None:
        renamed = "rename:max_tokens" in quirks
        body["max_completion_tokens" if renamed else "max_tokens"] = max(1, max_tokens)
    if temperature is not None:
        body["temperature"] = temperature
    for quirk in quirks:
        body.pop(quirk.removeprefix("drop:"), None)
    return body


def encode(body: JsonObject) -> bytes:
    """The body as UTF-8 JSON."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def whole(text: str) -> str:
    """``text`` with lone surrogates replaced by U+FFFD and paired ones joined: strict UTF-8."""
    if not re.search("[\ud800-\udfff]", text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def learn(error: BadRequest, sent: JsonObject, quirks: Quirks) -> Quirks | None:
    """The quirks after a refusal, or None when it is about nothing that we can leave out."""
    words = f"{error.param} {error.detail}".lower()
    name = next((n for n in _NAMES if n in sent and n == error.param.lower()), "")
    name = name or next((n for n in _NAMES if n in sent and _named(n, words)), "")
    if not name:
        return None
    hopeless = "too large" in words or "must be" in words
    if name == "max_tokens" and not hopeless:
        return quirks | {"rename:max_tokens"}
    return quirks | {f"drop:{name}"}


def _named(name: str, words: str) -> bool:
    return bool(re.search(rf"(?<![a-z_]){name}(?![a-z_])", words))
