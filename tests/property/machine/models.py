"""The models of the machine: one that answers, one that is asked for summaries and says anything.

Both can be held in the middle of a call. The summariser's ``echo`` repeats all that it was given,
so that nothing which it must not be given can hide.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field

from app.models.errors import (
    Auth,
    ContextOverflow,
    ModelError,
    RateLimited,
    Server,
    Truncated,
    Unreachable,
)
from app.models.port import Delta, Usage, WireMessage
from tests.support.rules import BY_HAND, PLANTED

ANSWERS = ("text", "text", "reasoning", "long", "held", "failed", "half", "empty", "overflow")
SUMMARIES: tuple[str, ...] = (
    "echo",
    "echo",
    "echo",
    "notes",
    "held",
    "held",
    "empty",
    "blank",
    "open thinking",
    "thinking",
    "refusal",
    "error text",
    "html",
    "endless",
    "one long line",
    "answer",
    "cut off",
    "german",
    "server",
    "auth",
    "rate",
    "unreachable",
    "truncated",
)
RAISED: dict[str, Callable[[], ModelError]] = {
    "server": lambda: Server("boom", status=500),
    "auth": lambda: Auth("no", status=401),
    "rate": lambda: RateLimited("slow", status=429, retry_after=5),
    "unreachable": lambda: Unreachable("gone"),
    "truncated": lambda: Truncated("cut"),
}
_TEXTS = {
    "notes": "The user told several things.\nNothing was decided.",
    "empty": "",
    "blank": " \n\u200b\ufeff ",
    "open thinking": "<think>secret thought",
    "thinking": "<think>secret thought</think>The user spoke of several things.",
    "refusal": "I'm sorry, but I can't do that.",
    "error text": "Error: upstream connect failure",
    "html": "<html><body>502 Bad Gateway</body></html>",
    "endless": "The user said a thing, and then another.\n" * 300,
    "one long line": "and then the user went on and on " * 200,
    "answer": "Sure! Here is what I think of it.",
    "cut off": "The user said",
    "german": "Der Nutzer hat nicht viel gesagt, und das ist auch gut, denn es war ein Tag.",
}


@dataclass
class Holding:
    """What is held in the middle of a call, to be let go by the machine."""

    gates: list[asyncio.Event] = field(default_factory=list[asyncio.Event])

    async def hold(self) -> None:
        """Wait to be let go."""
        gate = asyncio.Event()
        self.gates.append(gate)
        await gate.wait()

    def let(self) -> None:
        """Let all go."""
        gates, self.gates = self.gates, []
        for gate in gates:
            gate.set()


@dataclass
class Chatter:
    """The model that answers; ``text(sentences)`` makes a text with planted words."""

    text: Callable[[int], str]
    holding: Holding
    sent: Callable[[Sequence[WireMessage]], None]
    next: str = "text"
    name: str = "chatter"

    async def stream(
        self,
        messages: Sequence[WireMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> AsyncIterator[Delta]:
        """The next answer."""
        self.sent(messages)
        kind, self.next = self.next, "text"
        if kind == "reasoning":
            yield Delta(reasoning=f"secret thought {self.text(1)}")
        if kind == "failed":
            raise Server("boom", status=500)
        if kind == "overflow":
            raise ContextOverflow("too long", status=400, limit=600)
        if kind != "empty":
            yield Delta(text=self.text(12 if kind == "long" else 4))
        if kind in ("held", "half"):
            await self.holding.hold()
        if kind == "half":
            raise Unreachable("gone")
        if kind == "held":
            yield Delta(text=" " + self.text(1))
        yield Delta(finish="stop", usage=Usage())


@dataclass
class Summariser:
    """The model in the utility role. ``asked`` and ``failed`` are told the request and the kind."""

    holding: Holding
    asked: Callable[[Sequence[WireMessage]], None]
    ended: Callable[[str], None]
    next: str = "echo"
    name: str = "summariser"

    async def stream(
        self,
        messages: Sequence[WireMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> AsyncIterator[Delta]:
        """The next summary, or whatever it says."""
        self.asked(messages)
        kind = self.next
        if kind == "held":
            await self.holding.hold()
        if kind in RAISED:
            self.ended(kind)
            raise RAISED[kind]()
        yield Delta(text=_TEXTS.get(kind) or (echo(messages) if kind in ("echo", "held") else ""))
        yield Delta(finish="length" if kind == "cut off" else "stop")
        self.ended(kind)


def echo(messages: Sequence[WireMessage]) -> str:
    """Every line of the request that holds a planted word, as it stands there."""
    lines = [line.removeprefix("> ").strip() for m in messages for line in m.content.split("\n")]
    return "\n".join(line for line in lines if PLANTED.search(line) or BY_HAND.search(line))
