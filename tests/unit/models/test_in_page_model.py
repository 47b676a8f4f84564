"""The model in the page loads with progress, answers, stops, and prefills while idle."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from types import SimpleNamespace
from typing import Any

import pytest

from app.browser.in_page_model import InPageModel
from app.models.errors import Aborted, ContextOverflow, ModelError, NotLoaded, Server, explain
from app.models.port import WireMessage
from tests.unit.models.network import HI, listen
from tests.unit.run import run

ABORTED = {"error": {"name": "AbortError", "type": "", "message": "stopped"}}
END: dict[str, Any] = {"end": {}}


class ScriptedFeed:
    """Batches of items; after an abort the next pull tells of it. ``...`` waits for that."""

    def __init__(self, *batches: Any) -> None:
        self._batches = list(batches)
        self.aborted = False
        self._wake = asyncio.Event()

    async def next(self) -> str:
        if self._batches and self._batches[0] is ...:
            await self._wake.wait()
        if self.aborted:
            return json.dumps([ABORTED])
        return json.dumps(self._batches.pop(0))

    def abort(self) -> None:
        self.aborted = True
        self._wake.set()


class FakeScript:
    """The JavaScript module, scripted."""

    def __init__(self, *feeds: ScriptedFeed) -> None:
        self.feeds = list(feeds)
        self.calls: list[tuple[str, Any, Any]] = []

    def _next(self, name: str, first: Any, options: str) -> ScriptedFeed:
        self.calls.append((name, first, json.loads(options)))
        return self.feeds.pop(0)

    def load(self, source: Any, options: str) -> ScriptedFeed:
        return self._next("load", source, options)

    def chat(self, messages: str, options: str) -> ScriptedFeed:
        return self._next("chat", json.loads(messages), options)

    def unload(self) -> ScriptedFeed:
        return self._next("unload", None, "{}")


def said(text: str, finish: str | None = None) -> dict[str, Any]:
    return {
        "chunk": {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": finish}]}
    }


def ignore(loaded: int, total: int) -> None:
    """Progress that nobody looks at."""


def loading(*more: Any) -> ScriptedFeed:
    return ScriptedFeed([{"loaded": 1, "total": 4}], [{"loaded": 4, "total": 4}, *more])


LOADED = {"end": {"n_ctx": 2048, "n_ctx_train": 8192}}


def ready(*feeds: ScriptedFeed) -> tuple[InPageModel, FakeScript]:
    script = FakeScript(loading(LOADED), *feeds)
    model = InPageModel(script)
    run(model.load(ignore))
    return model, script


def test_loading_tells_its_progress_in_bytes_and_makes_it_ready() -> None:
    seen: list[tuple[int, int]] = []
    model = InPageModel(FakeScript(loading(LOADED)))
    assert not model.ready
    run(model.load(lambda loaded, total: seen.append((loaded, total))))
    assert seen == [(1, 4), (4, 4)]
    assert model.ready
    assert model.context_size == 2048
    assert model.weak


def test_a_model_that_is_not_loaded_says_so() -> None:
    heard = run(listen(InPageModel(FakeScript()).stream(HI)))
    assert isinstance(heard.error, NotLoaded)
    assert "Load it" in explain(heard.error)


def test_a_failed_load_leaves_it_unloaded() -> None:
    broken = {"error": {"name": "Error", "type": "load_error", "message": "out of memory"}}
    model = InPageModel(FakeScript(loading(broken)))
    with pytest.raises(Server, match="out of memory"):
        run(model.load(ignore))
    assert not model.ready


def test_loading_can_be_aborted() -> None:
    async def load_and_abort() -> None:
        model = InPageModel(FakeScript(ScriptedFeed([{"loaded": 1, "total": 4}], ...)))
        with pytest.raises(Aborted):
            await model.load(lambda *_: model.abort_load())
        assert not model.ready

    run(load_and_abort())


def test_a_picked_file_gives_its_name_and_a_huge_one_is_refused() -> None:
    script = FakeScript(loading(LOADED))
    model = InPageModel(script)
    file = SimpleNamespace(name="tiny.gguf", size=5)
    run(model.load_file(file, ignore))
    assert model.name == "tiny"
    assert script.calls[0][1] is file
    with pytest.raises(Server, match="2 GB"):
        run(model.load_file(SimpleNamespace(name="x.gguf", size=3e9), ignore))


def test_an_answer_streams_with_a_system_message_and_a_bounded_length() -> None:
    usage = {"chunk": {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}}
    model, script = ready(ScriptedFeed([said("Hel")], [said("lo"), said("", "stop")], [usage, END]))
    heard = run(listen(model.stream(HI, max_tokens=None, temperature=0.0)))
    assert heard.text == "Hello"
    assert heard.last.finish == "stop"
    assert heard.last.usage is not None
    assert heard.last.usage.prompt_tokens == 9
    _, messages, options = script.calls[-1]
    assert [m["role"] for m in messages] == ["system", "user"]
    sampling = {"temperature": 0.0, "top_p": 0.9, "repeat_penalty": 1.05}
    assert options == {**sampling, "max_tokens": 256}


def test_an_own_system_message_stays_the_only_one() -> None:
    model, script = ready(ScriptedFeed([said("x", "stop"), END]))
    messages = [WireMessage("system", "Be brief."), *HI]
    run(listen(model.stream(messages, max_tokens=99_999)))
    assert [m["content"] for m in script.calls[-1][1]] == ["Be brief.", "Hi"]
    assert script.calls[-1][2]["max_tokens"] == 384


def test_an_overflow_is_typed_with_its_sizes() -> None:
    message = "request (6031 tokens) exceeds the available context size (2048 tokens), try"
    error = {"error": {"name": "Error", "type": "inference_error", "message": message}}
    model, _ = ready(ScriptedFeed([error]))
    heard = run(listen(model.stream(HI)))
    assert isinstance(heard.error, ContextOverflow)
    assert (heard.error.limit, heard.error.prompt) == (2048, 6031)


def test_closing_an_answer_aborts_it() -> None:
    feed = ScriptedFeed([said("Hel")], ...)
    model, _ = ready(feed)

    async def first_only() -> None:
        async with aclosing(model.stream(HI)) as deltas:
            async for _ in deltas:
                return

    run(first_only())
    assert feed.aborted


def test_a_prefill_reads_the_prefix_and_an_answer_stops_it() -> None:
    model, script = ready(
        ScriptedFeed([said("x", "length"), END]),
        ScriptedFeed(...),
        ScriptedFeed([said("Hi", "stop"), END]),
    )

    async def both() -> tuple[bool, str]:
        assert await model.prefill(HI)
        assert script.calls[-1][2] == {"max_tokens": 1}
        waiting = asyncio.ensure_future(model.prefill(HI))
        await asyncio.sleep(0)
        heard = await listen(model.stream(HI))
        return await waiting, heard.text

    assert run(both()) == (False, "Hi")


def test_no_prefill_without_a_model_and_after_unloading() -> None:
    assert run(InPageModel(FakeScript()).prefill(HI)) is False
    model, _ = ready(ScriptedFeed([END]))
    run(model.unload())
    assert not model.ready
    assert isinstance(run(listen(model.stream(HI))).error, ModelError)
