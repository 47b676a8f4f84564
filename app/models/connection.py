""" "Test connection": ask the endpoint, and say in plain words what works or the likely cause.

The list of models shows address, network and mostly the key; one tiny answer shows the rest
(quota, the model itself).
"""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass

from app.models.catalog import ModelInfo
from app.models.errors import BadRequest, ModelError, NotAnApi, Server, explain
from app.models.openai_compatible import Endpoint, OpenAICompatible
from app.models.port import WireMessage

_TRIAL_TOKENS = 16  # some servers refuse fewer


@dataclass(frozen=True, slots=True)
class Connection:
    """The result of a test. ``kind``: of the error, "" when all is well."""

    ok: bool
    text: str
    kind: str = ""
    models: tuple[ModelInfo, ...] = ()


async def test_connection(endpoint: Endpoint, model: str = "") -> Connection:
    """Try the endpoint, and the model if one is given. Raises nothing but cancellation."""
    models: list[ModelInfo] | None = None
    missing: ModelError | None = None
    try:
        models = await endpoint.list_models()
    except (NotAnApi, BadRequest) as error:
        missing = error  # some servers answer, but do not list their models
    except Server as error:
        if error.status in (0, 200):
            return _failed(error)
        missing = error
    except ModelError as error:
        return _failed(error)
    if not model:
        return _failed(missing) if missing else _listed(models or [])
    if (
        models
        and model not in [m.id for m in models]
        and f"{model}:latest" not in [m.id for m in models]
    ):
        known = ", ".join(m.id for m in models[:5])
        unlisted = f" It is not in the server's list ({known}{', …' if models[5:] else ''})."
    else:
        unlisted = ""
    try:
        await _try_model(endpoint, model)
    except ModelError as error:
        if missing and isinstance(error, NotAnApi):
            error = missing
        return Connection(False, explain(error) + unlisted, error.kind, tuple(models or ()))
    return Connection(True, f"Connected: {model} answers.", "", tuple(models or ()))


test_connection.__test__ = False  # type: ignore[attr-defined]  # not for pytest to collect


async def _try_model(endpoint: Endpoint, model: str) -> None:
    """Ask for a tiny answer, and stop at its first sign of life."""
    asked = OpenAICompatible(endpoint, model).stream(
        [WireMessage("user", "Hi")], max_tokens=_TRIAL_TOKENS
    )
    async with aclosing(asked) as deltas:
        async for _ in deltas:
            return


def _listed(models: list[ModelInfo]) -> Connection:
    many = f"{len(models)} model{'' if len(models) == 1 else 's'}"
    if not models:
        return Connection(
            True, "Connected, but the server lists no models. Load or pull one there.", ""
        )
    choose = " Choose one." if models[1:] else ""  # the page takes the only one
    return Connection(True, f"Connected: {many} on offer.{choose}", "", tuple(models))


def _failed(error: ModelError) -> Connection:
    return Connection(False, explain(error), error.kind)
