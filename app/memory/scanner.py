"""The background scanner: folds conversations under context pressure while the page is idle.

Pressure is a cheap estimate (characters / 4, rounded up) without a model call. The open
conversation comes first; one fold at a time, from one tab at a time, with a cool-down for each.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from app.conversation.message import sendable_text
from app.memory.conversation_memory import ConversationMemory
from app.memory.engine import MemoryEngine
from app.memory.plan import window_start
from app.memory.ports import Clock, Locks
from app.memory.results import CompactResult

LOCK = "pleat.scanner"


def pressure(memory: ConversationMemory) -> float:
    """The estimated share of the context that the next prompt holds."""
    path, current = memory.path, memory.current
    start = window_start(path, current)
    characters = len(memory.settings.system_prompt) + len(current.text if current else "")
    for index in range(start, len(path)):
        if path.states[index] in ("eligible", "pinned"):
            characters += len(sendable_text(path.messages[index]))
    return -(-characters // 4) / memory.settings.limits.context


@dataclass
class Scanner:
    """Looks at all conversations whose preset has a scanner; ``run`` for ever, ``step`` once.

    ``conversations`` gives their ids with a mark that changes when they do, the open one first;
    ``load`` opens one (None: it is gone); ``idle`` says whether nobody waits for an answer.
    """

    engine: MemoryEngine
    clock: Clock
    locks: Locks
    conversations: Callable[[], Awaitable[Sequence[tuple[str, object]]]]
    load: Callable[[str], Awaitable[ConversationMemory | None]]
    idle: Callable[[], bool]
    every_ms: Callable[[], int | None]  # None: no preset in use scans
    report: Callable[[BaseException], None] = lambda fault: None
    _seen: dict[str, object] = field(default_factory=dict[str, object])

    async def run(self) -> None:
        """Scan every ``every_ms``; ends when its task is cancelled."""
        while True:
            await self.clock.sleep(self.every_ms() or 15_000)
            if self.every_ms() is None or not self.idle():
                continue
            try:
                await self.step()
            except Exception as fault:  # the next look may find all well again
                self.report(fault)

    async def step(self) -> CompactResult | None:
        """One look at all conversations; folds at most one. None: nothing to do."""
        release = await self.locks.acquire(LOCK, wait=False)
        if release is None:
            return None
        try:
            for conversation_id, mark in await self.conversations():
                if self._seen.get(conversation_id) == mark:
                    continue
                try:
                    result = await self._look(conversation_id)
                except Exception as fault:  # one chat that cannot be read stops no other
                    self.report(fault)
                    result = None
                if result is not None and result.status in ("folded", "busy"):
                    return result
                if result is None or result.status == "nothing":
                    self._seen[conversation_id] = mark
                if not self.idle():
                    return None
            return None
        finally:
            release()

    async def _look(self, conversation_id: str) -> CompactResult | None:
        """Fold one conversation if its preset, its pressure and its cool-down say so."""
        memory = await self.load(conversation_id)
        if memory is None:
            return None
        policy, activity = memory.settings.policy, memory.activity
        if policy.scan_share is None or pressure(memory) < policy.scan_share:
            return None
        since = self.clock.now() - activity.folded_at
        if activity.folded_at and since < policy.cooldown_ms:
            return CompactResult("dropped", reason="Cooling down.")  # looked at again
        activity.folded_at = self.clock.now()
        return await self.engine.compact(memory, "auto")
