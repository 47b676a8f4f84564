"""Which format a file is of, told by its shape and not by its name; and reading it.

``read`` takes everything that can be taken and reports the rest; it raises FormatError, with
nothing taken, only when the file as a whole is no chat.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

from app.conversation.formats import chatgpt, claude, openai_messages, pleat_json, sillytavern
from app.conversation.formats.decode import safe_json, to_text
from app.conversation.formats.report import FormatError, Ids, Imported, ImportedConversation, Tally
from app.conversation.formats.shapes import as_dict, as_list, is_list
from app.conversation.message import INVISIBLE

_Reader = Callable[[object, Ids, Tally], ImportedConversation | None]
_Lines = list[tuple[int, object]]

_NEWLINE = re.compile(r"\r\n|\n|\r")  # not splitlines: U+2028 is content inside of strings

NOT_A_CHAT = (
    "This file holds no chat in a format that Pleat knows: ChatGPT's or Claude's export, a "
    "SillyTavern chat, OpenAI messages, or Pleat's own export."
)


@dataclass(frozen=True, slots=True)
class _Entry:
    """One conversation, perhaps; ``reader`` is None where its shape is not known."""

    where: str
    value: object
    reader: _Reader | None


@dataclass(frozen=True, slots=True)
class _Found:
    """What to read."""

    format: str
    entries: Sequence[_Entry]


def read(name: str, data: str | bytes, ids: Ids) -> Imported:
    """All conversations of a file under new ids, and the report; ``steps`` without a pause."""
    reading = steps(name, data, ids)
    while True:
        try:
            next(reading)
        except StopIteration as end:
            return end.value


def steps(name: str, data: str | bytes, ids: Ids) -> Generator[tuple[int, int], None, Imported]:
    """Read a file one conversation at a time, so that a page stays alive meanwhile.

    Yields how many of how many are done; returns all conversations under new ids, and the
    report. Raises FormatError (a ValueError, with line and column where known) when the file
    cannot be read at all or holds no chat. ``name`` is for people: it decides nothing.
    """
    tally = Tally()
    text = to_text(data, tally)
    if not text.strip(INVISIBLE):
        raise FormatError("The file is empty.")
    found = _find(text, tally)
    conversations: list[ImportedConversation] = []
    for done, entry in enumerate(found.entries):
        yield done, len(found.entries)
        value, reader, where = entry.value, entry.reader, entry.where
        if reader is None:
            broken = f"broken line: {value}" if isinstance(value, Exception) else ""
            tally.add("conversation", "failed", broken or "not a conversation", where)
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


def _find(text: str, tally: Tally) -> _Found:
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
    if not any(isinstance(_line(line), dict) for _, line in filled[:3]):
        return None
    return [(number, _line(line)) for number, line in filled]


def _line(line: str) -> object:
    try:
        return safe_json(line.strip(INVISIBLE))
    except FormatError as error:
        return FormatError(str(error).split(" (line", 1)[0])


def _of_lines(lines: _Lines) -> _Found:
    values: list[object] = [as_dict(value) for _, value in lines if as_dict(value)]
    if any(sillytavern.is_line(value) for value in values[:3]):
        return _Found("sillytavern", [_Entry("file", lines, sillytavern.read_value)])
    if any(openai_messages.is_message(value) for value in values):
        return _Found("openai", [_Entry("file", lines, openai_messages.read_value)])
    return _listed([(f"line {number}", value) for number, value in lines])


def _of_value(value: object) -> _Found:
    if pleat_json.is_export(value):
        entries = enumerate(pleat_json.entries(value), 1)
        return _Found("pleat", [_Entry(f"entry {i}", each, pleat_json.read) for i, each in entries])
    single = _reader(value)
    if single is not None:
        return _Found(single[0], [_Entry("file", value, single[1])])
    wrapped = as_dict(value).get("conversations")
    listed: object = wrapped if is_list(wrapped) else value
    if not is_list(listed):
        raise FormatError(NOT_A_CHAT)
    lines = list(enumerate(as_list(listed), 1))
    if any(sillytavern.is_line(each) for _, each in lines[:3]):
        return _Found("sillytavern", [_Entry("file", lines, sillytavern.read_value)])
    return _listed([(f"entry {index}", each) for index, each in lines])


def _listed(entries: Sequence[tuple[str, object]]) -> _Found:
    """A list of conversations, each of its own shape."""
    found: list[_Entry] = []
    formats: list[str] = []
    for where, value in entries:
        format, reader = _reader(value) or ("", None)
        found.append(_Entry(where, value, reader))
        if format and format not in formats:
            formats.append(format)
    if found and not formats:
        raise FormatError(NOT_A_CHAT)
    return _Found(formats[0] if formats else "empty", found)


def _reader(value: object) -> tuple[str, _Reader] | None:
    """The format of one conversation, or None."""
    if chatgpt.is_conversation(value):
        return "chatgpt", chatgpt.read
    if claude.is_conversation(value):
        return "claude", claude.read
    if sillytavern.is_line(value):
        return "sillytavern", sillytavern.read_one
    if openai_messages.is_conversation(value):
        return "openai", openai_messages.read
    return None
