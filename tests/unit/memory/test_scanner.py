"""The background scanner: one fold at a time, the open chat first, only while idle."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from app.memory.conversation_memory import ConversationMemory
from app.memory.policies import MemorySettings, make_policy
from app.memory.scanner import LOCK, Scanner, pressure
from tests.support.chats import Bench, chat
from tests.support.fakes import settle
from tests.unit.run import run

SETTINGS = MemorySettings(
    context_size=1024, policy=make_policy("switchboard", window_conversations=1)
)


class Yard:
    """Some chats under pressure, and a scanner over them."""

    def __init__(self, *ids: str, settings: MemorySettings = SETTINGS) -> None:
        self.bench = Bench(settings)
        self.memories = {
            id: self.bench.open(chat(*("x y " * 125 for _ in range(8)), conversation=id, prefix=id))
            for id in ids
        }
        self.idle = True
        self.marks = dict.fromkeys(ids, 0)
        self.loads: list[str] = []
        self.scanner = Scanner(
            self.bench.engine,
            self.bench.clock,
            self.bench.locks,
            conversations=self.conversations,
            load=self.load,
            idle=lambda: self.idle,
            every_ms=lambda: 15_000,
        )

    async def conversations(self) -> Sequence[tuple[str, object]]:
        return list(self.marks.items())

    async def load(self, id: str) -> ConversationMemory | None:
        self.loads.append(id)
        return self.memories.get(id)

    def step(self) -> str:
        result = run(self.scanner.step())
        return result.status if result is not None else ""


def test_pressure_is_characters_by_four_rounded_up_of_the_context() -> None:
    yard = Yard("a")
    assert pressure(yard.memories["a"]) == 1000 / 1024
    short = yard.bench.open(chat("abcde", conversation="s"))
    assert pressure(short) == 2 / 1024


def test_the_first_chat_is_folded_first_and_one_at_a_time() -> None:
    yard = Yard("open", "b")
    assert yard.step() == "folded"
    assert yard.memories["open"].current is not None and yard.memories["b"].current is None
    assert yard.step() == "folded" and yard.memories["b"].current is not None
    assert yard.step() == ""


def test_a_chat_without_pressure_is_looked_at_once_until_it_changes() -> None:
    yard = Yard("a")
    yard.memories["a"] = yard.bench.open(chat("hi", "ho", conversation="a"))
    assert yard.step() == "" == yard.step() and yard.loads == ["a"]
    yard.marks["a"] = 1
    yard.step()
    assert yard.loads == ["a", "a"]


def test_a_chat_that_was_just_folded_cools_down() -> None:
    yard = Yard("a")
    assert yard.step() == "folded"
    memory = yard.memories["a"]
    for n in range(9, 17):
        message = chat(*(["x"] * 8 + ["x y " * 125] * 8), conversation="a", prefix="a")[n - 1]
        memory.append(message)
    yard.bench.clock.advance(59_000)
    assert yard.step() == "" and len(memory.ledger) == 1
    yard.bench.clock.advance(2_000)
    assert yard.step() == "folded" and len(memory.ledger) == 2


def test_other_presets_and_undone_folds_are_left_alone() -> None:
    assert Yard("a", settings=replace(SETTINGS, policy=make_policy("pleat"))).step() == ""
    yard = Yard("a")
    yard.step()
    run(yard.bench.engine.undo(yard.memories["a"]))
    yard.bench.clock.advance(120_000)
    assert yard.step() == "" and yard.memories["a"].current is None


def test_one_tab_scans_at_a_time_and_gives_the_lock_back() -> None:
    yard = Yard("a")
    release = run(yard.bench.locks.acquire(LOCK))
    assert yard.step() == "" and yard.loads == []
    assert release is not None
    release()
    assert yard.step() == "folded"
    assert run(yard.bench.locks.held("pleat.")) == set()


def test_a_chat_that_is_gone_or_deleted_under_the_scanner_is_passed_over() -> None:
    yard = Yard("a", "b")
    del yard.memories["a"]
    assert yard.step() == "folded" and yard.memories["b"].current is not None
    yard = Yard("a")
    yard.bench.shelf.gone.add("a")
    assert yard.step() in ("", "dropped") and not yard.bench.shelf.entries


def test_a_chat_that_cannot_be_read_does_not_stop_the_scanner() -> None:
    yard = Yard("a", "b")
    good = yard.memories

    class Broken(dict[str, ConversationMemory]):
        def get(self, id: str, default: object = None) -> ConversationMemory | None:  # type: ignore[override]
            if id == "a":
                raise ValueError("a broken record")
            return good.get(id)

    yard.memories = Broken(good)
    assert yard.step() == "folded" and good["b"].current is not None


def test_it_runs_only_while_idle_and_until_it_is_cancelled() -> None:
    async def story() -> None:
        yard = Yard("a")
        yard.idle = False
        task = asyncio.ensure_future(yard.scanner.run())
        await settle()
        yard.bench.clock.advance(15_000)
        await settle()
        assert yard.loads == []
        yard.idle = True
        yard.bench.clock.advance(15_000)
        await settle()
        assert yard.memories["a"].current is not None
        task.cancel()
        await settle()
        assert task.cancelled()

    run(story())
