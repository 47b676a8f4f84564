"""Holding a summary's lines to a limit without leaving half a sentence.

Lines of least value go first; of what is cut inside, only whole sentences stay while any fits, so
that no number, negation or condition is lost from a line that is kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.memory.extractive import Line, drop_least
from app.memory.tokens import Counter

SENTENCE_END = re.compile(r"[.!?…]+[\"'”’)\]]*(?=\s|\Z)|[。！？]+[」』”]*")
_SPEAKER = re.compile(r"[^\s:][^:\n]{0,40}: ")


def fit_lines(lines: Sequence[Line], limit: int, counter: Counter) -> list[Line]:
    """Lines of ``lines`` that are together at most ``limit`` tokens; whole ones while any fits.

    One line that is too long is cut at a sentence, and only where none fits at a word.
    """
    kept = [line for line in drop_least(lines, limit, counter.tokenizer) if line.text.strip()]
    whole = [line for line in kept if _is_whole(line.text, lines)]
    if whole:
        return whole
    sentences = [
        Line(text, line.source) for line in lines for text in _sentences(line.text) if text.strip()
    ]
    counts = counter.texts([sentence.text for sentence in sentences])
    fitting = [
        (count, sentence)
        for count, sentence in zip(counts, sentences, strict=True)
        if count <= limit
    ]
    # The longest says most; of two the newer one.
    return [max(enumerate(fitting), key=lambda e: (e[1][0], e[0]))[1][1]] if fitting else kept


def _is_whole(text: str, lines: Sequence[Line]) -> bool:
    """Whether a kept line is one of ``lines``, or ends where a sentence of one ends."""
    return any(
        text in line.text and line.text.index(text) + len(text) in _ends(line.text)
        for line in lines
    )


def _ends(text: str) -> set[int]:
    """Where a sentence of ``text`` ends, its own end among them."""
    return {len(text), *(found.end() for found in SENTENCE_END.finditer(text))}


def _sentences(text: str) -> list[str]:
    """The sentences of a line, each behind the line's speaker."""
    label = _SPEAKER.match(text)
    head = label.group() if label else ""
    found: list[str] = []
    start = len(head)
    for end in [*(m.end() for m in SENTENCE_END.finditer(text, start)), len(text)]:
        sentence = text[start:end].strip()
        if sentence:
            found.append(head + sentence)
        start = end
    return found
