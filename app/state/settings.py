"""The settings: what they are, their defaults, and what a person may type into each.

A patch never raises: each field that is refused comes back with a plain message, the others are
taken. Keys are not here: they are ``secrets.py``'s, so that no export can hold one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, cast

from app.memory.budget import (
    DEFAULT_CONTEXT,
    MAX_CONTEXT,
    MAX_FACTOR,
    MIN_CONTEXT,
    MIN_FACTOR,
    read_size,
)
from app.memory.policies import NAMED_SETTINGS, Policy, make_policy
from app.models.endpoint import EndpointError, normal_base_url
from app.state import fields
from app.state.fields import Refused

SCHEMA = 1
IN_PAGE = "in-page"  # the id of the endpoint that is the model inside the page
IN_PAGE_CONTEXT = 2048
MAX_ENDPOINTS = 50
MAX_PROMPT = 200_000  # characters


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model answers. ``kind``: "openai" (any compatible server) or "in-page"."""

    id: str
    name: str
    base_url: str = ""
    kind: str = "openai"


_IN_PAGE_ENDPOINT = Endpoint(IN_PAGE, "In this page", "", "in-page")


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

    endpoints: tuple[Endpoint, ...] = (_IN_PAGE_ENDPOINT,)
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

    def with_factor(self, factor: float) -> Settings:
        """The settings with the chat model's factor set."""
        factors = {key: dict(models) for key, models in self.factors.items()}
        factors.setdefault(self.chat_endpoint, {})[self.chat_model] = factor
        return replace(self, factors=factors)

    def with_context_size(self, endpoint_id: str, model: str, size: int) -> Settings:
        """The settings with one model's context size set."""
        sizes = {key: dict(models) for key, models in self.context_sizes.items()}
        sizes.setdefault(endpoint_id, {})[model] = size
        return replace(self, context_sizes=sizes)


def _integer(least: int, most: int, what: str) -> Callable[[Any], Any]:
    return lambda value: fields.whole_number(value, least=least, most=most, what=what)


def _text(most: int, what: str) -> Callable[[Any], Any]:
    return lambda value: fields.text(value, most=most, what=what)


def _choice(what: str, *options: str) -> Callable[[Any], Any]:
    return lambda value: fields.choice(value, options, what)


def _temperature(value: Any) -> float | None:
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    return fields.real_number(value, least=0, most=2, what="The temperature")


def _endpoints(value: Any) -> tuple[Endpoint, ...]:
    if not isinstance(value, (list, tuple)):
        raise Refused("The endpoints must be a list.")
    found: list[Endpoint] = [_IN_PAGE_ENDPOINT]
    for each in value:  # pyright: ignore[reportUnknownVariableType]
        if not isinstance(each, dict):
            raise Refused("An endpoint must have an address.")
        entry: dict[str, Any] = each
        if entry.get("kind") == "in-page" or entry.get("id") == IN_PAGE:
            continue
        id = entry.get("id")
        if not isinstance(id, str) or not id or len(id) > 100:
            raise Refused("An endpoint must have an id.")
        if any(known.id == id for known in found):
            raise Refused("Two endpoints have the same id.")
        address = entry.get("base_url")
        try:
            url = normal_base_url(address if isinstance(address, str) else "")
        except EndpointError as error:
            raise Refused(str(error)) from error
        name = entry.get("name")
        name = name.strip()[:100] if isinstance(name, str) else ""
        found.append(Endpoint(id, name or url.split("://", 1)[1], url))
    if len(found) > MAX_ENDPOINTS:
        raise Refused(f"At most {MAX_ENDPOINTS} endpoints can be kept.")
    return tuple(found)


def _context_sizes(value: Any) -> dict[str, dict[str, int]]:
    """By endpoint and model; a size that cannot be used is refused with its reason."""
    if not isinstance(value, Mapping):
        raise Refused("The context sizes must be given by endpoint and model.")
    sizes: dict[str, dict[str, int]] = {}
    for endpoint_id, models in value.items():  # pyright: ignore[reportUnknownVariableType]
        if not isinstance(models, Mapping):
            raise Refused("The context sizes must be given by endpoint and model.")
        for model, size in models.items():  # pyright: ignore[reportUnknownVariableType]
            number, problem = read_size(size)
            if problem:
                raise Refused(problem)
            sizes.setdefault(str(endpoint_id), {})[str(model)] = number
    return sizes


def _memory(value: Any) -> dict[str, dict[str, int]]:
    """By preset and name, within the presets' bounds."""
    if not isinstance(value, Mapping):
        raise Refused("The memory settings must be given by preset and name.")
    found: dict[str, dict[str, int]] = {}
    for preset, names in value.items():  # pyright: ignore[reportUnknownVariableType]
        if preset not in NAMED_SETTINGS or not isinstance(names, Mapping):
            raise Refused("The memory settings must be given by preset and name.")
        for name, number in names.items():  # pyright: ignore[reportUnknownVariableType]
            found.setdefault(str(preset), {})[str(name)] = _named(str(preset), str(name), number)
    return found


def _named(preset: str, name: str, value: Any) -> int:
    """One named setting of a preset; above its bound it is clamped."""
    if name not in NAMED_SETTINGS[preset]:
        raise Refused("There is no such setting in this preset.")
    least, most = NAMED_SETTINGS[preset][name]
    return fields.whole_number(value, least=least, most=most, what=LABELS.get(name, name))


LABELS = {
    "window_conversations": "The number of turns kept",
    "summary_limit": "The summary limit",
    "recall_tokens": "The recall allowance",
    "reserved": "The reserve",
    "summary_trigger_tokens": "The trigger",
    "cooldown_ms": "The cool-down",
    "scan_every_ms": "The scanner's interval",
}
NAMED = frozenset(name for names in NAMED_SETTINGS.values() for name in names)


FIELDS: dict[str, Callable[[Any], Any]] = {
    "endpoints": _endpoints,
    "chat_endpoint": _text(100, "The endpoint"),
    "chat_model": _text(500, "The model"),
    "utility": _choice("Who summarises", "same", "none", "other"),
    "utility_endpoint": _text(100, "The endpoint"),
    "utility_model": _text(500, "The model"),
    "context_sizes": _context_sizes,
    "memory": _memory,
    "max_answer_tokens": _integer(1, 1_000_000, "The longest answer"),
    "temperature": _temperature,
    "system_prompt": _text(MAX_PROMPT, "The system prompt"),
    "preset": _choice("The memory preset", "pleat", "minisearch", "dost", "switchboard"),
    "theme": _choice("The theme", "system", "light", "dark"),
    "send_key": _choice("The send key", "enter", "ctrl-enter"),
}


def patched(settings: Settings, patch: Mapping[str, Any]) -> tuple[Settings, dict[str, str]]:
    """The settings with what ``patch`` may change, and a message for each field refused.

    ``context_size`` in a patch is that of the model chosen after it; a named setting of the
    memory (``summary_limit``…) is that of the preset chosen after it. A context size beyond the
    bounds is taken as the bound, and the message says so.
    """
    taken: dict[str, Any] = {}
    refused: dict[str, str] = {}
    for name, value in patch.items():
        if name == "context_size" or name in NAMED:
            continue
        check = FIELDS.get(name)
        if check is None:
            refused[str(name)] = "There is no such setting."
            continue
        try:
            taken[name] = check(value)
        except Refused as error:
            refused[name] = str(error)
    endpoints = taken.get("endpoints", settings.endpoints)
    for name in ("chat_endpoint", "utility_endpoint"):
        if name in taken and taken[name] not in {"", *(each.id for each in endpoints)}:
            del taken[name]
            refused[name] = "There is no such endpoint."
    result = replace(settings, **taken)
    if result.endpoint(result.chat_endpoint) is None:  # its endpoint was removed
        result = replace(result, chat_endpoint=IN_PAGE, chat_model="")
    for name in NAMED & patch.keys():
        try:
            number = _named(result.preset, name, patch[name])
        except Refused as error:
            refused[name] = str(error)
            continue
        memory = {preset: dict(names) for preset, names in result.memory.items()}
        memory.setdefault(result.preset, {})[name] = number
        result = replace(result, memory=memory)
    if "context_size" in patch:
        size, problem = read_size(patch["context_size"])
        if problem:
            refused["context_size"] = problem
        if not problem or size in (MIN_CONTEXT, MAX_CONTEXT):
            result = result.with_context_size(result.chat_endpoint, result.chat_model, size)
    return result, refused


def from_record(record: Mapping[str, Any]) -> tuple[Settings, dict[str, str]]:
    """The settings that a stored record holds; what cannot be used is the default, and said.

    Within the context sizes, the endpoints and the memory one bad entry does not cost the others.
    """
    settings = Settings()
    problems: dict[str, str] = {}
    for endpoint_id, model, value in _pairs(record.get("context_sizes")):
        size, problem = read_size(value)
        if problem:
            problems["context_sizes"] = problem
        settings = settings.with_context_size(endpoint_id, model, size)
    memory: dict[str, dict[str, int]] = {}
    for preset, name, value in _pairs(record.get("memory")):
        try:
            number = _memory({preset: {name: value}})[preset][name]
        except Refused as error:
            problems["memory"] = str(error)
            continue
        memory.setdefault(preset, {})[name] = number
    good: list[Any] = []
    endpoints = record.get("endpoints")
    for each in cast("list[Any]", endpoints) if isinstance(endpoints, list) else []:
        try:
            _endpoints([*good, each])
        except Refused as error:
            problems["endpoints"] = str(error)
            continue
        good.append(each)
    factors: dict[str, dict[str, float]] = {}
    for endpoint_id, model, value in _pairs(record.get("factors")):
        if isinstance(value, (int, float)) and MIN_FACTOR <= value <= MAX_FACTOR:
            factors.setdefault(endpoint_id, {})[model] = float(value)
    settings = replace(settings, factors=factors, memory=memory, endpoints=_endpoints(good))
    apart = ("context_sizes", "memory", "endpoints")
    rest = {name: record[name] for name in FIELDS if name in record and name not in apart}
    settings, refused = patched(settings, rest)
    return settings, {**problems, **refused}


def _pairs(value: Any) -> list[tuple[str, str, Any]]:
    """(outer key, inner key, value) of a dict of dicts; nothing of what is no such thing."""
    found: list[tuple[str, str, Any]] = []
    if isinstance(value, Mapping):
        for outer, inner in cast("Mapping[Any, Any]", value).items():
            if isinstance(inner, Mapping):
                pairs = cast("Mapping[Any, Any]", inner)
                found.extend((str(outer), str(name), each) for name, each in pairs.items())
    return found


def to_record(settings: Settings) -> dict[str, Any]:
    """The settings as a JSON-able dict with their schema."""
    record = {name: getattr(settings, name) for name in FIELDS}
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


def exported(settings: Settings) -> dict[str, Any]:
    """The settings for an export: no credentials in any address."""
    record = to_record(settings)
    for each in record["endpoints"]:
        each["base_url"] = fields.without_credentials(each["base_url"])
    return record
