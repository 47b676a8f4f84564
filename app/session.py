"""The session: what the page may ask, as one flat list of intents over the ports.

A facade. The parts live in ``state/``: ``library`` (conversations), ``talking`` (what is said in
one), ``answering`` (one answer), ``exchange`` (import and export), ``memory_intents`` and
``settings_intents``. Intents never raise, but for ``Refused`` where a person has typed something
that must not be lost.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from app.memory.engine import ConversationMemory, MemoryEngine
from app.memory.ledger import Fold
from app.memory.ports import Clock, Ids
from app.memory.scanner import Scanner
from app.models.usage import UsageRecord
from app.state.app_state import NO_LOCAL_MODEL, AppState
from app.state.desk import Desk
from app.state.drafts import Drafts
from app.state.exchange import Exchange
from app.state.library import Library
from app.state.local_loading import LocalLoading
from app.state.local_values import LocalValues
from app.state.memory_intents import MemoryIntents
from app.state.partials import Partials
from app.state.ports import Channel, LocalModel, Locks, ModelSource
from app.state.read_ahead import ReadAhead
from app.state.repository import Repository
from app.state.settings import Settings, policy
from app.state.settings_intents import SettingsIntents
from app.state.settings_store import SettingsStore
from app.state.summary_mirror import Summary, SummaryMirror
from app.state.tabs import Tabs
from app.state.taking_up import TakingUp
from app.state.talking import Talking

OURS = "pleat."  # what every key of the page begins with


class Session(MemoryIntents, SettingsIntents):
    """All intents of the page. ``report`` is told of faults of the program itself."""

    def __init__(
        self,
        *,
        state: AppState,
        repository: Repository,
        values: LocalValues,
        settings: SettingsStore,
        engine: MemoryEngine,
        models: ModelSource,
        mirror: SummaryMirror,
        channel: Channel,
        clock: Clock,
        ids: Ids,
        locks: Locks,
        local: LocalModel | None = None,
        report: Callable[[BaseException], None],
        retry_storage: Callable[[], Any] | None = None,
    ) -> None:
        self.state = state
        self._values, self._store, self._local = values, settings, local
        self._retry_storage = retry_storage
        tab = ids.new()
        self._tabs = Tabs(tab, locks, values, clock)
        self._desk = Desk(
            state, repository, engine, models, mirror, channel, clock, ids, locks, report, tab
        )
        self._desk.change_settings = self._change_settings
        self._library = Library(self._desk, values, self._tabs)
        self._loading = None if local is None else LocalLoading(self._desk, local)
        if self._loading is not None:
            self._desk.wait_for_model = self._loading.wait
        self._ahead = ReadAhead(self._desk)
        self._drafts = Drafts(self._desk, self._library, values)
        kept = (self._drafts, Partials(values))
        self._talking = Talking(self._desk, self._library, kept, self._tabs, self._ahead)
        self._taking_up = TakingUp(self._desk, self._talking.fold_in_background)
        self._exchange = Exchange(self._desk, self._library)
        self._loading_models = 0

    # -- start ----------------------------------------------------------------------------

    async def start(self) -> None:
        """Read what is stored and draw it; hear the other tabs from now on."""
        desk = self._desk
        desk.settings = self._store.load()
        self._publish_settings()
        if self._loading is not None:
            self._loading.publish("absent")
        else:
            self.state.local_model.publish({**NO_LOCAL_MODEL, "state": "failed"})
        await self._tabs.start()
        desk.channel.watch(lambda text: desk.spawn(self._library.heard(text)))
        desk.mirror.on_other_tab = lambda id: desk.spawn(self._library.refresh(id))
        self._values.watch(self._heard_value)
        await self._library.load()
        self._taking_up.soon()
        desk.spawn(self._scanner().run())

    def _scanner(self) -> Scanner:
        """Folds under pressure while nobody waits, where the preset says so."""
        desk, library = self._desk, self._library

        async def conversations() -> Sequence[tuple[str, object]]:
            return library.marks()

        async def load(id: str) -> ConversationMemory | None:
            opened = await library.loaded(id)
            return None if opened is None or opened.busy else desk.memory(opened)

        def every() -> int | None:
            chosen = policy(desk.settings)
            return None if chosen.scan_share is None else chosen.scan_every_ms

        def idle() -> bool:
            return not any(opened.busy for opened in library.opened())

        return Scanner(
            desk.engine, desk.clock, desk.locks, conversations, load, idle, every, desk.report
        )

    def current_settings(self) -> Settings:
        """The settings as they are now (for the models that they name)."""
        return self._desk.settings

    def fold_committed(self, memory: ConversationMemory, fold: Fold) -> None:
        """A fold is in the ledger: publish, then mirror."""
        opened = self._library.get(memory.id)
        if opened is not None:
            self._desk.committed(opened, memory)
            self._ahead.soon(opened)
        else:  # the scanner's: nothing of it is shown
            self._desk.mirror.committed(memory.id, memory.current)
            self._desk.tell_tabs(memory.id)

    def used(self, usage: UsageRecord) -> None:
        """A model was called: log it."""
        opened = self._library.get(usage.conversation_id)
        if opened is not None:
            opened.usage.append(usage)
        self._desk.spawn(self._desk.repository.add_usage(usage))

    def tokenizer_ready(self) -> None:
        """Counts are exact from now on: count again what is open."""
        self._rebuild_memories()

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run in the background; what it raises is reported."""
        self._desk.spawn(work)

    def memory_record(self) -> dict[str, Any] | None:
        """The published memory of the shown conversation, None when nothing is folded."""
        opened = self._desk.shown
        fold = None if opened is None else self._desk.memory(opened).current
        return None if fold is None else Summary.of(fold).record()

    async def settled(self) -> None:
        """Wait for the answers and folds that are on their way (for tests and scripts)."""
        for _ in range(20):
            opened = self._desk.shown
            tasks = [] if opened is None else [opened.task, opened.folding]
            running = [task for task in tasks if task is not None and not task.done()]
            if not running:
                return
            await asyncio.wait(running)

    # -- conversations --------------------------------------------------------------------

    async def new_conversation(self) -> None:
        """Show a new chat."""
        self._library.new()

    async def open_conversation(self, id: str) -> None:
        """Show a conversation."""
        if await self._library.open(id):
            self._taking_up.soon()
        else:
            self.state.notify.say("This chat is not here any more.", "warning")

    async def rename_conversation(self, id: str, title: str) -> None:
        """Give a conversation another title."""
        await self._library.rename(id, title)

    async def delete_conversation(self, id: str) -> None:
        """Delete; ``undo_delete`` brings it back for a while."""
        await self._library.delete(id)

    async def delete_all(self) -> None:
        """Delete all conversations for good."""
        await self._library.delete_all()

    async def delete_everything(self) -> None:
        """Delete all that this browser holds of the page; the page's script does the rest."""
        await self._library.delete_all()
        for key in self._values.keys(OURS):
            self._values.set_text(key, None)

    async def undo_delete(self) -> None:
        """Bring back the conversation that was deleted last."""
        await self._library.undo_delete()

    async def search(self, query: str) -> None:
        """Narrow the list to conversations that hold all words, in title or text."""
        await self._library.search(query)

    # -- talking --------------------------------------------------------------------------

    async def send(self, text: str) -> None:
        """Ask. Returns when the question is stored; raises ``Refused`` when it is not taken."""
        await self._talking.send(text)

    async def stop(self) -> None:
        """Stop the answer, or the fold, of the shown conversation."""
        await self._talking.stop()

    def leaving(self) -> None:
        """The page is hidden or left: keep at once what would be lost, then properly."""
        self._talking.keep_partials()
        self._desk.spawn(self._talking.save_partial())

    async def skip(self) -> None:
        """Do not wait for the summarising model any longer."""
        if self._desk.shown is not None:
            self._desk.engine.skip(self._desk.shown.id)

    async def regenerate(self, message_id: str) -> None:
        """Another answer beside this one."""
        await self._talking.regenerate(message_id)

    async def retry(self, message_id: str) -> None:
        """Ask again after a failure; the question stays the one that it is."""
        await self._talking.regenerate(message_id)

    async def edit(self, message_id: str, text: str) -> None:
        """Say it otherwise, as a branch."""
        await self._talking.edit(message_id, text)

    async def continue_answer(self, message_id: str) -> None:
        """Ask for the rest of an answer."""
        await self._talking.continue_answer(message_id)

    async def switch_branch(self, message_id: str) -> None:
        """Show another branch."""
        await self._talking.switch_branch(message_id)

    async def delete_message(self, message_id: str) -> None:
        """Take one message out."""
        await self._talking.delete_message(message_id)

    async def pin(self, turn_id: str, on: bool) -> None:
        """Keep a turn word for word, or no longer."""
        await self._talking.pin(turn_id, bool(on))

    async def exclude(self, turn_id: str, on: bool) -> None:
        """Leave a turn out, or take it in again."""
        await self._talking.exclude(turn_id, bool(on))

    # -- files, notices, drafts -----------------------------------------------------------

    async def export_all(self) -> str:
        """Everything but keys, as JSON text."""
        return await self._exchange.export_all()

    async def import_text(self, name: str, text: str) -> dict[str, Any]:
        """Take the conversations of a file in; the report."""
        return await self._exchange.import_text(name, text)

    async def dismiss_notice(self, id: str) -> None:
        """Take a notice away."""
        self.state.notify.dismiss(id)

    async def retry_storage(self) -> None:
        """Try again to store what storage refused."""
        self._values.retry()
        if self._retry_storage is not None:
            await self._retry_storage()

    def set_draft(self, text: str, id: str = "") -> None:
        """Keep what is being typed in a conversation (of no id: in the shown one)."""
        self._drafts.set(text, id)

    def draft(self) -> str:
        """What was being typed in the shown conversation."""
        return self._drafts.shown()
