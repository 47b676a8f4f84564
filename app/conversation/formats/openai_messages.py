"""Messages as the OpenAI API takes them: a list, a wrapped list, or fine-tuning lines.

Instructions at the start become the conversation's system prompt; later ones are kept hidden.
Tool calls and results become parts with the tool's name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.conversation.formats.assemble import Draft, Heading, Left, Node, assemble
from app.conversation.formats.blocks import blocks_to_parts, call_part, result_part, text_part
from app.conversation.formats.report import Ids, ImportedConversation, Tally
from app.conversation.formats.shapes import as_dict, as_id, as_list, as_name, as_text, is_list
from app.conversation.formats.times import to_ms
from app.conversation.message import INVISIBLE, Part, Role

_ROLES: dict[str, Role] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "model": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "tool": "tool",
    "function": "tool",
    "system": "system",
    "developer": "system",
}


def is_message(value: object) -> bool:
    """Whether a value looks like one message of this format."""
    return "role" in as_dict(value)


def is_conversation(value: object) -> bool:
    """Whether a value looks like a wrapped list of messages, or a bare one."""
    if is_list(value):
        return any(is_message(entry) for entry in as_list(value))
    return is_list(as_dict(value).get("messages"))


def read(value: object, ids: Ids, tally: Tally) -> ImportedConversation | None:
    """One conversation; None when it holds nothing, which is counted."""
    fields = as_dict(value)
    messages = as_list(value) if is_list(value) else as_list(fields.get("messages"))
    named = [(f"message {index}", entry) for index, entry in enumerate(messages, 1)]
    return _read(fields, named, ids, tally)


def read_lines(
    lines: Sequence[tuple[int, object]], ids: Ids, tally: Tally
) -> ImportedConversation | None:
    """One conversation of numbered lines; an exception in a line's place is a broken line."""
    return _read({}, [(f"line {number}", entry) for number, entry in lines], ids, tally)


def read_value(value: object, ids: Ids, tally: Tally) -> ImportedConversation | None:
    """``read_lines`` for a caller that knows its value only as an object."""
    return read_lines(as_list(value), ids, tally)


def _read(
    fields: dict[str, Any], named: Sequence[tuple[str, object]], ids: Ids, tally: Tally
) -> ImportedConversation | None:
    model = as_name(fields.get("model"))
    system = [part.text for part in blocks_to_parts(fields.get("system"))[0] if part.text]
    nodes: list[Node] = []
    tools: dict[str, str] = {}
    previous: str | None = None
    at_start = True
    for where, entry in named:
        content = _content(as_dict(entry), where, model, tools)
        if isinstance(entry, Exception):
            content = Left("failed", f"broken line: {entry}", where)
        if at_start and isinstance(content, Draft) and content.role == "system":
            system.extend(part.text for part in content.parts if part.kind == "text")
            content = Left("skipped", "became the conversation's system prompt")
        elif isinstance(content, Draft):
            at_start = False
        nodes.append(Node(where, previous, content))
        previous = where
    heading = Heading(
        key=as_id(fields.get("id")) or "",
        title=as_text(fields.get("title")),
        created_at=to_ms(fields.get("created_at") or fields.get("created")),
        updated_at=to_ms(fields.get("updated_at")),
        system_prompt="\n\n".join(system) or None,
        current=previous,
    )
    return assemble(nodes, heading, ids, tally)


def _content(fields: dict[str, Any], where: str, model: str, tools: dict[str, str]) -> Draft | Left:
    if not fields:
        return Left("failed", "the message is no object", where)
    word = as_text(fields.get("role")).strip().lower()
    role = _ROLES.get(word)
    if role is None:
        return Left("failed", f"unknown role {word!r:.60}" if word else "no role", where)
    parts, unknown = _parts(fields, role, tools)
    if not any(part.kind != "reasoning" for part in parts):
        if unknown:
            return Left("failed", f"unknown content {unknown[0]!r}", where)
        return Left("empty", "no text", where)
    return Draft(
        role=role,
        parts=tuple(parts),
        created_at=to_ms(
            fields.get("created_at") or fields.get("create_time") or fields.get("timestamp")
        ),
        model=(as_name(fields.get("model")) or model) if role == "assistant" else "",
        hidden=role == "system",
        name="" if role == "tool" else as_name(fields.get("name")),
    )


def _parts(
    fields: dict[str, Any], role: Role, tools: dict[str, str]
) -> tuple[list[Part], list[str]]:
    content = fields.get("content")
    if role == "tool":
        name = as_name(fields.get("name")) or tools.get(as_text(fields.get("tool_call_id")), "")
        result = result_part(name, content)
        # A tool that returned nothing still answered its call.
        return ([result] if result.text or fields.get("tool_call_id") else []), []
    parts: list[Part] = []
    for key in ("reasoning_content", "reasoning"):
        thought = as_text(fields.get(key))
        if thought.strip(INVISIBLE) and not parts:
            parts.append(Part("reasoning", thought))
    found, unknown = blocks_to_parts(content, tools)
    parts.extend(found)
    parts.extend(text_part(as_text(fields.get("refusal"))))
    parts.extend(text_part(as_text(as_dict(fields.get("audio")).get("transcript"))))
    for call in as_list(fields.get("tool_calls")):
        function = as_dict(as_dict(call).get("function") or as_dict(call).get("custom"))
        name = as_name(function.get("name"))
        if isinstance(as_dict(call).get("id"), str):
            tools[call["id"]] = name
        parts.append(call_part(name, function.get("arguments", function.get("input"))))
    legacy = as_dict(fields.get("function_call"))
    if legacy:
        parts.append(call_part(legacy.get("name"), legacy.get("arguments")))
    return parts, unknown
