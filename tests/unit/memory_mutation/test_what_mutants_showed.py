"""Promises that only a mutant showed to be untested."""

from __future__ import annotations

import asyncio
import datetime
from dataclasses import replace

import pytest

from app.memory.conversation_memory import Activity, ConversationMemory
from app.memory.cutting import cut_middle
from app.memory.ledger import Fold
from app.memory.path import ActivePath
from app.memory.plan import plan_background
from app.memory.policies import MemorySettings, make_policy
from app.memory.ports import Outcome
from app.memory.reasoning import strip_reasoning
from app.memory.recollection import day
from app.memory.scanner import Scanner
from app.memory.summariser import Skipped, ask
from app.memory.tokens import Counter
from app.models.port import WireMessage
from tests.support.chats import Bench, FoldShelf, apples, chat
from tests.support.fakes import FakeClock, Reply, ScriptedModel, settle
from tests.support.words import WordTokenizer
from tests.unit.run import run

DAY = 86_400_000


@pytest.mark.parametrize("start", ["2000-02-27", "2023-12-30", "2024-02-27", "2024-09-29"])
def test_the_day_of_a_message_is_the_calendars(start: str) -> None:
    first = datetime.date.fromisoformat(start)
    [message] = chat("Hello")
    for offset in range(420):
        wanted = first + datetime.timedelta(days=offset)
        since = (wanted - datetime.date(1970, 1, 1)).days
        assert day(replace(message, created_at=since * DAY)) == wanted.isoformat()
        assert day(replace(message, created_at=(since + 1) * DAY - 1)) == wanted.isoformat()


def test_a_skip_is_no_failure_of_the_model() -> None:
    async def skipped() -> None:
        model = ScriptedModel(script=[Reply(["Notes."], gate=asyncio.Event())])
        event = asyncio.Event()
        asked = asyncio.ensure_future(
            ask(model, [WireMessage("user", "?")], 10, clock=FakeClock(), wait_ms=1, skip=event)
        )
        await settle()
        event.set()
        with pytest.raises(Skipped):
            await asked
        assert model.calls[0].closed

    run(skipped())


def test_two_folds_in_a_row_that_free_nothing_are_said_once() -> None:
    activity = Activity()
    activity.judged(False)
    assert not activity.notices
    activity.judged(False)
    activity.judged(False)
    assert len(activity.notices) == 1
    activity.judged(True)
    assert activity.ineffective == 0


@pytest.mark.parametrize("excluded", [(), ("m1",), ("m3",)])
def test_a_leaf_that_is_taken_off_leaves_no_trace(excluded: tuple[str, ...]) -> None:
    counter = Counter(WordTokenizer())
    messages = chat("One", "Two", "Three", "Four")
    messages[3] = replace(messages[3], status="streaming")
    for length in range(1, len(messages)):
        short = ActivePath(counter, messages[:length], excluded=excluded)
        path = ActivePath(counter, messages[: length + 1], excluded=excluded)
        assert path.pop() is messages[length]
        assert path.position(messages[length].id) is None
        assert path.turn_starts == short.turn_starts and path.states == short.states
        assert path.chain(length - 1) == short.chain(length - 1)
        assert path.question() == short.question()
        assert path.foldable_end(length) == short.foldable_end(length)
        for state in ("eligible", "excluded", "unsendable"):
            assert path.tokens(state, 0, length) == short.tokens(state, 0, length)
            assert path.count(state, 0, length) == short.count(state, 0, length)
        path.append(messages[length])
        again = ActivePath(counter, messages[: length + 1], excluded=excluded)
        assert path.turn_starts == again.turn_starts and path.chain(length) == again.chain(length)


@pytest.mark.parametrize("limit", range(1, 40))
def test_a_text_that_is_cut_in_the_middle_keeps_both_ends_where_there_is_room(limit: int) -> None:
    counter = Counter(WordTokenizer())
    text = "first " + apples(200) + " last"
    cut = cut_middle(text, limit, counter)
    assert 1 <= counter.text(cut) <= limit
    assert cut.startswith("first")
    if limit >= 20:
        assert "left out here" in cut and cut.endswith("last")


class _Overtaken(FoldShelf):
    """Another tab's write comes first, so many times."""

    times = 1

    async def commit_fold(self, fold: Fold, *, structure: int, commit: int) -> Outcome:
        """A conflict first."""
        if self.times:
            self.times -= 1
            return "conflict"
        return await super().commit_fold(fold, structure=structure, commit=commit)


@pytest.mark.parametrize(("times", "status"), [(0, "folded"), (1, "folded"), (99, "dropped")])
def test_a_commit_that_was_overtaken_is_tried_again_but_not_for_ever(
    times: int, status: str
) -> None:
    shelf = _Overtaken()
    shelf.times = times
    bench = Bench(MemorySettings(make_policy("pleat", window_conversations=0)), shelf=shelf)
    memory = bench.open(chat(*(f"Number {n}. " + apples(40) for n in range(6))))
    assert run(bench.engine.compact(memory)).status == status
    assert len(shelf.entries.get("c", [])) == (status == "folded")


@pytest.mark.parametrize(("words", "folds"), [(5, 0), (60, 1)])
def test_the_scanner_folds_under_pressure_only(words: int, folds: int) -> None:
    bench = Bench(MemorySettings(make_policy("switchboard"), context_size=1024))
    memory = bench.open(chat(*(apples(words) for _ in range(12))))

    async def conversations() -> list[tuple[str, object]]:
        return [("c", 1)]

    async def load(_: str) -> ConversationMemory:
        return memory

    scanner = Scanner(
        bench.engine, bench.clock, bench.locks, conversations, load, lambda: True, lambda: 1
    )
    result = run(scanner.step())
    assert (result is not None and result.status == "folded") == bool(folds)
    assert len(bench.shelf.entries.get("c", [])) == folds


def test_the_last_turns_stay_though_they_are_over_the_low_water() -> None:
    settings = MemorySettings(context_size=10_000)
    assert settings.policy.window_conversations == 2
    bench = Bench(settings)
    memory = bench.open(chat(*[apples(1250)] * 6))
    cut = plan_background(memory.path, None, settings, bench.counter)
    assert cut is not None and (cut.start, cut.end) == (0, 2)


@pytest.mark.parametrize(
    "closer",
    [
        "[/THINK]",
        "[/REASONING]",
        "◁/think▷",
        "<|/think|>",
        "<|end_of_thought|>",
        "<|END_THINKING|>",
    ],
)
def test_what_comes_before_a_stray_end_of_reasoning_is_reasoning(closer: str) -> None:
    assert strip_reasoning(f"They ask for notes.{closer}\n- The key hangs.").strip() == (
        "- The key hangs."
    )
