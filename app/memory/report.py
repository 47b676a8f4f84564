"""What the memory looks like from outside: the panel's figures, the exact next request.

Plain dicts that go to the page as JSON; the figures are the counter's, the same as the plan's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.memory.conversation_memory import ConversationMemory
from app.memory.differences import differences
from app.memory.ledger import Fold
from app.memory.plan import measure, plan_manual, too_little, window_start
from app.memory.tokens import PROMPT_OVERHEAD, Counter

if TYPE_CHECKING:
    from app.memory.payload import Payload

SHOWN_FOLDS = 200  # the newest entries of a ledger that go to the page
STALE = (
    "The summary no longer fits this branch: the messages themselves are sent, and folded anew"
    " when they must be."
)
OVER = "The turns hold {over} tokens more than a prompt may: they are folded before the answer."


def coverage(memory: ConversationMemory) -> dict[str, int]:
    """How each message of the path is accounted for; ``unaccounted`` has to be 0.

    Summarised is what the ledger's lineage was given, message by message: a fold that had
    passed over one would show here.
    """
    path, current = memory.path, memory.current
    start, end = window_start(path, current), len(path)
    given = {id for fold in memory.ledger.lineage(current) for id in fold.covered}
    counts = {
        "word_for_word": path.count("eligible", start, end) + path.count("pinned", 0, end),
        "summarised": sum(message.id in given for message in path.select("eligible", 0, start)),
        "excluded": path.count("excluded", 0, end),
        "unsendable": path.count("unsendable", 0, end),
    }
    return {**counts, "unaccounted": end - sum(counts.values())}


def memory_view(memory: ConversationMemory, counter: Counter, busy: bool) -> dict[str, object]:
    """The panel: sizes, account, coverage, the summary and the ledger."""
    settings, path, current = memory.settings, memory.path, memory.current
    limits = settings.limits
    sizes = measure(path, current, settings, counter, len(path), None)
    folds = list(memory.ledger)
    lineage = {entry.id for entry in memory.ledger.lineage(current)}
    stale = current is None and any(f.retired_at is None for f in folds)
    cut = plan_manual(path, current, settings)
    if busy:
        why = "A fold is running."
    elif cut is None:
        why = _nothing_to_fold(memory)
    else:
        why = too_little(path, cut, settings, "manual")
    # What no prompt will hold: the next request folds or cuts it, so the gauge does not count it.
    over = max(0, sizes.total - limits.budget)
    notice = ""
    if stale:
        notice = STALE
    elif over:
        notice = OVER.format(over=over)
    return {
        "conversation_id": memory.id,
        # All in counted tokens, so that the figures add up; ``context_size`` is the model's own.
        "context": limits.context,
        "context_size": limits.size,
        "budget": limits.budget,
        "account": {
            "system": sizes.system,
            "summary": sizes.summary,
            "recall": 0,
            "pins": sizes.pins,
            "window": max(0, sizes.window - over),
            "question": 0,
            "overhead": PROMPT_OVERHEAD,
            "total": sizes.total - over,
            "answer": limits.context - limits.budget,  # what no prompt may use
        },
        "exact": counter.exact,
        "factor": limits.factor,
        "coverage": coverage(memory),
        "summary": {
            "text": current.text if current else "",
            "tokens": current.tokens_out if current else 0,
            "limit": limits.summary,
            "fold_id": current.id if current else None,
            "boundary_id": current.boundary if current else None,
            "stale": stale,
        },
        "folds": [_fold_view(memory, fold, current, lineage) for fold in folds[-SHOWN_FOLDS:]],
        "can_fold": not why,
        "why_not": why,
        "can_undo": current is not None,
        "preset": settings.policy.name,
        "busy": busy,
        "notice": notice,
    }


def _nothing_to_fold(memory: ConversationMemory) -> str:
    """Why no turn can be folded, true of the turns that there are."""
    path, current = memory.path, memory.current
    turns = memory.settings.policy.window_conversations
    here = len(path.turns_between(window_start(path, current), len(path)))
    if not here or not turns:
        return "There is nothing to fold yet."
    if here < turns:
        since = "since the summary" if current is not None else "here"
        return f"Nothing to fold: every turn {since} stays word for word."
    last = "turn stays" if turns == 1 else f"{turns} turns stay"
    return f"Nothing to fold: the last {last} word for word."


def _fold_view(
    memory: ConversationMemory, fold: Fold, current: Fold | None, lineage: set[str]
) -> dict[str, object]:
    if current is not None and fold.id == current.id:
        state = "current"
    elif fold.retired_at is not None:
        state = "retired"
    elif fold.id in lineage:
        state = "lineage"
    elif memory.ledger.valid(fold, memory.path):
        state = "other"
    else:
        state = "stale"
    return {
        "id": fold.id,
        "parent_id": fold.parent_id,
        "commit": fold.commit,
        "trigger": fold.trigger,
        "model": fold.model,
        "method": fold.method,
        "used_fallback": fold.used_fallback,
        "provisional": fold.provisional,
        "tokens_in": fold.tokens_in,
        "tokens_out": fold.tokens_out,
        "count": fold.count,
        "duration_ms": fold.duration_ms,
        "created_at": fold.created_at,
        "state": state,
        "covered": list(fold.covered),
        "text": fold.text,
        "sources": list(fold.sources),
        "note": fold.note,
    }


def request_view(
    memory: ConversationMemory, payload: Payload, current: Fold | None
) -> dict[str, object]:
    """The exact next request, and each message of the path with its state and the reason.

    ``current``: the memory that the request carries, a draft where it would fold first.
    """
    path = memory.path
    sent = {id for part in payload.parts if part.kind != "summary" for id in part.ids}
    start = window_start(path, current)
    states: list[dict[str, str]] = []
    for index, message in enumerate(path.messages):
        state, reason = "window", "sent word for word"
        if path.states[index] == "unsendable":
            state, reason = "unsendable", _why_unsendable(message.status, message.hidden)
        elif path.states[index] == "excluded":
            state, reason = "excluded", "you excluded its turn"
        elif path.states[index] == "pinned":
            state, reason = "pinned", "you pinned its turn: sent word for word"
        elif index < start:
            recalled = message.id in sent
            state = "folded"
            reason = "in the summary, and quoted by recall" if recalled else "in the summary"
        states.append({"id": message.id, "state": state, "reason": reason})
    return {
        "messages": [
            {
                "role": part.role,
                "content": part.content,
                "kind": part.kind,
                "ids": list(part.ids),
                "tokens": part.tokens,
            }
            for part in payload.parts
        ],
        "wire": [{"role": m.role, "content": m.content} for m in payload.messages],
        "tokens": payload.tokens,
        "budget": payload.budget,
        "states": states,
    }


def _why_unsendable(status: str, hidden: bool) -> str:
    if hidden:
        return "hidden text of an import"
    return {
        "failed": "it failed",
        "streaming": "it is not finished",
    }.get(status, "it is empty")


def fold_history(memory: ConversationMemory, fold_id: str) -> list[dict[str, Any]]:
    """The lines of an entry's summary against its parent's: ``{"change", "text"}`` each."""
    fold = memory.ledger.get(fold_id)
    if fold is None:
        return []
    parent = memory.ledger.get(fold.replaces) or memory.ledger.get(fold.parent_id)
    older = parent.text if parent is not None else ""
    return [{"change": d.change, "text": d.text} for d in differences(older, fold.text)]


def line_sources(memory: ConversationMemory, fold_id: str, line: int) -> list[str]:
    """The messages that a line of an entry's summary came from, in path order.

    Its own message where that is known; else the inputs of the oldest ancestor that already had
    the same line (a model's line carried over), the entry's own inputs for a new one.
    """
    fold = memory.ledger.get(fold_id)
    lines = fold.text.split("\n") if fold is not None else []
    if fold is None or not 0 <= line < len(lines):
        return []
    found = fold
    for ancestor in memory.ledger.lineage(fold):
        had = ancestor.text.split("\n")
        if lines[line] not in had:
            break
        index = line if ancestor is fold else had.index(lines[line])
        source = ancestor.sources[index] if len(ancestor.sources) == len(had) else None
        if source is not None:
            return [source]
        if ancestor.covered:
            found = ancestor
    return list(found.covered)


def message_states(memory: ConversationMemory) -> dict[str, str]:
    """Each message's state for the thread: window, folded, pinned, excluded or unsendable."""
    start = window_start(memory.path, memory.current)
    found: dict[str, str] = {}
    for index, message in enumerate(memory.path.messages):
        state = memory.path.states[index]
        found[message.id] = (
            ("folded" if index < start else "window") if state == "eligible" else state
        )
    return found


__all__ = [
    "coverage",
    "fold_history",
    "line_sources",
    "memory_view",
    "message_states",
    "request_view",
]
