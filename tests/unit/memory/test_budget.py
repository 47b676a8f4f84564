"""Whatever is typed or stored as a size, a turn is normal and the request fits."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.conversation.tree import Conversation
from app.memory.budget import (
    DEFAULT_CONTEXT,
    MAX_CONTEXT,
    MIN_CONTEXT,
    answer_room,
    learn_factor,
    make_limits,
    read_size,
)
from app.memory.policies import PRESETS, MemorySettings, make_policy
from tests.support.chats import Bench, apples, chat
from tests.support.fakes import ScriptedModel
from tests.unit.run import run


@pytest.mark.parametrize(
    ("given", "size", "refused"),
    [
        (0, DEFAULT_CONTEXT, True),
        (None, DEFAULT_CONTEXT, False),
        ("", DEFAULT_CONTEXT, False),
        ("  ", DEFAULT_CONTEXT, True),
        ("8192", 8192, False),
        (" 8192 ", 8192, False),
        ("8k", DEFAULT_CONTEXT, True),
        (-1, DEFAULT_CONTEXT, True),
        ("-4096", DEFAULT_CONTEXT, True),
        ("NaN", DEFAULT_CONTEXT, True),
        (float("nan"), DEFAULT_CONTEXT, True),
        (float("inf"), MAX_CONTEXT, True),
        ("1e400", MAX_CONTEXT, True),
        (10**400, MAX_CONTEXT, True),
        (4096.5, 4096, False),
        (1e12, MAX_CONTEXT, True),
        (True, DEFAULT_CONTEXT, True),
        (False, DEFAULT_CONTEXT, True),
        ([4096], DEFAULT_CONTEXT, True),
        ({}, DEFAULT_CONTEXT, True),
        (1, MIN_CONTEXT, True),
        (511.9, MIN_CONTEXT, True),
    ],
)
def test_any_stored_context_size_gives_a_whole_positive_one(
    given: object, size: int, refused: bool
) -> None:
    found, why = read_size(given)
    assert (found, bool(why)) == (size, refused)
    assert type(found) is int
    bench = Bench(MemorySettings(context_size=found))
    prepared = run(bench.engine.prepare(bench.open(chat("Hi"))))
    assert prepared.messages[-1].content == "Hi" and bench.open(chat("Hi")).current is None


@pytest.mark.parametrize("size", [-5, 0, 1, 512, 4096, 10**9])
@pytest.mark.parametrize("factor", [-1.0, 0.0, 1.0, 1.4, 99.0, float("nan"), float("inf")])
def test_limits_are_positive_whatever_goes_in(size: int, factor: float) -> None:
    limits = make_limits(size, summary_limit=-3, recall_tokens=-9, factor=factor)
    assert 0 < limits.budget < limits.context <= limits.size
    assert limits.summary >= 16 and limits.recall == 0
    assert limits.budget * limits.factor <= 0.75 * limits.size


@pytest.mark.parametrize("wanted", [-100, 0, 1, 4096, 10**9])
@pytest.mark.parametrize("prompt", [0, 1000, 3072, 5000])
def test_prompt_and_answer_never_exceed_the_context(wanted: int, prompt: int) -> None:
    limits = make_limits(4096)
    room = answer_room(limits, prompt, wanted)
    assert room is not None and room >= 1
    assert room == 1 or prompt + room < 4096


def test_a_wish_for_the_whole_context_is_lowered_to_what_the_prompt_leaves() -> None:
    bench = Bench(MemorySettings(context_size=4096, max_tokens=4096))
    prepared = run(bench.engine.prepare(bench.open(chat(apples(1000)))))
    assert prepared.max_tokens is not None
    assert 2900 < prepared.max_tokens <= 4096 - prepared.account["total"]
    assert (
        run(bench.engine.prepare(bench.open(chat("Hi"), settings=MemorySettings()))).max_tokens
        is None
    )


def test_a_windows_last_message_is_counted_before_it_is_taken() -> None:
    settings = MemorySettings(context_size=1334, policy=make_policy("minisearch"))
    bench = Bench(settings)
    memory = bench.open(chat(apples(900), apples(400), apples(500)))
    prepared = run(bench.engine.prepare(memory))
    assert prepared.account["total"] <= 1000
    assert prepared.messages[-1].content == apples(500)
    assert memory.current is not None and memory.current.covered == ("m1", "m2")


@pytest.mark.parametrize("reserved", [0, 200, 100_000])
def test_a_reserve_larger_than_the_budget_folds_all_but_the_question(reserved: int) -> None:
    settings = MemorySettings(policy=make_policy("minisearch", reserved=reserved))
    bench = Bench(settings)
    memory = bench.open(chat(apples(200), apples(200), "And now?"))
    prepared = run(bench.engine.prepare(memory))
    assert prepared.messages[-1].content == "And now?"
    folded = memory.current.covered if memory.current else ()
    assert folded == (("m1", "m2") if reserved > 3072 else ())


def test_pins_yield_to_nothing_but_may_not_take_more_than_their_quarter() -> None:
    bench = Bench(MemorySettings(context_size=1024))
    messages = chat(apples(100), apples(100), apples(200), apples(200), "Now?")
    memory = bench.open(messages, Conversation(id="c", pinned=frozenset({"m1", "m3"})))
    assert memory.path.suspended == {"m3"} and memory.path.pinned == {"m1"}
    assert bench.engine.why_not_pin(memory, "m3") != ""
    assert bench.engine.why_not_pin(memory, "m5") == ""
    assert "whole turn" in bench.engine.why_not_pin(memory, "m4")
    assert "branch" in bench.engine.why_not_pin(memory, "elsewhere")
    prepared = run(bench.engine.prepare(memory))
    assert prepared.account["total"] <= 768
    assert any("quarter" in notice for notice in prepared.notices)
    contents = [m.content for m in prepared.messages]
    assert contents.count(apples(100)) == 2 and contents[-1] == "Now?"


def test_a_pinned_turn_follows_the_summary_and_is_not_in_it() -> None:
    bench = Bench(MemorySettings(context_size=1024, policy=make_policy("pleat", recall_tokens=0)))
    texts = ["My pin is 4711.", "Noted."] + [apples(130), apples(130)] * 3 + ["Now?"]
    memory = bench.open(chat(*texts), Conversation(id="c", pinned=frozenset({"m1"})))
    prepared = run(bench.engine.prepare(memory))
    assert memory.current is not None and "m1" not in memory.current.covered
    assert [m.content for m in prepared.messages[1:3]] == ["My pin is 4711.", "Noted."]
    assert "4711" not in prepared.messages[0].content


def test_a_longer_system_prompt_half_way_folds_more_and_keeps_the_question() -> None:
    bench = Bench(MemorySettings(context_size=1024))
    messages = chat(*([apples(80)] * 6), "And?")
    assert run(bench.engine.prepare(bench.open(messages))).account["total"] <= 768
    long = MemorySettings(context_size=1024, system_prompt=apples(400))
    memory = bench.open(messages, settings=long)
    prepared = run(bench.engine.prepare(memory))
    assert prepared.account["total"] <= 768 and prepared.messages[-1].content == "And?"
    assert prepared.messages[0].content.startswith(apples(400))
    assert not prepared.cut


def test_a_system_prompt_over_the_budget_asks_no_model_for_summaries() -> None:
    model = ScriptedModel(default="Notes that nobody can send.")
    bench = Bench(MemorySettings(context_size=2048, system_prompt=apples(2000)), utility=model)
    texts: list[str] = []
    for turn in range(6):
        texts += [f"Question {turn} " + apples(90)]
        memory = bench.open(chat(*texts))
        prepared = run(bench.engine.prepare(memory))
        assert prepared.messages[-1].content == texts[-1]
        assert prepared.account["total"] <= 1536
        assert prepared.max_tokens is None
        texts += [apples(90)]
        run(bench.engine.after_answer(bench.open(chat(*texts))))
    assert len(model.calls) <= 2


def test_one_preset_after_another_neither_loses_nor_folds_again() -> None:
    bench = Bench(MemorySettings(context_size=1024))
    texts = [f"Fact {n}: " + apples(60) for n in range(14)]
    for number, name in enumerate([*PRESETS, *PRESETS]):
        count = 7 + number if (7 + number) % 2 else 8 + number
        settings = MemorySettings(context_size=1024, policy=make_policy(name))
        memory = bench.open(chat(*texts[: min(13, count)]), settings=settings)
        prepared = run(bench.engine.prepare(memory))
        assert prepared.account["total"] <= 768
    given = [id for fold in bench.shelf.entries["c"] for id in fold.covered]
    assert len(given) == len(set(given))


def test_in_the_smallest_context_every_preset_answers() -> None:
    for name in PRESETS:
        settings = MemorySettings(context_size=512, factor=3.0, policy=make_policy(name))
        bench = Bench(replace(settings, system_prompt=apples(100)))
        memory = bench.open(chat(*([apples(50)] * 8), "What is 2+2?"))
        prepared = run(bench.engine.prepare(memory))
        assert prepared.messages[-1].content.endswith("What is 2+2?")
        assert prepared.account["total"] <= 0.75 * 170


@pytest.mark.parametrize(
    ("counted", "reported", "cached", "factor", "truncated"),
    [
        (100, 500, 0, 1.0, False),  # too short to learn from
        (1000, 0, 0, 1.0, False),  # not reported
        (1000, 1000, 0, 1.0, False),
        (1000, 1500, 0, 1.3, False),
        (1000, 90_000, 0, 3.0, False),
        (1000, 300, 0, 1.0, True),
        (1000, 300, 700, 1.0, False),  # the rest came from the server's cache
    ],
)
def test_the_factor_is_learned_bounded_and_smoothed(
    counted: int, reported: int, cached: int, factor: float, truncated: bool
) -> None:
    assert learn_factor(1.0, counted, reported, cached) == (factor, truncated)
