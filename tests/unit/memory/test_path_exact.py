"""The active path: turns, states, sums, digests and pins, told from small conversations.

All is counted by words: a message of n apples costs n + 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from app.conversation.message import Message, Role, Status
from app.memory.path import ActivePath, State, link
from app.memory.tokens import Counter
from tests.support.chats import apples, chat
from tests.support.words import WordTokenizer


def path_of(messages: Sequence[Message], **marks: object) -> ActivePath:
    return ActivePath(Counter(WordTokenizer()), messages, **marks)  # type: ignore[arg-type]


def ids(messages: Sequence[Message]) -> list[str]:
    return [message.id for message in messages]


def spoken(*roles: Role) -> list[Message]:
    """One message of 5 tokens for each role."""
    return [
        replace(message, role=role)
        for message, role in zip(chat(*[" apple"] * len(roles)), roles, strict=True)
    ]


def mixed() -> ActivePath:
    """Turns of 11 + 12, 23 + 24, 35 + 36 and 47 + 48; the first pinned, the second excluded.

    The last answer failed.
    """
    messages = chat(*(apples(n - 4) for n in (11, 12, 23, 24, 35, 36, 47, 48)))
    messages[7] = replace(messages[7], status="failed")
    return path_of(messages, pinned=["m1"], excluded=["m3"])


def test_a_chain_is_the_digest_of_what_came_before_with_id_and_content() -> None:
    # Stored folds hold these digests: were they made another way, every summary would be stale.
    first = link(b"", "m1", "00ff")
    assert first.hex() == "bdd0024900c42f0c978ed771"
    assert link(first, "m2", "00ff").hex() == "f22eb92c505680808da55566"
    assert len(link(b"", "\ud800", "00ff")) == 12  # half a pair in an imported id is no fault


def test_a_chain_holds_the_eligible_messages_alone() -> None:
    path = mixed()
    assert [path.chain(index) for index in range(4)] == [""] * 4  # pinned and excluded
    assert len(path.chain(4)) == 24
    assert path.chain(6) not in (path.chain(5), path.chain(4))
    assert path.chain(7) == path.chain(6)  # the failed answer adds nothing
    assert path_of(path.messages[4:]).chain(2) == path.chain(6)


@pytest.mark.parametrize(
    ("state", "tokens", "count", "found"),
    [
        ("pinned", 23, 2, ["m1", "m2"]),
        ("excluded", 47, 2, ["m3", "m4"]),
        ("eligible", 118, 3, ["m5", "m6", "m7"]),
        ("unsendable", 0, 1, ["m8"]),  # nobody gets it: it costs nothing
    ],
)
def test_each_message_is_in_one_state(
    state: State, tokens: int, count: int, found: list[str]
) -> None:
    path = mixed()
    assert path.tokens(state, 0, 8) == tokens
    assert path.count(state, 0, 8) == count
    assert ids(path.select(state, 0, 8)) == found


def test_exclusion_wins_over_a_pin() -> None:
    path = path_of(chat("Hello", "Hi"), pinned=["m1"], excluded=["m1"])
    assert path.states == ["excluded", "excluded"]


@pytest.mark.parametrize(
    ("start", "end", "tokens", "found"),
    [
        (4, 6, 35 + 36, ["m5", "m6"]),
        (5, 7, 36 + 47, ["m6", "m7"]),
        (3, 5, 35, ["m5"]),
        (6, 8, 47, ["m7"]),
        (0, 4, 0, []),
        (5, 5, 0, []),
        (7, 4, 0, []),  # a range that ends before it starts holds nothing
    ],
)
def test_a_range_holds_its_start_and_not_its_end(
    start: int, end: int, tokens: int, found: list[str]
) -> None:
    path = mixed()
    assert path.tokens("eligible", start, end) == tokens
    assert path.count("eligible", start, end) == len(found)
    assert ids(path.select("eligible", start, end)) == found


def test_a_turn_begins_with_its_question_the_first_with_whatever_comes_first() -> None:
    path = path_of(spoken("assistant", "assistant", "user", "assistant", "tool", "user", "user"))
    assert path.turn_starts == [0, 2, 5, 6]
    assert [path.turn_at(index) for index in range(7)] == [0, 0, 2, 2, 2, 5, 6]
    assert [path.turn_id(index) for index in range(7)] == [
        *("m1", "m1"),
        *("m3", "m3", "m3"),
        *("m6", "m7"),
    ]


@pytest.mark.parametrize(
    ("start", "end", "starts"),
    [
        (0, 7, [0, 2, 5, 6]),
        (0, 6, [0, 2, 5]),
        (0, 5, [0, 2]),
        (2, 7, [2, 5, 6]),
        (3, 7, [3, 5, 6]),  # what is left of a turn counts as one
        (3, 5, [3]),
        (6, 7, [6]),
        (7, 7, []),
        (5, 5, []),
        (5, 3, []),
    ],
)
def test_turns_between(start: int, end: int, starts: list[int]) -> None:
    path = path_of(spoken("assistant", "assistant", "user", "assistant", "tool", "user", "user"))
    assert path.turns_between(start, end) == starts


@pytest.mark.parametrize(
    ("unfinished", "end", "foldable"),
    [
        ((), 6, 6),
        ((3,), 6, 2),  # the whole turn waits for its answer
        ((3,), 4, 2),
        ((3,), 3, 3),
        ((3, 5), 6, 2),
        ((3, 5), 3, 3),
        ((5,), 6, 4),
        ((5,), 5, 5),
        ((1,), 6, 0),
    ],
)
def test_what_may_be_folded_ends_before_the_first_turn_that_is_being_written(
    unfinished: tuple[int, ...], end: int, foldable: int
) -> None:
    messages = chat(*["Hello"] * 6)
    for index in unfinished:
        messages[index] = replace(messages[index], status="streaming")
    assert path_of(messages).foldable_end(end) == foldable


@pytest.mark.parametrize("status", ["failed", "stopped", "complete"])
def test_an_answer_that_has_ended_keeps_nothing_from_being_folded(status: Status) -> None:
    messages = chat("One", "Two", "Three", "Four")
    messages[1] = replace(messages[1], status=status)
    assert path_of(messages).foldable_end(4) == 4


@pytest.mark.parametrize(
    ("roles", "question", "is_open"),
    [
        ((), None, False),
        (("assistant",), None, False),  # a greeting asks nothing
        (("user",), 0, True),
        (("user", "assistant"), 0, False),
        (("user", "assistant", "user"), 2, True),
        (("assistant", "user"), 1, True),
        (("user", "user"), 1, True),
        (("user", "assistant", "user", "assistant", "tool"), 2, False),
    ],
)
def test_the_newest_question_is_open_until_it_is_answered(
    roles: tuple[Role, ...], question: int | None, is_open: bool
) -> None:
    path = path_of(spoken(*roles))
    assert (path.question(), path.is_open()) == (question, is_open)


def test_answers_that_nobody_gets_leave_the_question_open() -> None:
    messages = spoken("user", "assistant", "assistant")
    failed = replace(messages[1], status="failed")
    assert path_of([messages[0], failed]).is_open()
    assert not path_of([messages[0], failed, messages[2]]).is_open()
    assert not path_of([messages[0], messages[1], replace(failed, id="m3")]).is_open()


def pins(*turns: int) -> list[Message]:
    """Turns m1 (a question alone) m2 … of these sizes."""
    return [
        replace(message, role="user") for message in chat(*(apples(cost - 4) for cost in turns))
    ]


@pytest.mark.parametrize(
    ("allowance", "kept"),
    [
        (None, {"m1", "m2", "m3"}),
        (60, {"m1", "m2", "m3"}),
        (59, {"m2", "m3"}),
        (50, {"m2", "m3"}),
        (49, {"m1", "m3"}),  # the second does not fit any more, the first, smaller, does
        (40, {"m1", "m3"}),
        (39, {"m3"}),
        (30, {"m3"}),
        (29, {"m2"}),
        (20, {"m2"}),
        (19, {"m1"}),
        (9, set()),
        (0, set()),
    ],
)
def test_the_newest_pins_that_fit_stay(allowance: int | None, kept: set[str]) -> None:
    pinned = ["m1", "m2", "m3"]
    path = path_of(pins(10, 20, 30, 40), pinned=pinned, pin_allowance=allowance)
    assert path.pinned == kept
    assert path.suspended == set(pinned) - kept
    states = ["pinned" if turn in kept else "eligible" for turn in pinned]
    assert path.states == [*states, "eligible"]


def test_a_pinned_turn_costs_all_its_messages_that_are_sent() -> None:
    messages = chat(*(apples(n - 4) for n in (10, 20, 30, 40)))
    messages[3] = replace(messages[3], status="failed")
    for allowance, fits in ((30, True), (29, False)):
        path = path_of(messages[:2], pinned=["m1"], pin_allowance=allowance)
        assert (path.pinned == {"m1"}, path.suspended == {"m1"}) == (fits, not fits)
        path = path_of(messages, pinned=["m3"], pin_allowance=allowance)
        assert (path.pinned == {"m3"}, path.suspended == {"m3"}) == (fits, not fits)


def test_a_pin_of_the_messages_before_the_first_question_is_that_of_a_turn() -> None:
    messages = [*spoken("assistant", "assistant", "user")]
    assert path_of(messages, pinned=["m1"], pin_allowance=10).states == [
        *("pinned", "pinned"),
        "eligible",
    ]
    assert path_of(messages, pinned=["m1"], pin_allowance=9).suspended == {"m1"}


def test_a_pin_of_another_branch_is_neither_kept_nor_suspended() -> None:
    path = path_of(chat("Hello", "Hi"), pinned=["elsewhere"], pin_allowance=100)
    assert not path.pinned and not path.suspended
    path = path_of(chat("Hello", "Hi"), pinned=["elsewhere"])  # it may come by an append
    assert path.pinned == {"elsewhere"}


def test_messages_are_counted_in_one_call() -> None:
    tokenizer = WordTokenizer()
    messages = chat("One", "Two", "Three")
    messages[1] = replace(messages[1], status="failed")
    asked: list[list[str]] = []

    class Watched(WordTokenizer):
        def count_many(self, texts: Sequence[str]) -> list[int]:
            asked.append(list(texts))
            return tokenizer.count_many(texts)

    ActivePath(Counter(Watched()), messages)
    assert asked == [["One", "Three"]]


def test_an_answer_that_has_ended_takes_the_place_of_what_was_being_written() -> None:
    messages = chat(*(apples(n - 4) for n in (11, 12, 23, 24)))
    written = replace(messages[3], status="streaming")
    path = path_of([*messages[:3], written])
    assert (path.foldable_end(4), path.count("unsendable", 0, 4)) == (2, 1)
    assert path.pop() == written
    assert len(path) == 3 and path.position("m4") is None
    path.append(messages[3])
    assert path.foldable_end(4) == 4
    assert (path.tokens("eligible", 0, 4), path.count("eligible", 0, 4)) == (70, 4)
    assert (path.tokens("eligible", 3, 4), path.count("unsendable", 0, 4)) == (24, 0)
    assert path.states == ["eligible"] * 4
    assert [path.chain(index) for index in range(4)] == [
        path_of(messages).chain(index) for index in range(4)
    ]


def test_leaves_are_taken_off_down_to_nothing_and_put_back() -> None:
    messages = chat("One", "Two", "Three", "Four", "Five", "Six")
    for index in (1, 3):
        messages[index] = replace(messages[index], status="streaming")
    path = path_of(messages)
    path.pop()
    path.pop()
    assert path.turn_starts == [0, 2]
    assert path.foldable_end(4) == 0
    path.pop()  # the later of the two that were being written
    assert path.foldable_end(3) == 0
    for _ in range(3):
        path.pop()
    assert (len(path), path.question(), path.turn_starts) == (0, None, [])
    for message in messages[::2]:
        path.append(message)
    assert path.foldable_end(3) == 3
    assert path.turn_starts == [0, 1, 2]
    assert (path.tokens("eligible", 0, 3), path.count("eligible", 0, 3)) == (15, 3)
    assert path.chain(2) == path_of(messages[::2]).chain(2)
