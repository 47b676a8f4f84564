"""From a file's bytes to text, and from text to JSON, with nothing that can kill the runtime.

``json.loads`` on a deeply nested text ends a Pyodide runtime for good, so depth is measured
before. Numbers that no chat holds (NaN, 1e999, a thousand digits) become null.
"""

from __future__ import annotations

import json
import re
from typing import Any

from app.conversation.formats.report import FormatError, Tally

MAX_DEPTH = 200
_MAX_DIGITS = 300  # of a whole number; int() itself refuses 4,300

_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_NO_BRACKET = re.compile(r"[^\[\]{}]+")


def to_text(data: str | bytes, tally: Tally) -> str:
    """The file's text: byte order marks read and taken off, bytes that are no text noted.

    Raises FormatError for archives, which people choose by mistake.
    """
    if isinstance(data, str):
        return data.removeprefix("\ufeff")
    if data.startswith(b"PK\x03\x04"):
        raise FormatError("This is a zip archive: unpack it and choose the chat file inside.")
    if data.startswith(b"\x1f\x8b"):
        raise FormatError("This is a gzip archive: unpack it and choose the chat file inside.")
    text = data.decode(_encoding(data), errors="replace").removeprefix("\ufeff")
    broken = text.count("\ufffd")
    if broken:
        tally.note(f"{broken} characters could not be decoded and show as \ufffd.")
    return text


def _encoding(data: bytes) -> str:
    if data.startswith((b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")):
        return "utf-32"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    # Without a mark: a JSON text begins with an ASCII character, so a zero tells the order.
    if len(data) >= 2 and len(data) % 2 == 0:
        if data[0] == 0 and data[1] != 0:
            return "utf-16-be"
        if data[1] == 0 and data[0] != 0:
            return "utf-16-le"
    return "utf-8"


def depth(text: str, limit: int = MAX_DEPTH) -> int:
    """How deep brackets nest outside of strings, at most: over ``limit`` only if it is so."""
    brackets = _NO_BRACKET.sub("", _STRING.sub("", text))
    # Peel the innermost pairs, level by level, at the speed of str.replace.
    rest = brackets
    levels = 0
    while rest and levels <= limit:
        peeled = rest.replace("[]", "").replace("{}", "")
        if len(peeled) == len(rest):
            break
        rest = peeled
        levels += 2  # "[{}]" loses two levels in one round
    if not rest and levels <= limit:
        return levels
    # Unbalanced or deep: walk, and stop at the limit.
    level = deepest = 0
    for bracket in brackets:
        if bracket in "[{":
            level += 1
            if level > deepest:
                deepest = level
                if deepest > limit:
                    break
        else:
            level -= 1
    return deepest


def safe_json(text: str, tally: Tally | None = None) -> Any:
    """The JSON value of ``text``. Raises FormatError with line and column.

    Of repeated keys the last one counts, which is noted in ``tally``.
    """
    if depth(text) > MAX_DEPTH:
        raise FormatError(f"The file nests deeper than {MAX_DEPTH} levels, as no chat does.")
    repeated = 0

    def pairs(entries: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal repeated
        found = dict(entries)
        repeated += len(entries) - len(found)
        return found

    try:
        value = json.loads(
            text,
            object_pairs_hook=pairs,
            parse_constant=_no_number,
            parse_float=_float,
            parse_int=_int,
        )
    except json.JSONDecodeError as error:
        raise FormatError(_explain(error), error.lineno, error.colno) from None
    except RecursionError:
        raise FormatError("The file nests too deep.") from None
    if repeated and tally is not None:
        tally.note(f"{repeated} keys were repeated; the last value was taken.")
    return value


def _no_number(_: str) -> None:
    return None


def _float(digits: str) -> float | None:
    value = float(digits)
    return value if value - value == 0 else None  # neither infinite


def _int(digits: str) -> int | None:
    return int(digits) if len(digits) <= _MAX_DIGITS else None


def _explain(error: json.JSONDecodeError) -> str:
    text, at = error.doc, error.pos
    if error.msg.startswith("Unterminated string") or not text[at:].strip():
        return "The file is cut off: it ends in the middle"
    before = text[:at].rstrip()[-1:]
    if "trailing comma" in error.msg or (before == "," and text[at] in "]}"):
        return "There is a comma too many before the closing bracket"
    if error.msg == "Extra data":
        return "The file goes on after the end of its JSON"
    return f"This is no valid JSON: {error.msg.lower()}"
