"""Chooses the passages that are put before a question: the right sentences of the right messages.

Whole sentences, quoted with their speaker and day, within the allowance. A piece is worth what it
is about (the question's words) times what it adds (other words, once each). The best message stands
last, next to the question: a small model answers more questions from that order than from the order
of time (docs/adr/best-passage-last.md). Each has its day, so that time can be told.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from app.memory.extractive.anchor import anchor
from app.memory.extractive.shorten import shorten
from app.memory.extractive.split import Unit, units
from app.memory.extractive.types import Lexicon, Line
from app.memory.extractive.updates import holds_value
from app.memory.extractive.words import stem, terms
from app.memory.recall.ages import Ages
from app.memory.recall.endings import HOPS
from app.memory.recall.index import RecallIndex
from app.memory.recall.people import OTHER, tells_of_another
from app.memory.recall.pieces import Passage, Piece, head, render
from app.memory.recall.questions import is_about_the_past, suitability

DEPTH = 20
SHARP = 1.6  # how much more the best messages count
MATCH = 1.2  # what the question's words in the very sentence add
OWN = 0.35  # the question's words, as a part of what a piece adds
COST = 0.75  # 1: gain per token; 0: gain
QUESTION = 0.4
PHOTO = 0.7
FADE = (1.0, 0.4, 0.2, 0.1)
PLAIN = 4.0  # what any piece adds, so that the very sentence asked for is not passed over
LATE = 0.5  # of an answer's score, for a message that says what became of the answer


def passages(
    index: RecallIndex,
    texts: Mapping[str, tuple[str, str, str]],
    question: str,
    recent: Sequence[str],
    allowance: int,
    lexicon: Lexicon,
    allowed: Callable[[str], bool] | None = None,
) -> list[Passage]:
    """Passages for ``question``, the best one last, at most ``allowance`` tokens with line breaks.

    ``texts`` maps ids to (speaker, text, day), of which the text is used: the others went into
    ``index``. ``recent`` are the texts of the last turns, oldest
    first; ``allowed`` says which messages may be recalled at all.
    """
    if allowance < 8:
        return []
    hits = index.search(question, recent=recent, allowed=allowed, limit=DEPTH)
    scores = {hit.id: hit.score for hit in hits if hit.id in texts}
    if not scores:
        return []
    wanted = index.query(question, recent)
    pieces, heads = _pieces(index, texts, scores, wanted, question, lexicon)
    if not is_about_the_past(question):
        ages = Ages(index, pieces, wanted, question)
        for _ in range(HOPS):  # what became of what was found shares no word with the question
            news = ages.news(lambda id: texts[id][1] if id in texts else "")
            late = {id: LATE * scores[old] for id, old in news.items() if id not in scores}
            late = {id: score for id, score in late.items() if allowed is None or allowed(id)}
            if not late:
                break
            scores |= late
            pieces, heads = _pieces(index, texts, scores, wanted, question, lexicon)
            ages = Ages(index, pieces, wanted, question)
        ages.order()
    order = _pick(pieces, heads, allowance + allowance // 10)
    if not order:
        return []
    for end in range(len(order), 0, -1):
        found = render(index, order[:end])
        if lexicon.count_many(["\n".join(p.text for p in found)])[0] <= allowance:
            return found
    whole = render(index, order[:1])[0]
    cut = shorten([Line(whole.text, None)], allowance, lexicon)
    label = head(index, whole.id)  # of which alone nobody has anything
    told = cut[0].text[len(label) :] if cut else ""
    return [Passage(whole.id, cut[0].text)] if re.search(r"\w", told) else []


def _pieces(
    index: RecallIndex,
    texts: Mapping[str, tuple[str, str, str]],
    scores: dict[str, float],
    wanted: dict[str, float],
    question: str,
    lexicon: Lexicon,
) -> tuple[list[Piece], dict[str, int]]:
    names = index.speakers()
    stems = frozenset(stem(name) for name in names)
    raw: list[tuple[str, int, str, Unit]] = []
    for id in scores:
        for n, unit in enumerate(_whole(units(index.body(id, texts[id][1]), names))):
            text = (
                anchor(unit.text, index.day(id), dated=True) if unit.kind == "prose" else unit.text
            )
            raw.append((id, n, text, unit))
    counted = lexicon.count_many(
        [" " + text for _, _, text, _ in raw] + [head(index, id) + "\n" for id in scores]
    )
    top = max(scores.values())
    full = sum(index.weight(t) * share for t, share in wanted.items()) or 1.0
    suits, is_other = suitability(question), tells_of_another(question)
    pieces: list[Piece] = []
    weights: dict[str, float] = {}
    for (id, n, text, unit), cost in zip(raw, counted, strict=False):
        own: dict[str, float] = {}
        for t in _terms(text):
            weight = weights.get(t)
            if weight is None:
                weight = weights[t] = 0.0 if t in stems else index.weight(t)
            if weight:
                own[t] = weight
        match = sum(weight * wanted[t] for t, weight in own.items() if t in wanted) / full
        about = (scores[id] / top) ** SHARP * (1.0 + MATCH * match)
        if text.endswith(("?", "？")):
            about *= QUESTION
        if unit.kind == "photo":
            about *= PHOTO
        else:
            about *= suits(text)
        other = is_other(unit.text)
        about *= OTHER if other else 1.0
        words = {t: w * OWN if t in wanted else w for t, w in own.items()}
        pieces.append(Piece(id, n, text, about, cost, words, unit.glue, unit.text, other))
    return pieces, dict(zip(scores, counted[len(raw) :], strict=True))


@lru_cache(maxsize=4096)  # the same folded messages are found again and again
def _terms(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(terms(text)))


def _whole(parts: Sequence[Unit]) -> list[Unit]:
    """The units with what hangs on them: nobody can read a part that cannot stand alone."""
    out: list[Unit] = []
    for part in parts:
        if part.hangs and out:
            before = out.pop()
            part = replace(before, text=before.text + part.glue + part.text)
        out.append(part)
    return out


def _pick(pieces: list[Piece], heads: dict[str, int], room: int) -> list[Piece]:
    """Pieces in the order of their worth; a message's first piece pays its head."""
    seen: dict[str, int] = {}
    opened: set[str] = set()
    taken: set[int] = set()
    left = set(range(len(pieces)))
    place = {id(piece): i for i, piece in enumerate(pieces)}
    out: list[Piece] = []

    def value(i: int) -> float:
        piece = pieces[i]
        adds = PLAIN
        for term, weight in piece.words.items():
            adds += weight * FADE[min(seen.get(term, 0), 3)]
        cost = piece.cost + (0 if piece.id in opened else heads[piece.id])
        return piece.about * adds / cost**COST

    # Of equals first what holds a name or a number, then what was found first.
    bare = [not holds_value(piece.said or piece.text) for piece in pieces]
    heap = [(-value(i), bare[i], i) for i in left]
    heapq.heapify(heap)
    while heap:
        _, _, i = heapq.heappop(heap)
        if i not in left or (out and pieces[i].cost > room and pieces[i].newest is None):
            continue
        fresh = value(i)
        if heap and fresh < -heap[0][0] - 1e-12:
            heapq.heappush(heap, (-fresh, bare[i], i))
            continue
        if fresh <= 0.0:
            break
        piece = pieces[i]
        while piece.newest is not None and id(piece.newest) not in taken:  # what is true now first
            piece = piece.newest
        if piece is not pieces[i]:
            if place[id(piece)] not in left:  # there is no room for it: then not for the old one
                left.discard(i)
                continue
            heapq.heappush(heap, (-fresh, bare[i], i))
            i = place[id(piece)]
        left.discard(i)
        cost = piece.cost + (0 if piece.id in opened else heads[piece.id])
        if cost > room and out:
            continue
        room -= cost
        out.append(piece)
        taken.add(id(piece))
        for term in piece.words:
            seen[term] = seen.get(term, 0) + 1
        if piece.id not in opened:
            opened.add(piece.id)
            for j in left:
                if pieces[j].id == piece.id:
                    heapq.heappush(heap, (-value(j), bare[j], j))
    return out
