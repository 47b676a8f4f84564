"""The summariser without a model, the detail guard and the cut to a limit.

Pure Python, deterministic, milliseconds, any language. See ``summary.py`` for how it chooses.
"""

from __future__ import annotations

from app.memory.extractive.details import restore_details
from app.memory.extractive.shorten import drop_least
from app.memory.extractive.summary import summarise
from app.memory.extractive.types import Lexicon, Line, Source

__all__ = ["Lexicon", "Line", "Source", "drop_least", "restore_details", "summarise"]
