"""Recall: what was folded is found again when a question is about it.

``RecallIndex`` holds the folded messages of one conversation; ``passages`` quotes the best of
them just before the question, within its allowance of tokens.
"""

from __future__ import annotations

from app.memory.recall.index import Hit, RecallIndex
from app.memory.recall.quoting import Passage, passages

__all__ = ["Hit", "Passage", "RecallIndex", "passages"]
