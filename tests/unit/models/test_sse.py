# ruff: noqa: E501 (streams as they are)
"""The decoder gives the same events however the bytes are cut."""

from __future__ import annotations

import pytest

from app.models.sse import Event, EventTooLong, SseDecoder
from tests.unit.models.streams import STREAMS, Stream


def decode(*chunks: bytes) -> list[Event]:
    decoder = SseDecoder()
    found = [event for c in chunks for event in decoder.decode(c)]
    return found + decoder.flush()


@pytest.mark.parametrize("stream", STREAMS, ids=lambda s: s.name)
def test_byte_by_byte_equals_the_whole(stream: Stream) -> None:
    assert decode(*(stream.data[i : i + 1] for i in range(len(stream.data)))) == decode(stream.data)


@pytest.mark.parametrize("stream", STREAMS, ids=lambda s: s.name)
def test_every_split_in_two_equals_the_whole(stream: Stream) -> None:
    whole = decode(stream.data)
    for i in range(len(stream.data) + 1):
        assert decode(stream.data[:i], stream.data[i:]) == whole, i


def test_fields_are_read_as_the_standard_says() -> None:
    stream = b"\xef\xbb\xbfdata:  a\ndata\ndata:b\nevent: e\nid: 1\nretry: 2\n: note\nother: x\n\ndata: c"
    assert decode(stream) == [Event(" a\n\nb", "e"), Event("c")]


def test_a_named_event_without_data_is_given_out() -> None:
    assert decode(b"event: error\n\n\n\n: x\n\n") == [Event("", "error")]


def test_a_crlf_cut_in_two_is_one_line_end() -> None:
    assert decode(b"data: a\r", b"\n\r", b"\ndata: b\r", b"\n") == [Event("a"), Event("b")]
    assert decode(b"data: a\r", b"\r", b"data: b\r\r") == [Event("a"), Event("b")]


def test_broken_utf8_becomes_a_replacement_and_no_crash() -> None:
    assert decode(b"data: \xff\xc5\n\n", b"data: \xf0\x9f") == [
        Event("\ufffd\ufffd"),
        Event("\ufffd"),
    ]


@pytest.mark.parametrize("piece", [b"x" * 10, b"data: x\n", b"data:\n", b"event: y\ndata: z\n"])
def test_an_event_without_an_end_stops_at_the_limit_with_a_clear_error(piece: bytes) -> None:
    decoder = SseDecoder(max_event=1000)
    with pytest.raises(EventTooLong, match="over 1000 characters"):
        for _ in range(1000):
            decoder.decode(piece)


def test_endless_comments_are_not_kept() -> None:
    decoder = SseDecoder(max_event=1000)
    for _ in range(5000):
        assert decoder.decode(b": keep-alive\n") == []
    assert decoder.decode(b"data: x\n\n") == [Event("x")]
