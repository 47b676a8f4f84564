"""What every call cost: one record per call, totals, and what folding cost and saved.

``LoggedModel`` wraps any model and writes the record when its stream ends, however it ends.
Tokens are the server's where it counted, else estimated and marked so. Times are milliseconds.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from app.models.errors import ModelError
from app.models.port import ChatModel, Delta, Usage, WireMessage

Outcome = Literal["ok", "stopped", "failed"]


@dataclass(frozen=True, slots=True)
class UsageRecord:
    """One call of a model. Holds no text of the conversation and no key."""

    id: str
    conversation_id: str
    role: str  # "chat" or "utility"
    model: str
    trigger: str = ""  # of a fold: auto, overflow, manual
    tokens_in: int = 0
    tokens_out: int = 0
    cached: int = 0  # of tokens_in, read from the provider's prompt cache
    estimated: bool = False  # the server did not count
    duration_ms: int = 0
    outcome: Outcome = "ok"
    error_kind: str = ""
    created_at: int = 0  # ms since 1970
    saved: int = 0  # tokens folded away from this request, less its summary


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over calls."""

    calls: int = 0
    failed: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cached: int = 0
    duration_ms: int = 0

    def plus(self, record: UsageRecord) -> Totals:
        """These totals with one more call."""
        return Totals(
            self.calls + 1,
            self.failed + (record.outcome == "failed"),
            self.tokens_in + record.tokens_in,
            self.tokens_out + record.tokens_out,
            self.cached + record.cached,
            self.duration_ms + record.duration_ms,
        )


@dataclass(frozen=True, slots=True)
class Economy:
    """What folding cost (all tokens of the utility role) against what it saved, in tokens."""

    cost: int = 0
    saved: int = 0

    @property
    def gain(self) -> int:
        """Saved less cost; negative while a fold has not paid for itself."""
        return self.saved - self.cost


def totals(records: Iterable[UsageRecord], conversation_id: str | None = None) -> dict[str, Totals]:
    """The totals by role, of one conversation or (None) of all."""
    sums: dict[str, Totals] = {}
    for record in records:
        if conversation_id is None or record.conversation_id == conversation_id:
            sums[record.role] = sums.get(record.role, Totals()).plus(record)
    return sums


def economy(records: Iterable[UsageRecord], conversation_id: str | None = None) -> Economy:
    """What folding cost and saved, in one conversation or (None) in all.

    Only requests that reached the model save anything; a failed one saved nothing.
    """
    cost = saved = 0
    for record in records:
        if conversation_id is not None and record.conversation_id != conversation_id:
            continue
        if record.role == "utility":
            cost += record.tokens_in + record.tokens_out
        elif record.outcome != "failed":
            saved += record.saved
    return Economy(cost, saved)


def estimate(text: str) -> int:
    """About how many tokens ``text`` has: a quarter of its UTF-8 bytes, rounded up."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 4)


@dataclass(slots=True)
class CallLog:
    """Where records go, and the ports that fill them in."""

    record: Callable[[UsageRecord], None]
    new_id: Callable[[], str]
    now: Callable[[], int]  # ms since 1970
    elapsed: Callable[[], float]  # ms since any fixed moment
    count: Callable[[str], int] = estimate  # tokens of a text


@dataclass(slots=True)
class LoggedModel:
    """A ``ChatModel`` whose calls are written to a log, for one purpose."""

    model: ChatModel
    log: CallLog
    conversation_id: str
    role: str
    trigger: str = ""
    saved: int = 0  # of the next request: tokens folded away, less its summary

    @property
    def name(self) -> str:
        """The name of the model inside."""
        return self.model.name

    async def stream(
        self,
        messages: Sequence[WireMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> AsyncGenerator[Delta, None]:
        """The deltas of the model inside; the record is written once, at the end."""
        call = _Call(self, messages)
        deltas = self.model.stream(messages, max_tokens=max_tokens, temperature=temperature)
        try:
            async for delta in deltas:
                call.see(delta)
                yield delta
            call.outcome = "ok"
        except (GeneratorExit, asyncio.CancelledError):
            call.outcome = "stopped" if not call.finished else "ok"
            raise
        except ModelError as error:
            call.error_kind = error.kind
            call.outcome = "stopped" if error.kind == "aborted" else "failed"
            raise
        finally:
            await close(deltas)
            call.write()


async def close(deltas: AsyncIterator[Delta]) -> None:
    """Close a stream that may or may not be a generator: this aborts its request."""
    aclose = getattr(deltas, "aclose", None)
    if aclose is not None:
        await aclose()


class _Call:
    """What is seen of one call while it runs."""

    def __init__(self, logged: LoggedModel, messages: Sequence[WireMessage]) -> None:
        self._logged = logged
        self._messages = messages
        self._pieces: list[str] = []
        self._usage: Usage | None = None
        self._began = logged.log.elapsed()
        self.finished = False
        self.outcome: Outcome = "failed"
        self.error_kind = ""

    def see(self, delta: Delta) -> None:
        """Note one delta."""
        self._pieces += [delta.reasoning, delta.text]
        self._usage = delta.usage or self._usage
        self.finished = self.finished or bool(delta.finish)

    def write(self) -> None:
        """Write the record. A call that was refused before any token counts nothing in or out."""
        logged, usage = self._logged, self._usage or Usage()
        text = "".join(self._pieces)
        tokens_in, tokens_out = usage.prompt_tokens, usage.completion_tokens
        reached = bool(text) or self.outcome != "failed"
        estimated = reached and not (tokens_in and (tokens_out or not text))
        if reached and not tokens_in:
            tokens_in = sum(logged.log.count(m.content) for m in self._messages)
        if text and not tokens_out:
            tokens_out = logged.log.count(text)
        logged.log.record(
            UsageRecord(
                id=logged.log.new_id(),
                conversation_id=logged.conversation_id,
                role=logged.role,
                model=logged.name,
                trigger=logged.trigger,
                tokens_in=tokens_in,
                tokens_out=tokens_out,
                cached=usage.cached_tokens,
                estimated=estimated,
                duration_ms=round(logged.log.elapsed() - self._began),
                outcome=self.outcome,
                error_kind=self.error_kind,
                created_at=logged.log.now(),
                saved=logged.saved,
            )
        )
