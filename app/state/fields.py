"""What people type, made into values: each function gives a value or says plainly what is wrong.

They take anything (stored settings may hold anything) and raise only ``Refused``, never TypeError.
"""

from __future__ import annotations

import math
import re
from typing import Any


class Refused(ValueError):
    """A value that cannot be used; the text tells a person why."""


class Bounded(Refused):
    """A value outside its bounds: ``taken`` is what stands in its place, and the text says so."""

    def __init__(self, text: str, taken: Any) -> None:
        super().__init__(text)
        self.taken = taken


def whole_number(value: Any, *, least: int, most: int, what: str) -> int:
    """A whole number between ``least`` and ``most``: text of digits counts, fractions round down.

    Raises ``Bounded`` with the bound for a number outside, ``Refused`` for what is none.
    """
    number = real_number(value, least=None, most=None, what=what)
    if number > most:
        raise Bounded(f"{what} can be at most {most:,}: {most:,} is set.", most)
    if number < least:
        raise Bounded(f"{what} must be at least {least:,}: {least:,} is set.", least)
    return math.floor(number)


def real_number(value: Any, *, least: float | None, most: float | None, what: str) -> float:
    """A number; text may hold one. Booleans, NaN, infinities and words are refused."""
    if isinstance(value, bool) or value is None:
        raise Refused(f"{what} must be a number.")
    if isinstance(value, str):
        text = value.strip().replace("\u00a0", "").replace("_", "")
        if not re.fullmatch(r"[+-]?(\d{1,400}(\.\d{0,400})?|\.\d{1,400})", text, re.ASCII):
            raise Refused(f"{what} must be a number in digits, like 8192.")
        number = float(text)
    elif isinstance(value, (int, float)):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf if value > 0 else -math.inf
        if math.isinf(number) and isinstance(value, int):
            number = 1e300 if value > 0 else -1e300
    else:
        raise Refused(f"{what} must be a number.")
    if math.isnan(number) or (math.isinf(number) and not isinstance(value, str)):
        raise Refused(f"{what} must be a number.")
    if math.isinf(number):
        number = math.copysign(1e300, number)
    if least is not None and number < least:
        raise Refused(f"{what} must be at least {least:g}.")
    if most is not None and number > most:
        raise Refused(f"{what} must be at most {most:g}.")
    return number


def text(value: Any, *, most: int, what: str) -> str:
    """A text of at most ``most`` characters, as it is."""
    if not isinstance(value, str):
        raise Refused(f"{what} must be text.")
    if len(value) > most:
        raise Refused(f"{what} must be at most {most:,} characters.")
    return value


def choice(value: Any, options: tuple[str, ...], what: str) -> str:
    """One of ``options``."""
    if not isinstance(value, str) or value not in options:
        raise Refused(f"{what} must be one of: {', '.join(options)}.")
    return value
