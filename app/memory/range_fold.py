"""Folding a range of the path, in as many chunks as the utility model's context asks for.

A call that fails leaves the rest to the summariser without a model; where a provisional fold
stands, that one stays.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from app.conversation.message import Message
from app.memory.commit import Committer, Read
from app.memory.conversation_memory import ConversationMemory
from app.memory.folding import MIN_CHUNK, Folded, chunk_room, gather, portions, split, without_model
from app.memory.ledger import Fold, Trigger
from app.memory.path import ActivePath
from app.memory.ports import Clock, Ids
from app.memory.results import CompactResult, result_of
from app.memory.tokens import Counter
from app.memory.utility import MODEL_WAIT_MS, Failed, Utilities, Utility
from app.models.errors import Aborted

DROPPED = CompactResult("dropped", reason="The conversation changed meanwhile.")
Progress = Callable[[int, int], None]  # messages done, messages in all


@dataclass(frozen=True, slots=True)
class Order:
    """What to fold, on what terms: the eligible messages of ``[start, end)`` of the path.

    ``keep``: commit each chunk that ends a turn; else only the whole (a replacement, a rebuild).
    """

    start: int
    end: int
    trigger: Trigger
    read: Read
    keep: bool
    progress: Progress | None = None
    wait_ms: float = MODEL_WAIT_MS
    replaces: str | None = None  # the provisional fold that the result stands for


class RangeFolder:
    """Asks, checks and commits, chunk by chunk."""

    def __init__(
        self,
        *,
        counter: Counter,
        clock: Clock,
        ids: Ids,
        utilities: Utilities,
        committer: Committer,
    ) -> None:
        self._counter, self._clock, self._ids = counter, clock, ids
        self._utilities, self._committer = utilities, committer

    async def fold(self, memory: ConversationMemory, order: Order) -> CompactResult:
        """Fold what is ordered. A call that fails leaves the rest to no model, for this turn."""
        messages = memory.path.select("eligible", order.start, order.end)
        limit = memory.settings.limits.summary
        utility, why = None, ""
        if not gather(order.read.parent, messages, limit, self._counter).is_small:
            utility, why = self._utilities.usable(memory, order.trigger)
        if order.replaces is not None and utility is None:
            return CompactResult("nothing", reason=why)
        work = _Work(memory, order, len(messages), self._clock.elapsed())
        if utility is not None:
            ended, messages, why = await self._by_model(work, utility)
            if ended is not None:
                return ended
        if messages:
            tokens_in = self.tokens_in(work.base, messages)
            folded = await self.by_hand(memory, work.base, messages, why)
            work.take(messages, folded, None, tokens_in)
            if not await self._commit(work):
                return DROPPED
        return result_of(work.last) if work.last else CompactResult("nothing")

    async def _by_model(
        self, work: _Work, utility: Utility
    ) -> tuple[CompactResult | None, list[Message], str]:
        """Fold by the model as far as it goes: how it ended (None: go on), the rest, and why."""
        memory, order, limit = work.memory, work.order, work.memory.settings.limits.summary
        previous = order.read.parent.text if order.read.parent else ""
        room = chunk_room(utility.context, limit, previous, self._counter)
        turns = _turns(memory.path, order.start, order.end)
        if room < MIN_CHUNK:
            why = "the summarising model's context is too small"
            if order.replaces is not None:
                return CompactResult("nothing", reason=why), [], why
            return None, [message for turn in turns for message in turn], why
        chunks = split(turns, room, self._counter)
        for index, (part, whole) in enumerate(chunks):
            material = gather(work.base, part, limit, self._counter)
            try:
                folded = await self._utilities.ask(
                    memory, utility, material, room, order.trigger, order.wait_ms
                )
            except Aborted:
                return CompactResult("cancelled", reason="The fold was stopped."), [], ""
            except Failed as failed:
                if order.replaces is not None:  # the provisional fold stays
                    return CompactResult("nothing", reason=str(failed)), [], ""
                return None, [m for rest, _ in chunks[index:] for m in rest], str(failed)
            work.take(part, folded, utility.name, material.tokens_in)
            last = index == len(chunks) - 1
            if ((order.keep and whole) or last) and not await self._commit(work):
                return DROPPED, [], ""
        return None, [], ""

    async def by_hand(
        self,
        memory: ConversationMemory,
        base: Fold | Folded | None,
        messages: Sequence[Message],
        note: str = "",
    ) -> Folded:
        """The summary made on this machine; a long backlog in portions, the page breathing."""
        policy, limit = memory.settings.policy, memory.settings.limits.summary
        folded: Folded | None = None
        for part in portions(messages, self._counter):
            if folded is not None:
                await asyncio.sleep(0)
            material = gather(folded or base, part, limit, self._counter)
            folded = without_model(material, self._counter, policy.fallback, note)
        assert folded is not None
        return folded

    async def _commit(self, work: _Work) -> bool:
        """Commit what was taken since the last commit; False when it must be dropped."""
        assert work.folded is not None
        memory, order = work.memory, work.order
        fold = self.entry(
            memory, work.parent, work.waiting, work.folded, order.trigger, work.model, work.began
        )
        fold = replace(fold, tokens_in=work.tokens_in, replaces=order.replaces)
        committed = await self._committer.commit(memory, fold, work.read)
        if committed is None:
            return False
        work.committed(committed, self._clock.elapsed())
        return True

    def entry(
        self,
        memory: ConversationMemory,
        parent: Fold | None,
        messages: Sequence[Message],
        folded: Folded,
        trigger: Trigger,
        model: str | None,
        began: float,
    ) -> Fold:
        """A ledger entry for ``messages``, not yet committed."""
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
            tokens_out=folded.tokens_out,
            count=len(messages),
            trigger=trigger,
            model=model or "",
            method=folded.method,
            used_fallback=model is None,
            duration_ms=round(self._clock.elapsed() - began),
            created_at=self._clock.now(),
            note=folded.note,
        )

    def tokens_in(self, parent: Fold | Folded | None, messages: Sequence[Message]) -> int:
        """What a fold of ``messages`` onto ``parent`` is given, in tokens with overheads."""
        return gather(parent, messages, 1, self._counter).tokens_in


class _Work:
    """How far a fold has come."""

    def __init__(self, memory: ConversationMemory, order: Order, total: int, began: float) -> None:
        self.memory, self.order, self.total, self.began = memory, order, total, began
        self.parent = order.read.parent
        self.read = order.read
        self.base: Fold | Folded | None = order.read.parent
        self.folded: Folded | None = None
        self.model: str | None = None
        self.waiting: list[Message] = []
        self.tokens_in = 0
        self.last: Fold | None = None
        self._done = 0

    def take(
        self, messages: Sequence[Message], folded: Folded, model: str | None, tokens_in: int
    ) -> None:
        """A chunk is summarised, not yet committed."""
        self.waiting += messages
        self.tokens_in += tokens_in
        self.folded = self.base = folded
        self.model = model

    def committed(self, fold: Fold, now: float) -> None:
        """What was taken is in the ledger; the next chunk builds on it."""
        self.parent = self.base = self.last = fold
        self.read = Read(fold, fold, self.read.before)
        self._done += len(self.waiting)
        self.waiting, self.tokens_in, self.began = [], 0, now
        if self.order.progress is not None:
            self.order.progress(self._done, self.total)


def _turns(path: ActivePath, start: int, end: int) -> list[list[Message]]:
    """The eligible messages of ``[start, end)`` by turn."""
    starts = [*path.turns_between(start, end), end]
    turns = [path.select("eligible", a, b) for a, b in pairwise(starts)]
    return [turn for turn in turns if turn]
