"""What the state room and the session need from outside: storage, tabs, locks, models.

Each is a small protocol; ``browser/`` has the real ones, ``tests/support/fakes.py`` those in
memory. Time and ids are the memory room's own. Texts that cross these ports are JSON, so that no
JavaScript object reaches this room.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from app.memory.ports import Locks as MemoryLocks

if TYPE_CHECKING:
    from app.models.catalog import ModelInfo
    from app.models.connection import Connection
    from app.models.port import ChatModel, WireMessage

Record = dict[str, Any]
StoreName = Literal["conversations", "messages", "folds", "usage", "aside"]
STORES: tuple[StoreName, ...] = ("conversations", "messages", "folds", "usage", "aside")
Outcome = Literal["ok", "conflict", "gone"]


class StorageFailed(Exception):
    """Storage refused. ``kind``: "quota" (full) or "unavailable" (blocked, broken, cleared)."""

    def __init__(self, kind: Literal["quota", "unavailable"], detail: str = "") -> None:
        super().__init__(detail or kind)
        self.kind = kind


class KeyValue(Protocol):
    """localStorage: small texts, synchronous, shared by tabs."""

    def get(self, key: str) -> str | None:
        """The text under ``key``, None when there is none. Raises ``StorageFailed``."""
        ...

    def set(self, key: str, text: str) -> None:
        """Store ``text``. Raises ``StorageFailed``."""
        ...

    def remove(self, key: str) -> None:
        """Forget ``key``. Raises ``StorageFailed``."""
        ...

    def keys(self) -> list[str]:
        """All keys of this app (without the site's prefix). Raises ``StorageFailed``."""
        ...

    def watch(self, handler: Callable[[str, str | None], object]) -> None:
        """Call ``handler(key, new text or None)`` when *another* tab changes a key."""
        ...


@dataclass(frozen=True, slots=True)
class Change:
    """One transaction on a conversation; everything in it is written, or nothing.

    ``expect``: values of the conversation record's fields that must hold (compare-and-swap).
    ``patch``: fields to set on it. ``bump``: counters (``structure``, ``commit``) to raise by 1.
    ``create``: the whole record, for a conversation that does not exist yet (and never did).
    ``put``: whole records to write, by store; a record that is ``streaming`` never replaces a
    finished one. ``revive``: the change also applies to a tombstoned conversation.
    """

    conversation_id: str
    create: Record | None = None
    expect: Mapping[str, Any] = field(default_factory=dict[str, Any])
    patch: Mapping[str, Any] = field(default_factory=dict[str, Any])
    bump: Sequence[str] = ()
    put: Mapping[str, Sequence[Record]] = field(default_factory=dict[str, Sequence[Record]])
    revive: bool = False


@dataclass(frozen=True, slots=True)
class Changed:
    """How a ``Change`` ended, with the conversation record as it now is."""

    outcome: Outcome
    record: Record | None = None


class RecordStore(Protocol):
    """IndexedDB: records with an ``id``; messages, folds and usage know ``conversation_id``."""

    async def all(self, store: StoreName) -> list[Record]:
        """Every record of a store. Raises ``StorageFailed``."""
        ...

    async def of(self, store: StoreName, conversation_id: str) -> list[Record]:
        """The records of one conversation. Raises ``StorageFailed``."""
        ...

    async def get(self, store: StoreName, id: str) -> Record | None:
        """One record, None when there is none. Raises ``StorageFailed``."""
        ...

    async def apply(self, change: Change) -> Changed:
        """Do ``change`` in one transaction. Raises ``StorageFailed``."""
        ...

    async def set_aside(self, store: StoreName, record: Record, at: int) -> None:
        """Move a record that cannot be read into the store ``aside``, in one transaction."""
        ...

    async def purge(self, conversation_ids: Sequence[str]) -> None:
        """Remove all that tombstoned conversations hold.

        A stub stays, ``{id, deleted_at, purged}``: a tab that has slept since before the deletion
        finds it and writes nothing. Nothing revives it.
        """
        ...

    async def forget(self, conversation_ids: Sequence[str]) -> None:
        """Remove the stubs of purged conversations. Raises ``StorageFailed``."""
        ...


class Channel(Protocol):
    """What tabs of this page tell each other (BroadcastChannel). Never reaches its sender."""

    def post(self, text: str) -> None:
        """Tell the other tabs. Never raises."""
        ...

    def watch(self, handler: Callable[[str], object]) -> None:
        """Call ``handler(text)`` for what other tabs post."""
        ...


class Locks(MemoryLocks, Protocol):
    """The same locks, and who holds them: the signs of life of the tabs."""

    async def held(self, prefix: str) -> set[str] | None:
        """Names with ``prefix`` that any tab holds now; None where that cannot be known."""
        ...


class ModelSource(Protocol):
    """Where the session gets the models that the settings name."""

    def chat(self, conversation_id: str, saved: int = 0) -> ChatModel:
        """The model that answers, logged. Raises ``ModelError`` when none can.

        ``saved``: tokens folded away from the request, less its summary (for the usage log).
        """
        ...

    def can_read_ahead(self) -> bool:
        """Whether the model that answers can read the beginning of a request while idle."""
        ...

    async def read_ahead(self, messages: Sequence[WireMessage]) -> None:
        """Let it read that. Never raises; cancelling stops it."""
        ...

    async def list_models(self, endpoint_id: str) -> Sequence[ModelInfo]:
        """What the endpoint offers. Raises ``ModelError``."""
        ...

    async def test_connection(self, endpoint_id: str) -> Connection:
        """Whether it works, and the likely cause in plain words when not. Never raises."""
        ...


class LocalModel(Protocol):
    """The model that runs inside the page: the page's own, or one from a file that was picked."""

    @property
    def bundled(self) -> str:
        """The name of the page's own, "" when this browser or this site has none."""
        ...

    @property
    def picked(self) -> str:
        """The name of the file that was picked last, without its ending; "" for none."""
        ...

    @property
    def name(self) -> str:
        """The name of the one that is loaded (or would be)."""
        ...

    @property
    def context_size(self) -> int:
        """How many tokens the loaded one can hold."""
        ...

    @property
    def size(self) -> int:
        """What is loaded or to be fetched, in bytes."""
        ...

    @property
    def ready(self) -> ChatModel | None:
        """The model, once it is loaded."""
        ...

    async def load(self, progress: Callable[[int, int], None], context_size: int) -> None:
        """Load the page's own, telling (bytes, of bytes). Raises ``ModelError``."""
        ...

    async def load_picked(self, progress: Callable[[int, int], None], context_size: int) -> None:
        """Load the file that was picked last. Raises ``ModelError``."""
        ...

    async def prefill(self, messages: Sequence[WireMessage]) -> bool:
        """Read ``messages`` ahead of the next request; cancelling stops it. Whether it is done."""
        ...
