"""Which format a file is of, told by its shape and not by its name; and reading it.

``read`` takes everything that can be taken and reports the rest; it raises FormatError, with
nothing taken, only when the file as a whole is no chat.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.conversation.formats import chatgpt, claude, openai_messages, pleat_json, sillytavern
from app.conversation.formats.decode import safe_json, to_text
from app.conversation.formats.report import FormatError, Ids, Imported, ImportedConversation, Tally
from app.conversation.formats.shapes import as_dict, as_list
from app.conversation.message import INVISIBLE

_Reader = Callable[[object, Ids, Tally], ImportedConversation | None]
_Lines = list[tuple[int, object]]

_NEWLINE = re.compile(r"\r\n|\n|\r")  # not splitlines: U+2028 is content inside of strings

NOT_A_CHAT = (
    "This file holds no chat in a format that Pleat knows: ChatGPT's or Claude's export, a "
    "SillyTavern chat, OpenAI messages, or Pleat's own export."
)


@dataclass(frozen=True, slots=True)
class _Found:
    """What to read: the entries, each with its reader (None: of no known shape)."""

    format: str
    entries: Sequence[tuple[object, _Reader | None]]


def read(name: str, data: str | bytes, ids: Ids) -> Imported:
    """All conversations of a file under new ids, and the report.

    Raises FormatError (a ValueError, with line and column where known) when the file cannot be
    read at all or holds no chat. ``name`` is the file's name; only messages use it.
    """
    tally = Tally()
    text = to_text(data, tally)
    if not text.strip(INVISIBLE):
        raise FormatError("The file is empty.")
    found = _find(text, name, tally)
    conversations: list[ImportedConversation] = []
    for index, (value, reader) in enumerate(found.entries):
        where = f"entry {index + 1}"
        if reader is None:
            tally.add("conversation", "failed", "not a conversation", where)
            continue
        part = Tally()
        try:
            conversation = reader(value, ids, part)
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
            # A shape that nobody has met yet costs its conversation, never the others.
            part = Tally()
            part.add("conversation", "failed", f"{type(error).__name__}: {error}"[:200], where)
            conversation = None
        tally.absorb(part)
        if conversation is not None:
            conversations.append(conversation)
    if not found.entries:
        tally.note("The file holds no conversations.")
    return Imported(tuple(conversations), tally.report(found.format))


def _find(text: str, name: str, tally: Tally) -> _Found:
    start = text.lstrip(INVISIBLE)[:1]
    if start not in ("{", "["):
        kind = "a web page" if start == "<" else "no JSON"
        raise FormatError(f"{NOT_A_CHAT} It is {kind}.")
    try:
        value = safe_json(text, tally)
    except FormatError as error:
        lines = _lines(text)
        if lines is None:
            raise error
        return _of_lines(lines)
    return _of_value(value)


def _lines(text: str) -> _Lines | None:
    """The file as numbered JSON lines, broken ones as exceptions; None if it is no such file."""
    filled = [
        (number, line)
        for number, line in enumerate(_NEWLINE.split(text), 1)
        if line.strip(INVISIBLE)
    ]
    if len(filled) < 2:
        return None
    # Of a document over several lines hardly a line is an object of its own.
    if not any(isinstance(_line(number, line), dict) for number, line in filled[:3]):
        return None
    return [(number, _line(number, line)) for number, line in filled]


def _line(number: int, line: str) -> object:
    try:
        return safe_json(line.strip(INVISIBLE))
    except FormatError as error:
        return FormatError(str(error).split(" (line", 1)[0])


def _of_lines(lines: _Lines) -> _Found:
    values = [value for _, value in lines if isinstance(value, dict)]
    if any(sillytavern.is_line(value) for value in values[:3]):
        return _Found("sillytavern", [(lines, _tavern)])
    if any(openai_messages.is_message(value) for value in values):
        return _Found("openai", [([_or_none(value) for _, value in lines], openai_messages.read)])
    found = _of_value([_or_none(value) for _, value in lines])
    return _Found(found.format, found.entries)


def _or_none(value: object) -> object:
    return None if isinstance(value, Exception) else value


def _of_value(value: object) -> _Found:
    if pleat_json.is_export(value):
        return _Found("pleat", [(each, pleat_json.read) for each in pleat_json.entries(value)])
    single = _reader(value)
    if single is not None:
        return _Found(single[0], [(value, single[1])])
    wrapped = as_dict(value).get("conversations")
    entries = as_list(wrapped) if isinstance(wrapped, list) else value
    if not isinstance(entries, list):
        raise FormatError(NOT_A_CHAT)
    listed = as_list(entries)
    if any(sillytavern.is_line(each) for each in listed[:3]):
        return _Found("sillytavern", [(list(enumerate(listed, 1)), _tavern)])
    found = [(each, _reader(each)) for each in listed]
    formats = list(dict.fromkeys(reader[0] for _, reader in found if reader is not None))
    if listed and not formats:
        raise FormatError(NOT_A_CHAT)
    return _Found(
        formats[0] if formats else "empty",
        [(each, None if reader is None else reader[1]) for each, reader in found],
    )


def _reader(value: object) -> tuple[str, _Reader] | None:
    """The format of one conversation, or None."""
    if chatgpt.is_conversation(value):
        return "chatgpt", chatgpt.read
    if claude.is_conversation(value):
        return "claude", claude.read
    if sillytavern.is_line(value):
        return "sillytavern", lambda one, ids, tally: _tavern([(1, one)], ids, tally)
    if openai_messages.is_conversation(value):
        return "openai", openai_messages.read
    return None


def _tavern(value: object, ids: Ids, tally: Tally) -> ImportedConversation | None:
    return sillytavern.read([(pair[0], pair[1]) for pair in as_list(value)], ids, tally)
