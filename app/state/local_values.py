"""localStorage as the app uses it: it never raises, and what it cannot read it keeps.

When storage is blocked or full the values live in memory and ``on_unsaved`` is told. A corrupt
value is moved to ``<key>.corrupt-<time>`` and ``on_corrupt`` is told once.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, cast

from app.memory.ports import Clock
from app.models import safe_json
from app.state.ports import KeyValue, StorageFailed

ASIDE = ".corrupt-"  # between the key of a value that was set aside and the time


class LocalValues:
    """JSON objects by key over a ``KeyValue``."""

    def __init__(
        self,
        store: KeyValue,
        clock: Clock,
        *,
        on_unsaved: Callable[[str], None],
        on_corrupt: Callable[[str], None],
        on_saved: Callable[[], None] | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._on_unsaved = on_unsaved
        self._on_corrupt = on_corrupt
        self._on_saved = on_saved
        self._refused = False
        self._memory: dict[str, str | None] = {}  # what storage refused to take

    @property
    def all_saved(self) -> bool:
        """Whether storage has taken all that was set."""
        return not self._memory

    def text(self, key: str) -> str | None:
        """The raw text under a key, or None."""
        if key in self._memory:
            return self._memory[key]
        try:
            return self._store.get(key)
        except StorageFailed as failed:
            self._on_unsaved(failed.kind)
            return None

    def set_text(self, key: str, text: str | None) -> bool:
        """Store a text (None removes it); False when it is only in memory now."""
        try:
            if text is None:
                self._store.remove(key)
            else:
                self._store.set(key, text)
        except StorageFailed as failed:
            self._memory[key] = text
            self._refused = True
            self._on_unsaved(failed.kind)
            return False
        self._memory.pop(key, None)
        if self._refused:  # storage takes again: what it had refused goes with this
            self._refused = False
            self.retry()
            if self.all_saved and self._on_saved is not None:
                self._on_saved()
        return True

    def retry(self) -> bool:
        """Try again to store what was refused; True when nothing is left."""
        for key, text in list(self._memory.items()):
            self.set_text(key, text)
        return self.all_saved

    def read(self, key: str) -> dict[str, Any] | None:
        """The JSON object under a key; None when missing or corrupt (then it is set aside)."""
        text = self.text(key)
        if text is None:
            return None
        value = self.parse(text)
        if value is None:
            self.set_aside(key, text)
        return value

    @staticmethod
    def parse(text: str) -> dict[str, Any] | None:
        """The object that a text holds, or None."""
        value = safe_json.parse(text)
        return cast("dict[str, Any]", value) if isinstance(value, dict) else None

    def write(self, key: str, value: dict[str, Any]) -> bool:
        """Store an object as JSON; False when it is only in memory now."""
        return self.set_text(key, json.dumps(value, ensure_ascii=True))

    def set_aside(self, key: str, text: str) -> None:
        """Move a value that cannot be used to ``<key>.corrupt-<time>``."""
        kept = self.set_text(f"{key}{ASIDE}{self._clock.now()}", text)
        if kept:  # else it stays where it is: better unread than lost
            self.set_text(key, None)
        self._on_corrupt(key)

    def keys(self, prefix: str) -> list[str]:
        """The keys that begin with ``prefix``, in memory or stored."""
        try:
            stored = self._store.keys()
        except StorageFailed as failed:
            self._on_unsaved(failed.kind)
            stored = []
        gone = {key for key, text in self._memory.items() if text is None}
        held = {key for key, text in self._memory.items() if text is not None}
        return [key for key in {*stored, *held} - gone if key.startswith(prefix)]

    def watch(self, handler: Callable[[str, str | None], object]) -> None:
        """Hear what other tabs change: ``handler(key, text or None)``."""
        self._store.watch(handler)
