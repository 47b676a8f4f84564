"""A question that names a thing by its kind finds the message that names the thing."""

from __future__ import annotations

import pytest

from app.memory.extractive.words import terms
from app.memory.recall import RecallIndex
from app.memory.recall.index import MEMBER
from app.memory.recall.kinds import members

SAID = [
    "On Sundays I practise the violin in the kitchen.",
    "The tram was late again this morning.",
    "Our cat sleeps on the printer.",
    "In March we drove through Portugal with my aunt.",
    "Tomorrow the plumber comes to look at the boiler.",
]


def index(said: list[str]) -> RecallIndex:
    made = RecallIndex()
    for i, text in enumerate(said):
        made.add(f"m{i}", text)
    return made


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("Which instrument do I play?", 0),
        ("Do we have any pets?", 2),
        ("Which countries have we been to?", 3),
        ("What relatives came with us?", 3),
    ],
)
def test_a_kind_finds_its_members(question: str, place: int) -> None:
    assert index(SAID).search(question)[0].id == f"m{place}"


def test_the_word_itself_comes_before_a_member_of_its_kind() -> None:
    found = index([*SAID, "An instrument stood in the hall."]).search("Which instrument was it?")
    assert [hit.id for hit in found[:2]] == ["m5", "m0"]


def test_members_that_nobody_named_are_not_asked_for() -> None:
    wanted = index(SAID).query("Which instrument is it?")
    assert wanted == {"violin": MEMBER}


def test_a_word_that_is_no_kind_has_no_members() -> None:
    assert members("boiler") == ()


def test_a_kind_in_two_lines_has_the_members_of_both() -> None:
    [kind] = terms("art")
    assert {*terms("pottery painting")} <= {*members(kind)}


@pytest.mark.parametrize("kind", ["pet", "instrument", "country", "sport", "colour"])
def test_members_are_written_as_the_index_writes_words(kind: str) -> None:
    [term] = terms(kind)
    found = members(term)
    assert len(found) > 5
    assert len({*found}) == len(found)
    for each in found:
        assert each.strip("-").isalnum() or "-" in each
