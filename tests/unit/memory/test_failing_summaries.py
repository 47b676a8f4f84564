"""A fold that fails costs nothing: the answer comes, the memory keeps what it had, busy ends."""

from __future__ import annotations

import asyncio

import pytest

from app.memory.breaker import COOL_OFF_MS, Breaker
from app.memory.conversation_memory import ConversationMemory
from app.memory.policies import MemorySettings, make_policy
from app.models.errors import (
    Auth,
    ContextOverflow,
    Quota,
    RateLimited,
    Server,
    Truncated,
    Unreachable,
)
from tests.support.chats import Bench, FoldShelf, apples, chat
from tests.support.fakes import FakeClock, FakeLocks, Reply, ScriptedModel, settle
from tests.unit.run import run

HENS = "Ada keeps 3 hens; budget 40 EUR."
DOST = MemorySettings(
    context_size=1024,
    policy=make_policy("dost", summary_trigger_tokens=100, window_conversations=0),
)


def by_hand(bench: Bench, *texts: str) -> ConversationMemory:
    """A memory that holds HENS, and then these messages and a question."""
    model, bench.utility = bench.utility, ScriptedModel(default=HENS)
    first = chat("My name is Ada. " + apples(30), apples(30), "I keep 3 hens. " + apples(30), "ok")
    memory = bench.open(first)
    run(bench.engine.compact(memory))
    assert memory.current is not None and HENS in memory.current.text
    bench.utility = model
    more = chat("x", "x", "x", "x", *texts, "And now?")
    return bench.open([*first, *more[4:]])


@pytest.mark.parametrize("reply", ["", " \n\t", "\u200b\ufeff", "<think>hm", "I'm sorry, I can't."])
def test_an_unusable_reply_keeps_the_old_summary_and_folds_without_the_model(reply: str) -> None:
    model = ScriptedModel(script=[reply])
    bench = Bench(DOST, utility=model)
    memory = by_hand(
        bench, "I bought a 4th hen, named Pip. " + apples(60), "Congratulations to Pip!"
    )
    prepared = run(bench.engine.prepare(memory))
    fold = memory.current
    assert fold is not None and fold.used_fallback and fold.note
    assert "Ada" in fold.text and "Pip" in fold.text
    assert fold.boundary == "m6" and len(model.calls) == 1
    assert prepared.messages[-1].content == "And now?"
    assert not bench.engine.busy("c")


def test_under_fifty_tokens_nothing_is_folded_unless_forced_and_then_verbatim() -> None:
    model = ScriptedModel(default=" apple" * 2500)
    bench = Bench(DOST, utility=model)
    memory = bench.open(chat("hi", "hello", "hi again", "hello again"))
    assert "50 tokens" in run(bench.engine.compact(memory)).reason
    assert bench.engine.view(memory)["can_fold"] is False
    tight = MemorySettings(context_size=512, system_prompt=apples(370), policy=DOST.policy)
    memory = bench.open(chat("hi, I am Ada", "hello Ada", "What?"), settings=tight)
    run(bench.engine.prepare(memory))
    fold = memory.current
    assert fold is not None and fold.method == "verbatim"
    assert fold.text == "User: hi, I am Ada\nAssistant: hello Ada" and not model.calls


def test_a_reply_over_the_limit_is_trimmed_and_said() -> None:
    words = "\n".join(f"Fact {n} is that locker {n} is blue." for n in range(400))
    bench = Bench(MemorySettings(context_size=8192), utility=ScriptedModel(default=words))
    memory = bench.open(chat(*(apples(500) for _ in range(8))))
    result = run(bench.engine.compact(memory))
    assert result.status == "folded" and not result.used_fallback
    assert bench.counter.text(result.content) <= 800 and "trimmed" in result.reason


def test_a_reply_larger_than_what_it_replaces_is_trimmed_to_that() -> None:
    bench = Bench(DOST, utility=ScriptedModel(default=" apple" * 2500))
    memory = bench.open(chat("My door is blue. " + apples(45), apples(20), "And?", "ok"))
    result = run(bench.engine.compact(memory))
    assert result.status == "folded"
    assert bench.counter.text(result.content) <= min(800, result.tokens_in)


@pytest.mark.parametrize(
    "failure",
    [
        Reply(["Error"], error=Unreachable("network")),
        Reply(["Error"], error=Truncated("cut")),
        '{"error":{"message":"upstream timeout"}}',
        "<html>502 Bad Gateway</html>",
        Server("boom", status=500),
        Auth("no", status=401),
        RateLimited("slow", status=429, retry_after=60),
        Unreachable("Failed to fetch"),
        ContextOverflow("long", limit=2048),
        RuntimeError("a fault of ours"),
        TypeError("Failed to fetch"),
        Reply(["Ada keeps"], finish="length"),
    ],
)
def test_whatever_the_call_does_the_answer_goes_out_with_a_clean_memory(failure: object) -> None:
    model = ScriptedModel(script=[failure], default="Fresh notes about Ada.")  # type: ignore[list-item]
    bench = Bench(DOST, utility=model)
    memory = by_hand(bench, "My locker code hint is 'blue door'. " + apples(60), "OK")
    prepared = run(bench.engine.prepare(memory))
    fold = memory.current
    assert prepared.messages[-1].content == "And now?" and fold is not None
    assert "blue door" in fold.text and fold.used_fallback and len(model.calls) == 1
    assert not any(bad in fold.text for bad in ("Error", "Gateway", "<html", "boom"))
    # once in a turn: neither after the answer nor by the scanner is the model asked again
    run(bench.engine.after_answer(memory))
    run(bench.engine.compact(memory, "auto"))
    assert len(model.calls) == 1
    assert [r.trigger for r in bench.usage] == ["manual", "overflow"]
    assert bench.usage[-1].outcome != "ok" or isinstance(failure, str | Reply)


def test_a_refused_key_is_said_once_and_not_tried_again_until_settings_change() -> None:
    model = ScriptedModel(script=[Auth("no", status=401)], default="Notes about all of it.")
    bench = Bench(DOST, utility=model)
    notices: list[str] = []
    texts = ["One " + apples(90), apples(60)]
    for turn in range(4):
        texts += [f"Question {turn} " + apples(60)]
        notices += run(bench.engine.prepare(bench.open(chat(*texts)))).notices
        texts += [f"Answer {turn} " + apples(60)]
        bench.clock.advance(3_600_000)
    assert len(model.calls) == 1
    assert sum("refused" in n for n in notices) == 1
    bench.engine.settings_changed()
    run(bench.engine.prepare(bench.open(chat(*texts, "And?"))))
    assert len(model.calls) == 2


def test_a_rate_limit_is_waited_out() -> None:
    breaker = Breaker()
    breaker.failed(1000, RateLimited("", status=429, retry_after=90))
    assert "2 min" in breaker.why_not(2000) and breaker.why_not(91_000) == ""
    breaker.failed(0, RateLimited("", status=429, retry_after=float("inf")))
    assert breaker.why_not(86_400_001) == ""
    breaker.failed(0, RateLimited("", status=429, retry_after=float("nan")))
    breaker = Breaker()
    breaker.failed(0, Quota("", status=429))
    assert breaker.why_not(10**12) != ""


def test_three_failures_in_a_row_allow_one_trial_after_ten_minutes() -> None:
    breaker = Breaker()
    for now in (1, 2, 3):
        assert breaker.why_not(now) == ""
        breaker.begin(now)
        breaker.failed(now)
    assert breaker.why_not(3 + COOL_OFF_MS - 1) != ""
    now = 3 + COOL_OFF_MS
    assert breaker.why_not(now) == ""
    breaker.begin(now)
    assert breaker.why_not(now + 1) != ""  # the trial is on its way
    breaker.failed(now + 2)
    assert breaker.why_not(now + COOL_OFF_MS) != ""
    breaker.trial()
    assert breaker.why_not(now + 10) == ""
    breaker.begin(now + 10)
    breaker.failed(now + 11)
    assert breaker.why_not(now + 12) != ""  # by hand it was one trial, not three
    breaker.trial()
    breaker.succeeded()
    breaker.failed(now + 20)
    assert breaker.why_not(now + 21) == ""


def test_a_model_that_always_fails_is_asked_three_times_not_a_hundred() -> None:
    model = ScriptedModel(script=[Server("boom", status=500) for _ in range(100)])
    bench = Bench(DOST, utility=model)
    texts: list[str] = []
    for turn in range(8):
        texts += [f"Question {turn} " + apples(80)]
        memory = bench.open(chat(*texts))
        assert run(bench.engine.prepare(memory)).messages[-1].content == texts[-1]
        texts += [f"Answer {turn} " + apples(80)]
        run(bench.engine.after_answer(bench.open(chat(*texts))))
    assert len(model.calls) == 3
    bench.clock.advance(COOL_OFF_MS)
    for turn in range(8, 11):
        texts += [f"Question {turn} " + apples(80)]
        run(bench.engine.prepare(bench.open(chat(*texts))))
        texts += [f"Answer {turn} " + apples(80)]
    assert len(model.calls) == 4


def test_a_summary_that_takes_too_long_is_not_waited_for() -> None:
    async def story() -> None:
        model = ScriptedModel(script=[Reply(["late"], gate=asyncio.Event())])
        bench = Bench(DOST, utility=model)
        memory = bench.open(chat("The door is blue. " + apples(200), apples(200), "And?"))
        states: list[tuple[str, bool]] = []

        def on_state(state: str, can_skip: bool = False) -> None:
            states.append((state, can_skip))

        task = asyncio.ensure_future(bench.engine.prepare(memory, on_state=on_state))
        await settle()
        assert not task.done() and bench.engine.busy("c")
        bench.clock.advance(30_000)
        prepared = await task
        assert states == [("folding", True), ("preparing", False)]
        assert prepared.messages[-1].content == "And?" and model.calls[0].closed
        assert memory.current is not None and memory.current.used_fallback
        assert bench.usage[-1].outcome == "stopped"
        await settle()
        assert not bench.engine.busy("c")
        assert bench.clock.sleeping == 0

    run(story())


def test_skip_ends_the_wait_for_the_model() -> None:
    async def story() -> None:
        model = ScriptedModel(script=[Reply(["late"], gate=asyncio.Event())])
        bench = Bench(DOST, utility=model)
        memory = bench.open(chat("The door is blue. " + apples(200), apples(200), "And?"))
        assert bench.engine.skip("c") is False
        task = asyncio.ensure_future(bench.engine.prepare(memory))
        await settle()
        assert bench.engine.skip("c") is True
        await task
        assert memory.current is not None and "blue" in memory.current.text
        run_again = await bench.engine.after_answer(memory)
        assert run_again.status == "nothing" and len(model.calls) == 1

    run(story())


def test_stop_while_folding_writes_nothing() -> None:
    async def story() -> None:
        model = ScriptedModel(script=[Reply(["late"], gate=asyncio.Event())])
        bench = Bench(DOST, utility=model)
        memory = bench.open(chat(apples(200), apples(200), "And?"))
        task = asyncio.ensure_future(bench.engine.prepare(memory))
        await settle()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert len(memory.ledger) == 0 and not bench.shelf.entries and model.calls[0].closed
        assert not bench.engine.busy("c")

    run(story())


def test_a_lock_that_another_tab_never_gives_back_holds_no_answer_up() -> None:
    async def story() -> None:
        locks = FakeLocks()
        held = await locks.acquire("pleat.fold.c")
        bench = Bench(DOST, utility=ScriptedModel(default="Notes."), locks=locks)
        memory = bench.open(chat("The door is blue. " + apples(200), apples(200), "And?"))
        assert (await bench.engine.compact(memory, "auto")).status == "busy"
        task = asyncio.ensure_future(bench.engine.prepare(memory))
        await settle()
        assert not task.done()
        bench.clock.advance(31_000)
        prepared = await task
        assert prepared.messages[-1].content == "And?"
        assert memory.current is not None and "blue" in memory.current.text
        assert held is not None
        held()
        await settle()
        assert await locks.held("pleat.fold") == set()  # what came too late was given back

    run(story())


def test_an_answer_does_not_wait_long_for_a_fold_by_hand_either() -> None:
    async def story() -> None:
        model = ScriptedModel(script=[Reply(["late"], gate=asyncio.Event())])
        bench = Bench(DOST, utility=model)
        memory = bench.open(chat(*(apples(110) for _ in range(6)), "And?"))
        by_hand = asyncio.ensure_future(bench.engine.compact(memory, "manual"))
        await settle()
        answer = asyncio.ensure_future(bench.engine.prepare(memory))
        await settle()
        assert not answer.done() and len(model.calls) == 1
        bench.clock.advance(31_000)
        assert (await answer).messages[-1].content == "And?"
        assert (await by_hand).status == "folded"

    run(story())


def test_never_wait_aborts_the_fold_in_flight_after_committing_its_own() -> None:
    async def story() -> None:
        model = ScriptedModel(
            script=[Reply(["late"], gate=asyncio.Event())], default="Notes on it."
        )
        bench = Bench(MemorySettings(context_size=1024), utility=model)
        memory = bench.open(chat(*(apples(115) for _ in range(6))))
        background = asyncio.ensure_future(bench.engine.after_answer(memory))
        await settle()
        assert bench.engine.busy("c") and len(model.calls) == 1
        memory.append(chat(*(["x"] * 6), "And? " + apples(100))[6])
        prepared = await bench.engine.prepare(memory)  # the clock has not moved
        assert prepared.messages[-1].content.endswith(apples(100))
        assert (await background).status == "cancelled" and model.calls[0].closed
        assert memory.current is not None and memory.current.provisional

    run(story())


class BrokenShelf(FoldShelf):
    """Storage that fails in every way."""

    async def counters(self, conversation_id: str) -> tuple[int, int] | None:
        """Fail."""
        raise OSError("storage is gone")


@pytest.mark.parametrize("preset", ["pleat", "minisearch", "dost", "switchboard"])
def test_storage_that_fails_holds_no_answer_up(preset: str) -> None:
    settings = MemorySettings(context_size=1024, policy=make_policy(preset))
    bench = Bench(settings, shelf=BrokenShelf(), utility=ScriptedModel(default="Notes."))
    memory = bench.open(chat(apples(500), apples(500), "And?"))
    prepared = run(bench.engine.prepare(memory))
    assert prepared.messages[-1].content == "And?" and prepared.account["total"] <= 768
    assert not bench.engine.busy("c")


def test_locks_that_are_not_to_be_had_change_nothing() -> None:
    class NoLocks(FakeLocks):
        async def acquire(self, name: str, *, wait: bool = True):  # type: ignore[no-untyped-def]
            raise OSError("no locks here")

    bench = Bench(DOST, locks=NoLocks(), utility=ScriptedModel(default="Notes about the door."))
    memory = bench.open(chat(apples(200), apples(200), "And?"))
    run(bench.engine.prepare(memory))
    assert memory.current is not None and not memory.current.used_fallback


def test_a_stated_context_of_the_utility_model_is_remembered() -> None:
    model = ScriptedModel(script=[ContextOverflow("long", limit=4096)], default="Notes on apples.")
    bench = Bench(MemorySettings(context_size=8192), utility=model, utility_context=100_000)
    memory = bench.open(chat(*(apples(900) for _ in range(6))))
    assert run(bench.engine.compact(memory, "auto")).used_fallback
    more = bench.open(chat(*(apples(900) for _ in range(12)), "And?", "Yes."))
    assert not run(bench.engine.compact(more, "auto")).used_fallback
    assert len(model.calls) > 2
    for call in model.calls[1:]:
        assert sum(bench.counter.texts([m.content for m in call.messages])) < 4096
    assert isinstance(bench.clock, FakeClock)
