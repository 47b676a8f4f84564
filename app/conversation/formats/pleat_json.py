"""Our own export: conversations, messages and folds, everything but keys; and its way back.

What is read gets new ids throughout, with every reference remapped, so that a copy is
independent of the original in the same store. The folds' digests depend on message ids: whoever
takes the copy in computes them anew from ``covered``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

from app.conversation.formats.assemble import relink
from app.conversation.formats.report import FormatError, Ids, ImportedConversation, Tally
from app.conversation.formats.shapes import as_dict, as_id, as_list, is_list
from app.conversation.message import Message
from app.conversation.records import (
    RecordError,
    conversation_from_record,
    conversation_to_record,
    message_from_record,
    message_to_record,
)
from app.conversation.title import MAX_TITLE
from app.conversation.tree import Conversation, Tree

FORMAT = "pleat"
VERSION = 1

# A fold is passed through as it is; should one ever carry these, they stay behind.
_SECRET = re.compile(r"key|secret|password|authorization|headers|url", re.IGNORECASE)
_SURROGATE = re.compile("[\ud800-\udfff]")

Exported = tuple[Conversation, Sequence[Message], Sequence[Mapping[str, Any]]]


def write(items: Iterable[Exported], exported_at: int) -> str:
    """The export as JSON text. ``exported_at`` is in milliseconds since 1970."""
    document = {
        "format": FORMAT,
        "version": VERSION,
        "exported_at": exported_at,
        "conversations": [
            {
                "conversation": conversation_to_record(conversation),
                "messages": [message_to_record(message) for message in messages],
                "folds": [_without_secrets(fold) for fold in folds],
            }
            for conversation, messages, folds in items
        ],
    }
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    if _SURROGATE.search(text):
        # Half a character cannot be written as UTF-8: escaped it survives.
        text = json.dumps(document, ensure_ascii=True, separators=(",", ":"))
    return text


def is_export(value: object) -> bool:
    """Whether a value is an export of ours, of whatever version."""
    return as_dict(value).get("format") == FORMAT


def entries(value: object) -> list[Any]:
    """The conversations of an export. Raises FormatError for a newer version or another shape."""
    fields = as_dict(value)
    version = fields.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise FormatError("This Pleat export does not say its version: it is damaged.")
    if version > VERSION:
        raise FormatError(
            f"This export was made by a newer Pleat (version {version} of the format; this page "
            f"reads up to {VERSION}). Reload the page to update it, then import again."
        )
    if not is_list(fields.get("conversations")):
        raise FormatError("This Pleat export holds no list of conversations: it is damaged.")
    return as_list(fields["conversations"])


def read(value: object, ids: Ids, tally: Tally) -> ImportedConversation | None:
    """One entry of an export under new ids; None where nothing of it can be used (counted)."""
    fields = as_dict(value)
    records = as_list(fields.get("messages"))
    try:
        old = conversation_from_record(fields.get("conversation"))
    except RecordError as error:
        return _none(fields, "failed", str(error), tally)
    if old.deleted_at is not None:
        return _none(fields, "skipped", "it was deleted", tally)
    found, parents = _messages(records, tally)
    if records and not found:
        for _ in as_list(fields.get("folds")):
            tally.add("fold", "failed", "its conversation could not be read")
        tally.add("conversation", "failed", "none of its messages could be read", old.title)
        return None
    links = relink(parents, found, old.leaf_id)
    conversation_id = ids()
    new_ids = {id: ids() for id in found}
    messages = tuple(
        replace(
            message,
            id=new_ids[id],
            conversation_id=conversation_id,
            parent_id=None if links[id] is None else new_ids[links[id] or ""],
            # What was being written when the export was made is not being written here.
            status="stopped" if message.status == "streaming" else message.status,
        )
        for id, message in found.items()
    )
    conversation = replace(
        old,
        id=conversation_id,
        title=old.title[:MAX_TITLE],  # a file may bring any number
        leaf_id=_leaf(old.leaf_id, parents, new_ids) or _newest(old.leaf_id, messages),
        pinned=frozenset(new_ids[id] for id in old.pinned if id in new_ids),
        excluded=frozenset(new_ids[id] for id in old.excluded if id in new_ids),
    )
    folds, fold_ids = _folds(as_list(fields.get("folds")), conversation_id, new_ids, ids, tally)
    tally.add("conversation", "imported")
    id_map = {**fold_ids, **new_ids, old.id: conversation_id}
    return ImportedConversation(conversation, messages, folds, id_map)


def _leaf(
    old: str | None, parents: Mapping[str, str | None], new_ids: Mapping[str, str]
) -> str | None:
    """The new id of the open leaf, or of the nearest message above it that could be read."""
    for _ in range(len(parents)):  # as many steps as there are messages: cycles end
        if old is None or old in new_ids:
            break
        old = parents.get(old)
    return None if old is None else new_ids.get(old)


def _newest(old: str | None, messages: Sequence[Message]) -> str | None:
    """The newest leaf where the file named one that is not to be had."""
    return None if old is None else Tree(messages).newest_leaf()


def _none(fields: dict[str, Any], outcome: Any, reason: str, tally: Tally) -> None:
    """Count a conversation, and all in it, as not imported."""
    tally.add("conversation", outcome, reason)
    for what in ("message", "fold"):
        for _ in as_list(fields.get(f"{what}s")):
            tally.add(what, outcome, "its conversation was left out")


def _messages(records: list[Any], tally: Tally) -> tuple[dict[str, Message], dict[str, str | None]]:
    """The messages that can be read, by old id, and every known parent, of broken ones too."""
    found: dict[str, Message] = {}
    parents: dict[str, str | None] = {}
    for index, record in enumerate(records):
        where = f"message {index + 1}"
        id = as_id(as_dict(record).get("id"))
        try:
            message = message_from_record(record)
            if message.id in found:
                raise RecordError("its id occurs twice")
        except RecordError as error:
            tally.add("message", "failed", str(error), where)
            if id is not None and id not in parents:
                parents[id] = as_id(as_dict(record).get("parent_id"))
            continue
        found[message.id] = message
        parents[message.id] = message.parent_id
        tally.add("message", "imported")
    return found, parents


def _folds(
    records: list[Any], conversation_id: str, message_ids: dict[str, str], ids: Ids, tally: Tally
) -> tuple[tuple[dict[str, Any], ...], dict[str, str]]:
    """The folds with every id remapped; one whose ids lead nowhere is dropped and counted."""
    usable: dict[str, dict[str, Any]] = {}
    for record in records:
        fold = _without_secrets(as_dict(record))
        id = as_id(fold.get("id"))
        reason = "its id is missing or occurs twice"
        if id is not None and id not in usable:
            reason = _remap_messages(fold, message_ids)
            if not reason:
                usable[id] = fold
                continue
        tally.add("fold", "failed", reason, id or "")
    _drop_orphans(usable, tally)
    fold_ids = {id: ids() for id in usable}
    for id, fold in usable.items():
        fold["id"] = fold_ids[id]
        fold["conversation_id"] = conversation_id
        for key in ("parent_id", "replaces"):
            if fold.get(key) is not None:
                fold[key] = fold_ids[fold[key]]
        tally.add("fold", "imported")
    return tuple(usable.values()), fold_ids


def _remap_messages(fold: dict[str, Any], message_ids: dict[str, str]) -> str:
    """Put new message ids into a fold; returns what is wrong with it, or ""."""
    boundary = fold.get("boundary")
    covered = fold.get("covered")
    sources: object = fold.get("sources") or []
    if not is_list(covered) or not is_list(sources):
        return "what it covers is not a list of messages"
    named = [boundary, *as_list(covered)]
    if not all(isinstance(id, str) and id in message_ids for id in named):
        return "it covers messages that are not in the file"
    fold["boundary"] = message_ids[as_id(boundary) or ""]
    fold["covered"] = [message_ids[id] for id in as_list(covered)]
    # A line whose message is gone has no source any more.
    fold["sources"] = [
        message_ids.get(id) if isinstance(id, str) else None for id in as_list(sources)
    ]
    return ""


def _drop_orphans(usable: dict[str, dict[str, Any]], tally: Tally) -> None:
    """Take out the folds whose parent, or the fold they replace, was dropped; and theirs."""
    dependants: dict[str, list[str]] = {}
    gone: list[str] = []
    for id, fold in usable.items():
        for key in ("parent_id", "replaces"):
            other = fold.get(key)
            if other is None:
                continue
            if isinstance(other, str) and other in usable:
                dependants.setdefault(other, []).append(id)
            else:
                gone.append(id)
    while gone:
        id = gone.pop()
        if usable.pop(id, None) is not None:
            tally.add("fold", "failed", "the fold that it builds on is missing", id)
            gone.extend(dependants.get(id, []))


def _without_secrets(fold: Mapping[str, Any]) -> dict[str, Any]:
    """The fold without what it must not carry; NaN and infinity, which are no JSON, as null."""
    return {
        key: None if isinstance(value, float) and not isfinite(value) else value
        for key, value in fold.items()
        if not _SECRET.search(key)
    }
