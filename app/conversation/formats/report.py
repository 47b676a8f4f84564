"""What an import brought: the conversations, and a report whose numbers add up.

Everything that was found is imported, empty, skipped (on purpose) or failed; whatever is not
imported has its reason in the report.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from app.conversation.message import Message
from app.conversation.tree import Conversation

Ids = Callable[[], str]  # port: a new random id at each call
Outcome = Literal["imported", "empty", "skipped", "failed"]
What = Literal["conversation", "message", "fold", "file"]

_EXAMPLES = 5  # places named per reason
_SURROGATE = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """The text without halves of characters, which storage and servers refuse."""
    return _SURROGATE.sub("\ufffd", text)


class FormatError(ValueError):
    """A file that cannot be imported at all; the text is for people. Nothing was taken from it.

    ``line`` and ``column`` count from 1; 0 where no place is known.
    """

    def __init__(self, text: str, line: int = 0, column: int = 0) -> None:
        where = f" (line {line}, column {column})" if line else ""
        super().__init__(text + where)
        self.line = line
        self.column = column


@dataclass(frozen=True, slots=True)
class Counts:
    """``found == imported + empty + skipped + failed``, always."""

    found: int = 0
    imported: int = 0
    empty: int = 0
    skipped: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Reason:
    """Why ``count`` things were not imported (or, for a file, what is worth knowing)."""

    what: What
    outcome: Outcome
    text: str
    count: int
    where: tuple[str, ...] = ()  # the first few places


@dataclass(frozen=True, slots=True)
class Report:
    """The numbers of one import."""

    format: str
    conversations: Counts
    messages: Counts
    folds: Counts
    reasons: tuple[Reason, ...]

    def text(self) -> str:
        """The report as a sentence or two for a notice."""
        said = f"Imported {_count(self.conversations.imported, 'conversation')}"
        said += f" with {_count(self.messages.imported, 'message')}."
        left = self.conversations.found - self.conversations.imported
        if left:
            said += f" {left} of {_count(self.conversations.found, 'conversation')} left out."
        failed = [r for r in self.reasons if r.outcome == "failed" and r.what == "message"]
        if failed:
            total = sum(reason.count for reason in failed)
            said += f" {_count(total, 'message')} could not be read."
        return said

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON-able data for the page."""
        return {
            "format": self.format,
            "text": self.text(),
            "conversations": _counts_dict(self.conversations),
            "messages": _counts_dict(self.messages),
            "folds": _counts_dict(self.folds),
            "reasons": [
                {
                    "what": reason.what,
                    "outcome": reason.outcome,
                    "text": reason.text,
                    "count": reason.count,
                    "where": list(reason.where),
                }
                for reason in self.reasons
            ],
        }


@dataclass(frozen=True, slots=True)
class ImportedConversation:
    """One imported conversation under new ids. ``id_map`` leads from the file's ids to the new.

    ``folds`` are the ledger's records with every id remapped; their digests are the file's.
    """

    conversation: Conversation
    messages: tuple[Message, ...]  # in the order in which a Tree takes them
    folds: tuple[dict[str, Any], ...] = ()
    id_map: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Imported:
    """All that one file held."""

    conversations: tuple[ImportedConversation, ...]
    report: Report


class Tally:
    """Counts outcomes while a file is read."""

    def __init__(self) -> None:
        self._counts: dict[tuple[What, Outcome], int] = {}
        self._reasons: dict[tuple[What, Outcome, str], tuple[int, list[str]]] = {}

    def add(self, what: What, outcome: Outcome, reason: str = "", where: str = "") -> None:
        """Count one thing found, with the reason where it is not imported."""
        self._counts[what, outcome] = self._counts.get((what, outcome), 0) + 1
        if reason:
            self._reason((what, outcome, reason), 1, [where] if where else [])

    def note(self, text: str) -> None:
        """Something worth knowing about the file that is no loss."""
        self._reason(("file", "imported", text), 1, [])

    def absorb(self, other: Tally) -> None:
        """Add another tally's counts and reasons to this one."""
        for key, count in other._counts.items():
            self._counts[key] = self._counts.get(key, 0) + count
        for key, (count, where) in other._reasons.items():
            self._reason(key, count, where)

    def found(self, what: What) -> int:
        """How many things of a kind were counted so far."""
        return sum(count for key, count in self._counts.items() if key[0] == what)

    def report(self, format: str) -> Report:
        """The finished report."""
        return Report(
            format,
            self._of("conversation"),
            self._of("message"),
            self._of("fold"),
            tuple(
                Reason(what, outcome, text, count, tuple(where))
                for (what, outcome, text), (count, where) in self._reasons.items()
            ),
        )

    def _reason(self, key: tuple[What, Outcome, str], count: int, where: list[str]) -> None:
        what, outcome, text = key
        key = (what, outcome, clean(text))
        before, places = self._reasons.get(key, (0, []))
        if len(places) < _EXAMPLES:
            places = [*places, *(clean(place)[:80] for place in where)][:_EXAMPLES]
        self._reasons[key] = (before + count, places)

    def _of(self, what: What) -> Counts:
        imported = self._counts.get((what, "imported"), 0)
        empty = self._counts.get((what, "empty"), 0)
        skipped = self._counts.get((what, "skipped"), 0)
        failed = self._counts.get((what, "failed"), 0)
        return Counts(self.found(what), imported, empty, skipped, failed)


def _counts_dict(counts: Counts) -> dict[str, int]:
    return {
        "found": counts.found,
        "imported": counts.imported,
        "empty": counts.empty,
        "skipped": counts.skipped,
        "failed": counts.failed,
    }


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
