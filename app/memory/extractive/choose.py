"""Chooses what stands in the summary: budgeted coverage, by lazy greedy.

Each word counts fully once and less each time after; the unit with the most gain per token is
taken next. Gains only sink, so that a heap of stale gains needs few recomputations.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

OFFSET = 1.5
LEAST = 0.035  # gain per token under which a line is not worth its room, even when there is room
FADE = (1.0, 0.22, 0.06, 0.02)


@dataclass(slots=True)
class Candidate:
    """A unit of a record: what it covers, what it costs (tokens, without its line's head)."""

    record: int
    unit: int
    cost: int
    features: dict[str, float]
    prior: float
    hangs: bool = False  # only behind the unit before it


def choose(
    candidates: list[Candidate], heads: list[int], limit: int, covered: dict[str, int], share: int
) -> list[Candidate]:
    """The candidates taken, in the order in which they were taken, within ``limit`` tokens.

    ``heads`` are the tokens of each record's head, paid by its first unit. No record takes more
    than ``share`` tokens, so that one long message cannot fill the summary.
    """
    spent = 0
    opened: dict[int, int] = {}
    taken: list[Candidate] = []
    by_record: dict[int, list[int]] = {}
    for i, c in enumerate(candidates):
        by_record.setdefault(c.record, []).append(i)
    done = [False] * len(candidates)

    def value(c: Candidate) -> float:
        gain = 0.0
        for key, weight in c.features.items():
            n = covered.get(key, 0)
            gain += weight * (FADE[n] if n < 4 else 0.0)
        cost = c.cost + (0 if c.record in opened else heads[c.record])
        return gain * c.prior / (cost + OFFSET)

    behind = {i - 1: i for i, c in enumerate(candidates) if c.hangs}
    heap = [(-value(c), i) for i, c in enumerate(candidates) if not c.hangs]
    heapq.heapify(heap)
    while heap:
        stale, i = heapq.heappop(heap)
        if done[i]:
            continue
        c = candidates[i]
        fresh = value(c)
        if heap and fresh < -heap[0][0] - 1e-12 and fresh < -stale - 1e-12:
            heapq.heappush(heap, (-fresh, i))
            continue
        if fresh < LEAST:
            break
        cost = c.cost + (0 if c.record in opened else heads[c.record])
        if spent + cost > limit or opened.get(c.record, 0) + cost > share:
            continue
        done[i] = True
        spent += cost
        first = c.record not in opened
        opened[c.record] = opened.get(c.record, 0) + cost
        taken.append(c)
        for key in c.features:
            covered[key] = covered.get(key, 0) + 1
        if i in behind:
            heapq.heappush(heap, (-value(candidates[i + 1]), i + 1))
        if first:  # its other units are cheaper now: their gains may have risen
            for j in by_record[c.record]:
                if not done[j] and not candidates[j].hangs:
                    heapq.heappush(heap, (-value(candidates[j]), j))
    return taken
