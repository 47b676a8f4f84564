"""One message: what was said, by whom, in which parts, and how it ended.

A finished message is immutable. Edit and regenerate make siblings; delete splices.
Reasoning is shown but never sent or folded; images and files never reach a tokenizer.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal

Role = Literal["system", "user", "assistant", "tool"]
Status = Literal["streaming", "complete", "stopped", "failed"]
PartKind = Literal["text", "reasoning", "image", "file", "tool_call", "tool_result"]

FINISHED: frozenset[str] = frozenset({"complete", "stopped"})


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a message.

    ``text`` is what a person reads (for tool calls the arguments, for results the output, for
    files the extracted text). ``name`` is a tool's or file's name. ``data`` is an image's data
    URL: it is shown, and never counted, sent to a tokenizer or summarised.
    """

    kind: PartKind
    text: str = ""
    name: str = ""
    media_type: str = ""
    data: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a conversation's tree. Times are milliseconds since 1970, 0 when unknown."""

    id: str
    conversation_id: str
    parent_id: str | None
    role: Role
    parts: tuple[Part, ...]
    status: Status = "complete"
    created_at: int = 0
    model: str = ""
    finish: str = ""  # the server's finish reason: stop, length, content_filter; "" when unknown
    error: str = ""  # in plain words, for status "failed" or a cut "stopped"
    hidden: bool = False  # imported system or narrator text: kept, not sent
    name: str = ""  # the speaker's name where an import knows it

    @property
    def text(self) -> str:
        """What a person reads as the message: its text parts, without reasoning, in characters."""
        return "\n\n".join(p.text for p in self.parts if p.kind == "text" and p.text)

    @property
    def reasoning(self) -> str:
        """The model's reasoning, shown collapsed, never sent."""
        return "\n\n".join(p.text for p in self.parts if p.kind == "reasoning" and p.text)


def user_message(id: str, conversation_id: str, parent_id: str | None, text: str) -> Message:
    """A plain, complete message of the user."""
    return Message(id, conversation_id, parent_id, "user", (Part("text", text),))


def sendable_text(message: Message) -> str:
    """The text that a model gets for ``message``: parts in order, tools and files as text.

    Reasoning is left out; an image is ``[image]`` or ``[image: name]``.
    """
    pieces: list[str] = []
    for part in message.parts:
        if part.kind == "text":
            pieces.append(part.text)
        elif part.kind == "image":
            pieces.append(f"[image: {part.name}]" if part.name else "[image]")
        elif part.kind == "file":
            label = f"[file: {part.name}]" if part.name else "[file]"
            pieces.append(f"{label}\n{part.text}" if part.text else label)
        elif part.kind == "tool_call":
            pieces.append(f"[tool call {part.name or 'tool'}]\n{part.text}".rstrip())
        elif part.kind == "tool_result":
            pieces.append(f"[tool result {part.name or 'tool'}]\n{part.text}".rstrip())
    return "\n\n".join(piece for piece in pieces if piece.strip(INVISIBLE))


# Characters that str.strip() leaves although nobody sees them.
INVISIBLE = (
    " \t\r\n\f\v\u00a0\u00ad\u034f\u061c\u180e\u200b\u200c\u200d\u200e\u200f"
    "\u2028\u2029\u202f\u2060\ufeff"
)


def is_sendable(message: Message) -> bool:
    """Whether the message may be sent or folded: finished, not hidden, not empty, of a speaker.

    A message that is still ``streaming`` is not finished; a ``failed`` one is never sent.
    """
    return (
        message.status in FINISHED
        and not message.hidden
        and message.role != "system"
        and bool(sendable_text(message).strip(INVISIBLE))
    )


def digest(message: Message) -> str:
    """A short digest of the message's content (role and sendable text), for caches and folds."""
    data = f"{message.role}\x00{sendable_text(message)}".encode("utf-8", "surrogatepass")
    return blake2b(data, digest_size=12).hexdigest()
