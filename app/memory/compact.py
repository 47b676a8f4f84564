"""One Compact for every trigger: fold, check, commit by compare-and-swap, or cost nothing.

A fold commits only if its conversation still exists, the path up to its boundary is what it
read, and the current fold is the one it read. It writes nothing but the fold.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from app.memory.commit import Committer, Read
from app.memory.conversation_memory import ConversationMemory
from app.memory.flights import Flights
from app.memory.folding import SMALL, Folded, Material, gather, without_model
from app.memory.ledger import Fold, Trigger
from app.memory.plan import Cut, window_start
from app.memory.ports import Clock, FoldStore, Ids, Locks
from app.memory.range_fold import MODEL_WAIT_MS, Progress, RangeFolder
from app.memory.results import CompactResult, result_of
from app.memory.tokens import Counter
from app.models.roles import Roles
from app.models.usage import CallLog


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
        self._counter, self._clock, self._roles = counter, clock, roles
        self._committer = Committer(store, clock, committed)
        self.flights = Flights(locks)
        self._folder = RangeFolder(
            counter=counter,
            clock=clock,
            ids=ids,
            roles=roles,
            calls=calls,
            committer=self._committer,
            flights=self.flights,
        )

    def reset_breakers(self) -> None:
        """Settings changed, or a person asks: every model gets a fresh trial."""
        self._folder.reset_breakers()

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
        fold = self._folder.entry(
            memory, parent, messages, folded, material, "overflow", None, started
        )
        fold = replace(fold, provisional=later)
        committed = await self._committer.commit(memory, fold, Read(parent, parent, before))
        self.flights.abort(memory.id)
        return committed or fold

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
            read = Read(current, current, before())
            return await self._folder.fold(
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
            start = window_start(memory.path, parent)
            end = (memory.path.position(current.boundary) or 0) + 1
            return await self._folder.fold(
                memory,
                start,
                end,
                "auto",
                Read(parent, current, None),
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
            return await self._folder.fold(
                memory,
                0,
                end,
                "manual",
                Read(None, current, None),
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
        fold = self._folder.entry(memory, current, (), folded, material, "manual", None, started)
        fold = replace(fold, boundary=current.boundary, path_digest=current.path_digest)
        fold = replace(fold, used_fallback=False)
        committed = await self._committer.commit(memory, fold, Read(current, current, None))
        if committed is None:
            return CompactResult("dropped", reason="The memory changed meanwhile.")
        return result_of(committed)

    async def undo(self, memory: ConversationMemory) -> CompactResult:
        """Retire the last fold: its parent is the memory again; auto folding waits."""
        try:
            retired = await self._committer.retire(memory)
        except LookupError as error:
            return CompactResult("dropped", reason=str(error))
        if not retired:
            return CompactResult("nothing", reason="There is no fold to undo.")
        memory.activity.hold_auto = True
        return CompactResult("folded", count=retired)

    async def _alone(
        self,
        memory: ConversationMemory,
        trigger: Trigger,
        work: Callable[[], Awaitable[CompactResult]],
    ) -> CompactResult:
        """Run ``work`` alone, on what other tabs have committed by then."""

        async def refreshed() -> CompactResult:
            await self._committer.refresh(memory)
            return await work()

        return await self.flights.alone(memory.id, trigger, refreshed)
