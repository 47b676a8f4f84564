"""Finds passages that answer the same question at different times, so that the newest comes last.

Looser than what a summary may drop (``updates.replaced``), for a wrong guess changes an order. Only
a pair that is *sure* changes more: the newer one is then chosen before the other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from app.memory.extractive.updates import CUE, replaced, statement
from app.memory.extractive.words import DENSE, STOP, is_dense, is_kana, runs, stem
from app.memory.recall.changes import AGAIN, CALENDAR, CHANGE, ENDED, TIME

HALF = 0.5  # of the shorter one's topic words; both have more, or with "now" so much
PAIRS = 0.25  # in scripts without spaces, whose letter pairs reach over the words' ends

_PART = re.compile(r"[,;:.!?。、，；：！？]|\s[–—-]\s")
_VALUE = re.compile(r"[\d@]")
_ARTICLE = r"(?:(?:the|an?|d(?:er|ie|as|e[nmr])|la|le|les|el|los|las) )?"
_WHERE = re.compile(
    r"\b(?:in|at|on|to|from|near|v|ve|na|do|z|nach|bei|aus|auf|im|am|beim|vom|zum|zur|à|en|au|aux|"
    rf"chez|dans|в|на|из) {_ARTICLE}(\w+)",
    re.IGNORECASE,
)
_IS = r"(?:is|are|was|ist|war|heißt|je|jsou|byl|byla|jmenuje|est|es|son)"
_CALLED = re.compile(rf"\b{_IS} {_ARTICLE}(\w+)", re.IGNORECASE)
_SUBJECT = re.compile(rf"\w+ (?i:(?:now )?{_IS}|je teď|est)\b")
_DAY = re.compile(r"\d(?:st|nd|rd|th)\b|\d[.:/-]\d", re.IGNORECASE)
_COPULA = frozenset("是的了在有我你他她这那")  # tell no thing from another


@dataclass(frozen=True, slots=True)
class _Facts:
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
class _Said:
    text: str
    speaker: str
    asked: frozenset[str]
    facts: _Facts


def rivals(
    texts: Sequence[str],
    speakers: Sequence[str],
    asked: Sequence[frozenset[str]],
    telling: Sequence[bool],
    kind: Mapping[str, str] = {},
) -> list[tuple[int, int, bool]]:
    """(older, newer, sure) of the statements about one thing; ``texts`` are in time order.

    ``asked``: the question's terms that each has, where a member of a kind stands for the kind that
    is asked for (``kind``). ``telling``: whether these are enough of them. ``sure``: the newer one
    takes the other's place.

    Two are about one thing when they share the topic, or when both have to do with the question
    and the newer one tells of a change ("I live in Prague", "I moved to Brno": where do I live?);
    never when the newer one has another word in the place of one of the question's ("the kitchen
    wall", "the bathroom wall").
    """
    known = {(old, new): sure for old, new, sure in replaced(texts, speakers)}
    said = {
        i: _Said(text, speaker, terms, _facts(text))
        for i, (text, speaker, terms) in enumerate(zip(texts, speakers, asked, strict=True))
        if terms and not text.endswith(_ASKS)
    }
    out = {pair: sure for pair, sure in known.items() if not (pair[0] in said and pair[1] in said)}
    for old, before in said.items():
        if not telling[old]:
            continue
        for new, after in said.items():
            if new <= old or not (telling[new] or _is_terse(after.facts, before.facts)):
                continue
            sure = _replaces(after, before, known.get((old, new)), kind)
            if sure is not None:
                out[old, new] = sure
    return [(old, new, sure) for (old, new), sure in out.items()]


_ASKS = ("?", "？")


@lru_cache(maxsize=2048)  # the same folded messages are asked again and again
def _facts(text: str) -> _Facts:
    changes = list(CHANGE.finditer(text))
    cues = [*changes, *CUE.finditer(text)]
    ended = ENDED.search(text)
    about, numbers, names = statement(CUE.sub(" ", CHANGE.sub(" ", text)) if cues else text)
    days = frozenset(run.lower() for run in runs(text)) & CALENDAR
    values = {term for term in about if _VALUE.search(term)}
    about -= values | TIME | {stem(day) for day in days}
    names = frozenset(stem(name) for name in names - days)
    change = any(ENDED.fullmatch(cue.group(0)) is None for cue in cues)
    return _Facts(
        about=about,
        values=numbers | values | days,
        names=names,
        all=about | names,
        changes=frozenset(stem(match.group(0).lower()) for match in changes),
        change=change,
        ended=None if ended is None else _part(text, ended.start()),
        cue=change or ended is not None or AGAIN.search(text) is not None,
    )


def _part(text: str, at: int) -> frozenset[str]:
    """What the part of a sentence that ``at`` stands in is about."""
    start = max((match.end() for match in _PART.finditer(text, 0, at)), default=0)
    end = _PART.search(text, at)
    part = text[start : end.start() if end else len(text)]
    about, numbers, names = statement(CUE.sub(" ", part))
    return about | numbers | {stem(name) for name in names}


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
            or _VALUE.search(low)
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


def _is_terse(new: _Facts, old: _Facts) -> bool:
    """Whether ``new`` tells a new value of what ``old`` is about, and hardly anything else."""
    if not new.cue or not (new.names - old.names or new.values - old.values):
        return False
    return len(new.about - old.all) <= (1 if new.values and old.values else 0)


def _is_another(
    new: _Said, old: _Said, missing: frozenset[str], own: frozenset[str], kind: Mapping[str, str]
) -> bool:
    """Whether ``new`` is about another thing: a word of its own in the place of a missing one."""
    places = {(term, side) for term, side, word in _beside(old.text, kind) if word in missing}
    if places and own:
        beside = _beside(new.text, kind)
        if any((term, side) in places and word in own for term, side, word in beside):
            return True
    dense = {term for term in missing if is_dense(term) and _COPULA.isdisjoint(term)}
    return bool(dense) and any(map(is_dense, own))


def _replaces(new: _Said, old: _Said, known: bool | None, kind: Mapping[str, str]) -> bool | None:
    """None: another matter. Else whether it is sure that ``new`` takes the place of ``old``."""
    ours, theirs = new.facts, old.facts
    same = new.speaker == old.speaker
    own = ours.all - theirs.all - new.asked  # what it is about and the older one is not
    topics = ours.about - theirs.all - new.asked
    missing = frozenset(term for term in old.asked - new.asked if not _has(new.text, term))
    if missing and _is_another(new, old, missing, own, kind):
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
        alike = alike or (_is_terse(ours, theirs) and bool(ours.all & theirs.all & new.asked))
        news = ours.cue or fresh or bool(ours.about - theirs.about)
        if not (
            (alike and news and (same or counted)) or (same and _tells(new, old, missing, kind))
        ):
            return None
        known = ours.cue or (counted and ours.about == theirs.about)
    if not same or (missing and not (counted and not topics)) or _narrows(new, topics, kind):
        return False
    if ended or not known:
        return known
    return _is_value(new, old) or not (topics or _is_misplaced(new, old))


def _is_value(new: _Said, old: _Said) -> bool:
    """Whether it says something of the kind of what ``old`` says: "noisy" is no gym's name."""
    ours, theirs = new.facts, old.facts
    if theirs.values and ours.values - theirs.values:
        return bool(ours.changes) or _is_day(new) == _is_day(old)
    if theirs.values or theirs.names:
        fresh = ours.names - theirs.names if theirs.names else frozenset[str]()
        if not fresh:
            return bool(theirs.names) and _is_now(new, old)
        where = bool(fresh & _places(new.text)), bool(theirs.names & _places(old.text))
        return where[0] == where[1] or bool(ours.changes)
    if theirs.changes or max(len(ours.about - theirs.about), len(theirs.about - ours.about)) > 1:
        dense = bool(DENSE.search(new.text))
        return dense and not theirs.changes and _predicate(new.text) == _predicate(old.text)
    return True  # one word for another: "the port is tulip", "the port is rose now"


def _is_day(said: _Said) -> bool:
    """Whether its values are days: "due on the 5th" is no rent."""
    return bool(_DAY.search(said.text)) or not said.facts.values.isdisjoint(CALENDAR)


def _is_now(new: _Said, old: _Said) -> bool:
    """Whether it begins with what is now: "Petra is my boss now"."""
    first = runs(new.text)[0].lower()
    return new.facts.about - old.facts.all - new.asked == frozenset([stem(first)]) and bool(
        _SUBJECT.match(new.text)
    )


def _places(text: str) -> frozenset[str]:
    """Stems of what stands behind "in", "at" and the like."""
    return frozenset(stem(match.group(1).lower()) for match in _WHERE.finditer(text))


def _is_misplaced(new: _Said, old: _Said) -> bool:
    """Whether it only tells where somebody is who has a name: "my tutor is Dana", "is in Spain"."""
    ours, theirs = new.facts, old.facts
    fresh = ours.names - theirs.names
    if not fresh or ours.changes or not fresh <= _places(new.text):
        return False
    called = _CALLED.search(old.text)
    return called is not None and stem(called.group(1).lower()) in theirs.names


def _predicate(text: str) -> str:
    """Of a script without spaces what tells one way of saying from another: the last sign that is
    no kana, or whether "is" stands there."""
    signs = [sign for sign in text if DENSE.match(sign) and not is_kana(sign)]
    if len(signs) < sum(map(str.isalpha, text)):  # kana: the verb stands at the end
        return signs[-1] if signs else ""
    return "是" if "是" in signs else "-"


def _tells(new: _Said, old: _Said, missing: frozenset[str], kind: Mapping[str, str]) -> bool:
    """Whether ``new`` tells of a change in what is asked, without the older one's words for it."""
    ours, theirs = new.facts, old.facts
    if ours.changes & kind.keys():  # "moved" is said of where one lives
        return True
    if not ours.changes and ours.ended is None:
        return False
    literal = new.asked & ours.all or ours.names & theirs.names
    return bool(literal) and (not missing or ours.about <= theirs.all | new.asked)


def _has(text: str, term: str) -> bool:
    """Whether a pair of letters of a script without spaces is in ``text``, if not side by side."""
    return is_dense(term) and all(letter in text for letter in term)


def _narrows(said: _Said, own: frozenset[str], kind: Mapping[str, str]) -> bool:
    """Whether a word of its own stands at one of the question's: the "email" of an address."""
    words = [kind.get(word, word) for word in (stem(run.lower()) for run in runs(said.text))]
    return any(
        (a in own and b in said.asked) or (a in said.asked and b in own) for a, b in pairwise(words)
    )
