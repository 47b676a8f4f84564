"""Long runs of one thing take time that grows as they do, not as its square."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from app.memory.cleaning import clean_reply
from app.memory.extractive.dates import leans_on_date, short_date, split_header
from app.memory.extractive.details import details
from app.memory.extractive.updates import replaced, statement
from app.memory.extractive.words import runs, terms
from app.memory.language import language, script

READERS: list[Callable[[str], object]] = [
    clean_reply,
    details,
    language,
    leans_on_date,
    script,
    short_date,
    split_header,
    statement,
    terms,
    lambda text: replaced([text, text + " now"], ["", ""]),
]
PIECES = [
    *(" ", "\n", " \n", "1", ",", "[", "(", "-", ".", "+", "a", "a.", "a-", "a@", "\u0301", "あ"),
    *("on ", "on 1 ", "last ", "from X ", "not a ", "12:34", "<notes ", "</", "```", "Summary: "),
]


def seconds(read: Callable[[str], object], piece: str, length: int) -> float:
    """The least of three readings of a text that was never read before."""
    found: list[float] = []
    for number in range(3):
        text = (piece * length)[:length] + f" x{number}"
        began = time.process_time()
        read(text)
        found.append(time.process_time() - began)
    return min(found)


@pytest.mark.parametrize("piece", PIECES)
def test_a_run_that_is_eight_times_as_long_does_not_take_sixty_times_as_long(piece: str) -> None:
    for read in READERS:
        short, long = seconds(read, piece, 5_000), seconds(read, piece, 40_000)
        assert long < 0.2 + 30 * short, read


def test_addresses_dates_and_fences_are_read_as_before() -> None:
    assert runs("write to ada.lovelace+x@mail.host-1.org, or a@b") == (
        *("write", "to", "ada.lovelace+x@mail.host-1.org", "or", "a", "b"),
    )
    assert short_date("1:56 pm on 8 May, 2023") == "8 May 2023"
    assert short_date("2023-05-08T13:56:01.250 Z  ") == "2023-05-08"
    assert clean_reply("Rust is fun.\n\n </ notes >\n\n\n<turns>\nSo is Go.") == (
        "Rust is fun.\nSo is Go."
    )
    assert clean_reply('<notes lang="en">Ada sails.</notes>') == "Ada sails."
