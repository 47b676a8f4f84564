"""Old lines and new messages in one shape, so that both compete for the summary on equal terms.

A record is one future line: a label, a day, and the units that may stand on it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.memory.extractive.anchor import anchor
from app.memory.extractive.dates import date_of, split_header
from app.memory.extractive.speakers import embedded_names, split_speaker
from app.memory.extractive.split import Unit, units
from app.memory.extractive.types import Line, Source

_LINE = re.compile(r"^(?:\[([^\[\]\n]{3,40})\] )?([^\W\d_][^:\n]{0,39}): (?=\S)")
_ASKS = re.compile(r"[?？](?:\s*\[[^\]]*\])?\s*$")
_TIE = re.compile(r"^(?:and|so)\s+(?=\w)", re.IGNORECASE)
_NOTED = re.compile(r"\((?:[^()]* )?\d{4}\)")


@dataclass(slots=True)
class Record:
    """One message, or one old line. ``label`` and ``day`` may be empty; ``old`` is an old line,
    ``opaque`` one that is not in our form (a model's): it is kept or dropped whole."""

    source: str | None
    label: str
    role: str
    day: str
    units: Sequence[Unit]
    old: bool = False
    opaque: bool = False
    answers: bool = False  # the message before it ended in a question

    def text(self, chosen: Sequence[int], dated: bool) -> str:
        """The line with the given units: ``[day] Label: units``."""
        body = ""
        last = -2
        for i in chosen:
            unit = self.units[i]
            if body and unit.glue and last == i - 1:
                body += unit.glue + unit.text
            else:
                body = joined(body, alone(unit.text, unit.glue))
            last = i
        noted = _NOTED.search(body) is not None  # the date stands in the line already
        head = f"[{self.day}] " if dated and self.day and not noted else ""
        return f"{head}{self.label}: {body}" if self.label else head + body


def joined(body: str, text: str) -> str:
    """Two parts of a message between which something was left out, as sentences."""
    return f"{body}{' ' if body[-1] in '.!?…。！？' else '; '}{text}" if body else text


def alone(text: str, glue: str) -> str:
    """A clause without the "and" that tied it (by ``glue``) to one that is not there before it."""
    return _TIE.sub("", text, count=1) if glue else text


def records(previous: Sequence[Line], items: Sequence[Source]) -> list[Record]:
    """All records in time order: the old lines, then the new messages."""
    known = _labels(previous)
    embedded = embedded_names(items, known)
    names = frozenset(n.lower() for n in [*embedded.values(), *known])
    names |= frozenset(part for n in names for part in n.split())
    out = [_from_line(line, names) for line in previous if line.text.strip()]
    day = ""
    asked = False
    for item in items:
        label, text = split_speaker(item, embedded)
        header, text = split_header(text)
        if item.created_at:
            day = date_of(item.created_at)
        day = header or day
        found = [_anchored(unit, day) for unit in units(text, names)]
        if found:
            out.append(Record(item.id, label, item.role, day, found, answers=asked))
        asked = _ASKS.search(text) is not None
    return out


def _anchored(unit: Unit, day: str) -> Unit:
    text = anchor(unit.text, day) if day and unit.kind == "prose" else unit.text
    return unit if text == unit.text else Unit(text, unit.kind, unit.glue, unit.hangs)


def _labels(previous: Sequence[Line]) -> frozenset[str]:
    found = (_LINE.match(line.text) for line in previous if line.source is not None)
    return frozenset(m.group(2) for m in found if m is not None)


def _from_line(line: Line, names: frozenset[str]) -> Record:
    text = " ".join(line.text.split())
    match = _LINE.match(text) if line.source is not None else None
    if match is None:
        return Record(line.source, "", "", "", [Unit(text)], old=True, opaque=True)
    body = text[match.end() :]
    label = match.group(2)
    found = units(body) or (Unit(body),)  # of rules and marks alone it stays whole
    return Record(line.source, label, "", match.group(1) or "", found, old=True)
