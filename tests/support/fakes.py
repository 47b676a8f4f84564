"""Everything from outside, in memory: what the unit and property tests of all rooms run on.

Nothing here waits for real time. ``FakeClock.advance`` wakes sleepers; ``settle`` lets every
task run until all wait for something.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.models.port import Delta, Usage, WireMessage
from app.state.ports import StorageFailed


async def settle(rounds: int = 50) -> None:
    """Let the other tasks run until they wait (bounded: ``rounds`` turns of the event loop)."""
    for _ in range(rounds):
        await asyncio.sleep(0)


class FakeClock:
    """A clock that only ``advance`` moves. ``auto`` makes every sleep end at once, moving it."""

    def __init__(self, now: int = 1_700_000_000_000, *, auto: bool = False) -> None:
        self._now = float(now)
        self._start = float(now)
        self._auto = auto
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    def now(self) -> int:
        """Milliseconds since 1970."""
        return int(self._now)

    def elapsed(self) -> float:
        """Milliseconds since the clock was made."""
        return self._now - self._start

    async def sleep(self, milliseconds: float) -> None:
        """Wait until ``advance`` has moved the clock that far."""
        if self._auto:
            self._now += milliseconds
            await asyncio.sleep(0)
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append((self._now + milliseconds, future))
        await future

    def advance(self, milliseconds: float) -> None:
        """Move the clock and wake those whose time has come."""
        self._now += milliseconds
        due = [s for s in self._sleepers if s[0] <= self._now]
        self._sleepers = [s for s in self._sleepers if s[0] > self._now]
        for _, future in due:
            if not future.done():
                future.set_result(None)

    @property
    def sleeping(self) -> int:
        """How many wait on the clock."""
        return sum(not future.done() for _, future in self._sleepers)


class FakeIds:
    """Ids in a row: ``id1``, ``id2``… (with another prefix per tab where two run)."""

    def __init__(self, prefix: str = "id") -> None:
        self._prefix = prefix
        self._count = 0

    def new(self) -> str:
        """The next id."""
        self._count += 1
        return f"{self._prefix}{self._count}"


class FakeLocks:
    """Named locks that several fake tabs may share."""

    def __init__(self) -> None:
        self._held: dict[str, object] = {}
        self._waiters: dict[str, list[asyncio.Future[None]]] = {}
        self.taken: list[str] = []

    async def acquire(self, name: str, *, wait: bool = True) -> Callable[[], None] | None:
        """Take the lock; its release, or None when it is taken and ``wait`` is False."""
        while name in self._held:
            if not wait:
                return None
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiters.setdefault(name, []).append(future)
            await future
        token = object()
        self._held[name] = token
        self.taken.append(name)

        def release() -> None:
            if self._held.get(name) is token:
                del self._held[name]
                waiters = self._waiters.pop(name, [])
                for waiter in waiters:
                    if not waiter.done():
                        waiter.set_result(None)

        return release

    async def held(self, prefix: str) -> set[str] | None:
        """The names that are held."""
        return {name for name in self._held if name.startswith(prefix)}


class FakeStorageArea:
    """What the tabs of one browser share: localStorage's texts and the channel's listeners."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.tabs: list[FakeKeyValue] = []
        self.channels: list[FakeChannel] = []


class FakeKeyValue:
    """localStorage of one tab. ``quota`` in characters; ``blocked`` makes every access raise."""

    def __init__(self, area: FakeStorageArea | None = None) -> None:
        self.area = area or FakeStorageArea()
        self.area.tabs.append(self)
        self.quota: int | None = None
        self.blocked = False
        self._handlers: list[Callable[[str, str | None], object]] = []

    def get(self, key: str) -> str | None:
        """The text or None."""
        self._check()
        return self.area.texts.get(key)

    def set(self, key: str, text: str) -> None:
        """Store, and tell the other tabs."""
        self._check()
        size = sum(len(k) + len(v) for k, v in self.area.texts.items() if k != key)
        if self.quota is not None and size + len(key) + len(text) > self.quota:
            raise StorageFailed("quota", "QuotaExceededError")
        self.area.texts[key] = text
        self._tell(key, text)

    def remove(self, key: str) -> None:
        """Forget, and tell the other tabs."""
        self._check()
        if self.area.texts.pop(key, None) is not None:
            self._tell(key, None)

    def keys(self) -> list[str]:
        """All keys."""
        self._check()
        return list(self.area.texts)

    def watch(self, handler: Callable[[str, str | None], object]) -> None:
        """Hear what other tabs change."""
        self._handlers.append(handler)

    def _tell(self, key: str, text: str | None) -> None:
        for tab in self.area.tabs:
            if tab is not self:
                for handler in tab._handlers:
                    handler(key, text)

    def _check(self) -> None:
        if self.blocked:
            raise StorageFailed("unavailable", "SecurityError")


class FakeChannel:
    """BroadcastChannel of one tab."""

    def __init__(self, area: FakeStorageArea | None = None) -> None:
        self.area = area or FakeStorageArea()
        self.area.channels.append(self)
        self.posted: list[str] = []
        self._handlers: list[Callable[[str], object]] = []

    def post(self, text: str) -> None:
        """Tell the other tabs at once."""
        self.posted.append(text)
        for other in self.area.channels:
            if other is not self:
                for handler in other._handlers:
                    handler(text)

    def watch(self, handler: Callable[[str], object]) -> None:
        """Hear the other tabs."""
        self._handlers.append(handler)


@dataclass
class Reply:
    """One scripted answer: pieces of text, then ``finish`` and ``usage``, or ``error`` raised.

    ``gate``: an event that must be set before the piece ``gate_after`` comes; ``gates``: more.
    """

    pieces: Sequence[str] = ()
    reasoning: str = ""
    finish: str = "stop"
    usage: Usage | None = None
    error: BaseException | None = None
    gate: asyncio.Event | None = None
    gate_after: int = 0
    gates: dict[int, asyncio.Event] = field(default_factory=dict[int, asyncio.Event])


@dataclass
class Call:
    """One request that a scripted model got."""

    messages: list[WireMessage]
    max_tokens: int | None
    temperature: float | None
    closed: bool = False


@dataclass
class ScriptedModel:
    """A ``ChatModel`` that answers from a script; when it is used up, with ``default``."""

    name: str = "scripted"
    script: list[Reply | str | BaseException] = field(default_factory=list[Any])
    default: str = "Fine."
    calls: list[Call] = field(default_factory=list[Call])

    def then(self, *replies: Reply | str | BaseException) -> ScriptedModel:
        """Add to the script."""
        self.script.extend(replies)
        return self

    async def stream(
        self,
        messages: Sequence[WireMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> AsyncIterator[Delta]:
        """Yield the next scripted reply."""
        call = Call(list(messages), max_tokens, temperature)
        self.calls.append(call)
        entry = self.script.pop(0) if self.script else self.default
        if isinstance(entry, BaseException):
            raise entry
        reply = Reply([entry]) if isinstance(entry, str) else entry
        try:
            if reply.reasoning:
                yield Delta(reasoning=reply.reasoning)
            for index, piece in enumerate(reply.pieces):
                if reply.gate is not None and index == reply.gate_after:
                    await reply.gate.wait()
                if index in reply.gates:
                    await reply.gates[index].wait()
                yield Delta(text=piece)
            if reply.gate is not None and reply.gate_after >= len(reply.pieces):
                await reply.gate.wait()
            if reply.error is not None:
                raise reply.error
            yield Delta(finish=reply.finish, usage=reply.usage)
        finally:
            call.closed = True
