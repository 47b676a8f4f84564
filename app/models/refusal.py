"""Read a server's refusal: what it says, its codes, and the numbers in it.

Every server wraps an error in its own way: OpenAI, vLLM, FastAPI, Gemini's list, OpenRouter's
wrapped upstream error, bare text. Here they all become one flat ``Refusal``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from app.models.clean import looks_like_html
from app.models.safe_json import Broken, JsonObject, as_count, as_list, as_object, as_text, parse

_LIMIT_FIELDS = ("n_ctx", "context_length", "max_context_length", "limit", "context_window")
_PROMPT_FIELDS = ("n_prompt_tokens", "prompt_tokens", "input_tokens")


@dataclass(slots=True)
class Refusal:
    """What a refusal says. ``codes``: its code, type and status words, lower case."""

    message: str = ""
    codes: list[str] = field(default_factory=list[str])
    param: str = ""
    limit: int = 0  # tokens, from a field of its own
    prompt: int = 0
    html: bool = False
    json: bool = False

    @property
    def words(self) -> str:
        """Message and codes in lower case, for matching."""
        return f"{' '.join(self.codes)} {self.said}"

    @property
    def said(self) -> str:
        """The message's first 4,000 characters, in lower case, without thousands separators."""
        text = self.message[:4000].lower()
        return re.sub(r"(?<=\d)[,_'\u2009\u202f](?=\d{3}(?!\d))", "", text)


def read_refusal(body: str) -> Refusal:
    """The refusal in an HTTP body (JSON, text or a web page)."""
    text = body.strip().removeprefix("\ufeff")
    if text.startswith("<") or looks_like_html(text):
        return Refusal(html=True)
    if text.startswith("data:"):  # an error sent as an event stream
        text = text.removeprefix("data:").partition("\n")[0].strip()
    value = parse(text) if text[:1] in ("{", "[", '"') else text
    if isinstance(value, Broken):
        return Refusal(message=text)
    if isinstance(value, str):
        return Refusal(message=value)
    return refusal_of(value)


def refusal_of(value: object) -> Refusal:
    """The refusal in parsed JSON: the whole body, or the value of its ``error``."""
    refusal = Refusal(json=True)
    _collect(value, refusal, 0)
    if looks_like_html(refusal.message):
        refusal.message, refusal.html = "", True
    return refusal


def _collect(value: object, into: Refusal, depth: int) -> None:
    if depth > 6:
        return
    if isinstance(value, str):
        nested = parse(value) if value.lstrip()[:1] == "{" else None
        if as_object(nested):  # an upstream's error, wrapped as text
            _collect(nested, into, depth + 1)
        elif value and value not in into.message:
            into.message = f"{into.message} {value}".strip()
        return
    for item in as_list(value)[:5]:
        _collect(item, into, depth + 1)
    _from_object(as_object(value), into, depth)


def _from_object(value: JsonObject, into: Refusal, depth: int) -> None:
    for name in ("code", "type", "status", "reason"):
        code = as_text(value.get(name)).lower()
        if code and code not in into.codes:
            into.codes.append(code)
    where = [as_text(part) for part in as_list(value.get("loc"))]
    into.param = into.param or as_text(value.get("param")) or (where[-1] if where else "")
    if where:
        into.message = f"{into.message} {'.'.join(where)}:".strip()
    for names, attribute in ((_LIMIT_FIELDS, "limit"), (_PROMPT_FIELDS, "prompt")):
        for name in names:
            if not getattr(into, attribute) and as_count(value.get(name)):
                setattr(into, attribute, as_count(value.get(name)))
    for name in ("error", "message", "msg", "detail", "details", "raw", "metadata", "errors"):
        if name in value:
            _collect(value[name], into, depth + 1)


_UNIT = r"(ms|milliseconds?|h|hours?|m|min|minutes?|s|secs?|seconds?)"
_SPAN = re.compile(rf"(\d+(?:\.\d+)?)\s*{_UNIT}(?![a-z])")
_AFTER = re.compile(
    r"(?:try again|retry|wait|available|reset)[^.\d]{0,40}((?:\d+(?:\.\d+)?\s*[a-z]{1,12}\s*){1,3})"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DATE = re.compile(r"(\d{1,2})[ -]([A-Za-z]{3})[a-z]*[ -](\d{2,4}) (\d\d):(\d\d):(\d\d)")


def retry_after(headers: Mapping[str, str], words: str, now: float) -> float | None:
    """Seconds to wait: from ``Retry-After`` (seconds or a date), else from the message.

    ``now`` is seconds since 1970. None when nothing is stated. Never negative, at most a day.
    """
    stated = {name.lower(): value for name, value in headers.items()}
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = stated.get(name, "").strip()
        if re.fullmatch(r"\d{1,9}(\.\d+)?", value):
            return min(float(value) * scale, 86_400.0)
        seconds = _http_date(value)
        if seconds is not None:
            return min(max(seconds - now, 0.0), 86_400.0)
    found = _AFTER.search(words)
    if not found:
        return None
    return min(sum(_seconds(n, unit) for n, unit in _SPAN.findall(_apart(found.group(1)))), 86400.0)


def _apart(span: str) -> str:
    """``1m30s`` as ``1m 30s``."""
    return re.sub(r"(?<=[a-z])(?=\d)", " ", span)


def _seconds(number: str, unit: str) -> float:
    scale = 0.001 if unit.startswith(("ms", "mil")) else {"h": 3600.0, "m": 60.0}.get(unit[0], 1.0)
    return float(number) * scale


def _http_date(value: str) -> float | None:
    """Seconds since 1970 of an HTTP date (always GMT); None when it is none."""
    found = _DATE.search(value)
    if not found or found.group(2).lower() not in _MONTHS:
        return None
    year = int(found.group(3))
    year += 0 if year > 99 else 2000 if year < 70 else 1900
    month = _MONTHS.index(found.group(2).lower()) + 1
    # days since 1970 of the civil date, by counting from 1 March (Howard Hinnant's algorithm)
    y, m = (year, month - 3) if month > 2 else (year - 1, month + 9)
    days = 365 * y + y // 4 - y // 100 + y // 400 + (153 * m + 2) // 5 - 719469
    days += int(found.group(1))
    hours, minutes, seconds = (int(found.group(i)) for i in (4, 5, 6))
    return float(days * 86_400 + hours * 3600 + minutes * 60 + seconds)
