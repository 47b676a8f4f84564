"""The ``thread`` topic: the active path as the page draws it, each message with its state."""

from __future__ import annotations

from typing import Any

from app.conversation.message import Message
from app.conversation.turns import turns
from app.memory.conversation_memory import ConversationMemory
from app.memory.report import message_states
from app.state.open_conversation import FAILED, STREAMING, OpenConversation, error_kind


def thread(opened: OpenConversation, memory: ConversationMemory) -> dict[str, Any]:
    """The topic's value. Each message's state is the memory's own word on it."""
    conversation = opened.conversation
    pinned, excluded = conversation.pinned, conversation.excluded
    states = message_states(memory)
    current = memory.current
    messages: list[dict[str, Any]] = []
    for turn in turns(opened.path()):
        for message in turn.messages:
            # A message that is on its way is not sent yet, and will be.
            coming = message.status == "streaming" or message.id not in states
            state = "window" if coming else states[message.id]
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
        "boundary_id": None if current is None else current.boundary,
        "folded_count": sum(each["state"] == "folded" for each in messages),
    }


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
