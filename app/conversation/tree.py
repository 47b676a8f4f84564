"""A conversation and its tree of messages: branches, paths, and what a delete does to them.

Everything walks iteratively and survives what storage or an import may hold: parents that are
gone, cycles, records in any order. A message whose parent is gone counts as a root.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from app.conversation.message import Message


@dataclass(frozen=True, slots=True)
class Conversation:
    """What is known of a conversation besides its messages. Times are milliseconds since 1970.

    ``system_prompt`` and ``preset`` are None where the settings' defaults hold. ``pinned`` and
    ``excluded`` hold turn ids. ``structure`` counts every change that is not an append,
    ``commit`` the commits of the ledger. ``deleted_at`` is set on a tombstone.
    """

    id: str
    title: str = ""
    created_at: int = 0
    updated_at: int = 0
    system_prompt: str | None = None
    preset: str | None = None
    leaf_id: str | None = None
    pinned: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()
    structure: int = 0
    commit: int = 0
    deleted_at: int | None = None


# (created_at, arrival, id): creation order, and arrival where the times are the same or unknown.
_Place = tuple[int, int, str]


class Tree:
    """The messages of one conversation by id, with their children in creation order."""

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self._messages: dict[str, Message] = {}
        self._places: dict[str, _Place] = {}
        self._children: dict[str | None, list[_Place]] = {}
        self._dangling: set[str] = set()  # parents that are named but not here
        self._arrivals = 0
        for message in messages:
            self.add(message)

    def __len__(self) -> int:
        return len(self._messages)

    def __contains__(self, id: object) -> bool:
        return id in self._messages

    def __iter__(self) -> Iterator[Message]:
        return iter(self._messages.values())

    def get(self, id: str | None) -> Message | None:
        """The message, or None when there is none of that id."""
        return None if id is None else self._messages.get(id)

    def add(self, message: Message) -> None:
        """Take in a new message; its parent may come later. Raises ValueError on a known id."""
        if message.id in self._messages:
            raise ValueError(f"message {message.id!r} is in the tree already")
        self._arrivals += 1
        self._messages[message.id] = message
        self._places[message.id] = (message.created_at, self._arrivals, message.id)
        self._dangling.discard(message.id)
        self._link(message)

    def replace(self, message: Message) -> None:
        """Put a newer record in the place of a message's old one.

        A streaming message may become anything; a finished one only keeps its role and parts
        (its parent may have moved by a splice). Raises KeyError for an unknown id and ValueError
        for a change of what was said.
        """
        old = self._messages[message.id]
        if old.status != "streaming" and (
            message.status == "streaming" or message.role != old.role or message.parts != old.parts
        ):
            raise ValueError(f"message {message.id!r} is finished and cannot change")
        arrival = self._places[message.id][1]
        self._unlink(old)
        self._messages[message.id] = message
        self._places[message.id] = (message.created_at, arrival, message.id)
        self._link(message)

    def path(self, leaf_id: str | None) -> list[Message]:
        """The messages from the root to ``leaf_id``; empty for an unknown leaf. O(depth)."""
        found: list[Message] = []
        seen: set[str] = set()
        message = self.get(leaf_id)
        while message is not None and message.id not in seen:
            seen.add(message.id)
            found.append(message)
            message = self.get(message.parent_id)
        found.reverse()
        return found

    def children(self, id: str | None) -> list[Message]:
        """The children in creation order; of None the roots, those with lost parents included."""
        places = self._children.get(id, [])
        if id is None and self._dangling:
            places = sorted(
                [*places, *(p for parent in self._dangling for p in self._children[parent])]
            )
        return [self._messages[place[2]] for place in places]

    def siblings(self, id: str) -> list[Message]:
        """The message and its alternatives, in creation order. Raises KeyError if unknown."""
        parent_id = self._messages[id].parent_id
        return self.children(parent_id if parent_id in self._messages else None)

    def newest_leaf(self, from_id: str | None = None) -> str | None:
        """The id of the leaf that was made last, below ``from_id`` (itself included) or anywhere.

        None when there is no such message. In a tree that is nothing but a cycle: its newest
        message.
        """
        if from_id is None:
            below: Iterable[str] = self._messages
        else:
            below = self._below(from_id)
        best: tuple[bool, _Place] | None = None
        for id in below:
            rank = (not self._children.get(id), self._places[id])
            if best is None or rank > best:
                best = rank
        return None if best is None else best[1][2]

    def splice(self, id: str) -> list[Message]:
        """Take one message out and give its children to its parent; returns them as changed.

        Raises KeyError for an unknown id. The children keep their order and their ids.
        """
        gone = self._messages[id]
        parent_id = None if gone.parent_id == id else gone.parent_id
        children = [child for child in self.children(id) if child.id != id]
        changed = [
            # In a cycle the parent may be the child itself: that one becomes a root.
            replace(child, parent_id=None if parent_id == child.id else parent_id)
            for child in children
        ]
        for child in children:
            self._unlink(child)
        self._forget(gone)
        for child in changed:
            self._messages[child.id] = child
            self._link(child)
        return changed

    def remove_subtree(self, id: str) -> list[str]:
        """Take out a message and all below it; returns the ids that went. KeyError if unknown."""
        if id not in self._messages:
            raise KeyError(id)
        gone = list(self._below(id))
        for each in gone:
            self._forget(self._messages[each])
        return gone

    def _below(self, id: str) -> Iterator[str]:
        """``id`` and its descendants, each once."""
        if id not in self._messages:
            return
        seen = {id}
        stack = [id]
        while stack:
            each = stack.pop()
            yield each
            for place in self._children.get(each, ()):
                if place[2] not in seen:
                    seen.add(place[2])
                    stack.append(place[2])

    def _link(self, message: Message) -> None:
        parent_id = message.parent_id
        insort(self._children.setdefault(parent_id, []), self._places[message.id])
        if parent_id is not None and parent_id not in self._messages:
            self._dangling.add(parent_id)

    def _unlink(self, message: Message) -> None:
        places = self._children[message.parent_id]
        places.remove(self._places[message.id])
        if not places:
            del self._children[message.parent_id]
            if message.parent_id is not None:
                self._dangling.discard(message.parent_id)

    def _forget(self, message: Message) -> None:
        self._unlink(message)
        del self._messages[message.id]
        del self._places[message.id]
        if message.id in self._children:
            self._dangling.add(message.id)


def last_user(path: Sequence[Message]) -> Message | None:
    """The newest message of the user on the path, or None."""
    for message in reversed(path):
        if message.role == "user":
            return message
    return None
