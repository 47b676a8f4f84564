"""A question that names a thing by its kind finds the message that names the thing."""

from __future__ import annotations

import pytest

from app.memory.extractive.words import terms
from app.memory.recall import RecallIndex
from app.memory.recall.index import MEMBER, STRANGE
from app.memory.recall.kinds import members

SAID = [
    "On Sundays I practise the violin in the kitchen.",
    "The tram was late again this morning.",
    "Our cat sleeps on the printer.",
    "In March we drove through Portugal with my aunt.",
    "Tomorrow the plumber comes to look at the boiler.",
    "I pay by the month for my Pixel.",
    "In the evening I take ibuprofen.",
    "All of it is deployed on Hetzner.",
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
        ("What phone do I have?", 5),
        ("Which medicine was it?", 6),
        ("Who is our hosting provider?", 7),
    ],
)
def test_a_kind_finds_its_members(question: str, place: int) -> None:
    assert index(SAID).search(question)[0].id == f"m{place}"


def test_the_word_itself_comes_before_a_member_of_its_kind() -> None:
    found = index([*SAID, "An instrument stood in the hall."]).search("Which instrument was it?")
    assert [hit.id for hit in found[:2]] == [f"m{len(SAID)}", "m0"]


def test_members_that_nobody_named_are_not_asked_for() -> None:
    wanted = index(SAID).query("Which instrument is it?")
    assert wanted == {"violin": MEMBER}


def test_a_word_that_is_no_kind_has_no_members() -> None:
    assert members("boiler") == ()


def test_a_kind_in_two_lines_has_the_members_of_both() -> None:
    assert {*terms("pottery painting")} <= {*members("art")}
    assert {*terms("labrador")} <= {*members("dog")}


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("flower", "flowers"),
        ("city", "cities"),
        ("game", "games"),
        ("sibling", "siblings"),
        ("child", "children"),
        ("dish", "dishes"),
        ("holiday", "holidays"),
    ],
)
def test_one_and_many_are_the_same_kind(one: str, many: str) -> None:
    assert members(one) == members(many)


@pytest.mark.parametrize("word", ["flow", "care", "cit"])
def test_a_word_that_only_begins_like_a_kind_is_none(word: str) -> None:
    assert members(word) == ()


def test_the_name_of_a_speaker_is_no_member() -> None:
    made = RecallIndex()
    made.add("m0", "I water the plants.", "Rose")
    made.add("m1", "The tulip by the door is open, Rose.", "Bo")
    assert set(made.query("Which flowers were there?")) == set(terms("tulip"))


def test_of_many_strange_words_only_a_few_are_looked_for() -> None:
    """Each look goes through all words: a pasted text must not hold the page up."""
    made = index(SAID)
    looked: list[str] = []
    nearest = made._nearest
    made._nearest = lambda term: (looked.append(term), nearest(term))[1]  # type: ignore[method-assign]
    made.query(" ".join(f"qwx{n}zzk" for n in range(500)))
    assert len(looked) == STRANGE


@pytest.mark.parametrize("kind", ["pet", "instrument", "country", "sport", "colour"])
def test_members_are_written_as_the_index_writes_words(kind: str) -> None:
    found = members(kind)
    assert len(found) > 5
    assert len({*found}) == len(found)
