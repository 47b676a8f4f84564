"""Stands in for tiktoken inside Pyodide, where its compiled part does not run.

The tests use one encoding, o200k_base without special tokens: here it is counted by the tokenizer
that the page itself uses, so the tests' exact counts are checked against that one, too.
"""

from __future__ import annotations

from typing import Any

import _o200k  # registered by unit.mjs


class Encoding:
    """What the tests use of tiktoken.Encoding."""

    def __init__(self, name: str, **_: Any) -> None:
        self.name = name

    def encode_ordinary(self, text: str) -> list[int]:
        """The token ids of a text, special tokens taken as text."""
        return _o200k.encode(text).to_py()
