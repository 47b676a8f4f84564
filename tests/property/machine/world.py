"""The machine's world: one browser with several tabs, real sessions over one real store.

It looks at every request as it is prepared, every change as it is written and every fold as it is
committed, and holds them against what the store held at that moment.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from app.conversation.message import Message, is_sendable, sendable_text
from app.conversation.records import conversation_from_record, message_from_record
from app.conversation.tree import Tree
from app.memory.conversation_memory import ConversationMemory
from app.memory.ledger import Fold, Ledger
from app.memory.path import ActivePath
from app.memory.prepare import Prepared
from app.memory.scanner import Scanner
from app.memory.tokens import Counter
from app.models.port import WireMessage
from app.state.fields import Refused
from app.state.memory_store import MemoryStore
from app.state.open_conversation import OpenConversation
from app.state.ports import Change, Changed
from app.state.records import fold_from
from tests.property.machine.models import RAISED, Chatter, Holding, Summariser
from tests.property.machine.stores import Door, TabLocks
from tests.support import rules
from tests.support.tab import Browser, Tab

# A sentence, and what must not get lost from it.
SENTENCES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Ada does not eat {} at noon.", ("not",)),
    ("My code for {} is 4711.", ("4711",)),
    ("We never met {} in Brno.", ("never",)),
    ("If it rains, {} stays at home.", ("if",)),
    ("You may call {} unless it is late.", ("may", "unless")),
    ("Really, {}!", ()),
    ("The train to {} leaves at 7.45.", ("7.45",)),
    ("Kde není {}, tam nic není.", ("není",)),
    ("{} moved on 12 May 2024 for $99.", ("12", "2024", "99")),
)


class Page(Tab):
    """A tab of the machine."""

    door: Door
    summariser: Summariser
    chatter: Chatter
    scanner: Scanner

    def opened(self) -> list[OpenConversation]:
        """All conversations that the tab has loaded."""
        return self.session._library.opened()

    @property
    def shown(self) -> OpenConversation | None:
        """The one that is shown."""
        return self.session._desk.shown


class World:
    """See the module. ``steps`` counts the checks after each step."""

    def __init__(self, *, locks: bool = True) -> None:
        self.loop = asyncio.new_event_loop()
        self.loop.set_exception_handler(self._loop_fault)
        self.store = MemoryStore()
        self.browser = Browser(store=self.store)  # type: ignore[arg-type]
        self.with_locks = locks
        self.with_model = True
        self.holding = Holding()
        self.guards: dict[str, tuple[str, ...]] = {}
        self.planted = 0
        self.faults: list[BaseException] = []
        self.ledgers: dict[str, Fold] = {}
        self.read: dict[str, rules.Content] = {}
        self.truths: dict[str, rules.Truth] = {}
        self.corrupted: set[str] = set()
        self.first_seen: dict[str, tuple[str, str | None]] = {}
        self.word_of: dict[str, str] = {}
        self.streak: list[float] = []
        self.failed = self.chances = 0
        self.patience = 0
        self.running: list[asyncio.Task[None]] = []
        self.tabs: list[Page] = [self.open_tab(), self.open_tab()]
        self.quiesce()

    def _loop_fault(self, _: Any, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if error is not None:
            self.faults.append(error)

    # -- tabs -----------------------------------------------------------------------------

    def open_tab(self) -> Page:
        """A new tab, started."""
        door = Door(self.store, self._wrote)
        shared = self.browser.locks
        locks = TabLocks(shared, absent=not self.with_locks)
        self.browser.locks = locks  # type: ignore[assignment]
        page = Page(self.browser, store=door)
        self.browser.locks = shared
        page.door, page.tab_locks = door, locks  # type: ignore[attr-defined]
        page.chatter = Chatter(self.text, self.holding, lambda sent: self._sent(page, sent))
        page.models.model = page.chatter  # type: ignore[assignment]
        page.summariser = Summariser(self.holding, self._asked, self._ended)
        page.utility = page.summariser  # type: ignore[assignment]
        prepare, committed = page.engine.prepare, page.session.fold_committed
        page.prepared = None  # type: ignore[attr-defined]

        async def prepared(memory: ConversationMemory, **options: Any) -> Prepared:
            result = await prepare(memory, **options)
            page.prepared = result  # type: ignore[attr-defined]
            self.watch(lambda: rules.check_request(memory, result, page.counter, self.guards))
            return result

        def seen(memory: ConversationMemory, fold: Fold) -> None:
            self.watch(lambda: self._committed(page, memory, fold))
            committed(memory, fold)

        page.engine.prepare = prepared  # type: ignore[method-assign]
        page.session.fold_committed = seen  # type: ignore[method-assign]
        page.scanner = self._scanner(page)
        self.running.append(self.loop.create_task(page.session.start()))
        return page

    def _scanner(self, page: Page) -> Scanner:
        library, desk = page.session._library, page.session._desk

        async def conversations() -> Sequence[tuple[str, object]]:
            return [(each.id, object()) for each in library.all()]

        async def load(id: str) -> ConversationMemory | None:
            opened = await library.loaded(id)
            return None if opened is None else desk.memory(opened)

        return Scanner(
            engine=page.engine,
            clock=page.clock,
            locks=page.session._desk.locks,
            conversations=conversations,
            load=load,
            idle=lambda: all(not each.busy for each in page.opened()),
            every_ms=lambda: 15_000,
        )

    def close_tab(self, page: Page) -> None:
        """The tab is gone at once, whatever it was doing."""
        page.door.broken = True
        self.browser.area.tabs.remove(page.key_value)
        self.browser.area.channels.remove(page.channel)
        for task in [*page.session._desk.tasks, *self._of(page)]:
            task.cancel()
        for waiting in page.door.waiting:
            waiting.cancel()
        self.settle()
        page.tab_locks.gone()  # type: ignore[attr-defined]

    def reload(self, number: int) -> None:
        """Close a tab and open it again."""
        self.close_tab(self.tabs[number])
        self.failed = self.chances = 0
        self.streak = []
        self.tabs[number] = self.open_tab()
        self.settle()

    # -- time -----------------------------------------------------------------------------

    def start(self, page: Page, work: Coroutine[Any, Any, object]) -> None:
        """Begin an intent of the page, and let everything run until it waits."""

        async def guarded() -> None:
            try:
                await work
            except Refused:
                pass
            except asyncio.CancelledError:
                work.close()
                raise

        task = self.loop.create_task(guarded(), name=f"{id(page)}")
        task.add_done_callback(self._done)
        self.running.append(task)
        self.settle()

    def _of(self, page: Page) -> list[asyncio.Task[None]]:
        return [t for t in self.running if t.get_name() == f"{id(page)}" and not t.done()]

    def _done(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and task.exception() is not None:
            self.faults.append(task.exception())  # type: ignore[arg-type]

    def settle(self) -> None:
        """Let everything run until all wait for a door, a model or the clock."""

        async def rounds() -> None:
            idle = 0
            for _ in range(20_000):
                await asyncio.sleep(0)
                idle = 0 if self.loop._ready else idle + 1  # type: ignore[attr-defined]
                if idle > 1:
                    return
            raise AssertionError("something runs for ever")

        self.loop.run_until_complete(rounds())
        self.running = [task for task in self.running if not task.done()]

    def quiesce(self) -> None:
        """Open all doors, let the models go on; nothing may run, nothing be shown as busy."""
        self.settle()
        for _ in range(30):
            for page in self.tabs:
                page.door.open()
            self.holding.let()
            self.settle()
            loaded = [(page, opened) for page in self.tabs for opened in page.opened()]
            if not self.running and not any(o.busy or p.engine.busy(o.id) for p, o in loaded):
                break
        assert not self.running, self.running
        for page in self.tabs:
            rules.check_idle(page.state.busy.get())
            for opened in page.opened():
                assert not opened.busy and opened.state == "idle", opened.state
                assert not page.engine.busy(opened.id)

    def end(self) -> None:
        """Close all; nothing is left behind."""
        try:
            for page in self.tabs:
                self.close_tab(page)
            for task in asyncio.all_tasks(self.loop):
                task.cancel()
            self.settle()
            self.loop.run_until_complete(self.loop.shutdown_asyncgens())
        finally:
            self.loop.close()

    # -- texts ----------------------------------------------------------------------------

    def text(self, sentences: int) -> str:
        """Some sentences, each with a word that stands nowhere else."""
        found: list[str] = []
        for _ in range(sentences):
            self.planted += 1
            sentence, guarded = SENTENCES[self.planted % len(SENTENCES)]
            word = f"zq{self.planted}x"
            self.guards[word] = guarded
            found.append(sentence.format(word))
        return " ".join(found)

    # -- what is watched ------------------------------------------------------------------

    def watch(self, check: Callable[[], None]) -> None:
        """Run a check inside the program; what it finds must not be caught there."""
        try:
            check()
        except BaseException as error:
            self.faults.append(error)

    def _sent(self, page: Page, sent: Sequence[WireMessage]) -> None:
        prepared: Prepared | None = page.prepared  # type: ignore[attr-defined]
        self.watch(lambda: _same(prepared, sent))

    def _asked(self, sent: Sequence[WireMessage]) -> None:
        def check() -> None:
            rules.check_breaker(self.streak[-3:], self.browser.clock.elapsed())
            self.look()
            words = rules.planted(*(m.content for m in sent))
            ids = {self.word_of[word] for word in words if word in self.word_of}
            assert len(words) == len([w for w in words if w in self.word_of]), "unsaid words"
            ways = {id: self._ancestors(id) for id in ids}
            deepest = max(ways.values(), key=len, default=[])
            assert ids <= set(deepest), "the summariser was given messages of two branches"

        self.watch(check)

    def _ended(self, kind: str) -> None:
        if kind in RAISED:
            self.failed += 1
            self.streak.append(self.browser.clock.elapsed())
        else:
            self.streak = []

    def _ancestors(self, id: str) -> list[str]:
        found: list[str] = []
        at: str | None = id
        while at is not None and at in self.first_seen and at not in found:
            found.append(at)
            at = self.first_seen[at][1]
        return found

    def _wrote(self, change: Change, apply: Callable[[], Changed]) -> Changed:
        """A change of the store, with a look at what it held before where it is a commit."""
        added = [fold for record in change.put.get("folds", ()) if (fold := fold_from(record))]
        known = {fold.id for fold in self.folds(change.conversation_id)} if added else set()
        truths = {f.id: self.truth(f) for f in added if f.id not in known}
        changed = apply()
        if changed.outcome == "ok":
            for id, truth in truths.items():
                self.watch(lambda truth=truth: rules.check_lived(truth))
                self.truths[id] = truth
        return changed

    def _committed(self, page: Page, memory: ConversationMemory, fold: Fold) -> None:
        """A fold is in the ledger, and the tab has heard of it."""
        truth = self.truths[fold.id]
        rules.check_commit(memory, fold, truth)
        rules.check_bounded(memory, fold, page.counter)
        rules.check_no_second_child(fold, truth.ledger)
        lineage = memory.ledger.lineage(fold)
        if all(f.method not in ("tail", "edited") for f in lineage):
            rules.check_meaning(fold.text, self.guards)
        self.read[fold.id] = rules.contents(memory, fold.boundary)
        parents = {each.id: each.parent_id for each in truth.ledger}
        ledger = Ledger(truth.ledger)
        path = ActivePath(
            Counter(page.counter.tokenizer),
            memory.path.messages,
            pinned=memory.path.pinned,
            excluded=memory.path.excluded,
        )
        currents = {
            None if (f := ledger.current(path, before)) is None else f.id
            for before in (None, path.question())
        }
        # What the ledger has lost, the mirror may carry on.
        rules.check_current_was_read(fold, currents | self.corrupted, parents)

    # -- the store ------------------------------------------------------------------------

    def folds(self, conversation_id: str) -> list[Fold]:
        """The entries that the store holds."""
        found = self.store._members.get(("folds", conversation_id), {})
        texts = self.store._texts["folds"]
        return [f for id in found if (f := fold_from(json.loads(texts[id]))) is not None]

    def messages(self, conversation_id: str) -> list[Message]:
        """The messages that the store holds, relinked past those that were spliced."""
        found = self.store._members.get(("messages", conversation_id), {})
        records = [json.loads(self.store._texts["messages"][id]) for id in found]
        spliced = {r["id"]: r["parent_id"] for r in records if r.get("spliced")}
        kept: list[Message] = []
        for record in records:
            if record.get("spliced"):
                continue
            while record["parent_id"] in spliced:
                record["parent_id"] = spliced[record["parent_id"]]
            kept.append(message_from_record(record))
        return kept

    def truth(self, fold: Fold) -> rules.Truth:
        """What the store holds now of what a fold is about."""
        text = self.store._texts["conversations"].get(fold.conversation_id)
        record = json.loads(text) if text else None
        conversation = conversation_from_record(record) if record else None
        return rules.Truth(
            conversation is not None and conversation.deleted_at is None,
            tuple(Tree(self.messages(fold.conversation_id)).path(fold.boundary)),
            conversation.excluded if conversation else frozenset(),
            conversation.pinned if conversation else frozenset(),
            tuple(self.folds(fold.conversation_id)),
        )

    def look(self) -> None:
        """Note each message where it is first seen, and the words that stand in it."""
        for id, text in self.store._texts["messages"].items():
            if self.first_seen.get(id, ("", None))[0] == "whole":
                continue
            record = json.loads(text)
            if record.get("spliced"):
                continue
            message = message_from_record(record)
            state = "open" if message.status == "streaming" else "whole"
            parent = self.first_seen.get(id, ("", message.parent_id))[1]
            self.first_seen[id] = (state, parent)
            if is_sendable(message) or state == "open":
                for word in rules.planted(sendable_text(message)):
                    self.word_of[word] = id

    # -- after each step ------------------------------------------------------------------

    def check(self) -> None:
        """All that must hold between two steps."""
        self.faults += [fault for page in self.tabs for fault in page.faults]
        if self.faults:
            raise self.faults[0]
        self.look()
        self._patience()
        found = {
            fold.id: fold
            for text in self.store._texts["folds"].values()
            if (fold := fold_from(json.loads(text))) is not None
        }
        known = {id: f for id, f in self.ledgers.items() if id not in self.corrupted}
        rules.check_unchanged(known, found)
        self.ledgers = found
        rules.check_attempts(self.failed, self.chances + 1)
        for page in self.tabs:
            for opened in page.opened():
                if opened.memory is not None:
                    rules.check_current(opened.memory, self.read)
                    rules.check_once(opened.memory, self.corrupted)

    def _patience(self) -> None:
        """Nothing is held for ever, or nothing would happen any more."""
        held = bool(self.holding.gates) or any(p.door.shut for p in self.tabs)
        self.patience = self.patience + 1 if held else 0
        if self.patience > 6:
            self.patience = 0
            self.holding.let()
            for page in self.tabs:
                page.door.open()
            self.settle()


def _same(prepared: Prepared | None, sent: Sequence[WireMessage]) -> None:
    assert prepared is not None and list(sent) == prepared.messages, "not what was prepared"
