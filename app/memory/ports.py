"""What the engine needs from outside: the store of folds, time, ids and locks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, Protocol

from app.memory.ledger import Fold

Outcome = Literal["ok", "conflict", "gone", "unsaved"]


class FoldStore(Protocol):
    """The ledger's store. Each write is one transaction with compare-and-swap.

    ``conflict``: the counters differ from those given; ``gone``: the conversation is deleted;
    ``unsaved``: storage refuses, the caller goes on in memory.
    """

    async def counters(self, conversation_id: str) -> tuple[int, int] | None:
        """(structure, commit) of the conversation, None when it is gone."""
        ...

    async def folds(self, conversation_id: str) -> list[Fold]:
        """All entries of the conversation."""
        ...

    async def commit_fold(self, fold: Fold, *, structure: int, commit: int) -> Outcome:
        """Write the entry with commit number ``commit + 1`` and raise the conversation's."""
        ...

    async def retire_folds(
        self, conversation_id: str, fold_ids: Sequence[str], *, commit: int
    ) -> Outcome:
        """Retire entries and raise the conversation's commit number."""
        ...


class Clock(Protocol):
    """Time, in milliseconds."""

    def now(self) -> int:
        """Milliseconds since 1970."""
        ...

    def elapsed(self) -> float:
        """Milliseconds since some start, never going back."""
        ...

    async def sleep(self, milliseconds: float) -> None:
        """Wait."""
        ...


class Ids(Protocol):
    """Random ids."""

    def new(self) -> str:
        """A fresh id."""
        ...


class Locks(Protocol):
    """Named locks across tabs; they save double calls, correctness never rests on them."""

    async def acquire(self, name: str, *, wait: bool = True) -> Callable[[], None] | None:
        """Take the lock; returns its release, None when taken and not waiting."""
        ...
