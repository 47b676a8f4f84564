"""Details that are put back use the room that there is, and read as if a person had noted them."""

from __future__ import annotations

import time

import pytest

from app.memory.extractive.details import restore_details
from app.memory.extractive.types import Line, Source
from tests.support.words import WordTokenizer

WORDS = WordTokenizer()
RICH = "The invoices 48213 and 48214 and 48215 are for Marta Novak and Bo Lind in Ghent."
SHORT = "We met in Lyon."


def said(*texts: str) -> list[Source]:
    return [Source(f"m{i}", "user", "Ada", text) for i, text in enumerate(texts)]


def put_back(*texts: str, room: int = 60) -> list[str]:
    return [line.text for line in restore_details([], said(*texts), room, WORDS)]


class Glued:
    """Words as tokens; a text of many characters has one more, which no piece of it shows."""

    def count_many(self, texts: list[str]) -> list[int]:
        return [n + (len(t) > 80) for n, t in zip(WORDS.count_many(texts), texts, strict=True)]

    def rank_many(self, words: list[str]) -> list[int]:
        return list(WORDS.rank_many(words))


def test_where_the_richest_does_not_fit_the_next_one_is_tried() -> None:
    whole = WORDS.count_many([f"Ada: {RICH}"])[0]
    for room in range(7, whole):
        assert put_back(RICH, SHORT, room=room) == [f"Ada: {SHORT}"], room
    assert put_back(RICH, SHORT, room=whole) == [f"Ada: {RICH}"]


def test_what_is_counted_is_the_joined_text() -> None:
    lexicon = Glued()
    whole = lexicon.count_many([f"Ada: {RICH}"])[0]
    for room in range(7, 2 * whole):
        lines = restore_details([], said(RICH, SHORT), room, lexicon)  # type: ignore[arg-type]
        assert lines
        assert lexicon.count_many(["\n".join(line.text for line in lines)])[0] <= room


def test_many_that_are_too_long_do_not_hide_a_short_one() -> None:
    long = [RICH.replace("4821", f"{n}{n}") for n in range(20, 30)]
    assert put_back(*long, SHORT, room=15) == [f"Ada: {SHORT}"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("The **budget** is ***300*** euros.", "The budget is 300 euros."),
        ("**Budget:** 300 euros.", "Budget: 300 euros."),
        ("It was __Marta Novak__ in *Ghent*.", "It was Marta Novak in Ghent."),
        ("It is ~~300~~ 500 euros.", "It is ~~300~~ 500 euros."),
        ("Call `save_all(3)` in __init__ here.", "Call `save_all(3)` in __init__ here."),
        ("It is 2 * 300 or 2**8 of them.", "It is 2 * 300 or 2**8 of them."),
        ("Pass **kwargs and *args to x2.", "Pass **kwargs and *args to x2."),
        ("We keep (*.py,*.js) in x2.", "We keep (*.py,*.js) in x2."),
        ("Read snake_case and _one_two_ there.", "Read snake_case and _one_two_ there."),
    ],
)
def test_marks_of_emphasis_stay_out_and_code_stays(text: str, shown: str) -> None:
    assert put_back(text) == [f"Ada: {shown}"]


def test_emphasis_over_two_sentences_leaves_nothing_behind() -> None:
    text = "**We met Marta in Ghent at the house. The sea is near to Bo and it was 1742.**"
    assert put_back(text) == [
        "Ada: We met Marta in Ghent at the house. The sea is near to Bo and it was 1742."
    ]


def test_no_mark_stands_before_another() -> None:
    text = (
        "They sold **the house in Ghent.** It rains a lot there. We paid **1742 euros**; Bo paid."
    )
    (line,) = put_back(text)
    for pair in (".;", "*", ",;", ";;", ":;", "; ;"):
        assert pair not in line
    (line,) = put_back(
        "We sold the house in Ghent.; it rains.\n\nIt is fun.\n\nBo gave Eva 300,; ok."
    )
    assert ".;" not in line
    assert ",;" not in line


def test_a_line_of_stars_takes_no_time() -> None:
    for piece in ("*", "**a ", "_a ", "~~a", "*a* ", "__", "x; ", ".;"):
        found: list[float] = []
        for length in (4_000, 32_000):
            lines = [Line(f"Marta 42 {piece * (length // len(piece))}", None)]
            began = time.process_time()
            restore_details([], [], 60, WORDS, lines)
            found.append(time.process_time() - began)
        assert found[1] < 0.5 + 30 * found[0], piece
