"""Automatic titles: one line, no markup, cut at a word, never empty."""

from __future__ import annotations

import pytest

from app.conversation.message import Message, Part, user_message
from app.conversation.title import LIMIT, UNTITLED, auto_title, given_title, title_from_text


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Plan a trip", "Plan a trip"),
        ("  \n\n Plan\n a\ttrip ", "Plan a trip"),
        ("# Plan a trip", "Plan a trip"),
        ("> quoted", "quoted"),
        ("- one\n- two", "one two"),
        ("1. one\n2. two", "one two"),
        ("**Plan** a `trip`", "Plan a trip"),
        ("_so_ it is", "so it is"),
        ("what is snake_case_name and 3 * 4 * 5?", "what is snake_case_name and 3 * 4 * 5?"),
        ("see [the docs](https://example.test/x)", "see the docs"),
        ("![a cat](cat.png) what is it", "a cat what is it"),
        ("<b>bold</b> and 1 < 2", "bold and 1 < 2"),
        ("```python\nprint(1)\n```", "print(1)"),
        ("příliš žluťoučký kůň", "příliš žluťoučký kůň"),
        ("東京へ行きたい", "東京へ行きたい"),
        ("\u200b\ufeff", UNTITLED),
        ("\u202eevil", "evil"),
        ("", UNTITLED),
        ("###", "###"),
        ("```", "```"),
        ("\x00\x07", UNTITLED),
    ],
)
def test_a_title_is_the_text_without_its_markup(text: str, title: str) -> None:
    assert title_from_text(text) == title


def test_a_long_text_is_cut_at_a_word() -> None:
    assert title_from_text("syllable " * 100) == "syllable " * 5 + "syllable…"
    assert title_from_text("word " * 100) == "word " * 11 + "word…"
    assert title_from_text("x" * LIMIT) == "x" * LIMIT
    assert title_from_text("a " + "x" * 100) == "a " + "x" * (LIMIT - 3) + "…"


def test_a_text_without_spaces_is_cut_all_the_same() -> None:
    assert title_from_text("字" * 500) == "字" * (LIMIT - 1) + "…"


def test_the_cut_does_not_part_a_letter_from_its_accent() -> None:
    title = title_from_text("x" * (LIMIT - 2) + "e\u0301" + "y" * 100)
    assert title == "x" * (LIMIT - 2) + "…"


def test_a_family_is_not_cut_in_two() -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    title = title_from_text("x" * (LIMIT - 3) + family + "y" * 50)
    assert title == "x" * (LIMIT - 3) + "…"


def test_a_megabyte_is_no_trouble() -> None:
    assert title_from_text("[" * 1_000_000)
    assert title_from_text("*" * 1_000_000)
    assert title_from_text(" " * 1_000_000) == UNTITLED


def test_the_first_question_gives_the_title() -> None:
    answer = Message("a", "c", None, "assistant", (Part("text", "Welcome!"),))
    assert auto_title([answer, user_message("u", "c", "a", "My plan")]) == "My plan"
    assert auto_title([answer]) == UNTITLED
    assert auto_title([]) == UNTITLED


def test_a_question_that_is_only_a_file_is_called_after_it() -> None:
    message = Message("u", "c", None, "user", (Part("file", "x", "report.pdf"),))
    assert auto_title([message]) == "report.pdf"


def test_a_first_question_without_words_leaves_the_title_to_the_next() -> None:
    silent = Message("u", "c", None, "user", (Part("image"),))
    assert auto_title([silent, user_message("v", "c", "u", "What is it?")]) == "What is it?"


def test_a_given_title_keeps_its_signs() -> None:
    assert given_title("<b>*x*</b>\n y") == "<b>*x*</b> y"
    assert given_title(" \u200b ") == ""
    assert len(given_title("word " * 100)) <= 120
