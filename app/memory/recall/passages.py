"""Chooses the passages that are put before a question: the right sentences of the right messages.

Whole sentences, quoted with their speaker and day, in time order, within the allowance. A short
answer comes with the question that it answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from app.memory.extractive.dates import split_header
from app.memory.extractive.shorten import shorten
from app.memory.extractive.split import units
from app.memory.extractive.types import Lexicon, Line
from app.memory.extractive.words import terms
from app.memory.recall.index import RecallIndex

DEPTH = 24


@dataclass(frozen=True, slots=True)
class Passage:
    """A quoted piece of an earlier message; ``text`` has its day and speaker on it."""

    id: str
    text: str


@dataclass(slots=True)
class _Piece:
    id: str
    unit: int
    text: str
    score: float
    cost: int
    terms: frozenset[str]


def passages(
    index: RecallIndex,
    texts: Mapping[str, tuple[str, str, str]],
    question: str,
    recent: Sequence[str],
    allowance: int,
    lexicon: Lexicon,
    allowed: Callable[[str], bool] | None = None,
) -> list[Passage]:
    """Passages for ``question``, joined by line breaks at most ``allowance`` tokens.

    ``texts`` maps ids to (speaker, text, day); ``recent`` are the texts of the last turns, oldest
    first; ``allowed`` says which messages may be recalled at all.
    """
    if allowance < 8:
        return []
    hits = [
        hit
        for hit in index.search(question, recent=recent, allowed=allowed, limit=DEPTH)
        if hit.id in texts
    ]
    if not hits:
        return []
    pieces, heads = _pieces(index, texts, hits_scores={h.id: h.score for h in hits},
                            question=question, recent=recent, lexicon=lexicon)  # fmt: skip
    order = _pick(pieces, heads, allowance + allowance // 12)
    for end in range(len(order), 0, -1):
        found = _render(index, texts, order[:end])
        if lexicon.count_many(["\n".join(p.text for p in found)])[0] <= allowance:
            return found
    best = order[0] if order else max(pieces, key=lambda p: p.score)
    whole = _render(index, texts, [best])[0]
    cut = shorten([Line(whole.text, None)], allowance, lexicon)
    return [Passage(best.id, cut[0].text)] if cut else []


def _pieces(
    index: RecallIndex,
    texts: Mapping[str, tuple[str, str, str]],
    *,
    hits_scores: dict[str, float],
    question: str,
    recent: Sequence[str],
    lexicon: Lexicon,
) -> tuple[list[_Piece], dict[str, int]]:
    wanted = index.query(question, recent)
    top = max(hits_scores.values())
    raw: list[tuple[str, int, str]] = []
    for id in hits_scores:
        _, body = split_header(texts[id][1])
        raw.extend((id, n, unit.text) for n, unit in enumerate(units(body)))
    heads = [_head(texts[id]) for id in hits_scores]
    counted = lexicon.count_many([" " + text for _, _, text in raw] + [h + "\n" for h in heads])
    pieces: list[_Piece] = []
    for (id, n, text), cost in zip(raw, counted, strict=False):
        own = frozenset(terms(text))
        match = sum(index.weight(t) * wanted[t] for t in own if t in wanted)
        score = hits_scores[id] / top + 0.06 * match
        if text.endswith(("?", "？")):
            score *= 0.5
        pieces.append(_Piece(id, n, text, score, cost, own))
    return pieces, dict(zip(hits_scores, counted[len(raw) :], strict=True))


def _pick(pieces: list[_Piece], heads: dict[str, int], room: int) -> list[_Piece]:
    """Pieces in order of their worth; a message's first piece pays its head."""
    out: list[_Piece] = []
    opened: set[str] = set()
    spent = 0
    for piece in sorted(pieces, key=lambda p: (-p.score, p.unit)):
        cost = piece.cost + (0 if piece.id in opened else heads[piece.id])
        if spent + cost > room:
            continue
        opened.add(piece.id)
        spent += cost
        out.append(piece)
    return out


def _render(
    index: RecallIndex, texts: Mapping[str, tuple[str, str, str]], chosen: list[_Piece]
) -> list[Passage]:
    by_id: dict[str, list[_Piece]] = {}
    for piece in chosen:
        by_id.setdefault(piece.id, []).append(piece)
    out: list[Passage] = []
    for id in sorted(by_id, key=index.position):
        body = " ".join(p.text for p in sorted(by_id[id], key=lambda p: p.unit))
        out.append(Passage(id, f"{_head(texts[id])} {body}"))
    return out


def _head(entry: tuple[str, str, str]) -> str:
    speaker, text, day = entry
    header, _ = split_header(text)
    day = header or day
    head = f"[{day}] " if day else ""
    return f"{head}{speaker}:" if speaker else head.rstrip()
