"""The utility model as folds use it: may it be asked now, one call, what its failure means.

One attempt in a turn; the breaker is told of each end; a context that it states is remembered.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from app.memory.breaker import Breaker
from app.memory.conversation_memory import ConversationMemory
from app.memory.flights import Flights
from app.memory.folding import Folded, Material, Rejected, from_reply, reply_room, request
from app.memory.ledger import Trigger
from app.memory.ports import Clock
from app.memory.summariser import Skipped, ask
from app.memory.tokens import Counter
from app.models.errors import Aborted, ContextOverflow, ModelError
from app.models.port import ChatModel
from app.models.roles import Roles
from app.models.usage import CallLog, LoggedModel

MODEL_WAIT_MS = 120_000  # a background call may take this long; nobody waits for it
INEFFECTIVE = 2  # folds in a row that made no room, after which no model is asked for more
SMALLEST = 256  # tokens: a stated context under this is a slip


class Failed(Exception):
    """The model gave no summary; the text says why, in plain words."""


@dataclass(frozen=True, slots=True)
class Utility:
    """A model that may be asked now; ``context`` in counted tokens, ``size`` in its own."""

    model: ChatModel
    context: int
    size: int

    @property
    def name(self) -> str:
        """The model's name as shown and logged."""
        return self.model.name


class Utilities:
    """The utility models of this tab, with a circuit breaker before each."""

    def __init__(
        self,
        *,
        counter: Counter,
        clock: Clock,
        roles: Callable[[], Roles],
        calls: CallLog,
        flights: Flights,
        report: Callable[[BaseException], None],
    ) -> None:
        self._counter, self._clock, self._roles = counter, clock, roles
        self._calls, self._flights, self._report = calls, flights, report
        self._breakers: dict[str, Breaker] = {}
        # What servers said of their context, in their own tokens.
        self._contexts: dict[str, int] = {}

    @property
    def exists(self) -> bool:
        """Whether there is a model in the utility role."""
        return self._roles().summariser is not None

    def usable(self, memory: ConversationMemory, trigger: Trigger) -> tuple[Utility | None, str]:
        """The model if it may be asked now, else None and why not ("" when there is none)."""
        roles = self._roles()
        assigned = roles.summariser
        if assigned is None:
            return None, ""
        name = assigned.model.name
        why = self._breaker(name).why_not(self._clock.now())
        question = memory.question_id()
        if not why and question and memory.activity.attempted == question:
            why = "the summarising model was already asked in this turn"
        if not why and trigger != "manual" and memory.activity.ineffective >= INEFFECTIVE:
            why = "folding makes no room here"
        if why:
            return None, why
        size = min(assigned.context_size, self._contexts.get(name, assigned.context_size))
        factor = memory.settings.factor if roles.utility is None else 1.0
        return Utility(assigned.model, math.floor(size / max(1.0, factor)), size), ""

    async def ask(
        self,
        memory: ConversationMemory,
        utility: Utility,
        material: Material,
        room: int,
        trigger: Trigger,
        wait_ms: float,
    ) -> Folded:
        """One call. Raises ``Failed``, or ``Aborted`` when the request was aborted."""
        breaker, question = self._breaker(utility.name), memory.question_id()
        breaker.begin(self._clock.now())
        model = LoggedModel(utility.model, self._calls, memory.id, "utility", trigger)
        try:
            reply, finish = await ask(
                model,
                request(material, room, self._counter),
                reply_room(utility.context, material.cap),
                clock=self._clock,
                wait_ms=wait_ms,
                skip=self._flights.skipped(memory.id),
            )
            folded = from_reply(reply, finish, material, self._counter)
        except Aborted:
            raise
        except Skipped as skipped:
            memory.activity.attempted = question
            raise Failed("the summarising model was not waited for") from skipped
        except Exception as fault:  # whatever it is, the fold goes on without the model
            memory.activity.attempted = question
            self._failed(memory, utility, breaker, fault)
            raise Failed(str(fault) or "the summarising model failed") from fault
        breaker.succeeded()
        return folded

    def trial(self) -> None:
        """Settings changed, or a person asks: every model may be tried at once."""
        self._contexts.clear()
        for breaker in self._breakers.values():
            breaker.trial()

    def _failed(
        self, memory: ConversationMemory, utility: Utility, breaker: Breaker, fault: Exception
    ) -> None:
        breaker.failed(self._clock.now(), fault if isinstance(fault, ModelError) else None)
        if isinstance(fault, ContextOverflow):
            stated = fault.limit if SMALLEST <= fault.limit < utility.size else 0
            self._contexts[utility.name] = stated or utility.size // 2
        if not isinstance(fault, ModelError | Rejected):
            self._report(fault)
        if breaker.refused:
            memory.activity.tell(
                f"The summarising model refused the call. {fault} Summaries are made"
                " without a model until the settings change."
            )

    def _breaker(self, model: str) -> Breaker:
        return self._breakers.setdefault(model, Breaker())
