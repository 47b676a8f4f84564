"""Turns: what is kept or folded whole.

A turn is a user message and all up to the next one; an unanswered question is a turn. Messages
before the first user message are turn 0. A turn's id is the id of its first message.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from app.conversation.message import Message


class Turn(NamedTuple):
    """One turn; ``messages`` is never empty."""

    id: str
    messages: tuple[Message, ...]


def turns(path: Iterable[Message]) -> list[Turn]:
    """The path cut into turns, in order: every message is in exactly one of them."""
    found: list[Turn] = []
    open_turn: list[Message] = []
    for message in path:
        if message.role == "user" and open_turn:
            found.append(Turn(open_turn[0].id, tuple(open_turn)))
            open_turn = []
        open_turn.append(message)
    if open_turn:
        found.append(Turn(open_turn[0].id, tuple(open_turn)))
    return found
