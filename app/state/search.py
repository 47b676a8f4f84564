"""Searching conversations by the words of their titles and texts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable

from app.conversation.message import Message
from app.conversation.tree import Conversation

Read = Callable[[str], Awaitable[list[Message]]]


class Search:
    """The query and the texts that it looks through, read once and again after a change."""

    def __init__(self) -> None:
        self.query = ""
        self._texts: dict[str, str] = {}

    async def ask(self, query: str, ids: Iterable[str], read: Read) -> None:
        """Search for this from now on; reads the texts that are not known yet."""
        self.query = query
        if query.strip():
            for id in [id for id in ids if id not in self._texts]:
                messages = await read(id)
                self._texts[id] = "\n".join(message.text for message in messages).casefold()

    def finds(self, conversation: Conversation) -> bool:
        """Whether title or text hold all words of the query (of which there may be none)."""
        words = self.query.casefold().split()
        text = conversation.title.casefold() + "\n" + self._texts.get(conversation.id, "")
        return all(word in text for word in words)

    def forget(self, conversation_id: str) -> None:
        """The conversation has changed."""
        self._texts.pop(conversation_id, None)
