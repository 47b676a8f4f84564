"""Folding never runs in circles: no effect, no repetition; echoes do not grow."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from app.memory.policies import MemorySettings, make_policy
from app.models.port import Delta, WireMessage
from tests.support.chats import Bench, apples, chat
from tests.support.fakes import ScriptedModel
from tests.unit.run import run


def test_a_floor_over_the_soft_mark_is_folded_at_most_twice_and_said_once() -> None:
    model = ScriptedModel(default="ok")
    bench = Bench(MemorySettings(context_size=1024, system_prompt=apples(700)), utility=model)
    notices: list[str] = []
    texts: list[str] = []
    for turn in range(8):
        texts.append(f"Question {turn}. " + apples(60))
        calls = len(model.calls)
        memory = bench.open(chat(*texts))
        prepared = run(bench.engine.prepare(memory))
        notices += prepared.notices
        assert prepared.account["total"] <= 768
        texts.append(f"Answer {turn}. " + apples(60))
        run(bench.engine.after_answer(bench.open(chat(*texts))))
        assert len(model.calls) - calls <= 1
    assert len(model.calls) <= 2
    assert sum("frees too little" in notice for notice in notices) == 1


def test_one_question_alone_over_the_budget_folds_nothing() -> None:
    model = ScriptedModel(default="ok")
    bench = Bench(MemorySettings(context_size=1024, system_prompt=apples(700)), utility=model)
    memory = bench.open(chat(apples(300)))
    run(bench.engine.prepare(memory))
    run(bench.engine.after_answer(memory))
    assert not model.calls and memory.current is None


class Echo:
    """A summariser that quotes what it is given behind one more label."""

    name = "echo"

    async def stream(
        self,
        messages: Sequence[WireMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> AsyncIterator[Delta]:
        """The previous notes and the new lines."""
        content = messages[-1].content
        notes = content.split("<notes>\n")[1].split("\n</notes>")[0]
        turns = content.split("<turns>\n")[1].split("\n</turns>")[0]
        yield Delta(text="Summary: Conversation context: " + notes + "\n" + turns)
        yield Delta(finish="stop")


def test_an_echoing_summariser_does_not_grow_the_summary_nor_nest_its_label() -> None:
    bench = Bench(
        MemorySettings(context_size=4096, policy=make_policy("pleat", window_conversations=0)),
        utility=Echo(),
    )
    texts: list[str] = []
    sizes: list[int] = []
    for fold in range(6):
        texts += [f"Fact {fold}.{n}: " + apples(120) for n in range(4)]
        memory = bench.open(chat(*texts))
        result = run(bench.engine.compact(memory))
        assert result.status == "folded"
        sizes.append(bench.counter.text(result.content))
        assert "summary:" not in result.content.lower()
        assert "context:" not in result.content.lower()
        prepared = run(bench.engine.prepare(bench.open([*chat(*texts, "And?")])))
        assert sum(m.content.count("<notes>") for m in prepared.messages) == 1
    assert max(sizes) <= 800


def test_a_chat_that_recovers_is_folded_by_the_model_again() -> None:
    model = ScriptedModel(default="Notes on apples.")
    heavy = MemorySettings(context_size=1024, system_prompt=apples(700))
    bench = Bench(heavy, utility=model)
    texts: list[str] = []
    for turn in range(4):
        texts.append(f"Question {turn}. " + apples(60))
        run(bench.engine.prepare(bench.open(chat(*texts))))
        texts.append(f"Answer {turn}. " + apples(60))
        run(bench.engine.after_answer(bench.open(chat(*texts))))
    before = len(model.calls)
    light = MemorySettings(context_size=1024)
    bench.engine.settings_changed()
    texts += [apples(200), apples(200), apples(200), "ok"]
    run(bench.engine.after_answer(bench.open(chat(*texts), settings=light)))
    assert len(model.calls) == before + 1


def test_a_window_that_cannot_shrink_is_not_folded_every_turn() -> None:
    model = ScriptedModel(default="Notes.")
    bench = Bench(
        MemorySettings(context_size=1024, policy=make_policy("pleat", window_conversations=100)),
        utility=model,
    )
    memory = bench.open(chat(*(apples(30) for _ in range(8))))
    for _ in range(5):
        run(bench.engine.after_answer(memory))
    assert not model.calls
