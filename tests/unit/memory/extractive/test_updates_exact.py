"""Which of two statements replaces the other, and which two only look alike."""

from __future__ import annotations

import pytest

from app.memory.extractive.updates import replaced, statement


@pytest.mark.parametrize(
    ("text", "about", "numbers", "names"),
    [
        ("The budget is 300 euros", "budget euro", "300", ""),
        ("Marta lives in Ghent", "mart live", "", "ghent"),  # a capital at the head names nobody
        ("We met Bo in Oslo on 8.5.", "met", "8.5", "bo oslo"),
        ("I am the A and B", "", "", ""),
        ("We use h2", "use h2", "", ""),
        ("図書館は22号室です", "図書 書館 館は 号室 室で", "22", ""),
        ("図書館 Ghent", "図書 書館", "", "ghent"),
        ("22 Ghent", "", "22", "ghent"),
        ("", "", "", ""),
    ],
)
def test_a_statement_is_what_it_is_about_its_numbers_and_its_names(
    text: str, about: str, numbers: str, names: str
) -> None:
    expected = tuple(frozenset(words.split()) for words in (about, numbers, names))
    assert statement(text) == expected


def pairs(*texts: str) -> list[tuple[int, int, bool]]:
    return replaced(texts, ["Ada"] * len(texts))


OLD = "The attic budget is 300 euros."


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        # Numbers may change without a word; only the very same words make it sure, or "now".
        (OLD, "The attic budget is 500 euros.", [(0, 1, True)]),
        (OLD, "The attic budget for paint is 500 euros.", [(0, 1, False)]),
        (OLD, "The attic budget for paint is 500 euros now.", [(0, 1, True)]),
        (OLD, "The attic budget is 300 euros.", []),
        (OLD, "The attic budget is 300 euros for 2 years.", []),
        ("The attic budget is 300 or 400 euros.", "The attic budget is 300 euros.", []),
        (OLD, "The attic budget is set in euros.", []),
        # Three of four words of the older one must stand in the newer one, and two at least.
        ("The attic paint budget is 3 euro.", "Now the attic budget is 5 euro.", [(0, 1, True)]),
        ("The attic wall paint budget is 300 euros.", "Now the attic budget is 500 euros.", []),
        ("The budget is 300.", "The budget is 500.", []),
        ("The attic budget is 300.", "The attic budget is 500.", [(0, 1, True)]),
        # Names want a word like "now"; another name with another number is another thing.
        ("We buy our bread in Ghent.", "We buy our bread in Oslo.", []),
        ("We buy our bread in Ghent.", "We buy our bread in Oslo now.", [(0, 1, True)]),
        ("We buy our bread here.", "We buy our bread in Oslo now.", []),
        ("We buy our bread in Ghent.", "Now we buy our bread at Ghent.", []),
        ("We buy bread at Ghent for 3 euro.", "We buy bread at Ghent for 4 euro.", [(0, 1, True)]),
        ("We buy bread at Ghent for 3 euro.", "We buy bread at Oslo for 4 euro.", []),
        ("We buy bread at Ghent for 3.", "Now we buy bread at Oslo for 4.", [(0, 1, True)]),
        # "From X to Y" ends what was in X, but that is a guess.
        ("I own a flat in Ghent.", "We moved from Ghent to Oslo.", [(0, 1, False)]),
        ("I own a flat in Ghent near Bo.", "We moved from Ghent to Oslo.", []),
        ("I own a flat in Lugo.", "We moved from Ghent to Oslo.", []),
        ("Wir wohnen in Gent.", "Wir ziehen von Gent nach Oslo.", [(0, 1, False)]),
    ],
)  # fmt: skip
def test_a_newer_statement_about_the_same_replaces_the_older(
    old: str, new: str, expected: list[tuple[int, int, bool]]
) -> None:
    assert pairs(old, new) == expected


def test_only_a_speakers_own_statement_is_replaced() -> None:
    texts = [OLD, "The attic budget is 500 euros.", "I own a flat in Ghent."]
    assert replaced(texts, ["Ada", "Bo", "Ada"]) == []
    assert replaced(texts, ["Ada", "Ada", "Bo"]) == [(0, 1, True)]
    moved = ["I own a flat in Ghent.", "I moved from Ghent to Oslo."]
    assert replaced(moved, ["Ada", "Bo"]) == []


def test_each_older_statement_is_replaced_and_order_decides_which_is_older() -> None:
    texts = [f"The attic budget is {n} euros." for n in (300, 400, 500)]
    assert pairs(*texts) == [(0, 1, True), (0, 2, True), (1, 2, True)]
    assert pairs("We moved from Ghent to Oslo.", "I own a flat in Ghent.") == []


def test_what_stands_between_changes_nothing() -> None:
    assert pairs("It rains.", OLD, "I am glad.", "The attic budget is 500 euros.") == [(1, 3, True)]


def test_the_last_forty_statements_with_a_word_are_compared() -> None:
    other = [f"My attic budget hens ate {n} oat cakes" for n in range(39)]
    new = "The attic budget is 500 euros."
    assert (0, 40, True) in pairs(OLD, *other, new)
    assert all(older != 0 for older, newer, _ in pairs(OLD, *other, other[0], new) if newer == 41)


def test_a_number_is_read_in_any_script_and_i_is_no_name() -> None:
    assert pairs("図書館の場所は2階", "図書館の場所は3階") == [(0, 1, True)]
    assert statement("so I swim") == (frozenset(["swim"]), frozenset(), frozenset())
