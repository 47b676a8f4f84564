"""Publish, subscribe, get: the one way in which the page learns that something changed.

A topic holds a value. Handlers are told (new, previous), one value at a time, in the order of
publishing, also when a handler publishes. A handler that raises does not stop the others.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Topic(Generic[T]):
    """A value that can be watched.

    ``on_error`` is told of each exception that a handler raises; without one they are dropped,
    because a publisher (which may be in the middle of saving) is never the one to handle them.
    """

    def __init__(self, value: T, on_error: Callable[[Exception], None] | None = None) -> None:
        self._value = value
        self._on_error = on_error
        self._handlers: dict[int, Callable[[T, T], object]] = {}
        self._next_key = 0
        self._waiting: deque[tuple[T, T]] = deque()
        self._delivering = False

    def get(self) -> T:
        """The newest published value (also while older ones are still being delivered)."""
        return self._value

    def subscribe(self, handler: Callable[[T, T], object]) -> Callable[[], None]:
        """Call ``handler(new, previous)`` at each publish from now on.

        Returns the function that ends it; calling that twice is harmless. The same handler may
        be subscribed twice and is then called twice.
        """
        key = self._next_key
        self._next_key += 1
        self._handlers[key] = handler

        def unsubscribe() -> None:
            self._handlers.pop(key, None)

        return unsubscribe

    def publish(self, value: T) -> None:
        """Set the value and tell the handlers that are subscribed when it is delivered.

        A publish from inside a handler is queued: every handler hears the current value first,
        then the new one. A handler that was unsubscribed meanwhile hears nothing more.
        """
        self._waiting.append((value, self._value))
        self._value = value
        if self._delivering:
            return
        self._delivering = True
        try:
            while self._waiting:
                new, previous = self._waiting.popleft()
                for key in list(self._handlers):
                    self._tell(key, new, previous)
        finally:
            self._delivering = False

    def _tell(self, key: int, new: T, previous: T) -> None:
        handler = self._handlers.get(key)
        if handler is None:
            return
        try:
            handler(new, previous)
        except Exception as error:
            if self._on_error is not None:
                self._on_error(error)
