"""One fold at a time: who waits, who does not, and what is left behind: nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from app.memory.flights import Flights
from app.memory.results import CompactResult
from tests.support.fakes import FakeClock, FakeLocks, settle
from tests.unit.run import run

DONE = CompactResult("folded")


def flights() -> Flights:
    """Those of a tab that has locks and a clock of its own."""
    return Flights(FakeLocks(), FakeClock())


async def at_once() -> CompactResult:
    """A fold that has nothing to wait for."""
    return DONE


def until(event: asyncio.Event) -> Callable[[], Any]:
    """A fold that is done when the event is set."""

    async def work() -> CompactResult:
        await event.wait()
        return DONE

    return work


def test_a_background_fold_does_not_queue_behind_another() -> None:
    async def story() -> None:
        tab, end = flights(), asyncio.Event()
        first = asyncio.ensure_future(tab.alone("c", "manual", until(end)))
        await settle()
        found = await tab.alone("c", "auto", at_once)
        assert found == CompactResult("busy", reason="A fold is running already.")
        assert await tab.alone("d", "auto", at_once) == DONE  # another chat is another matter
        end.set()
        assert await first == DONE

    run(story())


def test_a_fold_can_be_stopped_while_it_runs_and_only_then() -> None:
    async def story() -> None:
        tab = flights()
        assert tab.abort("c") is False
        fold = asyncio.ensure_future(tab.alone("c", "manual", until(asyncio.Event())))
        await settle()
        assert tab.busy("c") is True and tab.abort("c") is True
        assert await fold == CompactResult("cancelled", reason="The fold was stopped.")
        assert tab.busy("c") is False and tab.abort("c") is False

    run(story())


def test_a_skip_reaches_those_that_fold_and_those_that_wait_and_nobody_later() -> None:
    async def story() -> None:
        tab, ends = flights(), [asyncio.Event(), asyncio.Event()]
        folds = [asyncio.ensure_future(tab.alone("c", "manual", until(end))) for end in ends]
        await settle()
        running = tab.skipped("c")
        assert running is not None and not running.is_set()
        ends[0].set()
        assert await folds[0] == DONE
        await settle()
        waited = tab.skipped("c")
        assert waited is not None and waited is not running
        assert tab.skip("c") is True
        assert waited.is_set() and not running.is_set()
        ends[1].set()
        assert await folds[1] == DONE
        assert tab.skipped("c") is None and tab.skip("c") is False

    run(story())


def test_a_fold_leaves_no_task_behind() -> None:
    async def story() -> None:
        tab = flights()
        assert await tab.alone("c", "manual", at_once, within_ms=1000) == DONE
        await settle()
        assert asyncio.all_tasks() == {asyncio.current_task()}

    run(story())


def test_who_is_cancelled_ends_so_whatever_the_fold_says_to_it() -> None:
    async def story() -> None:
        tab = flights()

        async def stubborn() -> CompactResult:
            try:
                await asyncio.Event().wait()
            finally:
                raise ValueError("no")

        fold = asyncio.ensure_future(tab.alone("c", "manual", stubborn))
        await settle()
        fold.cancel()
        with pytest.raises(asyncio.CancelledError):
            await fold
        assert tab.busy("c") is False and tab.skipped("c") is None

    run(story())


def test_a_fold_that_waited_keeps_its_place_when_the_one_before_it_is_cancelled() -> None:
    async def story() -> None:
        tab, end = flights(), asyncio.Event()
        first = asyncio.ensure_future(tab.alone("c", "manual", until(asyncio.Event())))
        await settle()
        second = asyncio.ensure_future(tab.alone("c", "manual", until(end)))
        await settle()
        first.cancel()
        await settle()
        assert first.cancelled()
        assert tab.busy("c") is True and tab.skipped("c") is not None
        end.set()
        assert await second == DONE
        assert tab.busy("c") is False and tab.skipped("c") is None

    run(story())


class Failing(FakeLocks):
    """Locks that the browser refuses, after a while."""

    def __init__(self) -> None:
        super().__init__()
        self.refuse = asyncio.Event()

    async def acquire(self, name: str, *, wait: bool = True) -> Callable[[], None] | None:
        """Wait, then fail."""
        await self.refuse.wait()
        raise ValueError("no locks here")


def test_a_lock_that_fails_after_a_skip_is_nobodys_fault_any_more() -> None:
    async def story() -> None:
        locks = Failing()
        tab = Flights(locks, FakeClock())
        complaints: list[object] = []
        loop = asyncio.get_running_loop()
        loop.call_exception_handler = lambda context: complaints.append(context)  # type: ignore[method-assign]
        fold = asyncio.ensure_future(tab.alone("c", "manual", at_once))
        await settle()
        assert tab.skip("c") is True
        assert await fold == DONE  # without the lock
        locks.refuse.set()
        await settle()
        assert complaints == []

    run(story())
