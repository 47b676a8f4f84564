"""Run a coroutine to its end from a plain test, on CPython and inside Pyodide.

On CPython this is ``asyncio.run``. Inside Pyodide the page's loop is running and a plain test
cannot wait for it: there ``StepLoop`` runs the coroutine, deterministically, in virtual time.
"""

from __future__ import annotations

import asyncio
import contextvars
import heapq
import itertools
import sys
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

MAX_STEPS = 1_000_000


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """The coroutine's result. Its exceptions pass through."""
    if asyncio._get_running_loop() is None and sys.platform != "emscripten":
        return asyncio.run(coroutine)
    return step_through(coroutine)


def step_through(coroutine: Coroutine[Any, Any, T], max_steps: int = MAX_STEPS) -> T:
    """Run on a ``StepLoop``, also while another loop is running.

    Raises ``RuntimeError`` when the coroutine waits for something that nobody will finish.
    """
    outer = asyncio._get_running_loop()
    swap = getattr(asyncio.tasks, "_swap_current_task", None) if outer else None
    outer_task = swap(outer, None) if swap else None
    loop = StepLoop()
    asyncio._set_running_loop(loop)
    try:
        return loop.run(coroutine, max_steps)
    finally:
        asyncio._set_running_loop(outer)
        if swap:
            swap(outer, outer_task)


class StepLoop(asyncio.AbstractEventLoop):
    """A loop without threads, sockets or real time: timers fire at once, in order."""

    def __init__(self) -> None:
        self._ready: list[asyncio.Handle] = []
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._order = itertools.count()
        self._now = 0.0
        self._generators: list[Any] = []

    def run(self, coroutine: Coroutine[Any, Any, T], max_steps: int) -> T:
        """The coroutine's result; what it left behind is cancelled."""
        task = self.create_task(coroutine)
        try:
            for _ in range(max_steps):
                if task.done():
                    return task.result()
                self._step(task)
            raise RuntimeError(f"the coroutine is not done after {max_steps} steps")
        finally:
            self._cancel_all()

    def _step(self, waited_for: object) -> None:
        if not self._ready:
            if not self._timers:
                raise RuntimeError(f"{waited_for!r} waits for something that nobody will finish")
            self._now, _, timer = heapq.heappop(self._timers)
            self._ready.append(timer)
        ready, self._ready = self._ready, []
        for handle in ready:
            if not handle.cancelled():
                handle._run()

    def _cancel_all(self) -> None:
        for _ in range(100):
            left = asyncio.all_tasks(self)
            if not left:
                return
            for task in left:
                task.cancel()
            for _ in range(20):
                if self._ready:
                    self._step(self)

    def time(self) -> float:
        """Virtual seconds."""
        return self._now

    def call_soon(
        self,
        callback: Callable[..., object],
        *args: Any,
        context: contextvars.Context | None = None,
    ) -> asyncio.Handle:
        """Run the callback in the next step."""
        handle = asyncio.Handle(callback, args, self, context)
        self._ready.append(handle)
        return handle

    def call_later(
        self,
        delay: float,
        callback: Callable[..., object],
        *args: Any,
        context: contextvars.Context | None = None,
    ) -> asyncio.TimerHandle:
        """Run the callback when nothing else is left to do and its time is next."""
        return self.call_at(self._now + delay, callback, *args, context=context)

    def call_at(
        self,
        when: float,
        callback: Callable[..., object],
        *args: Any,
        context: contextvars.Context | None = None,
    ) -> asyncio.TimerHandle:
        """See ``call_later``."""
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        heapq.heappush(self._timers, (when, next(self._order), handle))
        return handle

    def create_future(self) -> asyncio.Future[Any]:
        """A future of this loop."""
        return asyncio.Future(loop=self)

    def create_task(self, coro: Any, **options: Any) -> asyncio.Task[Any]:
        """A task of this loop."""
        return asyncio.Task(coro, loop=self, **options)

    def get_debug(self) -> bool:
        """Never in debug mode."""
        return False

    def is_running(self) -> bool:
        """It exists only while it runs."""
        return True

    def is_closed(self) -> bool:
        """It is never closed."""
        return False

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """An exception that nobody took is no silent matter."""
        raise RuntimeError(str(context.get("message"))) from context.get("exception")

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """Cancelled timers are skipped when their time comes."""
