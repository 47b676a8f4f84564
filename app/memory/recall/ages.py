"""Which of the pieces that a question finds is newer than which, and what is true now."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence

from app.memory.extractive.words import runs
from app.memory.recall.endings import COMMON, given_up, is_answered_anew, things
from app.memory.recall.index import MEMBER, RecallIndex
from app.memory.recall.kinds import kinds
from app.memory.recall.pieces import Piece
from app.memory.recall.questions import is_about_a_person, is_about_what_is
from app.memory.recall.rivals import rivals
from app.memory.recall.statements import Said, facts

RIVALS = 60  # pieces that are compared for that
TELLING = 0.4  # of the question's words, by their weight: what has fewer does not answer it


class Ages:
    """The best pieces for a question in time order, and which of them answer it."""

    def __init__(
        self,
        index: RecallIndex,
        pieces: Sequence[Piece],
        wanted: Mapping[str, float],
        question: str,
    ) -> None:
        self._index = index
        self._kind = kinds(
            run.lower() for run in runs(question)
        )  # "moved" is of the kind of "live"
        self._who = is_about_a_person(question)
        of = {t: self._kind.get(t, t) for t, share in wanted.items() if share >= MEMBER}
        own = (piece for piece in pieces if not piece.is_other)
        best = heapq.nlargest(RIVALS, own, key=lambda piece: piece.about)
        best.sort(key=lambda piece: (index.position(piece.id), piece.unit))
        least = TELLING * sum(map(index.weight, set(of.values())))
        self._best = best
        self._asked = [frozenset(of[t] for t in of.keys() & piece.words.keys()) for piece in best]
        self._telling = [sum(map(index.weight, each)) >= least for each in self._asked]
        self._answers: list[int] = []
        self._ends = self._endings() if is_about_what_is(question) else []

    def _endings(self) -> list[tuple[int, int, bool]]:
        """(older, newer, sure) where the newer one says that the older one's thing was given up."""
        answers = self._answers
        answers += (i for i, asked in enumerate(self._asked) if asked and self._telling[i])
        out: list[tuple[int, int, bool]] = []
        for new, piece in enumerate(self._best):
            if not given_up(piece.said):
                continue
            found = [
                (old, is_answered_anew(self._said(old), self._said(new)))
                for old in answers
                if old < new
            ]
            ends = [(old, new, sure) for old, sure in found if sure is not None]
            if ends and new not in answers:
                answers.append(new)
            out += ends
        return out

    def _said(self, at: int) -> Said:
        piece = self._best[at]
        return Said(piece.said, self._index.speaker(piece.id), self._asked[at], facts(piece.said))

    def order(self) -> None:
        """Each piece learns which are older and about the same thing, and which is surely newer."""
        best = self._best
        newest: dict[int, int] = {}
        found = rivals(
            [piece.said for piece in best],
            [self._index.speaker(piece.id) for piece in best],
            self._asked,
            self._telling,
            self._kind,
            self._who,
        )
        for old, new, sure in [*found, *self._ends]:
            best[new].older += (best[old].id,)
            if sure:
                newest[old] = max(new, newest.get(old, new))
        for old, new in newest.items():
            best[old].newest = best[new]

    def news(self, text: Callable[[str], str]) -> dict[str, str]:
        """Ids of other messages that say that an answer's thing was given up -> the answer's id."""
        out: dict[str, str] = {}
        for at in self._answers:
            piece = self._best[at]
            for thing in things(self._said(at)):
                for id in self._index.later(thing, piece.id, COMMON):
                    if id not in out and thing in given_up(text(id)):
                        out[id] = piece.id
        return out
