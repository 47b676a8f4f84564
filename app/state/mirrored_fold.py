"""The mirror as the memory, where the ledger itself is lost: corrupt, or no storage for it.

Only when the record names the conversation's newest commit and its boundary is on the path.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.conversation.message import Message, is_sendable
from app.conversation.tree import Conversation
from app.memory.ledger import Fold
from app.memory.path import ActivePath
from app.memory.tokens import Counter
from app.state.summary_mirror import Summary

NOTE = "Restored from the copy in this browser: the ledger could not be read."


def mirrored_fold(
    summary: Summary | None,
    conversation: Conversation,
    path: Sequence[Message],
    counter: Counter,
) -> Fold | None:
    """The fold that the mirror stands for, None when it does not fit."""
    if summary is None or summary.revision != conversation.commit:
        return None
    ids = [message.id for message in path]
    if summary.last_summarized_message_id not in ids:
        return None
    covered = path[: ids.index(summary.last_summarized_message_id) + 1]
    marked = ActivePath(
        counter, covered, pinned=conversation.pinned, excluded=conversation.excluded
    )
    eligible = [
        message.id
        for message, state in zip(covered, marked.states, strict=True)
        if state == "eligible" and is_sendable(message)
    ]
    if not eligible:
        return None
    return Fold(
        id=summary.fold_id,
        conversation_id=conversation.id,
        parent_id=None,
        covered=tuple(eligible),
        boundary=summary.last_summarized_message_id,
        path_digest=marked.chain(len(covered) - 1),
        text=summary.summary,
        sources=tuple(None for _ in summary.summary.splitlines()),
        tokens_out=counter.text(summary.summary),
        count=len(eligible),
        method="edited",
        used_fallback=True,
        commit=summary.revision,
        note=NOTE,
    )
