"""One conversation as Markdown, for people to read: the open path, with everything on it."""

from __future__ import annotations

from collections.abc import Sequence

from app.conversation.formats.blocks import fenced
from app.conversation.message import INVISIBLE, Message, Part
from app.conversation.tree import Conversation

_SPEAKERS = {"user": "You", "assistant": "Assistant", "tool": "Tool", "system": "System"}


def write(conversation: Conversation, path: Sequence[Message]) -> str:
    """The path as Markdown text that ends in a newline. Reasoning is set apart."""
    title = " ".join(conversation.title.split()) or "Conversation"
    pieces = [f"# {title}"]
    if conversation.system_prompt:
        pieces.append("**System prompt**\n\n" + fenced(conversation.system_prompt))
    for message in path:
        body = [_part(part) for part in message.parts]
        if message.status == "failed":
            body.append(f"*Failed: {message.error or 'no answer came'}*")
        elif message.status == "stopped":
            body.append("*Stopped*")
        shown = [piece for piece in body if piece.strip(INVISIBLE)]
        pieces.append("\n\n".join([f"## {_speaker(message)}", *shown]))
    return "\n\n".join(pieces) + "\n"


def _speaker(message: Message) -> str:
    name = message.name or _SPEAKERS[message.role]
    notes = [message.model] if message.model else []
    if message.hidden:
        notes.append("hidden")
    return f"{name} ({', '.join(notes)})" if notes else name


def _part(part: Part) -> str:
    label = f": {part.name}" if part.name else ""
    if part.kind == "text":
        return part.text
    if part.kind == "reasoning":
        return f"<details><summary>Reasoning</summary>\n\n{part.text}\n\n</details>"
    if part.kind == "image":
        return f"[image{label}]" + (f" {part.text}" if part.text else "")
    if part.kind == "file":
        return f"[file{label}]" + (f"\n\n{part.text}" if part.text else "")
    word = "Tool call" if part.kind == "tool_call" else "Tool result"
    return f"*{word}{label}*" + (f"\n\n{fenced(part.text)}" if part.text else "")
