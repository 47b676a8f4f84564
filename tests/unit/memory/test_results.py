"""How a fold ended, as it is told."""

from __future__ import annotations

from app.memory.ledger import Fold
from app.memory.results import CompactResult, result_of


def test_a_committed_fold_is_told_with_its_own_figures() -> None:
    fold = Fold(
        "f",
        "c",
        "parent",
        ("m1", "m2", "m3"),
        "m3",
        "digest",
        "Ada keeps hens.",
        tokens_in=90,
        tokens_out=4,
        count=3,
        model="small",
        used_fallback=True,
        duration_ms=250,
        note="the model was slow",
    )
    assert result_of(fold) == CompactResult(
        status="folded",
        fold_id="f",
        count=3,
        model="small",
        used_fallback=True,
        content="Ada keeps hens.",
        tokens_in=90,
        tokens_out=4,
        duration_ms=250,
        reason="the model was slow",
    )


def test_where_nothing_was_folded_all_figures_are_nothing() -> None:
    told = CompactResult("nothing")
    assert (told.fold_id, told.model, told.content, told.reason) == ("", "", "", "")
    assert (told.count, told.tokens_in, told.tokens_out, told.duration_ms) == (0, 0, 0, 0)
    assert told.used_fallback is False
