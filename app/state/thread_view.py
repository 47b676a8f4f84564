"""The ``thread`` topic: the active path as the page draws it, each message with its state."""

from __future__ import annotations

from typing import Any

from app.conversation.message import Message, is_sendable
from app.conversation.turns import turns
from app.state.open_conversation import FAILED, STREAMING, OpenConversation, error_kind


def thread(opened: OpenConversation, boundary_id: str | None) -> dict[str, Any]:
    """The topic's value. ``boundary_id``: the last message that the current fold covers."""
    path = opened.path()
    conversation = opened.conversation
    boundary = next((i for i, m in enumerate(path) if m.id == boundary_id), -1)
    pinned, excluded = conversation.pinned, conversation.excluded
    messages: list[dict[str, Any]] = []
    folded = 0
    for turn in turns(path):
        for message in turn.messages:
            state = _state(message, turn.id in pinned, turn.id in excluded)
            if state == "window" and len(messages) <= boundary:
                state = "folded"
                folded += 1
            entry = _message(opened, message)
            entry.update(
                turn_id=turn.id,
                state=state,
                pinned=turn.id in pinned,
                excluded=turn.id in excluded,
            )
            messages.append(entry)
    return {
        "conversation_id": conversation.id,
        "title": conversation.title,
        "messages": messages,
        "boundary_id": boundary_id if boundary >= 0 else None,
        "folded_count": folded,
    }


def _state(message: Message, pinned: bool, excluded: bool) -> str:
    if not is_sendable(message) and message.status != "streaming":  # it is on its way
        return "unsendable"
    if excluded:
        return "excluded"
    return "pinned" if pinned else "window"


def _message(opened: OpenConversation, message: Message) -> dict[str, Any]:
    siblings = opened.tree.siblings(message.id)
    place = next(i for i, each in enumerate(siblings) if each.id == message.id)
    plain = not message.finish.startswith((FAILED, STREAMING))
    return {
        "id": message.id,
        "role": message.role,
        "text": message.text,
        "reasoning": message.reasoning,
        "status": message.status,
        "model": message.model,
        "name": message.name,
        "error": message.error,
        "error_kind": error_kind(message),
        "finish": message.finish if plain else "",
        "created_at": message.created_at,
        "sibling": place + 1,
        "siblings": len(siblings),
        "previous_sibling": siblings[place - 1].id if place else None,
        "next_sibling": siblings[place + 1].id if place + 1 < len(siblings) else None,
        "parts": [
            {"kind": part.kind, "text": part.text, "name": part.name, "data": part.data}
            for part in message.parts
            if part.kind not in ("text", "reasoning")  # these are above
        ],
    }
