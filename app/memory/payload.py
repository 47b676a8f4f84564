"""The payload: what is sent, part by part, counted as sent, and made to fit the budget.

When things are tight the parts yield in this order: recall shrinks, (the window has been folded
by now,) the summary loses its least lines, a question that alone exceeds the budget is cut, and
last the system prompt, both with a visible marker and a notice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from app.conversation.message import Message, sendable_text
from app.memory.cutting import cut_middle
from app.memory.extractive import Line
from app.memory.fitting import fit_lines
from app.memory.ledger import Fold
from app.memory.path import ActivePath
from app.memory.plan import Plan
from app.memory.policies import MemorySettings
from app.memory.prompts import RECALL_FRAME, question_text, system_text
from app.memory.tokens import MESSAGE_OVERHEAD, PROMPT_OVERHEAD, Counter
from app.models.port import WireMessage, WireRole

PartKind = Literal["system", "summary", "recall", "pin", "window", "question"]


@dataclass(frozen=True, slots=True)
class Passage:
    """A recalled passage: the folded message it is quoted from, and the text as sent."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class PayloadPart:
    """A part of a request. Parts that travel in one message share its tokens between them."""

    kind: PartKind
    role: WireRole
    content: str
    ids: tuple[str, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class Payload:
    """The exact next request: its parts for people, its messages for the wire."""

    parts: tuple[PayloadPart, ...]
    messages: tuple[WireMessage, ...]
    tokens: int
    budget: int
    notices: tuple[str, ...] = ()
    cut: bool = False  # question or system prompt had to be cut

    def account(self) -> dict[str, int]:
        """Tokens by kind of part; ``overhead`` opens the answer; ``total`` is all."""
        sums = dict.fromkeys(("system", "summary", "recall", "pin", "window", "question"), 0)
        for part in self.parts:
            sums[part.kind] += part.tokens
        return {**sums, "overhead": PROMPT_OVERHEAD, "total": self.tokens}


# (room in tokens) -> passages whose joined texts are within it
Recall = Callable[[int], Sequence[Passage]]

QUESTION_CUT = (
    "Your message alone is larger than this model's budget. Its middle was left out of the"
    " request; the whole text stays in the conversation."
)
SYSTEM_CUT = (
    "The system prompt is too long for this model's context. It was cut in the request:"
    " shorten it, or set a larger context size."
)


def wire_role(message: Message) -> WireRole:
    """The role that a message is sent with: imported tool results are the assistant's text."""
    return "user" if message.role == "user" else "assistant"


def build(
    path: ActivePath,
    current: Fold | None,
    plan: Plan,
    settings: MemorySettings,
    counter: Counter,
    recall: Recall | None = None,
) -> Payload:
    """The request for ``plan`` on ``path``. Its tokens are within the budget, always."""
    budget = settings.limits.budget
    notices: list[str] = []
    start, end = plan.window_start, plan.end
    pins = path.select("pinned", 0, start)
    sent: list[tuple[PartKind, Message]] = [("pin", message) for message in pins]
    sent.extend(
        ("window", path.messages[index])
        for index in range(start, end)
        if path.states[index] in ("eligible", "pinned")
    )
    fixed = PROMPT_OVERHEAD + plan.sizes.pins + plan.sizes.window
    question = path.messages[plan.question] if plan.question is not None else None
    asked = sendable_text(question) if question else ""
    asked_tokens = plan.sizes.question

    cut_question = asked_tokens + fixed > budget
    system = settings.system_prompt
    if cut_question:
        notices.append(QUESTION_CUT)
        room = max(budget - fixed - _cost(system, counter), (budget - fixed) // 2)
        asked = cut_middle(asked, max(1, room - MESSAGE_OVERHEAD), counter)
        asked_tokens = _cost(asked, counter)
    room = budget - fixed - asked_tokens
    if _cost(system, counter) > room:
        notices.append(SYSTEM_CUT)
        system = cut_middle(system, room - MESSAGE_OVERHEAD, counter) if room > 16 else ""
    summary = _fit_summary(system, current, room, counter)
    whole = system_text(system, summary)
    system_tokens, whole_tokens = _cost(system, counter), _cost(whole, counter)

    passages: list[Passage] = []
    plain = asked_tokens
    if recall is not None and question is not None and current is not None:
        free = min(settings.limits.recall + counter.text(RECALL_FRAME), room - whole_tokens)
        passages = list(recall(free)) if free > 0 else []
        while passages:
            asked_tokens = _cost(question_text(asked, [p.text for p in passages]), counter)
            if asked_tokens - plain <= free:
                break
            passages.pop(0)  # the best one stands last
        if not passages:
            asked_tokens = plain

    parts: list[PayloadPart] = []
    messages: list[WireMessage] = []
    if whole:
        messages.append(WireMessage("system", whole))
    if system:
        parts.append(PayloadPart("system", "system", system, (), system_tokens))
    if summary and current:
        extra = whole_tokens - system_tokens
        parts.append(PayloadPart("summary", "system", summary, (current.boundary,), extra))
    for kind, message in sent:
        text, role = sendable_text(message), wire_role(message)
        parts.append(PayloadPart(kind, role, text, (message.id,), counter.message(message)))
        messages.append(WireMessage(role, text))
    if question is not None:
        texts = [p.text for p in passages]
        if passages:
            block = question_text("", texts)
            ids = tuple(p.id for p in passages)
            parts.append(PayloadPart("recall", "user", block, ids, asked_tokens - plain))
        parts.append(PayloadPart("question", "user", asked, (question.id,), plain))
        messages.append(WireMessage("user", question_text(asked, texts)))
    total = fixed + whole_tokens + asked_tokens
    return Payload(tuple(parts), tuple(messages), total, budget, tuple(notices), bool(notices))


def _cost(text: str, counter: Counter) -> int:
    """Tokens of a message of that text, its overhead included; no message costs nothing."""
    return counter.text(text) + MESSAGE_OVERHEAD if text else 0


def _fit_summary(system: str, current: Fold | None, room: int, counter: Counter) -> str:
    """The current fold's text, without its least lines where ``room`` tokens do not hold it."""
    if current is None or not current.text:
        return ""
    text = current.text
    for _ in range(6):
        used = _cost(system_text(system, text), counter)
        if used <= room:
            return text
        limit = counter.text(text) - (used - room) - 1
        if limit <= 0:
            return ""
        kept = fit_lines(lines_of(text, current.sources), limit, counter)
        shorter = "\n".join(line.text for line in kept)
        if shorter == text:
            return ""
        text = shorter
    return ""


def lines_of(text: str, sources: Sequence[str | None] = ()) -> list[Line]:
    """A summary's lines with the messages that they came from, where that is known."""
    lines = text.split("\n")
    known = list(sources) if len(sources) == len(lines) else [None] * len(lines)
    return [Line(line, source) for line, source in zip(lines, known, strict=True)]
