"""Files' bytes and JSON: whatever comes, the runtime lives and the message names the place."""

from __future__ import annotations

import pytest

from app.conversation.formats.decode import MAX_DEPTH, depth, safe_json, to_text
from app.conversation.formats.report import FormatError, Tally, clean


@pytest.mark.parametrize(
    "data",
    [
        b'["\xc3\xa9"]',
        b'\xef\xbb\xbf["\xc3\xa9"]',
        '["é"]'.encode("utf-16"),
        b"\xff\xfe" + '["é"]'.encode("utf-16-le"),
        b"\xfe\xff" + '["é"]'.encode("utf-16-be"),
        '["é"]'.encode("utf-16-le"),
        '["é"]'.encode("utf-16-be"),
        '["é"]'.encode("utf-32"),
    ],
)
def test_every_encoding_of_unicode_is_read(data: bytes) -> None:
    tally = Tally()
    assert to_text(data, tally) == '["é"]'
    assert tally.report("").reasons == ()


def test_a_text_may_begin_with_a_byte_order_mark_too() -> None:
    assert to_text("\ufeff[]", Tally()) == "[]"


def test_bytes_that_are_no_text_are_shown_and_counted() -> None:
    tally = Tally()
    assert to_text(b'["a\xff\xfeb"]', tally) == '["a\ufffd\ufffdb"]'
    assert "2 characters" in tally.report("").reasons[0].text


@pytest.mark.parametrize("data", [b"PK\x03\x04rest", b"\x1f\x8brest"])
def test_an_archive_is_named_as_what_it_is(data: bytes) -> None:
    with pytest.raises(FormatError, match="unpack"):
        to_text(data, Tally())


@pytest.mark.parametrize(
    "bomb",
    [
        "[" * 10_000 + "]" * 10_000,
        "[" * 10_000,
        '{"a":' * 10_000,
        '[{"a":' * 5_000 + "1" + "}]" * 5_000,
        "[[]," * 5_000,
        "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1),
        '{"x": "]]]]", "y": ' + "[" * 300 + "]" * 300 + "}",
    ],
)
def test_a_nesting_bomb_is_refused_before_it_is_parsed(bomb: str) -> None:
    with pytest.raises(FormatError, match="deeper than 200"):
        safe_json(bomb)


def test_depth_that_a_chat_may_have_is_allowed() -> None:
    text = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert depth(text) == MAX_DEPTH
    value = safe_json(text)
    for _ in range(MAX_DEPTH - 1):
        value = value[0]
    assert value == []


def test_brackets_in_strings_do_not_nest() -> None:
    text = '["' + "[" * 10_000 + '", "\\"' + "{" * 10_000 + '"]'
    assert safe_json(text)[0] == "[" * 10_000


@pytest.mark.parametrize(
    ("text", "says", "line", "column"),
    [
        ('[{"title":"cut', "cut off", 1, 11),
        ('[{"title":', "cut off", 1, 11),
        ('{"a": [1, 2', "cut off", 1, 12),
        ('[\n 1,\n "two', "cut off", 3, 2),
        ("[1] []", "goes on", 1, 5),
        ("{'a': 1}", "no valid JSON", 1, 2),
        ("[1, oops]", "no valid JSON", 1, 5),
    ],
)
def test_broken_json_is_told_with_its_place(text: str, says: str, line: int, column: int) -> None:
    with pytest.raises(FormatError, match=says) as caught:
        safe_json(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert f"line {line}, column {column}" in str(caught.value)


@pytest.mark.parametrize("text", ['[{"mapping":{}},]', '{"a":1,}', "[1, 2 ,\n]"])
def test_a_trailing_comma_is_named(text: str) -> None:
    with pytest.raises(FormatError, match="comma too many") as caught:
        safe_json(text)
    assert caught.value.line >= 1
    assert caught.value.column >= 1


@pytest.mark.parametrize(
    "number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "9" * 5_000, "-" + "9" * 5_000]
)
def test_numbers_that_are_none_become_null(number: str) -> None:
    assert safe_json(f"[{number}, 1, 2.5]") == [None, 1, 2.5]


def test_of_repeated_keys_the_last_counts_and_it_is_said() -> None:
    tally = Tally()
    assert safe_json('{"a": 1, "a": 2}', tally) == {"a": 2}
    assert "1 keys were repeated" in tally.report("").reasons[0].text


def test_half_characters_are_replaced() -> None:
    assert clean("a\ud83db\ude00") == "a\ufffdb\ufffd"
    assert clean("\U0001f600") == "\U0001f600"
