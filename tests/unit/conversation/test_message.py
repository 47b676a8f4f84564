"""Messages: what a model gets of them, and what it never gets."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest

from app.conversation.message import (
    INVISIBLE,
    Message,
    Part,
    digest,
    is_sendable,
    sendable_text,
    user_message,
)


def answer(*parts: Part, **fields: Any) -> Message:
    return Message("a", "c", None, "assistant", parts, **fields)


def test_reasoning_is_shown_and_never_sent() -> None:
    message = answer(Part("reasoning", "PRIVATE"), Part("text", "Yes."))
    assert message.reasoning == "PRIVATE"
    assert message.text == "Yes."
    assert sendable_text(message) == "Yes."
    assert not is_sendable(answer(Part("reasoning", "PRIVATE")))


def test_an_image_is_sent_as_its_name_and_never_as_its_data() -> None:
    data = "data:image/png;base64," + "A" * 100_000
    message = answer(Part("image", "", "cat.png", "image/png", data), Part("image", data=data))
    assert sendable_text(message) == "[image: cat.png]\n\n[image]"


def test_tools_and_files_are_sent_as_text_in_order() -> None:
    message = answer(
        Part("tool_call", "{}", "weigh"),
        Part("tool_result", "2 kg", "weigh"),
        Part("file", "rows", "a.csv"),
        Part("file"),
        Part("tool_result"),
    )
    assert sendable_text(message) == (
        "[tool call weigh]\n{}\n\n[tool result weigh]\n2 kg\n\n[file: a.csv]\nrows\n\n[file]\n\n"
        "[tool result tool]"
    )


@pytest.mark.parametrize("text", ["", " \n", "\u200b", "\ufeff\u2060", INVISIBLE])
def test_what_nobody_can_see_is_not_sendable(text: str) -> None:
    assert not is_sendable(answer(Part("text", text)))


def test_only_finished_visible_speech_is_sendable() -> None:
    message = answer(Part("text", "x"))
    assert is_sendable(message)
    assert is_sendable(replace(message, status="stopped"))
    assert not is_sendable(replace(message, status="streaming"))
    assert not is_sendable(replace(message, status="failed"))
    assert not is_sendable(replace(message, hidden=True))
    assert not is_sendable(replace(message, role="system"))


def test_the_digest_is_of_the_content_and_not_of_the_id() -> None:
    message = answer(Part("text", "x"))
    assert digest(message) == digest(replace(message, id="other", created_at=9))
    assert digest(message) == digest(answer(Part("reasoning", "hm"), Part("text", "x")))
    assert digest(message) != digest(answer(Part("text", "y")))
    assert digest(message) != digest(replace(message, role="user"))
    assert digest(answer(Part("text", "\ud800"))) != digest(message)


def test_a_message_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        user_message("u", "c", None, "x").id = "y"  # type: ignore[misc]
