"""Tests can run coroutines on a loop of their own while another loop is running."""

from __future__ import annotations

import asyncio

import pytest

from tests.unit.run import run, step_through


async def sum_of_naps() -> int:
    async def nap(seconds: float) -> float:
        await asyncio.sleep(seconds)
        return seconds

    tasks = [asyncio.create_task(nap(n)) for n in (3600, 0, 60)]
    await asyncio.wait(tasks)
    return int(sum(t.result() for t in tasks))


def test_time_is_virtual_and_tasks_run_to_their_end() -> None:
    assert step_through(sum_of_naps()) == 3660


def test_inside_a_running_loop_the_outer_one_is_left_as_it_was() -> None:
    async def outer() -> tuple[int, bool]:
        task = asyncio.current_task()
        inner = run(sum_of_naps())
        await asyncio.sleep(0)
        return inner, asyncio.current_task() is task

    assert step_through(outer()) == (3660, True)


def test_a_timeout_strikes_and_cancels() -> None:
    async def late() -> str:
        try:
            async with asyncio.timeout(5):
                await asyncio.Event().wait()
        except TimeoutError:
            return "late"
        return "never"

    assert step_through(late()) == "late"


def test_what_never_ends_is_told() -> None:
    async def waits() -> None:
        await asyncio.Event().wait()

    async def spins() -> None:
        while True:  # noqa: ASYNC110 (this is what must be noticed)
            await asyncio.sleep(0)

    with pytest.raises(RuntimeError, match="nobody will finish"):
        step_through(waits())
    with pytest.raises(RuntimeError, match="not done after 100"):
        step_through(spins(), max_steps=100)


def test_an_exception_passes_through_and_tasks_left_behind_are_cancelled() -> None:
    cancelled: list[bool] = []

    async def left_behind() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(True)
            raise

    async def fails() -> None:
        task = asyncio.create_task(left_behind())
        await asyncio.sleep(0)
        assert not task.done()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        step_through(fails())
    assert cancelled == [True]
