"""Signs of life of tabs, and locks within one tab."""

from __future__ import annotations

import asyncio

from app.state.local_values import LocalValues
from app.state.tab_locks import TabLocks
from app.state.tabs import BEAT, SILENCE, Tabs
from tests.support.fakes import FakeClock, FakeKeyValue, FakeLocks, FakeStorageArea, Reply, settle
from tests.support.tab import Browser


def values(area: FakeStorageArea, clock: FakeClock) -> LocalValues:
    return LocalValues(
        FakeKeyValue(area), clock, on_unsaved=lambda _: None, on_corrupt=lambda _: None
    )


def test_without_locks_a_heartbeat_says_that_a_tab_lives_and_its_silence_that_it_does_not() -> None:
    async def work() -> None:
        area, clock = FakeStorageArea(), FakeClock()
        one = Tabs("one", TabLocks(), values(area, clock), clock)
        two = Tabs("two", TabLocks(), values(area, clock), clock)
        await one.start()
        await two.start()
        assert await one.alive("one")
        assert not await two.alive("one")
        beating = asyncio.create_task(one.beat())
        await settle()
        assert await two.alive("one")
        clock.advance(BEAT)
        await settle()
        assert await two.alive("one")
        beating.cancel()
        clock.advance(SILENCE)
        assert not await two.alive("one")
        await two.start()
        assert area.texts == {}

    asyncio.run(work())


def test_an_answer_that_ends_takes_the_heartbeat_with_it() -> None:
    async def work() -> None:
        area, clock = FakeStorageArea(), FakeClock()
        tabs = Tabs("one", TabLocks(), values(area, clock), clock)
        beating = asyncio.create_task(tabs.beat())
        await settle()
        tabs.rest()
        clock.advance(BEAT)
        await beating
        assert area.texts == {}

    asyncio.run(work())


def test_the_end_of_one_of_two_answers_leaves_the_heartbeat_of_the_other() -> None:
    async def work() -> None:
        browser = Browser(locks=TabLocks())  # type: ignore[arg-type]
        tab = await browser.tab().start()
        gates = asyncio.Event(), asyncio.Event()
        tab.model.then(*(Reply(["one", "two"], gate=gate, gate_after=1) for gate in gates))
        await tab.session.send("first")
        await settle()
        first = tab.id
        await tab.session.new_conversation()
        await tab.session.send("second")
        await settle()
        gates[1].set()
        await tab.session.settled()
        for _ in range(5):
            browser.clock.advance(BEAT)
            await settle()
        other = await browser.tab().start()
        await other.session.open_conversation(first)
        assert [each["status"] for each in other.thread] == ["complete", "streaming"]
        gates[0].set()
        await settle()
        browser.clock.advance(BEAT)
        await settle()
        assert not any(key.startswith("pleat.tab.") for key in browser.area.texts)
        assert not tab.faults

    asyncio.run(work())


def test_with_locks_no_heartbeat_is_written() -> None:
    async def work() -> None:
        area, clock, locks = FakeStorageArea(), FakeClock(), FakeLocks()
        one = Tabs("one", locks, values(area, clock), clock)
        two = Tabs("two", locks, values(area, clock), clock)
        await one.start()
        await one.beat()
        assert area.texts == {}
        assert await two.alive("one")
        assert one.release is not None
        one.release()
        assert not await two.alive("one")

    asyncio.run(work())


def test_a_lock_is_held_by_one_and_passed_on_also_past_one_that_gave_up() -> None:
    async def work() -> None:
        locks = TabLocks()
        first = await locks.acquire("fold")
        assert first is not None
        assert await locks.acquire("fold", wait=False) is None
        gives_up = asyncio.create_task(locks.acquire("fold"))
        waits = asyncio.create_task(locks.acquire("fold"))
        await settle()
        first()
        gives_up.cancel()
        await settle()
        second = await waits
        assert second is not None
        first()  # the release of an earlier holder takes nothing away
        assert await locks.acquire("fold", wait=False) is None
        second()
        assert await locks.acquire("fold", wait=False) is not None
        assert await locks.held("") is None

    asyncio.run(work())
