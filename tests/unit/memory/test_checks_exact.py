"""What is accepted as a summary, with the reason said, at both sides of each bound."""

from __future__ import annotations

import pytest

from app.memory.checks import problem

GIVEN = "User: Ada keeps 3 hens in her garden.\nAssistant: How nice!"
EMPTY = "it was empty"
PAGE = "it was a web page"
ERROR = "it was an error text"
DATA = "it was data, not notes"
REFUSAL = "it was a refusal"
ANSWER = "it answered instead of summarising"
UNRELATED = "it had nothing to do with the conversation"


def filled(text: str, length: int) -> str:
    """``text`` made as long as that."""
    return text + "." * (length - len(text))


def words(prefix: str, count: int) -> str:
    """So many different words that stand nowhere else."""
    return " ".join(f"{prefix}{number:03}" for number in range(count))


@pytest.mark.parametrize(
    ("finish", "why"),
    [
        ("length", "it was cut off"),
        ("content_filter", "it was filtered"),
        ("stop", ""),
        ("", ""),
    ],
)
def test_how_the_reply_ended_comes_first(finish: str, why: str) -> None:
    assert problem("Ada keeps 3 hens.", GIVEN, finish) == why


@pytest.mark.parametrize("text", ["", "...", "None", "**N/A**", "no summary", "[object Object]"])
def test_a_placeholder_is_empty(text: str) -> None:
    assert problem(text, GIVEN) == EMPTY


@pytest.mark.parametrize("text", ["None of the hens lays.", "7", "नहीं"])
def test_few_words_may_be_all_there_is_to_say(text: str) -> None:
    assert problem(text, GIVEN) == ""


@pytest.mark.parametrize(
    ("before", "tag", "why"),
    [
        (0, "<html>", PAGE),
        (0, "<!DOCTYPE html>", PAGE),
        (0, "<!doctype>", PAGE),
        (1995, "<html>", PAGE),  # the tag ends at the 2000th character
        (1996, "<html>", ""),
    ],
)
def test_a_web_page_shows_in_its_first_two_thousand_characters(
    before: int, tag: str, why: str
) -> None:
    assert problem(filled("", before) + tag + "Ada keeps 3 hens.", GIVEN) == why


def test_a_page_that_was_talked_about_may_be_in_the_notes() -> None:
    text = "Ada's page begins with <HTML> and ends there."
    assert problem(text, GIVEN) == PAGE
    assert problem(text, GIVEN + "\nMy page begins with <html>") == ""


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"error": {"message": "upstream timeout"}}', ERROR),
        ('{"hens": 3, "eggs": 2}', DATA),
        ("[{1}, {2}]", DATA),
        ('["a", "b"', DATA),
        ("[ ] Ada feeds the hens", ""),  # a task, not data
        ("[Ada] keeps 3 hens", ""),
        ("{Ada} keeps 3 hens", ""),
        ('Ada wrote {"hens": 3}', ""),
        ('"{" opens the file, "}" ends it', ""),
        ('"[" and "{"', ""),
        ("Ada ends her file with {", ""),
    ],
)
def test_data_is_no_notes(text: str, why: str) -> None:
    assert problem(text, GIVEN) == why


@pytest.mark.parametrize(
    ("text", "known", "why"),
    [
        # the first 12 characters of data and errors stand in the conversation, or do not
        ('{"hens": 3, "eggs": 2}', '{"HENS": 3, x', ""),
        ('{"hens": 3, "eggs": 2}', '{"hens": 3,', DATA),
        ("Error: ENOENT at boot.", "Error: ENOENx", ""),
        ("Error: ENOENT at boot.", "ERROR: ENOEN", ""),
        ("Error: ENOENT at boot.", "Error: ENOEx", ERROR),
        # the first 16 of a refusal
        ("I'm sorry, said Ada.", "She: I'M SORRY, SAID x", ""),
        ("I'm sorry, said Ada.", "She: I'm sorry, sai", REFUSAL),
        ("I cannot help with it.", "I cannot help wix", ""),
        ("I cannot help with it.", "I cannot help w", REFUSAL),
    ],
)
def test_what_was_talked_about_may_be_in_the_notes(text: str, known: str, why: str) -> None:
    assert problem(text, known) == why


@pytest.mark.parametrize("length", [399, 400])
def test_a_short_error_or_refusal_is_none_of_the_notes(length: int) -> None:
    assert problem(filled("Error: disk full ", length), GIVEN) == ERROR
    assert problem(filled("I'm sorry ", length), GIVEN) == REFUSAL


def test_a_long_text_that_begins_so_may_be_what_was_talked_about() -> None:
    assert problem(filled("Error: disk full ", 401), GIVEN) == ""
    assert problem(filled("I'm sorry ", 401), GIVEN) == ""


@pytest.mark.parametrize(("known", "why"), [("", REFUSAL), ("I cannot help wi", "")])
def test_a_plain_refusal_is_one_at_any_length(known: str, why: str) -> None:
    assert problem(filled("I cannot help with that ", 1000), GIVEN + known) == why


def test_an_answer_is_no_notes_even_to_one_who_said_the_same() -> None:
    assert problem("Sure, hens need water.", "Sure, hens need water.") == ANSWER


CODE = "```\nab\n```"  # 10 characters


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Ada says: " + CODE, ""),  # half of it is code
        ("Ada says:" + CODE, ANSWER),  # more than half
        ("Ada says:" + CODE.removesuffix("```") + "abc", ANSWER),  # never closed
        ("Ada says so: Bea: " + CODE + CODE, ANSWER),  # 20 of 38 in two blocks
        ("Ada says so to Bea: " + CODE + CODE, ""),  # 20 of 40
    ],
)
def test_notes_are_at_most_half_code(text: str, why: str) -> None:
    assert problem(text, GIVEN) == why


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("```\nHENS = 3\n```", ""),
        ("```\nhens = 3\neggs = 2\n```", ""),  # one line of two
        ("```\neggs = 2\nhens = 3\n```", ""),
        ("```python\nhens = 3\neggs = 2\n```", ""),  # the language is no line of it
        ("```\nhens = 3\neggs = 2\nfood = 1\n```", ANSWER),  # one of three
        ("```\nhens = 3\n\n\n\neggs = 2\n```", ""),  # an empty line is none
        ("```\neggs = 2\n```", ANSWER),
        ("```\nhens = 3\n```\n```\neggs = 2\nfood = 1\n```", ANSWER),
    ],
)
def test_code_may_be_in_the_notes_when_half_its_lines_were_said(code: str, why: str) -> None:
    assert problem(code, "User: why is hens = 3 in it?") == why


def test_notes_are_in_the_conversations_language() -> None:
    given = "Ласточка пролетела над крышей и ещё раз сделала круг над двором."
    assert problem("A swallow flew over the roof and the yard.", given) == (
        "it was in another language than the conversation"
    )


@pytest.mark.parametrize(
    ("foreign", "shared", "why"),
    [
        (39, 0, ""),  # too few words to tell
        (40, 0, UNRELATED),
        (37, 3, UNRELATED),
        (36, 4, ""),  # four of forty: 8 % are 3.2
        (47, 3, UNRELATED),
        (46, 4, ""),  # just 8 % of fifty
        (47, 4, UNRELATED),  # 8 % of 51 are 4.08
    ],
)
def test_a_long_reply_shares_a_twelfth_of_its_words(foreign: int, shared: int, why: str) -> None:
    text = words("comet", foreign) + " " + words("hen_", shared)
    assert problem(text, GIVEN + words("HEN_", 9)) == why


def test_a_word_said_twice_and_short_words_count_for_nothing() -> None:
    text = words("comet", 39)
    assert problem(f"{text} {text.upper()} an egg a hen by me", GIVEN) == ""
    assert problem(f"{text} eggs", GIVEN) == UNRELATED
