"""May the summarising model be asked, with how much, and what its failure means."""

from __future__ import annotations

import asyncio

import pytest

from app.memory.flights import Flights
from app.memory.folding import Folded, gather, reply_room
from app.memory.ledger import Trigger
from app.memory.policies import MemorySettings
from app.memory.results import CompactResult
from app.memory.utility import Failed, Utilities, Utility
from app.models.errors import Aborted, Auth, ContextOverflow, Server
from app.models.roles import Assigned, Roles
from app.models.usage import CallLog, UsageRecord
from tests.support.chats import Bench, chat
from tests.support.fakes import FakeClock, FakeIds, FakeLocks, Reply, ScriptedModel, settle
from tests.unit.run import run

NOTES = "Ada keeps 3 hens."
MESSAGES = chat("Ada keeps 3 hens in her garden.", "How nice!", "And cats?")
SIZE = 8192
REFUSED = "the summarising model refused the key or has no credit"


class Desk:
    """The utility models of a tab whose only one answers from a script."""

    def __init__(self, *script: Reply | str | BaseException, factor: float = 1.0) -> None:
        self.model = ScriptedModel(script=list(script), default=NOTES)
        self.bench = Bench(MemorySettings(factor=factor))
        self.clock = FakeClock()
        self.flights = Flights(FakeLocks(), self.clock)
        self.roles = Roles(None, Assigned(self.model, SIZE))
        self.faults: list[BaseException] = []
        self.usage: list[UsageRecord] = []
        self.memory = self.bench.open(MESSAGES)
        self.utilities = Utilities(
            counter=self.bench.counter,
            clock=self.clock,
            roles=lambda: self.roles,
            calls=CallLog(self.usage.append, FakeIds().new, self.clock.now, self.clock.elapsed),
            flights=self.flights,
            report=self.faults.append,
        )

    def why_not(self, trigger: Trigger = "auto") -> str:
        found, why = self.utilities.usable(self.memory, trigger)
        assert (found is None) == bool(why)
        return why

    def usable(self, trigger: Trigger = "auto") -> Utility:
        found, _ = self.utilities.usable(self.memory, trigger)
        assert found is not None
        return found

    async def ask(self, utility: Utility | None = None) -> Folded:
        material = gather(None, self.memory.path.messages[:2], 400, self.bench.counter)
        utility = utility or self.usable()
        return await self.utilities.ask(self.memory, utility, material, 500, "auto", 1_000)

    def fails(self) -> str:
        """Ask once more, in a turn of its own; what is said."""
        self.memory.activity.attempted = ""
        with pytest.raises(Failed) as failed:
            run(self.ask())
        return str(failed.value)


# May it be asked?


def test_without_a_model_there_is_none_and_nothing_to_say() -> None:
    desk = Desk()
    assert desk.utilities.exists
    desk.roles = Roles(None)
    assert not desk.utilities.exists
    assert desk.utilities.usable(desk.memory, "auto") == (None, "")


@pytest.mark.parametrize(
    ("size", "factor", "context"),
    [(8192, 1.0, 8192), (8192, 0.5, 8192), (8192, 2.0, 4096), (1000, 3.0, 333)],
)
def test_the_chats_model_counts_by_its_learned_factor(
    size: int, factor: float, context: int
) -> None:
    desk = Desk(factor=factor)
    desk.roles = Roles(Assigned(desk.model, size))
    assert desk.usable() == Utility(desk.model, context, size)
    assert desk.usable().name == "scripted"


def test_the_factor_of_the_chats_model_says_nothing_of_another() -> None:
    desk = Desk(factor=2.0)
    assert desk.usable() == Utility(desk.model, SIZE, SIZE)


@pytest.mark.parametrize("trigger", ["auto", "overflow", "manual"])
def test_a_model_is_asked_once_in_a_turn(trigger: Trigger) -> None:
    desk = Desk()
    desk.memory.activity.attempted = "m1"
    assert desk.why_not(trigger) == ""
    desk.memory.activity.attempted = "m3"
    assert desk.why_not(trigger) == "the summarising model was already asked in this turn"


def test_before_the_first_question_there_is_no_turn_to_be_asked_in() -> None:
    desk = Desk()
    desk.memory = desk.bench.open(chat("Welcome!", first="assistant"))
    assert desk.memory.question_id() == desk.memory.activity.attempted == ""
    assert desk.why_not() == ""


@pytest.mark.parametrize(
    ("ineffective", "trigger", "why"),
    [
        (1, "auto", ""),
        (2, "auto", "folding makes no room here"),
        (2, "overflow", "folding makes no room here"),
        (3, "auto", "folding makes no room here"),
        (3, "manual", ""),  # a person may ask for it
    ],
)
def test_after_two_folds_that_made_no_room_no_model_is_asked_unless_a_person_asks(
    ineffective: int, trigger: Trigger, why: str
) -> None:
    desk = Desk()
    desk.memory.activity.ineffective = ineffective
    assert desk.why_not(trigger) == why


def test_the_gravest_reason_is_said() -> None:
    desk = Desk(Auth("no"))
    desk.fails()
    assert desk.memory.activity.attempted == "m3"
    assert desk.why_not() == REFUSED
    desk.utilities.trial()
    desk.memory.activity.ineffective = 2
    assert desk.why_not() == "the summarising model was already asked in this turn"


# One call


def test_a_reply_becomes_a_summary() -> None:
    desk = Desk()
    folded = run(desk.ask())
    assert (folded.text, folded.method) == (NOTES, "model")
    [call] = desk.model.calls
    cap = gather(None, MESSAGES[:2], 400, desk.bench.counter).cap
    assert call.max_tokens == reply_room(SIZE, cap)
    assert "Ada keeps 3 hens in her garden." in call.messages[1].content
    [record] = desk.usage
    assert (record.conversation_id, record.role, record.trigger) == ("c", "utility", "auto")
    assert desk.memory.activity.attempted == "" and desk.faults == []


def test_a_success_ends_a_row_of_failures() -> None:
    desk = Desk(Server("one"), Server("two"), NOTES, Server("three"))
    desk.fails()
    desk.fails()
    desk.memory.activity.attempted = ""
    run(desk.ask())
    desk.fails()
    desk.memory.activity.attempted = ""
    assert desk.why_not() == ""


def test_after_three_failures_the_model_has_ten_minutes_and_then_one_trial() -> None:
    async def story() -> None:
        gate = asyncio.Event()
        desk = Desk(Server("1"), Server("2"), Server("3"), Reply([NOTES], gate=gate))
        for _ in range(3):
            with pytest.raises(Failed):
                await desk.ask()
            desk.memory.activity.attempted = ""
        assert desk.why_not() == "the summarising model failed; next try in 10 min"
        desk.clock.advance(600_000)
        trial = asyncio.ensure_future(desk.ask())
        await settle()
        # Another chat must wait for how the trial ends.
        assert desk.why_not() == "the summarising model failed; next try in 10 min"
        gate.set()
        assert (await trial).text == NOTES
        assert desk.why_not() == ""

    run(story())


@pytest.mark.parametrize(
    ("reply", "said", "reported"),
    [
        (Server("down", status=500), "The server failed (HTTP 500). Try again. It said: “down”", 0),
        ("", None, 0),  # a reply that is no summary is no fault of the program
        (ValueError("odd"), "odd", 1),
        (ValueError(), "the summarising model failed", 1),
    ],
)
def test_a_failure_is_said_and_only_a_fault_of_the_program_is_reported(
    reply: str | BaseException, said: str | None, reported: int
) -> None:
    desk = Desk(reply)
    told = desk.fails()
    assert told == said if said is not None else told
    assert desk.memory.activity.attempted == "m3"
    assert len(desk.faults) == reported
    assert desk.memory.activity.notices == []


def test_a_refused_key_is_said_to_the_person_and_tried_again_after_a_change() -> None:
    desk = Desk(Auth("", status=401))
    desk.fails()
    assert desk.memory.activity.notices == [
        "The summarising model refused the call. The server refused the API key (HTTP 401). Check"
        " the key in Settings, and that it may use this model. Summaries are made without a model"
        " until the settings change."
    ]
    desk.memory.activity.attempted = ""
    assert desk.why_not() == REFUSED
    desk.utilities.trial()
    assert desk.why_not() == ""


def test_an_aborted_call_is_neither_a_failure_nor_the_turns_one_call() -> None:
    desk = Desk(*[Aborted()] * 4)
    for _ in range(4):
        with pytest.raises(Aborted):
            run(desk.ask())
    assert desk.memory.activity.attempted == "" and desk.why_not() == ""


def test_a_skip_is_the_turns_one_call_and_no_failure() -> None:
    async def story() -> None:
        desk = Desk(*[Reply([NOTES], gate=asyncio.Event()) for _ in range(3)])
        said: list[str] = []

        async def work() -> CompactResult:
            try:
                await desk.ask()
            except Failed as failed:
                said.append(str(failed))
            return CompactResult("nothing")

        for _ in range(3):
            desk.memory.activity.attempted = ""
            flight = asyncio.ensure_future(desk.flights.alone("c", "manual", work))
            await settle()
            desk.flights.skip("c")
            await flight
        assert said == ["the summarising model was not waited for"] * 3
        assert desk.memory.activity.attempted == "m3"
        desk.memory.activity.attempted = ""
        assert desk.why_not() == ""

    run(story())


# What a server says of its context


@pytest.mark.parametrize(
    ("stated", "size"),
    [
        (0, 4096),  # not stated: half of what was believed
        (255, 4096),  # a slip
        (256, 256),
        (6000, 6000),
        (8191, 8191),
        (8192, 4096),  # what was believed already, and it did not fit
        (9000, 4096),
    ],
)
def test_a_context_that_a_server_states_is_remembered_where_it_can_be_true(
    stated: int, size: int
) -> None:
    desk = Desk(ContextOverflow(limit=stated))
    desk.fails()
    desk.memory.activity.attempted = ""
    assert desk.usable() == Utility(desk.model, size, size)
    desk.utilities.trial()  # the settings have changed: they are believed again
    assert desk.usable() == Utility(desk.model, SIZE, SIZE)


@pytest.mark.parametrize(("stated", "context"), [(6000, 3000), (0, 2048)])
def test_a_stated_context_is_in_the_models_own_tokens(stated: int, context: int) -> None:
    desk = Desk(ContextOverflow(limit=stated), factor=2.0)
    desk.roles = Roles(Assigned(desk.model, SIZE))
    desk.fails()
    desk.memory.activity.attempted = ""
    assert desk.usable().context == context


def test_a_setting_below_what_the_server_stated_counts() -> None:
    desk = Desk(ContextOverflow(limit=6000))
    desk.fails()
    desk.memory.activity.attempted = ""
    desk.roles = Roles(None, Assigned(desk.model, 1000))
    assert desk.usable().context == 1000


def test_what_one_model_did_says_nothing_of_another() -> None:
    desk = Desk(Auth("no"))
    desk.fails()
    desk.memory.activity.attempted = ""
    other = ScriptedModel("other")
    desk.roles = Roles(None, Assigned(other, SIZE))
    assert desk.usable() == Utility(other, SIZE, SIZE)
