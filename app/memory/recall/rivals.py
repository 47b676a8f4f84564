"""Finds passages that answer the same question at different times, so that the newest comes last.

Looser than what a summary may drop (``updates.replaced``), for a wrong guess changes an order. Only
a pair that is *sure* changes more: the newer one is then chosen before the other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.memory.extractive.updates import CUE, replaced, statement
from app.memory.extractive.words import is_dense, runs, stem

HALF = 0.5  # of the shorter one's topic words; both have more, or with "now" so much
DENSE = 0.3  # in scripts without spaces, whose letter pairs reach over the words' ends

# What was so is so no more, whatever words it was told in.
_CHANGE = re.compile(
    r"\b(?:moved|switched|changed|replaced|instead|přestěhov\w+|změn\w+|"
    r"umgezogen|gewechselt|statt|déménagé|mudé|mudado|переехал\w*)\b",
    re.IGNORECASE,
)
# It ended, and what came for it is not said.
_ENDED = re.compile(
    r"\b(?:no longer|any ?more|už ne\w*|nicht mehr|kein\w* mehr|ne plus|ya no|больше не)\b",
    re.IGNORECASE,
)
# What was so once is so once more.
_AGAIN = re.compile(r"\b(?:again|zase|wieder|de nouveau|otra vez|снова|опять)\b", re.IGNORECASE)
_VALUE = re.compile(r"[\d@]")


@dataclass(frozen=True, slots=True)
class _Said:
    text: str
    speaker: str
    asked: frozenset[str]
    about: frozenset[str]  # but for the words that tell of a change, and values
    values: frozenset[str]  # numbers, addresses, words like "tulip22"
    names: frozenset[str]
    change: bool
    ended: bool
    again: bool

    @property
    def cue(self) -> bool:
        return self.change or self.ended or self.again


def rivals(
    texts: Sequence[str], speakers: Sequence[str], asked: Sequence[frozenset[str]]
) -> list[tuple[int, int, bool]]:
    """(older, newer, sure) of the statements about one thing; ``texts`` are in time order.

    ``asked``: the question's terms that each has, none where it has too few. ``sure``: the newer
    one takes the other's place.
    Two are about one thing when they share the topic, or when both have to do with the question
    and the newer one tells of a change ("I live in Prague", "I moved to Brno": where do I live?);
    never when the older one has a topic of the question that the newer one has another one for
    ("the kitchen wall", "the bathroom wall": how is the kitchen wall?).
    """
    told = replaced(texts, speakers)
    known = {(old, new): sure for old, new, sure in told}
    said = [_said(*each) for each in zip(texts, speakers, asked, strict=True)]
    telling = [i for i, each in enumerate(said) if each.asked and not _asks(each.text)]
    places = set(telling)
    out = {
        pair: sure for pair, sure in known.items() if not (pair[0] in places and pair[1] in places)
    }
    for place, new in enumerate(telling):
        for old in telling[:place]:
            sure = _replaces(said[new], said[old], known.get((old, new)))
            if sure is not None:
                out[old, new] = sure
    return [(old, new, sure) for (old, new), sure in out.items()]


def _asks(text: str) -> bool:
    return text.endswith(("?", "？"))


def _said(text: str, speaker: str, asked: frozenset[str]) -> _Said:
    cues = [match.group(0) for pattern in (CUE, _CHANGE) for match in pattern.finditer(text)]
    about, numbers, names = statement(CUE.sub(" ", _CHANGE.sub(" ", text)))
    values = frozenset(term for term in about if _VALUE.search(term))
    ended = _ENDED.search(text) is not None
    return _Said(
        text=text,
        speaker=speaker,
        asked=asked,
        about=about - values,
        values=numbers | values,
        names=names,
        change=any(_ENDED.fullmatch(cue) is None for cue in cues),
        ended=ended,
        again=_AGAIN.search(text) is not None,
    )


def _replaces(new: _Said, old: _Said, known: bool | None) -> bool | None:
    """None: another matter. Else whether it is sure that ``new`` takes the place of ``old``."""
    same = new.speaker == old.speaker
    own = new.about - old.about - new.asked  # what it is about and the older one is not
    missing = frozenset(term for term in old.asked - new.asked if not _told(term, new.text))
    renamed = new.names - old.names and missing & frozenset(map(stem, old.names))
    if (own and missing) or renamed:
        return None
    fresh = bool(new.names - old.names or new.values - old.values)
    if new.ended and not new.change and (own or new.names - old.names):
        return None  # something else ended
    if known is None:
        counted = bool(new.values - old.values) and bool(old.values - new.values)
        shared = new.about & old.about
        share = DENSE if any(is_dense(term) for term in shared) else HALF
        sides = (len(new.about), len(old.about))
        least = share * (min(sides) if new.cue or counted else max(sides))
        enough = len(shared) > least or (new.cue and len(shared) >= least)
        alike = enough and bool(shared & new.asked)
        news = new.cue or fresh or bool(new.about - old.about)
        told = _CHANGE.search(new.text) is not None or new.ended
        if not ((alike and news and (same or counted)) or (same and told)):
            return None
        known = new.cue or (counted and new.about == old.about)
    if not same or missing & frozenset(map(stem, old.names)) or _narrows(new, own):
        return False
    return known and (fresh or not own or not (old.names or old.values))


def _told(term: str, text: str) -> bool:
    """Whether a pair of letters of a script without spaces is in ``text``, if not side by side."""
    return is_dense(term) and all(letter in text for letter in term)


def _narrows(said: _Said, own: frozenset[str]) -> bool:
    """Whether a word of its own stands at one of the question's: the "email" of an address."""
    words = [stem(run.lower()) for run in runs(said.text)]
    return any(
        (a in own and b in said.asked) or (a in said.asked and b in own) for a, b in pairwise(words)
    )
