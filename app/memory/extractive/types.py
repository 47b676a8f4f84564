"""The words of the extractive summariser: what goes in and what comes out.

A ``Source`` is one folded message, a ``Line`` one line of a summary with the message it came
from, and ``Lexicon`` the two things the summariser asks of a tokenizer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


class Lexicon(Protocol):
    """What the tokenizer gives. Both calls cross a bridge: few calls with many texts each."""

    def count_many(self, texts: Sequence[str]) -> Sequence[int]:
        """Tokens of each text."""
        ...

    def rank_many(self, words: Sequence[str]) -> Sequence[int]:
        """The BPE id of " word" if that is one token (small = common), else 200,000 x pieces."""
        ...


@dataclass(frozen=True, slots=True)
class Source:
    """One folded message. ``created_at`` is milliseconds since 1970, 0 when unknown."""

    id: str
    role: str
    name: str
    text: str
    created_at: int = 0


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a summary (no line break in it) and the id of the message it came from."""

    text: str
    source: str | None
