"""The seeds' rule: keep the newest blocks. The ``minisearch`` preset's fallback and the baseline.

After MiniSearch's fallback, with its two losses mended: a quarter of the limit is kept for the
head of the previous summary, and a newest block that is too long is cut instead of dropped.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.memory.extractive.shorten import shorten
from app.memory.extractive.types import Lexicon, Line, Source

_ROLES = {"user": "User", "assistant": "Assistant", "tool": "Tool", "system": "System"}


def tail(previous: str, items: Sequence[Source], limit: int, lexicon: Lexicon) -> str:
    """The previous summary's head and the newest messages, joined at most ``limit`` tokens.

    Never "" when anything was non-empty and ``limit`` is at least 1.
    """
    blocks = [
        f"{item.name or _ROLES.get(item.role, 'User')}: {item.text.strip()}"
        for item in items
        if item.text.strip()
    ]
    previous = previous.strip()
    if limit < 1 or not (previous or blocks):
        return ""
    room = limit
    head = ""
    if previous:
        head = _cut(previous, limit if not blocks else max(1, limit // 4), lexicon)
        room = limit - (lexicon.count_many([head + "\n\n"])[0] if head else 0)
    counts = lexicon.count_many([block + "\n\n" for block in blocks])
    kept: list[str] = []
    spent = 0
    for block, count in zip(reversed(blocks), reversed(list(counts)), strict=True):
        if spent + count > room:
            if not kept and room > 0:
                kept.append(_cut(block, room, lexicon))
            break
        kept.append(block)
        spent += count
    kept = [block for block in kept if block]
    while True:
        text = "\n\n".join(([head] if head else []) + kept[::-1])
        if lexicon.count_many([text])[0] <= limit or not kept:
            return text if text else _cut(blocks[-1] if blocks else previous, limit, lexicon)
        kept.pop()


def _cut(text: str, limit: int, lexicon: Lexicon) -> str:
    """The head of ``text`` of at most ``limit`` tokens, cut at a sentence, else at a word."""
    cut = shorten([Line(text, None)], limit, lexicon)
    return cut[0].text if cut else ""
