"""Committing by compare-and-swap: a fold is written only where what it read still holds.

Correctness across tabs rests on this alone; locks only save double calls.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from app.memory.conversation_memory import ConversationMemory
from app.memory.ledger import Fold
from app.memory.ports import Clock, FoldStore

TRIES = 5  # of a write that another tab's commits keep overtaking


@dataclass(frozen=True, slots=True)
class Read:
    """What a fold read, and must find again when it commits."""

    parent: Fold | None  # the entry that the new one builds on
    current: Fold | None  # the entry that is the memory while it works
    before: int | None  # the question's index that the memory must not cover


class Committer:
    """Writes the ledger of this tab's conversations, and takes in what other tabs wrote."""

    def __init__(
        self,
        store: FoldStore,
        clock: Clock,
        committed: Callable[[ConversationMemory, Fold], None],
    ) -> None:
        self._store, self._clock, self._committed = store, clock, committed

    async def refresh(self, memory: ConversationMemory) -> None:
        """Take in what other tabs have committed."""
        counters = await self._store.counters(memory.id)
        if counters is not None and counters[1] != memory.known_commit:
            for fold in await self._store.folds(memory.id):
                memory.ledger.add(fold)
            memory.at_commit(counters[1])

    async def commit(self, memory: ConversationMemory, fold: Fold, read: Read) -> Fold | None:
        """Commit by compare-and-swap; None when what was read is no longer so."""
        for _ in range(TRIES):
            counters = await self._store.counters(memory.id)
            if counters is None or counters[0] != memory.conversation.structure:
                return None
            if counters[1] != memory.known_commit:
                await self.refresh(memory)
            if not self._still(memory, fold, read):
                return None
            outcome = await self._store.commit_fold(fold, structure=counters[0], commit=counters[1])
            if outcome in ("ok", "unsaved"):
                fold = replace(fold, commit=counters[1] + 1)
                memory.committed(fold)
                memory.activity.folded_at = self._clock.now()
                self._committed(memory, fold)
                return fold
            if outcome == "gone":
                return None
        return None

    def _still(self, memory: ConversationMemory, fold: Fold, read: Read) -> bool:
        """Whether path and current fold are what the fold read (with no await until the write)."""
        if not memory.ledger.valid(fold, memory.path):
            return False
        if fold.replaces is not None and memory.ledger.has_child(fold.replaces):
            return False
        now = memory.ledger.current(memory.path, read.before)
        return (now.id if now else None) == (read.current.id if read.current else None)

    async def retire(self, memory: ConversationMemory) -> int:
        """Undo the current fold; the number of entries retired, 0 when there was none.

        Raises ``LookupError`` when the conversation is gone or never stops changing.
        """
        for _ in range(TRIES):
            await self.refresh(memory)
            counters = await self._store.counters(memory.id)
            targets = memory.ledger.to_undo(memory.path)
            if counters is None:
                break
            if not targets:
                return 0
            outcome = await self._store.retire_folds(memory.id, targets, commit=counters[1])
            if outcome in ("ok", "unsaved"):
                memory.ledger.retire(targets, self._clock.now())
                memory.at_commit(counters[1] + 1)
                return len(targets)
            if outcome == "gone":
                break
        raise LookupError("The memory changed meanwhile.")
