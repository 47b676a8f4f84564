"""One Compact for every trigger: fold, check, commit by compare-and-swap, or cost nothing.

A fold commits only if its conversation still exists, the path up to its boundary is what it
read, and the current fold is the one it read. It writes nothing but the fold.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from app.conversation.message import Message
from app.memory.breaker import Breaker
from app.memory.conversation_memory import ConversationMemory
from app.memory.folding import (
    MIN_CHUNK,
    REPLY_SLACK,
    SMALL,
    Folded,
    Material,
    Rejected,
    chunk_room,
    from_reply,
    gather,
    request,
    split,
    without_model,
)
from app.memory.ledger import Fold, Trigger
from app.memory.path import ActivePath
from app.memory.plan import Cut
from app.memory.ports import Clock, FoldStore, Ids, Locks
from app.memory.summariser import Skipped, ask
from app.memory.tokens import Counter
from app.models.errors import Aborted, ModelError
from app.models.roles import Assigned, Roles
from app.models.usage import CallLog, LoggedModel

Status = Literal["folded", "nothing", "dropped", "busy", "cancelled"]
Progress = Callable[[int, int], None]  # messages done, messages in all
MODEL_WAIT_MS = 120_000  # a background call may take this long; nobody waits for it


@dataclass(frozen=True, slots=True)
class CompactResult:
    """How a fold ended. Sizes in tokens, ``duration_ms`` in ms; ``reason`` in plain words."""

    status: Status
    fold_id: str = ""
    count: int = 0
    model: str = ""
    used_fallback: bool = False
    content: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    duration_ms: int = 0
    reason: str = ""


@dataclass(slots=True)
class _Read:
    """What a fold read, and must find again when it commits."""

    parent: Fold | None  # the entry that the new one builds on
    current: Fold | None  # the entry that is the memory while it works
    before: int | None  # the question's index that the memory must not cover


class Compactor:
    """Runs folds for all conversations of this tab, one at a time for each."""

    def __init__(
        self,
        *,
        store: FoldStore,
        counter: Counter,
        clock: Clock,
        ids: Ids,
        locks: Locks,
        roles: Callable[[], Roles],
        calls: CallLog,
        committed: Callable[[ConversationMemory, Fold], None],
    ) -> None:
        self._store, self._counter, self._clock = store, counter, clock
        self._ids, self._locks, self._roles, self._calls = ids, locks, roles, calls
        self._committed = committed
        self._breakers: dict[str, Breaker] = {}
        self._flights: dict[str, asyncio.Task[object]] = {}
        self._skips: dict[str, asyncio.Event] = {}

    def breaker(self, model: str) -> Breaker:
        """The circuit breaker of one utility model."""
        return self._breakers.setdefault(model, Breaker())

    def reset_breakers(self) -> None:
        """Settings changed: every model gets a fresh trial."""
        for breaker in self._breakers.values():
            breaker.reset()

    def abort(self, conversation_id: str) -> bool:
        """Stop the fold in flight; what it has committed stays. False when there is none."""
        task = self._flights.get(conversation_id)
        if task is None or task.done():
            return False
        task.cancel()
        return True

    def skip(self, conversation_id: str) -> bool:
        """Do not wait for the model: the fold in flight ends without it."""
        event = self._skips.get(conversation_id)
        if event is None:
            return False
        event.set()
        return True

    def busy(self, conversation_id: str) -> bool:
        """Whether this tab folds the conversation now."""
        task = self._flights.get(conversation_id)
        return task is not None and not task.done()

    # -- without a model: an answer waits for it ------------------------------------------

    async def fold_now(self, memory: ConversationMemory, cut: Cut, before: int | None) -> Fold:
        """Fold at once without a model, so that the answer can go out; never fails.

        Committed where the rules allow; else the entry serves this request alone. A fold in
        flight is aborted once this one is committed.
        """
        started = self._clock.elapsed()
        parent = memory.ledger.current(memory.path, before)
        messages = memory.path.select("eligible", cut.start, cut.end)
        material = gather(parent, messages, memory.settings.limits.summary, self._counter)
        folded = without_model(material, self._counter, memory.settings.policy.fallback)
        utility = self._roles().summariser
        later = utility is not None and folded.method != "verbatim"
        fold = self._entry(memory, parent, messages, folded, material, "overflow", None, started)
        fold = replace(fold, provisional=later)
        committed = await self._commit(memory, fold, _Read(parent, parent, before))
        self.abort(memory.id)
        return committed or fold

    # -- with the model in the utility role ----------------------------------------------

    async def compact(
        self,
        memory: ConversationMemory,
        trigger: Trigger,
        cut_for: Callable[[ConversationMemory, Fold | None], Cut | None],
        *,
        before: Callable[[], int | None] = lambda: None,
        progress: Progress | None = None,
        wait_ms: float = MODEL_WAIT_MS,
        force: bool = False,
    ) -> CompactResult:
        """Fold what ``cut_for(memory, current)`` says, by the utility model where there is one.

        ``force``: fold even a little (an overflow). Cancelling keeps what is committed.
        """

        async def work() -> CompactResult:
            current = memory.ledger.current(memory.path, before())
            cut = cut_for(memory, current)
            if cut is None:
                return CompactResult("nothing", reason="There is nothing to fold yet.")
            tokens = memory.path.tokens("eligible", cut.start, cut.end)
            if not force and tokens < SMALL:
                return CompactResult("nothing", reason="Too little to fold: under 50 tokens.")
            if not force and memory.path.count("eligible", cut.start, len(memory.path)) < (
                memory.settings.policy.min_messages
            ):
                least = memory.settings.policy.min_messages
                reason = f"Fewer than {least} messages since the last summary."
                return CompactResult("nothing", reason=reason)
            read = _Read(current, current, before())
            return await self._fold_range(
                memory, cut.start, cut.end, trigger, read, progress, wait_ms, keep=True
            )

        return await self._alone(memory, trigger, work)

    async def replace_provisional(self, memory: ConversationMemory) -> CompactResult:
        """Let the model's summary stand for the current provisional fold: same parent, boundary."""

        async def work() -> CompactResult:
            current = memory.current
            if current is None or not current.provisional:
                return CompactResult("nothing")
            parent = memory.ledger.get(current.parent_id)
            start = _after(memory.path, parent)
            end = (memory.path.position(current.boundary) or 0) + 1
            return await self._fold_range(
                memory,
                start,
                end,
                "auto",
                _Read(parent, current, None),
                None,
                MODEL_WAIT_MS,
                keep=False,
                replaces=current.id,
            )

        return await self._alone(memory, "auto", work)

    async def rebuild(
        self, memory: ConversationMemory, progress: Progress | None = None
    ) -> CompactResult:
        """Fold the originals up to the current boundary again, as a new lineage."""

        async def work() -> CompactResult:
            current = memory.current
            if current is None:
                return CompactResult("nothing", reason="There is no summary to rebuild.")
            end = (memory.path.position(current.boundary) or 0) + 1
            return await self._fold_range(
                memory,
                0,
                end,
                "manual",
                _Read(None, current, None),
                progress,
                MODEL_WAIT_MS,
                keep=False,
            )

        return await self._alone(memory, "manual", work)

    async def edit(self, memory: ConversationMemory, text: str) -> CompactResult:
        """Commit a summary written by hand: an entry of its own on the same boundary."""
        started = self._clock.elapsed()
        current = memory.current
        if current is None:
            return CompactResult("nothing", reason="There is no summary to edit.")
        text = "\n".join(line.rstrip() for line in text.strip().splitlines() if line.strip())
        limit, used = memory.settings.limits.summary, self._counter.text(text)
        if not text:
            return CompactResult("nothing", reason="A summary cannot be empty. Undo it instead.")
        if used > limit:
            reason = f"The summary holds {used} tokens; the limit is {limit}."
            return CompactResult("nothing", reason=reason)
        material = Material(current.text, current.sources, (), limit, 0, 0)
        folded = Folded(text, (), "edited", "", used)
        fold = self._entry(memory, current, (), folded, material, "manual", None, started)
        fold = replace(fold, boundary=current.boundary, path_digest=current.path_digest)
        fold = replace(fold, used_fallback=False)
        committed = await self._commit(memory, fold, _Read(current, current, None))
        if committed is None:
            return CompactResult("dropped", reason="The memory changed meanwhile.")
        return _result(committed)

    async def undo(self, memory: ConversationMemory) -> CompactResult:
        """Retire the last fold: its parent is the memory again."""
        for _ in range(3):
            await self._refresh(memory)
            counters = await self._store.counters(memory.id)
            targets = memory.ledger.to_undo(memory.path)
            if counters is None or not targets:
                return CompactResult("nothing", reason="There is no fold to undo.")
            outcome = await self._store.retire_folds(memory.id, targets, commit=counters[1])
            if outcome in ("ok", "unsaved"):
                memory.ledger.retire(targets, self._clock.now())
                memory.conversation = replace(memory.conversation, commit=counters[1] + 1)
                memory.activity.hold_auto = True
                return CompactResult("folded", count=len(targets))
            if outcome == "gone":
                break
        return CompactResult("dropped", reason="The memory changed meanwhile.")

    # -- the parts ------------------------------------------------------------------------

    async def _alone(
        self,
        memory: ConversationMemory,
        trigger: Trigger,
        work: Callable[[], object],
    ) -> CompactResult:
        """Run ``work`` as the only fold of the conversation, across tabs where locks exist."""
        if self.busy(memory.id):
            if trigger == "auto":
                return CompactResult("busy", reason="A fold is running already.")
            await asyncio.wait({self._flights[memory.id]})
        release = await self._locks.acquire(f"pleat.fold.{memory.id}", wait=trigger != "auto")
        if release is None:
            return CompactResult("busy", reason="Another tab is folding this conversation.")
        self._skips[memory.id] = asyncio.Event()

        async def run() -> CompactResult:
            await self._refresh(memory)
            return await work()  # type: ignore[misc, return-value]

        task: asyncio.Task[CompactResult] = asyncio.ensure_future(run())  # type: ignore[arg-type]
        self._flights[memory.id] = task  # type: ignore[assignment]
        try:
            await asyncio.wait({task})
            if task.cancelled():
                return CompactResult("cancelled", reason="The fold was stopped.")
            return task.result()
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            raise
        finally:
            if self._flights.get(memory.id) is task:
                del self._flights[memory.id]
            self._skips.pop(memory.id, None)
            release()

    async def _fold_range(
        self,
        memory: ConversationMemory,
        start: int,
        end: int,
        trigger: Trigger,
        read: _Read,
        progress: Progress | None,
        wait_ms: float,
        *,
        keep: bool,
        replaces: str | None = None,
    ) -> CompactResult:
        """Fold the eligible messages of ``[start, end)`` in as many chunks as it takes.

        ``keep``: commit each chunk that ends a turn; else only the whole (a replacement, a
        rebuild). A call that fails leaves the rest to the summariser without a model; where a
        provisional fold stands, that one stays.
        """
        path, total = memory.path, memory.path.count("eligible", start, end)
        limit, counter = memory.settings.limits.summary, self._counter
        utility, why = self._usable(memory)
        if replaces is not None and utility is None:
            return CompactResult("nothing", reason=why)
        chunks = [(path.select("eligible", start, end), True)]
        room = 0
        if utility is not None:
            room = chunk_room(utility.context_size, limit, counter)
            if room < MIN_CHUNK:
                utility, why = None, "the summarising model's context is too small"
            else:
                chunks = split(_turns(path, start, end), room, counter)
        parent, done, last = read.parent, 0, None
        base: Fold | Folded | None = parent
        waiting: list[Message] = []
        tokens_in, began = 0, self._clock.elapsed()
        for index, (messages, whole) in enumerate(chunks):
            if utility is None and index:
                messages = [m for part, _ in chunks[index:] for m in part]
                whole = True
            material = gather(base, messages, limit, counter)
            folded, model = None, None
            if utility is not None:
                try:
                    folded = await self._by_model(memory, trigger, utility, material, room, wait_ms)
                    model = utility.model.name
                except Aborted:
                    return CompactResult("cancelled", reason="The fold was stopped.")
                except (ModelError, Rejected, Skipped) as error:
                    why = f"{error}" or "skipped"
                    if replaces is not None:
                        return CompactResult("nothing", reason=why)
                    utility = None
                    messages = [m for part, _ in chunks[index:] for m in part]
                    material, whole = gather(base, messages, limit, counter), True
            if folded is None:
                folded = without_model(material, counter, memory.settings.policy.fallback, note=why)
            waiting += messages
            tokens_in += material.tokens_in
            base = folded
            final = utility is None or index == len(chunks) - 1
            if (keep and whole) or final:
                fold = self._entry(memory, parent, waiting, folded, material, trigger, model, began)
                fold = replace(fold, tokens_in=tokens_in, replaces=replaces)
                committed = await self._commit(memory, fold, read)
                if committed is None:
                    return CompactResult("dropped", reason="The conversation changed meanwhile.")
                parent, last, base = committed, committed, committed
                read = _Read(committed, committed, read.before)
                done += len(waiting)
                waiting, tokens_in, began = [], 0, self._clock.elapsed()
                if progress is not None:
                    progress(done, total)
            if final:
                break
        return _result(last) if last else CompactResult("nothing")

    def _usable(self, memory: ConversationMemory) -> tuple[Assigned | None, str]:
        """The utility model if it may be asked now, else None and why not."""
        utility = self._roles().summariser
        if utility is None:
            return None, ""
        question = memory.question_id()
        why = self.breaker(utility.model.name).why_not(self._clock.now())
        if not why and question and memory.activity.attempted == question:
            why = "the summarising model was already asked in this turn"
        return (None, why) if why else (utility, "")

    async def _by_model(
        self,
        memory: ConversationMemory,
        trigger: Trigger,
        utility: Assigned,
        material: Material,
        room: int,
        wait_ms: float,
    ) -> Folded:
        """One call. Raises ``ModelError``, ``Rejected`` or ``Skipped``; the breaker is told."""
        breaker = self.breaker(utility.model.name)
        model = LoggedModel(utility.model, self._calls, memory.id, "utility", trigger)
        try:
            reply, finish = await ask(
                model,
                request(material, room, self._counter),
                max(16, int(material.cap * REPLY_SLACK)),
                clock=self._clock,
                wait_ms=wait_ms,
                skip=self._skips.get(memory.id),
            )
            folded = from_reply(reply, finish, material, self._counter)
            breaker.succeeded()
            return folded
        except Aborted:
            raise
        except (ModelError, Rejected) as failed:
            memory.activity.attempted = memory.question_id()
            breaker.failed(self._clock.now(), failed if isinstance(failed, ModelError) else None)
            if breaker.refused:
                memory.activity.tell(
                    f"The summarising model refused the call. {failed} Summaries are made"
                    " without a model until the settings change."
                )
            raise

    def _entry(
        self,
        memory: ConversationMemory,
        parent: Fold | None,
        messages: Sequence[Message],
        folded: Folded,
        material: Material,
        trigger: Trigger,
        model: str | None,
        started: float,
    ) -> Fold:
        boundary = messages[-1].id if messages else ""
        position = memory.path.position(boundary) if boundary else None
        return Fold(
            id=self._ids.new(),
            conversation_id=memory.id,
            parent_id=parent.id if parent else None,
            covered=tuple(m.id for m in messages),
            boundary=boundary,
            path_digest=memory.path.chain(position) if position is not None else "",
            text=folded.text,
            sources=folded.sources,
            tokens_in=material.tokens_in,
            tokens_out=folded.tokens_out,
            count=len(messages),
            trigger=trigger,
            model=model or "",
            method=folded.method,
            used_fallback=model is None,
            duration_ms=round(self._clock.elapsed() - started),
            created_at=self._clock.now(),
            note=folded.note,
        )

    async def _refresh(self, memory: ConversationMemory) -> None:
        """Take in what other tabs have committed."""
        counters = await self._store.counters(memory.id)
        if counters is not None and counters[1] != memory.conversation.commit:
            for fold in await self._store.folds(memory.id):
                memory.ledger.add(fold)
            memory.conversation = replace(memory.conversation, commit=counters[1])

    async def _commit(self, memory: ConversationMemory, fold: Fold, read: _Read) -> Fold | None:
        """Commit by compare-and-swap; None when what was read is no longer so."""
        for _ in range(5):
            counters = await self._store.counters(memory.id)
            if counters is None or counters[0] != memory.conversation.structure:
                return None
            if counters[1] != memory.conversation.commit:
                await self._refresh(memory)
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

    def _still(self, memory: ConversationMemory, fold: Fold, read: _Read) -> bool:
        """Whether path and current fold are what the fold read (with no await until the write)."""
        if not memory.ledger.valid(fold, memory.path):
            return False
        if fold.replaces is not None and memory.ledger.has_child(fold.replaces):
            return False
        now = memory.ledger.current(memory.path, read.before)
        return (now.id if now else None) == (read.current.id if read.current else None)


def _after(path: ActivePath, fold: Fold | None) -> int:
    position = path.position(fold.boundary) if fold else None
    return 0 if position is None else position + 1


def _turns(path: ActivePath, start: int, end: int) -> list[list[Message]]:
    """The eligible messages of ``[start, end)`` by turn."""
    starts = [*path.turns_between(start, end), end]
    turns = [path.select("eligible", a, b) for a, b in pairwise(starts)]
    return [turn for turn in turns if turn]


def _result(fold: Fold) -> CompactResult:
    return CompactResult(
        "folded",
        fold.id,
        fold.count,
        fold.model,
        fold.used_fallback,
        fold.text,
        fold.tokens_in,
        fold.tokens_out,
        fold.duration_ms,
        fold.note,
    )
