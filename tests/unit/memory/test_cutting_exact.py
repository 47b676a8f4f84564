"""Where a text is cut: by hand, with a token for each letter, to the letter."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from app.memory.cutting import cut_head, cut_middle
from app.memory.tokens import Counter
from tests.support.words import WordTokenizer


class Letters:
    """Each character is one token, but a capital is ``capital`` tokens; or all are ``each``."""

    exact = True

    def __init__(self, capital: int = 1, each: int = 1) -> None:
        self.capital, self.each = capital, each

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text."""
        return [
            sum(self.capital if "A" <= char <= "Z" else self.each for char in text)
            for text in texts
        ]

    def rank_many(self, words: Sequence[str]) -> list[int]:
        """Nothing here asks how rare a word is."""
        return [0 for _ in words]


LETTERS = Counter(Letters())
TEXT = "abcdefghij" * 20  # 200 characters, no word's end and no sentence's


def marker(left_out: int) -> str:
    """What stands where something is left out: 36 characters and the number's digits."""
    return f"\n[… left out here: about {left_out} tokens …]\n"


def test_two_thirds_of_the_room_are_for_the_head_and_a_third_for_the_tail() -> None:
    # 48 tokens, of which the marker takes 39: of the other nine six and three.
    cut = cut_middle(TEXT, 48, LETTERS)
    assert cut == TEXT[:6] + marker(191) + TEXT[-3:]
    assert LETTERS.text(cut) == 48


def test_with_four_tokens_beside_the_marker_both_ends_stay_with_three_the_head_alone() -> None:
    assert cut_middle(TEXT, 43, LETTERS) == TEXT[:2] + marker(197) + TEXT[-1:]
    assert cut_middle(TEXT, 42, LETTERS) == TEXT[:42]


def test_a_marker_with_nothing_around_it_is_no_text() -> None:
    # Five tokens for a character: 100 of them are 500, and the marker is 195.
    dense = Counter(Letters(each=5, capital=5))
    text = TEXT[:100]
    assert cut_middle(text, 205, dense) == text[:1] + marker(495)  # room for two characters
    assert cut_middle(text, 204, dense) == text[:40]  # for one: it is better spent on the head


@pytest.mark.parametrize("cut", [cut_middle, cut_head])
def test_a_text_that_just_fits_stays_as_it_is(cut: object) -> None:
    assert callable(cut)
    assert cut("ab cd", 5, LETTERS) == "ab cd"
    assert cut("ab cd", 4, LETTERS) == "ab"
    assert cut("", 0, LETTERS) == ""
    assert cut(TEXT, 200, LETTERS) == TEXT


@pytest.mark.parametrize("limit", [0, -1])
def test_no_room_is_no_text(limit: int) -> None:
    words = Counter(WordTokenizer())  # to which a space is nothing
    for text in ("", " apple", "apple"):
        assert cut_head(text, limit, words) == ""
        assert cut_middle(text, limit, words) == ""
    assert cut_head("apple pear", 1, words) == "apple"


def test_a_head_that_is_denser_than_the_rest_is_cut_by_as_much_as_it_is_over() -> None:
    # 660 tokens in 480 characters, 66 of room: 48 characters. The 32 of the head are 140 tokens,
    # the whole 195 of 105: 25 characters are left, 16 of them the head's.
    counter = Counter(Letters(capital=10))
    text = "a" * 20 + "A" * 20 + "b" * 440
    assert cut_middle(text, 105, counter) == text[:16] + marker(627) + text[-8:]


def test_a_cut_that_is_over_by_little_is_made_two_percent_smaller() -> None:
    # 480 of room are 479 characters; ten capitals make 528 tokens of the 520.
    counter = Counter(Letters(capital=2))
    text = "A" * 10 + "b" * 4790
    left_out = 4810 * (4800 - 156 - 312) // 4800
    assert cut_middle(text, 520, counter) == text[:312] + marker(left_out) + text[-156:]


def test_a_head_ends_at_a_word() -> None:
    assert cut_head("one two three", 9, LETTERS) == "one two"
    assert cut_head("a xxxxxxxx", 5, LETTERS) == "a"
    assert cut_head(" xxxxxxxx", 5, LETTERS) == " xxxx"  # the space before all is no word's end


def test_a_word_of_more_than_forty_characters_is_cut_inside() -> None:
    text = "ab " + "x" * 60
    assert cut_head(text, 42, LETTERS) == "ab"
    assert cut_head(text, 43, LETTERS) == text[:43]


@pytest.mark.parametrize(
    ("text", "limit", "head"),
    [
        ("Abcdef. hijklm opq rst", 16, "Abcdef."),  # half of the 14 up to the word's end
        ("Abcdef. hijklmn opq rst", 17, "Abcdef. hijklmn"),  # under half of 15
        ("A. Bcdefgh. Xyz uvw", 17, "A. Bcdefgh."),  # the last of two sentences
        ("one two\nthree four", 13, "one two"),  # a line's end is a sentence's
        ("He said “no.” Then he left", 18, "He said “no.”"),
        ("A 3.14 of it and more", 13, "A 3.14 of it"),  # no end inside a number
        ("今日は。明日は晴れ", 6, "今日は。"),
    ],
)
def test_a_head_ends_at_a_sentence_where_that_keeps_half_of_it(
    text: str, limit: int, head: str
) -> None:
    assert cut_head(text, limit, LETTERS) == head


def test_a_head_that_is_too_dense_loses_a_tenth_at_a_time() -> None:
    # 1030 tokens in 1000 characters: 103 tokens would be 100 of them, but these are 130.
    text = "b" * 85 + "C" * 15 + "b" * 900
    assert cut_head(text, 103, Counter(Letters(capital=3))) == text[:90]


def test_a_first_character_of_more_tokens_than_fit_is_left_out() -> None:
    counter = Counter(Letters(capital=3))
    assert cut_head("AAA", 2, counter) == ""
    assert cut_head("AAA", 3, counter) == "A"
    assert cut_head("bbb", 2, counter) == "bb"


@pytest.mark.parametrize(
    ("before", "char", "are_one"),
    [
        ("b", "c", False),
        ("e", "\u0301", True),  # an accent of its own
        ("❤", "\ufe0f", True),
        ("❤", "\ufe0e", True),
        ("👩", "\u200d", True),
        ("👍", "\U0001f3fa", False),
        ("👍", "\U0001f3fb", True),  # the lightest skin
        ("👍", "\U0001f3ff", True),  # the darkest
        ("👍", "\U0001f400", False),
        ("\ud7ff", "c", False),
        ("\ud800", "c", True),  # halves of a pair, as a damaged import holds them
        ("\udbff", "c", True),
        ("\udc00", "c", False),
    ],
)
def test_what_is_seen_as_one_character_is_not_cut(before: str, char: str, are_one: bool) -> None:
    text = f"xx{before}{char}zz"
    assert cut_head(text, 3, LETTERS) == (text[:2] if are_one else text[:3])


@pytest.mark.parametrize("limit", [2, 3])
def test_a_family_is_not_cut_before_nor_behind_its_joiner(limit: int) -> None:
    assert cut_head("x👩\u200d👧zz", limit, LETTERS) == "x"


def test_a_letter_under_very_many_accents_is_cut_after_all() -> None:
    text = "e" + "\u0301" * 60
    assert cut_head(text, 40, LETTERS) == text[:8]  # 32 places are looked at
    assert cut_head(text, 1, LETTERS) == "e"  # and something stays


@pytest.mark.parametrize("start", ["e" + "\u0301" * 9, "\u0301" * 10])
def test_a_head_that_would_be_part_of_one_character_is_empty(start: str) -> None:
    text = start + "b" * 190
    assert cut_middle(text, 48, LETTERS) == marker(197) + text[-3:]
