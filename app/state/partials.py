"""Answers that were still coming when their page went away: ``pleat.partial.<message id>``.

A page that is left can wait for no database, so what has come is put into localStorage at once;
whoever opens the conversation next takes it from there.
"""

from __future__ import annotations

from collections.abc import Iterable

from app.conversation.message import Message
from app.conversation.records import (
    NewerRecordError,
    RecordError,
    message_from_record,
    message_to_record,
)
from app.state.local_values import ASIDE, LocalValues

PREFIX = "pleat.partial."


class Partials:
    """The partial answers of all tabs."""

    def __init__(self, values: LocalValues) -> None:
        self._values = values

    def keep(self, message: Message) -> None:
        """Store an answer as far as it has come."""
        self._values.write(PREFIX + message.id, message_to_record(message))

    def drop(self, message_id: str) -> None:
        """The answer is stored elsewhere, or wanted no more."""
        key = PREFIX + message_id
        if self._values.text(key) is not None:
            self._values.set_text(key, None)

    def forget(self, conversation_id: str) -> None:
        """The conversation is deleted."""
        for message in self._of(conversation_id):
            self.drop(message.id)

    def taken(self, conversation_id: str, messages: Iterable[Message]) -> list[Message]:
        """The conversation's messages with what was kept of its answers put in."""
        known = {message.id: message for message in messages}
        for partial in self._of(conversation_id):
            stored = known.get(partial.id)
            if stored is None:
                if partial.parent_id is None or partial.parent_id in known:
                    known[partial.id] = partial
            elif stored.status != "streaming":
                self.drop(partial.id)
            elif len(partial.text) >= len(stored.text):
                known[partial.id] = partial
        return list(known.values())

    def _of(self, conversation_id: str) -> list[Message]:
        found: list[Message] = []
        for key in self._values.keys(PREFIX):
            text = self._values.text(key)
            if text is None or ASIDE in key.removeprefix(PREFIX):
                continue
            try:
                message = message_from_record(self._values.parse(text))
            except NewerRecordError:
                continue  # its program will take it
            except RecordError:
                self._values.set_aside(key, text)
                continue
            if message.conversation_id == conversation_id:
                found.append(message)
        return found
