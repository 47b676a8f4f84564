"""Running a tab's story to its end, and a conversation that has folded."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from tests.support.tab import Tab


def run(work: Coroutine[Any, Any, None]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(20):  # a hang is a failure
            await work

    asyncio.run(bounded())


LONG = "The blue house number 1742 was sold to Marta Novak for 385000 euros in March. " * 12


async def folded(tab: Tab, times: int = 8) -> None:
    await tab.session.update_settings({"context_size": 1024})
    for number in range(times):
        tab.model.then(f"Noted, {number}. " + LONG[:300])
        await tab.ask(f"Question {number}: {LONG[:500]}")
