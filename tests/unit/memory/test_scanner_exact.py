"""When the background scanner looks, at what, and what it says of faults."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from app.conversation.tree import Conversation
from app.memory.conversation_memory import ConversationMemory
from app.memory.ledger import Fold
from app.memory.policies import MemorySettings, Policy
from app.memory.results import CompactResult
from app.memory.scanner import Scanner, pressure
from tests.support.chats import Bench, chat
from tests.support.fakes import FakeClock, FakeLocks, settle
from tests.unit.run import run

SETTINGS = MemorySettings(
    context_size=1000, policy=Policy("switchboard", scan_share=0.7, cooldown_ms=60_000)
)
FULL, FREE = "x" * 2800, "x" * 2796  # 700 and 699 tokens of 1000, by the estimate


class Engine:
    """Folds nothing, says what it is told to say, and notes what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.says: list[CompactResult] = []

    async def compact(self, memory: ConversationMemory, trigger: str) -> CompactResult:
        self.asked.append(f"{memory.id} {trigger}")
        return self.says.pop(0) if self.says else CompactResult("folded")


class Watch:
    """A scanner over the chats that ``texts`` names, with everything around it faked."""

    def __init__(self, **texts: str) -> None:
        bench = Bench(SETTINGS)
        self.memories = {id: bench.open(chat(text, conversation=id)) for id, text in texts.items()}
        self.engine, self.clock, self.locks = Engine(), FakeClock(), FakeLocks()
        self.looks = 0
        self.loads: list[str] = []
        self.faults: list[str] = []
        self.broken: dict[str, Exception] = {}
        self.idle_for = 99  # so many times somebody asks whether the page is idle, it is
        self.every: int | None = 2_000
        engine: Any = self.engine
        self.scanner = Scanner(
            engine,
            self.clock,
            self.locks,
            self.conversations,
            self.load,
            self.idle,
            lambda: self.every,
            lambda fault: self.faults.append(str(fault)),
        )

    async def conversations(self) -> Sequence[tuple[str, object]]:
        self.looks += 1
        if "all" in self.broken:
            raise self.broken.pop("all")
        return [(id, 0) for id in self.memories]

    async def load(self, id: str) -> ConversationMemory | None:
        self.loads.append(id)
        if id in self.broken:
            raise self.broken[id]
        return self.memories[id]

    def idle(self) -> bool:
        self.idle_for -= 1
        return self.idle_for >= 0

    def step(self) -> str:
        result = run(self.scanner.step())
        return result.status if result is not None else ""


def test_pressure_is_that_of_prompt_summary_and_window() -> None:
    settings = replace(SETTINGS, system_prompt="x" * 8)
    messages = chat("x" * 100, "x" * 100, "x" * 100, "x" * 20, "x" * 30, "x" * 50, "x" * 5)
    marked = Conversation("c", pinned=frozenset({"m3"}), excluded=frozenset({"m5"}))
    memory = Bench(settings).open(messages, marked)
    # All but the excluded turn m5 and m6: 8 + 100 + 100 + 100 + 20 + 5 = 333 characters.
    assert pressure(memory) == 84 / 1000
    fold = Fold("f", "c", None, ("m1", "m2"), "m2", memory.path.chain(1), "x" * 7)
    memory.committed(fold)
    assert pressure(memory) == 35 / 1000  # 8 + 7 + 100 + 20 + 5 = 140 characters


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (FREE, ""),
        (FREE + "x", "folded"),  # 699.25 tokens, rounded up
        (FULL, "folded"),
        (FULL + "x", "folded"),
    ],
)
def test_a_chat_is_folded_from_its_share_of_the_context_on(text: str, status: str) -> None:
    watch = Watch(a=text)
    assert watch.step() == status
    assert watch.engine.asked == (["a auto"] if status else [])


@pytest.mark.parametrize(("passed", "status"), [(59_999, ""), (60_000, "folded")])
def test_a_chat_that_was_just_folded_cools_down_for_a_minute(passed: int, status: str) -> None:
    watch = Watch(a=FULL)
    assert watch.step() == "folded"
    watch.clock.advance(passed)
    assert watch.step() == status
    assert len(watch.engine.asked) == (2 if status else 1)


def test_a_chat_that_cools_down_is_looked_at_again_although_it_did_not_change() -> None:
    watch = Watch(a=FULL)
    watch.step()
    assert watch.step() == watch.step() == "" and watch.loads == ["a", "a", "a"]


@pytest.mark.parametrize(
    ("says", "status", "loads"),
    [
        ("folded", "folded", ["a", "a"]),
        ("busy", "busy", ["a", "a"]),
        ("nothing", "", ["a", "b", "b"]),  # nothing to do in a, until it changes
        ("dropped", "", ["a", "b", "a", "b"]),
        ("cancelled", "", ["a", "b", "a", "b"]),
    ],
)
def test_a_look_ends_with_a_fold_and_else_goes_on_to_the_next_chat(
    says: Any, status: str, loads: list[str]
) -> None:
    watch = Watch(a=FULL, b=FULL)
    watch.engine.says = [CompactResult(says), CompactResult("dropped")]
    assert watch.step() == status
    watch.clock.advance(60_000)
    watch.engine.says = [CompactResult("dropped"), CompactResult("dropped")]
    if status:  # one chat a look
        assert watch.loads == ["a"]
        watch.engine.says = [CompactResult("busy")]
    watch.step()
    assert watch.loads == loads
    assert run(watch.locks.held("")) == set()


def test_a_look_ends_when_somebody_waits_for_an_answer() -> None:
    watch = Watch(a=FREE, b=FREE, c=FREE)
    watch.idle_for = 1
    assert watch.step() == "" and watch.loads == ["a", "b"]


def test_a_chat_that_cannot_be_read_is_reported_once_and_the_next_is_looked_at() -> None:
    watch = Watch(a=FULL, b=FULL)
    watch.broken["a"] = ValueError("a broken record")
    assert watch.step() == "folded" and watch.faults == ["a broken record"]
    assert watch.engine.asked == ["b auto"]
    watch.step()
    assert watch.faults == ["a broken record"]


def test_a_scanner_looks_as_often_as_it_is_set_to_and_only_then() -> None:
    async def story() -> None:
        watch = Watch(a=FREE)
        task = asyncio.ensure_future(watch.scanner.run())
        looks: list[int] = []
        for passed in (1_999, 1, 1_999, 1):
            await settle()
            watch.clock.advance(passed)
            await settle()
            looks.append(watch.looks)
        assert looks == [0, 1, 1, 2]
        watch.idle_for = 0
        watch.clock.advance(2_000)
        await settle()
        assert watch.looks == 2  # somebody waits for an answer
        task.cancel()

    run(story())


def test_without_a_preset_that_scans_it_asks_again_every_fifteen_seconds() -> None:
    async def story() -> None:
        watch = Watch(a=FREE)
        watch.every = None
        task = asyncio.ensure_future(watch.scanner.run())
        await settle()
        watch.clock.advance(15_000)
        await settle()
        assert watch.looks == 0
        watch.every = 2_000  # a preset that scans was chosen meanwhile
        watch.clock.advance(14_999)
        await settle()
        assert watch.looks == 0
        watch.clock.advance(1)
        await settle()
        assert watch.looks == 1
        task.cancel()

    run(story())


def test_a_look_that_fails_is_reported_and_the_next_one_comes() -> None:
    async def story() -> None:
        watch = Watch(a=FREE)
        watch.broken["all"] = RuntimeError("storage is gone")
        task = asyncio.ensure_future(watch.scanner.run())
        for _ in range(2):
            await settle()
            watch.clock.advance(2_000)
        await settle()
        assert (watch.faults, watch.looks) == (["storage is gone"], 2)
        assert await watch.locks.held("") == set()
        task.cancel()

    run(story())


def test_faults_need_nobody_who_hears_of_them() -> None:
    watch = Watch(a=FULL, b=FULL)
    watch.broken["a"] = ValueError("a broken record")
    s = watch.scanner
    deaf = Scanner(s.engine, s.clock, s.locks, s.conversations, s.load, s.idle, s.every_ms)
    assert run(deaf.step()) == CompactResult("folded")
