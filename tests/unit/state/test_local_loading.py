"""The model inside the page stays loaded: brought back after a reload, not loaded without need."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.fakes import settle
from tests.support.tab import FakeLocalModel, Tab


class Capped(FakeLocalModel):
    """A model that can hold ``cap`` tokens and no more, whatever it is asked for."""

    cap = 100_000

    async def _load(
        self, name: str, progress: Callable[[int, int], None], context_size: int
    ) -> None:
        await super()._load(name, progress, context_size)
        self.context_size = min(context_size, self.cap)


async def test_a_model_is_brought_back_after_a_reload_without_being_chosen() -> None:
    local = Capped()
    tab = await Tab(local=local).start()
    endpoint = {"id": "e", "name": "E", "base_url": "http://localhost:1/v1", "kind": "openai"}
    await tab.session.update_settings(
        {"endpoints": [endpoint], "chat_endpoint": "e", "chat_model": "big"}
    )
    await tab.session.load_local_model(False)
    assert local.loads == [("small", 2048)]
    assert tab.state.local_model.get()["state"] == "ready"
    settings = tab.state.settings.get()
    assert (settings["chat_endpoint"], settings["chat_model"]) == ("e", "big")
    await tab.session.load_local_model(False)  # there already
    assert len(local.loads) == 1


async def test_a_model_that_holds_less_than_it_was_asked_to_is_not_loaded_again_and_again() -> None:
    local = Capped()
    local.cap = 2000
    tab = await Tab(local=local).start()
    await tab.session.load_local_model()
    assert local.context_size == 2000
    await tab.session.update_settings({"temperature": 0.5})
    await settle()
    assert local.loads == [("small", 2048)]
    await tab.session.update_settings({"context_size": 4096})  # more than it was ever asked for
    await settle()
    assert local.loads == [("small", 2048), ("small", 4096)]
