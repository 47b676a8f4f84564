"""What stays of a summary that is too long: whole lines, else a whole sentence, else words."""

from __future__ import annotations

import pytest

from app.memory.extractive import Line
from app.memory.fitting import fit_lines
from app.memory.tokens import Counter
from tests.support.words import WordTokenizer

COUNTER = Counter(WordTokenizer())
LONG = "apples pears plums figs dates limes melons grapes and a few more"  # 12 words


def fitted(limit: int, *texts: str) -> list[tuple[str, str | None]]:
    """The lines that stay, with the numbers of their messages."""
    lines = [Line(text, str(number)) for number, text in enumerate(texts)]
    return [(line.text, line.source) for line in fit_lines(lines, limit, COUNTER)]


def test_whole_lines_stay_in_their_order_while_they_fit() -> None:
    lines = ("Ada has 3 hens.", "", "Bob has 2 dogs.")
    assert fitted(11, *lines) == [("Ada has 3 hens.", "0"), ("Bob has 2 dogs.", "2")]
    assert len(fitted(10, *lines)) == 1


def test_a_line_may_end_at_the_end_of_one_of_its_sentences() -> None:
    assert fitted(6, f"Ada has 3 hens. She has {LONG}.") == [("Ada has 3 hens.", "0")]
    assert fitted(6, f"“Ada left.” She has {LONG}.") == [("“Ada left.”", "0")]


def test_the_longest_sentence_that_fits_stays_behind_its_speaker() -> None:
    line = f"User: I have {LONG}. I like figs. I do not eat any nuts. I am well."
    assert fitted(10, line) == [("User: I do not eat any nuts.", "0")]
    assert fitted(9, line) == [("User: I do not eat any nuts.", "0")]  # nine tokens
    assert fitted(8, line)[0][0] in {"User: I like figs.", "User: I am well."}


def test_of_two_sentences_that_are_as_long_the_newer_one_stays() -> None:
    assert fitted(6, f"User: I have {LONG}. I like figs. I am well.") == [("User: I am well.", "0")]
    first = f"User: I have {LONG}. I like figs."
    assert fitted(6, first, f"Assistant: You have {LONG}. You are well.") == [
        ("Assistant: You are well.", "1")
    ]


@pytest.mark.parametrize(("limit", "text"), [(3, "User: I"), (4, "User: I have")])
def test_where_no_sentence_fits_words_stay(limit: int, text: str) -> None:
    assert fitted(limit, f"User: I have {LONG}.") == [(text, "0")]


def test_there_is_nothing_to_fit_in_empty_lines() -> None:
    assert fitted(5, "", "  ") == []
