"""What a person does to the memory of the shown conversation: fold, undo, rebuild, edit, look."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from app.memory.engine import ConversationMemory
from app.memory.results import CompactResult
from app.state.desk import Desk

Progress = Callable[[int, int], None]
Act = Callable[[ConversationMemory, Progress], Coroutine[Any, Any, CompactResult]]
STOPPED = "Stopped: {} of {} messages are folded, the others stay word for word."


class MemoryIntents:
    """The part of the session's intents that ask the memory engine."""

    _desk: Desk

    async def summarize_and_continue(self) -> dict[str, Any]:
        """Fold all but the last turns now; Stop keeps what is folded by then."""
        engine = self._desk.engine
        return await self._compact(lambda m, told: engine.compact(m, "manual", progress=told))

    async def undo_fold(self) -> dict[str, Any]:
        """Back to the memory before the last fold."""
        return await self._compact(lambda m, _: self._desk.engine.undo(m))

    async def rebuild(self) -> dict[str, Any]:
        """Fold the originals again."""
        return await self._compact(self._desk.engine.rebuild)

    async def edit_summary(self, text: str, fold_id: str | None = None) -> dict[str, Any]:
        """The summary, written by hand over the text of that fold (None: of the newest)."""
        return await self._compact(lambda m, _: self._desk.engine.edit(m, text, fold_id))

    async def _compact(self, act: Act) -> dict[str, Any]:
        opened = self._desk.shown
        if opened is None or not opened.stored:
            return {"status": "nothing", "reason": "There is nothing to fold yet."}
        if opened.busy:
            self._desk.state.notify.say("Wait for the answer, then fold.", "warning")
            return {"status": "busy", "reason": "An answer is on its way."}
        done: asyncio.Future[CompactResult] = asyncio.get_running_loop().create_future()

        came = (0, 0)

        def progress(messages: int, total: int) -> None:
            nonlocal came
            came = (messages, total)
            self._desk.show_busy(opened, "folding", progress=came)

        async def work() -> None:
            memory = self._desk.memory(opened)
            try:
                done.set_result(await act(memory, progress))
                if opened.memory is not memory:  # settings changed meanwhile
                    opened.folds, opened.memory = list(iter(memory.ledger)), None
            finally:
                if not done.done():
                    done.set_result(CompactResult("cancelled"))
                self._desk.show_busy(opened, "idle")

        self._desk.show_busy(opened, "folding")
        opened.stopping = False
        opened.task = self._desk.spawn(work())
        await asyncio.wait([opened.task])
        self._desk.show_busy(opened, "idle")
        self._desk.show_thread(opened)
        self._desk.show_memory(opened)
        result = done.result() if done.done() else CompactResult("cancelled")
        if result.status == "cancelled" and 0 < came[0] < came[1]:
            self._desk.state.notify.say(STOPPED.format(*came))
        if result.status not in ("folded", "cancelled") and result.reason:
            self._desk.state.notify.say(result.reason)
        return {"status": result.status, "fold_id": result.fold_id, "reason": result.reason}

    def fold_history(self, fold_id: str) -> list[dict[str, Any]]:
        """An entry's summary against the one before it, line by line: ``{"change", "text"}``."""
        opened = self._desk.shown
        return (
            [] if opened is None else self._desk.engine.history(self._desk.memory(opened), fold_id)
        )

    async def request_view(self) -> dict[str, Any]:
        """The exact next request, with each message's state and reason."""
        opened = self._desk.shown
        if opened is None:
            return {"messages": [], "states": []}
        return dict(self._desk.engine.request_view(self._desk.memory(opened)))
