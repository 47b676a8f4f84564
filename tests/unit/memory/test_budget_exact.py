"""The sizes that follow from a context, to the token, at both sides of each bound."""

from __future__ import annotations

import pytest

from app.memory.budget import Limits, answer_room, learn_factor, make_limits, read_size

NO_NUMBER = "is not a number of tokens, like 8192."
MOST = 10_000_000


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (None, (4096, "")),
        ("", (4096, "")),
        (True, (4096, "A size is a number of tokens.")),
        ("12345678901234567890x", (4096, f"“12345678901234567890” {NO_NUMBER}")),
        ([8192], (4096, f"“[8192]” {NO_NUMBER}")),
        (0, (4096, "The context size must be more than 0 tokens.")),
        (-1, (4096, "The context size must be more than 0 tokens.")),
        (0.5, (512, "The smallest context size is 512 tokens.")),
        (1, (512, "The smallest context size is 512 tokens.")),
        (511, (512, "The smallest context size is 512 tokens.")),
        (512, (512, "")),
        (513, (513, "")),
        (10_000_000, (10_000_000, "")),
        (10**400, (10_000_000, "The largest context size is 10,000,000 tokens.")),
        (10_000_001, (10_000_000, "The largest context size is 10,000,000 tokens.")),
    ],
)
def test_a_size_is_taken_or_it_is_said_why_not(given: object, found: tuple[int, str]) -> None:
    assert read_size(given) == found


def test_the_limits_of_the_usual_context() -> None:
    limits = make_limits(4096, recall_tokens=300)
    # three quarters, the 20 % of 819.2 cut to the preset's 800, 7 % of 4096 = 286.72
    assert limits == Limits(
        size=4096, factor=1.0, context=4096, budget=3072, summary=800, recall=286
    )
    assert limits.pins == 1024


@pytest.mark.parametrize(
    ("size", "context"),
    [(-1, 512), (511, 512), (512, 512), (513, 513), (MOST, MOST), (MOST + 1, MOST)],
)
def test_a_context_is_kept_in_its_bounds(size: int, context: int) -> None:
    limits = make_limits(size)
    assert (limits.size, limits.context) == (context, context)


@pytest.mark.parametrize(
    ("factor", "kept", "context"),
    [
        (0.5, 1.0, 4096),
        (1.0, 1.0, 4096),
        (1.1, 1.1, 3723),  # 3723.6
        (3.0, 3.0, 1365),  # 1365.3
        (3.1, 3.0, 1365),
        (float("nan"), 1.0, 4096),
        (float("inf"), 1.0, 4096),  # not a factor that anyone measured
    ],
)
def test_a_factor_scales_the_context_down_and_is_kept_between_one_and_three(
    factor: float, kept: float, context: int
) -> None:
    limits = make_limits(4096, factor=factor)
    assert (limits.size, limits.factor, limits.context) == (4096, kept, context)


@pytest.mark.parametrize(
    ("size", "budget", "pins"),
    [(1000, 750, 250), (1001, 750, 250), (1003, 752, 250), (1004, 753, 251)],
)
def test_shares_are_rounded_down(size: int, budget: int, pins: int) -> None:
    limits = make_limits(size)
    assert (limits.budget, limits.pins) == (budget, pins)


@pytest.mark.parametrize(
    ("size", "wanted", "summary"),
    [
        (4096, 800, 800),
        (4096, 799, 799),
        (4096, 2000, 819),  # 20 % of 4096 = 819.2
        (3999, 800, 799),  # 799.8
        (4000, 800, 800),
        (4096, 17, 17),
        (4096, 16, 16),
        (4096, 15, 16),  # under it not even one emoji and its speaker fit
        (4096, 0, 16),
    ],
)
def test_a_summary_holds_what_is_asked_for_up_to_a_fifth(
    size: int, wanted: int, summary: int
) -> None:
    assert make_limits(size, summary_limit=wanted).summary == summary


@pytest.mark.parametrize(
    ("wanted", "recall"), [(-1, 0), (0, 0), (1, 1), (70, 70), (71, 70), (300, 70)]
)
def test_recall_holds_what_is_asked_for_up_to_seven_hundredths(wanted: int, recall: int) -> None:
    assert make_limits(1000, recall_tokens=wanted).recall == recall


def test_nothing_is_recalled_where_the_preset_asks_for_nothing() -> None:
    assert make_limits(1000).recall == 0


@pytest.mark.parametrize(
    ("size", "factor", "prompt", "wanted", "room"),
    [
        (1000, 1.0, 600, None, None),  # the server stops at its own end
        (1000, 1.0, 600, 383, 383),
        (1000, 1.0, 600, 384, 384),  # 1000 - 600 - 16
        (1000, 1.0, 600, 385, 384),
        (1000, 1.0, 983, 500, 1),
        (1000, 1.0, 2000, 500, 1),  # the least answer is one token
        (1000, 1.0, 600, 1, 1),
        (1000, 1.0, 600, 0, 1),
        (1000, 1.0, 600, -5, 1),
        (1000, 1.5, 401, 900, 382),  # the model counts 601.5 and so 602
        (1000, 2.0, 300, 900, 384),
    ],
)
def test_an_answer_gets_what_the_prompt_leaves(
    size: int, factor: float, prompt: int, wanted: int | None, room: int | None
) -> None:
    assert answer_room(make_limits(size, factor=factor), prompt, wanted) == room


@pytest.mark.parametrize(
    ("factor", "counted", "reported", "learned"),
    [
        (1.0, 199, 400, 1.0),  # too short to say anything
        (1.0, 200, 400, 1.6),
        (1.0, 200, 0, 1.0),
        (1.0, 200, -1, 1.0),
        (1.5, 1000, 2000, 1.8),  # up by 0.6 of the way
        (1.5, 1000, 1500, 1.5),
        (1.5, 1000, 1000, 1.4),  # down by 0.2 of it
        (1.0, 1000, 600, 1.0),  # never under 1
        (1.0, 1000, 4333, 3.0),  # 2.9998
        (1.0, 1000, 4330, 2.998),
        (1.0, 1000, 9000, 3.0),  # never over 3
        (1.0, 300, 301, 1.002),  # in thousandths
    ],
)
def test_the_factor_goes_part_of_the_way(
    factor: float, counted: int, reported: int, learned: float
) -> None:
    assert learn_factor(factor, counted, reported) == (learned, False)


@pytest.mark.parametrize(
    ("reported", "cached", "found"),
    [
        (599, 0, (1.5, True)),  # under 0.6 of the count: the server cut the prompt
        (600, 0, (1.32, False)),  # 1.5 - 0.2 * 0.9
        (1, 0, (1.5, True)),
        (300, 299, (1.5, True)),
        (300, 300, (1.32, False)),
        (300, 700, (1.4, False)),
        (300, 1, (1.5, True)),
        (599, 1, (1.32, False)),
        (600, 400, (1.32, False)),  # what is believed as it is needs no cache
    ],
)
def test_what_the_server_has_in_its_cache_counts_before_it_is_suspected(
    reported: int, cached: int, found: tuple[float, bool]
) -> None:
    assert learn_factor(1.5, 1000, reported, cached) == found
