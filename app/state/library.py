"""The conversations: which there are, which is shown, and what happens to whole ones."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, cast

from app.conversation.message import Message
from app.conversation.title import MAX_TITLE, UNTITLED
from app.conversation.tree import Conversation
from app.state.deletions import DRAFT, Deletions
from app.state.desk import Desk
from app.state.loading import Loader
from app.state.local_values import LocalValues
from app.state.open_conversation import OpenConversation, stop
from app.state.search import Search
from app.state.tabs import Tabs

READINGS = 8  # tries of a reading that writes keep overtaking


class Library:
    """See the module."""

    def __init__(self, desk: Desk, values: LocalValues, tabs: Tabs) -> None:
        self._desk = desk
        self._values = values
        self._loader = Loader(desk, values, tabs)
        self._deletions = Deletions(desk, values, self.publish)
        self.can_undo = self._deletions.can_undo
        self._known: dict[str, Conversation] = {}
        self._opened: dict[str, OpenConversation] = {}
        self._search = Search()
        self._opening = 0
        desk.read_again = self.refresh

    async def load(self) -> None:
        """Read the list; show the conversation used last, or a new one."""
        for conversation in await self._desk.repository.conversations():
            self._known[conversation.id] = conversation
        newest = max(self._known.values(), key=lambda c: c.updated_at, default=None)
        if newest is None or not await self.open(newest.id):
            self.new()
        self.publish()

    def publish(self) -> None:
        """Draw the list, newest first, as far as the search finds it."""
        shown = self._desk.shown
        found = [c for c in self._known.values() if self._search.finds(c)]
        found.sort(key=lambda c: (c.updated_at, c.created_at), reverse=True)
        self._desk.state.conversations.publish(
            {
                "items": [
                    {
                        "id": c.id,
                        "title": c.title or UNTITLED,
                        "updated_at": c.updated_at,
                        "open": shown is not None and shown.id == c.id,
                    }
                    for c in found
                ],
                "query": self._search.query,
                "undo": self._deletions.undo_view(),
            }
        )

    def get(self, id: str) -> OpenConversation | None:
        """A conversation that this tab has loaded."""
        return self._opened.get(id)

    def opened(self) -> list[OpenConversation]:
        """All conversations that this tab has loaded."""
        return list(self._opened.values())

    def marks(self) -> list[tuple[str, object]]:
        """Ids with a mark that changes when the conversation does, the shown one first."""
        shown = self._desk.shown
        order = sorted(
            self._known.values(),
            key=lambda c: (shown is not None and c.id == shown.id, c.updated_at),
            reverse=True,
        )
        return [(c.id, (c.updated_at, c.structure, c.commit)) for c in order]

    def all(self) -> list[Conversation]:
        """All conversations."""
        return list(self._known.values())

    def new(self, instead_of: str | None = None) -> OpenConversation:
        """Show a new chat; it is stored when something is said in it."""
        shown = self._desk.shown
        if shown is not None and not shown.stored and not shown.busy:
            return shown
        self._opening += 1
        now = self._desk.clock.now()
        conversation = Conversation(self._desk.ids.new(), created_at=now, updated_at=now)
        opened = OpenConversation(conversation, stored=False)
        self._opened[opened.id] = opened
        self._desk.show(opened, instead_of)
        self.publish()
        return opened

    async def open(self, id: str, instead_of: str | None = None) -> bool:
        """Load a conversation and show it; False when it is gone. The newest request wins."""
        self._opening += 1
        ticket = self._opening
        opened = self._opened.get(id) or await self._load(id)
        if opened is None:
            self._forget(id)
            self.publish()
            return False
        if ticket == self._opening:
            self._desk.show(opened, instead_of)
            self._desk.mirror.used(id)
            self.publish()
        return True

    async def loaded(self, id: str) -> OpenConversation | None:
        """A conversation as it is here, else as it is stored; not kept (the scanner's look)."""
        return self._opened.get(id) or await self._loader.load(id)

    async def _load(self, id: str) -> OpenConversation | None:
        opened = await self._loader.load(id)
        if opened is None:
            return None
        self._known[id] = opened.conversation
        return self._opened.setdefault(id, opened)  # loaded twice at once: the first stays

    async def stored(self, opened: OpenConversation, message: Message, title: str) -> bool:
        """Store a new message at the leaf, and its conversation if it is new; False: gone."""
        desk = self._desk
        now = desk.clock.now()
        if not opened.stored:
            conversation = replace(
                opened.conversation, title=title, leaf_id=message.id, updated_at=now
            )
            await desk.repository.create(conversation, [message])
            opened.stored = True
        else:
            patch: dict[str, Any] = {"leaf_id": message.id, "updated_at": now}
            if not opened.conversation.title:
                patch["title"] = title
            written = await desk.repository.write(opened.id, [message], patch=patch)
            if written is None:
                return False
            conversation = written
        self.changed(opened, conversation)
        return True

    def changed(
        self, opened: OpenConversation, conversation: Conversation, *, structural: bool = False
    ) -> None:
        """A conversation's record is this now."""
        self._desk.wrote(opened, conversation, structural=structural)
        self._known[opened.id] = conversation
        self._search.forget(opened.id)
        self.publish()
        self._desk.tell_tabs(opened.id)

    def answered(self, opened: OpenConversation) -> None:
        """An answer has ended: the list may be in another order, and the search has new text."""
        if opened.id in self._known:
            self._known[opened.id] = opened.conversation
            self._search.forget(opened.id)
            self.publish()

    async def rename(self, id: str, title: str) -> None:
        """Give a title; an empty one changes nothing."""
        title = " ".join(title.split())[:MAX_TITLE]
        if not title or id not in self._known:
            return
        written = await self._desk.repository.write(id, patch={"title": title})
        if written is None:
            self._forget(id)
        else:
            self._known[id] = written
            opened = self._opened.get(id)
            if opened is not None:
                self._desk.wrote(opened, written)
                self._desk.show_thread(opened)
            self._desk.tell_tabs(id)
        self.publish()

    async def delete(self, id: str) -> None:
        """Tombstone a conversation; what answers or folds in it is stopped."""
        known = self._known.get(id)
        opened = self._opened.get(id)
        if known is None and opened is None:
            return
        self._forget(id)
        if opened is not None:
            await stop(opened)
            self._desk.engine.forget(id)
        if known is not None:
            self._loader.forget(id)
            await self._deletions.delete(known)
        if opened is not None and self._desk.shown is opened:
            await self._show_next()
        self.publish()

    async def delete_all(self) -> None:
        """Delete every conversation for good, with summaries and drafts."""
        for id in list(self._known):
            await self.delete(id)
        await self._deletions.purge_all()
        for key in self._values.keys(DRAFT):
            self._values.set_text(key, None)
        self.new()
        self.publish()

    async def undo_delete(self) -> None:
        """Bring back the conversation that was deleted last, and show it."""
        back = await self._deletions.undo()
        if back is not None:
            self._known[back.id] = back
            self._desk.tell_tabs(back.id)
            await self.open(back.id)
        self.publish()

    async def _show_next(self, instead_of: str | None = None) -> None:
        newest = max(self._known.values(), key=lambda c: c.updated_at, default=None)
        if newest is None or not await self.open(newest.id, instead_of):
            self.new(instead_of)

    def _forget(self, id: str) -> None:
        self._known.pop(id, None)
        self._opened.pop(id, None)
        self._search.forget(id)

    async def search(self, query: str) -> None:
        """Show the conversations whose title or text holds all words of the query."""
        await self._search.ask(query, self._known, self._desk.repository.messages)
        self.publish()

    def take(self, conversation: Conversation) -> None:
        """A conversation was imported."""
        self._known[conversation.id] = conversation
        self._desk.tell_tabs(conversation.id)

    async def heard(self, text: str) -> None:
        """Another tab has written: read that conversation again."""
        try:
            id = cast("dict[str, Any]", json.loads(text))["conversation_id"]
        except (ValueError, TypeError, KeyError):
            return
        if isinstance(id, str):
            await self.refresh(id)

    async def refresh(self, id: str) -> None:
        """Take in what the store holds of a conversation now; it may be gone, or back."""
        repository = self._desk.repository
        conversation = await repository.conversation(id)
        opened = self._opened.get(id)
        if conversation is None:
            if opened is not None and not opened.stored:
                return
            self._forget(id)
            if opened is not None:
                await stop(opened)
                if self._desk.shown is opened:
                    self._desk.state.notify.say("This chat was deleted in another tab.")
                    await self._show_next(instead_of=id)
            self.publish()
            return
        self._known[id] = conversation
        self._search.forget(id)
        self._deletions.is_back(id)
        if opened is not None:
            await self._read_again(opened, conversation)
            self._desk.show_thread(opened)
            self._desk.show_memory(opened, heard=True)
        self.publish()

    async def _read_again(self, opened: OpenConversation, conversation: Conversation) -> None:
        """Messages and folds as the store holds them, read with nothing written in between.

        A write of this tab, or a structural one of another, while they are read makes what was
        read old: installing it would bring back what has just been deleted.
        """
        repository, id = self._desk.repository, opened.id
        for _ in range(READINGS):
            changes = opened.changes
            messages = await self._loader.messages(conversation)
            folds = await repository.folds(id)
            now = await repository.conversation(id)
            if now is None:  # deleted meanwhile: its own refresh follows
                return
            same = (now.structure, now.commit) == (conversation.structure, conversation.commit)
            conversation = now
            if opened.writing:
                opened.missed = True
                return
            if same and opened.changes == changes:
                opened.refreshed(conversation, messages)
                opened.folds = folds
                self._known[id] = conversation
                return
