"""Folding a range of the path, in as many chunks as the utility model's context asks for.

A call that fails leaves the rest to the summariser without a model; where a provisional fold
stands, that one stays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from app.conversation.message import Message
from app.memory.breaker import Breaker
from app.memory.commit import Committer, Read
from app.memory.conversation_memory import ConversationMemory
from app.memory.flights import Flights
from app.memory.folding import (
    MIN_CHUNK,
    REPLY_SLACK,
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
from app.memory.ports import Clock, Ids
from app.memory.results import CompactResult, result_of
from app.memory.summariser import Skipped, ask
from app.memory.tokens import Counter
from app.models.errors import Aborted, ModelError
from app.models.roles import Assigned, Roles
from app.models.usage import CallLog, LoggedModel

Progress = Callable[[int, int], None]  # messages done, messages in all
MODEL_WAIT_MS = 120_000  # a background call may take this long; nobody waits for it


class RangeFolder:
    """Asks, checks and commits, chunk by chunk."""

    def __init__(
        self,
        *,
        counter: Counter,
        clock: Clock,
        ids: Ids,
        roles: Callable[[], Roles],
        calls: CallLog,
        committer: Committer,
        flights: Flights,
    ) -> None:
        self._counter, self._clock, self._ids = counter, clock, ids
        self._roles, self._calls = roles, calls
        self._committer, self._flights = committer, flights
        self._breakers: dict[str, Breaker] = {}

    def breaker(self, model: str) -> Breaker:
        """The circuit breaker of one utility model."""
        return self._breakers.setdefault(model, Breaker())

    def reset_breakers(self) -> None:
        """Settings changed, or a person asks: every model gets a fresh trial."""
        for breaker in self._breakers.values():
            breaker.reset()

    async def fold(
        self,
        memory: ConversationMemory,
        start: int,
        end: int,
        trigger: Trigger,
        read: Read,
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
                fold = self.entry(memory, parent, waiting, folded, material, trigger, model, began)
                fold = replace(fold, tokens_in=tokens_in, replaces=replaces)
                committed = await self._committer.commit(memory, fold, read)
                if committed is None:
                    return CompactResult("dropped", reason="The conversation changed meanwhile.")
                parent, last, base = committed, committed, committed
                read = Read(committed, committed, read.before)
                done += len(waiting)
                waiting, tokens_in, began = [], 0, self._clock.elapsed()
                if progress is not None:
                    progress(done, total)
            if final:
                break
        return result_of(last) if last else CompactResult("nothing")

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
                skip=self._flights.skipped(memory.id),
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

    def entry(
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


def _turns(path: ActivePath, start: int, end: int) -> list[list[Message]]:
    """The eligible messages of ``[start, end)`` by turn."""
    starts = [*path.turns_between(start, end), end]
    turns = [path.select("eligible", a, b) for a, b in pairwise(starts)]
    return [turn for turn in turns if turn]
