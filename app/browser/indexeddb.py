"""IndexedDB as a ``RecordStore``: JSON text through ``static/js/indexeddb.js``.

A transaction closes while Python waits, so each is one call of the script.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from pyodide.ffi import JsException

from app.state.ports import Change, Changed, Record, StorageFailed, StoreName


class IndexedDb:
    """A ``RecordStore``. ``script``: the module ``indexeddb.js``."""

    def __init__(self, script: Any) -> None:
        self._script = script

    async def all(self, store: StoreName) -> list[Record]:
        """Every record of a store."""
        return await _value(self._script.all(store))

    async def of(self, store: StoreName, conversation_id: str) -> list[Record]:
        """The records of one conversation."""
        return await _value(self._script.of(store, conversation_id))

    async def get(self, store: StoreName, id: str) -> Record | None:
        """One record, None when there is none."""
        return await _value(self._script.get(store, id))

    async def apply(self, change: Change) -> Changed:
        """Do ``change`` in one transaction."""
        value = await _value(self._script.apply(json.dumps(asdict(change))))
        return Changed(value["outcome"], value["record"])

    async def set_aside(self, store: StoreName, record: Record, at: int) -> None:
        """Move a record that cannot be read into ``aside``."""
        await _value(self._script.setAside(store, json.dumps(record), at))

    async def purge(self, conversation_ids: Sequence[str]) -> None:
        """Remove all that tombstoned conversations hold, but for a stub."""
        await _value(self._script.purge(json.dumps(list(conversation_ids))))

    async def forget(self, conversation_ids: Sequence[str]) -> None:
        """Remove the stubs of purged conversations."""
        await _value(self._script.forget(json.dumps(list(conversation_ids))))


async def _value(promise: Any) -> Any:
    try:
        answer = json.loads(str(await promise))
    except JsException as error:
        raise StorageFailed("unavailable", str(error)[:200]) from None
    if "error" in answer:
        raise StorageFailed(answer["error"], str(answer.get("detail", ""))[:200])
    return answer["ok"]
