"""Conversations, messages, folds and usage as objects, over records in a store.

Every write is one transaction and says how it ended: a deleted conversation is ``gone`` and gets
nothing written. Corrupt records are set aside; those of a newer program stay where they are, for
it, and are passed over. Both are said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from app.conversation.message import Message
from app.conversation.records import (
    NewerRecordError,
    RecordError,
    conversation_from_record,
    conversation_to_record,
    message_from_record,
    message_to_record,
)
from app.conversation.tree import Conversation
from app.memory.ledger import Fold
from app.memory.ports import Clock
from app.state.ports import Change, Changed, Outcome, Record, RecordStore, StoreName
from app.state.records import fold_from, fold_record, is_newer, usage_from, usage_record

if TYPE_CHECKING:
    from app.models.usage import UsageRecord

UNDO_PERIOD = 10 * 60_000  # milliseconds for which a deleted conversation can come back
STUB_PERIOD = 30 * 24 * 3_600_000  # milliseconds for which a tab may sleep through a deletion


class Repository:
    """Reads and writes of one tab. ``on_unread`` is told "corrupt" or "newer" of records."""

    def __init__(
        self,
        store: RecordStore,
        clock: Clock,
        on_unread: Callable[[str], None] | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._on_unread = on_unread

    async def conversations(self) -> list[Conversation]:
        """All conversations that are not deleted; tombstones past their undo period are purged.

        A conversation whose record is corrupt comes back under its id, because its messages
        may be whole.
        """
        found: list[Conversation] = []
        expired: list[str] = []
        forgotten: list[str] = []
        now = self._clock.now()
        for record in await self._store.all("conversations"):
            if record.get("purged") is True:
                deleted_at = record.get("deleted_at")
                if not isinstance(deleted_at, int) or deleted_at + STUB_PERIOD < now:
                    forgotten.append(str(record.get("id")))
                continue
            try:
                conversation = conversation_from_record(record)
            except RecordError as error:
                await self._unread("conversations", record, isinstance(error, NewerRecordError))
                conversation = _recovered(record, error, now)
                if conversation is None:
                    continue
                await self.create(conversation)
            if conversation.deleted_at is None:
                found.append(conversation)
            elif conversation.deleted_at + UNDO_PERIOD < now:
                expired.append(conversation.id)
        if expired:
            await self._store.purge(expired)
        if forgotten:
            await self._store.forget(forgotten)
        return found

    async def conversation(self, id: str) -> Conversation | None:
        """One conversation, None when it is deleted, unknown or unreadable."""
        record = await self._store.get("conversations", id)
        return _living(record)

    async def messages(self, conversation_id: str) -> list[Message]:
        """The messages of a conversation, in no order, relinked past those that were deleted."""
        found: list[Message] = []
        spliced: dict[str, str | None] = {}
        for record in await self._store.of("messages", conversation_id):
            if record.get("spliced") is True:
                parent_id = record.get("parent_id")
                spliced[str(record.get("id"))] = parent_id if isinstance(parent_id, str) else None
                continue
            try:
                found.append(message_from_record(record))
            except RecordError as error:
                await self._unread("messages", record, isinstance(error, NewerRecordError))
        return [_relinked(each, spliced) for each in found] if spliced else found

    async def create(self, conversation: Conversation, messages: Sequence[Message] = ()) -> None:
        """Store a new conversation with its messages; does nothing to one that exists."""
        await self._store.apply(
            Change(
                conversation.id,
                create=conversation_to_record(conversation),
                put={"messages": [message_to_record(each) for each in messages]},
            )
        )

    async def write(
        self,
        conversation_id: str,
        messages: Sequence[Message] = (),
        *,
        spliced: Sequence[Message] = (),
        structural: bool = False,
        patch: Mapping[str, Any] | None = None,
    ) -> Conversation | None:
        """Write messages and fields of the conversation in one transaction; None when it is gone.

        ``spliced``: messages that are deleted; of each only id and parent stay, so that another
        tab's child of it still finds its place. ``structural``: the change is no mere append.
        """
        stubs: list[Record] = [
            {
                "id": each.id,
                "conversation_id": conversation_id,
                "parent_id": each.parent_id,
                "spliced": True,
            }
            for each in spliced
        ]
        changed = await self._store.apply(
            Change(
                conversation_id,
                patch=_plain(patch or {}),
                bump=("structure",) if structural else (),
                put={"messages": [*(message_to_record(each) for each in messages), *stubs]},
            )
        )
        return _living(changed.record) if changed.outcome == "ok" else None

    async def delete(self, conversation_id: str) -> bool:
        """Tombstone at once; False when it was gone already."""
        change = Change(conversation_id, patch={"deleted_at": self._clock.now()})
        return (await self._store.apply(change)).outcome == "ok"

    async def undelete(self, conversation_id: str) -> Conversation | None:
        """Take the tombstone away; None when the conversation has been purged."""
        change = Change(conversation_id, patch={"deleted_at": None}, revive=True)
        changed = await self._store.apply(change)
        return _living(changed.record) if changed.outcome == "ok" else None

    async def purge(self, conversation_id: str) -> None:
        """Remove a tombstoned conversation with all that is its own."""
        await self._store.purge([conversation_id])

    async def folds(self, conversation_id: str) -> list[Fold]:
        """The ledger's entries, by commit."""
        found: list[Fold] = []
        for record in await self._store.of("folds", conversation_id):
            fold = fold_from(record)
            if fold is None:
                await self._unread("folds", record, is_newer(record))
            else:
                found.append(fold)
        return sorted(found, key=lambda fold: fold.commit)

    async def counters(self, conversation_id: str) -> tuple[int, int] | None:
        """(structure, commit) of the conversation, None when it is gone."""
        conversation = await self.conversation(conversation_id)
        return None if conversation is None else (conversation.structure, conversation.commit)

    async def commit_fold(self, fold: Fold, *, structure: int, commit: int) -> Outcome:
        """Write a fold with commit number ``commit + 1`` if nothing has changed since it was read.

        "gone": the conversation is deleted. "conflict": its structure or its ledger is not what
        the caller read. Else the fold and the conversation's commit number are one transaction.
        """
        record = fold_record(replace(fold, commit=commit + 1))
        expect = {"structure": structure, "commit": commit}
        return await self._commit(fold.conversation_id, expect, [record])

    async def retire_folds(
        self, conversation_id: str, fold_ids: Sequence[str], *, commit: int
    ) -> Outcome:
        """Mark folds as undone, by the same rule as ``commit_fold``."""
        wanted = set(fold_ids)
        now = self._clock.now()
        records = [
            {**each, "retired_at": now}
            for each in await self._store.of("folds", conversation_id)
            if each.get("id") in wanted and each.get("retired_at") is None
        ]
        return await self._commit(conversation_id, {"commit": commit}, records)

    async def _commit(
        self, conversation_id: str, expect: Mapping[str, int], folds: list[Record]
    ) -> Outcome:
        changed: Changed = await self._store.apply(
            Change(conversation_id, expect=expect, bump=("commit",), put={"folds": folds})
        )
        return changed.outcome

    async def add_usage(self, usage: UsageRecord) -> None:
        """Log a call; nothing is written for a conversation that is gone."""
        put = {"usage": [usage_record(usage)]}
        await self._store.apply(Change(usage.conversation_id, put=put))

    async def usage(self, conversation_id: str) -> list[UsageRecord]:
        """The calls made for a conversation, in no order."""
        found = [usage_from(each) for each in await self._store.of("usage", conversation_id)]
        return [each for each in found if each is not None]

    async def _unread(self, store: StoreName, record: Record, newer: bool) -> None:
        if not newer:
            await self._store.set_aside(store, record, self._clock.now())
        if self._on_unread is not None:
            self._on_unread("newer" if newer else "corrupt")


def _living(record: Record | None) -> Conversation | None:
    if record is None:
        return None
    try:
        conversation = conversation_from_record(record)
    except RecordError:
        return None
    return conversation if conversation.deleted_at is None else None


def _recovered(record: Record, error: RecordError, now: int) -> Conversation | None:
    """A fresh record for a conversation whose own is corrupt; None when nothing can be said."""
    id = record.get("id")
    newer = isinstance(error, NewerRecordError)
    if newer or not isinstance(id, str) or not id or record.get("deleted_at") is not None:
        return None
    return Conversation(id, title="Recovered chat", created_at=now, updated_at=now)


def _relinked(message: Message, spliced: Mapping[str, str | None]) -> Message:
    parent_id = message.parent_id
    seen: set[str] = set()
    while parent_id is not None and parent_id in spliced and parent_id not in seen:
        seen.add(parent_id)
        parent_id = spliced[parent_id]
    if parent_id in spliced:  # a cycle of deleted messages
        parent_id = None
    return message if parent_id == message.parent_id else replace(message, parent_id=parent_id)


def _plain(patch: Mapping[str, Any]) -> dict[str, Any]:
    """The patch as JSON-able values: sets become sorted lists."""
    return {
        key: sorted(value) if isinstance(value, (set, frozenset)) else value  # pyright: ignore
        for key, value in patch.items()
    }
