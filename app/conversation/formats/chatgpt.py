"""ChatGPT's ``conversations.json``: a mapping of nodes, with much that nobody ever saw.

Only what the person and the model said to each other is imported. Profiles, memory, system
texts, tool traffic and reasoning are left out, counted, and their children linked through them.
"""

from __future__ import annotations

import re
from typing import Any

from app.conversation.formats.assemble import Draft, Heading, Left, Node, assemble
from app.conversation.formats.blocks import fenced, file_part, image_part, text_part
from app.conversation.formats.report import Ids, ImportedConversation, Tally
from app.conversation.formats.shapes import as_dict, as_id, as_list, as_name, as_text
from app.conversation.formats.times import to_ms
from app.conversation.message import INVISIBLE, Part

# Marks of sources: a span of private use characters, or lenticular brackets around a dagger.
_CITATION = re.compile(
    "\ue200[^\ue200\ue201]{0,2000}\ue201|\u3010[\\d:]{1,9}\u2020[^\u3010\u3011\n]{0,300}\u3011"
)
_CITATION_MARK = re.compile("[\ue200-\ue202]")
_CONTEXT = frozenset({"user_editable_context", "model_editable_context"})
_REASONING = frozenset({"thoughts", "reasoning_recap"})
_PICTURES = frozenset({"image_asset_pointer"})


def is_conversation(value: object) -> bool:
    """Whether a value looks like one conversation of this format."""
    return "mapping" in as_dict(value)


def read(value: object, ids: Ids, tally: Tally) -> ImportedConversation | None:
    """One conversation; None when it holds nothing, which is counted."""
    fields = as_dict(value)
    mapping = as_dict(fields.get("mapping"))
    parents = _parents(mapping)
    nodes = [Node(key, parents[key], _content(key, mapping[key])) for key in mapping]
    heading = Heading(
        key=as_id(fields.get("conversation_id")) or as_id(fields.get("id")) or "",
        title=as_text(fields.get("title")),
        created_at=to_ms(fields.get("create_time")),
        updated_at=to_ms(fields.get("update_time")),
        current=as_id(fields.get("current_node")),
    )
    return assemble(nodes, heading, ids, tally)


def _parents(mapping: dict[str, Any]) -> dict[str, str | None]:
    """Each node's parent, by its own word, or else by the list of children that names it."""
    by_children: dict[str, str] = {}
    for key, value in mapping.items():
        for child in as_list(as_dict(value).get("children")):
            if isinstance(child, str):
                by_children.setdefault(child, key)
    return {
        key: as_id(as_dict(value)["parent"]) if "parent" in as_dict(value) else by_children.get(key)
        for key, value in mapping.items()
    }


def _content(key: str, node: object) -> Draft | Left | None:
    message = as_dict(node).get("message")
    if message is None:
        return None
    if not isinstance(message, dict):
        return Left("failed", "the message is no object", key)
    fields = as_dict(node)["message"]
    author = as_dict(fields.get("author"))
    role = as_text(author.get("role")).lower()
    metadata = as_dict(fields.get("metadata"))
    content = as_dict(fields.get("content"))
    kind = as_text(content.get("content_type"))
    if metadata.get("is_visually_hidden_from_conversation") or kind in _CONTEXT:
        return Left("skipped", "hidden in ChatGPT (profile, memory or instructions)")
    if role == "system":
        return Left("skipped", "system text")
    if role == "tool" or fields.get("recipient") not in (None, "", "all"):
        return Left("skipped", "exchange with a tool")
    if kind in _REASONING:
        return Left("skipped", "reasoning")
    if role not in ("user", "assistant"):
        return Left("failed", f"unknown author {role!r}" if role else "no author", key)
    parts = _parts(content, kind, metadata, role)
    if parts is None:
        return Left("failed", f"unknown content {kind!r:.60}", key)
    if not parts:
        return Left("empty", "no text", key)
    finish = as_text(as_dict(metadata.get("finish_details")).get("type"))
    stopped = metadata.get("is_complete") is False or fields.get("status") == "in_progress"
    return Draft(
        role="user" if role == "user" else "assistant",
        parts=tuple(parts),
        status="stopped" if stopped or finish == "interrupted" else "complete",
        created_at=to_ms(fields.get("create_time")),
        model=as_name(metadata.get("model_slug")),
        finish={"stop": "stop", "max_tokens": "length"}.get(finish, ""),
        name=as_name(author.get("name")),
    )


def _parts(
    content: dict[str, Any], kind: str, metadata: dict[str, Any], role: str
) -> list[Part] | None:
    """The parts of a content; None for one of a kind that is unknown and has no text."""
    attachments = [as_dict(entry) for entry in as_list(metadata.get("attachments"))]
    names = {as_text(entry.get("id")): as_name(entry.get("name")) for entry in attachments}
    pieces = as_list(content.get("parts"))
    if not pieces:
        value = content.get("text", content.get("result"))
        if not isinstance(value, str) and kind not in ("", "text", "multimodal_text"):
            return None
        pieces = [fenced(as_text(value)) if kind == "code" and as_text(value) else value]
    parts: list[Part] = []
    for piece in pieces:
        if isinstance(piece, str):
            text = as_text(piece)
            parts.extend(text_part(strip_citations(text) if role == "assistant" else text))
        else:
            parts.extend(_object_part(as_dict(piece), names))
    if any(part.kind == "text" for part in parts):
        # A spoken message holds its recording beside its words: the words are enough.
        parts = [part for part in parts if part.kind != "file"]
    for entry in attachments:
        if not as_text(entry.get("mime_type")).startswith("image/"):
            parts.append(file_part(as_name(entry.get("name"))))
    return parts


def _object_part(piece: dict[str, Any], names: dict[str, str]) -> list[Part]:
    kind = as_text(piece.get("content_type"))
    if kind in _PICTURES:
        pointer = as_text(piece.get("asset_pointer"))
        return [image_part("", names.get(pointer.rsplit("/", 1)[-1], ""))]
    if isinstance(piece.get("text"), str):
        return text_part(as_text(piece["text"]))
    if "audio" in kind or "video" in kind:
        return [file_part("recording")]
    return []


def strip_citations(text: str) -> str:
    """The text without the marks of sources, which say nothing outside of ChatGPT."""
    if "\ue200" not in text and "\u3010" not in text:
        return text
    return _CITATION_MARK.sub("", _CITATION.sub("", text)).rstrip(INVISIBLE)
