"""A BM25 index over the folded messages of one conversation: incremental, any language.

Ids are added in path order; a hit lends a share of its score to its neighbours, because an
answer often shares no word with the question that is asked about it later.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from app.memory.extractive.anchor import written
from app.memory.extractive.dates import split_header
from app.memory.extractive.speakers import leading_name
from app.memory.extractive.words import runs, stem, terms
from app.memory.recall.kinds import members

K1 = 0.9
B = 0.3
AFTER_QUESTION = 0.5  # share of a question's score that the message after it gets
NEAR = (0.3, 0.15)  # share for the messages one and two away
RECENT = (0.1, 0.8)  # weight of the last turns' words behind a question that says enough, or not
SPEAKER = 1.35
DAY = 0.5
STRANGE = 12  # words of a question that no message has and whose nearest is looked for
MEMBER = 0.5  # weight of what belongs to a kind that the question names
SEEDS = 200  # messages that lend to their neighbours
# One object for each common count: what lies close together in memory is summed twice as quickly.
_SHARED = {n: n for n in map(float, range(1, 64))}


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
        self._names: list[str] = []  # as given: a name, or the role
        self._inner: list[str] = []  # the name that the text itself begins with
        self._leads: dict[tuple[str, str], int] = {}
        self._given: dict[str, int] = {}
        self._days: list[str] = []
        self._asks: list[bool] = []
        self._postings: dict[str, dict[int, float]] = {}
        self._initial: dict[str, dict[str, None]] = {}  # the terms by the letter they begin with
        self._words: list[tuple[str, ...]] = []
        self._total = 0
        self._alive = 0

    def __contains__(self, id: object) -> bool:
        return id in self._slot

    def __len__(self) -> int:
        return self._alive

    def add(self, id: str, text: str, name: str = "", day: str = "") -> None:
        """Adds a message after those that are there; one that is there already is left alone.

        ``day`` is its date as text: a question about a date finds the messages of that day.
        """
        if id in self._slot:
            return
        slot = len(self._order)
        inner, body = leading_name(text)
        header, body = split_header(body)
        day = header or written(day) or (self._days[-1] if self._days else "")
        self._days.append(day)
        words = terms(f"{inner} {body}" if inner else body)
        counts = dict[str, float](Counter(words))
        for term in terms(day):
            counts[term] = counts.get(term, 0) + DAY
        self._order.append(id)
        self._slot[id] = slot
        self._names.append(name)
        self._inner.append(inner)
        self._given[name] = self._given.get(name, 0) + 1
        if inner:
            self._leads[name, inner] = self._leads.get((name, inner), 0) + 1
        self._asks.append(text.rstrip().endswith(("?", "？")) or "? [" in text)
        self._words.append(tuple(counts))
        self._length.append(len(words))
        self._total += len(words)
        self._alive += 1
        for term, n in counts.items():
            postings = self._postings.get(term)
            if postings is None:
                postings = self._postings[term] = {}
                self._initial.setdefault(term[0], {})[term] = None
            postings[slot] = _SHARED.get(n, n)

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
                del self._initial[term[0]][term]
        name, inner = self._names[slot], self._inner[slot]
        self._given[name] -= 1
        if inner:
            self._leads[name, inner] -= 1
        self._total -= self._length[slot]
        self._alive -= 1
        self._words[slot] = ()
        self._length[slot] = -1

    def position(self, id: str) -> int:
        """Where the message stands in path order."""
        return self._slot[id]

    def asks(self, id: str) -> bool:
        """Whether the message ends in a question."""
        return self._asks[self._slot[id]]

    def weight(self, term: str) -> float:
        """How rare a term is among the messages (inverse document frequency)."""
        n = len(self._postings.get(term, ()))
        return math.log(1.0 + (self._alive - n + 0.5) / (n + 0.5))

    def later(self, term: str, id: str, most: int) -> list[str]:
        """The messages behind ``id`` that have ``term``; none where more than ``most`` have it."""
        slots = self._postings.get(term, {})
        if len(slots) > most:
            return []
        return [self._order[slot] for slot in slots if slot > self._slot[id]]

    def day(self, id: str) -> str:
        """The day of a message, as given or as the last header before it says; "" if unknown."""
        return self._days[self._slot[id]]

    def speaker(self, id: str) -> str:
        """Who said it: the name that most messages of that role begin with, else as given."""
        return self._speaker(self._slot[id])

    def body(self, id: str, text: str) -> str:
        """``text`` without the speaker's name and the day at its head."""
        slot = self._slot[id]
        if self._inner[slot] and self._speaker(slot) == self._inner[slot]:
            _, text = leading_name(text)
        return split_header(text)[1]

    def speakers(self) -> frozenset[str]:
        """The words of all speakers' names, lower case: they tell who, not what about."""
        names = [name for name, n in self._given.items() if n]
        names += [inner for (name, inner), n in self._leads.items() if self._leads_with(name, n)]
        return frozenset(part for name in names for part in name.lower().split())

    def _speaker(self, slot: int) -> str:
        name, inner = self._names[slot], self._inner[slot]
        if inner and self._leads_with(name, self._leads[name, inner]):
            return inner
        return name

    def _leads_with(self, name: str, count: int) -> bool:
        return count > 1 and count * 2 > self._given[name]

    def query(self, query: str, recent: Sequence[str] = ()) -> dict[str, float]:
        """Term -> weight: the question's words, and with less weight those of the last turns.

        A word that no message has stands for the nearest one that is spelt almost so; a kind
        ("instrument") for its members ("violin"), too.
        """
        out: dict[str, float] = {}
        names = frozenset(stem(name) for name in self.speakers())
        kinds = [
            word for word in dict.fromkeys(run.lower() for run in runs(query)) if members(word)
        ]
        known_kinds = {stem(word) for word in kinds}
        strange = 0
        for term in dict.fromkeys(terms(query)):
            if term in names:
                continue
            if term in self._postings:
                out[term] = 1.0
            elif term not in known_kinds and strange < STRANGE:
                strange += 1
                near = self._nearest(term)
                if near is not None:
                    out.setdefault(near, 0.7)
        known = sum(self.weight(t) for t in out)
        for member in [each for kind in kinds for each in members(kind)]:
            if member in self._postings and member not in names:
                out.setdefault(member, MEMBER)
        # "And when was that?" leans on the last turns, a whole question hardly does.
        share = RECENT[0] if known > 4.0 else RECENT[1]
        for back, text in enumerate(reversed(recent)):
            for term in terms(text):
                if term in self._postings and term not in names:
                    out.setdefault(term, share / (1 + back))
        return out

    def _nearest(self, term: str) -> str | None:
        """The indexed term with the most letter pairs in common, if it has most of them."""
        if len(term) < 5 or not term.isalpha():
            return None
        pairs = {term[i : i + 2] for i in range(len(term) - 1)}
        best, found = 0.66, None
        for other in self._initial.get(term[0], ()):
            if abs(len(other) - len(term)) > 2 or len(other) < 4:
                continue
            theirs = {other[i : i + 2] for i in range(len(other) - 1)}
            same = 2 * len(pairs & theirs) / (len(pairs) + len(theirs))
            if same > best:
                best, found = same, other
        return found

    def _scores(self, wanted: Mapping[str, float]) -> list[float]:
        """BM25 of every message, 0 where it has none of the words ``wanted``."""
        average = max(1.0, self._total / self._alive)
        norms = [K1 * (1 - B + B * length / average) for length in self._length]
        scores = [0.0] * len(norms)
        for term, share in wanted.items():
            weight = self.weight(term) * share * (K1 + 1)
            for slot, n in self._postings[term].items():
                scores[slot] += weight * n / (n + norms[slot])
        return scores

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
        scores = self._scores(self.query(query, recent))
        found = [(score, slot) for slot, score in enumerate(scores) if score]
        seeds = [(slot, score) for score, slot in heapq.nlargest(max(SEEDS, 4 * limit), found)]
        spread = dict(seeds)
        size = len(self._order)
        for slot, score in seeds:
            for far, share in enumerate(NEAR, 1):
                for near in (slot - far, slot + far):
                    if 0 <= near < size and self._length[near] >= 0:
                        if near == slot + 1 and self._asks[slot]:
                            share = AFTER_QUESTION
                        spread[near] = spread.get(near, scores[near]) + share * score
        asked = {low for run in runs(query) for low in (run.lower(), run.lower()[:-2])}
        called = self.speakers() & asked
        if called:
            for slot in spread:
                if not called.isdisjoint(self._speaker(slot).lower().split()):
                    spread[slot] *= SPEAKER
        out: list[Hit] = []
        # Of equals the newest first.
        for slot, score in sorted(spread.items(), key=lambda s: (-s[1], -s[0])):
            id = self._order[slot]
            if allowed is None or allowed(id):
                out.append(Hit(id, score))
                if len(out) >= limit:
                    break
        return out
