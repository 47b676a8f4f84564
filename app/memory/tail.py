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
    if limit < 1 or not blocks:
        return _cut(previous, limit, lexicon)
    head = _cut(previous, max(1, limit // 4), lexicon)
    start = [head] if head else []
    room = limit - _tokens([*start, ""], lexicon)
    counts = lexicon.count_many([block + "\n\n" for block in blocks])
    kept: list[str] = []  # the newest first
    for block, count in zip(reversed(blocks), reversed(list(counts)), strict=True):
        if count > room:
            break
        kept.append(block)
        room -= count
    if not kept:
        newest = _cut(blocks[-1], room, lexicon)
        kept = [newest] if newest else []
    # The parts may make more tokens together than one by one.
    while kept and _tokens([*start, *reversed(kept)], lexicon) > limit:
        kept.pop()
    return "\n\n".join([*start, *reversed(kept)])


def _tokens(parts: Sequence[str], lexicon: Lexicon) -> int:
    return sum(lexicon.count_many(["\n\n".join(parts)]))


def _cut(text: str, limit: int, lexicon: Lexicon) -> str:
    """The head of ``text`` of at most ``limit`` tokens, cut at a sentence, else at a word."""
    return "".join(line.text for line in shorten([Line(text, None)], limit, lexicon))
