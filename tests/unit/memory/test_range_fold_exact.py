"""Folding a range: which chunks are asked for, committed and counted, and what ends it early.

All is counted by words: a message of n apples costs n + 4, quoted for a model n + 5. A summarising
model with a context of 700 has room for 89 tokens of messages beside notes of 100.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import pytest

from app.conversation.message import Message
from app.conversation.tree import Conversation
from app.memory.commit import Committer, Read
from app.memory.conversation_memory import ConversationMemory
from app.memory.flights import Flights
from app.memory.ledger import Fold
from app.memory.policies import MemorySettings, Policy
from app.memory.range_fold import DROPPED, Order, RangeFolder
from app.memory.results import CompactResult, result_of
from app.memory.utility import Utilities
from app.models.errors import Aborted, Server
from app.models.port import ChatModel, Delta, WireMessage
from app.models.usage import CallLog
from tests.support.chats import Bench, apples, chat
from tests.support.fakes import FakeIds, ScriptedModel
from tests.support.words import WordTokenizer
from tests.unit.run import run

SETTINGS = MemorySettings(Policy("pleat", summary_limit=100), 1000)
NOTES = ("Ada keeps hens.", "Ada keeps two hens.", "Ada keeps no hens.")  # 4, 5, 5 tokens
SIX = chat(*[apples(20)] * 6)  # three turns of 48 tokens, 50 quoted: one a chunk
TOO_SMALL = "the summarising model's context is too small"


class Table:
    """A folder over a bench of its own, whose folds have the ids fold1, fold2…"""

    def __init__(
        self, model: ChatModel | None, context: int = 700, messages: Sequence[Message] = SIX
    ) -> None:
        self.bench = Bench(SETTINGS, utility=model, utility_context=context)
        self.bench.clock.advance(5000)  # the tab has been open for some time
        clock, counter = self.bench.clock, self.bench.counter
        flights = Flights(self.bench.locks, clock)
        calls = CallLog(
            self.bench.usage.append, self.bench.ids.new, clock.now, clock.elapsed, counter.text
        )
        self.folder = RangeFolder(
            counter=counter,
            clock=clock,
            ids=FakeIds("fold"),
            utilities=Utilities(
                counter=counter,
                clock=clock,
                roles=self.bench.roles,
                calls=calls,
                flights=flights,
                report=lambda fault: None,
            ),
            committer=Committer(self.bench.shelf, clock, lambda memory, fold: None),
        )
        self.memory: ConversationMemory = self.bench.open(messages)
        self.progress: list[tuple[int, int]] = []

    def fold(
        self,
        start: int = 0,
        end: int = 6,
        *,
        keep: bool = True,
        parent: Fold | None = None,
        current: Fold | None = None,
        replaces: str | None = None,
    ) -> CompactResult:
        order = Order(
            start,
            end,
            "manual",
            Read(parent, current or parent, None),
            keep=keep,
            progress=lambda done, total: self.progress.append((done, total)),
            replaces=replaces,
        )
        return run(self.folder.fold(self.memory, order))

    @property
    def folds(self) -> list[Fold]:
        return list(self.memory.ledger)


class Slow(ScriptedModel):
    """Each call takes 100 ms."""

    table: Table

    async def stream(
        self,
        messages: Sequence[WireMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> AsyncIterator[Delta]:
        self.table.bench.clock.advance(100)
        async for delta in super().stream(messages, max_tokens=max_tokens, temperature=temperature):
            yield delta


def slow(**others: object) -> Table:
    model = Slow(script=list(NOTES))
    model.table = Table(model, **others)  # type: ignore[arg-type]
    return model.table


def test_each_chunk_that_ends_a_turn_is_an_entry_that_builds_on_the_one_before() -> None:
    table = slow()
    result = table.fold()
    assert [(f.id, f.parent_id, f.covered, f.boundary, f.text, f.commit) for f in table.folds] == [
        ("fold1", None, ("m1", "m2"), "m2", NOTES[0], 1),
        ("fold2", "fold1", ("m3", "m4"), "m4", NOTES[1], 2),
        ("fold3", "fold2", ("m5", "m6"), "m6", NOTES[2], 3),
    ]
    # Given: two messages of 24, and the notes before them.
    assert [(f.tokens_in, f.tokens_out, f.count) for f in table.folds] == [
        (48, 4, 2),
        (48 + 4, 5, 2),
        (48 + 5, 5, 2),
    ]
    assert [f.duration_ms for f in table.folds] == [100, 100, 100]
    assert [f.created_at for f in table.folds] == [
        1_700_000_000_000 + 5000 + n for n in (100, 200, 300)
    ]
    for entry in table.folds:
        assert table.memory.ledger.valid(entry, table.memory.path)
        assert (entry.conversation_id, entry.trigger) == ("c", "manual")
        assert (entry.model, entry.method, entry.used_fallback) == ("scripted", "model", False)
        assert (entry.sources, entry.note, entry.replaces) == ((None,), "", None)
    assert table.progress == [(2, 6), (4, 6), (6, 6)]
    assert result == result_of(table.folds[-1])


def test_what_must_not_be_kept_in_part_is_one_entry() -> None:
    table = slow()
    result = table.fold(keep=False)
    [entry] = table.folds
    assert entry.covered == ("m1", "m2", "m3", "m4", "m5", "m6")
    assert (entry.parent_id, entry.boundary, entry.text) == (None, "m6", NOTES[2])
    assert (entry.tokens_in, entry.count) == (48 + 52 + 53, 6)
    assert entry.duration_ms == 300
    assert table.progress == [(6, 6)]
    assert result == result_of(entry)


def test_a_part_of_a_turn_is_committed_with_its_end() -> None:
    # 65 each when quoted, room for 89: a chunk for each message, and one entry for the turn.
    table = slow(messages=chat(apples(60), apples(60), "And?"))
    table.fold(0, 2)
    [entry] = table.folds
    assert (entry.covered, entry.tokens_in, entry.text) == (("m1", "m2"), 64 + 64 + 4, NOTES[1])
    assert table.progress == [(2, 2)]


def test_what_a_call_leaves_undone_is_folded_without_a_model_onto_what_is_done() -> None:
    boom = Server("boom", status=500)
    table = Table(ScriptedModel(script=[NOTES[0], boom]))
    result = table.fold()
    first, rest = table.folds
    assert (first.covered, first.model, first.used_fallback) == (("m1", "m2"), "scripted", False)
    assert (rest.covered, rest.model, rest.used_fallback) == (("m3", "m4", "m5", "m6"), "", True)
    assert (rest.parent_id, rest.boundary) == (first.id, "m6")
    assert (rest.tokens_in, rest.note, rest.method) == (4 + 4 * 24, str(boom), "extractive")
    assert NOTES[0] in rest.text
    assert table.progress == [(2, 6), (6, 6)]
    assert result == result_of(rest)


def test_a_whole_of_which_a_call_failed_has_the_fallbacks_mark() -> None:
    table = Table(ScriptedModel(script=[NOTES[0], Server("boom", status=500)]))
    table.fold(keep=False)
    [entry] = table.folds
    assert (entry.count, entry.tokens_in) == (6, 48 + 4 + 4 * 24)
    assert (entry.model, entry.used_fallback) == ("", True)
    assert NOTES[0] in entry.text


def test_without_a_model_the_range_is_one_entry() -> None:
    table = Table(None)
    result = table.fold(end=4)
    [entry] = table.folds
    assert (entry.covered, entry.tokens_in, entry.count) == (("m1", "m2", "m3", "m4"), 96, 4)
    assert (entry.model, entry.used_fallback, entry.note) == ("", True, "")
    assert table.progress == [(4, 4)] and result == result_of(entry)


@pytest.mark.parametrize(("context", "asked"), [(667, True), (666, False)])
def test_a_model_with_room_for_less_than_64_tokens_is_not_asked(context: int, asked: bool) -> None:
    # Three quarters of the context, less 246 of instructions, 90 and the notes' 100: 64 or 63.
    model = ScriptedModel(default=NOTES[0])
    table = Table(model, context)
    table.fold()
    assert bool(model.calls) == asked
    assert [f.note for f in table.folds] == (["", "", ""] if asked else [TOO_SMALL])
    assert table.folds[-1].boundary == "m6" and table.folds[-1].used_fallback == (not asked)


@pytest.mark.parametrize(("last", "calls"), [(24, 0), (25, 1)])
def test_under_fifty_tokens_no_model_is_asked(last: int, calls: int) -> None:
    model = ScriptedModel(default=NOTES[0])
    table = Table(model, messages=chat(apples(25), apples(last)))
    table.fold(end=2)
    assert len(model.calls) == calls
    assert [f.method for f in table.folds] == ["model" if calls else "verbatim"]


def test_a_range_in_which_nothing_is_eligible_makes_no_entry() -> None:
    table = Table(ScriptedModel(default=NOTES[0]))
    excluded = Conversation(id="c", excluded=frozenset({"m1"}))
    table.memory = table.bench.open(SIX, excluded)
    assert table.fold(end=2) == CompactResult("nothing")
    assert not table.folds and not table.progress


def test_only_what_is_eligible_in_the_range_is_given() -> None:
    model = ScriptedModel(default=NOTES[0])
    table = Table(model)
    table.memory = table.bench.open(SIX, Conversation(id="c", excluded=frozenset({"m3"})))
    table.fold()
    assert [f.covered for f in table.folds] == [("m1", "m2"), ("m5", "m6")]
    assert table.progress == [(2, 4), (4, 4)]


# -- what ends a fold ------------------------------------------------------------------------------


def test_a_call_that_is_aborted_ends_the_fold_and_keeps_what_is_done() -> None:
    model = ScriptedModel(script=[NOTES[0], Aborted("")])
    table = Table(model)
    assert table.fold() == CompactResult("cancelled", reason="The fold was stopped.")
    assert [f.covered for f in table.folds] == [("m1", "m2")]


@pytest.mark.parametrize("model", [None, ScriptedModel(default=NOTES[0])])
def test_a_fold_of_a_conversation_that_was_changed_is_dropped(model: ChatModel | None) -> None:
    table = Table(model)
    table.bench.shelf.numbers["c"] = (1, 0)  # another tab has deleted a message
    assert table.fold() == DROPPED
    assert CompactResult("dropped", reason="The conversation changed meanwhile.") == DROPPED
    assert not table.folds and not table.progress


# -- a provisional fold that a model may replace ---------------------------------------------------


def provisional(table: Table) -> Fold:
    """A fold of the first two turns that was made so that an answer need not wait."""
    chain = table.memory.path.chain(3)
    entry = Fold("quick", "c", None, ("m1",), "m4", chain, "Quick notes.", provisional=True)
    table.memory.ledger.add(entry)
    return entry


def test_a_model_replaces_a_provisional_fold_by_one_entry_for_the_whole() -> None:
    table = Table(ScriptedModel(script=list(NOTES)))
    quick = provisional(table)
    result = table.fold(end=4, keep=False, current=quick, replaces="quick")
    better = table.memory.ledger.current(table.memory.path)
    assert better is not None and (better.id, better.replaces) == ("fold1", "quick")
    assert (better.parent_id, better.boundary, better.count) == (None, "m4", 4)
    assert result == result_of(better)


@pytest.mark.parametrize(
    ("model", "context", "reason"),
    [
        (None, 700, ""),
        (ScriptedModel(default=NOTES[0]), 666, TOO_SMALL),
        (
            ScriptedModel(script=[NOTES[0], Server("boom", status=500)]),
            700,
            str(Server("boom", status=500)),
        ),
    ],
)
def test_where_no_model_can_write_the_provisional_fold_stays(
    model: ChatModel | None, context: int, reason: str
) -> None:
    table = Table(model, context)
    quick = provisional(table)
    result = table.fold(end=4, keep=False, current=quick, replaces="quick")
    assert result == CompactResult("nothing", reason=reason)
    assert table.folds == [quick]


def test_a_provisional_fold_of_next_to_nothing_is_not_replaced() -> None:
    model = ScriptedModel(default=NOTES[0])
    table = Table(model, messages=chat("One", "Two", "Three", "Four"))
    quick = provisional(table)
    result = table.fold(end=4, keep=False, current=quick, replaces="quick")
    assert result == CompactResult("nothing") and not model.calls and table.folds == [quick]


# -- an entry by itself ----------------------------------------------------------------------------


def test_an_entry_without_messages_has_no_boundary_of_its_own() -> None:
    table = Table(None)
    table.bench.clock.advance(70)
    folded = run(table.folder.by_hand(table.memory, None, SIX[:2]))
    began = table.bench.clock.elapsed()
    table.bench.clock.advance(30)
    entry = table.folder.entry(table.memory, None, (), folded, "manual", "m", began)
    assert (entry.boundary, entry.path_digest, entry.covered, entry.count) == ("", "", (), 0)
    assert (entry.duration_ms, entry.model, entry.used_fallback) == (30, "m", False)


def test_the_page_breathes_between_the_portions_of_a_long_backlog() -> None:
    class Heavy(WordTokenizer):
        """Each word is a hundred tokens, so that a long backlog is quickly read."""

        def count_many(self, texts: Sequence[str]) -> list[int]:
            return [100 * count for count in super().count_many(texts)]

    table = Table(None)
    table.bench.counter.use(Heavy())
    tail = replace(SETTINGS, policy=Policy("minisearch", fallback="tail"))
    table.memory = table.bench.open(SIX, settings=tail)
    many = chat(*[apples(30)] * 5)  # 15,020 tokens: in portions of 6000 and a little more

    async def story() -> int:
        breaths = 0

        async def breathe() -> None:
            nonlocal breaths
            while True:
                breaths += 1
                await asyncio.sleep(0)

        page = asyncio.ensure_future(breathe())
        await table.folder.by_hand(table.memory, None, many)
        page.cancel()
        return breaths

    assert run(story()) == 2  # three portions
