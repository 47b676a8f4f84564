"""Fixtures of the end-to-end tests: a scripted server of the test's own, and a page that uses it.

Each test boots its own page in the session's warm context with emptied storage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext

from tests.browser.e2e.chat import Chat
from tests.browser.scripted_server import MODEL, ScriptedServer

HTTP_ERRORS = "Failed to load resource"  # the browser's own word about each refused request


@pytest.fixture
def server(watch: Any) -> Iterator[ScriptedServer]:
    """An endpoint that does what the test says."""
    with ScriptedServer() as scripted:
        watch.allow_host(scripted.origin)
        yield scripted


def settings_for(base_url: str, *, model: str = MODEL, context: int = 1024, **more: Any) -> Any:
    """The stored settings of a page that talks to this endpoint."""
    return {
        "schema": 1,
        "endpoints": [{"id": "e2e", "name": "Scripted", "base_url": base_url, "kind": "openai"}],
        "chat_endpoint": "e2e",
        "chat_model": model,
        "context_sizes": {"e2e": {model: context}},
        **more,
    }


@pytest.fixture
def open_chat(
    open_app: Callable[..., Any], server: ScriptedServer
) -> Iterator[Callable[..., Chat]]:
    """Boots a page that is connected to the scripted server; keywords are settings.

    The pages close before the server does: what they still ask it for is no error of theirs.

    ``context``: of the model, in tokens; ``key``: the endpoint's; ``where``: a browser context
    (default: the warm one, emptied); ``storage``: further localStorage.
    """

    opened: list[Chat] = []

    def open_one(
        *,
        where: BrowserContext | None = None,
        key: str = "",
        storage: dict[str, Any] | None = None,
        context: int = 1024,
        **settings: Any,
    ) -> Chat:
        stored: dict[str, Any] = {
            "pleat.settings": settings_for(server.base_url, context=context, **settings)
        }
        if key:
            stored["pleat.secrets"] = {"e2e": key}
        chat = Chat(open_app(context=where, storage={**stored, **(storage or {})}))
        opened.append(chat)
        return chat

    yield open_one
    for chat in opened:
        chat.page.close()


@pytest.fixture
def chat(open_chat: Callable[..., Chat]) -> Chat:
    """A page connected to the scripted server, context 1024, everything else as it comes."""
    return open_chat()
