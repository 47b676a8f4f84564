"""Forms of a word meet, and nothing that tells two words apart is cut off."""

from __future__ import annotations

import pytest

from app.memory.extractive.words import (
    STOP,
    bigrams,
    is_dense,
    is_kana,
    low_words,
    runs,
    stem,
    terms,
    word_set,
)


@pytest.mark.parametrize(
    ("forms", "expected"),
    [
        ("apple apples", "appl"),
        ("story stories", "stor"),
        ("hop hops hopping hopped", "hop"),
        ("plant planting planted", "plant"),
        ("quick quickly", "quick"),
        ("box boxes", "box"),
        ("big bigger", "big"),
        ("horse horses", "hors"),
        ("švestka švestky švestku", "švestk"),
        ("비밀번호 비밀번호는 비밀번호를 비밀번호가 비밀번호야", "비밀번호"),
        ("고양이 고양이는 고양이를", "고양"),
        ("회의 회의는 회의가", "회의"),
        ("나는", "나는"),
        ("město městech městem městům", "měst"),
        ("starý starého starými starých starém starou", "star"),
        ("kind kinder kindern", "kind"),
        ("завод заводы заводами заводов", "завод"),
        ("garden gardens gardening", "gard"),
        ("teacher teachers", "teach"),
        ("flower flowers flowered", "flower"),
        ("ada ada's", "ada"),
        ("goat goat’s", "goat"),
    ],
)
def test_forms_of_a_word_meet(forms: str, expected: str) -> None:
    assert {stem(form) for form in forms.split()} == {expected}


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        # An ending goes only where two ("s"), three or four ("er", "en", "ern") letters are left.
        ("gas", "ga"),
        ("as", "as"),
        ("ring", "ring"),
        ("doing", "doing"),
        ("going", "going"),
        ("owing", "owing"),
        ("flying", "fly"),
        ("shed", "shed"),
        ("mixed", "mix"),
        ("lived", "live"),
        ("living", "live"),
        ("bikes", "bike"),
        ("tulip22", "tulip22"),
        ("using", "use"),
        ("used", "use"),
        ("uses", "use"),
        ("taking", "take"),
        ("makes", "make"),
        ("buses", "bus"),
        ("tages", "tag"),
        ("bares", "bar"),
        ("named", "name"),
        ("dies", "die"),
        ("flies", "fli"),
        ("water", "water"),
        ("summers", "summer"),  # no "sum"
        ("counter", "counter"),
        ("wander", "wand"),
        ("kitten", "kitten"),  # no "kit"
        ("seven", "7"),
        ("linen", "linen"),
        ("modern", "modern"),
        ("southern", "south"),
        ("eastern", "east"),
        # "s" is no ending behind "s" or "u".
        ("glass", "glass"),
        ("bus", "bus"),
        ("virus", "virus"),
        # Of a doubled consonant at the end one letter goes, but not of a short word, "l" or "s".
        ("hopped", "hop"),
        ("add", "add"),
        ("buzz", "buz"),
        ("fall", "fall"),
        ("coffee", "coffe"),
        # A vowel at the end goes where four letters are left; so does a "y" before it.
        ("tune", "tune"),
        ("prune", "prun"),
        ("city", "city"),
        ("berry", "berr"),
        ("tanya", "tany"),
        ("papaya", "papa"),
        # Numbers stay, and small ones meet their figure.
        ("48213s", "48213s"),
        ("two", "2"),
        ("twelve", "12"),
        # What stands before an apostrophe is the word, if it is an ending that follows.
        ("it's", "it"),
        ("we’ll", "we"),
        ("o'hara", "ohar"),
        ("'s", "s"),
        ("l'eau", "leau"),
    ],
)
def test_a_short_word_stays_as_it_is(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_runs_are_words_numbers_addresses_and_runs_of_a_dense_script() -> None:
    text = "See https://a.io/x?y=1. Mail a.b@c.org, 3.50 at 12:30; it's 図書館の22号室 café-bar x_y"
    assert runs(text) == (
        *("See", "https://a.io/x?y=1", "Mail", "a.b@c.org", "3.50", "at", "12:30", "it's"),
        *("図書館の", "22", "号室", "café", "bar", "x_y"),
    )


def test_low_words_are_the_different_runs_in_lower_case() -> None:
    assert low_words("It’s it's IT") == {"it's", "it"}


@pytest.mark.parametrize(
    ("run", "expected"),
    [("図書館", True), ("ひらがな", True), ("ภาษา", True), ("한국어", False), ("garden", False)],
)
def test_only_scripts_without_spaces_are_dense(run: str, expected: bool) -> None:
    assert is_dense(run) is expected


def test_a_dense_run_is_taken_in_overlapping_pairs() -> None:
    assert bigrams("図") == ["図"]
    assert bigrams("図書") == ["図書"]
    assert bigrams("図書館") == ["図書", "書館"]


def test_kana_is_all_hiragana() -> None:
    assert is_kana("でした")
    assert not is_kana("図で")
    assert not is_kana("カメラ")


def test_terms_leave_out_words_without_content() -> None:
    assert terms("The hens and 7 goats: a é ox") == ["hen", "7", "goat", "ox"]
    # Words of one language that are empty in another are not left out.
    assert terms("My son, ten men, that man, war, sin, hat") == (
        ["son", "10", "men", "man", "war", "sin", "hat"]
    )
    assert terms("図書館です") == ["図書", "書館", "館で"]
    assert word_set("one two\nthree") == {"one", "two", "three"}
    assert {"the", "nicht", "что"} <= STOP
