"""Finds passages that answer the same question at different times, so that the newest comes last.

Looser than what a summary may drop (``updates.replaced``), for a wrong guess changes an order. Only
a pair that is *sure* changes more: the newer one is then chosen before the other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from app.memory.extractive.updates import CUE, replaced
from app.memory.extractive.words import STOP, is_dense, runs, stem
from app.memory.recall.changes import AGAIN, CALENDAR, CHANGE, FORMER, TIME
from app.memory.recall.statements import VALUE, Said, facts
from app.memory.recall.values import is_misplaced, is_value

HALF = 0.5  # of the shorter one's topic words; both have more, or with "now" so much
PAIRS = 0.25  # in scripts without spaces, whose letter pairs reach over the words' ends

_COPULA = frozenset("是的了在有我你他她这那")  # tell no thing from another


def rivals(
    texts: Sequence[str],
    speakers: Sequence[str],
    asked: Sequence[frozenset[str]],
    telling: Sequence[bool],
    kind: Mapping[str, str] = {},
    who: bool = False,
) -> list[tuple[int, int, bool]]:
    """(older, newer, sure) of the statements about one thing; ``texts`` are in time order.

    ``asked``: the question's terms that each has, where a member of a kind stands for the kind that
    is asked for (``kind``). ``telling``: whether these are enough of them. ``who``: whether the
    question is about a person. ``sure``: the newer one takes the other's place.

    Two are about one thing when they share the topic, or when both have to do with the question
    and the newer one tells of a change ("I live in Prague", "I moved to Brno": where do I live?);
    never when the newer one has another word in the place of one of the question's ("the kitchen
    wall", "the bathroom wall").
    """
    known = {(old, new): sure for old, new, sure in replaced(texts, speakers)}
    said = {
        i: Said(text, speaker, terms, facts(text))
        for i, (text, speaker, terms) in enumerate(zip(texts, speakers, asked, strict=True))
        if terms and not text.endswith(_ASKS)
    }
    out = {pair: sure for pair, sure in known.items() if not (pair[0] in said and pair[1] in said)}
    for old, before in said.items():
        if not telling[old]:
            continue
        for new, after in said.items():
            if new <= old or not (telling[new] or _is_terse(after, before)):
                continue
            sure = _replaces(after, before, known.get((old, new)), kind, who)
            if sure is not None:
                out[old, new] = sure
    return [(old, new, sure) for (old, new), sure in out.items()]


_ASKS = ("?", "？")


@lru_cache(maxsize=2048)
def _told(text: str) -> tuple[tuple[str, bool], ...]:
    """The stems of ``text``, values and empty words left out, and whether each tells a change."""
    out: list[tuple[str, bool]] = []
    for run in runs(text):
        low = run.lower()
        if CHANGE.fullmatch(run):
            out.append((stem(low), True))
        elif not (
            low in STOP
            or len(low) < 2
            or low in CALENDAR
            or stem(low) in TIME
            or VALUE.search(low)
            or CUE.fullmatch(run)
            or AGAIN.fullmatch(run)
        ):
            out.append((stem(low), False))
    return tuple(out)


def _beside(text: str, kind: Mapping[str, str]) -> frozenset[tuple[str, int, str]]:
    """Which word stands beside which, values and empty words left out."""
    # What stands before and behind a change is not said of each other.
    found = [
        "" if change and word not in kind else kind.get(word, word) for word, change in _told(text)
    ]
    out: set[tuple[str, int, str]] = set()
    for a, b in pairwise(found):
        if a and b:
            out |= {(a, 1, b), (b, -1, a)}
    return frozenset(out)


def _is_terse(new: Said, old: Said) -> bool:
    """Whether ``new`` tells a new value of what ``old`` is about, and hardly anything else."""
    ours, theirs = new.facts, old.facts
    value = ours.names - theirs.names or ours.values - theirs.values or _becomes(new.text)
    if not ours.cue or not value:
        return False
    rest = ours.about - theirs.all - _becomes(new.text)
    return len(rest) <= (1 if ours.values and theirs.values else 0)


def _is_another(
    new: Said, old: Said, missing: frozenset[str], own: frozenset[str], kind: Mapping[str, str]
) -> bool:
    """Whether ``new`` is about another thing: a word of its own in the place of a missing one."""
    if FORMER.search(new.text) or (missing and _has_another_number(new.text, old.text, missing)):
        return True
    days = new.facts.values & CALENDAR
    if days and not new.facts.changes and _days(old) & missing:
        return True  # "on Saturday", where what is on Friday is asked for
    places = {(term, side) for term, side, word in _beside(old.text, kind) if word in missing}
    if places and own:
        beside = _beside(new.text, kind)
        if any((term, side) in places and word in own for term, side, word in beside):
            return True
    dense = {term for term in missing if is_dense(term) and _COPULA.isdisjoint(term)}
    return bool(dense) and any(map(is_dense, own))


def _days(said: Said) -> frozenset[str]:
    return frozenset(map(stem, said.facts.values & CALENDAR))


def _has_another_number(new: str, old: str, missing: frozenset[str]) -> bool:
    """Whether it is about "flat 3", and the older one about the "flat 2" that is asked for."""
    wanted = {word: number for word, number in _numbered(old) if number in missing}
    return any(wanted.get(word, number) != number for word, number in _numbered(new))


def _numbered(text: str) -> list[tuple[str, str]]:
    low = [run.lower() for run in runs(text)]
    return [(stem(word), number) for word, number in pairwise(low) if number[0].isdigit()]


def _replaces(
    new: Said, old: Said, known: bool | None, kind: Mapping[str, str], who: bool
) -> bool | None:
    """None: another matter. Else whether it is sure that ``new`` takes the place of ``old``."""
    ours, theirs = new.facts, old.facts
    same = new.speaker == old.speaker
    # What it is about and the older one is not.
    own = ours.all - theirs.all - new.asked - _becomes(new.text)
    topics = ours.about - theirs.all - new.asked
    missing = frozenset(term for term in old.asked - new.asked if not _has(new.text, term))
    if _is_another(new, old, missing, own, kind):
        return None
    ended = ours.ended is not None and ours.ended <= theirs.all | theirs.values
    if ours.ended is not None and not ended and not ours.change:
        return None  # something else ended
    fresh = bool(ours.names - theirs.names or ours.values - theirs.values)
    counted = bool(ours.values - theirs.values) and bool(theirs.values - ours.values)
    if known is None:
        shared = ours.about & theirs.about
        # "The CEO", and any noun of German, look like a name.
        asked = frozenset[str]() if shared else ours.names & theirs.names & new.asked
        shared |= asked
        share = PAIRS if any(is_dense(term) for term in shared) else HALF
        sides = (len(ours.about | asked), len(theirs.about | asked))
        least = share * (min(sides) if ours.cue or counted else max(sides))
        enough = len(shared) > least or (ours.cue and len(shared) >= least)
        alike = enough and bool(shared & new.asked)
        alike = alike or (_is_terse(new, old) and bool(ours.all & theirs.all & new.asked))
        news = ours.cue or fresh or bool(ours.about - theirs.about)
        if (alike and news and (same or counted)) or (same and _tells(new, old, missing, kind)):
            known = ours.cue or (counted and ours.about == theirs.about)
        elif same and ours.cue and old.asked and old.asked <= new.asked:
            # Among other things it gives another name or number for what is asked.
            return False if counted or (theirs.names and ours.names - theirs.names) else None
        else:
            return None
    known = known or (ours.cue and counted)
    if not same or (missing and not (counted and not topics)) or _narrows(new, topics, kind):
        return False
    if ended or not known:
        return known
    return is_value(new, old) or not (topics or (who and is_misplaced(new, old)))


def _tells(new: Said, old: Said, missing: frozenset[str], kind: Mapping[str, str]) -> bool:
    """Whether ``new`` tells of a change in what is asked, without the older one's words for it."""
    ours, theirs = new.facts, old.facts
    if ours.changes & kind.keys():  # "moved" is said of where one lives
        return True
    if not ours.changes and ours.ended is None:
        return False
    literal = new.asked & ours.all or ours.names & theirs.names
    rest = ours.about - theirs.all - new.asked
    return bool(literal) and (not missing or not rest or rest == _becomes(new.text))


_BECOMES = re.compile(r"\b(?:to|into|na|auf|zu|en|à|a|на|в) (\w+)[.!]?$", re.IGNORECASE)


def _becomes(text: str) -> frozenset[str]:
    """The stem of what something was changed "to", where the statement ends with it."""
    found = _BECOMES.search(text)
    return frozenset([stem(found.group(1).lower())] if found else [])


def _has(text: str, term: str) -> bool:
    """Whether a pair of letters of a script without spaces is in ``text``, if not side by side."""
    return is_dense(term) and all(letter in text for letter in term)


def _narrows(said: Said, own: frozenset[str], kind: Mapping[str, str]) -> bool:
    """Whether a word of its own stands at one of the question's: the "email" of an address."""
    words = [kind.get(word, word) for word in (stem(run.lower()) for run in runs(said.text))]
    return any(
        (a in own and b in said.asked) or (a in said.asked and b in own) for a, b in pairwise(words)
    )
