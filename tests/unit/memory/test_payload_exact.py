"""The request, part by part and to the token: what is sent, what it costs, what yields when.

All is counted by words: a message of n apples costs n + 4. A context of 1000 gives a budget of 750
and recall of at most 70; the empty frames of summary and recall hold 29 tokens each.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import pytest

from app.conversation.message import Message
from app.memory.cutting import cut_middle
from app.memory.extractive import Line
from app.memory.ledger import Fold
from app.memory.path import ActivePath
from app.memory.payload import (
    QUESTION_CUT,
    SYSTEM_CUT,
    Passage,
    Payload,
    PayloadPart,
    Recall,
    build,
    lines_of,
)
from app.memory.plan import Plan, measure, window_start
from app.memory.policies import MemorySettings, Policy
from app.memory.prompts import question_text, system_text
from app.memory.tokens import Counter
from app.models.port import WireMessage
from tests.support.chats import apples, chat
from tests.support.words import WordTokenizer

COUNTER = Counter(WordTokenizer())
HENS = "Ada keeps hens."  # 4 tokens: 37 in a frame and message of their own, 34 behind a prompt


def sized(*tokens: int) -> list[Message]:
    """Messages of these sizes, their overheads included."""
    return chat(*(apples(count - 4) for count in tokens))


def memory(boundary: str, text: str = HENS, sources: tuple[str | None, ...] = ()) -> Fold:
    return Fold("f", "c", None, (), boundary, "", text, sources)


def request(
    messages: Sequence[Message],
    current: Fold | None = None,
    *,
    asked: bool = True,
    system: str = "",
    pinned: Collection[str] = (),
    recall_tokens: int = 0,
    recall: Recall | None = None,
) -> Payload:
    """The request for these messages as they are: the last one is the question, nothing folds."""
    path = ActivePath(COUNTER, messages, pinned=pinned)
    settings = MemorySettings(Policy("pleat", recall_tokens=recall_tokens), 1000, system)
    question = len(messages) - 1 if asked else None
    end = len(messages) if question is None else question
    sizes = measure(path, current, settings, COUNTER, end, question)
    planned = Plan(window_start(path, current), end, question, sizes, None)
    built = build(path, current, planned, settings, COUNTER, recall)
    # Whatever is sent: the figures are those of the messages on the wire.
    sent = sum(COUNTER.text(message.content) + 4 for message in built.messages)
    assert built.tokens == sent + 3 == sum(part.tokens for part in built.parts) + 3
    assert built.budget == 750 and built.cut == bool(built.notices)
    return built


def kinds(built: Payload) -> dict[str, str]:
    return {part.kind: part.content for part in built.parts}


def test_a_request_without_memory_is_the_messages_as_they_are() -> None:
    built = request(chat("Hello", "Hi", "Who are you?"), system="Be kind.")
    assert built.parts == (
        PayloadPart("system", "system", "Be kind.", (), 7),
        PayloadPart("window", "user", "Hello", ("m1",), 5),
        PayloadPart("window", "assistant", "Hi", ("m2",), 5),
        PayloadPart("question", "user", "Who are you?", ("m3",), 8),
    )
    assert built.messages == (
        WireMessage("system", "Be kind."),
        WireMessage("user", "Hello"),
        WireMessage("assistant", "Hi"),
        WireMessage("user", "Who are you?"),
    )
    assert built.account() == {
        "system": 7,
        "summary": 0,
        "recall": 0,
        "pin": 0,
        "window": 10,
        "question": 8,
        "overhead": 3,
        "total": 28,
    }


def test_a_request_with_memory_has_summary_pins_window_recall_and_question_in_order() -> None:
    messages = chat("Pin", "Kept", "Old", "Gone", "New", "Here", "Also pinned", "Yes", "Who?")
    built = request(
        messages,
        memory("m4"),
        system="Be kind.",
        pinned={"m1", "m7"},
        recall_tokens=50,
        recall=lambda room: [Passage("m3", "User: Old"), Passage("m4", "Assistant: Gone")],
    )
    recalled = ["User: Old", "Assistant: Gone"]
    assert built.parts == (
        PayloadPart("system", "system", "Be kind.", (), 7),
        PayloadPart("summary", "system", HENS, ("m4",), 34),
        PayloadPart("pin", "user", "Pin", ("m1",), 5),
        PayloadPart("pin", "assistant", "Kept", ("m2",), 5),
        PayloadPart("window", "user", "New", ("m5",), 5),
        PayloadPart("window", "assistant", "Here", ("m6",), 5),
        PayloadPart("window", "user", "Also pinned", ("m7",), 6),
        PayloadPart("window", "assistant", "Yes", ("m8",), 5),
        # The frame's 29, the passages' 3 each, two line breaks more than the empty frame has.
        PayloadPart("recall", "user", question_text("", recalled), ("m3", "m4"), 31),
        PayloadPart("question", "user", "Who?", ("m9",), 6),
    )
    assert built.messages[0] == WireMessage("system", system_text("Be kind.", HENS))
    assert built.messages[-1] == WireMessage("user", question_text("Who?", recalled))
    assert len(built.messages) == 8


def test_a_summary_without_a_system_prompt_is_a_message_of_its_own() -> None:
    built = request(chat("Old", "Gone", "Who?"), memory("m2"))
    assert built.parts[0] == PayloadPart("summary", "system", HENS, ("m2",), 37)
    assert built.messages[0] == WireMessage("system", system_text("", HENS))
    assert len(built.messages) == 2


def test_a_request_before_a_question_holds_the_window_alone() -> None:
    asked: list[int] = []

    def recall(room: int) -> list[Passage]:
        asked.append(room)
        return [Passage("m1", "Old")]

    built = request(
        chat("Old", "Gone", "New", "Here"),
        memory("m2"),
        asked=False,
        recall_tokens=50,
        recall=recall,
    )
    assert [part.kind for part in built.parts] == ["summary", "window", "window"]
    assert not asked  # there is nothing to look for


def test_messages_that_nobody_gets_are_not_sent() -> None:
    messages = chat("One", "Two", "Three", "Four", "Who?")
    messages[1] = replace(messages[1], status="failed")
    assert [m.content for m in request(messages).messages] == ["One", "Three", "Four", "Who?"]


# -- a question that is too large ------------------------------------------------------------------


@pytest.mark.parametrize(("question", "cut"), [(700, False), (701, True)])
def test_a_question_is_cut_where_it_does_not_fit_beside_window_and_pins(
    question: int, cut: bool
) -> None:
    # 3 + pins of 17 + a window of 30 + 700: 750.
    messages = sized(8, 9, 50, 50, 15, 15, question)
    built = request(messages, memory("m4", ""), pinned={"m1"})
    assert built.cut == cut and built.tokens <= 750
    if cut:
        assert built.notices == (QUESTION_CUT,)
        assert kinds(built)["question"] == cut_middle(apples(697), 696, COUNTER)
    else:
        assert kinds(built)["question"] == apples(696) and built.tokens == 750


@pytest.mark.parametrize(
    ("system", "room"),
    [
        ("", 747),
        ("Be kind.", 740),
        (apples(370), 373),  # 747 - 374: just what is left
        (apples(371), 373),  # half of 747, and the system prompt gives way to it
        (apples(800), 373),
    ],
)
def test_a_question_that_is_cut_has_what_the_system_prompt_leaves_and_at_least_half(
    system: str, room: int
) -> None:
    built = request(sized(1000), system=system)
    assert kinds(built)["question"] == cut_middle(apples(996), room - 4, COUNTER)
    assert built.notices[0] == QUESTION_CUT and built.tokens <= 750
    assert (SYSTEM_CUT in built.notices) == (system in (apples(800),))


def test_of_a_question_at_least_a_word_is_sent() -> None:
    # A window this large is folded before; were it not, 4 tokens would be left for the question.
    path = ActivePath(COUNTER, sized(743, 100))
    settings = MemorySettings(Policy("pleat"), 1000)
    sizes = measure(path, None, settings, COUNTER, 1, 1)
    built = build(path, None, Plan(0, 1, 1, sizes, None), settings, COUNTER)
    assert kinds(built)["question"].split() == ["apple"]


# -- a system prompt that is too large -------------------------------------------------------------


@pytest.mark.parametrize(
    ("system", "sent"),
    [
        (apples(43), apples(43)),
        (apples(44), cut_middle(apples(44), 43, COUNTER)),
        (apples(500), cut_middle(apples(500), 43, COUNTER)),
    ],
)
def test_a_system_prompt_is_cut_to_the_room_that_is_left(system: str, sent: str) -> None:
    built = request(sized(350, 300, 50), system=system)  # 750 - 3 - 700: 47
    assert kinds(built)["system"] == sent
    assert built.notices == (() if system == sent else (SYSTEM_CUT,))
    assert built.tokens <= 750


@pytest.mark.parametrize(("room", "sent"), [(17, True), (16, False), (0, False)])
def test_a_system_prompt_is_left_out_where_next_to_nothing_is_left(room: int, sent: bool) -> None:
    built = request(sized(350, 300, 97 - room), system=apples(100))
    assert built.notices == (SYSTEM_CUT,) and built.tokens <= 750
    assert kinds(built).get("system") == (cut_middle(apples(100), 13, COUNTER) if sent else None)


# -- a summary that is too large -------------------------------------------------------------------

LINES = ("Ada's code is 4711.", "It may rain.", "Bo's code is 5822.")
TEXT = "\n".join(LINES)
# 7 + 4 + 7, two line breaks, and the frame with its overhead, 33.
WHOLE = 18 + 2 + 33


def behind_memory(question: int, text: str = HENS, **others: object) -> Payload:
    """A question of that size behind a memory of all that was said before."""
    return request(sized(10, 10, question), memory("m2", text), **others)  # type: ignore[arg-type]


@pytest.mark.parametrize("system", ["", "Be kind."])
def test_a_summary_that_does_not_fit_loses_a_line_and_no_more(system: str) -> None:
    beside = 7 - 3 if system else 0  # the prompt's 3 and a blank line
    for room, lines in ((WHOLE + beside, 3), (WHOLE + beside - 1, 2)):
        built = behind_memory(747 - room, TEXT, system=system)
        assert len(kinds(built)["summary"].split("\n")) == lines
        assert built.tokens <= 750 and not built.cut


def test_a_summary_of_which_nothing_fits_is_left_out_with_its_frame() -> None:
    assert kinds(behind_memory(747 - 37))["summary"] == HENS
    for room in (34, 33, 20, 0):
        built = behind_memory(747 - room)
        assert [part.kind for part in built.parts] == ["question"]
        assert len(built.messages) == 1 and not built.cut


def test_an_empty_summary_has_no_frame() -> None:
    assert [part.kind for part in behind_memory(50, "").parts] == ["question"]


# -- what is recalled ------------------------------------------------------------------------------


class Recalled:
    """Gives passages of these sizes, and remembers for what room it was asked."""

    def __init__(self, *tokens: int) -> None:
        self.passages = [
            Passage(f"p{number}", apples(count).strip()) for number, count in enumerate(tokens, 1)
        ]
        self.rooms: list[int] = []

    def __call__(self, room: int) -> list[Passage]:
        self.rooms.append(room)
        return self.passages


def ids_recalled(built: Payload) -> tuple[str, ...]:
    return next((part.ids for part in built.parts if part.kind == "recall"), ())


@pytest.mark.parametrize(
    ("question", "rooms"),
    [
        (50, [50 + 23]),  # the setting, with the frame
        (637, [73]),  # 750 - 3 - 37 (summary) - 637
        (638, [72]),
        (709, [1]),
        (710, []),
    ],
)
def test_recall_has_its_setting_and_its_frame_where_they_are_left(
    question: int, rooms: list[int]
) -> None:
    recall = Recalled()
    built = behind_memory(question, recall_tokens=50, recall=recall)
    assert recall.rooms == rooms
    assert [part.kind for part in built.parts] == ["summary", "question"]


@pytest.mark.parametrize(
    ("passages", "kept"),
    [
        # 73 in all: 23 for the frame, and a line break more for each passage.
        ((49,), ("p1",)),
        ((50,), ()),
        ((28, 20), ("p1", "p2")),
        ((29, 20), ("p2",)),
        ((99, 10, 20), ("p2", "p3")),
        ((10, 99), ()),  # the last is the best: without it none
    ],
)
def test_passages_that_do_not_fit_are_left_out_from_the_first(
    passages: tuple[int, ...], kept: tuple[str, ...]
) -> None:
    built = behind_memory(50, recall_tokens=50, recall=Recalled(*passages))
    assert ids_recalled(built) == kept
    texts = [apples(count).strip() for count in passages[len(passages) - len(kept) :]]
    assert built.messages[-1].content == question_text(apples(46), texts)


def test_without_a_memory_nothing_is_recalled() -> None:
    recall = Recalled(10)
    built = request(sized(10, 10, 50), recall_tokens=50, recall=recall)
    assert not recall.rooms and not ids_recalled(built)


# -- the lines of a summary ------------------------------------------------------------------------


def test_a_line_knows_its_message_where_there_is_one_for_each_line() -> None:
    assert lines_of("a\nb", ("m1", None)) == [Line("a", "m1"), Line("b", None)]
    for sources in ((), ("m1",), ("m1", "m2", "m3")):  # out of step: nothing is claimed
        assert lines_of("a\nb", sources) == [Line("a", None), Line("b", None)]
