"""Small conversations for tests: messages in a row, an engine with everything faked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from app.conversation.message import Message, Part, Role
from app.conversation.tree import Conversation
from app.memory.conversation_memory import ConversationMemory
from app.memory.engine import MemoryEngine
from app.memory.ledger import Fold
from app.memory.policies import MemorySettings
from app.memory.ports import Outcome
from app.memory.tokens import Counter, Tokenizer
from app.models.port import ChatModel
from app.models.roles import Assigned, Roles
from app.models.usage import UsageRecord
from tests.support.fakes import FakeClock, FakeIds, FakeLocks
from tests.support.words import WordTokenizer


def chat(
    *texts: str, first: Role = "user", prefix: str = "m", conversation: str = "c"
) -> list[Message]:
    """Messages m1, m2… in a row, roles alternating from ``first``."""
    messages: list[Message] = []
    role = first
    for number, text in enumerate(texts, 1):
        parent = messages[-1].id if messages else None
        messages.append(
            Message(f"{prefix}{number}", conversation, parent, role, (Part("text", text),))
        )
        role = "assistant" if role == "user" else "user"
    return messages


def apples(count: int) -> str:
    """A text of exactly ``count`` tokens, in the word tokenizer and in o200k_base alike."""
    return " apple" * count


@dataclass
class FoldShelf:
    """A ``FoldStore`` in memory, for several tabs at once."""

    entries: dict[str, list[Fold]] = field(default_factory=dict[str, list[Fold]])
    numbers: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    gone: set[str] = field(default_factory=set[str])

    async def counters(self, conversation_id: str) -> tuple[int, int] | None:
        """(structure, commit)."""
        return None if conversation_id in self.gone else self.numbers.get(conversation_id, (0, 0))

    async def folds(self, conversation_id: str) -> list[Fold]:
        """All entries."""
        return list(self.entries.get(conversation_id, []))

    async def commit_fold(self, fold: Fold, *, structure: int, commit: int) -> Outcome:
        """Compare and swap."""
        if fold.conversation_id in self.gone:
            return "gone"
        if self.numbers.get(fold.conversation_id, (0, 0)) != (structure, commit):
            return "conflict"
        self.numbers[fold.conversation_id] = (structure, commit + 1)
        self.entries.setdefault(fold.conversation_id, []).append(replace(fold, commit=commit + 1))
        return "ok"

    async def retire_folds(
        self, conversation_id: str, fold_ids: Sequence[str], *, commit: int
    ) -> Outcome:
        """Compare and swap."""
        if conversation_id in self.gone:
            return "gone"
        structure, now = self.numbers.get(conversation_id, (0, 0))
        if now != commit:
            return "conflict"
        self.numbers[conversation_id] = (structure, commit + 1)
        self.entries[conversation_id] = [
            replace(f, retired_at=1) if f.id in fold_ids else f
            for f in self.entries.get(conversation_id, [])
        ]
        return "ok"


@dataclass
class Bench:
    """One tab's engine over a shelf that other tabs may share."""

    settings: MemorySettings = field(default_factory=MemorySettings)
    utility: ChatModel | None = None
    utility_context: int = 8192
    shelf: FoldShelf = field(default_factory=FoldShelf)
    clock: FakeClock = field(default_factory=FakeClock)
    ids: FakeIds = field(default_factory=FakeIds)
    locks: FakeLocks = field(default_factory=FakeLocks)
    tokenizer: Tokenizer = field(default_factory=WordTokenizer)
    usage: list[UsageRecord] = field(default_factory=list[UsageRecord])

    def __post_init__(self) -> None:
        self.counter = Counter(self.tokenizer)
        self.engine = MemoryEngine(
            folds=self.shelf,
            counter=self.counter,
            clock=self.clock,
            ids=self.ids,
            locks=self.locks,
            roles=self.roles,
            usage=self.usage.append,
        )

    def roles(self) -> Roles:
        """The utility model alone: the engine asks for no other."""
        if self.utility is None:
            return Roles(None)
        return Roles(None, Assigned(self.utility, self.utility_context))

    def open(
        self,
        messages: Sequence[Message],
        conversation: Conversation | None = None,
        settings: MemorySettings | None = None,
    ) -> ConversationMemory:
        """The memory of these messages, with what the shelf holds for the conversation."""
        id = messages[0].conversation_id if messages else "c"
        conversation = conversation or Conversation(id=id)
        structure, commit = self.shelf.numbers.get(id, (0, 0))
        conversation = replace(conversation, structure=structure, commit=commit)
        return self.engine.open(
            conversation, messages, self.shelf.entries.get(id, []), settings or self.settings
        )
