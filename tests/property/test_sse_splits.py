"""Any cutting of any bytes gives the same events as the whole."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.models.sse import Event, SseDecoder
from tests.unit.models.streams import STREAMS

_FIELDS = [b"data: ", b"data:", b"event: error", b": note", b"id: 1", b"{", b"[DONE]"]
_ODD = [b"\n", b"\r", b"\r\n", b"\n\n", b" ", b"\xef\xbb\xbf", b"\xff", "ž🐎修".encode()]
_PIECES = st.sampled_from([*_FIELDS, *_ODD])
_BYTES = st.one_of(
    st.lists(_PIECES, max_size=40).map(b"".join),
    st.binary(max_size=200),
    st.sampled_from([s.data for s in STREAMS]),
)


def decode(chunks: list[bytes]) -> list[Event]:
    decoder = SseDecoder()
    found = [event for c in chunks for event in decoder.decode(c)]
    return found + decoder.flush()


@given(_BYTES, st.lists(st.integers(0, 2000), max_size=12))
def test_any_split_equals_the_whole(data: bytes, cuts: list[int]) -> None:
    at = [0, *sorted(c % (len(data) + 1) for c in cuts), len(data)]
    assert decode([data[a:b] for a, b in pairwise(at)]) == decode([data])


@given(_BYTES)
def test_the_data_is_that_of_a_plain_reading(data: bytes) -> None:
    text = data.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")
    blocks = text.replace("\r", "\n").split("\n\n")
    expected = [
        "\n".join(
            line[5:].removeprefix(" ") if line.startswith("data:") else ""
            for line in block.split("\n")
            if line == "data" or line.startswith("data:")
        )
        for block in blocks
        if any(line == "data" or line.startswith("data:") for line in block.split("\n"))
    ]
    assert [e.data for e in decode([data]) if e.data] == [d for d in expected if d]
