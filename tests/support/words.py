"""A tokenizer that anyone can check by hand: words and single symbols are tokens."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.memory.tokens import RARE

_TOKEN = re.compile(r"\w+|[^\w\s]|\n+")


class WordTokenizer:
    """Each word, each symbol and each run of line breaks is one token."""

    exact = True

    def __init__(self) -> None:
        self.counted: list[str] = []

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text; remembers what it was asked."""
        self.counted.extend(texts)
        return [len(_TOKEN.findall(text)) for text in texts]

    def rank_many(self, words: Sequence[str]) -> list[int]:
        """Longer words are rarer; capitals and digits are rarest."""
        return [
            RARE - 1 if any(c.isupper() or c.isdigit() for c in w) else 900 * len(w) for w in words
        ]
