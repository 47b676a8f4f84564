"""The seeds' rule, to the token: the newest messages, and a quarter for what was known before."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from app.memory.extractive import Source
from app.memory.tail import tail
from tests.support.words import WordTokenizer

WORDS = WordTokenizer()
NOTES = "Ada has three hens. Bob has two dogs. Cid has one cat."  # three sentences of 5 tokens


def said(*texts: str) -> list[Source]:
    """Messages of the user and the assistant in turn."""
    roles = ("user", "assistant")
    return [Source(f"m{n}", roles[n % 2], "", text) for n, text in enumerate(texts)]


def words(count: int) -> str:
    """So many words, no two alike."""
    return " ".join(f"w{n}" for n in range(count))


def test_messages_stand_in_their_order_under_who_said_them() -> None:
    items = [
        Source("a", "user", "", " one "),
        Source("b", "assistant", "", "two"),
        Source("c", "tool", "", "three"),
        Source("d", "system", "", "four"),
        Source("e", "user", "Ada", "five"),
        Source("f", "critic", "", "six"),
        Source("g", "user", "", "  \n"),
    ]
    assert tail("", items, 100, WORDS) == (
        "User: one\n\nAssistant: two\n\nTool: three\n\nSystem: four\n\nAda: five\n\nUser: six"
    )


def test_the_newest_messages_are_kept_while_the_next_one_fits() -> None:
    # Four tokens each, and one for the line that parts them.
    items = said("one two", "three four", "five six")
    assert tail("", items, 15, WORDS) == (
        "User: one two\n\nAssistant: three four\n\nUser: five six"
    )
    assert tail("", items, 13, WORDS) == "Assistant: three four\n\nUser: five six"
    assert tail("", items, 10, WORDS) == "Assistant: three four\n\nUser: five six"
    assert tail("", items, 8, WORDS) == "User: five six"


def test_an_older_message_that_fits_does_not_take_the_place_of_a_newer_one() -> None:
    items = said("one", words(20), "two")
    assert tail("", items, 12, WORDS) == "User: two"


def test_a_quarter_of_the_limit_is_for_the_head_of_the_notes() -> None:
    # A quarter of 47 is 11: two sentences of the notes, 10 tokens, and the line that parts.
    items = said(words(3), words(34))
    head = "Ada has three hens. Bob has two dogs."
    assert tail(NOTES, items, 47, WORDS) == f"{head}\n\nAssistant: {words(34)}"
    # 36 are left for the messages: the newest is cut by the one word that it is over.
    items = said(words(3), words(35))
    assert tail(NOTES, items, 47, WORDS) == f"{head}\n\nAssistant: {words(34)}"


def test_a_word_of_the_notes_stays_however_small_the_limit() -> None:
    assert tail(NOTES, said("one"), 3, WORDS) == "Ada\n\nUser"
    assert tail(NOTES, said("one"), 2, WORDS) == "Ada"
    assert tail("", said("one"), 1, WORDS) == "User"


@pytest.mark.parametrize("items", [said(), said(" ", "\n")])
def test_with_no_message_the_notes_have_the_whole_limit(items: list[Source]) -> None:
    assert tail(NOTES, items, 15, WORDS) == NOTES
    assert tail(f" {NOTES}\n", items, 10, WORDS) == "Ada has three hens. Bob has two dogs."
    assert tail(NOTES, items, 1, WORDS) == "Ada"
    assert tail("", items, 10, WORDS) == ""


@pytest.mark.parametrize("limit", [0, -1])
def test_no_room_is_no_text(limit: int) -> None:
    assert tail(NOTES, said("one"), limit, WORDS) == ""
    assert tail(NOTES, said(), limit, WORDS) == ""


class Trimming(WordTokenizer):
    """Counts no line break at a text's end: two parts are more together than one by one."""

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text without its ends."""
        return super().count_many([text.strip() for text in texts])


def test_the_whole_is_counted_and_the_oldest_message_goes_first() -> None:
    # Four and four are eight, but nine with what stands between them.
    items = said("one two", "three four")
    assert tail("", items, 9, Trimming()) == "User: one two\n\nAssistant: three four"
    assert tail("", items, 8, Trimming()) == "Assistant: three four"
