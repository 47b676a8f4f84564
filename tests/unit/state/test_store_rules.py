"""The store in memory keeps the rules of a store (``test_page_store`` runs them in IndexedDB)."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from app.state.memory_store import MemoryStore
from app.state.ports import Change, Changed, StoreName
from tests.support.store_rules import SCRIPTS


@pytest.mark.parametrize("promise", SCRIPTS)
def test_the_store_in_memory_keeps_the_rule(promise: str) -> None:
    async def work() -> None:
        store = MemoryStore()
        steps, held = SCRIPTS[promise]
        for name, arguments, wanted in steps:
            given = [Change(**arguments[0])] if name == "apply" else arguments
            got: Any = await getattr(store, name)(*given)
            if isinstance(got, Changed):
                got = {"outcome": got.outcome, "record": got.record}
            if wanted is not None:
                assert got == wanted, (name, arguments)
        for name, records in held.items():
            assert await store.all(cast(StoreName, name)) == records

    asyncio.run(work())
