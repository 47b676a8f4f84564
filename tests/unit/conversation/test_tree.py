"""The tree of messages: branches, deletes, and what damaged records do to it (nothing)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.conversation.message import Message, Part, user_message
from app.conversation.tree import Conversation, Tree, last_user


def said(id: str, parent_id: str | None, role: str = "user", at: int = 0) -> Message:
    return Message(id, "c", parent_id, role, (Part("text", id),), created_at=at)  # type: ignore[arg-type]


def ids(messages: list[Message]) -> list[str]:
    return [message.id for message in messages]


@pytest.fixture
def tree() -> Tree:
    """q1 ─ a1 ─ q2 ─ a2, with a1 regenerated as b1, and q2 edited as r2 with its answer."""
    return Tree(
        [
            said("q1", None, "user", 1),
            said("a1", "q1", "assistant", 2),
            said("q2", "a1", "user", 3),
            said("a2", "q2", "assistant", 4),
            said("b1", "q1", "assistant", 5),
            said("r2", "a1", "user", 6),
            said("s2", "r2", "assistant", 7),
        ]
    )


def test_a_path_runs_from_the_root_to_the_leaf(tree: Tree) -> None:
    assert ids(tree.path("a2")) == ["q1", "a1", "q2", "a2"]
    assert ids(tree.path("s2")) == ["q1", "a1", "r2", "s2"]
    assert tree.path("unknown") == []
    assert tree.path(None) == []


def test_edit_and_regenerate_make_siblings_in_creation_order(tree: Tree) -> None:
    assert ids(tree.siblings("q2")) == ["q2", "r2"]
    assert ids(tree.siblings("b1")) == ["a1", "b1"]
    assert ids(tree.children("a1")) == ["q2", "r2"]


def test_creation_order_does_not_depend_on_the_order_of_loading(tree: Tree) -> None:
    loaded = Tree(sorted(tree, key=lambda message: message.id))
    assert ids(loaded.siblings("q2")) == ["q2", "r2"]
    assert loaded.newest_leaf() == "s2"


def test_editing_the_first_message_gives_a_second_root(tree: Tree) -> None:
    tree.add(said("q1b", None, "user", 9))
    assert ids(tree.siblings("q1")) == ["q1", "q1b"]
    assert ids(tree.children(None)) == ["q1", "q1b"]


def test_the_newest_leaf_is_the_one_made_last(tree: Tree) -> None:
    assert tree.newest_leaf() == "s2"
    assert tree.newest_leaf("q2") == "a2"
    assert tree.newest_leaf("b1") == "b1"
    assert tree.newest_leaf("unknown") is None
    assert Tree().newest_leaf() is None


def test_a_branch_that_was_continued_last_is_the_newest_though_it_forked_first(tree: Tree) -> None:
    tree.add(said("q3", "a2", "user", 20))
    assert tree.newest_leaf("q1") == "q3"


def test_a_delete_gives_the_children_to_the_parent(tree: Tree) -> None:
    changed = tree.splice("a1")
    assert ids(changed) == ["q2", "r2"]
    assert all(child.parent_id == "q1" for child in changed)
    assert ids(tree.path("a2")) == ["q1", "q2", "a2"]
    assert ids(tree.siblings("q2")) == ["q2", "b1", "r2"]
    assert "a1" not in tree
    assert "a2" in tree
    assert len(tree) == 6


def test_deleting_the_root_makes_its_children_roots(tree: Tree) -> None:
    assert ids(tree.splice("q1")) == ["a1", "b1"]
    assert ids(tree.children(None)) == ["a1", "b1"]
    assert ids(tree.path("s2")) == ["a1", "r2", "s2"]


def test_deleting_a_leaf_changes_nothing_else(tree: Tree) -> None:
    assert tree.splice("a2") == []
    assert tree.newest_leaf("q2") == "q2"


def test_deleting_a_subtree_takes_all_below(tree: Tree) -> None:
    assert sorted(tree.remove_subtree("a1")) == ["a1", "a2", "q2", "r2", "s2"]
    assert sorted(ids(list(tree))) == ["b1", "q1"]
    assert tree.newest_leaf() == "b1"


def test_deleting_what_is_not_there_is_an_error(tree: Tree) -> None:
    with pytest.raises(KeyError):
        tree.splice("unknown")
    with pytest.raises(KeyError):
        tree.remove_subtree("unknown")
    with pytest.raises(KeyError):
        tree.siblings("unknown")


def test_a_known_id_is_not_added_twice(tree: Tree) -> None:
    with pytest.raises(ValueError, match="already"):
        tree.add(said("q1", None))
    assert len(tree) == 7


def test_a_finished_message_is_immutable(tree: Tree) -> None:
    a2 = tree.get("a2")
    assert a2 is not None
    for change in (
        replace(a2, parts=(Part("text", "other"),)),
        replace(a2, role="user"),
        replace(a2, status="streaming"),
    ):
        with pytest.raises(ValueError, match="finished"):
            tree.replace(change)
    assert tree.get("a2") == a2
    with pytest.raises(KeyError):
        tree.replace(said("unknown", None))


def test_a_streaming_message_becomes_its_finished_self() -> None:
    streaming = replace(said("a", None, "assistant"), status="streaming", parts=())
    tree = Tree([streaming])
    finished = replace(streaming, status="complete", parts=(Part("text", "done"),))
    tree.replace(finished)
    assert tree.path("a") == [finished]


def test_a_splice_by_another_tab_arrives_as_a_moved_message(tree: Tree) -> None:
    q2 = tree.get("q2")
    assert q2 is not None
    tree.replace(replace(q2, parent_id="q1"))
    assert ids(tree.path("a2")) == ["q1", "q2", "a2"]
    assert ids(tree.children("a1")) == ["r2"]


def test_messages_may_arrive_before_their_parents() -> None:
    tree = Tree([said("b", "a", at=2), said("c", "b", at=3), said("a", None, at=1)])
    assert ids(tree.path("c")) == ["a", "b", "c"]
    assert ids(tree.children(None)) == ["a"]


def test_a_message_whose_parent_is_gone_is_a_root() -> None:
    tree = Tree([said("a", None, at=1), said("x", "gone", at=2)])
    assert ids(tree.path("x")) == ["x"]
    assert ids(tree.children(None)) == ["a", "x"]
    assert ids(tree.siblings("x")) == ["a", "x"]
    tree.splice("x")
    assert ids(tree.children(None)) == ["a"]


def test_cycles_end() -> None:
    tree = Tree([said("a", "b", at=1), said("b", "a", at=2), said("own", "own", at=3)])
    assert ids(tree.path("b")) == ["a", "b"]
    assert ids(tree.path("own")) == ["own"]
    assert tree.newest_leaf() == "own"
    assert tree.newest_leaf("a") == "b"
    assert sorted(ids(tree.splice("a"))) == ["b"]
    assert ids(tree.path("b")) == ["b"]
    assert tree.splice("own") == []
    assert ids(list(tree)) == ["b"]


def test_ten_thousand_messages_in_a_row_need_no_recursion() -> None:
    tree = Tree(said(f"m{i}", f"m{i - 1}" if i else None) for i in range(10_000))
    assert tree.newest_leaf() == "m9999"
    assert len(tree.path("m9999")) == 10_000
    tree.splice("m5000")
    assert len(tree.path("m9999")) == 9_999
    assert len(tree.remove_subtree("m1")) == 9_998


def test_ten_thousand_siblings_stay_in_order() -> None:
    tree = Tree([said("q", None)])
    for i in range(10_000):
        tree.add(said(f"a{i}", "q", "assistant"))
    assert ids(tree.siblings("a0")) == [f"a{i}" for i in range(10_000)]
    assert tree.newest_leaf("q") == "a9999"


def test_the_last_question_is_found(tree: Tree) -> None:
    found = last_user(tree.path("a2"))
    assert found is not None
    assert found.id == "q2"
    assert last_user([said("a", None, "assistant")]) is None


def test_a_conversation_is_known_by_its_id_and_not_by_its_first_words() -> None:
    first, second = Conversation("one"), Conversation("two")
    assert first != second
    assert user_message("a", "one", None, "hi").conversation_id == "one"
    assert first.pinned == first.excluded == frozenset()
    assert first.system_prompt is None
    assert first.leaf_id is None
