"""Which units are taken for the summary, in which order, within which bounds."""

from __future__ import annotations

import pytest

from app.memory.extractive.choose import Candidate, choose


def unit(
    record: int,
    number: int = 0,
    *,
    cost: int = 10,
    prior: float = 1.0,
    hangs: bool = False,
    **words: float,
) -> Candidate:
    return Candidate(record, number, cost, dict(words), prior, hangs)


def taken(
    *units: Candidate, limit: int = 1000, share: int = 1000, head: int = 0
) -> list[tuple[int, int]]:
    heads = [head] * (1 + max((each.record for each in units), default=0))
    return [(c.record, c.unit) for c in choose(list(units), heads, limit, {}, share)]


def test_the_most_gain_for_a_token_comes_first() -> None:
    assert taken(unit(0, a=4), unit(1, b=5)) == [(1, 0), (0, 0)]
    assert taken(unit(0, a=4, prior=1.5), unit(1, b=5)) == [(0, 0), (1, 0)]
    assert taken(unit(0, a=4, cost=5), unit(1, b=5)) == [(0, 0), (1, 0)]
    assert taken(unit(0, a=4, b=3), unit(1, c=5)) == [(0, 0), (1, 0)]


def test_one_and_a_half_tokens_are_added_to_every_cost() -> None:
    # 1 for 2.5 tokens is as much as 3 for 7.5. With 1.65 added it would be as much as 2.89.
    assert taken(unit(0, cost=1, a=1.0), unit(1, cost=6, b=2.95)) == [(0, 0), (1, 0)]
    assert taken(unit(0, cost=1, a=1.0), unit(1, cost=6, b=3.05)) == [(1, 0), (0, 0)]


@pytest.mark.parametrize(("before", "adds"), [(0, 100.0), (1, 22.0), (2, 6.0), (3, 2.0)])
def test_a_word_adds_less_each_time(before: int, adds: float) -> None:
    said = [unit(n, a=0.1, **{f"x{n}": 1000.0}) for n in range(before)]
    for other, first in ((adds * 1.04, "new"), (adds * 0.96, "again")):
        order = taken(*said, unit(before, a=100.0), unit(before + 1, b=other))
        assert order[before] == (before + (first == "new"), 0)


def test_a_word_said_four_times_adds_nothing() -> None:
    said = [unit(n, a=0.1, **{f"x{n}": 1000.0}) for n in range(4)]
    assert len(taken(*said, unit(4, a=900.0))) == 4


def test_what_was_covered_before_adds_less() -> None:
    units = [unit(0, a=4), unit(1, b=2)]
    assert [c.record for c in choose(units, [0, 0], 1000, {"a": 1}, 1000)] == [1, 0]
    assert [c.record for c in choose(units, [0, 0], 1000, {"a": 4}, 1000)] == [1]


def test_a_line_must_be_worth_its_room_even_where_there_is_room() -> None:
    # 0.035 for each of 11.5 tokens is 0.4025.
    assert taken(unit(0, a=0.41)) == [(0, 0)]
    assert taken(unit(0, a=0.39)) == []
    assert taken(unit(0, a=0.0)) == taken() == []


def test_no_more_than_the_limit_is_spent_and_what_has_no_room_is_passed_over() -> None:
    units = (unit(0, a=9), unit(1, b=8, cost=11), unit(2, c=1))
    assert taken(*units, limit=20) == [(0, 0), (2, 0)]
    assert taken(*units, limit=21) == [(0, 0), (1, 0)]
    assert taken(*units, limit=19) == [(0, 0)]
    assert taken(*units, limit=31) == [(0, 0), (1, 0), (2, 0)]


def test_the_head_of_a_record_is_paid_by_its_first_unit() -> None:
    first, second, other = unit(0, 0, a=9), unit(0, 1, b=5), unit(1, c=6)
    # Without its head the second is worth 5 / 11.5, the other with its own 6 / 15.5.
    assert taken(first, second, other, head=4) == [(0, 0), (0, 1), (1, 0)]
    assert taken(first, second, other, head=4, limit=24) == [(0, 0), (0, 1)]
    assert taken(first, second, other, head=4, limit=23) == [(0, 0)]
    assert taken(first, second, other, head=4, limit=38) == [(0, 0), (0, 1), (1, 0)]
    assert taken(first, second, other, head=4, limit=37) == [(0, 0), (0, 1)]


def test_no_record_takes_more_than_its_share() -> None:
    units = (unit(0, 0, a=9), unit(0, 1, b=8), unit(0, 2, c=7), unit(1, d=1))
    assert taken(*units, share=24, head=4) == [(0, 0), (0, 1), (1, 0)]
    assert taken(*units, share=23, head=4) == [(0, 0), (1, 0)]
    assert taken(*units, share=34, head=4) == [(0, 0), (0, 1), (0, 2), (1, 0)]
    assert taken(*units, share=13, head=4) == []


def test_what_hangs_is_taken_only_behind_the_unit_before_it() -> None:
    tail = unit(0, 1, a=99, hangs=True)
    assert taken(unit(0, 0, b=1), tail, unit(1, c=2)) == [(1, 0), (0, 0), (0, 1)]
    assert taken(unit(0, 0, b=0), tail) == []
    longer = unit(0, 2, d=9, hangs=True)
    assert taken(unit(0, 0, b=1), tail, longer) == [(0, 0), (0, 1), (0, 2)]
    assert taken(unit(0, 0, b=1), unit(0, 1, hangs=True), longer) == [(0, 0)]


def test_nothing_is_taken_twice() -> None:
    units = [unit(n // 3, n % 3, a=1, **{f"x{n}": 5.0}) for n in range(9)]
    found = taken(*units, head=2)
    assert sorted(found) == [(n // 3, n % 3) for n in range(9)]
