"""The list of models that an endpoint offers, in whatever shape it comes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from app.models.safe_json import JsonObject, as_count, as_list, as_object, as_text

_LOADED_FIELDS = ("n_ctx", "loaded_context_length")
_SIZE_FIELDS = (
    "context_length",
    "max_model_len",
    "context_window",
    "max_context_length",
    "inputTokenLimit",
)
_NESTED = ("meta", "top_provider", "limits", "model_info", "details")


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model on offer. ``context_size``: tokens, 0 when the server does not say."""

    id: str
    context_size: int = 0


def read_models(value: object) -> list[ModelInfo] | None:
    """The models in a parsed ``/models`` answer, in its order, each once; None if it is none."""
    answer = as_object(value)
    items = answer.get("data")
    for place in (answer.get("models"), value):
        if not isinstance(items, list):
            items = place
    if not isinstance(items, list):
        return None
    found: dict[str, ModelInfo] = {}
    for item in as_list(cast(object, items)):
        info = _read_model(item)
        if info and info.id not in found:
            found[info.id] = info
    return list(found.values())


def _read_model(item: object) -> ModelInfo | None:
    if isinstance(item, str):
        return ModelInfo(item) if item.strip() else None
    fields = as_object(item)
    id = next((t for n in ("id", "model", "name") if (t := as_text(fields.get(n)).strip())), "")
    return ModelInfo(id, context_size(fields)) if id else None


def context_size(fields: JsonObject) -> int:
    """The context size that a model's record states, in tokens; 0 if none.

    What is loaded (``meta.n_ctx``, ``loaded_context_length``) goes before what the model could
    take, and a size under 256 is no context size.
    """
    nested = [as_object(fields.get(name)) for name in _NESTED]
    loaded = [f.get(name) for f in (*nested, fields) for name in _LOADED_FIELDS]
    stated = [f.get(name) for f in (fields, *nested) for name in _SIZE_FIELDS]
    return next((size for value in (*loaded, *stated) if (size := as_count(value)) >= 256), 0)
