"""Server-sent events, decoded as they come: bytes in, events out.

Follows the HTML standard's event stream (BOM, CR, LF and CRLF, comments, fields), with two
liberties that servers of models need: an event without data is given out when it has a name
(``event: error``), and the last event counts although no empty line follows it.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

MAX_EVENT = 8_000_000  # characters; no honest server sends a larger event

_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Event:
    """One event: its data lines joined by a newline, and its name ("" when it has none)."""

    data: str
    name: str = ""


class EventTooLong(ValueError):
    """An event (or line) grew over the decoder's limit."""


class SseDecoder:
    """Feed it bytes, cut anywhere; it returns the events that are complete by then."""

    def __init__(self, max_event: int = MAX_EVENT) -> None:
        """``max_event``: the most characters that an unfinished event may hold."""
        self._max = max_event
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")
        self._line: list[str] = []
        self._size = 0  # of the unfinished event and line, in characters
        self._data: list[str] = []
        self._name = ""
        self._started = False
        self._skip_lf = False

    def decode(self, chunk: bytes) -> list[Event]:
        """The events that ``chunk`` completes. Raises ``EventTooLong``."""
        return self._feed(self._utf8.decode(chunk))

    def flush(self) -> list[Event]:
        """The stream is over: the event that was still open, if it has any content."""
        events = self._feed(self._utf8.decode(b"", True))
        last = "".join(self._line)
        self._line.clear()
        if last:
            self._field(last)
        events.extend(self._dispatch())
        return events

    def _feed(self, text: str) -> list[Event]:
        if not self._started and text:
            self._started = True
            text = text.removeprefix("\ufeff")
        if self._skip_lf and text:  # a CRLF that was cut in two is one line end
            self._skip_lf = False
            text = text.removeprefix("\n")
        if not text:
            return []
        self._skip_lf = text.endswith("\r")
        events: list[Event] = []
        *complete, rest = _LINE_END.split(text)
        for piece in complete:
            self._grow(piece)
            line = "".join(self._line)
            self._line.clear()
            if line:
                self._field(line)
            else:
                events.extend(self._dispatch())
        if rest:
            self._grow(rest)
        return events

    def _grow(self, piece: str) -> None:
        self._size += len(piece)
        if self._size > self._max:
            raise EventTooLong(f"an event of the stream is over {self._max} characters long")
        if piece:
            self._line.append(piece)

    def _field(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._name = value
        elif not self._data and not self._name:
            self._size = 0  # comments, id, retry: nothing is kept, so nothing grows

    def _dispatch(self) -> list[Event]:
        event = Event("\n".join(self._data), self._name)
        has_content = bool(self._data) or bool(self._name)
        self._data.clear()
        self._name = ""
        self._size = 0
        return [event] if has_content else []
