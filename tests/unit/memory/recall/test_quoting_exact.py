"""What a piece of a message is worth to a question, and how the chosen ones are quoted.

The numbers were tuned on conversations with known questions. The names of trees are the words:
each is its own stem.
"""

from __future__ import annotations

import pytest

from app.memory.extractive.split import units
from app.memory.recall.index import RecallIndex
from app.memory.recall.pieces import Passage, Piece, render
from app.memory.recall.questions import suitability
from app.memory.recall.quoting import _pick, _pieces, passages
from tests.support.words import WordTokenizer

WORDS = WordTokenizer()


def piece(name: str, about: float = 1.0, cost: int = 16, *, id: str = "", **words: float) -> Piece:
    """A piece of a message of its own."""
    return Piece(id or name, 0, name, about, cost, dict(words))


def picked(*pieces: Piece, room: int = 1000, head: int = 0) -> list[str]:
    heads = {each.id: head for each in pieces}
    return [each.text for each in _pick(list(pieces), heads, room)]


# In which order pieces are taken.


def test_what_is_more_about_the_question_comes_first() -> None:
    assert picked(piece("a", 0.9), piece("b", 1.0)) == ["b", "a"]
    assert picked(piece("a"), piece("b")) == ["a", "b"]
    assert picked(piece("a", 0.0), piece("b", 1.0)) == ["b"]


def test_every_piece_adds_four_and_its_words() -> None:
    assert picked(piece("plain", 1.0), piece("worded", 0.5, x=4.1)) == ["worded", "plain"]
    assert picked(piece("plain", 1.0), piece("worded", 0.5, x=3.9)) == ["plain", "worded"]
    assert picked(piece("plain", 13.5), piece("worded", 0.5, x=100)) == ["plain", "worded"]


@pytest.mark.parametrize(("before", "adds"), [(0, 100), (1, 40), (2, 20), (3, 10), (4, 10)])
def test_a_word_adds_less_each_time(before: int, adds: float) -> None:
    said = [piece(f"said{n}", 1000.0 - n, x=0.1) for n in range(before)]
    again = piece("again", x=100)
    for other, first in ((adds * 1.04, "new"), (adds * 0.96, "again")):
        order = picked(*said, again, piece("new", y=other))
        assert order[: before + 1] == [each.text for each in said] + [first]


def test_what_costs_more_must_be_worth_more_but_less_than_in_proportion() -> None:
    # 16 ** 0.75 is 8.
    assert picked(piece("long", 1.0, 16), piece("short", 0.12, 1)) == ["long", "short"]
    assert picked(piece("long", 1.0, 16), piece("short", 0.13, 1)) == ["short", "long"]


def test_a_messages_head_is_paid_once() -> None:
    # With its head "first" costs 16, so that 8 goes into each; "second" costs but one then.
    first, second = piece("first", 1.0, 1, id="m"), piece("second", 0.5, 1, id="m")
    other = piece("other", 0.6, 1)
    assert picked(first, second, other, head=15) == ["first", "second", "other"]
    assert picked(first, second, other, head=15, room=17) == ["first", "second"]
    assert picked(first, second, other, head=15, room=16) == ["first"]
    assert picked(first, second, other, head=15, room=33) == ["first", "second", "other"]
    assert picked(first, second, other, head=15, room=32) == ["first", "second"]


def test_the_first_is_taken_whatever_it_costs_and_what_has_no_room_is_passed_over() -> None:
    assert picked(piece("a", 1.0, 16), room=5) == ["a"]
    big, small = piece("big", 0.9, 16), piece("small", 0.01, 4)
    assert picked(piece("a", 1.0, 16), big, small, room=20) == ["a", "small"]
    assert picked(piece("a", 1.0, 16), big, small, room=19) == ["a"]


# What a question wants.


@pytest.mark.parametrize(
    ("question", "text", "factor"),
    [
        ("When did she swim?", "I swam yesterday.", 1.5),
        ("When did she swim?", "I swam on the 3rd.", 1.5),
        ("When did she swim?", "I swam (7 May 2023).", 1.5),
        ("When did she swim?", "I swam with 3 hens in Ghent.", 1.0),
        ("Kdy plavala?", "Plavala 2023-05-08.", 1.5),
        ("How many hens has she?", "I keep three hens.", 1.4),
        ("How many hens has she?", "I keep 3 hens.", 1.4),
        ("How many hens has she?", "I keep hens in Ghent.", 1.0),
        ("Who keeps hens?", "My friend Bo keeps hens.", 1.2),
        ("Who keeps hens?", "My friend keeps 3 hens.", 1.0),
        ("Why does she keep hens?", "My friend Bo keeps 3 hens since yesterday.", 1.0),
    ],
)
def test_the_kind_of_a_text_suits_the_kind_of_question(
    question: str, text: str, factor: float
) -> None:
    assert suitability(question)(text) == factor


def made(*texts: str) -> tuple[RecallIndex, dict[str, tuple[str, str, str]]]:
    index, said = RecallIndex(), dict[str, tuple[str, str, str]]()
    for number, text in enumerate(texts):
        index.add(f"m{number}", text, "Ada")
        said[f"m{number}"] = ("", text, "")
    return index, said


def worth(
    question: str, *texts: str, scores: dict[str, float] | None = None
) -> tuple[list[Piece], RecallIndex]:
    index, said = made(*texts)
    scores = scores or dict.fromkeys(said, 2.0)
    found, heads = _pieces(index, said, scores, index.query(question), question, WORDS)
    assert heads == dict.fromkeys(said, 3)  # "Ada:" and the line break
    return found, index


def test_a_piece_is_about_what_its_message_and_its_own_words_are() -> None:
    found, index = worth("alder birch", "I like alder. I like cedar.", "Birch, alder, oak.")
    alder, birch = index.weight("alder"), index.weight("birch")
    assert [(each.id, each.unit, each.text) for each in found] == [
        *(("m0", 0, "I like alder."), ("m0", 1, "I like cedar."), ("m1", 0, "Birch, alder, oak.")),
    ]  # fmt: skip
    assert [each.about for each in found] == pytest.approx(
        [1 + 1.2 * alder / (alder + birch), 1.0, 2.2]
    )
    assert [each.cost for each in found] == [4, 4, 6]


def test_the_better_message_counts_more_than_in_proportion() -> None:
    found, _ = worth("walnut", "Cedar.", "Larch.", scores={"m0": 4.0, "m1": 2.0})
    assert [each.about for each in found] == pytest.approx([1.0, 0.5**1.6])


def test_the_questions_words_add_a_third_and_a_speakers_name_nothing() -> None:
    (found,), index = worth("alder", "Alder and birch of Ada.")
    assert found.words == pytest.approx(
        {"alder": 0.35 * index.weight("alder"), "birch": index.weight("birch")}
    )


def test_a_question_and_a_photo_tell_less() -> None:
    found, _ = worth(
        "Who was it?", "Is it cedar?", "杉ですか？", "[photo: a tall Larch]", "It is Bo."
    )
    assert [each.about for each in found] == pytest.approx([0.4, 0.4, 0.7, 1.2])


def test_what_was_surely_replaced_knows_by_what_and_is_worth_no_less() -> None:
    texts = ("The attic budget is 300.", "The attic budget is 500.")
    for scores in ({"m0": 1.0, "m1": 1.0}, {"m1": 1.0, "m0": 1.0}):  # in whatever order found
        found, _ = worth("walnut", *texts, scores=scores)
        assert [each.about for each in found] == pytest.approx([1.0, 1.0])


# How they are quoted.

HENS = "I keep three hens. They like oats. We met in Ghent."
DATED = "[9:00 am on 8 May, 2023] I keep three hens. I swam yesterday."


def quoted(question: str, room: int, *texts: str) -> list[str]:
    index, said = made(*texts)
    found = passages(index, said, question, (), room, WORDS)
    assert len({each.id for each in found}) == len(found)
    assert WORDS.count_many(["\n".join(each.text for each in found)])[0] <= room
    return [each.text for each in found]


def test_pieces_of_a_message_stand_in_their_order_behind_speaker_and_day() -> None:
    assert quoted("Ghent hens", 50, HENS) == [f"Ada: {HENS}"]
    assert quoted("hens", 50, DATED) == [
        "[8 May 2023] Ada: I keep three hens. I swam yesterday (7 May 2023)."
    ]


def test_only_prose_gets_its_date() -> None:
    assert quoted("hens swam", 50, "[8 May 2023] My hens:\n- swam yesterday") == [
        "[8 May 2023] Ada: My hens: swam yesterday"
    ]


def test_what_stood_between_two_units_stands_there_again() -> None:
    text = "We like our garden a lot; my hens like it too."
    assert quoted("garden", 50, text) == [f"Ada: {text}"]
    # Not where a unit between them is left out.
    index, _ = made(text)
    parts = [
        Piece("m0", n, t, 1.0, 1, {}, g)
        for n, t, g in ((0, "a", ""), (1, "b", "; "), (2, "c", "; "))
    ]
    assert render(index, parts) == [Passage("m0", "Ada: a; b; c")]
    assert render(index, [parts[2], parts[0]]) == [Passage("m0", "Ada: a; c")]
    assert render(index, [parts[1]]) == [Passage("m0", "Ada: b")]
    tied = [Piece("m0", n, t, 1.0, 1, {}, g) for n, t, g in ((0, "a", ""), (1, "and I b", " "))]
    assert render(index, tied) == [Passage("m0", "Ada: a and I b")]
    assert render(index, tied[1:]) == [Passage("m0", "Ada: I b")]


def test_what_hangs_on_a_clause_is_not_quoted_without_it() -> None:
    text = "I joined a nearby church last week to feel closer to others, with my faith in mind."
    assert [part.hangs for part in units(text)] == [False, True]
    for room in range(8, 60, 2):
        assert all("joined" in each for each in quoted("faith", room, text))


@pytest.mark.parametrize(
    ("room", "expected"),
    [
        (7, []),  # under eight tokens nothing is looked for
        (8, ["Ada: Alder is so big"]),
        (9, ["Ada: Alder is so big there"]),
        (10, ["Ada: Alder is so big there."]),
    ],
)
def test_a_single_piece_that_is_too_long_is_cut(room: int, expected: list[str]) -> None:
    found = quoted("alder", room, "Alder is so big there.")
    assert [text[: len(want)] for text, want in zip(found, expected, strict=True)] == [
        "Ada: Alder is so big there."[: len(want)] for want in expected
    ]


@pytest.mark.parametrize(("room", "count"), [(10, 1), (11, 2), (16, 2), (17, 3), (22, 3), (23, 4)])
def test_as_many_pieces_are_quoted_as_fit(room: int, count: int) -> None:
    # "Ada: Alder birch." has five tokens, the line break between two of them one.
    texts = [f"Alder {word}." for word in ("birch", "cedar", "larch", "hazel")]
    assert len(quoted("alder", room, *texts)) == count


def test_the_best_message_is_quoted_last_and_an_answer_behind_its_question() -> None:
    def order(*texts: str) -> list[str]:
        return [text.removeprefix("Ada: ") for text in quoted("alder birch", 60, *texts)]

    assert order("Alder birch.", "Hazel.", "Alder cedar.") == [
        "Hazel.",
        "Alder cedar.",
        "Alder birch.",
    ]
    # The second answers the first: both stand in their order, where the better one has its place.
    asked, answer = "Alder birch?", "Cedar larch."
    assert order(asked, answer, "Hazel.", "Alder.") == ["Hazel.", "Alder.", asked, answer]
    # What only follows is no answer.
    said = "Alder birch."
    assert order(said, answer, "Hazel.", "Alder.") == ["Hazel.", answer, "Alder.", said]


def test_what_is_true_now_is_quoted_behind_what_was_true_before() -> None:
    # The older statement has more words of the question.
    found = quoted(
        "attic rent of wood in euros",
        60,
        "The attic rent of wood is 300 euros.",
        "Hazel.",
        "The attic rent of wood is 500 now.",
    )
    assert [text for text in found if "attic" in text] == [
        "Ada: The attic rent of wood is 300 euros.",
        "Ada: The attic rent of wood is 500 now.",
    ]


def test_without_a_speaker_the_day_alone_is_the_head() -> None:
    index = RecallIndex()
    index.add("m0", "I keep hens.", day="2023-05-08")
    index.add("m1", "I keep a goat.", "")
    said = {"m0": ("", "I keep hens.", ""), "m1": ("", "I keep a goat.", "")}
    found = passages(index, said, "hens", (), 40, WORDS)
    assert found[-1] == Passage("m0", "[8 May 2023] I keep hens.")
    index = RecallIndex()
    index.add("m0", "I keep hens.")
    assert passages(index, said, "hens", (), 40, WORDS) == [Passage("m0", "I keep hens.")]


def test_only_messages_that_are_there_and_allowed_are_quoted() -> None:
    index, said = made("Alder birch.", "Alder cedar.")
    found = passages(index, said, "alder", (), 40, WORDS, lambda id: id == "m1")
    assert [each.id for each in found] == ["m1"]
    del said["m1"]
    assert [each.id for each in passages(index, said, "alder", (), 40, WORDS)] == ["m0"]
    assert passages(index, {}, "alder", (), 40, WORDS) == []
    assert passages(index, said, "walnut", (), 40, WORDS) == []


def test_the_last_turns_help_to_find() -> None:
    index, said = made("Alder birch.", "It.", "It.", "It.", "Hazel cedar.")
    found = passages(index, said, "And then?", ["hazel"], 40, WORDS)
    assert "m4" in {each.id for each in found} and "m0" not in {each.id for each in found}


def test_the_best_twenty_messages_are_looked_at() -> None:
    index, said = made(*["Alder."] * 25)
    assert len(passages(index, said, "alder", (), 500, WORDS)) == 20
