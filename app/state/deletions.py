"""Deleting conversations: a tombstone at once, a way back for a while, then for good."""

from __future__ import annotations

from collections.abc import Callable

from app.conversation.title import UNTITLED
from app.conversation.tree import Conversation
from app.state.desk import Desk
from app.state.local_values import LocalValues
from app.state.repository import UNDO_PERIOD

DRAFT = "pleat.draft."  # before the id of the conversation that the text is typed in


class Deletions:
    """Those that can still come back, the newest last. ``changed`` is told when one cannot."""

    def __init__(self, desk: Desk, values: LocalValues, changed: Callable[[], None]) -> None:
        self._desk = desk
        self._values = values
        self._changed = changed
        self._deleted: list[Conversation] = []

    def undo_view(self) -> dict[str, str] | None:
        """What Undo would bring back, for the page."""
        if not self._deleted:
            return None
        last = self._deleted[-1]
        return {"id": last.id, "title": last.title or UNTITLED}

    async def delete(self, conversation: Conversation) -> None:
        """Tombstone it, and purge it when its time is over."""
        await self._desk.repository.delete(conversation.id)
        self._deleted.append(conversation)
        self._desk.mirror.forget(conversation.id)
        self._desk.spawn(self._purge_later(conversation))
        self._desk.tell_tabs(conversation.id)

    async def undo(self) -> Conversation | None:
        """Take the last tombstone away; None when there is none, or it is too late."""
        if not self._deleted:
            return None
        back = await self._desk.repository.undelete(self._deleted.pop().id)
        if back is None:
            self._desk.state.notify.say("That chat is gone for good.", "warning")
        return back

    def can_undo(self, id: str) -> bool:
        """Whether the conversation can still come back."""
        return any(each.id == id for each in self._deleted)

    def is_back(self, id: str) -> None:
        """Another tab has brought it back."""
        self._deleted = [each for each in self._deleted if each.id != id]

    async def purge_all(self) -> None:
        """Nothing can come back any more."""
        for conversation in list(self._deleted):
            await self._purge(conversation)

    async def _purge_later(self, conversation: Conversation) -> None:
        await self._desk.clock.sleep(UNDO_PERIOD)
        await self._purge(conversation)
        self._changed()

    async def _purge(self, conversation: Conversation) -> None:
        if conversation in self._deleted:
            self._deleted.remove(conversation)
            self._values.set_text(DRAFT + conversation.id, None)
            await self._desk.repository.purge(conversation.id)
