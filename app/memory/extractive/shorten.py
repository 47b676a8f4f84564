"""Makes lines fit: whole lines of least value go, a single one is cut at a sentence or a word."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.memory.extractive.salience import Rarity, features, plain_words, prior
from app.memory.extractive.sentences import END
from app.memory.extractive.split import Unit
from app.memory.extractive.types import Lexicon, Line


def drop_least(lines: Sequence[Line], limit: int, lexicon: Lexicon) -> list[Line]:
    """``lines`` without those of least value, joined at most ``limit`` tokens, order kept.

    A single line that is too long is cut at a sentence, then at a word. Never empty if any line
    had text and ``limit`` is at least 1.
    """
    kept = [line for line in lines if line.text.strip()]
    if not kept or limit < 1:
        return []
    if _tokens(kept, lexicon) <= limit:
        return kept
    words = plain_words([line.text for line in kept])
    rarity = Rarity(words, list(lexicon.rank_many(words)))
    counts = lexicon.count_many([line.text + "\n" for line in kept])
    seen: set[str] = set()
    worth: list[tuple[float, int]] = []
    for i in range(len(kept) - 1, -1, -1):  # of two lines that say the same, the newer one stays
        gain = 0.0
        for key, weight in features(kept[i].text, rarity, frozenset()).items():
            gain += weight * (0.3 if key in seen else 1.0)
            seen.add(key)
        worth.append((gain * prior(Unit(kept[i].text), "") / (counts[i] + 2), i))
    order = [i for _, i in sorted(worth, key=lambda w: (-w[0], w[1]))]
    # Lines in order of worth while the sum allows; then the joined text decides.
    chosen: list[int] = []
    spent = 0
    for i in order:
        if spent + counts[i] <= limit + limit // 12 + 1:
            chosen.append(i)
            spent += counts[i]
    while chosen:
        draft = [kept[i] for i in sorted(chosen)]
        if _tokens(draft, lexicon) <= limit:
            return draft
        chosen.pop()
    return shorten([kept[order[0]]], limit, lexicon)


def shorten(lines: Sequence[Line], limit: int, lexicon: Lexicon) -> list[Line]:
    """The first line alone, cut so that it has at most ``limit`` tokens, at a sentence, else at
    a word, else at a character."""
    if not lines or limit < 1:
        return []
    text = lines[0].text
    if len(text) > 40 * limit:  # far beyond any fit: keep the count cheap
        text = text[: 40 * limit]
    ends = [m.end() for m in END.finditer(text)]
    for stops in (ends, [m.start() for m in re.finditer(r"\s+", text)], list(range(1, len(text)))):
        cut = longest_prefix(text, [*stops, len(text)], limit, lexicon)
        if cut.strip():
            return [Line(cut.rstrip(), lines[0].source)]
    return []


def longest_prefix(text: str, stops: list[int], limit: int, lexicon: Lexicon) -> str:
    """The longest ``text[:stop]`` of at most ``limit`` tokens; "" if there is none."""
    low, high = 0, len(stops)
    best = ""
    while low < high:
        step = max(1, (high - low) // 8)
        probes = list(range(low, high, step))
        texts = [text[: stops[i]].rstrip() for i in probes]
        fits = -1
        for n, (count, piece) in enumerate(zip(lexicon.count_many(texts), texts, strict=True)):
            if count <= limit:
                fits = n
                if len(piece) > len(best):
                    best = piece
        if fits < 0:
            return best
        low = probes[fits] + 1
        high = probes[fits + 1] if fits + 1 < len(probes) else high
    return best


def _tokens(lines: Sequence[Line], lexicon: Lexicon) -> int:
    return lexicon.count_many(["\n".join(line.text for line in lines)])[0]
