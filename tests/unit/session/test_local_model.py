"""The model inside the page: loaded by hand, waited for, reloaded, from a file, read ahead."""

from __future__ import annotations

import asyncio

from app.models.errors import Server
from tests.support.fakes import settle
from tests.support.tab import Browser, FakeLocalModel, Tab
from tests.unit.session.running import folded, run


async def with_local(browser: Browser | None = None) -> tuple[Tab, FakeLocalModel]:
    local = FakeLocalModel()
    return await (browser or Browser()).tab(local=local).start(), local


def test_a_question_sent_while_the_model_loads_waits_for_it() -> None:
    async def work() -> None:
        tab, local = await with_local()
        local.gate = asyncio.Event()
        loading = asyncio.ensure_future(tab.session.load_local_model())
        await settle()
        await tab.session.send("Early")
        await settle()
        busy = tab.state.busy.get()
        assert (busy["state"], busy["done"], busy["total"]) == ("loading", 0, 0)
        assert tab.texts == ["Early"]
        local.gate.set()
        await loading
        await tab.session.settled()
        assert tab.texts == ["Early", "Fine."]
        assert local.loads == [("small", 2048)]
        assert tab.state.settings.get()["chat_model"] == "small"

    run(work())


def test_after_a_reload_a_question_loads_the_chosen_model_again() -> None:
    async def work() -> None:
        browser = Browser()
        tab, _ = await with_local(browser)
        await tab.session.load_local_model()
        again, local = await with_local(browser)
        local.gate = asyncio.Event()
        await again.session.send("Hello")
        await settle()
        busy = again.state.busy.get()
        assert (busy["state"], busy["done"], busy["total"]) == ("loading", 49, 98)
        local.gate.set()
        await again.session.settled()
        assert again.texts == ["Hello", "Fine."]
        assert again.state.local_model.get()["state"] == "ready"

    run(work())


def test_stop_ends_the_wait_and_not_the_load() -> None:
    async def work() -> None:
        tab, local = await with_local()
        local.gate = asyncio.Event()
        loading = asyncio.ensure_future(tab.session.load_local_model())
        await settle()
        await tab.session.send("Early")
        await settle()
        await tab.session.stop()
        assert tab.idle
        assert tab.thread[-1]["status"] == "stopped"
        local.gate.set()
        await loading
        assert tab.state.local_model.get()["state"] == "ready"
        assert local.loads == [("small", 2048)]

    run(work())


def test_a_load_that_fails_is_the_answers_error_and_retry_loads_again() -> None:
    async def work() -> None:
        tab, local = await with_local()
        await tab.session.update_settings({"chat_model": "small"})
        local.fails = Server("Not enough memory.")
        await tab.ask("Hello")
        assert "Not enough memory" in tab.thread[-1]["error"]
        assert tab.state.local_model.get()["state"] == "failed"
        local.fails = None
        await tab.session.retry(tab.thread[-1]["id"])
        await tab.session.settled()
        assert tab.texts == ["Hello", "Fine."]

    run(work())


def test_a_model_that_nobody_chose_is_never_loaded() -> None:
    async def work() -> None:
        tab, local = await with_local()
        await tab.ask("Hello")
        assert local.loads == []
        tab.models.model = None
        await tab.session.update_settings({"chat_model": "gone.q8"})
        await tab.ask("Again")
        assert local.loads == []

    run(work())


def test_a_file_is_opened_by_its_name_and_with_its_own_context_size() -> None:
    async def work() -> None:
        tab, local = await with_local()
        await tab.session.open_model_file()  # nothing was picked
        assert local.loads == []
        local.picked = "other-1b"
        await tab.session.open_model_file()
        shown = tab.state.local_model.get()
        assert (shown["state"], shown["name"], shown["from_file"]) == ("ready", "other-1b", True)
        assert tab.state.settings.get()["chat_model"] == "other-1b"
        await tab.session.update_settings({"context_size": 8192})
        await settle()
        assert local.loads == [("other-1b", 2048), ("other-1b", 8192)]
        await tab.session.update_settings({"context_size": 4096})  # fits what is loaded
        await settle()
        assert len(local.loads) == 2

    run(work())


def test_after_a_fold_the_next_requests_beginning_is_read_while_idle() -> None:
    async def work() -> None:
        tab = await Tab().start()
        tab.models.ahead = ahead = []
        await folded(tab)
        assert tab.state.memory.get()["folds"]
        assert ahead == []  # not at once: the next question may come
        tab.clock.advance(300)
        await settle()
        assert len(ahead) == 1
        await tab.ask("And now?")
        sent = tab.model.calls[-1].messages
        assert sent[: len(ahead[0])] == ahead[0]

    run(work())


def test_after_every_answer_the_last_question_is_read_without_its_passages() -> None:
    async def work() -> None:
        tab = await Tab().start()
        tab.models.ahead = ahead = []
        await folded(tab)
        for number in range(3):
            await tab.ask(f"And then, number {number}?")
            tab.clock.advance(300)
            await settle()
        assert "And then, number 2?" in ahead[-1][-2].content
        assert ahead[-1][-1].role == "assistant"
        await tab.ask("And at last?")
        sent = tab.model.calls[-1].messages
        assert sent[: len(ahead[-1])] == ahead[-1]

    run(work())


def test_a_question_stops_the_reading_ahead() -> None:
    async def work() -> None:
        tab = await Tab().start()
        tab.models.ahead = ahead = []
        await tab.ask("First")  # the first answer: reading ahead is due
        gate = asyncio.Event()
        stopped = False

        async def endless(messages: object) -> None:
            nonlocal stopped
            try:
                await gate.wait()
            except asyncio.CancelledError:
                stopped = True
                raise

        tab.models.read_ahead = endless  # type: ignore[method-assign]
        tab.clock.advance(300)
        await settle()
        await tab.ask("Second")
        assert stopped
        assert ahead == []
        assert tab.texts[-1] == "Fine."

    run(work())
