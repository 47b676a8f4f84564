"""Dates of a conversation: session headers, message times, and words that lean on them.

"Yesterday" is worth nothing a month later. A line that leans on its day, or tells of an event,
carries the day: ``[8 May 2023]`` as written in the conversation, or made from ``created_at``.
"""

from __future__ import annotations

import re
import time
from functools import lru_cache

from app.memory.extractive.anchor import write
from app.memory.extractive.words import low_words, word_set

_HEADER = re.compile(r"^\s*\[([^\[\]\n]{4,40})\]\s*")
_CLOCK = re.compile(  # blanks are counted: a long run of them is tried once for each
    r"^\s{0,40}\d{1,2}[:.]\d{2}(?::\d{2})?\s{0,40}(?:[ap]\.?m\.?)?\s{0,40}(?:on\s{1,40}|,\s{0,40})?|"
    r"(?:[T,]?\s{0,40}+\d{1,2}:\d{2}(?::\d{2})?(?:\.\d{1,40})?\s{0,40}(?:[ap]\.?m\.?)?\s{0,40}Z?)"
    r"\s{0,40}\Z",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_FIGURES = re.compile(r"\d[:./-]\d")

# Words that mean something only beside the day they were said on. All languages in one pattern;
# a language that is missing here only loses the date on such a line when the tense does not show.
RELATIVE = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|recently|just|lately|"
    r"this (?:morning|week|month|year|weekend|summer|winter|spring|fall|autumn|past)|"
    r"(?:last|next|past|coming|previous) (?:\w+ )?"
    r"(?:night|week|weekend|month|year|summer|winter|spring|fall|autumn|few|two|three|"
    r"monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tues?|wed|thurs?|fri|sat|sun|"
    r"january|february|march|april|may|june|july|august|september|october|november|december)"
    r"|in (?:a|one|two|three|\d+) (?:days?|weeks?|months?)"
    r"|on (?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|včera|dnes|zítra|předevčírem|pozítří|minul\w+|příští|loni|letos|před \w+ \w+"
    r"|gestern|heute|morgen|letzte\w*|nächste\w*|neulich|hier soir|demain|aujourd.hui|"
    r"la semaine (?:dernière|prochaine)|ayer|mañana|hoy|la semana (?:pasada|que viene)|"
    r"вчера|сегодня|завтра|недавно)\b"
    r"|昨日|今日|明日|先週|来週|先月|来月|去年|来年|今週|今月|昨天|今天|明天|上周|下周|上个月|下个月",
    re.IGNORECASE,
)


def split_header(text: str) -> tuple[str, str]:
    """The date that stands in brackets at the head of ``text`` ("" if none), and the rest."""
    match = _HEADER.match(text)
    if match is None:
        return "", text
    inner = match.group(1)
    if not (_YEAR.search(inner) or _FIGURES.search(inner)):
        return "", text
    return short_date(inner), text[match.end() :]


def short_date(inner: str) -> str:
    """A written date without its time of day: ``1:56 pm on 8 May, 2023`` is ``8 May 2023``."""
    short = _CLOCK.sub("", inner).strip(" ,")
    return re.sub(r"(?<=[^\W\d]),\s*(?=\d{4}\b)", " ", short) or inner.strip()


def date_of(created_at: int) -> str:
    """The day of a time in milliseconds since 1970 (UTC, so that it is the same everywhere)."""
    if created_at <= 0:
        return ""
    try:
        day = time.gmtime(created_at / 1000)
    except (OverflowError, ValueError, OSError):
        return ""
    return write((day.tm_year, day.tm_mon, day.tm_mday))


_HINTS = word_set(
    """
    yesterday today tonight tomorrow ago recently just lately this last next past coming
    previous in on dnes před příští gestern heute morgen neulich hier demain ayer hoy
    """
)


@lru_cache(maxsize=4096)
def leans_on_date(text: str) -> bool:
    """Whether ``text`` says when by pointing from the day it was said on, with no date beside."""
    if text.isascii() and _HINTS.isdisjoint(low_words(text)):
        return False  # the pattern is slow, and most sentences hold none of its words
    return any(text[m.end() : m.end() + 2] != " (" for m in RELATIVE.finditer(text))
