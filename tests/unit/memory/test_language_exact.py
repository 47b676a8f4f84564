"""Which script and language a text is in, and how much of it must be for that."""

from __future__ import annotations

import pytest

from app.memory.language import differs, language, script


@pytest.mark.parametrize(
    ("first", "last", "name"),
    [
        ("A", "ɏ", "latin"),
        ("Ͱ", "Ͽ", "greek"),
        ("Ѐ", "ԯ", "cyrillic"),
        ("א", "ײ", "hebrew"),
        ("ؠ", "ݿ", "arabic"),
        ("ऄ", "ෆ", "indic"),
        ("ก", "ๆ", "thai"),
        ("ぁ", "ヿ", "han"),  # kana is counted as Japanese, which is written in both
        ("㐀", "鿿", "han"),
        ("가", "힣", "hangul"),
    ],
)
def test_each_script_has_its_letters(first: str, last: str, name: str) -> None:
    assert script(first * 40) == script(last * 40) == name


def test_forty_letters_say_what_script_a_text_is_in() -> None:
    assert script("a" * 40) == "latin"
    assert script("a" * 39) == ""
    assert script("a" * 39 + "1234 .!" * 10) == ""  # what is no letter does not count
    assert script("a" * 20, 20) == "latin"
    assert script("a" * 19, 20) == ""


def test_a_script_is_that_of_more_than_three_fifths_of_the_letters() -> None:
    assert script("я" * 61 + "a" * 39) == "cyrillic"
    assert script("я" * 60 + "a" * 40) == ""


def test_kana_and_chinese_characters_are_one_script() -> None:
    assert script("の" * 31 + "字" * 30 + "a" * 39) == "han"


def test_the_first_twenty_thousand_characters_decide() -> None:
    assert script("a" * 20_000 + "я" * 80_000) == "latin"
    assert script("a" * 12_000 + "я" * 8_000) == ""  # three fifths: one less would be more
    assert script("я" * 8_000 + "a" * 12_001) == ""


def test_the_last_word_of_the_first_twenty_thousand_characters_counts() -> None:
    # Four words are known, the last of them cut by the end: "the" of "them".
    start = "the of is "
    text = start + "x" * (20_000 - len(start) - 4) + " them"
    assert language(text) == "en"
    assert language(text[:19_999]) == ""
    assert language("the of is with " + "x" * 20_000 + " der die und ist" * 9) == "en"


@pytest.mark.parametrize(
    ("english", "german", "others", "found"),
    [
        (3, 0, 0, ""),  # under four words
        (4, 0, 0, "en"),
        (4, 0, 196, "en"),  # one word in fifty
        (4, 0, 197, ""),
        (5, 2, 193, "en"),  # however few are the second language's
        (4, 2, 0, "en"),  # twice as many as of the next
        (5, 3, 0, ""),
        (8, 4, 0, "en"),
        (8, 5, 0, ""),
        (0, 6, 0, "de"),
    ],
)
def test_a_language_stands_out_by_its_common_words(
    english: int, german: int, others: int, found: str
) -> None:
    assert language("The " * english + "und " * german + "zebra " * others) == found


def test_a_word_that_languages_share_says_nothing() -> None:
    # "con" is Spanish and Italian, "le" French alone.
    assert language("con " * 9) == ""
    assert language("le " * 5 + "con " * 5) == "fr"


CHINESE = "明天下午三点在图书馆前面见面然后我们一起去吃饭" * 2
JAPANESE = "明日の午後三時に図書館の前で会いましょう" * 3


@pytest.mark.parametrize(
    ("given", "reply", "different"),
    [
        ("a" * 40, "я" * 20, True),
        ("a" * 40, "я" * 19, False),  # too short a summary to say
        ("a" * 39, "я" * 20, False),
        ("a" * 40, "a" * 20, False),
        (CHINESE, CHINESE[:30], False),
        (JAPANESE, JAPANESE[:30], False),
        (CHINESE, JAPANESE, True),
        (JAPANESE, CHINESE, True),
        # Over one letter in ten is kana in Japanese.
        ("字" * 200, "字" * 180 + "ぁ" * 20, False),
        ("字" * 200, "字" * 179 + "ぁ" * 21, True),
        ("the and of is", "der die und ist", True),
        ("the and of is", "with that for this", False),
        ("the and of is", "xylophone", False),
        ("xylophone", "der die und ist", False),
        ("", "", False),
    ],
)
def test_only_a_plain_difference_counts(given: str, reply: str, different: bool) -> None:
    assert differs(given, reply) is different
