"""What people type into the settings, and what storage holds of them: taken, or refused.

Nothing here raises: each field that is refused comes back with a plain message, the others are
taken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, cast

from app.memory.budget import MAX_CONTEXT, MAX_FACTOR, MIN_CONTEXT, MIN_FACTOR, read_size
from app.memory.policies import NAMED_SETTINGS
from app.models.endpoint import EndpointError, normal_base_url
from app.state import fields
from app.state.fields import Bounded, Refused
from app.state.settings import IN_PAGE, IN_PAGE_ENDPOINT, LABELS, Endpoint, Settings

MAX_ENDPOINTS = 50
MAX_PROMPT = 200_000  # characters


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
    found: list[Endpoint] = [IN_PAGE_ENDPOINT]
    for each in cast("list[Any]", value):
        if not isinstance(each, dict):
            raise Refused("An endpoint must have an address.")
        entry = cast("dict[str, Any]", each)
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


def pairs(value: Any) -> list[tuple[str, str, Any]]:
    """(outer key, inner key, value) of a dict of dicts; Refused for anything else."""
    if not isinstance(value, Mapping):
        raise Refused("These settings must be given by name.")
    found: list[tuple[str, str, Any]] = []
    for outer, inner in cast("Mapping[Any, Any]", value).items():
        if not isinstance(inner, Mapping):
            raise Refused("These settings must be given by name.")
        entries = cast("Mapping[Any, Any]", inner)
        found.extend((str(outer), str(name), each) for name, each in entries.items())
    return found


def _context_sizes(value: Any) -> dict[str, dict[str, int]]:
    """By endpoint and model; a size that cannot be used is refused with its reason."""
    sizes: dict[str, dict[str, int]] = {}
    for endpoint_id, model, size in pairs(value):
        number, problem = read_size(size)
        if problem:
            raise Refused(problem)
        sizes.setdefault(endpoint_id, {})[model] = number
    return sizes


def _memory(value: Any) -> dict[str, dict[str, int]]:
    """By preset and name, within the presets' bounds."""
    found: dict[str, dict[str, int]] = {}
    said = ""
    for preset, name, typed in pairs(value):
        try:
            number = _named(preset, name, typed)
        except Bounded as bounded:
            number, said = bounded.taken, str(bounded)
        found.setdefault(preset, {})[name] = number
    if said:
        raise Bounded(said, found)
    return found


def _named(preset: str, name: str, value: Any) -> int:
    """One named setting of a preset. Raises ``Bounded`` outside its bounds."""
    if name not in NAMED_SETTINGS.get(preset, {}):
        raise Refused("There is no such setting in this preset.")
    least, most = NAMED_SETTINGS[preset][name]
    return fields.whole_number(value, least=least, most=most, what=LABELS.get(name, name))


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
    memory (``summary_limit``…) is that of the preset chosen after it. A number beyond its bounds is
    taken as the bound, and the message says so.
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
        except Bounded as bounded:
            taken[name], refused[name] = bounded.taken, str(bounded)
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
        except Bounded as bounded:
            number, refused[name] = bounded.taken, str(bounded)
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
            number = _named(preset, name, value)
        except Bounded as bounded:
            number = bounded.taken
        except Refused as error:
            problems["memory"] = str(error)
            continue
        memory.setdefault(preset, {})[name] = number
    good: list[Any] = []
    endpoints = record.get("endpoints")
    for each in cast("list[Any]", endpoints) if isinstance(endpoints, list) else []:
        try:
            FIELDS["endpoints"]([*good, each])
        except Refused as error:
            problems["endpoints"] = str(error)
            continue
        good.append(each)
    factors: dict[str, dict[str, float]] = {}
    for endpoint_id, model, value in _pairs(record.get("factors")):
        if isinstance(value, (int, float)) and MIN_FACTOR <= value <= MAX_FACTOR:
            factors.setdefault(endpoint_id, {})[model] = float(value)
    settings = replace(
        settings, factors=factors, memory=memory, endpoints=FIELDS["endpoints"](good)
    )
    apart = ("context_sizes", "memory", "endpoints")
    rest = {name: record[name] for name in FIELDS if name in record and name not in apart}
    settings, refused = patched(settings, rest)
    return settings, {**problems, **refused}


def _pairs(value: Any) -> list[tuple[str, str, Any]]:
    """As ``pairs``, without what has the wrong shape."""
    if not isinstance(value, Mapping):
        return []
    outer = cast("Mapping[Any, Any]", value).items()
    return pairs({key: inner for key, inner in outer if isinstance(inner, Mapping)})
