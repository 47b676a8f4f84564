"""Reading JSON whose shape nobody promised: each helper gives what it names or an empty one."""

from __future__ import annotations

from typing import Any, cast

from app.conversation.formats.report import clean


def as_dict(value: object) -> dict[str, Any]:
    """The object, or an empty one."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """The list, or an empty one."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def is_list(value: object) -> bool:
    """Whether it is a list (without telling the type checker, who would know nothing of it)."""
    return isinstance(value, list)


def as_text(value: object) -> str:
    """The text with broken characters replaced, or ""."""
    return clean(value) if isinstance(value, str) else ""


def as_name(value: object, limit: int = 200) -> str:
    """A name on one line, of at most ``limit`` characters, or ""."""
    return " ".join(as_text(value)[: 4 * limit].split())[:limit]


def as_id(value: object) -> str | None:
    """An id: a text that is not empty, or a number as text; None otherwise."""
    if isinstance(value, str) and value:
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return None


def last_of_url(url: object) -> str:
    """The last piece of a path or address, as a name for it; "" for data URLs."""
    text = as_text(url)
    if text.startswith("data:"):
        return ""
    return as_name(text.split("?", 1)[0].split("#", 1)[0].rstrip("/").rsplit("/", 1)[-1])
