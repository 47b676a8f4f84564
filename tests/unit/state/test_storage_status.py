"""What the page says about storage, and that it takes it back when it is so no longer."""

from __future__ import annotations

import asyncio

from app.state.app_state import AppState
from app.state.local_values import LocalValues
from app.state.storage_status import CORRUPT, NEWER, TEXTS, StorageStatus
from tests.support.fakes import FakeClock, FakeKeyValue
from tests.support.tab import Tab


def test_what_is_not_saved_is_said_once_with_an_export_and_withdrawn_when_it_is() -> None:
    state = AppState()
    status = StorageStatus(state)
    raw = FakeKeyValue()
    values = LocalValues(
        raw,
        FakeClock(),
        on_unsaved=status.values_unsaved,
        on_corrupt=status.corrupt,
        on_saved=status.values_saved,
    )
    raw.quota = 0
    values.set_text("pleat.a", "1")
    values.set_text("pleat.b", "2")
    assert state.storage.get() == {"saved": False, "text": TEXTS["quota"]}
    assert [n["text"] for n in state.notices.get()] == [TEXTS["quota"]]
    assert state.notices.get()[0]["action"]["intent"] == "export_all"
    status.records_saved(False, "quota")
    raw.quota = None
    values.set_text("pleat.c", "3")
    assert raw.area.texts == {"pleat.a": "1", "pleat.b": "2", "pleat.c": "3"}
    assert not state.storage.get()["saved"]
    status.records_saved(True, "")
    assert state.storage.get() == {"saved": True, "text": ""}
    assert state.notices.get() == []


def test_data_that_was_set_aside_is_said_once_even_after_it_was_dismissed() -> None:
    state = AppState()
    status = StorageStatus(state)
    status.corrupt("pleat.settings")
    state.notify.dismiss(state.notices.get()[0]["id"])
    status.unread("corrupt")
    status.unread("newer")
    assert [n["text"] for n in state.notices.get()] == [NEWER]
    assert CORRUPT not in [n["text"] for n in state.notices.get()]


def test_notices_are_bounded_and_not_repeated_while_they_show() -> None:
    state = AppState()
    for number in range(20):
        state.notify.say(f"notice {number}")
        state.notify.say(f"notice {number}")
    texts = [n["text"] for n in state.notices.get()]
    assert texts == [f"notice {n}" for n in range(12, 20)]


def test_dismissing_a_notice_by_the_session_takes_it_away() -> None:
    async def work() -> None:
        tab = await Tab().start()
        tab.state.notify.say("Something")
        await tab.session.dismiss_notice(tab.state.notices.get()[0]["id"])
        await tab.session.dismiss_notice("none")
        assert tab.notices == []
        await tab.session.retry_storage()
        assert tab.values.all_saved

    asyncio.run(work())
