"""One Compact for every trigger: fold, check, commit by compare-and-swap, or cost nothing.

A fold commits only if its conversation still exists, the path up to its boundary is what it
read, and the current fold is the one it read. It writes nothing but the fold.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from app.conversation.message import INVISIBLE
from app.memory.commit import Committer, Read
from app.memory.conversation_memory import ConversationMemory
from app.memory.flights import Flights
from app.memory.folding import Folded, gather, without_model
from app.memory.ledger import Fold, Trigger
from app.memory.plan import Cut, too_little, window_start
from app.memory.ports import Clock, FoldStore, Ids
from app.memory.range_fold import Order, Progress, RangeFolder
from app.memory.results import CompactResult, result_of
from app.memory.tokens import Counter
from app.memory.utility import MODEL_WAIT_MS, Utilities
from app.models.roles import Roles
from app.models.usage import CallLog

GRACE_MS = 250
CutFor = Callable[[ConversationMemory, Fold | None], Cut | None]


class Compactor:
    """Runs folds for all conversations of this tab, one at a time for each."""

    def __init__(
        self,
        *,
        store: FoldStore,
        counter: Counter,
        clock: Clock,
        ids: Ids,
        roles: Callable[[], Roles],
        calls: CallLog,
        flights: Flights,
        committed: Callable[[ConversationMemory, Fold], None],
        report: Callable[[BaseException], None],
    ) -> None:
        self._counter, self._clock, self._report = counter, clock, report
        self._committer = Committer(store, clock, committed)
        self.flights = flights
        self._utilities = Utilities(
            counter=counter,
            clock=clock,
            roles=roles,
            calls=calls,
            flights=self.flights,
            report=report,
        )
        self._folder = RangeFolder(
            counter=counter,
            clock=clock,
            ids=ids,
            utilities=self._utilities,
            committer=self._committer,
        )

    def trial(self) -> None:
        """Settings changed, or a person asks: every model may be tried at once."""
        self._utilities.trial()

    async def refresh(self, memory: ConversationMemory) -> None:
        """Take in what other tabs have committed; a store that fails changes nothing."""
        try:
            await self._committer.refresh(memory)
        except Exception as fault:  # the answer goes out with what this tab knows
            self._report(fault)

    def draft(self, memory: ConversationMemory, cut: Cut, before: int | None) -> Fold:
        """The entry that a forced fold would make without a model; commits nothing."""
        started, parent = self._clock.elapsed(), memory.before(before)
        messages = memory.path.select("eligible", cut.start, cut.end)
        material = gather(parent, messages, memory.settings.limits.summary, self._counter)
        folded = without_model(material, self._counter, memory.settings.policy.fallback)
        return self._folder.entry(memory, parent, messages, folded, "overflow", None, started)

    async def fold_now(
        self, memory: ConversationMemory, cut: Cut, before: int | None, *, replaceable: bool
    ) -> tuple[Fold, bool]:
        """Fold at once without a model, so that the answer can go out; and whether it was kept.

        Committed where the rules allow; else the entry serves this request alone. A fold in
        flight is aborted once this one is committed. ``replaceable``: a model may replace it.
        """
        started, parent = self._clock.elapsed(), memory.before(before)
        messages = memory.path.select("eligible", cut.start, cut.end)
        folded = await self._folder.by_hand(memory, parent, messages)
        fold = self._folder.entry(memory, parent, messages, folded, "overflow", None, started)
        fold = replace(
            fold,
            tokens_in=self._folder.tokens_in(parent, messages),
            provisional=replaceable and folded.method != "verbatim" and self._utilities.exists,
        )
        try:
            committed = await self._committer.commit(memory, fold, Read(parent, parent, before))
        except Exception as fault:
            self._report(fault)
            committed = None
        if committed is None:
            return fold, False
        self.flights.abort(memory.id)
        return committed, True

    async def compact(
        self,
        memory: ConversationMemory,
        trigger: Trigger,
        cut_for: CutFor,
        *,
        before: Callable[[], int | None] = lambda: None,
        progress: Progress | None = None,
        within_ms: float | None = None,
    ) -> CompactResult:
        """Fold what ``cut_for(memory, current)`` says, by the utility model where there is one.

        ``within_ms``: no longer than that is anything waited for; the rest goes without a model.
        Cancelling keeps what is committed.
        """

        async def work() -> CompactResult:
            current = memory.before(before())
            cut = cut_for(memory, current)
            if cut is None:
                return CompactResult("nothing", reason="There is nothing to fold yet.")
            why = "" if cut.forced else too_little(memory.path, cut, memory.settings, trigger)
            if why:
                return CompactResult("nothing", reason=why)
            order = Order(
                cut.start,
                cut.end,
                trigger,
                Read(current, current, before()),
                keep=True,
                progress=progress,
                wait_ms=MODEL_WAIT_MS if within_ms is None else within_ms,
            )
            return await self._folder.fold(memory, order)

        return await self._alone(memory, trigger, work, within_ms)

    async def replace_provisional(self, memory: ConversationMemory) -> CompactResult:
        """Let the model's summary stand for the current provisional fold: same parent, boundary."""

        async def work() -> CompactResult:
            current = memory.current
            if current is None or not current.provisional:
                return CompactResult("nothing")
            parent = memory.ledger.get(current.parent_id)
            order = Order(
                window_start(memory.path, parent),
                window_start(memory.path, current),
                "auto",
                Read(parent, current, None),
                keep=False,
                replaces=current.id,
            )
            return await self._folder.fold(memory, order)

        return await self._alone(memory, "auto", work)

    async def rebuild(
        self, memory: ConversationMemory, progress: Progress | None = None
    ) -> CompactResult:
        """Fold the originals up to the current boundary again, as a new lineage."""

        async def work() -> CompactResult:
            current = memory.current
            if current is None:
                return CompactResult("nothing", reason="There is no summary to rebuild.")
            end, read = window_start(memory.path, current), Read(None, current, None)
            order = Order(0, end, "manual", read, keep=False, progress=progress)
            return await self._folder.fold(memory, order)

        return await self._alone(memory, "manual", work)

    async def edit(
        self, memory: ConversationMemory, text: str, based_on: str | None = None
    ) -> CompactResult:
        """Commit a summary written by hand: an entry of its own on the same boundary.

        ``based_on``: the fold whose text was edited; when another is current by now, the edit
        would pass over what that one covers, and is refused.
        """
        started = self._clock.elapsed()
        await self.refresh(memory)
        current = memory.current
        if current is None:
            return CompactResult("nothing", reason="There is no summary to edit.")
        if based_on is not None and based_on != current.id:
            reason = "The summary has changed since you began to edit it: look at it again."
            return CompactResult("dropped", reason=reason)
        lines = [line.rstrip() for line in text.splitlines() if line.strip(INVISIBLE)]
        text = "\n".join(lines).strip()
        limit, used = memory.settings.limits.summary, self._counter.text(text)
        if not text:
            return CompactResult("nothing", reason="A summary cannot be empty. Undo it instead.")
        if used > limit:
            reason = f"The summary holds {used} tokens; the limit is {limit}."
            return CompactResult("nothing", reason=reason)
        known = dict(zip(current.text.split("\n"), current.sources, strict=False))
        sources = tuple(known.get(line) for line in text.split("\n"))
        folded = Folded(text, sources, "edited", "", used)
        fold = self._folder.entry(memory, current, (), folded, "manual", None, started)
        fold = replace(
            fold,
            boundary=current.boundary,
            path_digest=current.path_digest,
            tokens_in=current.tokens_out,
            used_fallback=False,
        )
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
        within_ms: float | None = None,
    ) -> CompactResult:
        """Run ``work`` alone, on what other tabs have committed by then."""

        async def refreshed() -> CompactResult:
            await self._committer.refresh(memory)
            return await work()

        # A single call that takes too long ends by its own deadline: the breaker counts that.
        within_ms = None if within_ms is None else within_ms + GRACE_MS
        return await self.flights.alone(memory.id, trigger, refreshed, within_ms=within_ms)
