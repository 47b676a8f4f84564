"""The presets: when to fold, how much, and whether an answer waits. Data for one engine.

Three are the published rules of earlier systems, with their own names and defaults; ``pleat``
is ours. The hard budget overrides each of them.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Literal

from app.memory.budget import DEFAULT_CONTEXT, SUMMARY_LIMIT, Limits, make_limits

Preset = Literal["pleat", "minisearch", "dost", "switchboard"]
Fallback = Literal["extractive", "tail"]


@dataclass(frozen=True, slots=True)
class Policy:
    """One preset. Shares are of the context; sizes are tokens; times are milliseconds."""

    name: Preset
    window_conversations: int = 2  # turns kept word for word (dost: exactly; else while they fit)
    summary_limit: int = SUMMARY_LIMIT
    recall_tokens: int = 0
    reserved: int = 0  # further headroom that the rule leaves in the budget
    soft_share: float | None = None  # past it, fold in the background after the answer
    low_share: float | None = None  # a fold goes down to it; None: as much as the budget holds
    summary_trigger_tokens: int | None = None  # dost: old summary + candidates over it: fold
    scan_share: float | None = None  # switchboard: estimated pressure that makes the scanner fold
    scan_every_ms: int = 15_000
    cooldown_ms: int = 60_000
    min_messages: int = 4  # since the last summary, for auto and manual folds
    waits: bool = False  # an overflow waits for the model, with a time-out and a Skip
    wait_ms: int = 30_000
    fallback: Fallback = "extractive"


PRESETS: dict[str, Policy] = {
    "pleat": Policy("pleat", recall_tokens=300, soft_share=0.67, low_share=0.40),
    "minisearch": Policy("minisearch", window_conversations=0, waits=True, fallback="tail"),
    "dost": Policy("dost", summary_trigger_tokens=1000, waits=True),
    "switchboard": Policy("switchboard", scan_share=0.70, low_share=0.40),
}

# What a person may set for each preset, with the least and the most.
NAMED_SETTINGS: dict[str, dict[str, tuple[int, int]]] = {
    "pleat": {
        "window_conversations": (0, 100),
        "summary_limit": (50, 8000),
        "recall_tokens": (0, 4000),
    },
    "minisearch": {"summary_limit": (50, 8000), "reserved": (0, 1_000_000)},
    "dost": {
        "summary_trigger_tokens": (100, 1_000_000),
        "window_conversations": (0, 100),
        "summary_limit": (50, 8000),
    },
    "switchboard": {
        "window_conversations": (0, 100),
        "summary_limit": (50, 8000),
        "cooldown_ms": (0, 3_600_000),
        "scan_every_ms": (1_000, 3_600_000),
    },
}


def make_policy(name: str, **changes: int) -> Policy:
    """The preset ``name`` (``pleat`` when unknown) with its named settings changed, in bounds."""
    policy = PRESETS.get(name, PRESETS["pleat"])
    bounds = NAMED_SETTINGS[policy.name]
    known = {field.name for field in fields(Policy)}
    kept = {
        key: max(bounds[key][0], min(bounds[key][1], int(value)))
        for key, value in changes.items()
        if key in bounds and key in known
    }
    return replace(policy, **kept)  # pyright: ignore[reportArgumentType]


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """What the engine needs to know of the settings, for one conversation."""

    policy: Policy = PRESETS["pleat"]
    context_size: int = DEFAULT_CONTEXT  # of the chat model, in its own tokens
    system_prompt: str = ""
    max_tokens: int | None = None
    factor: float = 1.0
    model: str = ""  # endpoint and name of the chat model: what is learned is learned of it

    @property
    def limits(self) -> Limits:
        """The limits that follow from context size, factor and preset."""
        return make_limits(
            self.context_size,
            summary_limit=self.policy.summary_limit,
            recall_tokens=self.policy.recall_tokens,
            factor=self.factor,
        )
