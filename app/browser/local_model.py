"""The in-page model as the session's ``LocalModel`` port."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from app.browser.in_page_model import BYTES, NAME, InPageModel, file_name
from app.models.errors import NotLoaded
from app.models.port import ChatModel, WireMessage


class PageModel:
    """A ``LocalModel`` over ``InPageModel``. ``files``: the module ``picked_file.js``."""

    def __init__(self, model: InPageModel, files: Any) -> None:
        self._model = model
        self._files = files
        self._size = BYTES

    @property
    def bundled(self) -> str:
        """The name of the page's own."""
        return NAME

    @property
    def picked(self) -> str:
        """The name of the file that was picked last."""
        file = self._files.picked()
        return file_name(file) if file else ""

    @property
    def name(self) -> str:
        """The loaded model's name."""
        return self._model.name

    @property
    def size(self) -> int:
        """What is loaded or to be fetched, in bytes."""
        return self._size

    @property
    def context_size(self) -> int:
        """How many tokens the loaded one can hold."""
        return self._model.context_size

    @property
    def ready(self) -> ChatModel | None:
        """The model, once it is loaded."""
        return self._model if self._model.ready else None

    async def load(self, progress: Callable[[int, int], None], context_size: int) -> None:
        """Load the page's own, telling (bytes, of bytes). Raises ``ModelError``."""
        self._size = BYTES
        await self._model.load(progress, context_size=context_size)

    async def load_picked(self, progress: Callable[[int, int], None], context_size: int) -> None:
        """Load the file that was picked last. Raises ``ModelError``."""
        file = self._files.picked()
        if not file:  # null is no None over the bridge
            raise NotLoaded()
        self._size = int(file.size)
        await self._model.load_file(file, progress, context_size=context_size)

    async def prefill(self, messages: Sequence[WireMessage]) -> bool:
        """Read ahead; cancelling stops it."""
        try:
            return await self._model.prefill(messages)
        finally:
            self._model.abort_prefill()
