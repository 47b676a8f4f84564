"""Taking up what a reload has cut off: the model's summary for a provisional fold.

A fold that had to be made at once, without a model, is replaced after the answer. Where the page
was closed before that, it is done when the chat is open again and nobody does anything.
"""

from __future__ import annotations

from collections.abc import Callable

from app.state.desk import Desk
from app.state.open_conversation import OpenConversation

QUIET = 15_000  # milliseconds of idleness before it begins, as long as the scanner waits
RECENT = 86_400_000  # milliseconds; for an older fold no call is made that nobody expects any more


class TakingUp:
    """At most once for each conversation of a tab; ``fold`` is what follows an answer."""

    def __init__(self, desk: Desk, fold: Callable[[OpenConversation], None]) -> None:
        self._desk = desk
        self._fold = fold
        self._done: set[str] = set()

    def soon(self) -> None:
        """A conversation has been opened: the shown one."""
        opened = self._desk.shown
        if opened is not None and self._due(opened):
            self._desk.spawn(self._later(opened))

    def _due(self, opened: OpenConversation) -> bool:
        current = self._desk.memory(opened).current
        if current is None or not current.provisional or opened.id in self._done:
            return False
        return self._desk.clock.now() - current.created_at < RECENT

    async def _later(self, opened: OpenConversation) -> None:
        await self._desk.clock.sleep(QUIET)
        idle = not opened.busy and (opened.folding is None or opened.folding.done())
        if opened is self._desk.shown and idle and self._due(opened):
            self._done.add(opened.id)
            self._fold(opened)
