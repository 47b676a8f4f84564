"""Cutting one text that is too long: head and tail stay, a marker says what went.

Used for a question larger than the budget, a system prompt larger than the room, and a message
larger than the summariser's context. Cuts fall between grapheme-like units, not inside them.
"""

from __future__ import annotations

import re
import unicodedata

from app.memory.tokens import Counter

MARKER = "\n[… left out here: about {n} tokens …]\n"
_SENTENCE_END = re.compile(r"[.!?…]+[\"'”’)\]]*(?=\s)|[。！？]+[」』”]*|\n")
_JOINERS = "\u200d\ufe0e\ufe0f"


def cut_middle(text: str, limit: int, counter: Counter) -> str:
    """``text`` within ``limit`` tokens: two thirds of the room for its head, a third its tail.

    The marker counts too. With no room for a marker the head alone is kept; never "" for a
    text that holds something and a limit of at least one token.
    """
    total = counter.text(text)
    if total <= limit:
        return text
    room = limit - counter.text(MARKER.format(n=total))
    if room < 4:
        return cut_head(text, limit, counter)
    share = room / total
    for _ in range(40):
        size = int(len(text) * share)
        if size < 2:
            break
        head = _boundary(text, size * 2 // 3)
        tail = _boundary(text, len(text) - size // 3)
        left_out = total * (tail - head) // len(text)
        candidate = text[:head] + MARKER.format(n=left_out) + text[tail:]
        used = counter.text(candidate)
        if used <= limit:
            return candidate
        share *= min(0.98, limit / used)
    return cut_head(text, limit, counter)


def cut_head(text: str, limit: int, counter: Counter) -> str:
    """A prefix of ``text`` within ``limit`` tokens, to a sentence's or a word's end if it can."""
    if limit <= 0:
        return ""
    total = counter.text(text)
    if total <= limit:
        return text
    size = len(text) * limit // total
    while size:
        piece = text[: _boundary(text, size)]
        ends = [found.end() for found in _SENTENCE_END.finditer(piece)]
        space = piece.rfind(" ", -40)
        if space > 0:
            piece = piece[:space]
        if ends and ends[-1] * 2 >= len(piece):
            piece = text[: ends[-1]].rstrip()
        if piece and counter.text(piece) <= limit:
            return piece
        size = size * 9 // 10
    # The first character is made of more than fits: a part of it, if that does.
    return text[:1] if counter.text(text[:1]) <= limit else ""


def _boundary(text: str, index: int) -> int:
    """The nearest place at or before ``index`` that does not split a combined character."""
    least = max(0, index - 32)
    while least < index < len(text) and _are_one(text[index - 1], text[index]):
        index -= 1
    return index


def _are_one(before: str, char: str) -> bool:
    """Whether two characters in a row are parts of one that people see."""
    return (
        char in _JOINERS
        or before == "\u200d"
        or unicodedata.combining(char) != 0
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\ud800" <= before <= "\udbff"
    )
