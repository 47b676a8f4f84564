"""The settings: what they are, their defaults, and how they are shown and stored.

``settings_input.py`` takes what people type and what storage holds. Keys are not here: they are
``SettingsStore``'s, so that no export can hold one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from dataclasses import fields as dataclass_fields
from typing import Any

from app.memory.budget import DEFAULT_CONTEXT
from app.memory.policies import NAMED_SETTINGS, Policy, make_policy

SCHEMA = 1
IN_PAGE = "in-page"  # the id of the endpoint that is the model inside the page
IN_PAGE_CONTEXT = 2048


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model answers. ``kind``: "openai" (any compatible server) or "in-page"."""

    id: str
    name: str
    base_url: str = ""
    kind: str = "openai"


IN_PAGE_ENDPOINT = Endpoint(IN_PAGE, "In this page", "", "in-page")


def _nothing() -> Mapping[str, Mapping[str, int]]:
    return {}


def _no_factors() -> Mapping[str, Mapping[str, float]]:
    return {}


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings. Sizes in tokens, times in seconds, shares of the context as fractions.

    ``context_sizes``: by endpoint id, then model id. ``temperature`` None: the server's own.
    ``utility``: who summarises: "same" (the chat model), "none" (the extractive summariser), or
    "other" (``utility_endpoint`` and ``utility_model``). ``memory``: by preset, the named settings
    that differ from the preset's own. ``factors``: learned per model, not typed.
    """

    endpoints: tuple[Endpoint, ...] = (IN_PAGE_ENDPOINT,)
    chat_endpoint: str = IN_PAGE
    chat_model: str = ""
    utility: str = "same"
    utility_endpoint: str = ""
    utility_model: str = ""
    context_sizes: Mapping[str, Mapping[str, int]] = field(default_factory=_nothing)
    factors: Mapping[str, Mapping[str, float]] = field(default_factory=_no_factors)
    max_answer_tokens: int = 1024
    temperature: float | None = None
    system_prompt: str = "You are a helpful assistant."
    preset: str = "pleat"
    memory: Mapping[str, Mapping[str, int]] = field(default_factory=_nothing)
    theme: str = "system"
    send_key: str = "enter"

    def endpoint(self, id: str) -> Endpoint | None:
        """The endpoint of that id, or None."""
        return next((each for each in self.endpoints if each.id == id), None)

    def context_size(self, endpoint_id: str | None = None, model: str | None = None) -> int:
        """The context size of a model (by default of the chat model), in tokens."""
        endpoint_id = self.chat_endpoint if endpoint_id is None else endpoint_id
        model = self.chat_model if model is None else model
        known = self.context_sizes.get(endpoint_id, {}).get(model)
        if known is not None:
            return known
        return IN_PAGE_CONTEXT if endpoint_id == IN_PAGE else DEFAULT_CONTEXT

    def factor(self) -> float:
        """How many of the chat model's own tokens one counted token is, as far as learned."""
        return self.factors.get(self.chat_endpoint, {}).get(self.chat_model, 1.0)

    def with_factor(self, factor: float, endpoint_id: str, model: str) -> Settings:
        """The settings with one model's factor set."""
        factors = {key: dict(models) for key, models in self.factors.items()}
        factors.setdefault(endpoint_id, {})[model] = factor
        return replace(self, factors=factors)

    def with_context_size(self, endpoint_id: str, model: str, size: int) -> Settings:
        """The settings with one model's context size set."""
        sizes = {key: dict(models) for key, models in self.context_sizes.items()}
        sizes.setdefault(endpoint_id, {})[model] = size
        return replace(self, context_sizes=sizes)


LABELS = {
    "window_conversations": "The number of turns kept",
    "summary_limit": "The summary limit",
    "recall_tokens": "The recall allowance",
    "reserved": "The reserve",
    "summary_trigger_tokens": "The trigger",
    "cooldown_ms": "The cool-down",
    "scan_every_ms": "The scanner's interval",
}


def same_but_looks(one: Settings, other: Settings) -> bool:
    """Whether two settings differ at most in what no model and no memory depends on."""
    return one == replace(other, theme=one.theme, send_key=one.send_key)


STORED = tuple(f.name for f in dataclass_fields(Settings) if f.name != "factors")


def to_record(settings: Settings) -> dict[str, Any]:
    """The settings as a JSON-able dict with their schema."""
    record = {name: getattr(settings, name) for name in STORED}
    record["endpoints"] = [asdict(each) for each in settings.endpoints]
    record["context_sizes"] = {key: dict(sizes) for key, sizes in settings.context_sizes.items()}
    record["factors"] = {key: dict(models) for key, models in settings.factors.items()}
    record["memory"] = {preset: dict(names) for preset, names in settings.memory.items()}
    record["schema"] = SCHEMA
    return record


def policy(settings: Settings, preset: str | None = None) -> Policy:
    """The chosen preset (or ``preset``) with its named settings."""
    name = settings.preset if preset is None else preset
    return make_policy(name, **settings.memory.get(name, {}))


def shown(settings: Settings, has_key: Mapping[str, bool]) -> dict[str, Any]:
    """The ``settings`` topic: the record, the chosen model's context size, which keys exist.

    ``memory_fields``: the chosen preset's named settings with value, least and most.
    """
    chosen = policy(settings)
    return {
        **to_record(settings),
        "context_size": settings.context_size(),
        "has_key": dict(has_key),
        "memory_fields": [
            {
                "name": name,
                "label": LABELS.get(name, name),
                "value": getattr(chosen, name),
                "least": least,
                "most": most,
            }
            for name, (least, most) in NAMED_SETTINGS[chosen.name].items()
        ],
    }
