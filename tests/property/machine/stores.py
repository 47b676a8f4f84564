"""What the tabs of the machine run on: one store, with a door for each tab that can be shut.

A shut door stops a tab's call before it reaches the store, or after it has been done but before
the tab hears of it; so a fold can be held at each of its waits while others go on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from app.state.memory_store import MemoryStore
from app.state.ports import Change, Changed, Record, StoreName
from tests.support.fakes import FakeLocks


class Door:
    """One tab's way to the shared store. ``shut`` holds each call; ``broken``: the tab is gone."""

    def __init__(
        self, store: MemoryStore, wrote: Callable[[Change, Callable[[], Changed]], Changed]
    ) -> None:
        self.store = store
        self.shut = False
        self.shut_after: int | None = None  # so many calls go through before it shuts
        self.broken = False
        self.waiting: list[asyncio.Future[None]] = []
        self._wrote = wrote

    async def _pass(self) -> None:
        if self.broken:
            raise asyncio.CancelledError
        if self.shut_after is not None:
            self.shut_after -= 1
            if self.shut_after < 0:
                self.shut, self.shut_after = True, None
        if self.shut:
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self.waiting.append(future)
            await future
        if self.broken:
            raise asyncio.CancelledError

    def let(self, number: int) -> None:
        """Let one of those through that wait (any of them: answers of a store may overtake)."""
        self.waiting = [each for each in self.waiting if not each.done()]
        if self.waiting:
            self.waiting.pop(number % len(self.waiting)).set_result(None)

    def open(self) -> None:
        """Let all through, and those that come."""
        self.shut, self.shut_after = False, None
        while any(not each.done() for each in self.waiting):
            self.let(0)

    async def _through(self, work: Callable[[], Any]) -> Any:
        await self._pass()
        result = work()
        await self._pass()
        return result

    async def all(self, store: StoreName) -> list[Record]:
        """As ``MemoryStore``."""
        records = await self.store.all(store)
        return await self._through(lambda: records)

    async def of(self, store: StoreName, conversation_id: str) -> list[Record]:
        """As ``MemoryStore``."""
        await self._pass()
        records = await self.store.of(store, conversation_id)
        await self._pass()
        return records

    async def get(self, store: StoreName, id: str) -> Record | None:
        """As ``MemoryStore``."""
        await self._pass()
        record = await self.store.get(store, id)
        await self._pass()
        return record

    async def apply(self, change: Change) -> Changed:
        """As ``MemoryStore``; the machine looks at each change as it is made."""
        return await self._through(
            lambda: self._wrote(change, lambda: self.store.apply_now(change))
        )

    async def set_aside(self, store: StoreName, record: Record, at: int) -> None:
        """As ``MemoryStore``."""
        await self._pass()
        await self.store.set_aside(store, record, at)
        await self._pass()

    async def purge(self, conversation_ids: Sequence[str]) -> None:
        """As ``MemoryStore``."""
        await self._pass()
        await self.store.purge(conversation_ids)
        await self._pass()

    async def forget(self, conversation_ids: Sequence[str]) -> None:
        """As ``MemoryStore``."""
        await self._pass()
        await self.store.forget(conversation_ids)
        await self._pass()


class TabLocks:
    """The shared locks as one tab sees them: they are free when the tab is gone."""

    def __init__(self, shared: FakeLocks, absent: bool) -> None:
        self._shared = shared
        self._absent = absent  # this browser has no locks across tabs
        self._own = FakeLocks()
        self._held: list[Callable[[], None]] = []

    async def acquire(self, name: str, *, wait: bool = True) -> Callable[[], None] | None:
        """As ``FakeLocks``."""
        locks = self._own if self._absent else self._shared
        release = await locks.acquire(name, wait=wait)
        if release is not None:
            self._held.append(release)
        return release

    async def held(self, prefix: str) -> set[str] | None:
        """As ``FakeLocks``; unknown where there are none."""
        return None if self._absent else await self._shared.held(prefix)

    def gone(self) -> None:
        """The tab has been closed."""
        for release in self._held:
            release()
