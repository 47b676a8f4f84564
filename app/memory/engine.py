"""The memory engine: what ``session.py`` talks to.

``open`` a path, ``prepare`` each request (folding if it must), tell it ``after_answer``; the
rest is what a person may do to a memory: fold now, undo, rebuild, edit, look. What folds and
recalls is imported when it is first needed, so that the page is drawn before (see ``warm``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from app.conversation.message import Message
from app.conversation.tree import Conversation
from app.memory.conversation_memory import Activity, ConversationMemory, open_memory
from app.memory.flights import Flights
from app.memory.learning import Learned, Learning
from app.memory.ledger import Fold, Trigger
from app.memory.plan import Cut, measure, plan_background, plan_manual
from app.memory.policies import MemorySettings
from app.memory.ports import Clock, FoldStore, Ids, Locks
from app.memory.report import fold_history, line_sources, memory_view, request_view
from app.memory.results import CompactResult
from app.memory.tokens import Counter
from app.models.errors import ContextOverflow
from app.models.port import Usage
from app.models.roles import Roles
from app.models.usage import CallLog, UsageRecord

if TYPE_CHECKING:
    from app.memory.compact import Compactor
    from app.memory.payload import Payload
    from app.memory.prepare import OnState, Prepared, Preparer
    from app.memory.range_fold import Progress

__all__ = ["ConversationMemory", "Learned", "MemoryEngine"]

HELD = "After an undo, the next question is waited for."


class MemoryEngine:
    """The engine of one tab: all its conversations, one compactor, one counter."""

    def __init__(
        self,
        *,
        folds: FoldStore,
        counter: Counter,
        clock: Clock,
        ids: Ids,
        locks: Locks,
        roles: Callable[[], Roles],
        usage: Callable[[UsageRecord], None],
        committed: Callable[[ConversationMemory, Fold], None] = lambda memory, fold: None,
        report: Callable[[BaseException], None] = lambda fault: None,
    ) -> None:
        """``report`` is told of faults of the program; the answer goes out in spite of them."""
        self._counter, self._report = counter, report
        self._flights = Flights(locks, clock)
        self._parts: dict[str, Any] = {
            "store": folds,
            "counter": counter,
            "clock": clock,
            "ids": ids,
            "roles": roles,
            "calls": CallLog(usage, ids.new, clock.now, clock.elapsed, counter.text),
            "flights": self._flights,
            "committed": committed,
            "report": report,
        }
        self._activities: dict[str, Activity] = {}
        self._learning = Learning()

    @cached_property
    def _compactor(self) -> Compactor:
        from app.memory.compact import Compactor

        return Compactor(**self._parts)

    @cached_property
    def _preparer(self) -> Preparer:
        from app.memory.prepare import Preparer

        return Preparer(self._compactor, self._counter, self._report)

    def warm(self) -> None:
        """Import what folds and recalls now, so that the first answer does not wait for it."""
        _ = self._preparer

    @property
    def counter(self) -> Counter:
        """The counter that plans, checks and shows."""
        return self._counter

    @property
    def learned(self) -> dict[str, Learned]:
        """What was learned, by ``MemorySettings.model``; the session may keep it."""
        return self._learning.models

    def open(
        self,
        conversation: Conversation,
        path: Sequence[Message],
        ledger: Sequence[Fold],
        settings: MemorySettings,
    ) -> ConversationMemory:
        """The memory of a path; needed anew after each change that is no append."""
        activity = self._activities.setdefault(conversation.id, Activity())
        settings = self._learning.applied(settings)
        memory = open_memory(
            conversation, list(path), list(ledger), settings, self._counter, activity
        )
        if memory.path.suspended:
            activity.tell(
                "Pinned turns hold more than a quarter of this model's context:"
                " the oldest are folded like others."
            )
        return memory

    def forget(self, conversation_id: str) -> None:
        """The conversation is closed or deleted: stop its fold, drop what is kept for it."""
        self._flights.abort(conversation_id)
        self._activities.pop(conversation_id, None)
        if "_preparer" in self.__dict__:
            self._preparer.forget(conversation_id)

    # -- a request ------------------------------------------------------------------------

    async def prepare(
        self, memory: ConversationMemory, *, on_state: OnState | None = None
    ) -> Prepared:
        """The request for the newest question, folded first where budget or preset say so.

        A failed fold costs nothing: the answer can always go out. Cancelling stops the fold.
        """
        return await self._preparer.prepare(memory, on_state)

    def preview(self, memory: ConversationMemory) -> Payload:
        """The next request as it would go out now; what it would fold is folded for show."""
        return self._preparer.preview(memory)[0]

    def overflowed(self, memory: ConversationMemory, error: ContextOverflow) -> bool:
        """A server found the prompt too long: learn its size, or halve it. True: try once more."""
        return self._learning.overflowed(memory, error)

    def learn(self, memory: ConversationMemory, counted: int, usage: Usage) -> str | None:
        """Learn the model's factor from the server's count; a notice when it cut the prompt."""
        return self._learning.learn(memory, counted, usage)

    # -- in the background ----------------------------------------------------------------

    async def after_answer(self, memory: ConversationMemory) -> CompactResult:
        """Replace a provisional fold, or fold ahead of the next question; nobody waits for it."""
        from app.memory.utility import INEFFECTIVE

        if memory.held:
            return CompactResult("nothing", reason=HELD)
        activity, current = memory.activity, memory.current
        if current is not None and current.provisional:
            result = await self._compactor.replace_provisional(memory)
            if result.status != "nothing":
                return result
        if activity.ineffective >= INEFFECTIVE:
            return CompactResult("nothing", reason="Folding frees nothing here.")
        if self._background_cut(memory, memory.current) is None:
            return CompactResult("nothing")
        result = await self._compactor.compact(memory, "auto", self._background_cut)
        if result.status == "folded":
            self._judge(memory)
        return result

    def _background_cut(self, memory: ConversationMemory, current: Fold | None) -> Cut | None:
        return plan_background(memory.path, current, memory.settings, self._counter)

    def _judge(self, memory: ConversationMemory) -> None:
        """Whether a background fold was worth it: after two in a row that were not, no more."""
        settings, path = memory.settings, memory.path
        sizes = measure(path, memory.current, settings, self._counter, len(path), None)
        soft = math.floor((settings.policy.soft_share or 1.0) * settings.limits.context)
        memory.activity.judged(sizes.total <= soft)

    # -- by hand --------------------------------------------------------------------------

    async def compact(
        self,
        memory: ConversationMemory,
        trigger: Trigger = "manual",
        *,
        progress: Progress | None = None,
    ) -> CompactResult:
        """Fold all but the last turns now ("Summarize & continue", the scanner, from code)."""
        if trigger == "manual":
            self._by_hand(memory)
        elif memory.held:
            return CompactResult("nothing", reason=HELD)

        def cut_for(memory: ConversationMemory, current: Fold | None) -> Cut | None:
            return plan_manual(memory.path, current, memory.settings)

        return await self._compactor.compact(memory, trigger, cut_for, progress=progress)

    async def rebuild(
        self, memory: ConversationMemory, progress: Progress | None = None
    ) -> CompactResult:
        """Fold the originals up to the boundary again, as a new lineage."""
        self._by_hand(memory)
        return await self._compactor.rebuild(memory, progress)

    def _by_hand(self, memory: ConversationMemory) -> None:
        """A person asks: the model may be tried again, in this turn too."""
        self._compactor.trial()
        memory.activity.attempted, memory.activity.ineffective = "", 0

    async def undo(self, memory: ConversationMemory) -> CompactResult:
        """Back to the parent of the current fold; auto folding waits for the next question."""
        self._flights.abort(memory.id)
        return await self._compactor.undo(memory)

    async def edit(
        self, memory: ConversationMemory, text: str, based_on: str | None = None
    ) -> CompactResult:
        """The summary, written by hand over the text of the fold ``based_on``."""
        return await self._compactor.edit(memory, text, based_on)

    def why_not_pin(self, memory: ConversationMemory, turn_id: str) -> str:
        """Why a turn cannot be pinned; "" when it can."""
        start = memory.path.position(turn_id)
        if start is None:
            return "This turn is not on the open branch."
        if memory.path.turn_at(start) != start:
            return "Only a whole turn can be pinned."
        starts = memory.path.turns_between(start, len(memory.path))
        end = starts[1] if len(starts) > 1 else len(memory.path)
        cost = sum(memory.path.tokens(s, start, end) for s in ("eligible", "excluded"))
        held = memory.path.tokens("pinned", 0, len(memory.path))
        allowed = memory.settings.limits.pins
        if held + cost > allowed:
            return (
                f"Pinned turns may hold {allowed} tokens, a quarter of this model's context."
                f" This turn has {cost}; {held} are pinned already."
            )
        return ""

    def skip(self, conversation_id: str) -> bool:
        """Do not wait for the summarising model any longer."""
        return self._flights.skip(conversation_id)

    def cancel(self, conversation_id: str) -> bool:
        """Stop the fold in flight; what it has committed stays."""
        return self._flights.abort(conversation_id)

    def busy(self, conversation_id: str) -> bool:
        """Whether this tab folds the conversation now."""
        return self._flights.busy(conversation_id)

    def settings_changed(self) -> None:
        """Every summarising model gets a fresh trial; set context sizes count again."""
        if "_compactor" in self.__dict__:
            self._compactor.trial()
        self._learning.forget_sizes()
        for activity in self._activities.values():
            activity.attempted, activity.ineffective = "", 0

    # -- to look at -----------------------------------------------------------------------

    def view(self, memory: ConversationMemory) -> dict[str, object]:
        """What the panel shows (see ``report.py``)."""
        return memory_view(memory, self._counter, self.busy(memory.id))

    def request_view(self, memory: ConversationMemory) -> dict[str, object]:
        """ "What the model sees": the next request, and each message's state and reason."""
        return request_view(memory, *self._preparer.preview(memory))

    def history(self, memory: ConversationMemory, fold_id: str) -> list[dict[str, Any]]:
        """The summary of an entry against its parent's, line by line; [] for an unknown entry."""
        return fold_history(memory, fold_id)

    def sources(self, memory: ConversationMemory, fold_id: str, line: int) -> list[str]:
        """The ids of the messages that a line of an entry's summary (0 = first) came from."""
        return line_sources(memory, fold_id, line)
