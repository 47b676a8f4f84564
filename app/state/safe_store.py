"""Records that survive their storage: what IndexedDB refuses is kept here and tried again.

Everything read or written passes through a copy in memory. When a write is refused (full,
blocked, cleared under the page) it is done on the copy and queued; the next write tries the
queue again. ``on_saved`` is told when that state changes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

from app.state.memory_store import MemoryStore
from app.state.ports import Change, Changed, Record, RecordStore, StorageFailed, StoreName


class SafeStore:
    """A ``RecordStore`` that never raises. ``primary`` None: memory alone from the start."""

    def __init__(
        self, primary: RecordStore | None, on_saved: Callable[[bool, str], None] | None = None
    ) -> None:
        self._primary = primary
        self._copy = MemoryStore()
        self._pending: list[Change] = []
        self._on_saved = on_saved
        self._saved = True
        self._writing = asyncio.Lock()
        if primary is None:
            self._tell(False, "unavailable")

    async def all(self, store: StoreName) -> list[Record]:
        """Every record of a store."""
        if self._primary is not None:
            try:
                records = await self._primary.all(store)
            except StorageFailed as failed:
                self._tell(False, failed.kind)
            else:
                return await self._overlaid(store, records)
        return await self._copy.all(store)

    async def of(self, store: StoreName, conversation_id: str) -> list[Record]:
        """The records of one conversation."""
        if self._primary is not None:
            try:
                records = await self._primary.of(store, conversation_id)
            except StorageFailed as failed:
                self._tell(False, failed.kind)
            else:
                await self._overlaid(store, records)
                if not self._pending:
                    return records
                found = {str(each["id"]): each for each in records}
                for each in await self._copy.of(store, conversation_id):
                    if str(each["id"]) in self._waiting(store):
                        found[str(each["id"])] = each
                return list(found.values())
        return await self._copy.of(store, conversation_id)

    async def get(self, store: StoreName, id: str) -> Record | None:
        """One record, None when there is none."""
        if self._primary is not None and id not in self._waiting(store):
            try:
                record = await self._primary.get(store, id)
            except StorageFailed as failed:
                self._tell(False, failed.kind)
            else:
                if record is None:
                    self._copy.drop(store, id)
                else:
                    self._copy.take(store, [record])
                return record
        return await self._copy.get(store, id)

    async def apply(self, change: Change) -> Changed:
        """Do ``change`` where it can be done; first what had to wait, in its order."""
        async with self._writing:
            await self._flush()
            behind = any(each.conversation_id == change.conversation_id for each in self._pending)
            deleting = change.patch.get("deleted_at") is not None
            if self._primary is not None and (deleting or not behind):
                try:
                    changed = await self._primary.apply(change)
                    if _unknown(changed) and await self._restored(change.conversation_id):
                        changed = await self._primary.apply(change)
                except StorageFailed as failed:
                    self._tell(False, failed.kind)
                else:
                    if changed.outcome == "gone" and changed.record is not None:
                        self._copy.take("conversations", [changed.record])  # deleted elsewhere
                    if changed.outcome == "ok":
                        self._keep(change, changed)
                        if not self._pending:
                            self._tell(True, "")
                    return changed
            changed = self._copy.apply_now(change)
            if changed.outcome == "ok" and self._primary is not None:
                self._queue(change)
            return changed

    async def retry(self) -> bool:
        """Try the queue again; True when everything is saved now."""
        async with self._writing:
            await self._flush()
        return self._saved

    async def set_aside(self, store: StoreName, record: Record, at: int) -> None:
        """Move a record that cannot be read into ``aside``."""
        await self._copy.set_aside(store, record, at)
        if self._primary is not None:
            try:
                await self._primary.set_aside(store, record, at)
            except StorageFailed as failed:
                self._tell(self._saved and failed.kind == "quota", failed.kind)

    async def purge(self, conversation_ids: Sequence[str]) -> None:
        """Remove tombstoned conversations with all that is theirs; frees room for the queue."""
        async with self._writing:
            gone = set(conversation_ids)
            self._pending = [each for each in self._pending if each.conversation_id not in gone]
            await self._copy.purge(conversation_ids)
            if self._primary is not None:
                try:
                    await self._primary.purge(conversation_ids)
                except StorageFailed as failed:
                    self._tell(False, failed.kind)
            await self._flush()

    async def forget(self, conversation_ids: Sequence[str]) -> None:
        """Remove the stubs of purged conversations."""
        await self._copy.forget(conversation_ids)
        if self._primary is not None:
            try:
                await self._primary.forget(conversation_ids)
            except StorageFailed as failed:
                self._tell(False, failed.kind)

    async def _flush(self) -> None:
        """Write what waits; a conversation's changes keep their order."""
        if self._primary is None or not self._pending:
            return
        stuck: set[str] = set()
        whole: set[str] = set()
        kept: list[Change] = []
        for change in self._pending:
            id = change.conversation_id
            if id in stuck:
                kept.append(change)
            if id in stuck or id in whole:
                continue
            try:
                changed = await self._primary.apply(change)
                if _unknown(changed) and await self._restored(id):
                    whole.add(id)  # with all that waited: it was done on the copy
            except StorageFailed as failed:
                self._tell(False, failed.kind)
                stuck.add(id)
                kept.append(change)
        self._pending = kept
        if not kept:
            self._tell(True, "")

    async def _restored(self, id: str) -> bool:
        """The storage knows nothing of a conversation that this tab has seen alive: it was
        cleared under the page. Write all of the copy again. Raises ``StorageFailed``.
        """
        record = await self._copy.get("conversations", id)
        if record is None or record.get("deleted_at") is not None or self._primary is None:
            return False
        stores: tuple[StoreName, ...] = ("messages", "folds", "usage")
        put = {store: await self._copy.of(store, id) for store in stores}
        return (await self._primary.apply(Change(id, create=record, put=put))).outcome == "ok"

    def _queue(self, change: Change) -> None:
        """Queue a change; a plain one replaces an older one that wrote the same records."""
        if not (change.create or change.expect or change.bump):
            mine = _written(change)
            self._pending = [
                each
                for each in self._pending
                if each.create
                or each.expect
                or each.bump
                or each.conversation_id != change.conversation_id
                or not (_written(each) <= mine and each.patch.keys() <= change.patch.keys())
            ]
        self._pending.append(replace(change, expect=dict(change.expect)))

    def _keep(self, change: Change, changed: Changed) -> None:
        for store, records in change.put.items():
            self._copy.take(cast(StoreName, store), records)
        if changed.record is not None:
            self._copy.take("conversations", [changed.record])

    async def _overlaid(self, store: StoreName, records: list[Record]) -> list[Record]:
        """The records with what still waits to be written in their place; copies them."""
        waiting = self._waiting(store)
        self._copy.take(store, [each for each in records if str(each.get("id")) not in waiting])
        if not waiting:
            return records
        found = {str(each.get("id")): each for each in records}
        for id in waiting:
            record = await self._copy.get(store, id)
            if record is not None:
                found[id] = record
        return list(found.values())

    def _waiting(self, store: StoreName) -> set[str]:
        if store == "conversations":
            return {each.conversation_id for each in self._pending}
        return {str(r["id"]) for each in self._pending for r in each.put.get(store, ())}

    def _tell(self, saved: bool, why: str) -> None:
        if saved != self._saved:
            self._saved = saved
            if self._on_saved is not None:
                self._on_saved(saved, why)


def _unknown(changed: Changed) -> bool:
    """Whether the store has no record of the conversation, not even a deleted one."""
    return changed.outcome == "gone" and changed.record is None


def _written(change: Change) -> set[tuple[str, str]]:
    return {(store, str(each["id"])) for store, records in change.put.items() for each in records}
