"""The memory of one open conversation: its path, its ledger, and what is going on with them.

State only; the engine and the compactor act on it. One tab holds one of these for each path.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from app.conversation.message import Message
from app.conversation.tree import Conversation
from app.memory.ledger import Fold, Ledger
from app.memory.path import ActivePath
from app.memory.policies import MemorySettings
from app.memory.tokens import Counter


@dataclass(slots=True)
class Activity:
    """What this tab has done and is doing for the conversation; survives a rebuilt path."""

    hold_auto: bool = False  # after an undo: no background fold until the next question
    attempted: str = ""  # the question in whose turn the model was already asked
    sent: int = 0  # counted tokens of the newest request
    retried: str = ""  # the question whose overflow was already retried
    ineffective: int = 0  # folds in a row that left the prompt as full as it was
    crowded: str = ""  # the question whose request no fold could make room for
    folded_at: int = 0  # clock's ms, for the scanner's cool-down
    notices: list[str] = field(default_factory=list[str])
    told: set[str] = field(default_factory=set[str])

    def judged(self, made_room: bool) -> None:
        """A fold is done: count those in a row that made no room, and say when it is two."""
        self.ineffective = 0 if made_room else self.ineffective + 1
        if self.ineffective >= 2:
            self.tell(
                "Folding frees too little in this chat: no model is asked for summaries here"
                " until that changes. A shorter system prompt or a larger context helps."
            )

    def tell(self, text: str, *, once: bool = True) -> None:
        """A notice for the user; the same one is said once."""
        if not once or text not in self.told:
            self.told.add(text)
            self.notices.append(text)


class ConversationMemory:
    """One conversation's path and ledger, kept in step with the store."""

    def __init__(
        self,
        conversation: Conversation,
        path: ActivePath,
        ledger: Ledger,
        settings: MemorySettings,
        activity: Activity | None = None,
    ) -> None:
        self.conversation = conversation
        self.path = path
        self.ledger = ledger
        self.settings = settings
        self.activity = activity or Activity()
        # The commit up to which the ledger is known to be whole. Not the conversation's own: its
        # record may have been read again after another tab's commit, and the folds before it.
        self.known_commit = -1

    @property
    def id(self) -> str:
        """The conversation's id."""
        return self.conversation.id

    def append(self, message: Message) -> None:
        """Add a message at the leaf, or put a finished one in the place of the same id."""
        if len(self.path) and self.path.messages[-1].id == message.id:
            self.path.pop()
        self.path.append(message)

    @property
    def current(self) -> Fold | None:
        """The fold that is the memory now."""
        return self.ledger.current(self.path)

    def current_for_answer(self) -> Fold | None:
        """The fold to send with the newest question: never one that covers the question."""
        return self.before(self.path.question() if self.path.is_open() else None)

    def before(self, question: int | None) -> Fold | None:
        """The memory that does not cover the message at that index; None: any."""
        return self.ledger.current(self.path, before=question)

    def question_id(self) -> str:
        """The id of the newest question, "" when there is none."""
        question = self.path.question()
        return self.path.messages[question].id if question is not None else ""

    @property
    def held(self) -> bool:
        """Whether a fold was undone since the newest question was asked, in this tab or another."""
        if self.activity.hold_auto:
            return True
        question = self.path.question()
        asked = self.path.messages[question].created_at if question is not None else 0
        return asked > 0 and any((fold.retired_at or 0) > asked for fold in self.ledger)

    def committed(self, fold: Fold) -> None:
        """Take in an entry that the store has accepted."""
        self.ledger.add(fold)
        self.at_commit(fold.commit)

    def at_commit(self, commit: int) -> None:
        """The ledger holds all that the store held at this commit."""
        self.known_commit = commit
        self.conversation = replace(self.conversation, commit=commit)


def open_memory(
    conversation: Conversation,
    messages: list[Message],
    folds: list[Fold],
    settings: MemorySettings,
    counter: Counter,
    activity: Activity | None = None,
) -> ConversationMemory:
    """Build the memory of a path; needed at opening and after each change that is no append."""
    path = ActivePath(
        counter,
        messages,
        pinned=conversation.pinned,
        excluded=conversation.excluded,
        pin_allowance=settings.limits.pins,
    )
    return ConversationMemory(conversation, path, Ledger(folds), settings, activity)
