"""However a question names a kind, it finds what belongs to it, and a huge one stays quick."""

from __future__ import annotations

import pytest

from app.memory.extractive.words import stem, terms
from app.memory.recall.index import RecallIndex
from app.memory.recall.kinds import members


@pytest.mark.parametrize(
    "question",
    [
        "What is my pet called?",
        "PETS?",
        "What is my pet's name?",
        "What are my pets’ names?",
        "My pet’s name? \ud800 \u202e \x00",
        "pet " * 10_000,
        "pet " + " ".join(f"xq{n}z" for n in range(10_000)),
    ],
)
def test_a_kind_in_one_in_many_and_with_what_is_its(question: str) -> None:
    index = RecallIndex()
    index.add("a", "Rex the labrador is a good dog", "Ada")
    index.add("b", "We had soup today", "Ada")
    assert index.search(question)[0].id == "a"


def test_a_speaker_who_is_called_like_a_member_is_not_looked_for() -> None:
    index = RecallIndex()
    index.add("a", "It rains", "Rose")
    index.add("b", "I planted a tulip", "Rose")
    assert "rose" not in index.query("Which flower?")
    assert stem("tulip") in index.query("Which flower?")


@pytest.mark.parametrize("kind", ["instrument", "country", "sport", "food", "job", "illness"])
def test_members_stand_as_the_index_has_them(kind: str) -> None:
    assert members(kind)
    for member in members(kind):
        assert terms(member)


@pytest.mark.parametrize("word", ["", "'", "'s", "ß", "\x00", "instrumentes", "Pet"])
def test_other_words_have_no_members(word: str) -> None:
    assert members(word) == ()
