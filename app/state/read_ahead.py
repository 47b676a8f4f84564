"""Reading ahead: the model inside the page reads the next request's beginning while it is idle.

After a fold the prompt begins otherwise than what the model has in its memory, and after an answer
the last question stands there without the passages that were recalled for it; read now, neither
need be waited for after the next question. Any question stops it.
"""

from __future__ import annotations

import asyncio

from app.state.desk import Desk
from app.state.open_conversation import OpenConversation

QUIET = 300  # milliseconds of idleness before it begins


class ReadAhead:
    """At most one at a time."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._task: asyncio.Task[None] | None = None

    def soon(self, opened: OpenConversation) -> None:
        """The beginning of this conversation's next request has changed."""
        self.stop()
        if self._desk.models.can_read_ahead() and opened is self._desk.shown:
            self._task = self._desk.spawn(self._read(opened))

    def stop(self) -> None:
        """Somebody asks."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _read(self, opened: OpenConversation) -> None:
        await self._desk.clock.sleep(QUIET)
        if opened is self._desk.shown and not opened.busy:
            payload = self._desk.engine.preview(self._desk.memory(opened))
            await self._desk.models.read_ahead(payload.messages)
