"""What a statement says: its topic, its values and names, and whether it tells of a change."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from app.memory.extractive.updates import CUE, statement
from app.memory.extractive.words import runs, stem
from app.memory.recall.changes import AGAIN, CALENDAR, CHANGE, ENDED, LATELY, TIME

_PART = re.compile(r"[,;:.!?。、，；：！？]|\s[–—-]\s")
VALUE = re.compile(r"[\d@]")


@dataclass(frozen=True, slots=True)
class Facts:
    """What a statement says, whatever is asked."""

    about: frozenset[str]  # but for the words that tell of a change, values and words of time
    values: frozenset[str]  # numbers, days, addresses, words like "tulip22"
    names: frozenset[str]  # stems
    all: frozenset[str]  # what it is about, and names
    changes: frozenset[str]  # stems of words like "moved"
    change: bool  # or one like "now"
    ended: frozenset[str] | None  # what it says has ended
    cue: bool  # any of these, or "again"


@dataclass(frozen=True, slots=True)
class Said:
    """A statement that somebody made, with the question's terms that it has (``asked``)."""

    text: str
    speaker: str
    asked: frozenset[str]
    facts: Facts


@lru_cache(maxsize=2048)  # the same folded messages are asked again and again
def facts(text: str) -> Facts:
    """The facts of ``text``."""
    changes = list(CHANGE.finditer(text))
    cues = [*changes, *CUE.finditer(text), *LATELY.finditer(text)]
    ended = ENDED.search(text)
    about, numbers, names = statement(_bare(text) if cues else text)
    days = frozenset(run.lower() for run in runs(text)) & CALENDAR
    values = {term for term in about if VALUE.search(term)}
    about -= values | TIME | {stem(day) for day in days}
    names = frozenset(stem(name) for name in names - days)
    change = any(ENDED.fullmatch(cue.group(0)) is None for cue in cues)
    return Facts(
        about=about,
        values=numbers | values | days,
        names=names,
        all=about | names,
        changes=frozenset(stem(match.group(0).lower()) for match in changes),
        change=change,
        ended=None if ended is None else _part(text, ended.start()),
        cue=change or ended is not None or AGAIN.search(text) is not None,
    )


def _bare(text: str) -> str:
    for words in (LATELY, CHANGE, CUE):
        text = words.sub(" ", text)
    return text


def _part(text: str, at: int) -> frozenset[str]:
    """What the part of a sentence that ``at`` stands in is about."""
    start = max((match.end() for match in _PART.finditer(text, 0, at)), default=0)
    end = _PART.search(text, at)
    part = text[start : end.start() if end else len(text)]
    about, numbers, names = statement(CUE.sub(" ", part))
    return about | numbers | {name if name in CALENDAR else stem(name) for name in names}
