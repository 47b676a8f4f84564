"""Which details of a message are put back, and which were said or are out of date."""

from __future__ import annotations

import pytest

from app.memory.extractive.details import details, restore_details
from app.memory.extractive.types import Line, Source
from tests.support.words import WordTokenizer

WORDS = WordTokenizer()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The invoice 48213 is due on 3.5.", "48213 3.5"),
        ("Marta met Bo in Ghent", "bo ghent"),  # a capital at the head names nobody
        ("42 Ghent", "42 ghent"),
        ("図書館 Ghent", "ghent"),
        ("I swim and The Sea", "sea"),
        ("we use a_b, iPad, x2 and PostgreSQL", "a_b ipad x2 postgresql"),
        ("mail a@b.org or https://a.io/x", "a@b.org https://a.io/x"),
        ("he swims in the lake", ""),
    ],
)
def test_details_are_numbers_names_addresses_and_identifiers(text: str, expected: str) -> None:
    assert details(text) == expected.split()


def said(*texts: str) -> list[Source]:
    return [Source(f"m{i}", "user", "Ada", text) for i, text in enumerate(texts)]


def restored(
    summary: str, *texts: str, room: int = 40, before: tuple[str, ...] = ()
) -> list[tuple[str, str | None]]:
    previous = [Line(text, f"p{i}") for i, text in enumerate(before)]
    found = restore_details([Line(summary, None)], said(*texts), room, WORDS, previous)
    return [(line.text, line.source) for line in found]


INVOICE = "The invoice number is 48213."


def test_a_lost_detail_comes_back_with_its_speaker_and_source() -> None:
    assert restored("There is an invoice.", INVOICE) == [(f"Ada: {INVOICE}", "m0")]
    assert restored("", "It rains.", "We met in Ghent.") == [("Ada: We met in Ghent.", "m1")]
    assert restored("", before=("Bo: We met in Ghent.",)) == [("Bo: We met in Ghent.", "p0")]


@pytest.mark.parametrize("summary", ["The invoice is 48213.", "48213"])
def test_what_the_summary_says_does_not_come_back(summary: str) -> None:
    assert restored(summary, INVOICE) == []


def test_a_name_is_said_in_any_of_its_forms() -> None:
    assert restored("ghent's market", "We met in Ghent.") == []


def test_no_detail_is_made_of_a_photo() -> None:
    assert restored("", "[photo: a goat in Ghent]") == []


def test_a_replaced_value_does_not_come_back() -> None:
    old, new = "The attic budget is 300 euros.", "The attic budget is 500 euros."
    assert restored("", old, new) == [(f"Ada: {new}", "m1")]
    assert restored("The budget is 500.", new, before=(f"Ada: {old}",)) == []
    # The same speaker or another: compared is what was said.
    assert restored("The budget is 500.", new, before=(f"Bo: {old}",)) == []
    # What only may have been replaced does.
    maybe = "The attic budget for paint is 500 euros."
    assert restored("", old, maybe) == [(f"Ada: {old}", "m0"), (f"Ada: {maybe}", "m1")]


def test_lines_are_within_their_room() -> None:
    # "Ada: The invoice number is 48213." has eight tokens.
    assert restored("", INVOICE, room=8) == [(f"Ada: {INVOICE}", "m0")]
    assert restored("", INVOICE, room=7) == []
    assert restore_details([], said(INVOICE), 0, WORDS) == []
    assert restore_details([], [], 50, WORDS) == []
    assert restore_details([], said("1"), 3, WORDS) == [Line("Ada: 1", "m0")]


@pytest.mark.parametrize(
    ("name", "room", "towns"),
    [("Ada", 150, 3), ("Ada Bo", 150, 2), ("Ada Bo", 182, 2), ("Ada Bo", 183, 3)],
)
def test_one_message_gives_at_most_sixty_tokens_or_a_third_of_the_room(
    name: str, room: int, towns: int
) -> None:
    # Units of 19 tokens behind "Ada:" with its line break, three tokens, or "Ada Bo:", four.
    text = " ".join(
        f"We saw the big old town {town} near there and then went on by foot to a lake."
        for town in ("AA", "BB", "CC", "DD")
    )
    (line,) = restore_details([], [Source("m0", "user", name, text)], room, WORDS)
    assert line.text.count("town") == towns
