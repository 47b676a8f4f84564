"""What a unit costs and is worth beside its record, and how many of the chosen ones stand."""

from __future__ import annotations

import pytest

from app.memory.extractive.choose import Candidate
from app.memory.extractive.records import Record
from app.memory.extractive.split import Unit
from app.memory.extractive.summary import fit, summarise, weigh
from app.memory.extractive.types import Line, Source
from tests.support.words import WordTokenizer

WORDS = WordTokenizer()


def record(*texts: str, label: str = "", day: str = "", **marks: bool) -> Record:
    return Record("m", label, "user", day, [Unit(text) for text in texts], **marks)


# Costs and factors.


def test_a_unit_costs_its_tokens_and_its_day_where_it_leans_on_it() -> None:
    pool = [
        record("I swam yesterday.", "I swim.", label="Ada", day="8 May 2023"),
        record("I swam yesterday.", label="Ada Bo"),
        record("I swim.", label="Bo", day="8.5."),
    ]
    candidates, heads = weigh(pool, WORDS)
    assert [(c.record, c.unit) for c in candidates] == [(0, 0), (0, 1), (1, 0), (2, 0)]
    assert [c.cost for c in candidates] == [4 + 5, 3, 4, 3]  # "[8 May 2023] " has five tokens
    assert heads == [3, 4, 3]  # "Ada:" and the line break
    (named,), _ = weigh([record("Bo and Ada swim.", label="ADA")], WORDS)
    assert "ada" not in named.features


def test_a_line_of_a_model_counts_half_more_and_an_answer_a_third() -> None:
    (plain,), _ = weigh([record("A goat swims.")], WORDS)
    (opaque,), _ = weigh([record("A goat swims.", old=True, opaque=True)], WORDS)
    (answer,), _ = weigh([record("A goat swims.", answers=True)], WORDS)
    assert (plain.prior, opaque.prior, answer.prior) == (1.0, 1.5, 1.3)
    assert not plain.hangs


def test_the_kind_of_a_unit_and_what_it_hangs_on_are_minded() -> None:
    units = [Unit("goat 48213", "code"), Unit("as it was", "prose", ", ", True)]
    code, tail = weigh([Record("m", "", "user", "", units)], WORDS)[0]
    assert (code.prior, code.features["48213"]) == (0.6, 0.1)
    assert tail.hangs


@pytest.mark.parametrize(
    ("new", "factors"),
    [
        ("The attic rent is 500.", [0.15, 1.3]),
        ("The attic rent of wood is 500.", [0.5, 1.3]),
        ("The cellar paint costs 500.", [1.0, 1.0]),
    ],
)
def test_a_replaced_statement_counts_less_and_its_successor_more(
    new: str, factors: list[float]
) -> None:
    pool = [record("The attic rent is 300.", label="Ada"), record(new, label="Ada")]
    assert [c.prior for c in weigh(pool, WORDS)[0]] == pytest.approx(factors)


# How many stand.


@pytest.mark.parametrize("count", range(1, 22))
def test_the_longest_head_that_fits_is_found_for_every_limit(count: int) -> None:
    # Lines of one token: with the line breaks between them n lines have 2 n - 1.
    pool = [record("ox") for _ in range(count)]
    taken = [Candidate(n, 0, 1, {}, 1.0) for n in range(count)]
    for limit in range(2 * count + 2):
        assert len(fit(pool, taken, limit, WORDS)) == min(count, (limit + 1) // 2)
    assert fit(pool, [], 50, WORDS) == []


def test_lines_stand_in_time_order_and_units_in_theirs() -> None:
    pool = [record("I swim.", "I row.", "I run.", label="Ada"), record("I fly.", label="Bo")]
    taken = [Candidate(1, 0, 1, {}, 1.0), Candidate(0, 2, 1, {}, 1.0), Candidate(0, 0, 1, {}, 1.0)]
    texts = [line.text for line in fit(pool, taken, 50, WORDS)]
    assert texts == ["Ada: I swim. I run.", "Bo: I fly."]


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (record("I swam today.", "I row.", day="8.5."), "[8.5.] I swam today. I row."),
        (record("I swim.", "I row.", day="8.5."), "I swim. I row."),
        (record("I swim.", "I row.", day="8.5.", old=True), "[8.5.] I swim. I row."),
    ],
)
def test_a_line_that_leans_on_its_day_has_it_and_an_old_line_keeps_it(
    made: Record, text: str
) -> None:
    taken = [Candidate(0, 0, 1, {}, 1.0), Candidate(0, 1, 1, {}, 1.0)]
    assert [line.text for line in fit([made], taken, 50, WORDS)] == [text]


# The whole.


def said(*texts: str, name: str = "Ada") -> list[Source]:
    return [Source(f"m{i}", "user", name, text) for i, text in enumerate(texts)]


def test_where_nothing_is_worth_a_line_the_last_one_is_cut() -> None:
    assert summarise([], said("It is so.", "And so it is."), 40, WORDS) == [
        Line("Ada: And so it is.", "m1")
    ]
    assert summarise([], said("It is so.", "And so it is."), 3, WORDS) == [Line("Ada: And", "m1")]
    assert summarise([], said("Code 4711 opens the shed."), 4, WORDS) == [
        Line("Ada: Code 4711", "m0")
    ]


def test_nothing_said_or_no_room_is_no_summary() -> None:
    assert summarise([], [], 40, WORDS) == []
    assert summarise([], said("Code 4711."), 0, WORDS) == []
    assert summarise([], said("Ox"), 1, WORDS) == [Line("Ada", "m0")]


@pytest.mark.parametrize(
    ("name", "limit", "towns"),
    [("Ada", 299, 3), ("Ada Bo", 299, 2), ("Ada Bo", 304, 2), ("Ada Bo", 305, 3)],
)
def test_one_message_takes_at_most_sixty_tokens_or_a_fifth(
    name: str, limit: int, towns: int
) -> None:
    # Units of 19 tokens behind "Ada:" with its line break, three tokens, or "Ada Bo:", four.
    text = " ".join(
        f"We saw the big old town {town} near there and then went on by foot to a lake."
        for town in ("AA", "BB", "CC", "DD")
    )
    (line,) = summarise([], said(text, name=name), limit, WORDS)
    assert line.text.count("town") == towns


@pytest.mark.parametrize(
    ("limit", "count"), [(8, 1), (10, 1), (11, 2), (16, 2), (17, 3), (22, 3), (23, 4)]
)
def test_as_many_lines_stand_as_fit(limit: int, count: int) -> None:
    # "Ada: Code 4711." has five tokens; the choice may go a twelfth and two beyond the limit.
    texts = [f"Code {number}." for number in (4711, 5822, 6933, 7044, 8155)]
    assert len(summarise([], said(*texts), limit, WORDS)) == count
