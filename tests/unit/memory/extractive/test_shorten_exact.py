"""Which lines go when there is no room for all, and where a single one is cut."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from app.memory.extractive.shorten import drop_least, longest_prefix, shorten
from app.memory.extractive.types import Line
from tests.support.words import WordTokenizer


class Letters(WordTokenizer):
    """Each character is a token."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[int] = []

    def count_many(self, texts: Sequence[str]) -> list[int]:
        self.calls.append(len(texts))
        return [len(text) for text in texts]


WORDS = WordTokenizer()
LINE = Line("Ada keeps hens. Bo rows", "a")


def lines(*texts: str) -> list[Line]:
    return [Line(text, f"m{number}") for number, text in enumerate(texts)]


def kept(limit: int, *texts: str) -> list[str]:
    return [line.text for line in drop_least(lines(*texts), limit, WORDS)]


@pytest.mark.parametrize("size", [1, 2, 7, 8, 9, 16, 17, 64, 100])
def test_the_longest_prefix_is_found_for_every_limit(size: int) -> None:
    text = "a" * size
    for limit in range(size + 2):
        found = longest_prefix(text, list(range(1, size + 1)), limit, Letters())
        assert found == text[:limit]


def test_the_longest_prefix_ends_at_a_stop_and_not_in_a_space() -> None:
    assert longest_prefix("ab cd ef", [3, 6, 8], 5, Letters()) == "ab cd"
    assert longest_prefix("ab cd ef", [3, 6, 8], 1, Letters()) == ""
    assert longest_prefix("ab", [], 5, Letters()) == ""


def test_the_longest_prefix_takes_few_calls_of_a_few_texts() -> None:
    letters = Letters()
    longest_prefix("a" * 4096, list(range(1, 4097)), 2000, letters)
    assert len(letters.calls) <= 5
    assert max(letters.calls) <= 16


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (23, "Ada keeps hens. Bo rows"),
        (22, "Ada keeps hens."),
        (15, "Ada keeps hens."),
        (14, "Ada keeps"),
        (3, "Ada"),
        (2, "Ad"),
        (1, "A"),
    ],
)
def test_a_line_is_cut_at_a_sentence_else_a_word_else_a_character(
    limit: int, expected: str
) -> None:
    assert shorten([LINE, Line("Bo rows", "b")], limit, Letters()) == [Line(expected, "a")]


def test_nothing_is_cut_to_nothing() -> None:
    assert shorten([], 5, Letters()) == []
    assert shorten([LINE], 0, Letters()) == []
    assert shorten([Line("   ", "a")], 5, Letters()) == []


def test_of_a_line_far_beyond_the_limit_forty_characters_a_token_are_looked_at() -> None:
    for length, left in ((80, 80), (81, 80)):
        assert shorten([Line("a" * length, "a")], 2, WORDS) == [Line("a" * left, "a")]


CODE, GATE, NICE = "Code 4711 opens the shed.", "Gate 5822 locks it.", "It was nice."  # 7, 6, 5


def test_lines_that_fit_stay_and_blank_ones_go() -> None:
    assert kept(100, CODE, "  ", GATE) == [CODE, GATE]
    assert kept(12, CODE, GATE) == [CODE, GATE]  # with the line break between them 12 tokens
    assert kept(1, "Ada") == ["Ada"]
    assert kept(0, CODE) == kept(5, " ") == kept(5) == []


@pytest.mark.parametrize(
    ("limit", "texts", "expected"),
    [
        # The line that says nothing goes first, and the order stays.
        (12, (NICE, GATE, CODE), [GATE, CODE]),
        (11, (GATE, NICE), [GATE, NICE]),
        # What is skipped for its length leaves room for a shorter one of less worth.
        (11, (CODE, "Box 6933 is in it.", NICE), [CODE, NICE]),
        (11, (CODE, NICE, "6933 " + "is it " * 20), [CODE, NICE]),
        (11, ("Code 4711 5822 6933.", "8044 9155 it so it.", NICE), ["Code 4711 5822 6933.", NICE]),
        # The sum may be one beyond the limit in twelve: the joined text decides.
        (12, ("4711 5822 6933 7044 it.", "8155 9266 in it it.", NICE), ["4711 5822 6933 7044 it."]),
        # Nothing fits whole: the worthiest is cut.
        (3, (NICE, CODE), ["Code 4711 opens"]),
    ],
)
def test_the_worthiest_lines_stay(limit: int, texts: tuple[str, ...], expected: list[str]) -> None:
    assert kept(limit, *texts) == expected


def test_worth_is_by_the_token_with_two_for_the_line() -> None:
    one = "4711 is it."  # 4.2 for 5 tokens
    # 8.4 for 12 tokens is the same, 4.2 / 7; then the first stays.
    assert kept(11, one, "5822 and 6933 are in it, so is it.") == [one]
    # 8.4 for 11 is more.
    assert kept(11, one, "5822 and 6933 are in it so is it.") == [
        "5822 and 6933 are in it so is it."
    ]


def test_of_two_lines_that_say_the_same_the_newer_one_stays() -> None:
    found = drop_least(lines("Code 4711 opens it.", "Code 4711 opens it."), 6, WORDS)
    assert [line.source for line in found] == ["m1"]
