"""How much may be sent: context size, budget, summary limit, recall allowance, answer room.

All sizes are tokens. The learned factor of a model scales the context down to counted tokens,
so that one counter serves plan, payload and page.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

DEFAULT_CONTEXT = 4096
MIN_CONTEXT = 512
MAX_CONTEXT = 10_000_000
BUDGET_SHARE = 0.75
SUMMARY_LIMIT = 800
SUMMARY_SHARE = 0.20
SMALL = 50  # tokens of turns: under it nothing is folded unless forced, and then verbatim
MIN_SUMMARY = 16  # under it not even one emoji and its speaker fit; 20 % of any context is more
RECALL_SHARE = 0.07
ANSWER_MARGIN = 16  # tokens left free between prompt + answer and the context
MIN_FACTOR, MAX_FACTOR = 1.0, 3.0
LEARN_FROM = 200  # counted tokens under which a usage report says too little
TRUNCATED_SHARE = 0.6  # reported under this share of the count: the server cut the prompt


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one model, in counted tokens; ``size`` is in the model's own tokens."""

    size: int
    factor: float
    context: int
    budget: int
    summary: int
    recall: int

    @property
    def pins(self) -> int:
        """The most that pinned turns may hold: a quarter of the context."""
        return self.context // 4


def read_size(value: object) -> tuple[int, str]:
    """A context size from what was typed or stored, and why it was not taken ("" if it was).

    Nothing given, zero, negative, not a number: the default. Too small or too large: the bound.
    """
    if value is None or value == "" or isinstance(value, bool):
        return DEFAULT_CONTEXT, "" if value in (None, "") else "A size is a number of tokens."
    number = _number(value)
    if number is None:
        return DEFAULT_CONTEXT, f"“{str(value)[:20]}” is not a number of tokens, like 8192."
    if number <= 0:
        return DEFAULT_CONTEXT, "The context size must be more than 0 tokens."
    if number < MIN_CONTEXT:
        return MIN_CONTEXT, f"The smallest context size is {MIN_CONTEXT} tokens."
    if number > MAX_CONTEXT:
        return MAX_CONTEXT, f"The largest context size is {MAX_CONTEXT:,} tokens."
    return int(number), ""


def _number(value: object) -> float | None:
    """The value as a number, or None; a whole number too large for a float is infinite."""
    try:
        number = float(value) if isinstance(value, str | int | float) else math.nan
    except ValueError:
        return None
    except OverflowError:
        return math.inf
    return None if math.isnan(number) else number


def make_limits(
    size: int,
    *,
    summary_limit: int = SUMMARY_LIMIT,
    recall_tokens: int = 0,
    factor: float = 1.0,
) -> Limits:
    """The limits that follow from a context size in the model's tokens and its factor."""
    factor = min(MAX_FACTOR, max(MIN_FACTOR, factor)) if math.isfinite(factor) else MIN_FACTOR
    size = min(MAX_CONTEXT, max(MIN_CONTEXT, size))
    context = math.floor(size / factor)
    return Limits(
        size=size,
        factor=factor,
        context=context,
        budget=math.floor(BUDGET_SHARE * context),
        summary=max(MIN_SUMMARY, min(summary_limit, math.floor(SUMMARY_SHARE * context))),
        recall=max(0, min(recall_tokens, math.floor(RECALL_SHARE * context))),
    )


def answer_room(limits: Limits, prompt: int, wanted: int | None) -> int | None:
    """``max_tokens`` of a request whose prompt holds ``prompt`` counted tokens; at least 1.

    None stays None: the server stops at its own context's end.
    """
    if wanted is None:
        return None
    # A wish of nothing or less is a slip: the least answer is one token.
    room = limits.size - math.ceil(prompt * limits.factor) - ANSWER_MARGIN
    return max(1, min(wanted, room))


def learn_factor(factor: float, counted: int, reported: int, cached: int = 0) -> tuple[float, bool]:
    """The model's next factor after a usage report, and whether the prompt was cut silently.

    ``cached``: tokens that the server took from its cache; some leave them out of ``reported``.

    Bounded and smoothed; rises faster than it falls, because an under-count costs an overflow.
    """
    if counted < LEARN_FROM or reported <= 0:
        return factor, False
    ratio = reported / counted
    if ratio < TRUNCATED_SHARE:
        ratio = (reported + cached) / counted
    if ratio < TRUNCATED_SHARE:
        return factor, True
    weight = 0.6 if ratio > factor else 0.2
    learned = factor + weight * (ratio - factor)
    return round(min(MAX_FACTOR, max(MIN_FACTOR, learned)), 3), False
