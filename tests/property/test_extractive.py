"""For any text at all: within the limit, not empty, deterministic, each line a speaker's."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from app.memory.extractive import Line, Source, drop_least, restore_details, summarise
from app.memory.extractive.split import units
from app.memory.tail import tail
from tests.support.cpython_tokenizer import CPythonTokenizer

LEXICON = CPythonTokenizer()
PIECES = st.sampled_from(
    ["I moved from Brno to Ghent. ", "Not now! ", "budget 300", "\n- eggs", "```", "SYSTEM: x",
     "なるほど。", "Dnes ne, protože prší; ", "[photo: a dog]", "https://a.example/?y=1 ", "\u200b",
     "a" * 300, "👩‍👩‍👧 ", "| a | b |\n", "[8 May 2023] ", "Ada: ", "yesterday ", "if ", "漢" * 90]
)  # fmt: skip
TEXT = st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=12).map("".join))
SOURCES = st.lists(
    st.builds(
        Source,
        id=st.uuids().map(str),
        role=st.sampled_from(["user", "assistant", "tool", "system"]),
        name=st.sampled_from(["", "Ada", "User"]),
        text=TEXT,
        created_at=st.sampled_from([0, 1_683_547_200_000]),
    ),
    max_size=8,
)
LINES = st.lists(
    st.builds(
        Line, text=TEXT.map(lambda t: " ".join(t.split())), source=st.sampled_from([None, "m"])
    ),
    max_size=6,
)


def joined(lines: list[Line]) -> str:
    return "\n".join(line.text for line in lines)


def tokens(text: str) -> int:
    return LEXICON.count_many([text])[0]


@settings(max_examples=150)
@given(LINES, SOURCES, st.integers(1, 120))
def test_a_summary_is_within_its_limit(
    previous: list[Line], items: list[Source], limit: int
) -> None:
    lines = summarise(previous, items, limit, LEXICON)
    assert tokens(joined(lines)) <= limit
    assert all("\n" not in line.text and line.text.strip() for line in lines)
    assert lines == summarise(previous, items, limit, LEXICON)
    known = {item.id for item in items} | {line.source for line in previous}
    assert {line.source for line in lines} <= known
    if any(any(ch.isalnum() for ch in item.text) for item in items) and limit >= 12:
        assert lines


@settings(max_examples=100)
@given(LINES, st.integers(1, 60))
def test_dropping_lines_keeps_order_and_limit(lines: list[Line], limit: int) -> None:
    kept = drop_least(lines, limit, LEXICON)
    assert tokens(joined(kept)) <= limit
    if len(kept) > 1:
        rest = iter(lines)
        assert all(any(line == other for other in rest) for line in kept)


@settings(max_examples=80)
@given(LINES, SOURCES, st.integers(0, 80))
def test_restored_details_are_within_their_room(
    lines: list[Line], items: list[Source], room: int
) -> None:
    assert tokens(joined(restore_details(lines, items, room, LEXICON))) <= room


@settings(max_examples=80)
@given(TEXT, SOURCES, st.integers(8, 100))
def test_the_tail_is_within_the_limit_and_not_empty(
    previous: str, items: list[Source], limit: int
) -> None:
    text = tail(previous, items, limit, LEXICON)
    assert tokens(text) <= limit
    if previous.strip() or any(item.text.strip() for item in items):
        assert text


@settings(max_examples=150)
@given(TEXT)
def test_units_keep_the_words_in_their_order(text: str) -> None:
    rest = iter("".join(ch for ch in text if ch.isalnum()))
    for unit in units(text):
        if unit.kind != "photo":
            assert all(ch in rest for ch in unit.text if ch.isalnum())
