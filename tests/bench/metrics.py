"""What the benchmark counts: how much of an answer stands in a text, and near what it is about.

*Loose*: at least 60 % of the answer's content words stand somewhere. *Anchored*: they stand within
two adjacent lines that hold another word of the question too. Works on words of any script.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from functools import lru_cache

from app.memory.extractive.words import terms

ENOUGH = 0.6
LONG = 40  # words; longer lines are cut, so that joining lines gains nothing


@lru_cache(maxsize=50_000)
def words(text: str) -> frozenset[str]:
    """The content words of ``text``, stemmed; bigrams for scripts without spaces."""
    return frozenset(terms(text))


def answer_words(answer: str, names: Sequence[str]) -> frozenset[str]:
    """What must be found of an answer: its words without the speakers' names, if any are left."""
    found = words(answer)
    return found - words(" ".join(names)) or found


def split_lines(texts: Iterable[str]) -> list[str]:
    """Lines of at most LONG words."""
    out: list[str] = []
    for text in texts:
        for line in text.split("\n"):
            parts = line.split()
            out.extend(" ".join(parts[i : i + LONG]) for i in range(0, len(parts), LONG))
    return out


def share(wanted: frozenset[str], found: frozenset[str]) -> float:
    """The part of ``wanted`` that is in ``found``, 0 to 1."""
    return len(wanted & found) / len(wanted) if wanted else 0.0


def judge(
    lines: Sequence[str], question: str, answer: str, names: Sequence[str]
) -> tuple[int, int]:
    """(loose, anchored), each 0 or 1."""
    wanted = answer_words(answer, names)
    if not wanted:
        return 0, 0
    sets = [words(line) for line in lines]
    if share(wanted, frozenset[str]().union(*sets)) < ENOUGH:
        return 0, 0
    about = words(question) - words(" ".join(names)) - wanted
    for i, one in enumerate(sets):
        two = one | sets[i + 1] if i + 1 < len(sets) else one
        if share(wanted, two) >= ENOUGH and (not about or about & two):
            return 1, 1
    return 1, 0


def common_prefix(before: str, after: str) -> int:
    """Characters that two prompts share at their head."""
    most = min(len(before), len(after))
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if before[:middle] == after[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def percent(values: Sequence[float]) -> float:
    """The mean in percent, 0 for nothing."""
    return 100.0 * sum(values) / len(values) if values else 0.0


def interval(values: Sequence[float], *, seed: int = 1, rounds: int = 2000) -> tuple[float, float]:
    """95 % bootstrap interval of the mean, in percent."""
    if not values:
        return 0.0, 0.0
    rng = random.Random(seed)
    n = len(values)
    means = sorted(sum(rng.choices(values, k=n)) / n for _ in range(rounds))
    return 100.0 * means[int(0.025 * rounds)], 100.0 * means[int(0.975 * rounds)]
