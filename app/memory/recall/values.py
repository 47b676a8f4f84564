"""Whether a newer statement gives another value of the same kind: "noisy" is no gym's name."""

from __future__ import annotations

import re

from app.memory.extractive.words import DENSE, MONTHS, is_dense, is_kana, runs, stem
from app.memory.recall.changes import CALENDAR
from app.memory.recall.statements import Said

_ARTICLE = r"(?:(?:the|an?|d(?:er|ie|as|e[nmr])|la|le|les|el|los|las) )?"
_WHERE = re.compile(
    r"\b(?:in|at|on|to|from|near|v|ve|na|do|z|nach|bei|aus|auf|im|am|beim|vom|zum|zur|à|en|au|aux|"
    rf"chez|dans|в|на|из) {_ARTICLE}(\w+)",
    re.IGNORECASE,
)
_IS = r"(?:is|are|was|ist|war|heißt|je|jsou|byl|byla|jmenuje|est|es|son)"
_CALLED = re.compile(rf"\b{_IS} {_ARTICLE}(\w+)", re.IGNORECASE)
_SUBJECT = re.compile(
    rf"\w+ (?:now )?{_IS} (?:now |jetzt |teď |maintenant |ahora )?"
    r"(?:m[yi]|our|the|meine?|unsere?|můj|moje|náš|naše|mon|ma|notre|nuestr[oa])\b"
)
_NTH = frozenset(("st", "nd", "rd", "th"))  # a run of its own behind "5"
_YEAR = re.compile(r"(?:19|20)\d\d")


def is_value(new: Said, old: Said) -> bool:
    """Whether it says something of the kind of what ``old`` says: "noisy" is no gym's name."""
    ours, theirs = new.facts, old.facts
    if theirs.values and ours.values - theirs.values:
        kinds = _kinds(new.text, ours.values - theirs.values)
        return bool(ours.changes) or not kinds.isdisjoint(_kinds(old.text, theirs.values))
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


def _kinds(text: str, of: frozenset[str]) -> frozenset[str]:
    """Of which kinds the values ``of`` interest are: days, or other numbers. A year may be both."""
    low = [run.lower() for run in runs(text)]
    out: set[str] = set()
    for before, run, behind in zip(["", *low], low, [*low[1:], ""], strict=False):
        if run not in of or is_dense(run):
            continue
        year = _YEAR.fullmatch(run) is not None
        day = run in CALENDAR or behind in _NTH or not MONTHS.isdisjoint((before, behind))
        out |= {"day"} if day or year else set()
        out |= {"number"} if not day or year else set()
    return frozenset(out) or frozenset(("day", "number"))


def _is_now(new: Said, old: Said) -> bool:
    """Whether it begins with what is now: "Petra is my boss now"."""
    first = runs(new.text)[0].lower()
    return new.facts.about - old.facts.all - new.asked == frozenset([stem(first)]) and bool(
        _SUBJECT.match(new.text)
    )


def _places(text: str) -> frozenset[str]:
    """Stems of what stands behind "in", "at" and the like."""
    return frozenset(stem(match.group(1).lower()) for match in _WHERE.finditer(text))


def is_misplaced(new: Said, old: Said) -> bool:
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
