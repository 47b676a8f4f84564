"""Times as exports write them, as milliseconds since 1970 (0 when unknown).

Without the datetime module, which is slow to import in the browser. Times without a zone are
taken as UTC.
"""

from __future__ import annotations

import re

_MAX = 4_102_444_800_000  # the year 2100, in milliseconds: beyond it a number is no time
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_ISO = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?"
    r"[ ]?(Z|[+-]\d{2}:?\d{2})?",
    re.ASCII,
)
_HUMANIZED = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2}) ?@ ?(\d{1,2})h ?(\d{1,2})m(?: ?(\d{1,2})s)?(?: ?(\d{1,3})ms)?",
    re.ASCII,
)
_WORDS = re.compile(
    r"([A-Za-z]{3,9})\.? (\d{1,2}),? (\d{4})(?:,? (\d{1,2}):(\d{2})(?::(\d{2}))? ?([ap]m)?)?",
    re.ASCII | re.IGNORECASE,
)


def to_ms(value: object) -> int:
    """The time of a number (seconds or milliseconds) or of a text in one of the known styles."""
    if isinstance(value, bool):
        return 0
    if isinstance(value, int | float):
        return _number(value)
    if not isinstance(value, str):
        return 0
    text = value.strip()[:64]
    if re.fullmatch(r"\d{1,17}(?:\.\d{1,9})?", text, re.ASCII):
        return _number(float(text))
    for read in (_iso, _humanized, _words):
        found = read(text)
        if found is not None:
            return found if 0 < found < _MAX else 0
    return 0


def _number(value: float) -> int:
    # 1e11 seconds is the year 5138, 1e11 milliseconds 1973: what is above is milliseconds.
    milliseconds = value if value >= 1e11 else value * 1000
    return int(milliseconds) if 0 < milliseconds < _MAX else 0


def _iso(text: str) -> int | None:
    match = _ISO.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    found = _ms(year, month, day, hour, minute, second, (fraction or "").ljust(3, "0")[:3])
    if found is not None and zone and zone != "Z":
        minutes = int(zone[1:3]) * 60 + int(zone[-2:])
        found -= minutes * 60_000 * (-1 if zone[0] == "-" else 1)
    return found


def _humanized(text: str) -> int | None:
    match = _HUMANIZED.fullmatch(text)
    return None if match is None else _ms(*match.groups())


def _words(text: str) -> int | None:
    match = _WORDS.fullmatch(text)
    if match is None:
        return None
    name, day, year, hour, minute, second, half = match.groups()
    if name[:3].lower() not in _MONTHS:
        return None
    month = str(_MONTHS.index(name[:3].lower()) + 1)
    if half:
        hour = str(int(hour) % 12 + (12 if half.lower() == "pm" else 0))
    return _ms(year, month, day, hour, minute, second, None)


def _ms(
    year: str,
    month: str,
    day: str,
    hour: str | None,
    minute: str | None,
    second: str | None,
    milliseconds: str | None,
) -> int | None:
    y, m, d = int(year), int(month), int(day)
    h, mi, s = int(hour or 0), int(minute or 0), int(second or 0)
    if not (1 <= m <= 12 and 1 <= d <= 31 and h < 24 and mi < 60 and s <= 60):
        return None
    # Days since 1970 in the Gregorian calendar, with years that begin in March.
    y -= m <= 2
    day_of_year = (153 * (m - 3 if m > 2 else m + 9) + 2) // 5 + d - 1
    days = y * 365 + y // 4 - y // 100 + y // 400 + day_of_year - 719_468
    return ((days * 24 + h) * 60 + mi) * 60_000 + s * 1000 + int(milliseconds or 0)
