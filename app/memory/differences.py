"""What changed between two summaries, line by line, for the ledger's history.

A small longest-common-subsequence diff: summaries have some dozens of lines, and the standard
library's diff costs a slow import at boot.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

MAX_LINES = 400  # of one summary; what lies beyond is taken as replaced

Change = Literal["same", "gone", "new"]


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of either summary: in both, only in the older, or only in the newer."""

    change: Change
    text: str


def differences(older: str, newer: str) -> list[DiffLine]:
    """The lines of both texts in reading order; lines that went stand before those that came."""
    a = older.split("\n") if older else []
    b = newer.split("\n") if newer else []
    head = 0
    while head < min(len(a), len(b)) and a[head] == b[head]:
        head += 1
    tail = 0
    while tail < min(len(a), len(b)) - head and a[-1 - tail] == b[-1 - tail]:
        tail += 1
    middle = _middle(a[head : len(a) - tail], b[head : len(b) - tail])
    same_head = [DiffLine("same", line) for line in a[:head]]
    same_tail = [DiffLine("same", line) for line in a[len(a) - tail :]]
    return same_head + middle + same_tail


def _middle(a: list[str], b: list[str]) -> list[DiffLine]:
    """The lines between the common head and tail."""
    if len(a) > MAX_LINES or len(b) > MAX_LINES:
        return [DiffLine("gone", line) for line in a] + [DiffLine("new", line) for line in b]
    # longest[i][j]: the length of the longest common subsequence of a[i:] and b[j:]
    longest = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in reversed(range(len(a))):
        for j in reversed(range(len(b))):
            longest[i][j] = (
                longest[i + 1][j + 1] + 1
                if a[i] == b[j]
                else max(longest[i + 1][j], longest[i][j + 1])
            )
    found: list[DiffLine] = []
    i = j = 0
    while i < len(a) or j < len(b):
        if i < len(a) and j < len(b) and a[i] == b[j]:
            found.append(DiffLine("same", a[i]))
            i, j = i + 1, j + 1
        elif j == len(b) or (i < len(a) and longest[i + 1][j] >= longest[i][j + 1]):
            found.append(DiffLine("gone", a[i]))
            i += 1
        else:
            found.append(DiffLine("new", b[j]))
            j += 1
    return found
