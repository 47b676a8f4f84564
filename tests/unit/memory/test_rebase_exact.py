"""Folds on new ids: exactly what travels, what is counted again, and what is left behind."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest

from app.conversation.message import Message, Part
from app.conversation.tree import Conversation
from app.memory.ledger import Fold
from app.memory.rebase import LARGEST_SUMMARY, rebase_folds
from tests.support.chats import Bench, chat

TEXTS = ("Hens?", "Three.", "Cats?", "Two.", "Dogs?", "None.")
NEW = chat(*TEXTS, prefix="n")
IDS = {f"m{n}": f"n{n}" for n in range(1, 7)}


def fold(id: str, covered: Iterable[int], boundary: int, **fields: object) -> Fold:
    """An entry over the old ids m1, m2…"""
    made = Fold(id, "c", None, tuple(f"m{n}" for n in covered), f"m{boundary}", "old", "Hens.")
    return replace(made, **fields)  # pyright: ignore[reportArgumentType]


FIRST = fold("f1", (1, 2), 2, commit=1)
SECOND = fold("f2", (3, 4), 4, commit=2, parent_id="f1")


def rebased(
    *folds: Fold,
    messages: Iterable[Message] = NEW,
    count: Callable[[str], int] | None = None,
    pinned: Iterable[str] = (),
    excluded: Iterable[str] = (),
) -> tuple[list[str], int]:
    """The ids of the folds that fit, and how many did not."""
    kept, dropped = rebase_folds(
        folds, IDS, list(messages), pinned=pinned, excluded=excluded, count=count
    )
    return [each.id for each in kept], dropped


def test_a_fold_is_the_same_on_new_ids_with_the_digest_of_its_new_path() -> None:
    kept, dropped = rebase_folds([SECOND, FIRST], IDS, NEW)
    path = Bench().open(NEW).path
    assert dropped == 0
    assert kept == [
        replace(FIRST, covered=("n1", "n2"), boundary="n2", path_digest=path.chain(1)),
        replace(SECOND, covered=("n3", "n4"), boundary="n4", path_digest=path.chain(3)),
    ]


def test_a_line_keeps_its_source_only_when_that_came_along() -> None:
    sources = ("m2", None, "elsewhere", "n1")
    kept, _ = rebase_folds([replace(FIRST, sources=sources)], IDS, NEW)
    assert kept[0].sources == ("n2", None, None, "n1")


def test_the_word_of_a_file_on_sizes_is_taken_only_where_nobody_counts() -> None:
    said = replace(FIRST, tokens_out=123)
    assert rebase_folds([said], IDS, NEW)[0][0].tokens_out == 123
    assert rebase_folds([said], IDS, NEW, count=len)[0][0].tokens_out == len("Hens.")


def test_a_fold_larger_than_any_summary_is_dropped_alone() -> None:
    assert LARGEST_SUMMARY == 8000
    large = replace(FIRST, text="x" * 8001)
    other = fold("f3", (1, 2), 2, commit=3)
    assert rebased(replace(FIRST, text="x" * 8000), other, count=len) == (["f1", "f3"], 0)
    assert rebased(large, other, count=len) == (["f3"], 1)
    assert rebased(large, SECOND, other, count=len) == (["f3"], 2)  # its child goes with it


@pytest.mark.parametrize(
    "wrong",
    [
        replace(FIRST, covered=("m1",)),
        replace(FIRST, covered=("m2", "m1")),
        replace(FIRST, covered=("m1", "m2", "m3")),
        replace(FIRST, covered=("m1", "elsewhere")),
        replace(FIRST, boundary="elsewhere"),
        replace(FIRST, boundary="m3"),
        replace(FIRST, parent_id="elsewhere"),
        replace(FIRST, covered=(), boundary="m2"),
    ],
)
def test_a_fold_that_does_not_fit_is_counted_once_and_the_next_one_is_still_looked_at(
    wrong: Fold,
) -> None:
    assert rebased(wrong, fold("f3", (1, 2), 2, commit=3)) == (["f3"], 1)


def test_a_fold_of_nothing_is_dropped() -> None:
    # Before the first message that is sent the digest is that of nothing.
    assert rebased(fold("f1", (), 2, commit=1), excluded=["n1"]) == ([], 1)


def test_a_fold_stands_for_another_only_while_that_is_there() -> None:
    better = fold("f2", (1, 2), 2, commit=2, replaces="f1")
    kept, _ = rebase_folds([replace(FIRST, provisional=True), better], IDS, NEW)
    assert [each.replaces for each in kept] == [None, "f1"]
    kept, _ = rebase_folds([better], IDS, NEW)
    assert [each.replaces for each in kept] == [None]


@pytest.mark.parametrize("mark", ["pinned", "excluded"])
def test_marked_turns_are_in_no_fold(mark: str) -> None:
    def fits(each: Fold, turn: str) -> bool:
        pinned, excluded = ([turn], []) if mark == "pinned" else ([], [turn])
        return rebased(each, pinned=pinned, excluded=excluded) == (["f1"], 0)

    assert fits(fold("f1", (3, 4), 4), "n1")  # the answer goes with its question
    assert not fits(FIRST, "n1")
    assert fits(FIRST, "n3")
    assert fits(fold("f1", (1, 2), 4), "n3")


def test_a_greeting_is_a_turn_of_its_own() -> None:
    greeted = chat(*TEXTS, first="assistant", prefix="n")
    assert rebased(fold("f1", (2, 3), 3), messages=greeted, excluded=["n1"]) == (["f1"], 0)
    assert rebased(fold("f1", (1,), 3), messages=greeted, excluded=["n2"]) == (["f1"], 0)


def test_messages_that_are_never_sent_are_in_no_fold() -> None:
    failed = [replace(each, status="failed") if each.id == "n2" else each for each in NEW]
    assert rebased(fold("f1", (1,), 2), messages=failed) == (["f1"], 0)
    assert rebased(FIRST, messages=failed) == ([], 1)


def test_each_branch_has_its_folds_whatever_the_order_of_its_messages() -> None:
    other = Message("n9", "c", "n2", "user", (Part("text", "Pigs?"),))
    folds = [FIRST, SECOND, fold("f3", (1, 2, 9), 9, commit=3)]
    folds = [replace(each, covered=tuple(IDS.get(i, "n9") for i in each.covered)) for each in folds]
    folds[2] = replace(folds[2], boundary="n9")
    for messages in ([*NEW, other], [other, *NEW[::-1]]):
        assert rebased(*folds, messages=messages) == (["f1", "f2", "f3"], 0)


def test_the_digest_is_that_of_the_path_with_its_marks() -> None:
    kept, _ = rebase_folds([fold("f1", (3, 4), 4)], IDS, NEW, excluded=["n1"])
    memory = Bench().open(NEW, Conversation("c", excluded=frozenset({"n1"})))
    assert memory.ledger.valid(kept[0], memory.path)
