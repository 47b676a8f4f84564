"""Loading the model that runs inside the page: one load at a time, shown while it lasts.

A question that is sent meanwhile waits for it; one that is sent after a reload starts it again,
because the person has chosen the model and the browser has kept it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from app.models.errors import ModelError
from app.state.desk import Desk
from app.state.ports import LocalModel
from app.state.settings import IN_PAGE

Told = Callable[[int, int], None]  # bytes, of bytes


class LocalLoading:
    """See the module."""

    def __init__(self, desk: Desk, local: LocalModel) -> None:
        self._desk = desk
        self._local = local
        self._task: asyncio.Task[None] | None = None
        self._error: ModelError | None = None
        self._from_file = False
        self._asked = 0  # tokens of context that the loaded one was asked to hold
        self._waiting: list[Told] = []

    @property
    def running(self) -> bool:
        """Whether a model is being loaded."""
        return self._task is not None and not self._task.done()

    async def load(self, *, from_file: bool = False) -> bool:
        """Load the page's own model, or the file that was picked; whether it is ready.

        Whoever is cancelled here only waits no longer: the load goes on.
        """
        if self._task is None or self._task.done():
            self._from_file = from_file
            self._task = self._desk.spawn(self._load())
        await asyncio.wait([self._task])
        return self._error is None

    async def fit(self) -> None:
        """Load again when the settings now ask for more context than the model was loaded with."""
        settings, local = self._desk.settings, self._local
        if local.ready is None or self.running or settings.chat_endpoint != IN_PAGE:
            return
        if settings.context_size() > max(local.context_size, self._asked):
            await self.load(from_file=self._from_file)

    async def wait(self, told: Told) -> None:
        """Before an answer: wait for the chosen model. Raises ``ModelError`` when it fails.

        ``told`` hears (bytes, of bytes). Returns at once where there is nothing to wait for.
        """
        settings, local = self._desk.settings, self._local
        if settings.chat_endpoint != IN_PAGE or (local.ready is not None and not self.running):
            return
        if not self.running and (not local.bundled or settings.chat_model != local.bundled):
            return  # not chosen yet, or a file that is gone: the answer will say so
        self._waiting.append(told)
        told(0, 0)
        try:
            await self.load()
        finally:
            self._waiting.remove(told)
        if self._error is not None:
            raise self._error

    async def _load(self) -> None:
        local = self._local
        name = local.picked if self._from_file else local.bundled
        context = self._desk.settings.context_size(IN_PAGE, name)
        load = local.load_picked if self._from_file else local.load
        self._error, self._asked = None, context
        self.publish("loading")
        try:
            await load(self._progress, context)
        except ModelError as error:
            self._error = error
            self.publish("failed", error=str(error))
        else:
            self.publish("ready")

    def _progress(self, loaded: int, total: int) -> None:
        self.publish("loading", loaded, total)
        for told in self._waiting:
            told(loaded, total)

    def publish(self, state: str, loaded: int = 0, total: int = 0, error: str = "") -> None:
        """Draw the state of the model."""
        local = self._local
        picked = self._from_file and state != "absent"
        self._desk.state.local_model.publish(
            {
                "state": state if local.bundled or picked else "failed",
                "name": local.picked if picked else local.bundled,
                "bytes": local.size,
                "loaded": loaded,
                "total": total,
                "error": error,
                "from_file": picked,
                "bundled": local.bundled,
            }
        )
