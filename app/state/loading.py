"""One conversation out of the store, with what was lost or left open put right.

Answers whose tab is gone become stopped ones; where the ledger is lost, the mirror's copy of the
memory stands for it.
"""

from __future__ import annotations

from dataclasses import replace

from app.conversation.message import Message
from app.conversation.tree import Conversation, Tree
from app.state.desk import Desk
from app.state.local_values import LocalValues
from app.state.mirrored_fold import mirrored_fold
from app.state.open_conversation import STREAMING, OpenConversation
from app.state.partials import Partials
from app.state.tabs import Tabs

CLOSED = "The page was closed while this answer came."


class Loader:
    """See the module."""

    def __init__(self, desk: Desk, values: LocalValues, tabs: Tabs) -> None:
        self._desk = desk
        self._tabs = tabs
        self._partials = Partials(values)

    async def load(self, id: str) -> OpenConversation | None:
        """A conversation as it can be shown, None when it is gone."""
        repository = self._desk.repository
        conversation = await repository.conversation(id)
        if conversation is None:
            return None
        messages = await self.messages(conversation)
        folds = await repository.folds(id)
        tree = Tree(messages)
        leaf = _followed(conversation.leaf_id, messages)
        opened = OpenConversation(
            conversation, tree, leaf if leaf in tree else tree.newest_leaf(), folds
        )
        if not folds and conversation.commit:
            summary, counter = self._desk.mirror.stored(id), self._desk.engine.counter
            lost = mirrored_fold(summary, conversation, opened.path(), counter)
            opened.folds = [lost] if lost else []
        opened.usage = await repository.usage(id)
        return opened

    async def messages(self, conversation: Conversation) -> list[Message]:
        """The messages; answers whose tab is gone are stopped now, with all that came of them."""
        id, repository = conversation.id, self._desk.repository
        messages = self._partials.taken(id, await repository.messages(id))
        gone = {
            m.id: replace(m, status="stopped", finish="", error=CLOSED)
            for m in messages
            if m.status == "streaming"
            and not await self._tabs.alive(m.finish.removeprefix(STREAMING))
        }
        if not gone:
            return messages
        leaf = _followed(conversation.leaf_id, list(gone.values()))
        await repository.write(id, list(gone.values()), patch={"leaf_id": leaf})
        for each in gone:
            self._partials.drop(each)
        return [gone.get(m.id, m) for m in messages]

    def forget(self, id: str) -> None:
        """The conversation is deleted."""
        self._partials.forget(id)


def _followed(leaf_id: str | None, messages: list[Message]) -> str | None:
    """The open leaf, or the answer to it that came when the page was left."""
    answers = (m.id for m in messages if m.parent_id == leaf_id and m.error == CLOSED)
    return next(answers, leaf_id)
