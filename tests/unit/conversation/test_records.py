"""Records of messages and conversations: nothing is lost, nothing wrong gets in."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.conversation.message import Message, Part
from app.conversation.records import (
    NewerRecordError,
    RecordError,
    conversation_from_record,
    conversation_to_record,
    message_from_record,
    message_to_record,
)
from app.conversation.tree import Conversation

MESSAGE = Message(
    "m",
    "c",
    "p",
    "assistant",
    (
        Part("reasoning", "hm"),
        Part("text", "Yes."),
        Part("image", "", "cat.png", "image/png", "data:image/png;base64,AA=="),
        Part("tool_call", "{}", "weigh"),
    ),
    status="stopped",
    created_at=12,
    model="m1",
    finish="length",
    error="cut",
    hidden=True,
    name="Maren",
)
CONVERSATION = Conversation(
    "c", "T", 1, 2, "Be brief.", "dost", "m", frozenset({"a", "b"}), frozenset({"x"}), 3, 4, 5
)


def through_json(record: dict[str, Any]) -> Any:
    return json.loads(json.dumps(record))


def test_a_message_survives_its_record() -> None:
    assert message_from_record(through_json(message_to_record(MESSAGE))) == MESSAGE


def test_a_conversation_survives_its_record() -> None:
    record = through_json(conversation_to_record(CONVERSATION))
    assert conversation_from_record(record) == CONVERSATION
    assert conversation_from_record({"id": "c"}) == Conversation("c")


def test_unknown_keys_are_left_out_and_missing_ones_have_defaults() -> None:
    record = {"id": "m", "conversation_id": "c", "role": "user", "parts": [], "later": 1}
    assert message_from_record(record) == Message("m", "c", None, "user", ())


def test_numbers_that_javascript_made_floats_are_whole_again() -> None:
    record = {**message_to_record(MESSAGE), "created_at": 12.0, "schema": 1.0}
    assert message_from_record(record) == MESSAGE


@pytest.mark.parametrize(
    "change",
    [
        {"id": ""},
        {"id": None},
        {"id": 7},
        {"conversation_id": []},
        {"parent_id": 7},
        {"role": "robot"},
        {"role": None},
        {"role": ["user"]},
        {"status": "lost"},
        {"parts": "text"},
        {"parts": {"kind": "text"}},
        {"parts": ["text"]},
        {"parts": [{"kind": "smell"}]},
        {"parts": [{"text": "no kind"}]},
        {"parts": [{"kind": "text", "text": 7}]},
        {"created_at": "now"},
        {"created_at": True},
        {"created_at": -1},
        {"created_at": float("nan")},
        {"created_at": float("inf")},
        {"hidden": "no"},
        {"schema": "1"},
        {"schema": 0},
    ],
)
def test_a_wrong_shape_is_refused_in_words(change: dict[str, Any]) -> None:
    with pytest.raises(RecordError, match=r"\w"):
        message_from_record({**message_to_record(MESSAGE), **change})


@pytest.mark.parametrize(
    "change",
    [
        {"pinned": "a"},
        {"pinned": [1]},
        {"excluded": {"a": 1}},
        {"title": 1},
        {"leaf_id": 1},
        {"structure": "x"},
        {"deleted_at": "x"},
        {"id": 0},
    ],
)
def test_a_wrong_conversation_is_refused_in_words(change: dict[str, Any]) -> None:
    with pytest.raises(RecordError, match=r"\w"):
        conversation_from_record({**conversation_to_record(CONVERSATION), **change})


@pytest.mark.parametrize("record", [None, [], "x", 7])
def test_what_is_no_record_is_refused(record: object) -> None:
    with pytest.raises(RecordError):
        message_from_record(record)
    with pytest.raises(RecordError):
        conversation_from_record(record)


def test_a_newer_record_is_told_from_a_broken_one() -> None:
    with pytest.raises(NewerRecordError):
        message_from_record({**message_to_record(MESSAGE), "schema": 2})
    with pytest.raises(NewerRecordError):
        conversation_from_record({**conversation_to_record(CONVERSATION), "schema": 2})
