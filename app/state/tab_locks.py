"""Named locks within this tab, for pages that have none across tabs.

They save double work in this tab; nothing rests on them.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable


class TabLocks:
    """``Locks`` that reach no other tab (so ``held`` does not know)."""

    def __init__(self) -> None:
        self._held: dict[str, object] = {}
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    async def acquire(self, name: str, *, wait: bool = True) -> Callable[[], None] | None:
        """Take the lock; its release, or None when it is taken and ``wait`` is False."""
        while name in self._held:
            if not wait:
                return None
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.setdefault(name, deque()).append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self._wake(name)  # the turn was ours, and goes to the next
                raise
        token = object()
        self._held[name] = token

        def release() -> None:
            if self._held.get(name) is token:
                del self._held[name]
                self._wake(name)

        return release

    async def held(self, prefix: str) -> set[str] | None:
        """Other tabs are out of sight."""
        return None

    def _wake(self, name: str) -> None:
        waiting = self._waiting.get(name, deque())
        while waiting:
            turn = waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                break
        if not waiting:
            self._waiting.pop(name, None)
