"""Stop: each task is told once, and none is forgotten."""

from __future__ import annotations

import asyncio

from app.conversation.tree import Conversation
from app.state.open_conversation import OpenConversation, stop
from tests.support.fakes import settle
from tests.unit.run import run


class Stubborn:
    """Work that counts how often it is cancelled, and ends only when it may."""

    def __init__(self) -> None:
        self.cancelled = 0
        self.may_end = asyncio.Event()

    async def work(self) -> None:
        while not self.may_end.is_set():
            try:
                await self.may_end.wait()
            except asyncio.CancelledError:
                self.cancelled += 1


def test_a_second_stop_tells_no_task_twice_and_leaves_none_out() -> None:
    async def work() -> None:
        answer, fold = Stubborn(), Stubborn()
        opened = OpenConversation(Conversation("c"))
        opened.task = asyncio.create_task(answer.work())
        await settle()
        first = asyncio.create_task(stop(opened))
        await settle()
        stopping, told = opened.stopping, answer.cancelled
        opened.folding = asyncio.create_task(fold.work())  # begun after Stop
        await settle()
        second = asyncio.create_task(stop(opened))
        third = asyncio.create_task(stop(opened))
        await settle()
        waiting = not (first.done() or second.done() or third.done())
        answer.may_end.set()  # before anything is judged: a failure must not hang
        fold.may_end.set()
        await asyncio.gather(first, second, third)
        assert stopping
        assert told == 1
        assert waiting  # each Stop waits for the end
        assert (answer.cancelled, fold.cancelled) == (1, 1)

    run(work())


def test_a_fold_that_begins_after_a_stop_and_hangs_is_ended_by_the_next() -> None:
    async def work() -> None:
        opened = OpenConversation(Conversation("c"))
        opened.task = asyncio.create_task(asyncio.Event().wait())  # type: ignore[arg-type]
        await settle()
        await stop(opened)
        assert opened.stopping
        opened.folding = asyncio.create_task(asyncio.Event().wait())  # type: ignore[arg-type]
        await settle()
        async with asyncio.timeout(5):  # a hang is a failure
            await stop(opened)
        assert opened.folding.cancelled()
        assert not opened.busy

    run(work())
