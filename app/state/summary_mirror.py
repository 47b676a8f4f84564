"""The published memory: ``pleat.summary.<conversation id>``, there before anything else.

A fold is committed (IndexedDB), then published, then mirrored here. On load the mirror is used
at once, checked against the ledger when that is there, and rebuilt from it when it differs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from app.memory.ledger import Fold
from app.state.local_values import LocalValues
from app.state.pubsub import Topic

PREFIX = "pleat.summary."
ORDER_KEY = "pleat.summaries"  # which conversations were used last, newest first
KEPT = 50


@dataclass(frozen=True, slots=True)
class Summary:
    """The current memory of a conversation; ``revision`` is the fold's commit number."""

    conversation_id: str
    fold_id: str
    summary: str
    last_summarized_message_id: str
    revision: int

    @classmethod
    def of(cls, fold: Fold) -> Summary:
        """What a fold publishes."""
        return cls(fold.conversation_id, fold.id, fold.text, fold.boundary, fold.commit)

    def record(self) -> dict[str, Any]:
        """As stored."""
        return {
            "conversation_id": self.conversation_id,
            "fold_id": self.fold_id,
            "summary": self.summary,
            "last_summarized_message_id": self.last_summarized_message_id,
            "revision": self.revision,
        }


class SummaryMirror:
    """Publishes and stores the current memory of conversations, and hears other tabs."""

    def __init__(self, values: LocalValues) -> None:
        self._values = values
        self._topics: dict[str, Topic[Summary | None]] = {}
        self.on_other_tab: Callable[[str], object] | None = None
        values.watch(self._heard)

    def topic(self, conversation_id: str) -> Topic[Summary | None]:
        """The memory of one conversation; at first what is stored."""
        known = self._topics.get(conversation_id)
        if known is None:
            known = Topic(self.stored(conversation_id))
            self._topics[conversation_id] = known
        return known

    def stored(self, conversation_id: str) -> Summary | None:
        """What is stored; a value that cannot be used is set aside and is None."""
        key = PREFIX + conversation_id
        record = self._values.read(key)
        if record is None:
            return None
        summary = _summary(record, conversation_id)
        if summary is None:
            text = self._values.text(key)
            if text is not None:
                self._values.set_aside(key, text)
        return summary

    def committed(self, conversation_id: str, fold: Fold | None) -> None:
        """The current fold is this one now (None: none): publish, then store.

        A newer one is never replaced by an older one of the same lineage by accident: the
        caller derives it from the ledger, which is the truth.
        """
        summary = None if fold is None else Summary.of(fold)
        topic = self.topic(conversation_id)
        if topic.get() != summary:
            topic.publish(summary)
        self._store(conversation_id, summary)

    def forget(self, conversation_id: str) -> None:
        """The conversation is gone."""
        topic = self._topics.pop(conversation_id, None)
        if topic is not None and topic.get() is not None:
            topic.publish(None)
        self._values.set_text(PREFIX + conversation_id, None)
        self._write_order([id for id in self._order() if id != conversation_id])

    def used(self, conversation_id: str) -> None:
        """The conversation was opened: it is among the last used now; old ones are let go."""
        order = [conversation_id, *(id for id in self._order() if id != conversation_id)]
        for old in order[KEPT:]:
            self._values.set_text(PREFIX + old, None)
        self._write_order(order[:KEPT])

    def _store(self, conversation_id: str, summary: Summary | None) -> None:
        key = PREFIX + conversation_id
        if summary is None:
            if self._values.text(key) is not None:
                self._values.set_text(key, None)
        elif self._values.text(key) is None or self._values.read(key) != summary.record():
            self._values.write(key, summary.record())

    def _order(self) -> list[str]:
        record = self._values.read(ORDER_KEY) or {}
        order = record.get("order")
        return [each for each in order if isinstance(each, str)] if isinstance(order, list) else []  # pyright: ignore

    def _write_order(self, order: list[str]) -> None:
        if order != self._order():
            self._values.write(ORDER_KEY, {"order": order})

    def _heard(self, key: str, text: str | None) -> None:
        """Another tab stored something."""
        if not key.startswith(PREFIX):
            return
        conversation_id = key[len(PREFIX) :]
        if ".corrupt-" in conversation_id:
            return
        record = None if text is None else self._values.parse(text)
        summary = None if record is None else _summary(record, conversation_id)
        topic = self._topics.get(conversation_id)
        if topic is not None and topic.get() != summary:
            topic.publish(summary)
        if self.on_other_tab is not None:
            self.on_other_tab(conversation_id)


def _summary(record: dict[str, Any], conversation_id: str) -> Summary | None:
    """The record as a summary of that conversation, None when it is anything else."""
    revision = record.get("revision")
    if isinstance(revision, bool) or not isinstance(revision, int) or revision < 0:
        return None
    fold_id, text = record.get("fold_id"), record.get("summary")
    boundary = record.get("last_summarized_message_id")
    if record.get("conversation_id") != conversation_id:
        return None
    if not (isinstance(fold_id, str) and isinstance(text, str) and isinstance(boundary, str)):
        return None
    if not (fold_id and text.strip() and boundary):
        return None
    return Summary(conversation_id, fold_id, text, boundary, revision)
