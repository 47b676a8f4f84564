"""The ledger: every fold of a conversation, and which of them is the memory now.

The current fold is derived, never stored: of the entries that are not retired and are valid on
the path, the one with the furthest boundary, then the highest commit number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, Protocol

Trigger = Literal["auto", "overflow", "manual"]
Method = Literal["model", "model+details", "extractive", "tail", "verbatim", "edited"]


@dataclass(frozen=True, slots=True)
class Fold:
    """One act of summarising. Token counts are those of the counter that is shown.

    ``covered`` are the ids that this fold newly covers, in path order; all that lies before is
    covered by its ancestors. ``path_digest`` is the chain digest of the path at the boundary:
    equal digests mean the same eligible messages, unchanged, with none missing.
    """

    id: str
    conversation_id: str
    parent_id: str | None
    covered: tuple[str, ...]
    boundary: str  # last_summarized_message_id
    path_digest: str
    text: str
    sources: tuple[str | None, ...] = ()  # one a line of ``text``: the message it came from
    tokens_in: int = 0  # given to the summariser: the previous summary and the new messages
    tokens_out: int = 0  # of ``text``
    count: int = 0  # messages newly covered
    trigger: Trigger = "auto"
    model: str = ""
    method: Method = "extractive"
    used_fallback: bool = False  # not written by the model in the utility role
    provisional: bool = False  # made so that an answer need not wait; a model may replace it
    replaces: str | None = None  # the provisional fold that this one stands for
    duration_ms: int = 0
    created_at: int = 0
    commit: int = 0  # given by the store when the fold is committed
    retired_at: int | None = None  # undone by the user
    note: str = ""  # why the fallback was used, what was trimmed: in plain words


class PathView(Protocol):
    """What the ledger asks of an active path."""

    def position(self, message_id: str) -> int | None:
        """The index of a message on the path, or None."""
        ...

    def chain(self, index: int) -> str:
        """The chain digest of the eligible messages up to and including ``index``."""
        ...


class Ledger:
    """All folds of one conversation, in commit order."""

    def __init__(self, folds: Iterable[Fold] = ()) -> None:
        self._folds: dict[str, Fold] = {}
        for fold in sorted(folds, key=lambda f: f.commit):
            self._folds[fold.id] = fold

    def __iter__(self) -> Iterator[Fold]:
        return iter(self._folds.values())

    def __len__(self) -> int:
        return len(self._folds)

    def get(self, fold_id: str | None) -> Fold | None:
        """The entry with this id, or None."""
        return self._folds.get(fold_id) if fold_id else None

    def add(self, fold: Fold) -> None:
        """Take in a committed entry (or a newer state of it)."""
        self._folds[fold.id] = fold

    def retire(self, fold_ids: Iterable[str], at: int) -> None:
        """Mark entries as undone at ``at`` (ms)."""
        for fold_id in fold_ids:
            fold = self._folds.get(fold_id)
            if fold is not None and fold.retired_at is None:
                self._folds[fold_id] = replace(fold, retired_at=at)

    def valid(self, fold: Fold, path: PathView) -> bool:
        """Whether what the fold covers lies on ``path`` unchanged, with nothing missing."""
        position = path.position(fold.boundary)
        return position is not None and path.chain(position) == fold.path_digest

    def ranked(self, path: PathView, before: int | None = None) -> list[tuple[int, int, Fold]]:
        """The valid entries with their boundary's index, least first, greatest last.

        ``before``: only entries whose boundary lies before that index (a question that is asked
        again must not be covered by the memory that is sent with it).
        """
        found: list[tuple[int, int, Fold]] = []
        for fold in self._folds.values():
            if fold.retired_at is not None:
                continue
            position = path.position(fold.boundary)
            if position is None or (before is not None and position >= before):
                continue
            if path.chain(position) == fold.path_digest:
                found.append((position, fold.commit, fold))
        found.sort(key=lambda entry: entry[:2])
        return found

    def current(self, path: PathView, before: int | None = None) -> Fold | None:
        """The fold that is the memory of ``path`` now, or None."""
        ranked = self.ranked(path, before)
        return ranked[-1][2] if ranked else None

    def lineage(self, fold: Fold | None) -> list[Fold]:
        """The fold and its ancestors, newest first; stops at a gap or a cycle."""
        chain: list[Fold] = []
        seen: set[str] = set()
        while fold is not None and fold.id not in seen:
            chain.append(fold)
            seen.add(fold.id)
            fold = self.get(fold.parent_id)
        return chain

    def has_child(self, fold_id: str) -> bool:
        """Whether a fold builds on this one."""
        return any(f.parent_id == fold_id and f.retired_at is None for f in self._folds.values())

    def to_undo(self, path: PathView) -> list[str]:
        """The entries to retire so that what was the memory before the current fold is it again.

        That is its parent; after a rebuild, the lineage that was rebuilt. A provisional fold
        goes with the one that stands for it.
        """
        found: list[str] = []
        fold = self.current(path)
        while fold is not None and fold.id not in found:
            found.append(fold.id)
            fold = self.get(fold.replaces)
        return found
