"""What a question asks for: a date, a number, a name, or what was true before."""

from __future__ import annotations

import re
from collections.abc import Callable

from app.memory.extractive.dates import leans_on_date
from app.memory.extractive.words import runs
from app.memory.recall.changes import CALENDAR

WHEN = 1.5  # "when …?" wants a sentence with a date
COUNT = 1.4  # "how many …?" one with a number
NAMED = 1.2  # "who …?", "which …?" one with a name

_WHEN = re.compile(
    r"\b(?:when|what (?:day|date|month|year|time)|which (?:day|date|month|year)|how long ago|kdy|"
    r"wann|quand|cuándo|когда)\b|いつ|何時|什么时候",
    re.IGNORECASE,
)
_COUNT = re.compile(
    r"\b(?:how (?:many|much|long|old|often|far|big|tall)|kolik|jak dlouho|wie ?viel\w*|wie lange|"
    r"combien|cuánt\w+|сколько)\b|いくつ|いくら|何[人個歳回]|多少|几",
    re.IGNORECASE,
)
_WHO = re.compile(
    r"\b(?:who|whom|whose|which|what(?:'s| is| was) the name|where|kdo|kde|"
    r"jak se jmenuje|wer|wo|wie heißt|qui|où|quién|dónde|cómo se llama|кто|где|как зовут)\b|"
    r"誰|どこ|谁|哪",
    re.IGNORECASE,
)
# What was true before is asked for.
_PAST = re.compile(
    r"\b(?:before|used to|previous\w*|former\w*|originally|at first|in the past|earlier|"
    r"(?:did|was|were) .*(?:in (?:19|20)\d\d|last \w+|back then|at (?:the|that) time|ago|"
    r"as a (?:child|kid|student|boy|girl))|"
    r"dříve|předtím|původně|früher|vorher|ursprünglich|avant|auparavant|antes|раньше|прежде)\b|"
    r"以前|之前|前は|原来",
    re.IGNORECASE,
)
# In lower case: "Was" is German for "what".
_DID = re.compile(
    r"\b(?:did(?! (?:i|we|you) (?:\w+ )?(?:choose|pick|decide|settle|agree|book|end up))|"
    r"was|were|had|by[lt]\w*|hatten?|war(?:en|st)?|étai\w+|avai\w+|fue|era|был[аио]?)\b|"
    r"(?:でし|まし|だっ|[いっ])た|了吗|过"
)
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|once|twice|few)\b",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"\(.*\d{4}\)|\d{4}-\d\d|\b\d{1,2}(?:st|nd|rd|th)\b|\b\d{1,2} May\b|\bMay \d|\d月"
)
_DAYS = CALENDAR - {"may", "march", "mars"}  # words of other meanings, too
_NAME = re.compile(r"\b(\w{1,40})[,;]? (?=[\"'“]?[A-ZÀ-ÖØ-ÞА-Я][\w’'])")
_PERSON = re.compile(r"\b(?:who|whom|whose|kdo|wer|qui|quién|кто)\b", re.IGNORECASE)
_BEFORE_PLACE = frozenset(("in", "near", "v", "ve", "en", "в"))
# What stands behind these is a noun of German, which has a capital whatever it names.
_BEFORE_NOUN = re.compile(
    r"d(?:er|ie|as|e[nms])|(?:[mds]?ein|ihr|unser|kein)(?:e[nmrs]?)?|eu(?:er|re[nmrs]?)|"
    r"(?:dies|jed|all|einig)e[nmrs]?|(?:viel|wenig)(?:e[nmrs]?)?|mehr",
    re.IGNORECASE,
)


def suitability(question: str) -> Callable[[str], float]:
    """How well the kind of a text suits the kind of ``question``; 1 when nothing is known."""
    if _WHEN.search(question):
        return lambda text: WHEN if _has_day(text) else 1.0
    if _COUNT.search(question):
        return lambda text: COUNT if _NUMBER.search(text) else 1.0
    if _WHO.search(question):
        places = frozenset[str]()
        if is_about_a_person(question):  # "who lives in Rome?" wants what it asks with, too
            places = _BEFORE_PLACE.difference(question.lower().split())
        return lambda text: NAMED if _has_name(text, places) else 1.0
    return lambda text: 1.0


def _has_day(text: str) -> bool:
    if _DATE.search(text) or leans_on_date(text):
        return True
    return not _DAYS.isdisjoint(run.lower() for run in runs(text))


def _has_name(text: str, places: frozenset[str]) -> bool:
    """Whether a word with a capital stands in it, but for what stands behind one of ``places``."""
    before = [match.group(1) for match in _NAME.finditer(text)]
    return any(not _BEFORE_NOUN.fullmatch(word) and word.lower() not in places for word in before)


def is_about_a_person(question: str) -> bool:
    """Whether it asks who."""
    return _PERSON.search(question) is not None


def is_about_the_past(question: str) -> bool:
    """Whether it wants what was true before, and not what is true now."""
    return _PAST.search(question) is not None


def is_about_what_is(question: str) -> bool:
    """Whether it wants what somebody has or does now: not how many, nor what was or was done."""
    return not (is_about_the_past(question) or _COUNT.search(question) or _DID.search(question))
