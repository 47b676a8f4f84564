"""A BM25 index over the folded messages of one conversation: incremental, any language.

Ids are added in path order; a hit lends a share of its score to its neighbours, because an
answer often shares no word with the question that is asked about it later.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.memory.extractive.words import terms

K1 = 0.9
B = 0.4
NEIGHBOUR = 0.3
RECENT = 0.35


@dataclass(frozen=True, slots=True)
class Hit:
    """A found message and its score (higher is better; no absolute meaning)."""

    id: str
    score: float


class RecallIndex:
    """Words of messages -> messages. Adding, removing and searching take milliseconds."""

    def __init__(self) -> None:
        self._order: list[str] = []
        self._slot: dict[str, int] = {}
        self._length: list[int] = []
        self._names: list[str] = []
        self._postings: dict[str, dict[int, int]] = {}
        self._words: list[tuple[str, ...]] = []
        self._total = 0
        self._alive = 0

    def __contains__(self, id: object) -> bool:
        return id in self._slot

    def __len__(self) -> int:
        return self._alive

    def add(self, id: str, text: str, name: str = "") -> None:
        """Adds a message after those that are there; one that is there already is left alone."""
        if id in self._slot:
            return
        slot = len(self._order)
        counts: dict[str, int] = {}
        for term in terms(text):
            counts[term] = counts.get(term, 0) + 1
        self._order.append(id)
        self._slot[id] = slot
        self._names.append(name.lower())
        self._words.append(tuple(counts))
        length = sum(min(n, 3) for n in counts.values())
        self._length.append(length)
        self._total += length
        self._alive += 1
        for term, n in counts.items():
            self._postings.setdefault(term, {})[slot] = n

    def remove(self, id: str) -> None:
        """Forgets a message; nothing happens if it is not there."""
        slot = self._slot.pop(id, None)
        if slot is None:
            return
        for term in self._words[slot]:
            postings = self._postings[term]
            postings.pop(slot, None)
            if not postings:
                del self._postings[term]
        self._total -= self._length[slot]
        self._alive -= 1
        self._words[slot] = ()
        self._length[slot] = -1

    def neighbours(self, id: str) -> tuple[str | None, str | None]:
        """The messages just before and just after, as far as they are in the index."""
        slot = self._slot[id]
        before = self._order[slot - 1] if slot and self._length[slot - 1] >= 0 else None
        after = slot + 1
        follows = after < len(self._order) and self._length[after] >= 0
        return before, self._order[after] if follows else None

    def position(self, id: str) -> int:
        """Where the message stands in path order."""
        return self._slot[id]

    def weight(self, term: str) -> float:
        """How rare a term is among the messages (inverse document frequency)."""
        n = len(self._postings.get(term, ()))
        return math.log(1.0 + (self._alive - n + 0.5) / (n + 0.5))

    def query(self, query: str, recent: Sequence[str] = ()) -> dict[str, float]:
        """Term -> weight: the question's words, and with less weight those of the last turns."""
        out: dict[str, float] = {}
        for term in terms(query):
            out[term] = 1.0
        known = sum(self.weight(t) for t in out if t in self._postings)
        share = RECENT if known > 9.0 else RECENT * 1.8  # "and when was that?" leans on them
        for back, text in enumerate(reversed(recent)):
            for term in terms(text):
                out.setdefault(term, share / (1 + back))
        return out

    def search(
        self,
        query: str,
        *,
        recent: Sequence[str] = (),
        allowed: Callable[[str], bool] | None = None,
        limit: int = 20,
    ) -> list[Hit]:
        """The best messages for ``query``; ``recent`` are the last turns' texts, oldest first."""
        if not self._alive:
            return []
        wanted = self.query(query, recent)
        average = max(1.0, self._total / self._alive)
        scores: dict[int, float] = {}
        for term, share in wanted.items():
            postings = self._postings.get(term)
            if postings is None:
                continue
            weight = self.weight(term) * share
            for slot, n in postings.items():
                norm = K1 * (1 - B + B * self._length[slot] / average)
                scores[slot] = scores.get(slot, 0.0) + weight * n * (K1 + 1) / (n + norm)
        low = query.lower()
        for slot in scores:
            name = self._names[slot]
            if name and name in low:
                scores[slot] *= 1.25
        spread = dict(scores)
        for slot, score in scores.items():
            for near in (slot - 1, slot + 1):
                if 0 <= near < len(self._order) and self._length[near] >= 0:
                    spread[near] = spread.get(near, 0.0) + NEIGHBOUR * score
        ranked = sorted(spread.items(), key=lambda s: (-s[1], s[0]))
        out: list[Hit] = []
        for slot, score in ranked:
            id = self._order[slot]
            if score > 0 and (allowed is None or allowed(id)):
                out.append(Hit(id, score))
                if len(out) >= limit:
                    break
        return out
