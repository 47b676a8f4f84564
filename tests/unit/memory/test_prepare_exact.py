"""Preparing a request: when it folds first, who folds, and what the request says of itself.

All is counted by words: a message of n apples costs n + 4. A context of 1000 gives a budget of 750;
the notes that the folds here make hold 2 tokens, 35 with their frame and its message.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import replace

import pytest

from app.conversation.message import Message
from app.memory.conversation_memory import ConversationMemory
from app.memory.ledger import Fold, Trigger
from app.memory.payload import QUESTION_CUT
from app.memory.plan import Cut
from app.memory.policies import MemorySettings, Policy
from app.memory.prepare import Prepared, Preparer
from app.memory.prompts import system_text
from tests.support.chats import Bench, apples, chat
from tests.unit.run import run

PLAIN = Policy("minisearch", window_conversations=0)  # only the budget makes it fold
WAITING = replace(PLAIN, waits=True, wait_ms=700)
TRIGGER = Policy("dost", window_conversations=1, summary_trigger_tokens=280)


def sized(*tokens: int) -> list[Message]:
    """Messages of these sizes, their overheads included."""
    return chat(*(apples(count - 4) for count in tokens))


def up_to(memory: ConversationMemory, end: int, text: str = "Notes.", id: str = "f") -> Fold:
    """A fold of all before that index."""
    boundary = memory.path.messages[end - 1].id
    return Fold(id, "c", None, (), boundary, memory.path.chain(end - 1), text, commit=end)


class Hands:
    """Folds in the compactor's place, at once; says what it was asked for.

    ``kept``: whether the store takes what is folded now. ``model``: whether there is one that
    writes when it is waited for.
    """

    def __init__(self, *, kept: bool = True, model: bool = True) -> None:
        self.kept, self.model = kept, model
        self.fault: Exception | None = None
        self.meanwhile: Callable[[ConversationMemory], None] = lambda memory: None
        self.refreshed = 0
        self.now: list[tuple[int, int, int | None, bool]] = []
        self.waited: list[tuple[Trigger, int | None, float | None]] = []
        self.drafts: list[tuple[int, int, int | None]] = []

    async def refresh(self, memory: ConversationMemory) -> None:
        self.refreshed += 1

    async def fold_now(
        self, memory: ConversationMemory, cut: Cut, before: int | None, *, replaceable: bool
    ) -> tuple[Fold, bool]:
        self.now.append((cut.start, cut.end, before, replaceable))
        self.meanwhile(memory)
        fold = up_to(memory, cut.end)
        if self.kept:
            memory.ledger.add(fold)
        return fold, self.kept

    async def compact(
        self,
        memory: ConversationMemory,
        trigger: Trigger,
        cut_for: Callable[[ConversationMemory, Fold | None], Cut | None],
        *,
        before: Callable[[], int | None],
        within_ms: float,
    ) -> None:
        self.waited.append((trigger, before(), within_ms))
        if self.fault is not None:
            raise self.fault
        cut = cut_for(memory, memory.before(before()))
        if cut is not None and self.model:
            memory.ledger.add(up_to(memory, cut.end))

    def draft(self, memory: ConversationMemory, cut: Cut, before: int | None) -> Fold:
        self.drafts.append((cut.start, cut.end, before))
        return up_to(memory, cut.end)


class Desk:
    """A preparer over ``Hands``, and one conversation."""

    def __init__(
        self,
        messages: list[Message],
        policy: Policy = PLAIN,
        hands: Hands | None = None,
        **settings: object,
    ) -> None:
        bench = Bench(MemorySettings(policy, 1000, **settings))  # type: ignore[arg-type]
        self.memory = bench.open(messages)
        self.hands = hands or Hands()
        self.faults: list[BaseException] = []
        self.states: list[tuple[str, bool]] = []
        self.preparer = Preparer(
            self.hands,  # type: ignore[arg-type]
            bench.counter,
            self.faults.append,
        )

    def prepare(self, *, watched: bool = True) -> Prepared:
        def on_state(state: str, can_skip: bool = False) -> None:
            self.states.append((state, can_skip))

        return run(self.preparer.prepare(self.memory, on_state if watched else None))


def contents(prepared: Prepared) -> list[str]:
    return [message.content for message in prepared.messages]


FOLDED = system_text("", "Notes.")


def test_a_request_that_fits_goes_out_as_it_is() -> None:
    desk = Desk(sized(10, 10, 10))
    desk.memory.activity.hold_auto = True  # after an undo, until this question
    prepared = desk.prepare()
    assert contents(prepared) == [apples(6)] * 3
    assert (prepared.account["total"], prepared.saved, prepared.cut) == (33, 0, False)
    assert (prepared.notices, prepared.max_tokens) == ([], None)
    assert prepared.account == prepared.payload.account()
    activity = desk.memory.activity
    assert (activity.sent, activity.hold_auto, activity.crowded) == (33, False, "")
    assert desk.hands.refreshed == 1
    assert not desk.hands.now and not desk.hands.waited and not desk.states


@pytest.mark.parametrize(("wanted", "given"), [(None, None), (500, 500), (951, 951), (952, 951)])
def test_an_answer_has_what_the_request_leaves_of_the_context(
    wanted: int | None, given: int | None
) -> None:
    # 1000 - 33 - 16, which stay free
    assert Desk(sized(10, 10, 10), max_tokens=wanted).prepare().max_tokens == given


def test_over_the_budget_is_folded_at_once_and_says_what_it_saved() -> None:
    desk = Desk(sized(400, 400, 10))
    prepared = desk.prepare()
    assert desk.hands.now == [(0, 2, 2, True)]
    assert contents(prepared) == [FOLDED, apples(6)]
    assert prepared.saved == 800 - 35
    assert not desk.hands.waited and not desk.states


@pytest.mark.parametrize(("first", "saved"), [(20, 0), (25, 0), (26, 1), (100, 75)])
def test_what_is_saved_is_what_was_folded_away_less_the_summary(first: int, saved: int) -> None:
    desk = Desk(sized(first, 10, 50, 50, 10))
    desk.memory.ledger.add(up_to(desk.memory, 2))
    assert desk.prepare().saved == saved  # the notes hold 35


def test_a_fold_that_cannot_be_kept_serves_this_request_alone() -> None:
    desk = Desk(sized(400, 400, 10), hands=Hands(kept=False))
    prepared = desk.prepare()
    assert len(desk.hands.now) == 3  # other tabs may overtake it, but not for ever
    assert contents(prepared) == [FOLDED, apples(6)]
    assert prepared.saved == 800 - 35
    assert len(desk.memory.ledger) == 0


def test_a_fold_that_another_tab_kept_is_used_and_no_other_is_tried() -> None:
    desk = Desk(sized(400, 400, 10), hands=Hands(kept=False))
    desk.hands.meanwhile = lambda memory: memory.ledger.add(up_to(memory, 2, "Theirs."))
    assert contents(desk.prepare()) == [system_text("", "Theirs."), apples(6)]
    assert len(desk.hands.now) == 1


# -- what nothing forces ---------------------------------------------------------------------------


def test_the_presets_own_headroom_is_made_where_that_is_worth_it() -> None:
    desk = Desk(sized(300, 390, 10), replace(PLAIN, reserved=100))  # 703 of 750, over 650
    assert contents(desk.prepare()) == [FOLDED, apples(6)]
    assert desk.hands.now == [(0, 2, 2, True)]


@pytest.mark.parametrize(("candidates", "folds"), [(49, False), (50, True)])
def test_too_little_is_not_folded_where_nothing_forces_it(candidates: int, folds: bool) -> None:
    desk = Desk(sized(20, 20, candidates - 20, 20, 50, 50, 10), TRIGGER)
    desk.memory.ledger.add(up_to(desk.memory, 2, apples(300)))  # over the trigger by itself
    desk.prepare()
    assert desk.hands.now == ([(2, 4, 6, True)] if folds else [])


# -- waiting for a model ---------------------------------------------------------------------------


def test_a_preset_that_waits_lets_the_model_fold() -> None:
    desk = Desk(sized(400, 400, 10), WAITING)
    prepared = desk.prepare()
    assert desk.hands.waited == [("overflow", 2, 700)]
    assert desk.states == [("folding", True), ("preparing", False)]
    assert contents(prepared) == [FOLDED, apples(6)]
    assert not desk.hands.now and not desk.faults


def test_nobody_needs_to_watch_the_wait() -> None:
    desk = Desk(sized(400, 400, 10), WAITING)
    assert contents(desk.prepare(watched=False)) == [FOLDED, apples(6)]
    assert desk.hands.waited and not desk.states


def test_a_preset_that_waits_waits_for_nothing_where_all_fits() -> None:
    desk = Desk(sized(10, 10, 10), WAITING)
    desk.prepare()
    assert not desk.hands.waited and not desk.states


def test_what_no_model_wrote_is_folded_without_one_if_it_must_be() -> None:
    desk = Desk(sized(400, 400, 10), WAITING, Hands(model=False))
    assert contents(desk.prepare()) == [FOLDED, apples(6)]
    assert desk.hands.waited and desk.hands.now == [(0, 2, 2, True)]


def test_what_no_model_wrote_and_nothing_forces_is_left_as_it_is() -> None:
    desk = Desk(sized(300, 390, 10), replace(WAITING, reserved=100), Hands(model=False))
    assert len(contents(desk.prepare())) == 3
    assert desk.hands.waited and not desk.hands.now


def test_a_fault_while_a_model_is_waited_for_costs_nothing() -> None:
    desk = Desk(sized(400, 400, 10), WAITING)
    desk.hands.fault = RuntimeError("a fault of ours")
    assert contents(desk.prepare()) == [FOLDED, apples(6)]
    assert desk.faults == [desk.hands.fault]
    assert desk.states == [("folding", True), ("preparing", False)]


@pytest.mark.parametrize(("question", "room"), [(717, True), (718, False)])
def test_no_model_is_waited_for_where_no_summary_would_fit(question: int, room: bool) -> None:
    # 750 - 3 - the question: the empty frame of a summary, 29, leaves room for none.
    desk = Desk(sized(100, 100, question), WAITING, Hands(model=False))
    desk.prepare()
    assert bool(desk.hands.waited) == room
    assert desk.hands.now == [(0, 2, 2, room)]  # nor would one replace it


@pytest.mark.parametrize(("ineffective", "waits"), [(0, True), (1, True), (2, False)])
def test_no_model_is_waited_for_after_two_folds_that_made_no_room(
    ineffective: int, waits: bool
) -> None:
    desk = Desk(sized(400, 400, 10), WAITING, Hands(model=False))
    desk.memory.activity.ineffective = ineffective
    desk.prepare()
    assert bool(desk.hands.waited) == waits
    assert desk.hands.now == [(0, 2, 2, waits)]


# -- whether folding made room ---------------------------------------------------------------------


@pytest.mark.parametrize(("question", "ineffective"), [(712, 0), (713, 2)])
def test_a_fold_made_room_if_the_request_fits_with_its_summary(
    question: int, ineffective: int
) -> None:
    desk = Desk(sized(100, 100, question))  # 3 + 35 + 712: 750
    desk.memory.activity.ineffective = 1
    desk.prepare()
    assert desk.memory.activity.ineffective == ineffective
    assert desk.memory.activity.crowded == "m3"


def test_the_same_question_is_judged_once() -> None:
    messages = sized(100, 100, 713)
    desk = Desk(messages, hands=Hands(kept=False))
    desk.prepare()
    desk.prepare()  # its answer failed, and is asked for again
    assert len(desk.hands.now) == 6
    assert desk.memory.activity.ineffective == 1


def test_a_request_that_needed_no_fold_is_not_judged() -> None:
    desk = Desk(sized(10, 10, 10))
    desk.memory.activity.ineffective = 1
    desk.prepare()
    assert desk.memory.activity.ineffective == 1


# -- what it says ----------------------------------------------------------------------------------


def test_a_notice_is_given_with_one_request_and_said_once() -> None:
    desk = Desk(sized(1000))
    desk.memory.activity.tell("Said before.")
    prepared = desk.prepare()
    assert prepared.notices == ["Said before.", QUESTION_CUT] and prepared.cut
    again = desk.prepare()
    assert again.notices == [] and again.cut


LOCKER = chat("My locker code is 4711.", "Noted.", "Hello", "Hi", "What is my locker code?")


@pytest.mark.parametrize(("tokens", "recalls"), [(70, True), (0, False)])
def test_what_was_folded_is_recalled_if_the_preset_recalls(tokens: int, recalls: bool) -> None:
    desk = Desk(LOCKER, replace(PLAIN, recall_tokens=tokens))
    desk.memory.ledger.add(up_to(desk.memory, 2))
    prepared = desk.prepare()
    assert (prepared.account["recall"] > 0) == recalls
    assert ("4711" in contents(prepared)[-1]) == recalls
    assert contents(prepared)[-1].endswith("What is my locker code?")


def test_a_chat_that_is_forgotten_is_not_held_by_its_recall() -> None:
    desk = Desk(LOCKER, replace(PLAIN, recall_tokens=70))
    desk.memory.ledger.add(up_to(desk.memory, 2))
    desk.prepare()
    path = weakref.ref(desk.memory.path)
    del desk.memory
    assert path() is not None  # the next question needs the index
    desk.preparer.forget("another")
    assert path() is not None
    desk.preparer.forget("c")
    assert path() is None


# -- a look at the next request --------------------------------------------------------------------


def test_a_look_at_a_request_that_must_fold_shows_it_folded_and_commits_nothing() -> None:
    desk = Desk(sized(400, 400, 10))
    payload, current = desk.preparer.preview(desk.memory)
    assert desk.hands.drafts == [(0, 2, 2)]
    assert [message.content for message in payload.messages] == [FOLDED, apples(6)]
    assert current is not None and current.text == "Notes."
    assert len(desk.memory.ledger) == 0 and not desk.hands.now


def test_a_look_at_a_request_that_fits_drafts_nothing() -> None:
    for desk in (
        Desk(sized(10, 10, 10)),
        Desk(sized(300, 390, 10), replace(PLAIN, reserved=100)),  # it would fold, nothing forces it
    ):
        payload, current = desk.preparer.preview(desk.memory)
        assert len(payload.messages) == 3 and payload.parts[-1].kind == "question"
        assert not desk.hands.drafts and current is None


def test_a_look_at_an_answered_chat_holds_the_answer() -> None:
    desk = Desk(sized(400, 400, 10, 20))
    payload, _ = desk.preparer.preview(desk.memory)
    assert desk.hands.drafts == [(0, 2, None)]
    assert [message.content for message in payload.messages] == [FOLDED, apples(6), apples(16)]
    assert [part.kind for part in payload.parts] == ["summary", "window", "window"]
