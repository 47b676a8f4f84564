"""What a chat is made of, whatever its ids are: two chats with the same content are copies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from app.conversation.message import Message
from app.conversation.tree import Conversation

Content = tuple[Any, ...]
Names = dict[Content, int]  # a number for each different message with all that came before it


def content(
    chat: Conversation,
    messages: Sequence[Message],
    folds: Sequence[Mapping[str, Any]],
    names: Names,
) -> Content:
    """All that is said in a chat and kept of it: branches, marks, settings of its own, and folds.

    Left out is what an import makes anew (ids, counters) and which branch is open. Contents can
    be compared that were made with the same ``names``, which grow.
    """
    keys = _keys(messages, names)
    said = Counter((keys[m.id], m.id in chat.pinned, m.id in chat.excluded) for m in messages)
    kept = Counter(_fold(each, keys) for each in folds)
    return chat.system_prompt, chat.preset, said, kept


def _fold(fold: Mapping[str, Any], keys: Mapping[str, int]) -> Content:
    covered = tuple(keys.get(str(id), -1) for id in fold.get("covered") or ())
    boundary = keys.get(str(fold.get("boundary")), -1)
    return fold.get("text"), fold.get("method"), covered, boundary, bool(fold.get("retired_at"))


def _keys(messages: Sequence[Message], names: Names) -> dict[str, int]:
    """A number for each message, of what it says and of all that came before it."""
    by_id = {m.id: m for m in messages}
    keys: dict[str, int] = {}
    for each in messages:
        line: list[Message] = []
        at: Message | None = each
        while at is not None and at.id not in keys:
            line.append(at)
            keys[at.id] = -1  # a circle ends here
            at = by_id.get(at.parent_id or "")
        for m in reversed(line):
            told = (m.created_at, m.role, m.status, m.name, m.model, m.finish, m.error, m.hidden)
            before = keys.get(m.parent_id or "", -1)
            keys[m.id] = names.setdefault((before, told, m.parts), len(names))
    return keys
