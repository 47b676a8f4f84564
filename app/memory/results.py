"""How a fold ended: one result type for every trigger."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.memory.ledger import Fold

Status = Literal["folded", "nothing", "dropped", "busy", "cancelled"]


@dataclass(frozen=True, slots=True)
class CompactResult:
    """How a fold ended. Sizes in tokens, ``duration_ms`` in ms; ``reason`` in plain words."""

    status: Status
    fold_id: str = ""
    count: int = 0
    model: str = ""
    used_fallback: bool = False
    content: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    duration_ms: int = 0
    reason: str = ""


def result_of(fold: Fold) -> CompactResult:
    """The result that says what was committed."""
    return CompactResult(
        "folded",
        fold.id,
        fold.count,
        fold.model,
        fold.used_fallback,
        fold.text,
        fold.tokens_in,
        fold.tokens_out,
        fold.duration_ms,
        fold.note,
    )
