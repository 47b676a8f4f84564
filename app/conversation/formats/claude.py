"""Claude's export: ``chat_messages`` with content blocks and attachments.

The text of a message is that of its blocks; the field ``text`` only stands in, because it is
empty in newer exports and holds placeholders in others.
"""

from __future__ import annotations

from app.conversation.formats.assemble import Draft, Heading, Left, Node, assemble
from app.conversation.formats.blocks import blocks_to_parts, file_part, text_part
from app.conversation.formats.report import Ids, ImportedConversation, Tally
from app.conversation.formats.shapes import as_dict, as_id, as_list, as_name, as_text
from app.conversation.formats.times import to_ms
from app.conversation.message import Part

_SENDERS = {"human": "user", "user": "user", "assistant": "assistant"}


def is_conversation(value: object) -> bool:
    """Whether a value looks like one conversation of this format."""
    return "chat_messages" in as_dict(value)


def read(value: object, ids: Ids, tally: Tally) -> ImportedConversation | None:
    """One conversation; None when it holds nothing, which is counted."""
    fields = as_dict(value)
    model = as_name(fields.get("model"))
    nodes: list[Node] = []
    previous: str | None = None
    tools: dict[str, str] = {}
    for index, entry in enumerate(as_list(fields.get("chat_messages"))):
        message = as_dict(entry)
        key = as_id(message.get("uuid")) or f"message {index + 1}"
        # A parent that is not in the file (all zeros at the start) makes a root; none at all
        # is an older export, which is one line of talk.
        named = as_id(message.get("parent_message_uuid"))
        parent = named if "parent_message_uuid" in message and named else previous
        nodes.append(Node(key, parent, _content(message, key, model, tools)))
        previous = key
    heading = Heading(
        key=as_id(fields.get("uuid")) or "",
        title=as_text(fields.get("name")),
        created_at=to_ms(fields.get("created_at")),
        updated_at=to_ms(fields.get("updated_at")),
        current=as_id(fields.get("current_leaf_message_uuid")),
    )
    return assemble(nodes, heading, ids, tally)


def _content(
    message: dict[str, object], key: str, model: str, tools: dict[str, str]
) -> Draft | Left:
    if not message:
        return Left("failed", "the message is no object", key)
    sender = as_text(message.get("sender")).lower()
    role = _SENDERS.get(sender)
    if role is None:
        return Left("failed", f"unknown sender {sender!r:.60}" if sender else "no sender", key)
    parts, unknown = blocks_to_parts(as_list(message.get("content")), tools)
    if not any(part.kind != "reasoning" for part in parts):
        parts.extend(text_part(as_text(message.get("text"))))
    parts.extend(_attached(message))
    if not any(part.kind != "reasoning" for part in parts):
        if unknown:
            return Left("failed", f"unknown content {unknown[0]!r}", key)
        if not parts:
            return Left("empty", "no text", key)
    return Draft(
        role="user" if role == "user" else "assistant",
        parts=tuple(parts),
        created_at=to_ms(message.get("created_at")),
        model=model if role == "assistant" else "",
    )


def _attached(message: dict[str, object]) -> list[Part]:
    """Attachments with their extracted text, and files, each named once."""
    parts: list[Part] = []
    named: set[str] = set()
    for entry in as_list(message.get("attachments")):
        fields = as_dict(entry)
        name = as_name(fields.get("file_name"))
        text = as_text(fields.get("extracted_content"))
        if fields:
            parts.append(file_part(name, text, as_name(fields.get("file_type"))))
            named.add(name)
    for key in ("files", "files_v2"):
        for entry in as_list(message.get(key)):
            name = as_name(as_dict(entry).get("file_name"))
            if not name or name in named:
                continue
            named.add(name)
            parts.append(file_part(name))
    return parts
