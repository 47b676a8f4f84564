"""SillyTavern's chat files: one JSON object a line, the first of them perhaps a header.

``mes`` is the text that was chosen; ``swipes`` are its alternatives and become siblings. Lines
of the system or the narrator are kept but hidden, so that they are never sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.conversation.formats.assemble import Draft, Heading, Left, Node, assemble
from app.conversation.formats.blocks import image_part, text_part
from app.conversation.formats.report import Ids, ImportedConversation, Tally
from app.conversation.formats.shapes import as_dict, as_list, as_name, as_text, last_of_url
from app.conversation.formats.times import to_ms
from app.conversation.message import Part, Role

_HEADER = ("user_name", "character_name", "chat_metadata")
_NO_NAME = frozenset({"", "unused"})


def is_line(value: object) -> bool:
    """Whether a value looks like a line of this format: a message or a header."""
    fields = as_dict(value)
    return "mes" in fields or ("role" not in fields and any(key in fields for key in _HEADER))


def read(
    lines: Sequence[tuple[int, object]], ids: Ids, tally: Tally
) -> ImportedConversation | None:
    """One conversation of numbered lines; an exception in a line's place is a broken line."""
    header: dict[str, Any] = {}
    nodes: list[Node] = []
    previous: str | None = None
    for position, (number, value) in enumerate(lines):
        fields = as_dict(value)
        where = f"line {number}"
        if isinstance(value, Exception):
            nodes.append(Node(where, previous, Left("failed", f"broken line: {value}", where)))
        elif position == 0 and fields and "mes" not in fields:
            header = fields
        elif not fields or "mes" not in fields:
            nodes.append(Node(where, previous, Left("failed", "no message in the line", where)))
        else:
            alternatives, active = _alternatives(fields, where, previous)
            nodes.extend(alternatives)
            previous = active
            if as_text(as_dict(fields.get("extra")).get("memory")):
                tally.note("A summary made by SillyTavern was left out: Pleat makes its own.")
    created_at = to_ms(header.get("create_date"))
    heading = Heading(title=_title(header, lines), created_at=created_at, current=previous)
    return assemble(nodes, heading, ids, tally)


def read_value(value: object, ids: Ids, tally: Tally) -> ImportedConversation | None:
    """``read`` for a caller that knows its value only as an object: pairs of number and line."""
    return read(as_list(value), ids, tally)


def read_one(value: object, ids: Ids, tally: Tally) -> ImportedConversation | None:
    """A conversation of a single line."""
    return read([(1, value)], ids, tally)


def _title(header: dict[str, Any], lines: Sequence[tuple[int, object]]) -> str:
    """The character's name: from the header, or else from the first line that a model wrote."""
    named = as_name(header.get("character_name"))
    if named.lower() not in _NO_NAME:
        return named
    for _, value in lines:
        fields = as_dict(value)
        if "mes" in fields and not fields.get("is_user") and not fields.get("is_system"):
            return as_name(fields.get("name"))
    return ""


def _alternatives(
    fields: dict[str, Any], where: str, parent: str | None
) -> tuple[list[Node], str | None]:
    """The nodes of one line, swipes in their order, and the key of the chosen one."""
    text = _words(fields.get("mes"))
    swipes = [_words(swipe) for swipe in as_list(fields.get("swipes"))]
    swipe_id = fields.get("swipe_id")
    chosen = swipe_id if isinstance(swipe_id, int) else -1
    if not swipes:
        swipes, active = [text], 0
    elif 0 <= chosen < len(swipes) and (swipes[chosen] == text or text not in swipes):
        # ``mes`` was edited after the swipe was stored: what stands in the chat counts.
        active = chosen
        swipes[active] = text
    elif text in swipes:
        active = swipes.index(text)
    else:
        swipes.append(text)
        active = len(swipes) - 1
    details = [as_dict(entry) for entry in as_list(fields.get("swipe_info"))]
    nodes: list[Node] = []
    for index, swipe in enumerate(swipes):
        key = where if index == active else f"{where}, swipe {index + 1}"
        detail = details[index] if index < len(details) else {}
        extra = as_dict(fields.get("extra") if index == active else detail.get("extra"))
        nodes.append(Node(key, parent, _content(fields, extra, swipe, key)))
    # A line without content is no parent: what follows is linked past it.
    return nodes, where


def _content(fields: dict[str, Any], extra: dict[str, Any], text: str, where: str) -> Draft | Left:
    parts = [*_reasoning(extra), *text_part(text), *_images(extra)]
    if not any(part.kind != "reasoning" for part in parts):
        return Left("empty", "no text", where)
    role: Role = "user" if fields.get("is_user") is True else "assistant"
    hidden = fields.get("is_system") is True
    if hidden and role == "assistant" and (extra.get("type") or fields.get("name") == "System"):
        role = "system"
    return Draft(
        role=role,
        parts=tuple(parts),
        created_at=to_ms(fields.get("send_date")),
        model=as_name(extra.get("model")) if role == "assistant" else "",
        hidden=hidden,
        name=as_name(fields.get("name")),
    )


def _words(value: object) -> str:
    """The text of ``mes`` or of a swipe: a string, or an object that holds one."""
    return as_text(value) or as_text(as_dict(value).get("message"))


def _reasoning(extra: dict[str, Any]) -> list[Part]:
    thought = as_text(extra.get("reasoning"))
    return [Part("reasoning", thought)] if thought.strip() else []


def _images(extra: dict[str, Any]) -> list[Part]:
    """Images of either style of the format, each once."""
    media = [as_dict(entry) for entry in as_list(extra.get("media"))]
    pictures = [entry.get("url") for entry in media if entry.get("type") in (None, "image")]
    addresses = [as_text(address) for address in (extra.get("image"), *pictures)]
    return [
        image_part(address, last_of_url(address)) for address in dict.fromkeys(addresses) if address
    ]
