"""Time and ids from the runtime: nothing slow to import, and fit for pages without https."""

from __future__ import annotations

import asyncio
import os
import time


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
    """``Ids`` of 128 random bits (``crypto.getRandomValues`` behind ``os.urandom``)."""

    def new(self) -> str:
        """A fresh id: 32 hexadecimal digits."""
        return os.urandom(16).hex()
