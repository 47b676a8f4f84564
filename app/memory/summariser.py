"""Asking the utility model for a summary: one call, a deadline, a Skip."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from app.memory.ports import Clock
from app.models.errors import TimedOut
from app.models.port import ChatModel, WireMessage
from app.models.usage import close


class Skipped(Exception):
    """The user would not wait for the summary."""


async def _collect(
    model: ChatModel, messages: Sequence[WireMessage], max_tokens: int
) -> tuple[str, str]:
    text: list[str] = []
    finish = ""
    stream = model.stream(messages, max_tokens=max_tokens, temperature=0.0)
    try:
        async for delta in stream:
            text.append(delta.text)
            finish = delta.finish or finish
    finally:
        await close(stream)
    return "".join(text), finish


async def ask(
    model: ChatModel,
    messages: Sequence[WireMessage],
    max_tokens: int,
    *,
    clock: Clock,
    wait_ms: float,
    skip: asyncio.Event | None = None,
) -> tuple[str, str]:
    """The reply and its finish.

    Raises ``TimedOut`` after ``wait_ms``, ``Skipped`` when ``skip`` is set, ``ModelError`` when
    the call fails; cancelling the task aborts the request.
    """
    if skip is not None and skip.is_set():
        raise Skipped
    call = asyncio.ensure_future(_collect(model, messages, max_tokens))
    deadline = asyncio.ensure_future(clock.sleep(wait_ms))
    waiting: set[asyncio.Future[Any]] = {call, deadline}
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
