"""Which day a message was said on, and whether a line wants it beside."""

from __future__ import annotations

import pytest

from app.memory.extractive.dates import date_of, leans_on_date, short_date, split_header


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[1:56 pm on 8 May, 2023] Hey!", ("8 May 2023", "Hey!")),
        ("  [2023-05-08T10:30:00Z]  Hey!", ("2023-05-08", "Hey!")),
        ("[8.5.] Hey!", ("8.5.", "Hey!")),
        ("[10:30] Hey!", ("10:30", "Hey!")),
        ("[May 2023]", ("May 2023", "")),
        ("[5/6] Hey!", ("", "[5/6] Hey!")),  # three characters are no date
        ("[in the year 2023] Hey!", ("in the year 2023", "Hey!")),
        ("[room 1234] Hey!", ("", "[room 1234] Hey!")),
        ("[photo: a dog] Hey!", ("", "[photo: a dog] Hey!")),
        ("Hey! [8 May 2023]", ("", "Hey! [8 May 2023]")),
        (f"[8 May 2023{' ' * 30}] Hey!", ("8 May 2023", "Hey!")),
        (f"[8 May 2023{' ' * 31}] Hey!", ("", f"[8 May 2023{' ' * 31}] Hey!")),
    ],
)
def test_a_date_in_brackets_at_the_head_is_taken_off(text: str, expected: tuple[str, str]) -> None:
    assert split_header(text) == expected


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        ("May 8, 2023, 10:30 am", "May 8, 2023"),
        ("8 May, 2023", "8 May 2023"),
        ("10:30", "10:30"),  # a time alone is better than nothing
    ],
)
def test_the_time_of_day_is_left_out(inner: str, expected: str) -> None:
    assert short_date(inner) == expected


@pytest.mark.parametrize(
    ("created_at", "expected"),
    [
        (-1, ""),
        (0, ""),
        (1, "1 January 1970"),
        (86_399_999, "1 January 1970"),
        (86_400_000, "2 January 1970"),
        (1_683_547_200_000, "8 May 2023"),
        (10**30, ""),  # a time that no clock shows
    ],
)
def test_a_time_in_milliseconds_is_a_day(created_at: int, expected: str) -> None:
    assert date_of(created_at) == expected


@pytest.mark.parametrize(
    ("text", "leans"),
    [
        ("I swam yesterday", True),
        ("I swam yesterday.", True),
        ("I swam yesterday (7 May 2023)", False),
        ("I swam yesterday and more (or so).", True),
        # One that has its date beside does not speak for the other.
        ("I swam yesterday (7 May 2023) and today.", True),
        ("I swam today, and yesterday (7 May 2023).", True),
        ("I swim in the lake.", False),
        ("I swim.", False),
        ("Byl jsem tam včera.", True),
        ("Plavu rád v jezeře.", False),
        ("昨日、泳ぎました。", True),
    ],
)
def test_a_word_that_points_from_its_day_wants_the_day(text: str, leans: bool) -> None:
    assert leans_on_date(text) is leans
