"""One fold at a time for each conversation: in this tab by a task, across tabs by a lock.

A Skip, or the deadline of an answer that waits, ends every wait here: for the model, for another
fold, for another tab's lock. Going on without the lock is safe; the commit's rules decide.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from app.memory.ledger import Trigger
from app.memory.ports import Clock, Locks
from app.memory.results import CompactResult

Release = Callable[[], None]


class Flights:
    """The folds in flight in this tab. Each can be aborted, or its wait for the model skipped."""

    def __init__(self, locks: Locks, clock: Clock) -> None:
        self._locks, self._clock = locks, clock
        self._tasks: dict[str, asyncio.Task[CompactResult]] = {}
        self._running: dict[str, asyncio.Event] = {}  # the Skip of the fold in flight
        self._skips: dict[str, list[asyncio.Event]] = {}  # and of those that wait for it

    def busy(self, conversation_id: str) -> bool:
        """Whether this tab folds the conversation now."""
        task = self._tasks.get(conversation_id)
        return task is not None and not task.done()

    def abort(self, conversation_id: str) -> bool:
        """Stop the fold in flight; what it has committed stays. False when there is none."""
        task = self._tasks.get(conversation_id)
        if task is None or task.done():
            return False
        task.cancel()
        return True

    def skip(self, conversation_id: str) -> bool:
        """Wait for nothing any longer: the folds of the conversation end without a model."""
        events = self._skips.get(conversation_id, [])
        for event in events:
            event.set()
        return bool(events)

    def skipped(self, conversation_id: str) -> asyncio.Event | None:
        """The event that a Skip sets for the fold in flight."""
        return self._running.get(conversation_id)

    async def alone(
        self,
        conversation_id: str,
        trigger: Trigger,
        work: Callable[[], Awaitable[CompactResult]],
        *,
        within_ms: float | None = None,
    ) -> CompactResult:
        """Run ``work`` as the conversation's only fold. An ``auto`` one does not queue.

        ``within_ms``: after so long the wait is skipped, whatever it is for.
        """
        skip = asyncio.Event()
        self._skips.setdefault(conversation_id, []).append(skip)
        deadline = (
            asyncio.ensure_future(self._expire(conversation_id, within_ms))
            if within_ms is not None
            else None
        )
        try:
            while self.busy(conversation_id):
                if trigger == "auto":
                    return CompactResult("busy", reason="A fold is running already.")
                await asyncio.wait({self._tasks[conversation_id]})
            return await self._fly(conversation_id, trigger, work, skip)
        finally:
            if deadline is not None:
                deadline.cancel()
            self._skips[conversation_id].remove(skip)
            if not self._skips[conversation_id]:
                del self._skips[conversation_id]

    async def _fly(
        self,
        conversation_id: str,
        trigger: Trigger,
        work: Callable[[], Awaitable[CompactResult]],
        skip: asyncio.Event,
    ) -> CompactResult:
        async def run() -> CompactResult:
            release = await self._lock(conversation_id, trigger, skip)
            if release is None:
                reason = "Another tab is folding this conversation."
                return CompactResult("busy", reason=reason)
            try:
                return await work()
            finally:
                release()

        task = asyncio.ensure_future(run())
        self._tasks[conversation_id], self._running[conversation_id] = task, skip
        try:
            await asyncio.wait({task})
            if task.cancelled():
                return CompactResult("cancelled", reason="The fold was stopped.")
            return task.result()
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            raise
        finally:
            if self._tasks.get(conversation_id) is task:
                del self._tasks[conversation_id]
                del self._running[conversation_id]

    async def _lock(
        self, conversation_id: str, trigger: Trigger, skip: asyncio.Event
    ) -> Release | None:
        """The other tabs' lock; None when an ``auto`` fold finds it taken."""
        asking = asyncio.ensure_future(
            self._locks.acquire(f"pleat.fold.{conversation_id}", wait=trigger != "auto")
        )
        skipped = asyncio.ensure_future(skip.wait())
        try:
            await asyncio.wait({asking, skipped}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            skipped.cancel()
            if not asking.done():  # it may be granted later, when nobody wants it any more
                asking.add_done_callback(_give_back)
        if not asking.done() or asking.exception() is not None:
            return _nothing
        return asking.result()

    async def _expire(self, conversation_id: str, milliseconds: float) -> None:
        await self._clock.sleep(milliseconds)
        self.skip(conversation_id)


def _nothing() -> None:
    """The release of a lock that was not taken."""


def _give_back(asking: asyncio.Task[Release | None]) -> None:
    if asking.cancelled() or asking.exception() is not None:
        return
    release = asking.result()
    if release is not None:
        release()
