"""Runs a chat through the memory engine and keeps what the benchmark asks about afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.conversation.message import Message, Part
from app.memory.extractive.dates import split_header
from app.memory.policies import MemorySettings, make_policy
from app.memory.prompts import NOTES_CLOSE, NOTES_OPEN, RECALL_CLOSE, RECALL_OPEN
from app.models.port import ChatModel
from tests.bench.chats import Chat, Probe
from tests.bench.replay import ID, Replay
from tests.support.cpython_tokenizer import CPythonTokenizer


def messages_of(chat: Chat) -> list[Message]:
    """The chat as the engine's messages."""
    out: list[Message] = []
    for turn in chat.messages:
        parent = out[-1].id if out else None
        role = "user" if turn.role == "user" else "assistant"
        parts = (Part("text", turn.content),)
        out.append(
            Message(turn.id, ID, parent, role, parts, created_at=turn.created_at, name=turn.name)
        )
    return out


def settings_for(
    *,
    preset: str = "pleat",
    context: int = 4096,
    summary: int = 800,
    recall: int = 0,
    method: str = "",
    reserved: int = 0,
) -> MemorySettings:
    """The engine's settings for a run; sizes are tokens, ``method`` the writer without a model."""
    policy = replace(make_policy(preset), summary_limit=summary, recall_tokens=recall)
    if method == "tail" or method == "extractive":
        policy = replace(policy, fallback=method)
    return MemorySettings(policy=policy, context_size=context, system_prompt=" apple" * reserved)


@dataclass
class Remembered:
    """A chat after its replay: the lines that the replay gave and the engine to ask further."""

    chat: Chat
    replay: Replay
    lines: list[dict[str, Any]]

    @property
    def folded(self) -> frozenset[int]:
        """Places of the messages that are in the summary."""
        at = {turn.id: place for place, turn in enumerate(self.chat.messages)}
        return frozenset(at[i] for line in self.lines for f in line["folds"] for i in f["covered"])

    @property
    def summary(self) -> str:
        """The text of the current summary."""
        return self.replay.memory.current_for_answer().text if self._has() else ""

    def _has(self) -> bool:
        return self.replay.memory.current_for_answer() is not None

    @property
    def tail(self) -> str:
        """The seeds' rule over everything folded: the newest blocks that fit the limit."""
        limit = 800
        tokenizer = CPythonTokenizer()
        blocks = [self.chat.messages[i].content for i in sorted(self.folded)]
        kept: list[str] = []
        for block in reversed(blocks):
            if tokenizer.count_many(["\n\n".join([block, *kept])])[0] > limit:
                break
            kept.insert(0, block)
        return "\n\n".join(kept)

    def dated(self, place: int) -> str:
        """A message with the day of its session in front."""
        day = ""
        for turn in self.chat.messages[: place + 1]:
            name, _, rest = turn.content.partition(": ")
            day = split_header(rest if rest else name)[0] or day
        text = self.chat.messages[place].content
        return f"[{day}] {text}" if day and day not in text else text

    async def recalled(self, probe: Probe) -> list[tuple[str, str]]:
        """The passages that a question brings back, as sent: (message's id, text)."""
        line = await self.replay.probe(probe.id, probe.question)
        found = [part for part in line["payload"] if part["kind"] == "recall"]
        if not found:
            return []
        text = found[0]["content"].split(RECALL_OPEN, 1)[1].split(RECALL_CLOSE, 1)[0].strip()
        return list(zip(found[0]["ids"], text.split("\n"), strict=True))


async def remember(
    chat: Chat,
    *,
    utility: ChatModel | None = None,
    **settings: Any,
) -> Remembered:
    """Replays ``chat``. ``settings`` are those of ``settings_for``."""
    replay = Replay(settings_for(**settings), utility)
    lines = await replay.turns(messages_of(chat))
    return Remembered(chat, replay, lines)


def remember_all(chats: Sequence[Chat], **settings: Any) -> list[Remembered]:
    """Replays each chat."""
    return [asyncio.run(remember(chat, **settings)) for chat in chats]


def notes_in(text: str) -> str:
    """The summary inside a system message, "" when there is none."""
    if NOTES_OPEN not in text:
        return ""
    return text.split(NOTES_OPEN, 1)[1].split(NOTES_CLOSE, 1)[0].strip()
