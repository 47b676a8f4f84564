"""A piece of an earlier message, and the passages that chosen pieces make, the best one last."""

from __future__ import annotations

from dataclasses import dataclass

from app.memory.extractive.records import alone, joined
from app.memory.recall.index import RecallIndex

NAME = 60  # characters of a speaker's name


@dataclass(frozen=True, slots=True)
class Passage:
    """A quoted piece of an earlier message; ``text`` has its day and speaker on it."""

    id: str
    text: str


@dataclass(slots=True)
class Piece:
    id: str
    unit: int
    text: str
    about: float
    cost: int
    words: dict[str, float]
    glue: str = ""  # what stood between it and the unit before
    said: str = ""  # the text without the dates that were added to it
    is_other: bool = False  # tells of somebody else what the question asks about oneself
    older: tuple[str, ...] = ()  # messages that said something else about the same thing before
    newest: Piece | None = None  # what is true now, where that is sure


def render(index: RecallIndex, chosen: list[Piece]) -> list[Passage]:
    """The pieces as passages, the best message last; an answer follows its question, and what is
    true now what was true before."""
    by_id: dict[str, list[Piece]] = {}  # in the order of their worth
    for piece in chosen:
        by_id.setdefault(piece.id, []).append(piece)
    rank = _ranks(index, by_id)
    runs: list[list[str]] = []
    for id in sorted(by_id, key=index.position):
        before = runs[-1][-1] if runs else None
        if before and index.asks(before) and index.position(before) + 1 == index.position(id):
            runs[-1].append(id)
        else:
            runs.append([id])
    runs.sort(key=lambda run: -min(rank[id] for id in run))
    out: list[Passage] = []
    for id in [id for run in runs for id in run]:
        body, last = "", -2
        for piece in sorted(by_id[id], key=lambda p: p.unit):
            if body and piece.glue and piece.unit == last + 1:
                body += piece.glue + piece.text
            else:
                body = joined(body, alone(piece.text, piece.glue))
            last = piece.unit
        out.append(Passage(id, f"{head(index, id)} {body}".strip()))
    return out


def _ranks(index: RecallIndex, by_id: dict[str, list[Piece]]) -> dict[str, int]:
    """Each message's place, 0 the best; what is newer stands better than all that it is newer than.

    Nothing else moves: the best one of all is not to stand behind a rival of a rival.
    """
    order = list(by_id)
    for id in sorted(by_id, key=index.position):
        older = {old for piece in by_id[id] for old in piece.older if old in by_id} - {id}
        best = min((order.index(old) for old in older), default=len(order))
        if best < order.index(id):
            order.remove(id)
            order.insert(best, id)
    return {id: place for place, id in enumerate(order)}


def head(index: RecallIndex, id: str) -> str:
    day, speaker = index.day(id), " ".join(index.speaker(id)[:NAME].split())
    head = f"[{day}] " if day else ""
    return f"{head}{speaker}:" if speaker else head.rstrip()
