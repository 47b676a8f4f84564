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
    if total <= limit or limit <= 0:
        return text if total <= limit else ""
    room = limit - counter.text(MARKER.format(n=total))
    share = max(0.0, room / total)
    for _ in range(40):
        size = int(len(text) * share)
        if room < 4 or size < 2:
            break
        head = _boundary(text, size * 2 // 3)
        tail = _boundary(text, len(text) - size // 3)
        left_out = max(1, total * (tail - head) // len(text))
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
    size = max(1, len(text) * limit // total)
    while size > 0:
        end = _boundary(text, size)
        space = text.rfind(" ", max(0, end - 40), end)
        piece = text[: space if space > 0 else end]
        ends = [found.end() for found in _SENTENCE_END.finditer(text, 0, end)]
        if ends and ends[-1] * 2 >= len(piece):
            piece = text[: ends[-1]].rstrip()
        if piece and counter.text(piece) <= limit:
            return piece
        size = min(size - 1, int(size * 0.9))
    # The first character is made of more than fits: a part of it, if that does.
    return text[:1] if counter.text(text[:1]) <= limit else ""


def _boundary(text: str, index: int) -> int:
    """The nearest place at or before ``index`` that does not split a combined character."""
    index = max(0, min(len(text), index))
    for _ in range(32):
        if index in (0, len(text)):
            break
        char, before = text[index], text[index - 1]
        if char in _JOINERS or before == "\u200d" or unicodedata.combining(char):
            index -= 1
            continue
        if "\U0001f3fb" <= char <= "\U0001f3ff" or "\ud800" <= before <= "\udbff":
            index -= 1
            continue
        break
    return index
