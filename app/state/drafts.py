"""What is being typed, for each conversation: kept through reloads, gone when it is sent."""

from __future__ import annotations

from app.state.deletions import DRAFT
from app.state.desk import Desk
from app.state.library import Library
from app.state.local_values import LocalValues
from app.state.open_conversation import OpenConversation

NEW_CHAT = "new"  # in place of its id, which nothing knows after a reload


def draft_key(opened: OpenConversation) -> str:
    """Where the text being typed in a conversation is kept."""
    return DRAFT + (opened.id if opened.stored or opened.sending else NEW_CHAT)


class Drafts:
    """See the module."""

    def __init__(self, desk: Desk, library: Library, values: LocalValues) -> None:
        self._desk = desk
        self._library = library
        self._values = values

    def set(self, text: str, id: str = "") -> None:
        """Keep ``text`` for a conversation (of no id: the shown one); one that is gone has none."""
        shown = self._desk.shown
        opened = self._library.get(id) if id else shown
        if opened is not None:
            self._values.set_text(draft_key(opened), text or None)
        elif id and self._library.can_undo(id):
            self._values.set_text(DRAFT + id, text or None)

    def shown(self) -> str:
        """What was being typed in the shown conversation."""
        shown = self._desk.shown
        if shown is None:
            return ""
        if not shown.stored and any(
            each.sending and not each.stored for each in self._library.opened() if each is not shown
        ):
            return ""  # what is kept for a new chat is of the one that is being stored
        return self._values.text(draft_key(shown)) or ""

    def sending(self, opened: OpenConversation) -> tuple[str, str | None]:
        """Before a question is stored: what ``sent`` needs."""
        key = draft_key(opened)
        return key, self._values.text(key)

    def sent(self, opened: OpenConversation, before: tuple[str, str | None]) -> None:
        """The question is stored: its draft goes."""
        key, text = before
        if self._values.text(key) == text:  # not that of a new chat that has begun since
            self._values.set_text(key, None)
        self._values.set_text(draft_key(opened), None)
