"""A conversation that this tab has loaded: its tree, its open leaf, its memory, its answer.

The open leaf is per tab; everything else mirrors the store and is read again when another tab
says that it has changed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from app.conversation.message import Message
from app.conversation.tree import Conversation, Tree
from app.memory.ledger import Fold

if TYPE_CHECKING:
    from app.memory.engine import ConversationMemory
    from app.models.usage import UsageRecord

FAILED = "error:"  # a message's finish, when the model failed: this and the kind of the error
STREAMING = "tab:"  # a message's finish, while it streams: this and the tab that writes it


@dataclass(slots=True)
class OpenConversation:
    """See the module. ``stored`` is False for a new chat that nothing was said in yet."""

    conversation: Conversation
    tree: Tree = field(default_factory=Tree)
    leaf_id: str | None = None
    folds: Sequence[Fold] = ()
    usage: list[UsageRecord] = field(default_factory=list["UsageRecord"])
    memory: ConversationMemory | None = None
    stored: bool = True
    state: str = "idle"
    can_skip: bool = False
    progress: tuple[int, int] = (0, 0)  # messages that a fold has done, of how many
    request: Mapping[str, int] | None = None  # tokens of the request being answered, by kind
    sending: bool = False  # a question is being stored
    stopping: bool = False
    told: set[asyncio.Task[None]] = field(default_factory=set["asyncio.Task[None]"])  # to end
    changes: int = 0  # of this tab's own: a refresh that read before one must read again
    writing: int = 0  # structural writes on their way: what is read meanwhile is not yet theirs
    missed: bool = False  # a refresh that came while writing, and must be made up for
    task: asyncio.Task[None] | None = None
    folding: asyncio.Task[None] | None = None

    @property
    def id(self) -> str:
        """The conversation's id."""
        return self.conversation.id

    @property
    def busy(self) -> bool:
        """Whether an answer is being made."""
        return self.sending or (self.task is not None and not self.task.done())

    def shield(self, task: asyncio.Task[None] | None) -> None:
        """Its end has come, which a Stop must not cut off but wait for."""
        if task is not None and task not in self.told:
            self.told.add(task)
            task.add_done_callback(self.told.discard)

    def path(self) -> list[Message]:
        """The active path."""
        return self.tree.path(self.leaf_id)

    def wrote(self, written: Conversation, *, structural: bool = False) -> bool:
        """Take in the record after a write of this tab; True when another tab has come between.

        The structure number is that of the tree that is here, never of one that is not read yet:
        a fold of this tree must not pass as a fold of the other.
        """
        self.changes += 1
        structure = self.conversation.structure + (1 if structural else 0)
        self.conversation = replace(written, structure=structure)
        return written.structure != structure

    def put(self, message: Message) -> None:
        """Take in a message, or its newer record."""
        self.changes += 1
        known = self.tree.get(message.id)
        if known is None:
            self.tree.add(message)
        elif known.status == "streaming" or known == message:
            self.tree.replace(message)
        elif known.parent_id != message.parent_id:
            self.tree.replace(replace(known, parent_id=message.parent_id))

    def refreshed(self, conversation: Conversation, messages: Iterable[Message]) -> None:
        """What the store holds now, because another tab has written.

        An answer that streams here is not in the store as it is here: it is kept. When another
        tab went on below the open leaf, this tab follows.
        """
        own = [each for each in self.tree if each.status == "streaming" and self.busy]
        self.conversation = conversation
        self.tree = Tree(messages)
        for message in own:
            if message.id in self.tree:
                if self.tree.get(message.id).status == "streaming":  # type: ignore[union-attr]
                    self.tree.replace(message)
            else:
                self.tree.add(message)
        self.memory = None
        if self.leaf_id not in self.tree:
            wanted = conversation.leaf_id
            self.leaf_id = wanted if wanted in self.tree else self.tree.newest_leaf()
        elif not self.busy:
            self.leaf_id = self.tree.newest_leaf(self.leaf_id)


async def stop(opened: OpenConversation) -> None:
    """Stop what answers or folds in a conversation, and wait for its end. Never raises."""
    me = asyncio.current_task()
    running = [
        task
        for task in (opened.task, opened.folding)
        if task is not None and not task.done() and task is not me
    ]
    if not running:
        return
    opened.stopping = True
    for task in running:
        if task not in opened.told:
            opened.shield(task)  # from a second Stop
            task.cancel()
    await asyncio.wait(running)


def error_kind(message: Message) -> str:
    """The kind of the error that ended a message, "" when none did."""
    return message.finish.removeprefix(FAILED) if message.finish.startswith(FAILED) else ""


def is_disposable(message: Message) -> bool:
    """Whether a retry may take the message's place: an answer that failed and says nothing."""
    return (
        message.role == "assistant"
        and message.status in ("failed", "stopped")
        and not message.text.strip()
    )
