"""The ledger: which entry is the memory, what an undo takes back, what a lineage is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.memory.ledger import Fold, Ledger


class Branch:
    """A path of the messages m0, m1…; the digest up to m3 is "to m3"."""

    def __init__(self, length: int) -> None:
        self._length = length

    def position(self, message_id: str) -> int | None:
        index = int(message_id[1:])
        return index if index < self._length else None

    def chain(self, index: int) -> str:
        return f"to m{index}"


PATH = Branch(10)


def fold(id: str, boundary: int, commit: int, **fields: object) -> Fold:
    """A fold up to that message, valid on every branch that holds it."""
    entry = Fold(id, "c", None, (), f"m{boundary}", f"to m{boundary}", id, commit=commit)
    return replace(entry, **fields)  # type: ignore[arg-type]


def ids(folds: list[Fold]) -> list[str]:
    return [entry.id for entry in folds]


def test_an_entry_of_which_no_more_is_known_claims_nothing() -> None:
    entry = Fold("f", "c", None, ("m1",), "m1", "digest", "Notes.")
    assert (entry.tokens_in, entry.tokens_out, entry.count, entry.duration_ms) == (0, 0, 0, 0)
    assert (entry.created_at, entry.commit, entry.retired_at) == (0, 0, None)
    assert (entry.used_fallback, entry.provisional, entry.replaces) == (False, False, None)
    assert (entry.sources, entry.model, entry.note) == ((), "", "")


def test_the_entries_are_in_the_order_of_their_commits_whatever_order_they_are_read_in() -> None:
    ledger = Ledger([fold("c", 3, 3), fold("a", 5, 1), fold("b", 1, 2)])
    assert ids(list(ledger)) == ["a", "b", "c"]
    assert len(ledger) == 3


def test_an_entry_is_found_by_its_id() -> None:
    ledger = Ledger([fold("a", 5, 1)])
    assert ledger.get("a") == fold("a", 5, 1)
    assert ledger.get("b") is None
    assert ledger.get(None) is None
    assert ledger.get("") is None


def test_a_newer_state_of_an_entry_takes_its_place() -> None:
    ledger = Ledger([fold("a", 5, 1)])
    ledger.add(fold("a", 5, 1, retired_at=9))
    assert [entry.retired_at for entry in ledger] == [9]


def test_the_furthest_boundary_wins_whenever_it_was_committed() -> None:
    ledger = Ledger([fold("far", 7, 1), fold("near", 2, 2), fold("between", 4, 3)])
    assert [(position, commit) for position, commit, _ in ledger.ranked(PATH)] == [
        (2, 2),
        (4, 3),
        (7, 1),
    ]
    assert ledger.current(PATH) == fold("far", 7, 1)


def test_of_two_with_the_same_boundary_the_later_commit_wins() -> None:
    ledger = Ledger([fold("old", 5, 1)])
    ledger.add(fold("new", 5, 3))
    ledger.add(fold("late", 5, 2))  # another tab's, heard of afterwards
    assert ledger.current(PATH) == fold("new", 5, 3)


@pytest.mark.parametrize(
    ("before", "current"),
    [(None, "far"), (8, "far"), (7, "near"), (3, "near"), (2, None), (0, None)],
)
def test_a_memory_for_a_question_ends_before_it(before: int | None, current: str | None) -> None:
    found = Ledger([fold("near", 2, 1), fold("far", 7, 2)]).current(PATH, before)
    assert (found.id if found else None) == current


def test_what_is_retired_elsewhere_or_changed_is_no_memory() -> None:
    ledger = Ledger(
        [
            fold("good", 0, 1),
            fold("retired", 3, 2, retired_at=0),  # a clock may say 0
            fold("changed", 4, 3, path_digest="of other words"),
            fold("elsewhere", 10, 4),
        ]
    )
    assert ledger.current(PATH) == fold("good", 0, 1)  # also where it covers one message alone
    assert len(ledger.ranked(PATH)) == 1
    assert Ledger([fold("elsewhere", 10, 4)]).current(PATH) is None


def test_an_entry_is_valid_where_its_messages_lie_unchanged() -> None:
    ledger = Ledger()
    assert ledger.valid(fold("a", 0, 1), PATH)
    assert ledger.valid(fold("a", 9, 1), PATH)
    assert not ledger.valid(fold("a", 10, 1), PATH)
    assert not ledger.valid(fold("a", 9, 1, path_digest="to m8"), PATH)
    assert ledger.valid(fold("a", 9, 1, retired_at=5), PATH)  # it may be, and be undone


def test_an_undo_marks_the_entries_once() -> None:
    ledger = Ledger([fold("a", 2, 1), fold("b", 4, 2), fold("c", 6, 3)])
    ledger.retire(["b", "unheard of", "c"], 50)
    ledger.retire(["c"], 60)
    assert [entry.retired_at for entry in ledger] == [None, 50, 50]
    assert ledger.current(PATH) == fold("a", 2, 1)


def test_a_lineage_goes_back_by_the_parents_to_a_gap_or_a_loop() -> None:
    first, second = fold("a", 2, 1), fold("b", 4, 2, parent_id="a")
    third, other = fold("c", 6, 3, parent_id="b"), fold("d", 6, 4, parent_id="gone")
    ledger = Ledger([first, second, third, other])
    assert ledger.lineage(third) == [third, second, first]
    assert ledger.lineage(first) == [first]
    assert ledger.lineage(other) == [other]
    assert ledger.lineage(None) == []
    ledger.add(replace(first, parent_id="c"))  # damaged
    assert ids(ledger.lineage(third)) == ["c", "b", "a"]


def test_a_child_is_an_entry_that_builds_on_it_and_is_not_undone() -> None:
    ledger = Ledger([fold("a", 2, 1), fold("b", 4, 2, parent_id="a"), fold("x", 9, 3)])
    assert ledger.has_child("a")
    assert not ledger.has_child("b")
    ledger.retire(["b"], 5)
    assert not ledger.has_child("a")


def test_an_undo_takes_the_provisional_entries_with_the_one_that_stands_for_them() -> None:
    ledger = Ledger(
        [
            fold("parent", 2, 1),
            fold("quick", 6, 2, parent_id="parent", provisional=True),
            fold("better", 6, 3, parent_id="parent", replaces="quick"),
        ]
    )
    assert ledger.to_undo(PATH) == ["better", "quick"]
    ledger.retire(ledger.to_undo(PATH), 5)
    assert ledger.to_undo(PATH) == ["parent"]  # it is the memory again
    ledger.retire(["parent"], 6)
    assert ledger.to_undo(PATH) == []


def test_an_undo_ends_also_where_two_entries_stand_for_each_other() -> None:
    ledger = Ledger([fold("a", 6, 1, replaces="b"), fold("b", 6, 2, replaces="a")])
    assert ledger.to_undo(PATH) == ["b", "a"]
