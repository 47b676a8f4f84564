"""The plan of a turn: what is sent word for word, what must be folded first, and why.

Pure: (path, current fold, settings, counter) in, a plan out. It does not wait, call or store.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from app.memory.budget import SMALL
from app.memory.ledger import Fold, Trigger
from app.memory.path import ActivePath
from app.memory.policies import MemorySettings, Policy
from app.memory.prompts import RECALL_FRAME, SUMMARY_FRAME, system_text
from app.memory.tokens import MESSAGE_OVERHEAD, PROMPT_OVERHEAD, Counter

FRAME_SLACK = 8  # counts are not additive: joining texts may cost a few tokens more


@dataclass(frozen=True, slots=True)
class Cut:
    """What to fold: the eligible messages of ``[start, end)`` of the path."""

    start: int
    end: int
    reason: str
    forced: bool  # the prompt does not fit without it


@dataclass(frozen=True, slots=True)
class Sizes:
    """The fixed costs of a request, in tokens, overheads included."""

    system: int  # system prompt alone, 0 when there is none
    summary: int  # what the framed summary adds to it
    pins: int
    window: int
    question: int

    @property
    def total(self) -> int:
        """Prompt tokens without recall."""
        return self.floor + self.summary + self.window

    @property
    def floor(self) -> int:
        """Prompt tokens that no fold can free: system prompt, pins, question, overhead."""
        return self.system + self.pins + self.question + PROMPT_OVERHEAD


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do before an answer: ``cut`` to fold first (or None), then send the window."""

    window_start: int  # first index after the boundary
    end: int  # the question's index, or the path's length when there is none
    question: int | None
    sizes: Sizes
    cut: Cut | None


def window_start(path: ActivePath, current: Fold | None) -> int:
    """The first index after the current fold's boundary."""
    position = path.position(current.boundary) if current else None
    return 0 if position is None else position + 1


def measure(
    path: ActivePath,
    current: Fold | None,
    settings: MemorySettings,
    counter: Counter,
    end: int,
    question: int | None,
) -> Sizes:
    """The costs of a request as it would go out now, without recall."""
    start = window_start(path, current)
    plain = system_text(settings.system_prompt, "")
    full = system_text(settings.system_prompt, current.text if current else "")
    bare, joined = counter.texts((plain, full))
    system = bare + MESSAGE_OVERHEAD if plain else 0
    whole = joined + MESSAGE_OVERHEAD if full else 0
    asked = counter.message(path.messages[question]) if question is not None else 0
    return Sizes(
        system=system,
        summary=whole - system,
        pins=path.tokens("pinned", 0, start),
        window=path.tokens("eligible", start, end) + path.tokens("pinned", start, end),
        question=asked,
    )


def plan(
    path: ActivePath,
    current: Fold | None,
    settings: MemorySettings,
    counter: Counter,
    *,
    asked: bool = True,
) -> Plan:
    """Plan the answer to the newest question on ``path``; not ``asked``: to one yet to come.

    ``current`` must end before the question. The cut is the policy's, or the one that the
    budget forces; no cut that frees nothing.
    """
    question = path.question() if asked else None
    end = len(path) if question is None else question
    start = window_start(path, current)
    sizes = measure(path, current, settings, counter, end, question)
    policy, limits = settings.policy, settings.limits
    cut: Cut | None = None
    if sizes.total > limits.budget - policy.reserved:
        forced = sizes.total > limits.budget
        reason = f"the prompt holds {sizes.total} of {limits.budget} tokens"
        cut = _cut_for_budget(path, start, end, sizes, settings, counter, reason, forced)
        if policy.summary_trigger_tokens is not None:  # the same call takes more, if it must
            turns = policy.window_conversations
            kept = _cut_keeping(path, start, end, turns, reason, forced)
            cut = max(filter(None, (cut, kept)), key=lambda c: c.end, default=None)
    elif policy.summary_trigger_tokens is not None:
        cut = _cut_for_trigger(path, start, end, sizes, policy, policy.summary_trigger_tokens)
    return Plan(start, end, question, sizes, cut)


def plan_background(
    path: ActivePath, current: Fold | None, settings: MemorySettings, counter: Counter
) -> Cut | None:
    """What to fold after an answer, before the next question needs the room; None: nothing."""
    policy, limits = settings.policy, settings.limits
    if policy.soft_share is None:
        return None
    start, end = window_start(path, current), len(path)
    sizes = measure(path, current, settings, counter, end, None)
    soft = math.floor(policy.soft_share * limits.context)
    if sizes.total <= soft:
        return None
    reason = f"the prompt holds {sizes.total} tokens, over the soft mark of {soft}"
    return _cut_for_budget(path, start, end, sizes, settings, counter, reason, forced=False)


def plan_manual(path: ActivePath, current: Fold | None, settings: MemorySettings) -> Cut | None:
    """All but the last ``window_conversations`` turns; an open turn is left out."""
    start, end = window_start(path, current), path.foldable_end(len(path))
    question = path.question()
    if question is not None and path.is_open():
        end = min(end, question)
    return _cut_keeping(path, start, end, settings.policy.window_conversations, "asked for")


def too_little(path: ActivePath, cut: Cut, settings: MemorySettings, trigger: Trigger) -> str:
    """Why a fold that nothing forces is not worth it; "" when it is."""
    if path.tokens("eligible", cut.start, cut.end) < SMALL:
        return f"Too little to fold: under {SMALL} tokens."
    least = settings.policy.min_messages
    since = path.count("eligible", cut.start, len(path))
    if trigger != "overflow" and since < least:
        return f"Fewer than {least} messages since the last summary."
    return ""


def _cut_keeping(
    path: ActivePath, start: int, end: int, turns: int, reason: str, forced: bool = False
) -> Cut | None:
    """Fold ``[start, end)`` but for its last ``turns`` turns."""
    starts = path.turns_between(start, end)
    if len(starts) <= turns:
        return None
    return _checked(path, start, starts[-turns] if turns else end, reason, forced)


def _cut_for_trigger(
    path: ActivePath, start: int, end: int, sizes: Sizes, policy: Policy, trigger: int
) -> Cut | None:
    """dost: old summary and all before the last N turns, when together over the trigger."""
    cut = _cut_keeping(path, start, end, policy.window_conversations, "")
    if cut is None:
        return None
    candidates = sizes.summary + path.tokens("eligible", cut.start, cut.end)
    if candidates <= trigger:
        return None
    reason = f"summary and candidates hold {candidates} tokens, over the trigger of {trigger}"
    return Cut(cut.start, cut.end, reason, forced=False)


def _cut_for_budget(
    path: ActivePath,
    start: int,
    end: int,
    sizes: Sizes,
    settings: MemorySettings,
    counter: Counter,
    reason: str,
    forced: bool,
) -> Cut | None:
    """Fold oldest turns until the window fits with the whole reserve.

    The newest turns stay while they fit the low water; ``window_conversations`` of them while
    they fit the budget.
    """
    policy, limits = settings.policy, settings.limits
    frame, recall = counter.texts((SUMMARY_FRAME, RECALL_FRAME))
    reserve = sizes.system + frame + limits.summary + sizes.question + PROMPT_OVERHEAD
    reserve += FRAME_SLACK + (0 if sizes.system else MESSAGE_OVERHEAD)
    if limits.recall:
        reserve += recall + limits.recall
    reserve += path.tokens("pinned", 0, end)
    high = limits.budget - policy.reserved
    low = (
        high
        if policy.low_share is None
        else min(high, math.floor(policy.low_share * limits.context))
    )
    starts = path.turns_between(start, end)
    keep_from, used, kept = end, 0, 0
    for turn in reversed(starts):
        used += path.tokens("eligible", turn, keep_from)
        room = high if kept < policy.window_conversations else low
        if used > room - reserve:
            break
        keep_from, kept = turn, kept + 1
    return _checked(path, start, keep_from, reason, forced)


def _checked(path: ActivePath, start: int, end: int, reason: str, forced: bool) -> Cut | None:
    """The cut, ended before an unfinished message; None when it would free nothing.

    A forced cut may pass over one: should it finish after all, the fold is stale and made anew.
    """
    if not forced:
        end = path.foldable_end(end)
    if not path.count("eligible", start, end):
        return None
    return Cut(start, end, reason, forced)
