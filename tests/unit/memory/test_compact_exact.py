"""What each kind of fold writes, refuses and waits for."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from app.memory.compact import Compactor
from app.memory.conversation_memory import ConversationMemory
from app.memory.flights import Flights
from app.memory.ledger import Fold
from app.memory.plan import Cut
from app.memory.policies import MemorySettings
from app.memory.results import CompactResult
from app.models.usage import CallLog
from tests.support.chats import Bench, FoldShelf, apples, chat
from tests.support.fakes import Reply, ScriptedModel, settle
from tests.unit.run import run

SETTINGS = MemorySettings(context_size=512)  # a summary may hold 102 tokens
HENS = "Ada keeps 3 hens."
FOUR = tuple(f"My number {n} is 4{n}. " + apples(20) for n in range(4))


class Broken(FoldShelf):
    """Storage that fails."""

    async def counters(self, conversation_id: str) -> tuple[int, int] | None:
        """Fail."""
        raise OSError("storage is gone")


@dataclass
class Tab:
    """A compactor and the memory of some messages, nothing folded yet."""

    texts: Sequence[str] = FOUR
    utility: ScriptedModel | None = None
    shelf: FoldShelf = field(default_factory=FoldShelf)
    utility_context: int = 8192
    reported: list[BaseException] = field(default_factory=list[BaseException])

    def __post_init__(self) -> None:
        self.bench = bench = Bench(
            SETTINGS, self.utility, utility_context=self.utility_context, shelf=self.shelf
        )
        self.memory = bench.open(chat(*self.texts))
        self.compactor = Compactor(
            store=self.shelf,
            counter=bench.counter,
            clock=bench.clock,
            ids=bench.ids,
            roles=bench.roles,
            calls=CallLog(
                bench.usage.append,
                bench.ids.new,
                bench.clock.now,
                bench.clock.elapsed,
                bench.counter.text,
            ),
            flights=Flights(bench.locks, bench.clock),
            committed=lambda memory, fold: None,
            report=self.reported.append,
        )

    def hold(self, end: int, text: str = HENS, **fields: Any) -> Fold:
        """An entry that covers the first ``end`` messages, in the store and in this tab."""
        path = self.memory.path
        covered = tuple(message.id for message in path.messages[:end])
        fold = Fold("held", "c", None, covered, covered[-1], path.chain(end - 1), text, **fields)
        committed = run(self.shelf.commit_fold(fold, structure=0, commit=0))
        assert committed == "ok"
        run(self.compactor.refresh(self.memory))
        return self.current

    @property
    def current(self) -> Fold:
        fold = self.memory.current
        assert fold is not None
        return fold

    def compact(self, cut: Cut | None, **terms: Any) -> CompactResult:
        return run(
            self.compactor.compact(self.memory, "manual", lambda memory, current: cut, **terms)
        )

    def edit(self, text: str, based_on: str | None = None) -> CompactResult:
        return run(self.compactor.edit(self.memory, text, based_on))


def now(tab: Tab, end: int, replaceable: bool = True) -> tuple[Fold, bool]:
    cut = Cut(0, end, "", forced=True)
    return run(tab.compactor.fold_now(tab.memory, cut, None, replaceable=replaceable))


# -- without a model, at once ---------------------------------------------------------------


def test_a_fold_at_once_says_what_it_was_made_of() -> None:
    tab = Tab()
    fold, kept = now(tab, 2)
    assert kept and tab.current == fold
    assert (fold.covered, fold.boundary, fold.count) == (("m1", "m2"), "m2", 2)
    assert (fold.trigger, fold.method, fold.used_fallback) == ("overflow", "extractive", True)
    # My number 0 is 40 . and 20 apples: 26 tokens and the overhead of 4, twice
    assert fold.tokens_in == 60


def test_a_fold_at_once_builds_on_the_memory_before_the_question() -> None:
    tab = Tab()
    held = tab.hold(2)
    cut = Cut(2, 4, "", forced=True)
    fold, _ = run(tab.compactor.fold_now(tab.memory, cut, 3, replaceable=True))
    assert (fold.parent_id, fold.covered) == ("held", ("m3", "m4"))
    assert fold.tokens_in == 5 + 60  # the five tokens of its parent's text
    again, kept = run(tab.compactor.fold_now(tab.memory, cut, 1, replaceable=True))
    assert again.parent_id is None and kept  # the held one covers a question that is the second
    assert held.text == HENS


@pytest.mark.parametrize(
    ("text", "utility", "replaceable", "provisional"),
    [
        (apples(60), True, True, True),
        (apples(60), True, False, False),  # no room for any summary: none need be written
        (apples(60), False, True, False),  # there is nobody to write a better one
        ("Hello", True, True, False),  # it is kept word for word: none is better
    ],
)
def test_a_model_may_replace_what_it_can_do_better(
    text: str, utility: bool, replaceable: bool, provisional: bool
) -> None:
    tab = Tab((text, "Fine."), ScriptedModel() if utility else None)
    assert now(tab, 2, replaceable)[0].provisional == provisional


def test_a_fold_that_cannot_be_stored_serves_its_request_alone() -> None:
    tab = Tab(shelf=Broken())
    fold, kept = now(tab, 2)
    assert not kept and fold.covered == ("m1", "m2") and tab.memory.current is None
    assert [str(fault) for fault in tab.reported] == ["storage is gone"]
    run(tab.compactor.refresh(tab.memory))
    assert len(tab.reported) == 2


@pytest.mark.parametrize("kept", [True, False])
def test_a_fold_in_flight_ends_when_another_was_committed_under_it(kept: bool) -> None:
    async def story() -> None:
        gate = asyncio.Event()
        tab = Tab(utility=ScriptedModel(script=[Reply([HENS], gate=gate)]))
        work = tab.compactor.compact(
            tab.memory, "manual", lambda memory, current: Cut(0, 4, "", False)
        )
        task = asyncio.ensure_future(work)
        await settle()
        if not kept:
            tab.shelf.gone.add("c")
        cut = Cut(0, 2, "", forced=True)
        done = await tab.compactor.fold_now(tab.memory, cut, None, replaceable=True)
        assert done[1] == kept
        gate.set()
        assert (await task).status == ("cancelled" if kept else "dropped")

    run(story())


def test_a_draft_is_the_fold_that_would_be_made_and_is_not_kept() -> None:
    tab = Tab()
    draft = tab.compactor.draft(tab.memory, Cut(0, 2, "", forced=True), None)
    assert tab.memory.current is None and not tab.shelf.entries
    assert (draft.covered, draft.trigger, draft.model) == (("m1", "m2"), "overflow", "")
    assert draft.text == now(tab, 2)[0].text


# -- by the model ---------------------------------------------------------------------------


def test_where_there_is_nothing_to_fold_it_is_said() -> None:
    tab = Tab()
    reason = "There is nothing to fold yet."
    assert tab.compact(None) == CompactResult("nothing", reason=reason)


def test_what_is_too_little_is_folded_only_where_it_must_be() -> None:
    tab = Tab(("Hello, I am Ada.", "Hello.", "How are you?", "Fine."))
    refused = tab.compact(Cut(0, 4, "", forced=False))
    assert refused == CompactResult("nothing", reason="Too little to fold: under 50 tokens.")
    assert tab.compact(Cut(0, 4, "", forced=True)).status == "folded"


def test_a_fold_must_find_the_memory_that_it_read() -> None:
    tab = Tab(utility=ScriptedModel(default=HENS))
    tab.hold(2)
    asked: list[Fold | None] = []

    def cut_for(memory: ConversationMemory, current: Fold | None) -> Cut:
        asked.append(current)
        return Cut(2, 4, "", forced=False)

    result = run(tab.compactor.compact(tab.memory, "overflow", cut_for))
    assert result.status == "folded" and [fold and fold.id for fold in asked] == ["held"]
    assert tab.current.parent_id == "held" and tab.current.trigger == "overflow"


def test_the_memory_that_covers_the_question_is_not_built_upon() -> None:
    tab = Tab(utility=ScriptedModel(default=HENS))
    tab.hold(3)
    result = tab.compact(Cut(0, 2, "", forced=True), before=lambda: 2)
    assert result.status == "folded"
    newest = list(tab.memory.ledger)[-1]
    assert newest.parent_id is None and newest.boundary == "m2"


async def waiting(tab: Tab, work: Coroutine[Any, Any, CompactResult], until: float) -> None:
    """``work`` ends when the clock has come to ``until``, and not a millisecond before."""
    task = asyncio.ensure_future(work)
    await settle()
    tab.bench.clock.advance(until - 1)
    await settle()
    assert not task.done()
    tab.bench.clock.advance(1)
    await settle()
    assert task.done() and (await task).used_fallback


@pytest.mark.parametrize(("within", "until"), [(1000, 1000), (None, 120_000)])
def test_the_model_is_waited_for_so_long(within: int | None, until: int) -> None:
    async def story() -> None:
        tab = Tab(utility=ScriptedModel(script=[Reply(["late"], gate=asyncio.Event())]))
        cut = Cut(0, 4, "", False)
        work = tab.compactor.compact(
            tab.memory, "manual", lambda memory, current: cut, within_ms=within
        )
        await waiting(tab, work, until)
        assert tab.bench.usage[0].outcome == "stopped"

    run(story())


def test_another_tabs_lock_is_waited_for_a_quarter_of_a_second_longer() -> None:
    async def story() -> None:
        tab = Tab()
        await tab.bench.locks.acquire("pleat.fold.c")
        cut = Cut(0, 4, "", False)
        work = tab.compactor.compact(
            tab.memory, "manual", lambda memory, current: cut, within_ms=1000
        )
        await waiting(tab, work, 1250)

    run(story())


# -- instead of what there is -----------------------------------------------------------------


@pytest.mark.parametrize("provisional", [None, False])
def test_only_a_provisional_fold_is_replaced(provisional: bool | None) -> None:
    tab = Tab(utility=ScriptedModel(default="Better."))
    if provisional is not None:
        tab.hold(2, provisional=provisional)
    result = run(tab.compactor.replace_provisional(tab.memory))
    assert result == CompactResult("nothing")


@pytest.mark.parametrize("end", [1, 4])
def test_what_replaces_a_fold_covers_the_same(end: int) -> None:
    tab = Tab((apples(60), *FOUR), ScriptedModel(default="Better."))
    held = tab.hold(end, provisional=True)
    result = run(tab.compactor.replace_provisional(tab.memory))
    assert (result.status, result.count) == ("folded", end)
    assert result.content.split("\n")[0] == "Better."
    fold = tab.current
    assert (fold.replaces, fold.parent_id, fold.trigger) == ("held", None, "auto")
    assert (fold.covered, fold.boundary) == (held.covered, held.boundary)


@pytest.mark.parametrize("end", [1, 4])
def test_a_rebuild_reads_the_originals_up_to_the_same_boundary(end: int) -> None:
    tab = Tab((apples(60), *FOUR), ScriptedModel(default="Whole."))
    held = tab.hold(end)
    done: list[tuple[int, int]] = []
    result = run(tab.compactor.rebuild(tab.memory, lambda n, total: done.append((n, total))))
    assert (result.status, result.count) == ("folded", end)
    assert result.content.split("\n")[0] == "Whole."
    assert (tab.current.parent_id, tab.current.trigger) == (None, "manual")
    assert tab.current.covered == held.covered and done == [(end, end)]


def test_without_a_summary_there_is_none_to_rebuild() -> None:
    reason = "There is no summary to rebuild."
    tab = Tab()
    assert run(tab.compactor.rebuild(tab.memory)) == CompactResult("nothing", reason=reason)


@pytest.mark.parametrize("kind", ["replace", "rebuild"])
def test_what_stands_for_a_fold_is_committed_whole(kind: str) -> None:
    texts = [f"My number {n} is 4{n}. " + apples(60) for n in range(6)]
    model = ScriptedModel(script=[f"Notes {n}." for n in range(6)])
    tab = Tab(texts, model, utility_context=700)
    tab.hold(6, provisional=True)
    work = {"replace": tab.compactor.replace_provisional, "rebuild": tab.compactor.rebuild}[kind]
    assert run(work(tab.memory)).count == 6
    assert len(model.calls) > 1 and len(tab.memory.ledger) == 2


# -- by hand --------------------------------------------------------------------------------


def test_an_edit_is_an_entry_of_its_own_on_the_same_boundary() -> None:
    tab = Tab()
    held = tab.hold(2, "One hen.\nTwo hens.", sources=("m1", "m2"), tokens_out=6)
    result = tab.edit("  Three hens.  \n\u200b\nTwo hens.\n", "held")
    assert (result.status, result.content) == ("folded", "Three hens.\nTwo hens.")
    fold = tab.current
    assert fold.sources == (None, "m2")
    assert (fold.parent_id, fold.covered, fold.count) == ("held", (), 0)
    assert (fold.boundary, fold.path_digest) == (held.boundary, held.path_digest)
    assert (fold.tokens_in, fold.tokens_out) == (6, 7)  # a line break is one, too
    assert (fold.method, fold.trigger, fold.model) == ("edited", "manual", "")
    assert not fold.used_fallback  # a person wrote it


def test_an_edit_of_lines_without_sources_has_none() -> None:
    tab = Tab()
    tab.hold(2, "One hen.\nTwo hens.")
    assert tab.edit("One hen.\nTwo hens.").status == "folded"
    assert tab.current.sources == (None, None)


@pytest.mark.parametrize(("tokens", "status"), [(101, "folded"), (102, "folded"), (103, "nothing")])
def test_an_edit_is_held_to_the_limit(tokens: int, status: str) -> None:
    tab = Tab()
    tab.hold(2)
    result = tab.edit(apples(tokens))
    assert result.status == status
    if status == "nothing":
        assert result.reason == f"The summary holds {tokens} tokens; the limit is 102."


@pytest.mark.parametrize(
    ("text", "based_on", "status", "reason"),
    [
        (" \n\u200b", None, "nothing", "A summary cannot be empty. Undo it instead."),
        (
            "Mine.",
            "another",
            "dropped",
            "The summary has changed since you began to edit it: look at it again.",
        ),
    ],
)
def test_an_edit_that_cannot_be_taken_says_why(
    text: str, based_on: str | None, status: str, reason: str
) -> None:
    tab = Tab()
    held = tab.hold(2)
    result = tab.edit(text, based_on)
    assert (result.status, result.reason) == (status, reason)
    assert tab.current == held


def test_without_a_summary_there_is_none_to_edit() -> None:
    assert Tab().edit("Mine.") == CompactResult("nothing", reason="There is no summary to edit.")


def test_an_edit_sees_what_another_tab_has_folded() -> None:
    one = Tab()
    two = Tab(shelf=one.shelf)
    one.hold(2)
    assert two.memory.current is None
    assert two.edit("Mine.", "held").status == "folded"


def test_an_edit_in_a_deleted_conversation_is_dropped() -> None:
    tab = Tab()
    held = tab.hold(2)
    tab.shelf.gone.add("c")
    reason = "The memory changed meanwhile."
    assert tab.edit("Mine.") == CompactResult("dropped", reason=reason)
    assert tab.current == held


def test_an_undo_counts_what_it_took_back_and_holds_the_next_fold_back() -> None:
    tab = Tab()
    tab.hold(2)
    assert run(tab.compactor.undo(tab.memory)) == CompactResult("folded", count=1)
    assert tab.memory.activity.hold_auto and tab.memory.current is None


@pytest.mark.parametrize(
    ("gone", "result"),
    [
        (False, CompactResult("nothing", reason="There is no fold to undo.")),
        (True, CompactResult("dropped", reason="The memory changed meanwhile.")),
    ],
)
def test_an_undo_that_does_nothing_holds_nothing_back(gone: bool, result: CompactResult) -> None:
    tab = Tab()
    if gone:
        tab.shelf.gone.add("c")
    assert run(tab.compactor.undo(tab.memory)) == result
    assert not tab.memory.activity.hold_auto
