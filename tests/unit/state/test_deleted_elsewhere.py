"""A chat that another tab deletes: the page is told for which chat the next one came."""

from __future__ import annotations

from tests.support.fakes import settle
from tests.support.tab import Browser


async def test_the_next_chat_is_known_to_stand_for_the_one_that_was_deleted_elsewhere() -> None:
    browser = Browser()
    one = await browser.tab().start()
    await one.ask("First chat")
    first = one.state.thread.get()["conversation_id"]
    await one.session.new_conversation()
    await one.ask("Second chat")
    second = one.state.thread.get()["conversation_id"]
    assert one.state.thread.get()["instead_of"] is None
    two = await browser.tab().start()
    await two.session.delete_conversation(second)
    await settle()
    assert one.state.thread.get()["conversation_id"] == first
    assert one.state.thread.get()["instead_of"] == second
    assert two.state.thread.get()["instead_of"] is None  # deleted here, on purpose
    await one.session.new_conversation()
    assert one.state.thread.get()["instead_of"] is None
    await one.session.open_conversation(first)
    await two.session.delete_conversation(first)
    await settle()
    assert one.state.thread.get()["instead_of"] == first
