"""Recall finds what was folded: by the question's words, its speaker, its day, its neighbours."""

from __future__ import annotations

import time

import pytest

from app.memory.recall import RecallIndex, passages
from app.memory.recall.questions import suitability
from tests.support.cpython_tokenizer import CPythonTokenizer

LEXICON = CPythonTokenizer()
SAID = [
    ("Ada", "[9:00 am on 8 May, 2023] I keep three hens in Ghent."),
    ("Bo", "My bicycle was stolen near the harbour last week."),
    ("Ada", "That is terrible! Which colour was it?"),
    ("Bo", "Bright green, with a wicker basket."),
    ("Ada", "[9:00 am on 2 June, 2023] I adopted a goat called Pip."),
    ("Bo", "Your goat looks so happy!"),
    ("Ada", "Moje sestra pěstuje švestky u Jihlavy."),
    ("Bo", "会議の場所は図書館の22号室です。"),
]
TEXTS = {f"m{i}": (name, text, "") for i, (name, text) in enumerate(SAID)}


def index() -> RecallIndex:
    made = RecallIndex()
    for i, (name, text) in enumerate(SAID):
        made.add(f"m{i}", text, name)
    return made


def recalled(question: str, room: int = 40, recent: tuple[str, ...] = ()) -> str:
    found = passages(index(), TEXTS, question, recent, room, LEXICON, None)
    text = "\n".join(p.text for p in found)
    assert LEXICON.count_many([text])[0] <= room
    return text


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("When is the exam?", "The exam is on 3 June.", "The exam is in hall 7."),
        ("When do we meet?", "We meet on Friday.", "We may meet."),
        ("Who is it?", "It is Dana Roth.", "It is in Spain."),
        ("Who lives in Rome?", "Eva lives in Rome.", "Eva lives here."),
        ("Who do I rely on?", "I can rely on Petra.", "I rely on nobody."),
        ("Wer ist mein Chef?", "Er ist Herr Vogel.", "Er hat die Pläne."),
        ("How many hens?", "She has 3 hens.", "She has hens."),
    ],
)
def test_what_suits_the_question(question: str, right: str, wrong: str) -> None:
    suits = suitability(question)
    assert suits(right) > suits(wrong) == 1.0


def test_a_very_long_word_takes_no_time() -> None:
    suits = suitability("Who is it?")
    begun = time.perf_counter()
    suits("x" * 200_000)
    assert time.perf_counter() - begun < 0.5  # 500 s where the time is quadratic


def test_the_best_message_comes_first() -> None:
    assert index().search("How many hens does she keep?")[0].id == "m0"
    assert index().search("Kde pěstuje sestra švestku?")[0].id == "m6"
    assert index().search("図書館の何号室ですか？")[0].id == "m7"


def test_other_forms_and_misspelt_words_are_found() -> None:
    assert index().search("bicycles being stolen")[0].id == "m1"
    assert index().search("the old harbor")[0].id == "m1"


def test_an_answer_is_found_by_the_question_before_it() -> None:
    ids = [hit.id for hit in index().search("Which colour did it have?", limit=3)]
    assert "m3" in ids


def test_who_is_asked_about_comes_before_who_only_answers() -> None:
    assert index().search("Which goat has Ada?")[0].id == "m4"


def test_a_day_in_the_question_finds_the_messages_of_that_day() -> None:
    assert index().search("What happened on 2 June 2023?")[0].id in {"m4", "m5"}


def test_a_follow_up_question_uses_the_last_turns() -> None:
    text = recalled("And when was that?", recent=("Tell me about the goat that was adopted.",))
    assert "[2 June 2023]" in text
    assert "Pip" in text


def test_what_is_not_allowed_or_removed_is_not_recalled() -> None:
    made = index()
    assert all(h.id != "m0" for h in made.search("hens in Ghent", allowed=lambda id: id != "m0"))
    made.remove("m0")
    assert "m0" not in made
    assert all(hit.id != "m0" for hit in made.search("hens in Ghent"))
    made.remove("m0")


def test_adding_twice_changes_nothing() -> None:
    made = index()
    before = made.search("hens")
    made.add("m0", "something else entirely", "Ada")
    assert made.search("hens") == before


def test_passages_are_quoted_with_day_and_speaker_the_best_one_last() -> None:
    for question, best in (
        ("How many hens are in Ghent?", "[8 May 2023] Ada: I keep three hens in Ghent."),
        ("Whose goat is Pip?", "Pip"),
    ):
        found = passages(index(), TEXTS, question, (), 80, LEXICON, None)
        assert len(found) > 1
        assert best in found[-1].text


def test_a_small_allowance_gives_little_and_a_tiny_one_nothing() -> None:
    assert "hens" in recalled("How many hens?", room=22)
    assert recalled("How many hens?", room=4) == ""


def test_nothing_is_recalled_from_nothing() -> None:
    assert RecallIndex().search("hens") == []
    assert passages(RecallIndex(), {}, "hens", (), 100, LEXICON, None) == []
    assert recalled("quantum chromodynamics") == ""


def test_names_inside_the_messages_are_speakers() -> None:
    made = RecallIndex()
    texts = {}
    for i, (name, text) in enumerate(SAID):
        role = "User" if name == "Ada" else "Assistant"
        texts[f"m{i}"] = (role, f"{name}: {text}", "")
        made.add(f"m{i}", f"{name}: {text}", role)
    found = passages(made, texts, "Whose goat is Pip?", (), 60, LEXICON, None)
    assert any(p.text.startswith("[2 June 2023] Ada: I adopted") for p in found)
