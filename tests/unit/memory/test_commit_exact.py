"""Compare-and-swap: what is written, what is refused, and how often a write is tried."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from app.conversation.tree import Conversation
from app.memory.commit import Committer, Read
from app.memory.conversation_memory import ConversationMemory
from app.memory.ledger import Fold
from app.memory.ports import Outcome
from tests.support.chats import Bench, FoldShelf, chat
from tests.support.fakes import FakeClock
from tests.unit.run import run

NOW = 1_700_000_000_000
NOTHING = Read(None, None, None)


@dataclass
class Shelf(FoldShelf):
    """A store that first gives the ``answers`` that it is told to, and counts what it is asked."""

    answers: list[Outcome] = field(default_factory=list[Outcome])
    writes: int = 0
    reads: int = 0

    async def folds(self, conversation_id: str) -> list[Fold]:
        """All entries."""
        self.reads += 1
        return await super().folds(conversation_id)

    async def commit_fold(self, fold: Fold, *, structure: int, commit: int) -> Outcome:
        """The next answer; when they are used up, compare and swap."""
        self.writes += 1
        if self.answers:
            return self.answers.pop(0)
        return await super().commit_fold(fold, structure=structure, commit=commit)

    async def retire_folds(
        self, conversation_id: str, fold_ids: Sequence[str], *, commit: int
    ) -> Outcome:
        """The next answer; when they are used up, compare and swap."""
        self.writes += 1
        if self.answers:
            return self.answers.pop(0)
        return await super().retire_folds(conversation_id, fold_ids, commit=commit)


@dataclass
class Tab:
    """One tab's committer, over a store that another may share, and six messages."""

    shelf: Shelf = field(default_factory=Shelf)
    told: list[Fold] = field(default_factory=list[Fold])

    def __post_init__(self) -> None:
        self.memory = self.opened()
        self.committer = Committer(
            self.shelf, FakeClock(NOW), lambda memory, fold: self.told.append(fold)
        )

    def opened(self) -> ConversationMemory:
        texts = ("One", "Two", "Three", "Four", "Five", "Six")
        return Bench(shelf=self.shelf).open(chat(*texts))

    def fold(self, id: str, end: int, **fields: Any) -> Fold:
        """An entry that covers m1 to m``end``."""
        path = self.memory.path
        covered = tuple(message.id for message in path.messages[:end])
        return Fold(id, "c", None, covered, covered[-1], path.chain(end - 1), "Notes.", **fields)

    def commit(self, fold: Fold, read: Read = NOTHING) -> Fold | None:
        return run(self.committer.commit(self.memory, fold, read))

    def retire(self) -> int:
        return run(self.committer.retire(self.memory))


@pytest.mark.parametrize("answers", [[], ["unsaved"]])
def test_what_is_committed_is_numbered_told_and_the_memory(answers: list[Outcome]) -> None:
    # What storage could not save is tried again by others; for this tab it is committed.
    tab = Tab(Shelf(numbers={"c": (0, 6)}, answers=answers))
    done = tab.commit(tab.fold("f", 2))
    assert done == replace(tab.fold("f", 2), commit=7)
    assert tab.memory.current == done and tab.told == [done]
    assert tab.memory.known_commit == tab.memory.conversation.commit == 7
    assert tab.memory.activity.folded_at == NOW
    assert tab.shelf.writes == 1


def refused(tab: Tab, fold: Fold, read: Read = NOTHING) -> bool:
    """Whether nothing was written, told or taken in."""
    before = tab.memory.current
    none = tab.commit(fold, read) is None
    return none and not tab.told and tab.memory.current == before


def test_a_conversation_that_is_gone_gets_no_fold() -> None:
    tab = Tab()
    tab.shelf.gone.add("c")
    assert refused(tab, tab.fold("f", 2)) and tab.shelf.writes == 0
    tab = Tab(Shelf(answers=["gone"]))  # it went between the look and the write
    assert refused(tab, tab.fold("f", 2)) and tab.shelf.writes == 1


def test_a_conversation_that_was_changed_elsewhere_gets_no_fold() -> None:
    tab = Tab()
    tab.shelf.numbers["c"] = (1, 0)
    assert refused(tab, tab.fold("f", 2)) and tab.shelf.writes == 0


def test_a_fold_of_another_path_is_not_written() -> None:
    tab = Tab()
    assert refused(tab, replace(tab.fold("f", 2), path_digest="of another branch"))
    assert tab.shelf.writes == 0


def test_a_write_that_is_overtaken_is_tried_five_times() -> None:
    tab = Tab(Shelf(answers=["conflict"] * 4))
    assert tab.commit(tab.fold("f", 2)) is not None and tab.shelf.writes == 5
    tab = Tab(Shelf(answers=["conflict"] * 5))
    assert refused(tab, tab.fold("f", 2)) and tab.shelf.writes == 5


@pytest.mark.parametrize("known", [False, True])
def test_a_fold_is_dropped_where_another_tab_folded_first(known: bool) -> None:
    one = Tab()
    two = Tab(one.shelf)
    if known:  # it has looked at the store before, when that was empty
        run(two.committer.refresh(two.memory))
    first = one.commit(one.fold("f1", 2))
    assert refused_after(two, two.fold("f2", 4)) == first


def refused_after(tab: Tab, fold: Fold) -> Fold | None:
    """The memory that the tab has, now that its own fold was not written."""
    assert tab.commit(fold) is None and not tab.told
    return tab.memory.current


def test_a_fold_is_written_where_the_memory_is_the_one_that_it_read() -> None:
    tab = Tab()
    first = tab.commit(tab.fold("f1", 2))
    assert tab.commit(tab.fold("f2", 4), Read(first, first, None)) is not None
    # and not by one that read the first, or none, now that the second is the memory
    assert tab.commit(tab.fold("f3", 6), Read(first, first, None)) is None
    assert tab.commit(tab.fold("f3", 6)) is None
    assert [fold.id for fold in tab.told] == ["f1", "f2"]


@pytest.mark.parametrize(("before", "written"), [(2, True), (3, True), (4, False), (None, False)])
def test_what_covers_the_question_is_not_the_memory_that_was_read(
    before: int | None, written: bool
) -> None:
    # m3 is asked again: the entry up to m4 covers it, the one up to m2 does not.
    tab = Tab()
    first = tab.commit(tab.fold("f1", 2))
    tab.commit(tab.fold("f2", 4), Read(first, first, None))
    again = tab.fold("f3", 2)
    read = Read(first, first, before)
    assert (tab.commit(again, read) is not None) == written


def test_a_fold_that_was_built_upon_is_not_replaced() -> None:
    tab = Tab()
    first = tab.commit(tab.fold("f1", 2))
    assert first is not None
    child = tab.commit(replace(tab.fold("f2", 2), parent_id="f1"), Read(first, first, None))
    other = replace(tab.fold("f3", 2), replaces="f1")
    assert tab.commit(other, Read(None, child, None)) is None
    assert tab.commit(replace(other, replaces="f2"), Read(first, child, None)) is not None


def test_the_store_is_read_again_only_after_another_commit() -> None:
    tab = Tab()
    tab.commit(tab.fold("f1", 2))
    reads = tab.shelf.reads
    run(tab.committer.refresh(tab.memory))
    assert tab.shelf.reads == reads
    other = tab.opened()
    assert other.current is not None
    other.ledger.retire(["f1"], NOW)
    run(tab.committer.refresh(other))  # just opened: nothing is known to be whole
    assert tab.shelf.reads == reads + 1
    assert other.known_commit == 1 and other.conversation.commit == 1


def test_a_commit_after_ones_own_needs_no_reading() -> None:
    tab = Tab()
    first = tab.commit(tab.fold("f1", 2))
    reads = tab.shelf.reads
    tab.commit(tab.fold("f2", 4), Read(first, first, None))
    assert tab.shelf.reads == reads


def test_a_conversation_that_is_gone_is_not_read() -> None:
    tab = Tab()
    tab.shelf.gone.add("c")
    run(tab.committer.refresh(tab.memory))
    assert tab.shelf.reads == 0 and tab.memory.known_commit < 0


@pytest.mark.parametrize("answers", [[], ["unsaved"], ["conflict"] * 4])
def test_an_undo_retires_the_current_fold_alone(answers: list[Outcome]) -> None:
    tab = Tab()
    first = tab.commit(tab.fold("f1", 2))
    tab.commit(replace(tab.fold("f2", 4), parent_id="f1"), Read(first, first, None))
    tab.shelf.writes, tab.shelf.answers = 0, list(answers)
    assert tab.retire() == 1
    assert tab.memory.current == first
    assert [fold.retired_at for fold in tab.memory.ledger] == [None, NOW]
    assert tab.memory.known_commit == tab.memory.conversation.commit == 3
    assert tab.shelf.writes == max(1, len(answers) if "unsaved" in answers else len(answers) + 1)


def test_an_undo_takes_what_was_replaced_with_it() -> None:
    tab = Tab()
    first = tab.commit(tab.fold("f1", 2))
    tab.commit(replace(tab.fold("f2", 2), replaces="f1"), Read(None, first, None))
    assert tab.retire() == 2 and tab.memory.current is None


def test_where_nothing_is_folded_there_is_nothing_to_undo() -> None:
    tab = Tab()
    assert tab.retire() == 0 and tab.shelf.writes == 0


def test_an_undo_sees_what_another_tab_has_folded() -> None:
    one = Tab()
    two = Tab(one.shelf)
    one.commit(one.fold("f1", 2))
    assert two.retire() == 1 and one.shelf.entries["c"][0].retired_at is not None


@pytest.mark.parametrize(
    ("answers", "writes"),
    [(["conflict"] * 5, 5), (["gone"], 1)],
    ids=["it never stops changing", "it is gone"],
)
def test_an_undo_that_cannot_be_written_says_so(answers: list[Outcome], writes: int) -> None:
    tab = Tab()
    first = tab.commit(tab.fold("f1", 2))
    tab.shelf.writes, tab.shelf.answers = 0, answers
    with pytest.raises(LookupError, match=r"^The memory changed meanwhile\.$"):
        tab.retire()
    assert tab.shelf.writes == writes and tab.memory.current == first


def test_an_undo_in_a_deleted_conversation_says_so() -> None:
    tab = Tab()
    tab.commit(tab.fold("f1", 2))
    tab.shelf.gone.add("c")
    tab.shelf.writes = 0
    with pytest.raises(LookupError):
        tab.retire()
    assert tab.shelf.writes == 0


def test_the_structure_is_that_of_the_conversation_that_was_opened() -> None:
    tab = Tab(Shelf(numbers={"c": (3, 0)}))
    assert tab.memory.conversation == Conversation(id="c", structure=3)
    assert tab.commit(tab.fold("f", 2)) is not None
