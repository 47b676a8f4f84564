"""Turns: a user message and all up to the next one."""

from __future__ import annotations

import pytest

from app.conversation.message import Message, Part
from app.conversation.turns import turns


def path(roles: str) -> list[Message]:
    names = {"u": "user", "a": "assistant", "t": "tool", "s": "system"}
    return [
        Message(f"{role}{i}", "c", None, names[role], (Part("text", "x"),))  # type: ignore[arg-type]
        for i, role in enumerate(roles)
    ]


@pytest.mark.parametrize(
    ("roles", "expected"),
    [
        ("", []),
        ("u", ["u"]),
        ("ua", ["ua"]),
        ("uaua", ["ua", "ua"]),
        ("uau", ["ua", "u"]),
        ("uu", ["u", "u"]),
        ("aua", ["a", "ua"]),
        ("saua", ["sa", "ua"]),
        ("uatta", ["uatta"]),
        ("aa", ["aa"]),
    ],
)
def test_a_turn_begins_at_each_question(roles: str, expected: list[str]) -> None:
    found = turns(path(roles))
    assert ["".join(m.id[0] for m in turn.messages) for turn in found] == expected


def test_the_id_of_a_turn_is_that_of_its_first_message() -> None:
    assert [turn.id for turn in turns(path("auau"))] == ["a0", "u1", "u3"]


def test_nothing_is_lost_and_the_order_stays() -> None:
    messages = path("auauutaau")
    assert [m for turn in turns(messages) for m in turn.messages] == messages
