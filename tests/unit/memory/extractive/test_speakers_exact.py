"""Whose name stands on a line, and when a name inside a message is believed."""

from __future__ import annotations

import pytest

from app.memory.extractive.speakers import embedded_names, leading_name, split_speaker
from app.memory.extractive.types import Source

NOBODY = frozenset[str]()


def said(*texts: str, role: str = "user") -> list[Source]:
    return [Source(f"m{i}", role, "", text) for i, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ada: I swim.", ("Ada", "I swim.")),
        ("  Ada Novak:   I swim.", ("Ada Novak", "I swim.")),
        ("Ada:I swim.", ("", "Ada:I swim.")),
        ("Ada: ", ("", "Ada: ")),
        ("12: I swim.", ("", "12: I swim.")),
        ("I swim.", ("", "I swim.")),
        (f"{'a' * 31}: I swim.", ("a" * 31, "I swim.")),
        (f"{'a' * 32}: I swim.", ("", f"{'a' * 32}: I swim.")),
    ],
)
def test_a_name_before_a_colon_is_read(text: str, expected: tuple[str, str]) -> None:
    assert leading_name(text) == expected


@pytest.mark.parametrize("role", ["System", "user", "ASSISTANT", "Tool", "Human", "AI", "Note"])
def test_no_message_speaks_for_a_role(role: str) -> None:
    assert leading_name(f"{role}: I swim.") == ("", f"{role}: I swim.")


@pytest.mark.parametrize(
    ("texts", "known", "expected"),
    [
        (("Ada: a", "Ada: b"), NOBODY, {"user": "Ada"}),
        (("Ada: a", "Ada: b", "c"), NOBODY, {"user": "Ada"}),
        (("Ada: a", "Ada: b", "c", "d"), NOBODY, {}),  # half is not most
        (("Ada: a",), NOBODY, {}),  # once is not often
        (("Ada: a",), frozenset(["Ada"]), {"user": "Ada"}),
        (("Ada: a", "b"), frozenset(["Ada"]), {}),
        (("Bo: a", "Ada: b", "Ada: c"), NOBODY, {"user": "Ada"}),
        (("a", "b"), NOBODY, {}),
    ],
)
def test_a_name_is_believed_when_most_messages_of_the_role_begin_with_it(
    texts: tuple[str, ...], known: frozenset[str], expected: dict[str, str]
) -> None:
    assert embedded_names(said(*texts), known) == expected


def test_each_role_is_counted_for_itself() -> None:
    items = [*said("Ada: a", "Ada: b"), *said("c", "d", "Bo: e", role="assistant")]
    assert embedded_names(items, NOBODY) == {"user": "Ada"}


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (Source("m", "user", "Bo", " Ada: I swim."), ("Ada", "I swim.")),
        (Source("m", "user", "Bo", "Adam: I swim."), ("Bo", "Adam: I swim.")),
        (Source("m", "assistant", "Bo", "Ada: I swim."), ("Bo", "Ada: I swim.")),
        (Source("m", "tool", "", "I swim."), ("Tool", "I swim.")),
        (Source("m", "other", "", "I swim."), ("User", "I swim.")),
        (Source("m", "user", "Bo:\n the  second", "I swim."), ("Bo the second", "I swim.")),
        (Source("m", "user", "b" * 41, "I swim."), ("b" * 40, "I swim.")),
    ],
)
def test_a_label_is_the_believed_name_else_the_given_one_else_the_role(
    item: Source, expected: tuple[str, str]
) -> None:
    assert split_speaker(item, {"user": "Ada"}) == expected
