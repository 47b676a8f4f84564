"""What the memory keeps of generated chats may not fall below what it once kept."""

from __future__ import annotations

import asyncio

import pytest

from tests.bench.chats import times
from tests.bench.drift import measure as drift
from tests.bench.generator import generate
from tests.bench.metrics import (
    ENOUGH,
    answer_words,
    common_prefix,
    interval,
    judge,
    share,
    split_lines,
    words,
)
from tests.bench.plot import bars
from tests.bench.retention import Scores, ceiling, chance, measure, table
from tests.bench.running import remember


def scores(**settings: object) -> dict[str, float]:
    out = Scores("")
    measure(out, asyncio.run(remember(generate(11), **settings)))
    return out.figures()


def test_with_recall_nearly_every_planted_fact_is_held() -> None:
    figures = scores(summary=500, recall=300)
    assert figures["probe anchored"] >= 90
    assert figures["stale"] <= 10
    assert figures["violations"] == 0


def test_the_summary_alone_keeps_most_and_far_more_than_the_tail() -> None:
    ours, tail = scores(summary=800), scores(summary=800, method="tail")
    assert ours["static anchored"] >= 80
    assert tail["static anchored"] <= ours["static anchored"] / 2
    assert ours["violations"] == tail["violations"] == 0


def test_facts_outlive_twenty_folds() -> None:
    held = drift([generate(2, turns=110, long_answers=True)], 800, 1500)
    assert held["rewritten"][20][0] >= 80


def test_chance_and_ceiling_stand_on_either_side() -> None:
    chats = [generate(11)]
    low, high = chance(chats), ceiling(chats)
    assert low.figures()["probe loose"] < 35
    assert high.figures()["probe loose"] == 100
    assert "| chance" in table([low, high])


def test_the_generator_is_seeded_and_marks_where_its_facts_stand() -> None:
    chat = generate(5)
    assert generate(5) == chat
    assert generate(6) != chat
    for probe in chat.probes:
        said = "\n".join(chat.messages[place].content for place in probe.evidence)
        assert share(answer_words(probe.answer, ()), words(said)) >= ENOUGH


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["The goat lives in Ghent."], (1, 1)),
        (["The goat is old.", "", "x", "She lives in Ghent."], (1, 0)),
        (["The goat is old."], (0, 0)),
    ],
)
def test_anchored_means_near_what_is_asked(lines: list[str], expected: tuple[int, int]) -> None:
    assert judge(lines, "Where does the goat sleep?", "Ghent", ()) == expected


def test_long_lines_are_cut_so_that_joining_gains_nothing() -> None:
    assert len(split_lines(["word " * 100])) == 3


def test_the_small_helpers_say_what_they_say() -> None:
    assert common_prefix("abcd", "abxy") == 2
    assert interval([1.0] * 8) == (100.0, 100.0)
    assert times(["Ada: [1:56 pm on 8 May, 2023] Hi", "Bo: Hi"]) == [1_683_547_200_000] * 2
    assert bars({"all": [("a < b", 50.0, 20.0)]}).count("<rect") == 4
