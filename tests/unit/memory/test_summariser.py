"""One call for a summary: its reply, its deadline, its Skip, and that its request is closed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest

from app.memory.summariser import Skipped, ask
from app.models.errors import Server, TimedOut
from app.models.port import Delta, WireMessage
from tests.support.fakes import FakeClock, Reply, ScriptedModel, settle
from tests.unit.run import run

ASKED = [WireMessage("user", "Write the notes.")]


class Stream:
    """Deltas that come from no generator: only ``aclose`` ends its request."""

    def __init__(self, deltas: Sequence[Delta | Exception]) -> None:
        self.deltas, self.closed = list(deltas), 0

    def __aiter__(self) -> AsyncIterator[Delta]:
        return self

    async def __anext__(self) -> Delta:
        if not self.deltas:
            raise StopAsyncIteration
        delta = self.deltas.pop(0)
        if isinstance(delta, Exception):
            raise delta
        return delta

    async def aclose(self) -> None:
        self.closed += 1


class Streams:
    """A model with one such stream."""

    name = "streams"

    def __init__(self, *deltas: Delta | Exception) -> None:
        self.made = Stream(deltas)

    def stream(
        self,
        messages: Sequence[WireMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> Stream:
        return self.made


def held() -> ScriptedModel:
    """A model that begins its reply and never ends it."""
    return ScriptedModel(script=[Reply(["Hens", "."], gate=asyncio.Event(), gate_after=1)])


def test_the_pieces_of_a_reply_are_joined_and_its_finish_is_kept() -> None:
    model = Streams(Delta(text="Ada "), Delta(text="keeps hens.", finish="length"), Delta())
    assert run(ask(model, ASKED, 10, clock=FakeClock(), wait_ms=1)) == (
        "Ada keeps hens.",
        "length",
    )


def test_the_model_is_asked_once_for_its_likeliest_words_within_the_limit() -> None:
    model = ScriptedModel(script=[Reply(["Hens."], reasoning="hm")])
    assert run(ask(model, ASKED, 77, clock=FakeClock(), wait_ms=1)) == ("Hens.", "stop")
    [call] = model.calls
    assert (call.messages, call.max_tokens, call.temperature) == (ASKED, 77, 0.0)


@pytest.mark.parametrize("fault", [None, Server("down")])
def test_a_request_is_closed_once_however_it_ends(fault: Exception | None) -> None:
    model = Streams(Delta(text="Hens."), *([fault] if fault else []))
    if fault is None:
        run(ask(model, ASKED, 10, clock=FakeClock(), wait_ms=1))
    else:
        with pytest.raises(Server):
            run(ask(model, ASKED, 10, clock=FakeClock(), wait_ms=1))
    assert model.made.closed == 1


@pytest.mark.parametrize("can_skip", [False, True])
def test_a_reply_that_takes_too_long_is_given_up_at_the_deadline(can_skip: bool) -> None:
    async def story() -> None:
        model, clock = held(), FakeClock()
        skip = asyncio.Event() if can_skip else None
        asked = asyncio.ensure_future(ask(model, ASKED, 10, clock=clock, wait_ms=1_500, skip=skip))
        await settle()
        clock.advance(1_499)
        await settle()
        assert not asked.done()
        clock.advance(1)
        with pytest.raises(TimedOut) as late:
            await asked
        assert (late.value.seconds, late.value.detail) == (1.5, "the summary took too long")

    run(story())


def test_the_request_is_over_when_the_deadline_is_told() -> None:
    async def story() -> None:
        model = held()
        with pytest.raises(TimedOut):
            await ask(model, ASKED, 10, clock=FakeClock(auto=True), wait_ms=5)
        assert model.calls[0].closed  # at once, not a moment later

    run(story())


def test_nobody_is_asked_when_the_wait_was_skipped_before_it_began() -> None:
    async def story() -> None:
        model, skip = ScriptedModel(), asyncio.Event()
        skip.set()
        with pytest.raises(Skipped):
            await ask(model, ASKED, 10, clock=FakeClock(), wait_ms=5, skip=skip)
        assert model.calls == []

    run(story())


def test_a_stop_closes_the_request() -> None:
    async def story() -> None:
        model = held()
        asked = asyncio.ensure_future(ask(model, ASKED, 10, clock=FakeClock(), wait_ms=5))
        await settle()
        asked.cancel()
        await asyncio.wait({asked})
        assert asked.cancelled() and model.calls[0].closed

    run(story())
