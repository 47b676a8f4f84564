"""Asking the utility model for a summary: one call, a deadline, a Skip, and its log entry."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from app.memory.ports import CallLog, Clock, LogCall, Utility
from app.models.errors import Aborted, ModelError, TimedOut
from app.models.port import Usage, WireMessage


class Skipped(Exception):
    """The user would not wait for the summary."""


async def _collect(
    utility: Utility, messages: Sequence[WireMessage], max_tokens: int
) -> tuple[str, str, Usage]:
    text: list[str] = []
    finish, usage = "", Usage()
    stream = utility.model.stream(messages, max_tokens=max_tokens, temperature=0.0)
    try:
        async for delta in stream:
            text.append(delta.text)
            finish = delta.finish or finish
            usage = delta.usage or usage
    finally:
        close = getattr(stream, "aclose", None)
        if close is not None:
            await close()
    return "".join(text), finish, usage


async def ask(
    utility: Utility,
    messages: Sequence[WireMessage],
    max_tokens: int,
    *,
    clock: Clock,
    wait_ms: float,
    skip: asyncio.Event | None = None,
) -> tuple[str, str, Usage]:
    """The reply, its finish and the usage.

    Raises ``TimedOut`` after ``wait_ms``, ``Skipped`` when ``skip`` is set, ``ModelError`` when
    the call fails; cancelling the task aborts the request.
    """
    call = asyncio.ensure_future(_collect(utility, messages, max_tokens))
    deadline = asyncio.ensure_future(clock.sleep(wait_ms))
    waiting: set[asyncio.Future[object]] = {call, deadline}  # type: ignore[arg-type]
    if skip is not None:
        waiting.add(asyncio.ensure_future(skip.wait()))
    try:
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        if call.done():
            return call.result()
        if skip is not None and skip.is_set():
            raise Skipped
        raise TimedOut("the summary took too long", seconds=wait_ms / 1000)
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)


def log_call(
    log: LogCall,
    conversation_id: str,
    trigger: str,
    utility: Utility,
    tokens_in: int,
    tokens_out: int,
    usage: Usage,
    duration_ms: float,
    error: BaseException | None,
    rejected: bool,
) -> None:
    """Write the usage log's entry for one call, with the server's counts where it gave any."""
    outcome = "ok"
    if rejected:
        outcome = "rejected"
    elif isinstance(error, asyncio.CancelledError | Aborted):
        outcome = "cancelled"
    elif isinstance(error, Skipped):
        outcome = "skipped"
    elif error is not None:
        outcome = "failed"
    log(
        CallLog(
            conversation_id=conversation_id,
            trigger=trigger,
            model=utility.model.name,
            tokens_in=usage.prompt_tokens or tokens_in,
            tokens_out=usage.completion_tokens or tokens_out,
            duration_ms=round(duration_ms),
            outcome=outcome,  # pyright: ignore[reportArgumentType]
            error_kind=error.kind if isinstance(error, ModelError) else "",
            estimated=not usage.prompt_tokens,
        )
    )
