"""Which tabs are alive, so that an answer whose tab is gone is known to have stopped.

Each tab holds a Web Lock under its own name; where there are no locks across tabs it writes a
heartbeat into localStorage while it answers.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from app.memory.ports import Clock
from app.state.local_values import LocalValues
from app.state.ports import Locks

PREFIX = "pleat.tab."
BEAT = 2000  # milliseconds between two heartbeats
SILENCE = 3 * BEAT  # without one for so long, a tab counts as gone


class Tabs:
    """This tab's sign of life, and a look at the others'."""

    def __init__(self, tab: str, locks: Locks, values: LocalValues, clock: Clock) -> None:
        self._tab = tab
        self._locks = locks
        self._values = values
        self._clock = clock
        self._answering = 0
        self._beats = False
        self.release: Callable[[], None] | None = None

    async def start(self) -> None:
        """Take this tab's lock for as long as the tab lives; sweep old heartbeats."""
        self.release = await self._locks.acquire(PREFIX + self._tab, wait=False)
        for key in self._values.keys(PREFIX):
            if not self._beating(key):
                self._values.set_text(key, None)

    async def alive(self, tab: str) -> bool:
        """Whether a tab lives (this one always does)."""
        if tab == self._tab:
            return True
        held = await self._locks.held(PREFIX)
        if held is not None:
            return PREFIX + tab in held
        return self._beating(PREFIX + tab)

    def beat(self) -> Coroutine[Any, Any, None]:
        """Give signs of life until as many ``rest``; needed only where locks reach no other tab."""
        self._answering += 1  # at once: the answer may end before the first beat
        return self._beat()

    async def _beat(self) -> None:
        if await self._locks.held(PREFIX) is not None or self._beats:
            return
        self._beats = True  # one loop for all answers
        try:
            while self._answering:
                self._values.set_text(PREFIX + self._tab, str(self._clock.now()))
                await self._clock.sleep(BEAT)
        finally:
            self._beats = False
            self._values.set_text(PREFIX + self._tab, None)

    def rest(self) -> None:
        """One answer less that comes here."""
        self._answering = max(0, self._answering - 1)

    def _beating(self, key: str) -> bool:
        text = self._values.text(key) or ""
        return text.isdecimal() and self._clock.now() - int(text[:16]) < SILENCE
