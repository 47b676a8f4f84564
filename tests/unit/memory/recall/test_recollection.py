"""Recall for one conversation: what may be quoted, for which question, in how much room."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date

import pytest

from app.conversation.message import Message, Part
from app.conversation.tree import Conversation
from app.memory import recollection
from app.memory.conversation_memory import ConversationMemory
from app.memory.payload import Recall
from app.memory.plan import Plan, Sizes
from app.memory.prompts import RECALL_FRAME
from app.memory.recall import Passage, RecallIndex
from app.memory.recollection import Recollection, day
from tests.support.chats import Bench, chat

TEXTS = (
    "My locker code is 4711.",
    "Noted.",
    "Ada lives in Brno.",
    "Good to know.",
    "Let us talk of cats.",
    "Gladly.",
    "And of dogs.",
    "Sure.",
    "What is my locker code?",
)
BENCH = Bench()
FRAME = BENCH.counter.text(RECALL_FRAME) + 4  # the frame, and the message around it
ROOM = 200
DAY_MS = 86_400_000


def planned(start: int, question: int | None) -> Plan:
    """A plan that sends ``[start, question)`` word for word."""
    return Plan(start, question or 0, question, Sizes(0, 0, 0, 0, 0), None)


def ask(memory: ConversationMemory, start: int, room: int = ROOM) -> dict[str, str]:
    """What is quoted for the newest message, with all before ``start`` folded."""
    find = Recollection().recall(memory, planned(start, len(memory.path) - 1), BENCH.counter)
    return shown(find, room)


def shown(find: Recall | None, room: int = ROOM) -> dict[str, str]:
    assert find is not None
    return {each.id: each.text for each in find(room)}


def at(day: date) -> int:
    """The first millisecond of a day."""
    return (day.toordinal() - date(1970, 1, 1).toordinal()) * DAY_MS


def written(milliseconds: int) -> Message:
    return Message("m", "c", None, "user", (Part("text", "hi"),), created_at=milliseconds)


def test_a_question_about_what_was_folded_is_given_its_message() -> None:
    found = ask(BENCH.open(chat(*TEXTS)), 4)
    assert "4711" in found["m1"]
    assert set(found) <= {"m1", "m2", "m3", "m4"}


def test_without_a_question_nothing_is_looked_for() -> None:
    memory = BENCH.open(chat(*TEXTS))
    assert Recollection().recall(memory, planned(4, None), BENCH.counter) is None


@pytest.mark.parametrize(("start", "found"), [(0, False), (1, True)])
def test_what_is_sent_word_for_word_is_not_quoted(start: int, found: bool) -> None:
    assert ("m1" in ask(BENCH.open(chat(*TEXTS)), start)) is found


def test_the_window_is_not_quoted_although_it_was_folded_before() -> None:
    memory, recollected = BENCH.open(chat(*TEXTS)), Recollection()
    assert "m1" in shown(recollected.recall(memory, planned(4, 8), BENCH.counter))
    # The fold is undone: the same messages are sent word for word again.
    assert shown(recollected.recall(memory, planned(0, 8), BENCH.counter)) == {}


@pytest.mark.parametrize("mark", ["pinned", "excluded"])
def test_marked_turns_are_not_quoted(mark: str) -> None:
    conversation = replace(Conversation("c"), **{mark: frozenset({"m1"})})
    assert "m1" not in ask(BENCH.open(chat(*TEXTS), conversation), 4)


def test_what_was_folded_since_is_found_by_the_next_question() -> None:
    memory, recollected = BENCH.open(chat(*TEXTS[:-1], "Where does Ada live?")), Recollection()
    assert "m3" not in shown(recollected.recall(memory, planned(2, 8), BENCH.counter))
    assert "m3" in shown(recollected.recall(memory, planned(4, 8), BENCH.counter))


def test_a_path_that_was_built_anew_is_read_anew() -> None:
    messages, recollected = chat(*TEXTS), Recollection()
    recollected.recall(BENCH.open(messages), planned(4, 8), BENCH.counter)
    # The same message, ended differently after all.
    messages[0] = replace(messages[0], parts=(Part("text", "Something else entirely."),))
    memory = BENCH.open(messages)
    assert "m1" not in shown(recollected.recall(memory, planned(4, 8), BENCH.counter))
    messages[2] = replace(messages[2], parts=(Part("text", "My locker code is 0815."),))
    memory = BENCH.open(messages)
    found = shown(recollected.recall(memory, planned(4, 8), BENCH.counter))
    assert "0815" in found["m3"]


def test_under_24_tokens_within_the_frame_nothing_is_quoted() -> None:
    memory = BENCH.open(chat(*TEXTS))
    assert ask(memory, 4, FRAME + 23) == {}
    assert "m1" in ask(memory, 4, FRAME + 24)


class Spy:
    """Stands where passages are chosen and notes what it is given."""

    def __init__(self) -> None:
        self.texts: Mapping[str, tuple[str, str, str]] = {}
        self.question = ""
        self.recent: Sequence[str] = ()
        self.room = 0

    def __call__(
        self,
        index: RecallIndex,
        texts: Mapping[str, tuple[str, str, str]],
        question: str,
        recent: Sequence[str],
        room: int,
        lexicon: object,
        allowed: Callable[[str], bool],
    ) -> list[Passage]:
        self.texts, self.question, self.recent, self.room = texts, question, recent, room
        return [Passage("m1", "quoted")]


@pytest.fixture
def spy(monkeypatch: pytest.MonkeyPatch) -> Spy:
    """In the place of what chooses passages."""
    found = Spy()
    monkeypatch.setattr(recollection, "passages", found)
    return found


def test_passages_get_the_room_that_the_frame_leaves(spy: Spy) -> None:
    assert ask(BENCH.open(chat(*TEXTS)), 4, FRAME + 70) == {"m1": "quoted"}
    assert (spy.room, spy.question) == (70, "What is my locker code?")


@pytest.mark.parametrize(
    ("start", "recent"),
    [
        (2, list(TEXTS[4:8])),  # the last two turns, of three in the window
        (4, list(TEXTS[4:8])),
        (6, list(TEXTS[6:8])),
        (7, list(TEXTS[7:8])),
        (8, []),
    ],
)
def test_a_follow_up_leans_on_the_last_two_turns_of_the_window(
    spy: Spy, start: int, recent: list[str]
) -> None:
    ask(BENCH.open(chat(*TEXTS)), start)
    assert spy.recent == recent


def test_a_follow_up_leans_on_pinned_turns_but_on_nothing_that_is_not_sent(spy: Spy) -> None:
    messages = chat(*TEXTS)
    messages[7] = replace(messages[7], status="failed")
    ask(BENCH.open(messages, Conversation("c", pinned=frozenset({"m7"}))), 4)
    assert spy.recent == ["Let us talk of cats.", "Gladly.", "And of dogs."]
    ask(BENCH.open(messages, Conversation("c", excluded=frozenset({"m5"}))), 4)
    assert spy.recent == ["And of dogs."]


def test_texts_are_given_with_their_speaker_and_day(spy: Spy) -> None:
    messages = chat(*TEXTS)
    messages[0] = replace(messages[0], created_at=at(date(2026, 5, 8)), name="Ada")
    ask(BENCH.open(messages), 4)
    assert spy.texts["m1"] == ("Ada", "My locker code is 4711.", "2026-05-08")
    assert spy.texts["m2"] == ("Assistant", "Noted.", "")
    assert list(spy.texts) == [f"m{n}" for n in range(1, 10)] and len(spy.texts) == 9
    assert "elsewhere" not in spy.texts


@pytest.mark.parametrize(
    ("milliseconds", "shown"),
    [
        (0, ""),
        (17, ""),  # the 17th message of an import without times
        (10**9 - 1, ""),
        (10**9, "1970-01-12"),
        (at(date(2026, 5, 8)) - 1, "2026-05-07"),
        (at(date(2026, 5, 8)), "2026-05-08"),
        (at(date(2026, 5, 9)) - 1, "2026-05-08"),
    ],
)
def test_the_day_of_a_message_is_that_of_its_time_where_it_has_one(
    milliseconds: int, shown: str
) -> None:
    assert day(written(milliseconds)) == shown


@pytest.mark.parametrize("century", [1900, 2000, 2100, 2200, 2300, 2400])
def test_days_are_those_of_the_calendar_through_leap_years_and_centuries(century: int) -> None:
    starts = [date(year, 3, 1) for year in range(max(1971, century), century + 100)]
    starts += [date(century + 99, month, 1) for month in range(1, 13)]
    for start in starts:
        for offset in (-1, 0):
            each = date.fromordinal(start.toordinal() + offset)
            assert day(written(at(each))) == each.isoformat()
