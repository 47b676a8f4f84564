"""Folds and usage as records (dicts with a ``schema``), and back, read with distrust.

A record that is corrupt or of a newer program gives None; ``is_newer`` tells them apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, fields
from typing import Any, TypeVar, cast

from app.memory.ledger import Fold
from app.models.usage import UsageRecord

SCHEMA = 1
T = TypeVar("T")


def is_newer(record: dict[str, Any]) -> bool:
    """Whether a later program has written it."""
    schema = record.get("schema")
    return isinstance(schema, int) and not isinstance(schema, bool) and schema > SCHEMA


def fold_record(fold: Fold) -> dict[str, Any]:
    """A fold as a record."""
    return {**asdict(fold), "schema": SCHEMA}


def fold_from(record: dict[str, Any]) -> Fold | None:
    """A record as a fold, None when it cannot be one."""
    fold = _from(record, Fold, _FOLD_CHECKS)
    if fold is None or not fold.id or not fold.text.strip() or not fold.boundary:
        return None
    return fold


def usage_record(usage: UsageRecord) -> dict[str, Any]:
    """A usage line as a record."""
    return {**asdict(usage), "schema": SCHEMA}


def usage_from(record: dict[str, Any]) -> UsageRecord | None:
    """A record as a usage line, None when it cannot be one."""
    return _from(record, UsageRecord, {})


def _items(value: Any) -> list[Any]:
    if not isinstance(value, (list, tuple)):
        raise TypeError
    return list(cast("list[Any]", value))


def _strings(value: Any) -> tuple[str, ...]:
    items = _items(value)
    if not all(isinstance(item, str) for item in items):
        raise TypeError
    return tuple(items)


def _sources(value: Any) -> tuple[str | None, ...]:
    return tuple(item if isinstance(item, str) else None for item in _items(value))


_FOLD_CHECKS: dict[str, Callable[[Any], Any]] = {"covered": _strings, "sources": _sources}
_KINDS: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "str | None": (str, type(None)),
    "int": (int,),
    "int | None": (int, type(None)),
    "float": (float, int),
    "float | None": (float, int, type(None)),
    "bool": (bool,),
    "Trigger": (str,),
    "Method": (str,),
}


def _from(
    record: dict[str, Any], kind: type[T], checks: dict[str, Callable[[Any], Any]]
) -> T | None:
    """Build ``kind`` from the fields that it has; None on a wrong type or a newer schema."""
    schema = record.get("schema")
    if isinstance(schema, bool) or not isinstance(schema, int) or not 1 <= schema <= SCHEMA:
        return None
    values: dict[str, Any] = {}
    for each in fields(kind):  # type: ignore[arg-type]
        if each.name not in record:
            continue
        value = record[each.name]
        if each.name in checks:
            try:
                value = checks[each.name](value)
            except TypeError:
                return None
        else:
            allowed = _KINDS.get(str(each.type))
            if allowed is not None and (
                not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed)
            ):
                return None
        values[each.name] = value
    try:
        return kind(**values)
    except TypeError:
        return None
