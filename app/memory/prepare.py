"""Preparing a request: fold first where budget or preset say so, then build the payload.

Whatever fails on the way, a request comes out that fits the budget and ends with the question.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.memory.budget import answer_room
from app.memory.compact import Compactor
from app.memory.conversation_memory import ConversationMemory
from app.memory.ledger import Fold
from app.memory.payload import Payload, build
from app.memory.plan import Cut, Plan, plan, too_little
from app.memory.prompts import SUMMARY_FRAME
from app.memory.recollection import Recollection
from app.memory.tokens import Counter
from app.memory.utility import INEFFECTIVE
from app.models.port import WireMessage

OnState = Callable[..., None]  # (state, can_skip)
TRIES = 3  # folds without a model for one request, while other tabs overtake them


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


class Preparer:
    """Makes the requests of all conversations of this tab."""

    def __init__(
        self,
        compactor: Compactor,
        counter: Counter,
        report: Callable[[BaseException], None],
    ) -> None:
        self._compactor, self._counter, self._report = compactor, counter, report
        self._recollections: dict[str, Recollection] = {}

    def forget(self, conversation_id: str) -> None:
        """Drop what is kept for the conversation."""
        self._recollections.pop(conversation_id, None)

    async def prepare(self, memory: ConversationMemory, on_state: OnState | None) -> Prepared:
        """See ``MemoryEngine.prepare``."""
        memory.activity.hold_auto = False
        await self._compactor.refresh(memory)
        current, planned = self._plan(memory)
        folded = planned.cut is not None
        waits = memory.settings.policy.waits and self._has_room(memory, planned)
        if folded and waits:
            await self._wait(memory, on_state)
            current, planned = self._plan(memory)
        alone: Fold | None = None  # a fold that serves this request and was not kept
        for _ in range(TRIES):
            if planned.cut is None or not self._must(memory, planned.cut, waits):
                break
            fold, kept = await self._compactor.fold_now(
                memory, planned.cut, planned.question, replaceable=self._has_room(memory, planned)
            )
            alone = None if kept else fold
            current, planned = self._plan(memory)
        if alone is not None and planned.cut is not None:
            current = alone
            planned = plan(memory.path, alone, memory.settings, self._counter)
        if folded:
            self._judge(memory, planned)
        payload = self._payload(memory, current, planned)
        return self._prepared(memory, planned, payload)

    def preview(self, memory: ConversationMemory) -> tuple[Payload, Fold | None]:
        """The next request and the memory that it carries; commits and asks nothing."""
        asked = memory.path.is_open()
        current = memory.current_for_answer()
        planned = plan(memory.path, current, memory.settings, self._counter, asked=asked)
        if planned.cut is not None and planned.cut.forced:
            current = self._compactor.draft(memory, planned.cut, planned.question)
            planned = plan(memory.path, current, memory.settings, self._counter, asked=asked)
        return self._payload(memory, current, planned), current

    def _plan(self, memory: ConversationMemory) -> tuple[Fold | None, Plan]:
        current = memory.before(memory.path.question())
        return current, plan(memory.path, current, memory.settings, self._counter)

    def _must(self, memory: ConversationMemory, cut: Cut, waited: bool) -> bool:
        """Whether to fold without a model now: budget or preset say so, and no model did."""
        if cut.forced:
            return True
        return not waited and not too_little(memory.path, cut, memory.settings, "overflow")

    async def _wait(self, memory: ConversationMemory, on_state: OnState | None) -> None:
        """Let the utility model fold what the plan says, for as long as the preset waits."""
        if on_state is not None:
            on_state("folding", can_skip=True)

        def cut_for(memory: ConversationMemory, current: Fold | None) -> Cut | None:
            return plan(memory.path, current, memory.settings, self._counter).cut

        try:
            await self._compactor.compact(
                memory,
                "overflow",
                cut_for,
                before=memory.path.question,
                within_ms=memory.settings.policy.wait_ms,
            )
        except Exception as fault:  # a failed fold costs nothing
            self._report(fault)
        if on_state is not None:
            on_state("preparing")

    def _has_room(self, memory: ConversationMemory, planned: Plan) -> bool:
        """Whether the budget leaves room for any summary: else no model need write one."""
        room = memory.settings.limits.budget - planned.sizes.floor
        activity = memory.activity
        return room > self._counter.text(SUMMARY_FRAME) and activity.ineffective < INEFFECTIVE

    def _judge(self, memory: ConversationMemory, planned: Plan) -> None:
        """Whether folding made room. The same question is judged once."""
        activity, question = memory.activity, memory.question_id()
        if activity.crowded == question:
            return
        activity.crowded = question
        activity.judged(planned.sizes.total <= memory.settings.limits.budget)

    def _payload(self, memory: ConversationMemory, current: Fold | None, planned: Plan) -> Payload:
        recall = None
        if memory.settings.limits.recall and current is not None:
            recollection = self._recollections.setdefault(memory.id, Recollection())
            recall = recollection.recall(memory, planned, self._counter)
        return build(memory.path, current, planned, memory.settings, self._counter, recall)

    def _prepared(self, memory: ConversationMemory, planned: Plan, payload: Payload) -> Prepared:
        settings, path, activity = memory.settings, memory.path, memory.activity
        for notice in payload.notices:
            activity.tell(notice)
        notices, activity.notices = activity.notices, []
        activity.sent = payload.tokens
        folded_away = path.tokens("eligible", 0, planned.window_start)
        return Prepared(
            messages=list(payload.messages),
            max_tokens=answer_room(settings.limits, payload.tokens, settings.max_tokens),
            account=payload.account(),
            notices=notices,
            cut=payload.cut,
            payload=payload,
            saved=max(0, folded_away - planned.sizes.summary),
        )
