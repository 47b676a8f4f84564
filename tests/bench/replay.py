"""Replay a conversation through the memory engine and write what each request held.

    python -m tests.bench.replay MESSAGES.json --out OUT.jsonl [--probes PROBES.json]
        [--preset pleat|minisearch|dost|switchboard] [--context 4096] [--summary-limit 800]
        [--recall 0] [--reserved 200] [--method extractive|tail] [--endpoint URL --model NAME]

MESSAGES.json is [{"id", "role", "content"}] (with "created_at" in milliseconds, or a session
header such as "[1:56 pm on 8 May, 2023]", for the date); PROBES.json [{"id", "question"}]. A
request is made
at each user message that an assistant message follows; ``--reserved N`` stands for a system
prompt of N tokens; counts are exact o200k. One JSON object a line comes out: a turn with its
payload's parts, the folds committed before it and the time to prepare it without them; then the
probes, asked after the last turn, each on its own, committing nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from app.conversation.message import Message, Part
from app.conversation.tree import Conversation
from app.memory.conversation_memory import ConversationMemory
from app.memory.engine import MemoryEngine
from app.memory.ledger import Fold
from app.memory.payload import Payload
from app.memory.plan import plan
from app.memory.policies import PRESETS, MemorySettings, make_policy
from app.memory.scanner import Scanner
from app.memory.tokens import Counter
from app.models.openai_compatible import Endpoint, OpenAICompatible
from app.models.port import ChatModel
from app.models.roles import Assigned, Roles
from tests.bench.chats import times
from tests.support.chats import FoldShelf
from tests.support.cpython_tokenizer import CPythonTokenizer
from tests.support.fakes import FakeIds, FakeLocks
from tests.support.http_transport import HttpTransport

ID = "replay"
KINDS = {"pin": "window"}


class RealClock:
    """Time as it passes, and for each turn a minute and a half that its people took."""

    def __init__(self) -> None:
        self.turns = 0

    def now(self) -> int:
        """Milliseconds since 1970."""
        return int(time.time() * 1000) + 90_000 * self.turns

    def elapsed(self) -> float:
        """Milliseconds of the performance counter."""
        return time.perf_counter() * 1000

    async def sleep(self, milliseconds: float) -> None:
        """Wait."""
        await asyncio.sleep(milliseconds / 1000)


@dataclass
class Replay:
    """One conversation, one engine. ``utility``: the model that summarises, None for none."""

    settings: MemorySettings
    utility: ChatModel | None = None
    counter: Counter = field(default_factory=lambda: Counter(CPythonTokenizer()))

    def __post_init__(self) -> None:
        self.clock, self.shelf, self.folds = RealClock(), FoldShelf(), list[Fold]()
        self.engine = self._engine(self.shelf, self.folds.append)
        self.memory = self.engine.open(Conversation(id=ID), [], [], self.settings)
        self.scanner = Scanner(
            self.engine,
            self.clock,
            FakeLocks(),
            conversations=self._conversations,
            load=self._load,
            idle=lambda: True,
            every_ms=lambda: None,
        )

    def _engine(self, shelf: FoldShelf, folded: Callable[[Fold], None]) -> MemoryEngine:
        roles = Roles(
            None, Assigned(self.utility, self.settings.context_size) if self.utility else None
        )
        return MemoryEngine(
            folds=shelf,
            counter=self.counter,
            clock=self.clock,
            ids=FakeIds("f"),
            locks=FakeLocks(),
            roles=lambda: roles,
            usage=lambda record: None,
            committed=lambda memory, fold: folded(fold),
        )

    async def _conversations(self) -> Sequence[tuple[str, object]]:
        return [(ID, len(self.memory.path))]

    async def _load(self, conversation_id: str) -> ConversationMemory:
        return self.memory

    async def turns(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        """A line for each request of the conversation."""
        lines: list[dict[str, Any]] = []
        for number, message in enumerate(messages):
            self.memory.append(message)
            follower = messages[number + 1] if number + 1 < len(messages) else None
            if message.role == "user" and follower is not None and follower.role == "assistant":
                lines.append(await self._request(len(lines), message))
            elif message.role != "user":
                await self.engine.after_answer(self.memory)
                await self.scanner.step()
        return lines

    async def _request(self, number: int, message: Message) -> dict[str, Any]:
        before = list(self.folds)
        self.clock.turns += 1
        started = time.perf_counter()
        prepared = await self.engine.prepare(self.memory)
        elapsed = (time.perf_counter() - started) * 1000
        now = self.folds[len(before) :]
        folds, self.folds[:] = list(self.folds), []
        return {
            "turn": number,
            "upto": message.id,
            **written(prepared.payload),
            "folds": [_fold(fold) for fold in folds],
            "plan_ms": round(max(0.0, elapsed - sum(f.duration_ms for f in now)), 3),
        }

    async def probe(self, probe_id: str, question: str) -> dict[str, Any]:
        """The request for a question after the last turn; commits nothing."""
        memory = self.memory
        parent = memory.path.messages[-1].id if len(memory.path) else None
        asked = Message(f"probe-{probe_id}", ID, parent, "user", (Part("text", question),))
        memory.append(asked)
        try:
            current = memory.current_for_answer()
            cut = plan(memory.path, current, memory.settings, self.counter).cut
            if cut is None or not cut.forced:
                payload = self.engine.preview(memory)
            else:  # it must fold: in a copy of everything
                copy = FoldShelf({ID: list(memory.ledger)}, dict(self.shelf.numbers))
                engine = self._engine(copy, lambda fold: None)
                other = engine.open(
                    memory.conversation, memory.path.messages, list(memory.ledger), memory.settings
                )
                payload = (await engine.prepare(other)).payload
        finally:
            memory.path.pop()
        return {"probe": probe_id, **written(payload)}


def written(payload: Payload) -> dict[str, Any]:
    """A payload as the lines have it."""
    return {
        "payload": [
            {
                "kind": KINDS.get(part.kind, part.kind),
                "role": part.role,
                "content": part.content,
                "ids": list(part.ids) if part.kind != "summary" else [],
                "tokens": part.tokens,
            }
            for part in payload.parts
        ],
        "tokens": payload.tokens,
        "budget": payload.budget,
    }


def _fold(fold: Fold) -> dict[str, Any]:
    line = {
        "covered": list(fold.covered) if fold.replaces is None else [],
        "tokens_in": fold.tokens_in,
        "tokens_out": fold.tokens_out,
        "method": fold.method,
        "trigger": fold.trigger,
        "ms": fold.duration_ms,
    }
    return line if fold.replaces is None else {**line, "replaces": fold.replaces}


def read_messages(path: Path) -> list[Message]:
    """The messages of a file, in a row."""
    messages: list[Message] = []
    entries = json.loads(path.read_text(encoding="utf-8"))
    written = times([str(entry.get("content") or "") for entry in entries])
    for entry, at in zip(entries, written, strict=True):
        parent = messages[-1].id if messages else None
        role = "user" if entry["role"] == "user" else "assistant"
        parts = (Part("text", str(entry.get("content") or "")),)
        at = int(entry.get("created_at") or at)
        messages.append(Message(str(entry["id"]), ID, parent, role, parts, created_at=at))
    return messages


def make_settings(arguments: argparse.Namespace) -> MemorySettings:
    """The engine's settings for the command's options."""
    policy = make_policy(arguments.preset)
    policy = replace(policy, summary_limit=arguments.summary_limit, recall_tokens=arguments.recall)
    if arguments.method:
        policy = replace(policy, fallback=arguments.method)
    return MemorySettings(
        policy=policy,
        context_size=arguments.context,
        system_prompt=" apple" * arguments.reserved,
    )


async def run(arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """All lines of a replay."""
    utility = None
    if arguments.endpoint:
        endpoint = Endpoint(arguments.endpoint, HttpTransport(), key=arguments.key)
        utility = OpenAICompatible(endpoint, arguments.model)
    replay = Replay(make_settings(arguments), utility)
    lines = await replay.turns(read_messages(arguments.messages))
    if arguments.probes:
        for entry in json.loads(arguments.probes.read_text(encoding="utf-8")):
            lines.append(await replay.probe(str(entry["id"]), str(entry["question"])))
    return iter(lines)


def parser() -> argparse.ArgumentParser:
    """The command's options."""
    options = argparse.ArgumentParser(
        prog="python -m tests.bench.replay",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.add_argument("messages", type=Path)
    options.add_argument("--probes", type=Path)
    options.add_argument("--preset", choices=sorted(PRESETS), default="pleat")
    options.add_argument("--context", type=int, default=4096)
    options.add_argument("--summary-limit", type=int, default=800)
    options.add_argument("--recall", type=int, default=0)
    options.add_argument("--reserved", type=int, default=200)
    options.add_argument("--method", choices=["extractive", "tail"])
    options.add_argument("--endpoint", default="")
    options.add_argument("--model", default="")
    options.add_argument("--key", default="")
    options.add_argument("--out", type=Path, required=True)
    return options


def main() -> None:
    """The command."""
    arguments = parser().parse_args()
    with arguments.out.open("w", encoding="utf-8") as out:
        for line in asyncio.run(run(arguments)):
            out.write(json.dumps(line, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
