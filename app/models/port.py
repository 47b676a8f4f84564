"""The one port behind which every model stands, and what travels through it.

An adapter streams deltas and may be cancelled; it raises the typed errors of ``errors.py``.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

WireRole = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class WireMessage:
    """One message of a request, as sent."""

    role: WireRole
    content: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the server counted them; 0 when it did not say."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of an answer. The last one of a stream carries ``finish`` and, if known, ``usage``.

    ``finish``: "" while streaming; "stop", "length", "content_filter" or "tool_calls" at the end.
    """

    text: str = ""
    reasoning: str = ""
    finish: str = ""
    usage: Usage | None = None


class ChatModel(Protocol):
    """A model that answers.

    ``stream`` yields deltas; closing the iterator (``aclose``) or cancelling the task that
    iterates it aborts the request. It raises ``ModelError`` (see ``errors.py``): ``Truncated``
    when the stream ends without a finish or ``[DONE]``.
    """

    @property
    def name(self) -> str:
        """The model's name as shown and logged."""
        ...

    def stream(
        self,
        messages: Sequence[WireMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> AsyncIterator[Delta]:
        """Answer ``messages``; at most ``max_tokens`` tokens (None: the server's default)."""
        ...
