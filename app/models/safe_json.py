"""Parse JSON that a stranger wrote, without ever raising or killing the runtime.

In Pyodide some thousands of nested brackets end the whole runtime for good, so the depth is
measured before the parser sees the text. Narrowing helpers for what comes out live here too.
"""

from __future__ import annotations

import json
import re
from typing import cast

MAX_DEPTH = 200

JsonObject = dict[str, object]

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_BRACKET = re.compile(r"[\[\]{}]")


class Broken:
    """The type of ``BROKEN``: text that is no JSON, or is nested too deep."""


BROKEN = Broken()


def parse(text: str) -> object:
    """The value of ``text``, or ``BROKEN``. NaN and Infinity are taken as Python takes them."""
    if too_deep(text):
        return BROKEN
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return BROKEN
    return value


def too_deep(text: str) -> bool:
    """Whether brackets outside strings nest over ``MAX_DEPTH``."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return False
    depth = 0
    for match in _BRACKET.finditer(_STRING.sub("", text)):
        depth += 1 if match.group() in "[{" else -1
        if depth > MAX_DEPTH:
            return True
    return False


def as_object(value: object) -> JsonObject:
    """``value`` if it is an object, else an empty one."""
    return cast(JsonObject, value) if isinstance(value, dict) else {}


def as_list(value: object) -> list[object]:
    """``value`` if it is an array, else an empty one."""
    return cast("list[object]", value) if isinstance(value, list) else []


def as_text(value: object) -> str:
    """``value`` if it is a string, a number as its digits, else ""."""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return ""


def as_count(value: object) -> int:
    """``value`` as a whole number >= 0; 0 when it is none (null, NaN, negative, text)."""
    if isinstance(value, bool):
        return 0
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16:
        return int(value)
    if isinstance(value, (int, float)) and 0 < value < 1e15:
        return int(value)
    return 0
