"""Says which day "yesterday" was: puts the date behind words that lean on the day of a message.

A small model cannot count back from a date, and a month later nobody can. ``last year`` on
8 May 2023 becomes ``last year (2022)``; the words themselves stay. Vague ones stay as they are.
"""

from __future__ import annotations

import re
from functools import lru_cache

from app.memory.extractive.words import low_words, word_set

MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_MONTH = {name[:3].lower(): i for i, name in enumerate(MONTHS, 1)}
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_COUNT = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
          "seven": 7, "eight": 8, "nine": 9, "ten": 10}  # fmt: skip
_WEEKDAY = r"(mon|tues|wednes|thurs|fri|satur|sun)day"
_SPAN = r"(days?|weeks?|months?|years?)"
_NUM = r"(a|an|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2})"
_POINT = re.compile(
    rf"\b(?:(?P<yesterday>yesterday|last night|včera|gestern|ayer|вчера)|"
    rf"(?P<tomorrow>tomorrow|zítra|demain|завтра)|"
    rf"(?P<last>last|this past|next|this coming) "
    rf"(?P<unit>{_WEEKDAY}|weekend|week|month|year|summer|winter|spring|fall|autumn|"
    rf"{'|'.join(MONTHS[:4] + MONTHS[5:])})|"
    rf"(?P<ago>{_NUM} {_SPAN} ago)|(?P<ahead>in {_NUM} {_SPAN}))\b|"
    r"(?P<cjk1>昨日|昨天)|(?P<cjk2>明日|明天)|(?P<cjk3>去年)|(?P<cjk4>来年|明年)|(?P<cjk5>先月|上个月)|"
    r"(?P<cjk6>来月|下个月)",
    re.IGNORECASE,
)
_WRITTEN = (
    re.compile(r"\b(\d{1,2})\.? ([A-Za-z]{3,9})\.?,? (\d{4})\b"),
    re.compile(r"\b([A-Za-z]{3,9})\.? (\d{1,2}),? (\d{4})\b"),
    re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b"),
)
_HINTS = word_set("yesterday night gestern ayer tomorrow demain last this next ago in")
_COMING = word_set(
    "will i'll we'll he'll she'll they'll going gonna leave leaving due starts coming"
)
Day = tuple[int, int, int]


@lru_cache(maxsize=256)
def parse(day: str) -> Day | None:
    """Year, month and day of a written date, or None."""
    match = _WRITTEN[2].search(day)
    if match is not None:
        return int(match[1]), int(match[2]), int(match[3])
    match = _WRITTEN[0].search(day)
    if match is not None and match[2][:3].lower() in _MONTH:
        return int(match[3]), _MONTH[match[2][:3].lower()], int(match[1])
    match = _WRITTEN[1].search(day)
    if match is not None and match[1][:3].lower() in _MONTH:
        return int(match[3]), _MONTH[match[1][:3].lower()], int(match[2])
    return None


def write(day: Day) -> str:
    """A date as ``8 May 2023``."""
    return f"{day[2]} {MONTHS[day[1] - 1]} {day[0]}"


def written(day: str) -> str:
    """``2023-05-08`` as ``8 May 2023``; any other text as it is."""
    parsed = parse(day) if _WRITTEN[2].fullmatch(day.strip()) else None
    return write(parsed) if parsed and 1 <= parsed[1] <= 12 else day


def anchor(text: str, day: str, *, dated: bool = False) -> str:
    """``text`` with the dates that its words point at put behind them in brackets.

    ``dated``: the line has its day on it already, so that "last week" needs no note.
    """
    if text.isascii() and _HINTS.isdisjoint(low_words(text)):
        return text
    base = parse(day)
    if base is None or not 1 <= base[1] <= 12:
        return text
    out: list[str] = []
    at = 0
    for match in _POINT.finditer(text):
        if text[match.end() : match.end() + 2] == " (":
            continue
        when = _resolve(match, base)
        if dated and when.startswith("the "):
            continue
        if when:
            out.append(f"{text[at : match.end()]} ({when})")
            at = match.end()
    out.append(text[at:])
    return "".join(out)


def _resolve(match: re.Match[str], base: Day) -> str:
    year, month, _ = base
    if match["yesterday"] or match["cjk1"]:
        return write(_shift(base, -1))
    if match["tomorrow"] or match["cjk2"]:
        return write(_shift(base, 1))
    if match["cjk3"] or match["cjk4"]:
        return str(year - 1 if match["cjk3"] else year + 1)
    if match["cjk5"] or match["cjk6"]:
        return _month(year, month + (-1 if match["cjk5"] else 1))
    if match["last"]:
        back = match["last"].lower() in ("last", "this past")
        return _named(match["unit"].lower(), -1 if back else 1, base, match["last"].lower())
    if match["ago"]:
        count, span, _ = match["ago"].lower().split()
        return _moved(count, span, -1, base)
    _, count, span = match["ahead"].lower().split()
    if count in ("a", "an") or low_words(match.string).isdisjoint(_COMING):
        return ""  # "in three days" may be how long it took
    return _moved(count, span, 1, base)


def _named(unit: str, way: int, base: Day, called: str) -> str:
    year, month, _ = base
    if unit == "year":
        return str(year + way)
    if unit == "month":
        return _month(year, month + way)
    if unit == "week":
        return f"the week {'before' if way < 0 else 'after'} {write(base)}"
    if unit == "weekend":
        return f"the weekend {'before' if way < 0 else 'after'} {write(base)}"
    if unit in _DAYS:
        if way > 0 and not called.startswith("this"):
            return ""  # "next Friday" is this week's to some, next week's to others
        today = (_number(base) + 2) % 7  # 0 is Monday
        back = (today - _DAYS.index(unit)) % 7 or 7
        return write(_shift(base, -back if way < 0 else (7 - back) or 7))
    if unit[:3] in _MONTH:
        named = _MONTH[unit[:3]]
        later = named >= month if way < 0 else named <= month
        return str(year + (way if later else 0))
    if way > 0:
        return ""
    first = {"winter": 1, "spring": 4, "summer": 7, "fall": 10, "autumn": 10}[unit]
    return str(year if month > first + 1 else year - 1)


def _moved(count: str, span: str, way: int, base: Day) -> str:
    n = (_COUNT.get(count) or int(count)) * way
    if span.startswith("year"):
        return str(base[0] + n)
    if span.startswith("month"):
        return _month(base[0], base[1] + n)
    return write(_shift(base, n * (7 if span.startswith("week") else 1)))


def _month(year: int, month: int) -> str:
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    return f"{MONTHS[month - 1]} {year}"


def _number(day: Day) -> int:
    """Days since 1 March of year 0 (Gregorian)."""
    year, month, date = day
    year, month = (year - 1, month + 9) if month < 3 else (year, month - 3)
    return 365 * year + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 + date - 1


def _shift(day: Day, days: int) -> Day:
    n = _number(day) + days
    year = (10000 * n + 14780) // 3652425
    rest = n - (365 * year + year // 4 - year // 100 + year // 400)
    if rest < 0:
        year -= 1
        rest = n - (365 * year + year // 4 - year // 100 + year // 400)
    month = (100 * rest + 52) // 3060
    return (
        year + (month + 2) // 12,
        (month + 2) % 12 + 1,
        rest - (month * 306 + 5) // 10 + 1,
    )
