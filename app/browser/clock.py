"""Time and ids from the runtime: nothing slow to import, and fit for pages without https."""

from __future__ import annotations

import asyncio
import os
import time

BATCH = 64


class SystemClock:
    """A ``Clock``, in milliseconds."""

    def now(self) -> int:
        """Milliseconds since 1970."""
        return int(time.time() * 1000)

    def elapsed(self) -> float:
        """Milliseconds, never going back."""
        return time.monotonic() * 1000

    async def sleep(self, milliseconds: float) -> None:
        """Wait."""
        await asyncio.sleep(max(0.0, milliseconds) / 1000)


class RandomIds:
    """``Ids`` of 128 random bits (``crypto.getRandomValues`` behind ``os.urandom``), by the batch:

    each call over the bridge takes time, and an import wants tens of thousands.
    """

    def __init__(self) -> None:
        self._ready: list[str] = []

    def new(self) -> str:
        """A fresh id: 32 hexadecimal digits."""
        if not self._ready:
            digits = os.urandom(16 * BATCH).hex()
            self._ready = [digits[at : at + 32] for at in range(0, len(digits), 32)]
        return self._ready.pop()
