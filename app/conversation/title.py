"""The automatic title of a conversation, from its first user message.

One line, without markup, cut at a word, never empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from app.conversation.message import INVISIBLE, Message

UNTITLED = "New chat"
LIMIT = 60  # characters, the ellipsis included
MAX_TITLE = 200  # characters that a person can give

_LOOK_AT = 2000  # characters: a title never needs the rest of a pasted book
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[^\n]*$", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\n]*\)")
_TAG = re.compile(r"</?[A-Za-z][^<>\n]*>|<!--")
_LINE_START = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+|\d{1,3}[.)][ \t]+)", re.M)
_EMPHASIS = re.compile(r"(?<!\w)(\*{1,3}|_{1,3}|~~)(?=\S)([^*_~\n]+)(?<=\S)\1(?!\w)")
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u180e\u200b\u200e\u200f"
    "\u202a-\u202e\u2060\u2066-\u2069\ufeff\ud800-\udfff]+"
)
# Characters that belong to the one before: accents, joiners, variation and skin tone selectors.
_TAIL = re.compile("[\u0300-\u036f\u200c\u200d\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]")


def auto_title(messages: Iterable[Message]) -> str:
    """A title from the first user message that says something; ``New chat`` when none does."""
    for message in messages:
        if message.role == "user" and not message.hidden:
            title = title_from_text(message.text)
            if title == UNTITLED:
                named = [part.name for part in message.parts if part.name]
                title = title_from_text(named[0]) if named else UNTITLED
            if title != UNTITLED:
                return title
    return UNTITLED


def title_from_text(text: str, limit: int = LIMIT) -> str:
    """The text as a title of at most ``limit`` characters; ``New chat`` for nothing visible."""
    head = _UNSEEN.sub("", text.lstrip(INVISIBLE)[:_LOOK_AT])
    plain = _LINE_START.sub("", _FENCE.sub("", head))
    plain = _EMPHASIS.sub(r"\2", _TAG.sub(" ", _LINK.sub(r"\1", plain))).replace("`", "")
    title = _one_line(plain) or _one_line(head)
    return _cut(title, limit) or UNTITLED


def given_title(text: str, limit: int = 120) -> str:
    """A title that somebody gave, on one line and of bounded length, else as it is; or ""."""
    return _cut(_one_line(_UNSEEN.sub("", text[: 4 * limit])), limit)


def _one_line(text: str) -> str:
    line = " ".join(text.split()).strip(INVISIBLE)
    # Joiners that join nothing are not a title.
    return line if _TAIL.sub("", line).strip() else ""


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    end = limit - 1
    space = text.rfind(" ", 0, end + 1)
    if space >= limit // 2:
        end = space
    else:
        while end > 1 and (_TAIL.match(text[end]) or text[end - 1] == "\u200d"):
            end -= 1
    return text[:end].rstrip(" ,;:.-") + "…"
