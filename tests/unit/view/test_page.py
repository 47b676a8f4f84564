"""The thin view: each topic is drawn once a step, and nothing is left behind when it closes."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from app.state.app_state import AppState
from app.view.page import TOPICS, Page


class FakePort:
    def __init__(self) -> None:
        self.drawn: list[tuple[str, Any]] = []
        self.doors: list[Any] = []

    def render(self, topic: str, text: str) -> None:
        self.drawn.append((topic, json.loads(text)))

    def connect(self, *doors: Any) -> None:
        self.doors.extend(doors)


class FakeSession:
    async def draft(self) -> str:
        return "kept"


def test_the_view_follows_every_topic_that_the_state_has() -> None:
    topics = {name for name, value in vars(AppState()).items() if hasattr(value, "subscribe")}
    assert topics == set(TOPICS)


async def test_opening_draws_everything_and_hands_over_two_doors_once() -> None:
    state, port = AppState(), FakePort()
    page = Page(FakeSession(), state, port)
    page.open()
    page.open()
    assert [name for name, _ in port.drawn] == list(TOPICS)
    assert len(port.doors) == 2
    answer = await port.doors[0](json.dumps({"intent": "draft", "args": []}))
    assert json.loads(answer) == {"ok": True, "result": "kept"}


async def test_many_publishes_in_one_step_are_drawn_once_with_the_newest() -> None:
    state, port = AppState(), FakePort()
    Page(FakeSession(), state, port).open()
    port.drawn.clear()
    for text in ("a", "ab", "abc"):
        state.stream.publish({"message_id": "m", "text": text, "reasoning": ""})
    state.busy.publish({"state": "answering", "conversation_id": "c", "can_skip": False})
    assert port.drawn == []
    await asyncio.sleep(0)
    assert [name for name, _ in port.drawn] == ["stream", "busy"]
    assert port.drawn[0][1]["text"] == "abc"


async def test_a_closed_view_draws_nothing_more() -> None:
    state, port = AppState(), FakePort()
    page = Page(FakeSession(), state, port)
    page.open()
    page.close()
    port.drawn.clear()
    state.stream.publish({"message_id": "m", "text": "late", "reasoning": ""})
    await asyncio.sleep(0)
    assert port.drawn == []
