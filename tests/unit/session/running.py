"""Running a tab's story to its end, and a conversation that has folded."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

from app.state.ports import Change
from tests.support.tab import Tab


def run(work: Coroutine[Any, Any, None]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(20):  # a hang is a failure
            await work

    asyncio.run(bounded())


@contextmanager
def held(tab: Tab, role: str) -> Iterator[asyncio.Event]:
    """While it lasts, no finished message of a role is stored before the event is set."""
    gate, store = asyncio.Event(), tab.browser.store
    apply = store.apply

    async def slow(change: Change) -> Any:
        messages = change.put.get("messages", ())
        ended = {(each.get("role"), each.get("status")) for each in messages}
        if (role, "complete") in ended:
            await gate.wait()
        return await apply(change)

    store.apply = slow  # type: ignore[method-assign]
    try:
        yield gate
    finally:
        store.apply = apply  # type: ignore[method-assign]


LONG = "The blue house number 1742 was sold to Marta Novak for 385000 euros in March. " * 12


async def folded(tab: Tab, times: int = 8) -> None:
    await tab.session.update_settings({"context_size": 1024})
    for number in range(times):
        tab.model.then(f"Noted, {number}. " + LONG[:300])
        await tab.ask(f"Question {number}: {LONG[:500]}")
