"""Which day a word points at, by the calendar."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from app.memory.extractive.anchor import anchor, parse, write, written

MONDAY = "8 May 2023"


def pointed(text: str, day: str = MONDAY) -> str:
    """The date that is put behind a text; "" when none is."""
    found = anchor(text, day)
    assert found == text or found.startswith(text)
    return found.removeprefix(text).strip(" ()")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("yesterday", "7 May 2023"),
        ("last night", "7 May 2023"),
        ("včera", "7 May 2023"),
        ("昨天", "7 May 2023"),
        ("tomorrow", "9 May 2023"),
        ("zítra", "9 May 2023"),
        ("明日", "9 May 2023"),
        ("去年", "2022"),
        ("来年", "2024"),
        ("明年", "2024"),
        ("先月", "April 2023"),
        ("下个月", "June 2023"),
        # Of weekdays only past ones, and coming ones that are said to be this week's.
        ("last monday", "1 May 2023"),
        ("last tuesday", "2 May 2023"),
        ("last sunday", "7 May 2023"),
        ("this past friday", "5 May 2023"),
        ("this coming monday", "15 May 2023"),
        ("this coming tuesday", "9 May 2023"),
        ("this coming sunday", "14 May 2023"),
        ("next monday", ""),
        ("last week", "the week before 8 May 2023"),
        ("next week", "the week after 8 May 2023"),
        ("last weekend", "the weekend before 8 May 2023"),
        ("this coming weekend", "the weekend after 8 May 2023"),
        ("last month", "April 2023"),
        ("next month", "June 2023"),
        ("last year", "2022"),
        ("next year", "2024"),
        # A month that is over is this year's, else the last one's; one to come likewise.
        ("last april", "2023"),
        ("last june", "2022"),
        ("next june", "2023"),
        ("next april", "2024"),
        # A season counts as over from the third month after its first.
        ("last winter", "2023"),
        ("last spring", "2022"),
        ("last summer", "2022"),
        ("last fall", "2022"),
        ("last autumn", "2022"),
        ("next summer", ""),
        # So many days, weeks, months, years.
        ("a day ago", "7 May 2023"),
        ("an hour ago", ""),
        ("ten days ago", "28 April 2023"),
        ("14 days ago", "24 April 2023"),
        ("one week ago", "1 May 2023"),
        ("six weeks ago", "27 March 2023"),
        ("a month ago", "April 2023"),
        ("five months ago", "December 2022"),
        ("17 months ago", "December 2021"),
        ("two years ago", "2021"),
        ("I leave in two days", "10 May 2023"),
        ("I leave in 3 weeks", "29 May 2023"),
        ("I leave in eight months", "January 2024"),
        ("I leave in four years", "2027"),
        ("I leave in a week", ""),  # "twice in a week"
        ("I ran it in two days", ""),  # how long it took
        ("Yesterday", "7 May 2023"),
        ("LAST YEAR", "2022"),
    ],
)
def test_the_word_points_at_its_date(words: str, expected: str) -> None:
    assert pointed(words) == expected


@pytest.mark.parametrize(
    ("words", "day", "expected"),
    [
        ("last month", "8 January 2023", "December 2022"),
        ("next month", "8 December 2023", "January 2024"),
        ("last may", MONDAY, ""),  # the word "may" is too often none
        ("last april", "8 April 2023", "2022"),
        ("next april", "8 April 2023", "2024"),
        ("last spring", "8 June 2023", "2023"),
        ("last winter", "8 February 2023", "2022"),
        ("last winter", "8 March 2023", "2023"),
        ("last summer", "8 August 2023", "2022"),
        ("last summer", "8 September 2023", "2023"),
        ("last fall", "8 December 2023", "2023"),
        ("last autumn", "8 November 2023", "2022"),
        ("last autumn", "8 December 2023", "2023"),
        ("yesterday", "2023-13-08", ""),
        ("yesterday", "2023-00-08", ""),
        ("yesterday", "2023-12-08", "7 December 2023"),
        ("yesterday", "2023-01-08", "7 January 2023"),
        ("yesterday", "soon", ""),
    ],
)
def test_the_year_turns_where_it_should(words: str, day: str, expected: str) -> None:
    assert pointed(words, day) == expected


@pytest.mark.parametrize("start", [date(1899, 12, 25), date(1999, 12, 25), date(2023, 12, 25)])
def test_days_are_counted_over_months_leap_years_and_centuries(start: date) -> None:
    for step in range(0, 440, 3):
        day = start + timedelta(step)
        then = day - timedelta(70)
        assert pointed("ten weeks ago", day.isoformat()) == write((then.year, then.month, then.day))
        back = day - timedelta((day.weekday() - 4) % 7 or 7)
        assert pointed("last friday", day.isoformat()) == write((back.year, back.month, back.day))


def test_each_word_gets_its_own_date_once() -> None:
    text = "I swam yesterday, rowed last year and run tomorrow."
    found = "I swam yesterday (7 May 2023), rowed last year (2022) and run tomorrow (9 May 2023)."
    assert anchor(text, MONDAY) == found
    assert anchor(found, MONDAY) == found
    half = "I swam yesterday (7 May 2023), rowed last year and run tomorrow."
    assert anchor(half, MONDAY) == found
    # What has no certain date does not keep the next word from its own.
    assert anchor("Next friday or tomorrow", MONDAY) == "Next friday or tomorrow (9 May 2023)"


def test_a_line_with_its_day_needs_no_note_of_the_week() -> None:
    assert anchor("I swam last week.", MONDAY, dated=True) == "I swam last week."
    assert anchor("I swam last year.", MONDAY, dated=True) == "I swam last year (2022)."
    text = "I swam last week and rowed yesterday."
    assert anchor(text, MONDAY, dated=True) == "I swam last week and rowed yesterday (7 May 2023)."


@pytest.mark.parametrize(
    ("day", "expected"),
    [
        ("2023-05-08", (2023, 5, 8)),
        ("on 2023-05-08T10:30", None),
        ("8 May 2023", (2023, 5, 8)),
        ("8. May, 2023", (2023, 5, 8)),
        ("31 Dec. 2023", (2023, 12, 31)),
        ("January 2, 2023", (2023, 1, 2)),
        ("Sept 9 2023", (2023, 9, 9)),
        ("8 Mai 2023", None),
        ("Mai 8 2023", None),
        ("", None),
    ],
)
def test_a_written_date_is_read(day: str, expected: tuple[int, int, int] | None) -> None:
    assert parse(day) == expected


@pytest.mark.parametrize(
    ("day", "expected"),
    [
        (" 2023-05-08 ", "8 May 2023"),
        ("2023-01-31", "31 January 2023"),
        ("2023-12-31", "31 December 2023"),
        ("2023-13-01", "2023-13-01"),
        ("2023-00-01", "2023-00-01"),
        ("May 8, 2023", "May 8, 2023"),
        ("on 2023-05-08", "on 2023-05-08"),
    ],
)
def test_a_date_in_figures_is_written_out(day: str, expected: str) -> None:
    assert written(day) == expected
