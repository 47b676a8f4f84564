"""One fold at a time for each conversation: in this tab by a task, across tabs by a lock."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from app.memory.ledger import Trigger
from app.memory.ports import Locks
from app.memory.results import CompactResult


class Flights:
    """The folds in flight in this tab. Each can be aborted, or its wait for the model skipped."""

    def __init__(self, locks: Locks) -> None:
        self._locks = locks
        self._tasks: dict[str, asyncio.Task[CompactResult]] = {}
        self._skips: dict[str, asyncio.Event] = {}

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
        """Do not wait for the model: the fold in flight ends without it."""
        event = self._skips.get(conversation_id)
        if event is None:
            return False
        event.set()
        return True

    def skipped(self, conversation_id: str) -> asyncio.Event | None:
        """The event that a Skip sets for the fold in flight."""
        return self._skips.get(conversation_id)

    async def alone(
        self, conversation_id: str, trigger: Trigger, work: Callable[[], Awaitable[CompactResult]]
    ) -> CompactResult:
        """Run ``work`` as the conversation's only fold. An ``auto`` one does not queue."""
        while self.busy(conversation_id):
            if trigger == "auto":
                return CompactResult("busy", reason="A fold is running already.")
            await asyncio.wait({self._tasks[conversation_id]})

        async def run() -> CompactResult:
            release = await self._locks.acquire(
                f"pleat.fold.{conversation_id}", wait=trigger != "auto"
            )
            if release is None:
                reason = "Another tab is folding this conversation."
                return CompactResult("busy", reason=reason)
            try:
                return await work()
            finally:
                release()

        self._skips[conversation_id] = asyncio.Event()
        task = asyncio.ensure_future(run())
        self._tasks[conversation_id] = task
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
                self._skips.pop(conversation_id, None)
