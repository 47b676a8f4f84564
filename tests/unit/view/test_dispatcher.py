"""The one door from the page to the session: listed intents only, and it never raises."""

from __future__ import annotations

import json
from typing import Any

from app.state.fields import Refused
from app.view.intents import INTENTS, Dispatcher


class FakeSession:
    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.secret = "not callable"

    async def send(self, text: str) -> None:
        self.calls.append(("send", text))

    def draft(self) -> str:
        return "half a thought"

    async def edit(self, message_id: str, text: str) -> None:
        raise ValueError("This message is gone.")

    async def rebuild(self) -> None:
        raise KeyError

    async def continue_answer(self, message_id: str) -> None:
        raise Refused("An answer is on its way.")

    def set_draft(self, text: str) -> None:
        raise Refused("That is too long.")

    def close_everything(self) -> None:
        self.calls.append(("close_everything",))


def dispatcher() -> tuple[Dispatcher, FakeSession, list[BaseException]]:
    session, told = FakeSession(), list[BaseException]()
    return Dispatcher(session, told.append), session, told


async def ask(door: Dispatcher, intent: str, *args: Any) -> dict[str, Any]:
    return json.loads(await door(json.dumps({"intent": intent, "args": args})))


async def test_an_intent_is_called_with_its_arguments() -> None:
    door, session, told = dispatcher()
    assert await ask(door, "send", "hello") == {"ok": True, "result": None}
    assert session.calls == [("send", "hello")]
    assert await ask(door, "draft") == {"ok": True, "result": "half a thought"}
    assert told == []


async def test_what_is_not_an_intent_is_not_called() -> None:
    door, session, _ = dispatcher()
    for name in ("close_everything", "__init__", "secret", "calls", "stop"):
        assert (await ask(door, name))["ok"] is False
    assert session.calls == []


async def test_an_exception_comes_back_in_words_and_is_reported() -> None:
    door, _, told = dispatcher()
    assert await ask(door, "edit", "m", "x") == {"ok": False, "error": "This message is gone."}
    assert (await ask(door, "rebuild"))["error"] == "KeyError"
    assert [type(error) for error in told] == [ValueError, KeyError]


async def test_what_is_refused_is_said_and_is_no_fault() -> None:
    door, _, told = dispatcher()
    refused = {"ok": False, "error": "An answer is on its way."}
    assert await ask(door, "continue_answer", "m") == refused
    at_once = json.loads(door.now(json.dumps({"intent": "set_draft", "args": ["x"]})))
    assert at_once == {"ok": False, "error": "That is too long."}
    assert told == []


def test_what_waits_for_nothing_is_done_before_the_page_is_gone() -> None:
    door, session, _ = dispatcher()
    assert json.loads(door.now(json.dumps({"intent": "draft"})))["result"] == "half a thought"
    assert json.loads(door.now(json.dumps({"intent": "send", "args": ["late"]})))["ok"] is False
    assert json.loads(door.now("{"))["ok"] is False
    assert session.calls == []


async def test_text_that_is_no_request_is_answered_too() -> None:
    door, _, told = dispatcher()
    for text in ("", "[]", "{}", '{"intent": 3}', '{"intent": "send", "args": 7}', "{"):
        assert json.loads(await door(text))["ok"] is False
    assert told


def test_every_intent_of_the_page_exists_in_the_session() -> None:
    from app.session import Session

    missing = [name for name in INTENTS if not callable(getattr(Session, name, None))]
    assert missing == []
