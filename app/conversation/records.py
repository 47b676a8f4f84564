"""Records: messages and conversations as plain dicts, for storage and for our own export.

Each record carries its schema. Reading is tolerant of unknown keys (they are left out) and of
missing ones that have a default; a wrong shape raises RecordError with what is wrong.
"""

from __future__ import annotations

from typing import Any, cast

from app.conversation.message import Message, Part
from app.conversation.tree import Conversation

SCHEMA = 1

_ROLES = frozenset({"system", "user", "assistant", "tool"})
_STATUSES = frozenset({"streaming", "complete", "stopped", "failed"})
_KINDS = frozenset({"text", "reasoning", "image", "file", "tool_call", "tool_result"})


class RecordError(ValueError):
    """A record that cannot be read; the text says which field and why."""


class NewerRecordError(RecordError):
    """A record of a later schema than this program knows."""


def message_to_record(message: Message) -> dict[str, Any]:
    """The message as a JSON-able dict; empty fields of parts are left out."""
    return {
        "schema": SCHEMA,
        "id": message.id,
        "conversation_id": message.conversation_id,
        "parent_id": message.parent_id,
        "role": message.role,
        "parts": [_part_to_record(part) for part in message.parts],
        "status": message.status,
        "created_at": message.created_at,
        "model": message.model,
        "finish": message.finish,
        "error": message.error,
        "hidden": message.hidden,
        "name": message.name,
    }


def message_from_record(record: object) -> Message:
    """The message of a record. Raises RecordError (NewerRecordError for a later schema)."""
    fields = _fields(record, "message")
    parts = fields.get("parts", [])
    if not isinstance(parts, list):
        raise RecordError("message: parts is not a list")
    return Message(
        id=_id(fields, "id"),
        conversation_id=_id(fields, "conversation_id"),
        parent_id=_text_or_none(fields, "parent_id"),
        role=_one_of(fields, "role", _ROLES, None),
        parts=tuple(_part_from_record(part) for part in cast("list[object]", parts)),
        status=_one_of(fields, "status", _STATUSES, "complete"),
        created_at=_time(fields, "created_at"),
        model=_text(fields, "model"),
        finish=_text(fields, "finish"),
        error=_text(fields, "error"),
        hidden=_flag(fields, "hidden"),
        name=_text(fields, "name"),
    )


def conversation_to_record(conversation: Conversation) -> dict[str, Any]:
    """The conversation as a JSON-able dict; the turn ids of its sets are sorted."""
    return {
        "schema": SCHEMA,
        "id": conversation.id,
        "title": conversation.title,
        "created_at": conversation.created_at,
        "updated_at": conversation.updated_at,
        "system_prompt": conversation.system_prompt,
        "preset": conversation.preset,
        "leaf_id": conversation.leaf_id,
        "pinned": sorted(conversation.pinned),
        "excluded": sorted(conversation.excluded),
        "structure": conversation.structure,
        "commit": conversation.commit,
        "deleted_at": conversation.deleted_at,
    }


def conversation_from_record(record: object) -> Conversation:
    """The conversation of a record. Raises RecordError (NewerRecordError for a later schema)."""
    fields = _fields(record, "conversation")
    return Conversation(
        id=_id(fields, "id"),
        title=_text(fields, "title"),
        created_at=_time(fields, "created_at"),
        updated_at=_time(fields, "updated_at"),
        system_prompt=_text_or_none(fields, "system_prompt"),
        preset=_text_or_none(fields, "preset"),
        leaf_id=_text_or_none(fields, "leaf_id"),
        pinned=_ids(fields, "pinned"),
        excluded=_ids(fields, "excluded"),
        structure=_time(fields, "structure"),
        commit=_time(fields, "commit"),
        deleted_at=None if fields.get("deleted_at") is None else _time(fields, "deleted_at"),
    )


def _part_to_record(part: Part) -> dict[str, Any]:
    fields = {
        "text": part.text,
        "name": part.name,
        "media_type": part.media_type,
        "data": part.data,
    }
    return {"kind": part.kind, **{key: value for key, value in fields.items() if value}}


def _part_from_record(record: object) -> Part:
    if not isinstance(record, dict):
        raise RecordError("message: a part is not an object")
    fields = cast("dict[str, object]", record)
    return Part(
        kind=_one_of(fields, "kind", _KINDS, None),
        text=_text(fields, "text"),
        name=_text(fields, "name"),
        media_type=_text(fields, "media_type"),
        data=_text(fields, "data"),
    )


def _fields(record: object, what: str) -> dict[str, object]:
    if not isinstance(record, dict):
        raise RecordError(f"{what}: the record is not an object")
    fields = cast("dict[str, object]", record)
    schema = fields.get("schema", SCHEMA)
    if not isinstance(schema, int | float) or isinstance(schema, bool) or schema < 1:
        raise RecordError(f"{what}: schema is not a number")
    if schema > SCHEMA:
        raise NewerRecordError(f"{what}: made by a newer version (schema {schema:g})")
    return fields


def _id(fields: dict[str, object], key: str) -> str:
    value = fields.get(key)
    if not isinstance(value, str) or not value:
        raise RecordError(f"{key} is missing or no text")
    return value


def _text(fields: dict[str, object], key: str) -> str:
    value = fields.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise RecordError(f"{key} is no text")
    return value


def _text_or_none(fields: dict[str, object], key: str) -> str | None:
    return None if fields.get(key) is None else _text(fields, key)


def _flag(fields: dict[str, object], key: str) -> bool:
    value = fields.get(key, False)
    if value is None:
        return False
    if not isinstance(value, bool):
        raise RecordError(f"{key} is neither true nor false")
    return value


def _time(fields: dict[str, object], key: str) -> int:
    """A whole number of 0 or more; JavaScript may have made it a float."""
    value = fields.get(key)
    if value is None:
        return 0
    # The comparison also refuses NaN and the infinities.
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e16:
        raise RecordError(f"{key} is no number of 0 or more")
    return int(value)


def _ids(fields: dict[str, object], key: str) -> frozenset[str]:
    value = fields.get(key)
    if value is None:
        return frozenset()
    if not isinstance(value, list):
        raise RecordError(f"{key} is no list of ids")
    entries = cast("list[object]", value)
    ids = [entry for entry in entries if isinstance(entry, str)]
    if len(ids) != len(entries):
        raise RecordError(f"{key} is no list of ids")
    return frozenset(ids)


def _one_of(
    fields: dict[str, object], key: str, allowed: frozenset[str], default: str | None
) -> Any:
    """One of the allowed words; Any, because the caller's Literal is what ``allowed`` spells."""
    value = fields.get(key)
    if value is None and default is not None:
        return default
    if not isinstance(value, str) or value not in allowed:
        raise RecordError(f"{key} is unknown: {value!r:.60}")
    return value
