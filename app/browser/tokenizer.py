"""gpt-tokenizer as the memory's ``Tokenizer``: one call over the bridge for many texts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

O200K, CL100K = "o200k_base", "cl100k_base"


def encoding_for(model: str) -> str:
    """The encoding of a model by its name: o200k_base, but for GPT-4 and GPT-3.5 as they were."""
    name = model.lower().rpartition("/")[2]
    old = name.startswith(("gpt-3.5", "gpt-4", "text-embedding")) and not name.startswith(
        ("gpt-4o", "gpt-4.1", "gpt-4.5")
    )
    return CL100K if old else O200K


class GptTokenizer:
    """A ``Tokenizer``. Made by ``load``; ``script`` is the module ``tokenizer.js``."""

    exact = True

    def __init__(self, script: Any, encoding: str) -> None:
        self._script = script
        self._encoding = encoding

    @classmethod
    async def load(cls, script: Any, encoding: str = O200K) -> GptTokenizer:
        """Fetch the encoding (2 MB raw for o200k_base), once. Raises ``JsException``."""
        await script.load(encoding)
        return cls(script, encoding)

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text."""
        return _numbers(self._script.countMany(self._encoding, json.dumps(list(texts))))

    def rank_many(self, words: Sequence[str]) -> list[int]:
        """The rank of each word: small is common."""
        return _numbers(self._script.rankMany(self._encoding, json.dumps(list(words))))


def _numbers(array: Any) -> list[int]:
    return array.to_py().tolist()
