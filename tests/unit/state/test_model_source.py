"""The models that the settings name: found, or plainly said why not."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from app.models.errors import ModelError, Unreachable
from app.models.transport import Response
from app.models.usage import CallLog
from app.state.model_source import SettingsModels
from app.state.ports import LocalModel
from app.state.settings import Settings
from app.state.settings_input import patched
from tests.support.tab import FakeLocalModel


class NoNetwork:
    """A transport that reaches nothing."""

    def __init__(self) -> None:
        self.headers: list[Mapping[str, str]] = []

    async def request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None
    ) -> Response:
        self.headers.append(headers)
        raise Unreachable


def models(settings: Settings, local: LocalModel | None = None, **more: object) -> SettingsModels:
    log = CallLog(lambda _: None, lambda: "id", lambda: 0, lambda: 0.0)
    return SettingsModels(
        settings=lambda: settings,
        key=lambda _: "sk-key-000",
        transport=NoNetwork(),
        log=log,
        local=local,
        **more,  # type: ignore[arg-type]
    )


ENDPOINT = {"endpoints": [{"id": "e", "base_url": "http://h.test/v1"}], "chat_endpoint": "e"}
CHOSEN, _ = patched(Settings(), {**ENDPOINT, "chat_model": "big", "context_size": 8192})
NO_MODEL, _ = patched(Settings(), ENDPOINT)


def test_the_in_page_model_must_be_loaded_first_and_writes_no_summaries() -> None:
    local = FakeLocalModel()
    source = models(Settings(), local)
    with pytest.raises(ModelError, match="loaded"):
        source.chat("c")
    assert source.roles().chat is None
    assert not asyncio.run(source.test_connection("in-page")).ok
    asyncio.run(local.load(lambda *_: None, 2048))
    assert source.chat("c").name == "small"
    assert source.roles().summariser is None
    assert asyncio.run(source.test_connection("in-page")).ok
    assert [m.id for m in asyncio.run(source.list_models("in-page"))] == ["small"]


def test_an_endpoint_without_a_model_says_to_choose_one() -> None:
    with pytest.raises(ModelError) as caught:
        models(NO_MODEL).chat("c")
    assert str(caught.value) == "Choose a model in Settings."
    assert caught.value.kind == "not_chosen"


def test_who_summarises_follows_the_settings() -> None:
    assert models(CHOSEN).roles().utility_for() is not None
    assert models(CHOSEN).roles().utility_context() == 8192
    none, _ = patched(CHOSEN, {"utility": "none"})
    assert models(none).roles().utility_for() is None
    assert models(none).roles().chat is not None
    other, _ = patched(
        CHOSEN, {"utility": "other", "utility_endpoint": "e", "utility_model": "little"}
    )
    summariser = models(other).roles().utility_for()
    assert summariser is not None
    assert summariser.name == "little"


def test_an_address_that_the_page_may_not_reach_yet_asks_for_a_reload() -> None:
    source = models(CHOSEN, may_connect=lambda _: False)
    with pytest.raises(ModelError, match="reload"):
        source.chat("c")
    result = asyncio.run(source.test_connection("e"))
    assert not result.ok
    assert "reload" in result.text


def test_a_failed_connection_is_told_without_the_key() -> None:
    result = asyncio.run(models(CHOSEN).test_connection("e"))
    assert not result.ok
    assert "reached" in result.text
    assert "sk-key" not in result.text
    gone = asyncio.run(models(CHOSEN).test_connection("nowhere"))
    assert not gone.ok
