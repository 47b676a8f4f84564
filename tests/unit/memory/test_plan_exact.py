"""The plan's bounds, to the token: when a fold begins, how far it goes, what is left as it is.

All is counted by words: a message of n apples costs n + 4. A context of 1000 gives a budget of
750, a summary of at most 200 and recall of at most 70; the empty frames of summary and recall hold
29 tokens each.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import pytest

from app.conversation.message import Message
from app.memory.ledger import Fold, Trigger
from app.memory.path import ActivePath
from app.memory.plan import (
    Cut,
    Sizes,
    measure,
    plan,
    plan_background,
    plan_manual,
    too_little,
    window_start,
)
from app.memory.policies import MemorySettings, Policy
from app.memory.tokens import Counter
from tests.support.chats import apples, chat
from tests.support.words import WordTokenizer

HENS = "Ada keeps hens."  # 4 tokens


def sized(*tokens: int) -> list[Message]:
    """Messages of these sizes, their overheads included."""
    return chat(*(apples(count - 4) for count in tokens))


def path_of(
    messages: Sequence[Message],
    *,
    pinned: Collection[str] = (),
    excluded: Collection[str] = (),
) -> ActivePath:
    return ActivePath(Counter(WordTokenizer()), messages, pinned=pinned, excluded=excluded)


def memory(boundary: str, text: str = HENS) -> Fold:
    return Fold("f", "c", None, (), boundary, "", text)


def thousand(policy: Policy, system_prompt: str = "") -> MemorySettings:
    return MemorySettings(policy, 1000, system_prompt)


COUNTER = Counter(WordTokenizer())
# Nothing but the budget makes this one fold.
BUDGET_ONLY = Policy("minisearch", window_conversations=0)


def test_a_total_is_the_floor_that_no_fold_frees_with_summary_and_window() -> None:
    sizes = Sizes(system=100, summary=20, pins=7, window=1000, question=50)
    assert sizes.floor == 100 + 7 + 50 + 3  # 3 open the answer
    assert sizes.total == 160 + 20 + 1000


def test_the_window_starts_behind_the_boundary() -> None:
    path = path_of(sized(5, 5, 5))
    assert window_start(path, None) == 0
    assert window_start(path, memory("m1")) == 1
    assert window_start(path, memory("m3")) == 3
    assert window_start(path, memory("of another branch")) == 0


@pytest.mark.parametrize(
    ("prompt", "text", "system", "summary"),
    [
        ("", "", 0, 0),
        ("Be kind.", "", 3 + 4, 0),
        # The label 19, its end of line 1, the fences 3 + 4, two more ends of line, the text 4.
        ("", HENS, 0, 33 + 4),
        # The message has its overhead once; a blank line parts prompt and notes.
        ("Be kind.", HENS, 3 + 4, 33 + 1),
    ],
)
def test_the_summary_costs_what_it_adds_to_the_system_message(
    prompt: str, text: str, system: int, summary: int
) -> None:
    path = path_of(sized(10, 10, 10, 10))
    settings = thousand(BUDGET_ONLY, prompt)
    current = memory("m2", text) if text else None
    sizes = measure(path, current, settings, COUNTER, 4, None)
    assert (sizes.system, sizes.summary) == (system, summary)


def test_each_message_is_counted_where_it_is_sent() -> None:
    # A pinned turn on each side of the boundary: one is a pin, the other a part of the window.
    messages = sized(11, 12, 23, 24, 35, 36, 47, 48, 59)
    path = path_of(messages, pinned={"m1", "m5"})
    sizes = measure(path, memory("m4"), thousand(BUDGET_ONLY), COUNTER, 8, 8)
    assert sizes.pins == 11 + 12
    assert sizes.window == 35 + 36 + 47 + 48
    assert sizes.question == 59
    assert measure(path, None, thousand(BUDGET_ONLY), COUNTER, 8, None) == Sizes(
        system=0, summary=0, pins=0, window=11 + 12 + 23 + 24 + 35 + 36 + 47 + 48, question=0
    )


@pytest.mark.parametrize(
    ("total", "reserved", "folds", "forced"),
    [
        (750, 0, False, False),
        (751, 0, True, True),
        (650, 100, False, False),
        (651, 100, True, False),
        (750, 100, True, False),  # the rule's own headroom is used up, the budget is not
        (751, 100, True, True),
    ],
)
def test_a_fold_is_forced_one_token_over_the_budget(
    total: int, reserved: int, folds: bool, forced: bool
) -> None:
    # Two turns and a question of 10; 3 tokens open the answer.
    path = path_of(sized(total - 43, 10, 10, 10, 10))
    settings = thousand(replace(BUDGET_ONLY, reserved=reserved))
    found = plan(path, None, settings, COUNTER)
    assert (found.window_start, found.end, found.question) == (0, 4, 4)
    assert found.sizes.total == total
    if folds:
        reason = f"the prompt holds {total} of 750 tokens"
        assert found.cut == Cut(0, 2, reason, forced)
    else:
        assert found.cut is None


def test_a_question_that_is_yet_to_come_takes_no_part() -> None:
    path = path_of(sized(10, 20, 30, 40))
    answered = plan(path, None, thousand(BUDGET_ONLY), COUNTER, asked=False)
    assert (answered.end, answered.question) == (4, None)
    assert (answered.sizes.window, answered.sizes.question) == (100, 0)
    asked = plan(path, None, thousand(BUDGET_ONLY), COUNTER)  # the newest one, asked again
    assert (asked.end, asked.question) == (2, 2)
    assert (asked.sizes.window, asked.sizes.question) == (30, 30)


@pytest.mark.parametrize(
    ("system", "recall", "question", "reserved", "room"),
    [
        # 750 - 29 (frame) - 200 (summary) - 3 (answer) - 8 (slack) - 4 (a system message)
        ("", 0, 0, 0, 506),
        # With a system prompt the message is there already: only the prompt's own 7 go.
        ("Be kind.", 0, 0, 0, 503),
        ("", 50, 0, 0, 506 - 23 - 50),
        ("", 0, 14, 0, 506 - 14),
        ("", 0, 0, 90, 506 - 90),
        ("Be kind.", 50, 14, 90, 503 - 23 - 50 - 14 - 90),
    ],
)
def test_turns_stay_while_they_fit_beside_the_whole_reserve(
    system: str, recall: int, question: int, reserved: int, room: int
) -> None:
    policy = replace(BUDGET_ONLY, recall_tokens=recall, reserved=reserved)
    settings = thousand(policy, system)
    for newest, end in ((room, 2), (room + 1, 4)):
        sizes = [400, 400, newest - 5, 5, *([question] if question else [])]
        found = plan(path_of(sized(*sizes)), None, settings, COUNTER, asked=bool(question))
        assert found.cut is not None
        assert (found.cut.start, found.cut.end) == (0, end)


@pytest.mark.parametrize("pinned", ["m1", "m5"])
def test_pinned_turns_take_their_room_wherever_they_are(pinned: str) -> None:
    # Pinned 60, so 506 - 60 are left for the turns that are not; pins need no further room.
    for newest, end in ((446, 4), (447, 8)):
        messages = sized(30, 30, 400, 400, 30, 30, newest - 5, 5)
        path = path_of(messages, pinned={pinned}, excluded={"m1", "m5"} - {pinned})
        found = plan(path, None, thousand(BUDGET_ONLY), COUNTER, asked=False)
        assert found.cut is not None and found.cut.end == end


@pytest.mark.parametrize(
    ("window", "newest", "older", "end"),
    [
        # 400 - 244 = 156 under the low water; 506 under the budget, for the last turns.
        (0, 100, 56, 2),
        (0, 100, 57, 4),
        (0, 156, 10, 4),
        (0, 157, 10, 6),
        (1, 506, 10, 4),
        (1, 507, 10, 6),
        (1, 100, 56, 2),
        (1, 100, 57, 4),
        (2, 100, 406, 2),
        (2, 100, 407, 4),
    ],
)
def test_beyond_the_last_turns_a_fold_goes_down_to_the_low_water(
    window: int, newest: int, older: int, end: int
) -> None:
    policy = replace(BUDGET_ONLY, window_conversations=window, low_share=0.40)
    messages = sized(600, 600, older - 5, 5, newest - 5, 5)
    found = plan(path_of(messages), None, thousand(policy), COUNTER, asked=False)
    assert found.cut is not None and found.cut.end == end


def test_the_low_water_is_never_over_the_budget() -> None:
    policy = replace(BUDGET_ONLY, low_share=0.90)
    for newest, end in ((506, 2), (507, 4)):
        path = path_of(sized(400, 400, newest - 5, 5))
        found = plan(path, None, thousand(policy), COUNTER, asked=False)
        assert found.cut is not None and found.cut.end == end


TRIGGER = Policy("dost", window_conversations=1, summary_trigger_tokens=280)


@pytest.mark.parametrize("candidates", [280, 281])
@pytest.mark.parametrize("boundary", [0, 2])
def test_the_trigger_is_for_old_summary_and_candidates_together(
    boundary: int, candidates: int
) -> None:
    # The last turn, 400, stays and is no candidate; an old summary holds 37 in its frame.
    current = memory("m2") if boundary else None
    first = candidates - (40 + 37 if boundary else 2 * 40 + 40)
    path = path_of(sized(40, 40, first, 40, 300, 100, 10))
    found = plan(path, current, thousand(TRIGGER), COUNTER)
    reason = f"summary and candidates hold {candidates} tokens, over the trigger of 280"
    folds = candidates > 280
    assert found.cut == (Cut(boundary, 4, reason, forced=False) if folds else None)


def test_over_the_budget_the_rule_with_a_trigger_keeps_its_last_turns_and_no_more() -> None:
    path = path_of(sized(300, 300, 50, 50, 50, 50, 10))
    found = plan(path, None, thousand(TRIGGER), COUNTER)
    assert found.cut is not None  # the budget would have let two turns stay
    assert (found.cut.end, found.cut.forced) == (4, True)


def test_over_the_budget_the_rule_with_a_trigger_keeps_fewer_turns_where_it_must() -> None:
    path = path_of(sized(50, 50, 300, 300, 100, 100, 10))
    found = plan(path, None, thousand(replace(TRIGGER, window_conversations=2)), COUNTER)
    assert found.cut is not None and (found.cut.end, found.cut.forced) == (4, True)
    # One turn, too large to stay: the trigger's rule alone would fold nothing at all.
    found = plan(path_of(sized(400, 400, 10)), None, thousand(TRIGGER), COUNTER)
    assert found.cut is not None and (found.cut.end, found.cut.forced) == (2, True)


SOFT = Policy("pleat", window_conversations=0, soft_share=0.70, low_share=0.40)


@pytest.mark.parametrize(("total", "folds"), [(700, False), (701, True)])
def test_past_the_soft_mark_is_folded_after_the_answer(total: int, folds: bool) -> None:
    path = path_of(sized(total - 103, 50, 25, 25))
    cut = plan_background(path, None, thousand(SOFT), COUNTER)
    reason = f"the prompt holds {total} tokens, over the soft mark of 700"
    assert cut == (Cut(0, 2, reason, forced=False) if folds else None)


@pytest.mark.parametrize(("newest", "folds"), [(30, False), (31, True)])
def test_after_the_answer_only_what_lies_behind_the_boundary_counts(
    newest: int, folds: bool
) -> None:
    # 300 + 300 + 30 + 30, the summary's 37 in its frame, and 3: 700.
    path = path_of(sized(400, 400, 300, 300, 30, newest))
    cut = plan_background(path, memory("m2"), thousand(SOFT), COUNTER)
    reason = "the prompt holds 701 tokens, over the soft mark of 700"
    assert cut == (Cut(2, 4, reason, forced=False) if folds else None)


def test_without_a_soft_mark_nothing_is_folded_after_the_answer() -> None:
    path = path_of(sized(900, 900, 900, 900))
    assert plan_background(path, None, thousand(BUDGET_ONLY), COUNTER) is None


@pytest.mark.parametrize(
    ("window", "messages", "end"),
    [
        (0, 4, 4),
        (1, 4, 2),
        (1, 6, 4),
        (2, 6, 2),
        (2, 4, None),
        (3, 4, None),
        (0, 5, 4),  # the question that waits for its answer is left out
        (1, 5, 2),
        (2, 5, None),
        (0, 1, None),
        (0, 0, None),
    ],
)
def test_by_hand_all_is_folded_but_the_last_turns(
    window: int, messages: int, end: int | None
) -> None:
    settings = thousand(replace(BUDGET_ONLY, window_conversations=window))
    cut = plan_manual(path_of(sized(*[10] * messages)), None, settings)
    assert cut == (None if end is None else Cut(0, end, "asked for", forced=False))


def test_by_hand_what_is_folded_starts_behind_the_boundary() -> None:
    path = path_of(sized(*[10] * 8))
    settings = thousand(replace(BUDGET_ONLY, window_conversations=1))
    assert plan_manual(path, memory("m4"), settings) == Cut(4, 6, "asked for", forced=False)
    assert plan_manual(path, memory("m6"), settings) is None


def test_no_cut_where_it_would_free_nothing() -> None:
    settings = thousand(BUDGET_ONLY)
    path = path_of(sized(*[10] * 4), excluded={"m1"}, pinned={"m3"})
    assert plan_manual(path, None, settings) is None


def unfinished(*tokens: int) -> ActivePath:
    """As ``sized``, while the fourth message is still being written."""
    messages = sized(*tokens)
    messages[3] = replace(messages[3], status="streaming")
    return path_of(messages)


def test_a_cut_that_nothing_forces_ends_before_an_answer_that_is_being_written() -> None:
    # 613 tokens with the question, over 550 and under the budget: all four messages should go.
    settings = thousand(replace(BUDGET_ONLY, reserved=200))
    found = plan(unfinished(100, 100, 400, 100, 10), None, settings, COUNTER)
    assert found.cut == Cut(0, 2, "the prompt holds 613 of 750 tokens", forced=False)
    by_hand = plan_manual(unfinished(100, 100, 400, 100), None, settings)
    assert by_hand == Cut(0, 2, "asked for", forced=False)


def test_a_cut_that_is_forced_passes_over_an_answer_that_is_being_written() -> None:
    found = plan(unfinished(100, 100, 600, 100, 10), None, thousand(BUDGET_ONLY), COUNTER)
    assert found.cut == Cut(0, 4, "the prompt holds 813 of 750 tokens", forced=True)


TOO_SMALL = "Too little to fold: under 50 tokens."
TOO_FEW = "Fewer than 4 messages since the last summary."


@pytest.mark.parametrize(
    ("sizes", "start", "end", "trigger", "why"),
    [
        ((25, 24, 90, 90), 0, 2, "manual", TOO_SMALL),
        ((25, 25, 90, 90), 0, 2, "manual", ""),
        ((25, 25, 90, 90), 0, 2, "auto", ""),
        ((25, 24, 90, 90), 0, 2, "overflow", TOO_SMALL),
        ((25, 25, 90), 0, 2, "manual", TOO_FEW),
        ((25, 25, 90), 0, 2, "auto", TOO_FEW),
        ((25, 25, 90), 0, 2, "overflow", ""),  # the request asks for it
        # The messages since the last summary count, those that stay word for word among them.
        ((9, 9, 25, 25, 9, 9), 2, 4, "manual", ""),
        ((9, 9, 25, 25, 9), 2, 4, "manual", TOO_FEW),
    ],
)
def test_why_a_fold_that_nothing_forces_is_not_worth_it(
    sizes: tuple[int, ...], start: int, end: int, trigger: Trigger, why: str
) -> None:
    cut = Cut(start, end, "asked for", forced=False)
    path = path_of(sized(*sizes))
    assert too_little(path, cut, thousand(BUDGET_ONLY), trigger) == why
