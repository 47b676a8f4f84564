"""Words that lean on a day get its date, and only when it is certain."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from app.memory.extractive.anchor import anchor, parse, write, written
from app.memory.extractive.dates import date_of, leans_on_date, split_header


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I swam yesterday.", "I swam yesterday (7 May 2023)."),
        ("I swam last Friday.", "I swam last Friday (5 May 2023)."),
        ("We met last year in Oslo", "We met last year (2022) in Oslo"),
        ("I leave next month.", "I leave next month (June 2023)."),
        ("It began two weeks ago.", "It began two weeks ago (24 April 2023)."),
        ("I leave in three days.", "I leave in three days (11 May 2023)."),
        ("Byl jsem tam včera.", "Byl jsem tam včera (7 May 2023)."),
        ("昨日、京都に行きました。", "昨日 (7 May 2023)、京都に行きました。"),
        ("See you next Friday!", "See you next Friday!"),
        ("It lasted all day.", "It lasted all day."),
    ],
)
def test_the_date_stands_behind_the_word(text: str, expected: str) -> None:
    assert anchor(text, "8 May 2023") == expected
    assert anchor(expected, "8 May 2023") == expected


def test_without_a_day_nothing_is_added() -> None:
    assert anchor("I swam yesterday.", "") == "I swam yesterday."


def test_every_day_of_some_years_has_the_right_yesterday() -> None:
    day = date(2023, 12, 20)
    for step in range(800):
        today = day + timedelta(step)
        before = today - timedelta(1)
        shown = anchor("yesterday", today.isoformat())
        assert shown == f"yesterday ({write((before.year, before.month, before.day))})"


def test_written_dates_are_read() -> None:
    assert parse("8 May 2023") == parse("May 8, 2023") == parse("2023-05-08") == (2023, 5, 8)
    assert parse("soon") is None
    assert written("2023-05-08") == "8 May 2023"
    assert written("1.5.2023") == "1.5.2023"


def test_a_session_header_is_a_day_and_a_photo_is_not() -> None:
    assert split_header("[1:56 pm on 8 May, 2023] Hey!") == ("8 May 2023", "Hey!")
    assert split_header("[photo: a dog] Hey!") == ("", "[photo: a dog] Hey!")
    assert date_of(1_683_547_200_000) == "8 May 2023"
    assert date_of(0) == ""


def test_a_line_with_its_date_leans_no_more() -> None:
    assert leans_on_date("I swam yesterday.")
    assert not leans_on_date("I swam yesterday (7 May 2023).")
