"""Recall for one conversation: its index kept in step with what is folded, and the passages.

Only covered messages of the active path may be recalled: never the window's, pinned ones or
excluded ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from app.conversation.message import Message, sendable_text
from app.memory.conversation_memory import ConversationMemory
from app.memory.payload import Passage, Recall
from app.memory.plan import Plan
from app.memory.prompts import RECALL_FRAME, speaker
from app.memory.recall import RecallIndex, passages
from app.memory.tokens import Counter

RECENT_TURNS = 2  # turns before the question that a follow-up leans on
KNOWN_TIME = 10**9  # ms: imports number messages of unknown time from 0 on
MIN_ROOM = 24  # tokens of passages under which nothing is quoted


class _Texts(Mapping[str, tuple[str, str, str]]):
    """(speaker, text, day) of the path's messages by id, rendered when asked for."""

    def __init__(self, memory: ConversationMemory) -> None:
        self._memory = memory

    def __getitem__(self, key: str) -> tuple[str, str, str]:
        position = self._memory.path.position(key)
        if position is None:
            raise KeyError(key)
        message = self._memory.path.messages[position]
        return speaker(message), sendable_text(message), day(message)

    def __iter__(self) -> Iterator[str]:
        return (message.id for message in self._memory.path.messages)

    def __len__(self) -> int:
        return len(self._memory.path)


def day(message: Message) -> str:
    """The UTC day on which a message was written, as 2026-05-08; "" when unknown."""
    if message.created_at < KNOWN_TIME:
        return ""
    days = message.created_at // 86_400_000 + 719_468  # days since 0000-03-01
    era, of_era = divmod(days, 146_097)
    year = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    month = (5 * of_year + 2) // 153
    date = of_year - (153 * month + 2) // 5 + 1
    month = month + 3 if month < 10 else month - 9
    return f"{year + era * 400 + (month <= 2):04}-{month:02}-{date:02}"


class Recollection:
    """The recall index of one conversation; grows as folds cover more."""

    def __init__(self) -> None:
        self._index = RecallIndex()
        self._path: object = None
        self._upto = 0

    def _sync(self, memory: ConversationMemory, upto: int) -> None:
        """Index the covered messages before ``upto``; anew when the path was rebuilt."""
        if self._path is not memory.path:
            known = self._path is not None
            self._path, self._upto = memory.path, 0
            if known:
                self._index = RecallIndex()
        for message in memory.path.select("eligible", self._upto, upto):
            self._index.add(message.id, sendable_text(message), speaker(message), day(message))
        self._upto = max(self._upto, upto)

    def recall(self, memory: ConversationMemory, planned: Plan, counter: Counter) -> Recall | None:
        """What finds the passages for the plan's question; None when there is no question."""
        if planned.question is None:
            return None
        path, start = memory.path, planned.window_start
        self._sync(memory, start)
        question = sendable_text(path.messages[planned.question])
        turns = path.turns_between(start, planned.question)[-RECENT_TURNS:]
        low = turns[0] if turns else planned.question
        recent = [
            sendable_text(path.messages[i])
            for i in range(low, planned.question)
            if path.states[i] in ("eligible", "pinned")
        ]
        frame = counter.text(RECALL_FRAME) + 4

        def allowed(message_id: str) -> bool:
            position = path.position(message_id)
            return position is not None and position < start and path.states[position] == "eligible"

        def find(room: int) -> list[Passage]:
            if room - frame < MIN_ROOM:
                return []
            found = passages(
                self._index,
                _Texts(memory),
                question,
                recent,
                room - frame,
                counter.tokenizer,
                allowed,
            )
            return [Passage(p.id, p.text) for p in found]

        return find
