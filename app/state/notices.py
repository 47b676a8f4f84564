"""What the page must say outside the thread: once, in plain words, until it is dismissed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.state.pubsub import Topic

MAX_NOTICES = 8


class Notices:
    """The ``notices`` topic and how it is written."""

    def __init__(self, on_error: Callable[[Exception], None] | None = None) -> None:
        self.topic: Topic[list[dict[str, Any]]] = Topic([], on_error)
        self._count = 0
        self._said: set[str] = set()

    def say(
        self,
        text: str,
        level: str = "info",
        *,
        once: bool = False,
        action: dict[str, str] | None = None,
    ) -> None:
        """Show a notice. One that is on the page already is not repeated; ``once``: ever."""
        if once and text in self._said:
            return
        self._said.add(text)
        shown = self.topic.get()
        if any(each["text"] == text for each in shown):
            return
        self._count += 1
        notice = {"id": f"notice{self._count}", "level": level, "text": text, "action": action}
        self.topic.publish([*shown, notice][-MAX_NOTICES:])

    def dismiss(self, id: str) -> None:
        """Take a notice away."""
        shown = self.topic.get()
        kept = [each for each in shown if each["id"] != id]
        if len(kept) != len(shown):
            self.topic.publish(kept)

    def withdraw(self, text: str) -> None:
        """Take away the notice with that text: what it said is no longer so."""
        self.topic.publish([each for each in self.topic.get() if each["text"] != text])
        self._said.discard(text)
