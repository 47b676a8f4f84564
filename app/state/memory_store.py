"""Records in memory: where the app lives when the browser's storage is not to be had.

The rules of a transaction (``Change``) are written here in Python, and once more in
``static/js/indexeddb.js``; ``tests/support/store_rules.py`` runs over both.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from app.state.ports import STORES, Change, Changed, Record, StoreName


class MemoryStore:
    """A ``RecordStore`` over dicts. Keeps texts, so that nobody can change a record in place."""

    def __init__(self) -> None:
        self._texts: dict[StoreName, dict[str, str]] = {name: {} for name in STORES}
        self._members: dict[tuple[StoreName, str], dict[str, None]] = {}

    async def all(self, store: StoreName) -> list[Record]:
        """Every record of a store, in the order of their first writing."""
        return [json.loads(text) for text in self._texts[store].values()]

    async def of(self, store: StoreName, conversation_id: str) -> list[Record]:
        """The records of one conversation."""
        texts = self._texts[store]
        return [json.loads(texts[id]) for id in self._members.get((store, conversation_id), ())]

    async def get(self, store: StoreName, id: str) -> Record | None:
        """One record, None when there is none."""
        text = self._texts[store].get(id)
        return None if text is None else json.loads(text)

    async def apply(self, change: Change) -> Changed:
        """Do ``change``: all of it or nothing."""
        return self.apply_now(change)

    def apply_now(self, change: Change) -> Changed:
        """``apply`` without waiting."""
        record = self._read("conversations", change.conversation_id)
        if record is None:
            if change.create is None:
                return Changed("gone")
            record = dict(change.create)
        elif record.get("deleted_at") is not None and (not change.revive or record.get("purged")):
            return Changed("gone", record)
        if any(record.get(key) != value for key, value in change.expect.items()):
            return Changed("conflict", record)
        record.update(change.patch)
        for counter in change.bump:
            record[counter] = int(record.get(counter) or 0) + 1
        for store, records in change.put.items():
            for each in records:
                self._put_unless_finished(store, each)  # type: ignore[arg-type]
        self.take("conversations", [record])
        return Changed("ok", record)

    async def set_aside(self, store: StoreName, record: Record, at: int) -> None:
        """Move a record that cannot be read into ``aside``."""
        id = str(record.get("id"))
        self.take("aside", [{"id": f"{store}/{id}/{at}", "store": store, "record": record}])
        self.drop(store, id)

    async def purge(self, conversation_ids: Sequence[str]) -> None:
        """Remove all that tombstoned conversations hold; a stub stays, so that none comes back."""
        for id in conversation_ids:
            record = self._read("conversations", id)
            if record is None or record.get("deleted_at") is None:
                continue
            for store in ("messages", "folds", "usage"):
                for member in list(self._members.get((store, id), ())):
                    self.drop(store, member)
            stub = {"id": id, "deleted_at": record["deleted_at"], "purged": True}
            self.take("conversations", [stub])

    async def forget(self, conversation_ids: Sequence[str]) -> None:
        """Remove the stubs of purged conversations."""
        for id in conversation_ids:
            if (self._read("conversations", id) or {}).get("purged"):
                self.drop("conversations", id)

    def take(self, store: StoreName, records: Iterable[Record]) -> None:
        """Write records as they are."""
        for record in records:
            id = str(record["id"])
            self._texts[store][id] = json.dumps(record)
            owner = record.get("conversation_id")
            if isinstance(owner, str):
                self._members.setdefault((store, owner), {})[id] = None

    def _put_unless_finished(self, store: StoreName, record: Record) -> None:
        if record.get("status") == "streaming":
            old = self._read(store, str(record["id"]))
            if old is not None and old.get("status") != "streaming":
                return
        self.take(store, [record])

    def _read(self, store: StoreName, id: str) -> Record | None:
        text = self._texts[store].get(id)
        return None if text is None else json.loads(text)

    def drop(self, store: StoreName, id: str) -> None:
        """Forget one record."""
        text = self._texts[store].pop(id, None)
        if text is not None:
            owner = json.loads(text).get("conversation_id")
            self._members.get((store, str(owner)), {}).pop(id, None)
