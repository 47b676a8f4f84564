"""The tree against a plain model of it, over any order of adds, moves and deletes."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from app.conversation.message import Message, Part
from app.conversation.tree import Tree
from app.conversation.turns import turns

IDS = [f"m{i}" for i in range(12)]
ROLES = st.sampled_from(["user", "assistant", "tool", "system"])


@st.composite
def messages(draw: st.DrawFn) -> list[Message]:
    """Messages with any parents at all: gone, their own, in cycles; in any order."""
    ids = draw(st.lists(st.sampled_from(IDS), unique=True))
    return [
        Message(
            id,
            "c",
            draw(st.sampled_from([None, "gone", *IDS])),
            draw(ROLES),
            (Part("text", id),),
            created_at=draw(st.integers(0, 3)),
        )
        for id in ids
    ]


def plain_path(all: dict[str, Message], leaf_id: str | None) -> list[str]:
    found: list[str] = []
    while leaf_id in all and leaf_id not in found:
        found.insert(0, leaf_id)
        leaf_id = all[leaf_id].parent_id
    return found


def check(tree: Tree, all: dict[str, Message]) -> None:
    """Everything that the tree answers, by its definition."""
    assert {m.id: m for m in tree} == all
    assert len(tree) == len(all)
    for id in [*all, "gone", None]:
        assert [m.id for m in tree.path(id)] == plain_path(all, id)
        below = {
            m.id
            for m in all.values()
            if m.parent_id == id or (id is None and m.parent_id not in all)
        }
        children = tree.children(id)
        if id is None or id in all:
            assert {m.id for m in children} == below
            assert len(children) == len(below)
        assert [m.created_at for m in children] == sorted(m.created_at for m in children)
    for id in all:
        assert id in {m.id for m in tree.siblings(id)}
        newest = tree.newest_leaf(id)
        assert newest is not None
        assert newest in all
    newest = tree.newest_leaf()
    assert (newest is None) == (not all)
    leaves = [m for m in all.values() if not any(c.parent_id == m.id for c in all.values())]
    if leaves:
        assert newest is not None
        assert all[newest] in leaves
        assert all[newest].created_at == max(m.created_at for m in leaves)


@given(messages(), st.data())
def test_the_tree_is_what_its_messages_say(found: list[Message], data: st.DataObject) -> None:
    tree = Tree(found)
    all = {message.id: message for message in found}
    check(tree, all)
    for _ in range(data.draw(st.integers(0, 6))):
        if not all:
            break
        id = data.draw(st.sampled_from(sorted(all)))
        act = data.draw(st.sampled_from(["splice", "subtree", "move"]))
        if act == "splice":
            gone = all[id]
            path_before = {leaf: plain_path(all, leaf) for leaf in all}
            changed = tree.splice(id)
            del all[id]
            for child in changed:
                assert replace(child, parent_id=id) == all[child.id]
                all[child.id] = child
            if gone.parent_id not in path_before or id not in path_before[gone.parent_id]:
                for leaf, before in path_before.items():
                    # Where there is no cycle, a splice takes one message out of each path.
                    if leaf != id and (not before or all.get(before[0], gone).parent_id not in all):
                        assert plain_path(all, leaf) == [each for each in before if each != id]
        elif act == "subtree":
            for each in tree.remove_subtree(id):
                del all[each]
            assert id not in all
        else:
            moved = replace(all[id], parent_id=data.draw(st.sampled_from([None, *IDS])))
            tree.replace(moved)
            all[id] = moved
        check(tree, all)


@given(messages())
def test_turns_part_a_path_without_loss(path: list[Message]) -> None:
    found = turns(path)
    assert [m for turn in found for m in turn.messages] == path
    for index, turn in enumerate(found):
        assert turn.id == turn.messages[0].id
        assert index == 0 or turn.messages[0].role == "user"
        assert all(m.role != "user" for m in turn.messages[1:])
