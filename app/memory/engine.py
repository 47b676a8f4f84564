"""The memory engine: what ``session.py`` talks to.

``open`` a path, ``prepare`` each request (folding if it must), tell it ``after_answer``; the
rest is what a person may do to a memory: fold now, undo, rebuild, edit, look.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from app.conversation.message import Message
from app.conversation.tree import Conversation
from app.memory.budget import MIN_CONTEXT, answer_room, learn_factor
from app.memory.compact import Compactor
from app.memory.conversation_memory import Activity, ConversationMemory, open_memory
from app.memory.ledger import Fold, Trigger
from app.memory.payload import Payload, build
from app.memory.plan import Cut, Plan, plan, plan_background, plan_manual
from app.memory.policies import MemorySettings
from app.memory.ports import Clock, FoldStore, Ids, Locks
from app.memory.range_fold import Progress
from app.memory.recollection import Recollection
from app.memory.report import memory_view, request_view
from app.memory.results import CompactResult
from app.memory.tokens import Counter
from app.models.errors import ContextOverflow
from app.models.port import Usage, WireMessage
from app.models.roles import Roles
from app.models.usage import CallLog, UsageRecord

__all__ = ["ConversationMemory", "MemoryEngine", "Prepared"]

OnState = Callable[..., None]  # (state, can_skip)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A request that may go out. Sizes in counted tokens, ``max_tokens`` in the model's."""

    messages: list[WireMessage]
    max_tokens: int | None
    account: dict[str, int]
    notices: list[str]
    cut: bool
    payload: Payload
    saved: int  # tokens folded away from this request, less the summary


@dataclass(frozen=True, slots=True)
class Learned:
    """What servers taught of a model: its factor, and its context size when it said one."""

    factor: float = 1.0
    context_size: int | None = None

    def applied(self, settings: MemorySettings) -> MemorySettings:
        """The settings with what was learned; a learned size only ever lowers the set one."""
        size = settings.context_size
        if self.context_size is not None:
            size = min(size, self.context_size)
        return replace(settings, factor=self.factor, context_size=size)


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
    ) -> None:
        self._counter, self._clock = counter, clock
        calls = CallLog(usage, ids.new, clock.now, clock.elapsed, counter.text)
        self._compactor = Compactor(
            store=folds,
            counter=counter,
            clock=clock,
            ids=ids,
            locks=locks,
            roles=roles,
            calls=calls,
            committed=committed,
        )
        self._activities: dict[str, Activity] = {}
        self._recollections: dict[str, Recollection] = {}
        self.learned: dict[str, Learned] = {}  # by MemorySettings.model; the session may keep it

    @property
    def counter(self) -> Counter:
        """The counter that plans, checks and shows."""
        return self._counter

    def open(
        self,
        conversation: Conversation,
        path: Sequence[Message],
        ledger: Sequence[Fold],
        settings: MemorySettings,
    ) -> ConversationMemory:
        """The memory of a path; needed anew after each change that is no append."""
        activity = self._activities.setdefault(conversation.id, Activity())
        settings = self.learned.get(settings.model, Learned()).applied(settings)
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
        self._compactor.flights.abort(conversation_id)
        self._activities.pop(conversation_id, None)
        self._recollections.pop(conversation_id, None)

    # -- a request ------------------------------------------------------------------------

    async def prepare(
        self, memory: ConversationMemory, *, on_state: OnState | None = None
    ) -> Prepared:
        """The request for the newest question, folded first where budget or preset say so.

        A failed fold costs nothing: the answer can always go out. Cancelling stops the fold.
        """
        memory.activity.hold_auto = False
        current = memory.current_for_answer()
        planned = plan(memory.path, current, memory.settings, self._counter)
        if planned.cut is not None:
            current = await self._make_room(memory, planned, current, on_state)
            planned = plan(memory.path, current, memory.settings, self._counter)
        if planned.cut is not None and planned.cut.forced:
            # What was committed meanwhile did not free enough: fold for this request alone.
            current = await self._compactor.fold_now(memory, planned.cut, planned.question)
            planned = plan(memory.path, current, memory.settings, self._counter)
        payload = self._payload(memory, current, planned)
        return self._prepared(memory, current, planned, payload)

    async def _make_room(
        self,
        memory: ConversationMemory,
        planned: Plan,
        current: Fold | None,
        on_state: OnState | None,
    ) -> Fold | None:
        """Fold what the plan says: at once, or by the model where the preset waits for it."""
        cut, question = planned.cut, planned.question
        assert cut is not None
        if not memory.settings.policy.waits:
            return await self._compactor.fold_now(memory, cut, question)
        if on_state is not None:
            on_state("folding", can_skip=True)

        def cut_for(memory: ConversationMemory, current: Fold | None) -> Cut | None:
            return plan(memory.path, current, memory.settings, self._counter).cut

        await self._compactor.compact(
            memory,
            "overflow",
            cut_for,
            before=lambda: question,
            wait_ms=memory.settings.policy.wait_ms,
            force=True,
        )
        if on_state is not None:
            on_state("preparing")
        return memory.current_for_answer()

    def _payload(self, memory: ConversationMemory, current: Fold | None, planned: Plan) -> Payload:
        recall = None
        if memory.settings.limits.recall and current is not None:
            recollection = self._recollections.setdefault(memory.id, Recollection())
            recall = recollection.recall(memory, planned, self._counter)
        return build(memory.path, current, planned, memory.settings, self._counter, recall)

    def _prepared(
        self,
        memory: ConversationMemory,
        current: Fold | None,
        planned: Plan,
        payload: Payload,
    ) -> Prepared:
        settings, path = memory.settings, memory.path
        for notice in payload.notices:
            memory.activity.tell(notice)
        notices, memory.activity.notices = memory.activity.notices, []
        folded_away = path.tokens("eligible", 0, planned.window_start) if current else 0
        return Prepared(
            messages=list(payload.messages),
            max_tokens=answer_room(settings.limits, payload.tokens, settings.max_tokens),
            account=payload.account(),
            notices=notices,
            cut=payload.cut,
            payload=payload,
            saved=max(0, folded_away - planned.sizes.summary) if current else 0,
        )

    def preview(self, memory: ConversationMemory) -> Payload:
        """The next request as it would go out now, without folding first."""
        current = memory.current_for_answer()
        return self._payload(
            memory, current, plan(memory.path, current, memory.settings, self._counter)
        )

    def overflowed(self, memory: ConversationMemory, error: ContextOverflow) -> bool:
        """A server found the prompt too long: learn its size, or halve it. True: try once more."""
        question = memory.question_id()
        size = memory.settings.context_size
        stated = error.limit if MIN_CONTEXT // 2 < error.limit < size else 0
        learned = max(MIN_CONTEXT, stated or size // 2)
        if memory.activity.retried == question or learned >= size:
            return False
        memory.activity.retried = question
        self._learn(memory, context_size=learned)
        said = "said that its context is" if stated else "found the prompt too long: it is taken as"
        memory.activity.tell(f"The server {said} {learned} tokens.", once=False)
        return True

    def learn(self, memory: ConversationMemory, counted: int, usage: Usage) -> str | None:
        """Learn the model's factor from the server's count; a notice when it cut the prompt."""
        factor, truncated = learn_factor(memory.settings.factor, counted, usage.prompt_tokens)
        if truncated:
            notice = (
                f"The server read only {usage.prompt_tokens} of about {counted} tokens: it cuts the"
                " prompt silently. Set the context size to what the server is started with."
            )
            if "silent" not in memory.activity.told:
                memory.activity.told.add("silent")
                return notice
        if factor != memory.settings.factor:
            self._learn(memory, factor=factor)
        return None

    def _learn(
        self,
        memory: ConversationMemory,
        *,
        factor: float | None = None,
        context_size: int | None = None,
    ) -> None:
        """Keep what was learned of the model, for this memory and for those opened later."""
        known = self.learned.get(memory.settings.model, Learned())
        known = Learned(
            known.factor if factor is None else factor,
            known.context_size if context_size is None else context_size,
        )
        self.learned[memory.settings.model] = known
        memory.settings = known.applied(memory.settings)

    # -- in the background ----------------------------------------------------------------

    async def after_answer(self, memory: ConversationMemory) -> CompactResult:
        """Replace a provisional fold, or fold ahead of the next question; nobody waits for it."""
        activity = memory.activity
        if activity.hold_auto:
            return CompactResult(
                "nothing", reason="After an undo, the next question is waited for."
            )
        current = memory.current
        if current is not None and current.provisional:
            result = await self._compactor.replace_provisional(memory)
            if result.status != "nothing":
                return result
        if activity.ineffective >= 2:
            return CompactResult("nothing", reason="Folding frees nothing here.")
        if plan_background(memory.path, current, memory.settings, self._counter) is None:
            return CompactResult("nothing")
        result = await self._compactor.compact(memory, "auto", self._background_cut)
        if result.status == "folded":
            soft = plan_background(memory.path, memory.current, memory.settings, self._counter)
            activity.ineffective = activity.ineffective + 1 if soft is not None else 0
            if activity.ineffective >= 2:
                activity.tell("Folding frees too little in this chat: it is paused.")
        return result

    def _background_cut(self, memory: ConversationMemory, current: Fold | None) -> Cut | None:
        return plan_background(memory.path, current, memory.settings, self._counter)

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
            self._compactor.reset_breakers()
            memory.activity.attempted = ""

        def cut_for(memory: ConversationMemory, current: Fold | None) -> Cut | None:
            return plan_manual(memory.path, current, memory.settings)

        return await self._compactor.compact(memory, trigger, cut_for, progress=progress)

    async def rebuild(
        self, memory: ConversationMemory, progress: Progress | None = None
    ) -> CompactResult:
        """Fold the originals up to the boundary again, as a new lineage."""
        self._compactor.reset_breakers()
        memory.activity.attempted = ""
        return await self._compactor.rebuild(memory, progress)

    async def undo(self, memory: ConversationMemory) -> CompactResult:
        """Back to the parent of the current fold; auto folding waits for the next question."""
        self._compactor.flights.abort(memory.id)
        return await self._compactor.undo(memory)

    async def edit(self, memory: ConversationMemory, text: str) -> CompactResult:
        """The summary, written by hand."""
        return await self._compactor.edit(memory, text)

    def why_not_pin(self, memory: ConversationMemory, turn_id: str) -> str:
        """Why a turn cannot be pinned; "" when it can."""
        start = memory.path.position(turn_id)
        if start is None:
            return "This turn is not on the open branch."
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
        return self._compactor.flights.skip(conversation_id)

    def cancel(self, conversation_id: str) -> bool:
        """Stop the fold in flight; what it has committed stays."""
        return self._compactor.flights.abort(conversation_id)

    def busy(self, conversation_id: str) -> bool:
        """Whether this tab folds the conversation now."""
        return self._compactor.flights.busy(conversation_id)

    def settings_changed(self) -> None:
        """Every summarising model gets a fresh trial."""
        self._compactor.reset_breakers()

    def view(self, memory: ConversationMemory) -> dict[str, object]:
        """What the panel shows (see ``report.py``)."""
        return memory_view(memory, self._counter, self.busy(memory.id))

    def request_view(self, memory: ConversationMemory) -> dict[str, object]:
        """ "What the model sees": the next request, and each message's state and reason."""
        return request_view(memory, self.preview(memory))
