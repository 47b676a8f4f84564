"""The numbers of the rules and the presets, as they are published in docs/presets.md.

A number that drifts by one changes when and how much is folded; here it is said aloud.
"""

from __future__ import annotations

import pytest

from app.memory import budget, policies
from app.memory.budget import make_limits
from app.memory.policies import NAMED_SETTINGS, PRESETS, make_policy
from app.memory.results import CompactResult

COMMON = {
    "window_conversations": 2,
    "summary_limit": 800,
    "recall_tokens": 0,
    "reserved": 0,
    "soft_share": None,
    "low_share": None,
    "summary_trigger_tokens": None,
    "scan_share": None,
    "scan_every_ms": 15_000,
    "cooldown_ms": 60_000,
    "min_messages": 4,
    "waits": False,
    "wait_ms": 30_000,
    "fallback": "extractive",
}
OWN = {
    "pleat": {"recall_tokens": 300, "soft_share": 0.67, "low_share": 0.40},
    "minisearch": {"window_conversations": 0, "waits": True, "fallback": "tail"},
    "dost": {"summary_trigger_tokens": 1000, "waits": True},
    "switchboard": {"scan_share": 0.70, "low_share": 0.40},
}


@pytest.mark.parametrize("name", OWN)
def test_a_preset_has_its_published_numbers(name: str) -> None:
    for field, value in {**COMMON, **OWN[name]}.items():
        assert getattr(PRESETS[name], field) == value, field


def test_named_settings_are_held_within_their_bounds() -> None:
    for name, bounds in NAMED_SETTINGS.items():
        for field, (least, most) in bounds.items():
            for given, taken in (
                (least - 1, least),
                (least, least),
                (most, most),
                (most + 1, most),
            ):
                assert getattr(make_policy(name, **{field: given}), field) == taken
    bounds = NAMED_SETTINGS["switchboard"]
    assert bounds["cooldown_ms"] == (0, 3_600_000) and bounds["scan_every_ms"] == (1000, 3_600_000)
    assert NAMED_SETTINGS["dost"]["summary_trigger_tokens"] == (100, 1_000_000)
    assert NAMED_SETTINGS["minisearch"]["reserved"] == (0, 1_000_000)
    assert {b["summary_limit"] for b in NAMED_SETTINGS.values()} == {(50, 8000)}
    assert NAMED_SETTINGS["pleat"]["recall_tokens"] == (0, 4000)
    assert NAMED_SETTINGS["pleat"]["window_conversations"] == (0, 100)
    assert NAMED_SETTINGS["dost"]["window_conversations"] == (0, 100)
    assert NAMED_SETTINGS["switchboard"]["window_conversations"] == (0, 100)


def test_a_preset_that_nobody_knows_is_pleat() -> None:
    assert make_policy("unheard of", recall_tokens=7).name == "pleat"
    assert make_policy("dost", recall_tokens=7).recall_tokens == 0  # not its setting


@pytest.mark.parametrize(
    ("size", "prompt", "summary", "recall", "pins"),
    [(4096, 3072, 800, 286, 1024), (1024, 768, 204, 71, 256), (512, 384, 102, 35, 128)],
)
def test_the_shares_of_the_context(
    size: int, prompt: int, summary: int, recall: int, pins: int
) -> None:
    limits = make_limits(size, recall_tokens=300)
    assert (limits.budget, limits.summary, limits.recall, limits.pins) == (
        prompt,
        summary,
        recall,
        pins,
    )
    assert make_limits(1) == make_limits(512) and budget.SMALL == 50
    assert make_limits(10**9).size == 10_000_000
    assert (budget.MIN_FACTOR, budget.MAX_FACTOR) == (1.0, 3.0)
    assert policies.SUMMARY_LIMIT == 800 and policies.DEFAULT_CONTEXT == 4096


def test_a_fold_that_did_nothing_says_so_in_every_figure() -> None:
    nothing = CompactResult("nothing")
    assert (nothing.count, nothing.tokens_in, nothing.tokens_out, nothing.duration_ms) == (0,) * 4
    assert not (nothing.fold_id or nothing.model or nothing.used_fallback or nothing.content)
