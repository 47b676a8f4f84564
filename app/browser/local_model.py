"""The in-page model as the session's ``LocalModel`` port."""

from __future__ import annotations

from collections.abc import Callable

from app.browser.in_page_model import BYTES, InPageModel
from app.models.port import ChatModel


class PageModel:
    """A ``LocalModel`` over ``InPageModel``."""

    def __init__(self, model: InPageModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    @property
    def size(self) -> int:
        """What is to be fetched, in bytes."""
        return BYTES

    @property
    def ready(self) -> ChatModel | None:
        """The model, once it is loaded."""
        return self._model if self._model.ready else None

    async def load(self, progress: Callable[[int, int], None]) -> None:
        """Load it, telling (bytes, of bytes). Raises ``ModelError``."""
        await self._model.load(progress)
