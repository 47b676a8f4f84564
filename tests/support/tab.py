"""A whole tab without a browser: the real session over fakes. Several may share one ``Browser``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.memory.engine import MemoryEngine
from app.memory.tokens import Counter, Estimate
from app.models.catalog import ModelInfo
from app.models.connection import Connection
from app.models.errors import ModelError
from app.models.port import ChatModel, WireMessage
from app.models.roles import Assigned, Roles
from app.models.usage import CallLog, LoggedModel
from app.session import Session
from app.state.app_state import AppState
from app.state.local_values import LocalValues
from app.state.memory_store import MemoryStore
from app.state.ports import Change, Changed, Record, RecordStore, StorageFailed, StoreName
from app.state.repository import Repository
from app.state.safe_store import SafeStore
from app.state.settings_store import SettingsStore
from app.state.summary_mirror import SummaryMirror
from tests.support.fakes import (
    FakeChannel,
    FakeClock,
    FakeIds,
    FakeKeyValue,
    FakeLocks,
    FakeStorageArea,
    ScriptedModel,
    settle,
)


class FaultyStore(MemoryStore):
    """IndexedDB in memory that can be told to refuse. ``fails``: "", "quota" or "unavailable"."""

    def __init__(self) -> None:
        super().__init__()
        self.fails = ""
        self.fails_reads = False
        self.changes: list[Change] = []

    async def all(self, store: StoreName) -> list[Record]:
        """As ``MemoryStore``."""
        self._check(self.fails_reads)
        return await super().all(store)

    async def of(self, store: StoreName, conversation_id: str) -> list[Record]:
        """As ``MemoryStore``."""
        self._check(self.fails_reads)
        return await super().of(store, conversation_id)

    async def get(self, store: StoreName, id: str) -> Record | None:
        """As ``MemoryStore``."""
        self._check(self.fails_reads)
        return await super().get(store, id)

    async def apply(self, change: Change) -> Changed:
        """As ``MemoryStore``, noted."""
        self._check(True)
        self.changes.append(change)
        return await super().apply(change)

    def _check(self, affected: bool) -> None:
        if self.fails and affected:
            raise StorageFailed("quota" if self.fails == "quota" else "unavailable")


@dataclass
class Browser:
    """What all tabs of one browser share."""

    area: FakeStorageArea = field(default_factory=FakeStorageArea)
    store: FaultyStore = field(default_factory=FaultyStore)
    locks: FakeLocks = field(default_factory=FakeLocks)
    clock: FakeClock = field(default_factory=FakeClock)
    tabs: int = 0

    def tab(self, **options: Any) -> Tab:
        """Open a tab (call ``await tab.start()``)."""
        return Tab(self, **options)


class FakeModels:
    """A ``ModelSource`` with one scripted model; None: no model is chosen."""

    def __init__(self, model: ScriptedModel | None, log: CallLog) -> None:
        self.model = model
        self.log = log
        self.infos: list[ModelInfo] | ModelError = []
        self.ahead: list[list[WireMessage]] | None = None

    def chat(self, conversation_id: str, saved: int = 0) -> ChatModel:
        """The scripted model, logged."""
        if self.model is None:
            raise ModelError("Choose a model.")
        return LoggedModel(self.model, self.log, conversation_id, "chat", saved=saved)

    def can_read_ahead(self) -> bool:
        """Whether ``ahead`` keeps what is read ahead."""
        return self.ahead is not None

    async def read_ahead(self, messages: Sequence[WireMessage]) -> None:
        """Kept in ``ahead``."""
        if self.ahead is not None:
            self.ahead.append(list(messages))

    async def list_models(self, endpoint_id: str) -> Sequence[ModelInfo]:
        """What ``infos`` says."""
        if isinstance(self.infos, ModelError):
            raise self.infos
        return self.infos

    async def test_connection(self, endpoint_id: str) -> Connection:
        """Always fine."""
        return Connection(True, "Connected.")


class FakeLocalModel:
    """A ``LocalModel`` that is loaded when ``gate`` is set. ``fails``: what loading raises."""

    bundled, picked, size = "small", "", 98

    def __init__(self) -> None:
        self.name, self.context_size = self.bundled, 2048
        self.ready: ScriptedModel | None = None
        self.gate: asyncio.Event | None = None
        self.fails: ModelError | None = None
        self.loads: list[tuple[str, int]] = []
        self.read: list[list[WireMessage]] = []

    async def load(self, progress: Callable[[int, int], None], context_size: int) -> None:
        """Load "small"."""
        await self._load(self.bundled, progress, context_size)

    async def load_picked(self, progress: Callable[[int, int], None], context_size: int) -> None:
        """Load ``picked``."""
        await self._load(self.picked, progress, context_size)

    async def _load(
        self, name: str, progress: Callable[[int, int], None], context_size: int
    ) -> None:
        self.loads.append((name, context_size))
        progress(49, 98)
        if self.gate is not None:
            await self.gate.wait()
        if self.fails is not None:
            raise self.fails
        self.name, self.context_size = name, context_size
        self.ready = ScriptedModel(name)

    async def prefill(self, messages: Sequence[WireMessage]) -> bool:
        """Kept in ``read``."""
        self.read.append(list(messages))
        return True


class Tab:
    """One tab. ``model`` answers, ``utility`` summarises (None: the extractive summariser)."""

    def __init__(
        self,
        browser: Browser | None = None,
        *,
        store: RecordStore | None = None,
        utility: ScriptedModel | None = None,
        local: FakeLocalModel | None = None,
    ) -> None:
        self.browser = browser or Browser()
        self.browser.tabs += 1
        clock, ids = self.browser.clock, FakeIds(f"t{self.browser.tabs}-")
        self.clock, self.ids = clock, ids
        self.faults: list[BaseException] = []
        self.state = AppState(self.faults.append)
        self.saved: list[tuple[bool, str]] = []
        self.asides: list[str] = []
        self.corrupt: list[str] = []
        self.unsaved: list[str] = []
        self.said: list[str] = []
        self.store = SafeStore(
            store or self.browser.store, lambda saved, why: self.saved.append((saved, why))
        )
        self.repository = Repository(self.store, clock, self.asides.append)
        self.key_value = FakeKeyValue(self.browser.area)
        self.values = LocalValues(
            self.key_value, clock, on_unsaved=self.unsaved.append, on_corrupt=self.corrupt.append
        )
        self.channel = FakeChannel(self.browser.area)
        self.model = ScriptedModel()
        self.utility = utility
        self.mirror = SummaryMirror(self.values)
        self.counter = Counter(Estimate())
        used: Callable[..., None] = lambda usage: self.session.used(usage)  # noqa: E731
        self.models = FakeModels(
            self.model, CallLog(used, ids.new, clock.now, clock.elapsed, self.counter.text)
        )
        self.engine = MemoryEngine(
            folds=self.repository,
            counter=self.counter,
            clock=clock,
            ids=ids,
            locks=self.browser.locks,
            roles=self._roles,
            usage=used,
            committed=lambda memory, fold: self.session.fold_committed(memory, fold),
            report=self.faults.append,
        )
        self.session = Session(
            state=self.state,
            repository=self.repository,
            values=self.values,
            settings=SettingsStore(self.values, self.said.append),
            engine=self.engine,
            models=self.models,
            mirror=self.mirror,
            channel=self.channel,
            clock=clock,
            ids=ids,
            locks=self.browser.locks,
            local=local,
            report=self.faults.append,
        )

    def _roles(self) -> Roles:
        chat = Assigned(self.model, 4096, weak=True)
        utility = None if self.utility is None else Assigned(self.utility, 4096)
        return Roles(chat, utility)

    async def start(self) -> Tab:
        """Start the session."""
        await self.session.start()
        return self

    async def ask(self, text: str) -> None:
        """Send, and wait for the answer and the folding after it."""
        await self.session.send(text)
        await self.session.settled()
        await settle()

    @property
    def thread(self) -> list[dict[str, Any]]:
        """The messages that the page shows."""
        return self.state.thread.get()["messages"]

    @property
    def texts(self) -> list[str]:
        """Their texts."""
        return [each["text"] for each in self.thread]

    @property
    def titles(self) -> list[str]:
        """The titles in the list."""
        return [each["title"] for each in self.state.conversations.get()["items"]]

    @property
    def notices(self) -> list[str]:
        """The notices on the page."""
        return [each["text"] for each in self.state.notices.get()]

    @property
    def idle(self) -> bool:
        """Whether nothing is going on."""
        return self.state.busy.get()["state"] == "idle"

    @property
    def id(self) -> str:
        """The id of the conversation that is shown."""
        return self.state.thread.get()["conversation_id"]

    def prompt(self, call: int = -1) -> list[tuple[str, str]]:
        """The (role, content) pairs of a request that the model got."""
        return [(m.role, m.content) for m in self.model.calls[call].messages]
