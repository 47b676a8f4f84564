"""The active path as the engine sees it: states, token sums, turns and chain digests.

Built once for a path and appended to in constant time, so that a plan reads only the window
and never the whole conversation.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Literal

from app.conversation.message import Message, is_sendable
from app.memory.tokens import Counter

State = Literal["eligible", "pinned", "excluded", "unsendable"]
STATES: tuple[State, ...] = ("eligible", "pinned", "excluded", "unsendable")


def link(chain: bytes, message_id: str, content: str) -> bytes:
    """The chain digest after one more eligible message of that id and content digest."""
    name = message_id.encode("utf-8", "surrogatepass")
    return blake2b(chain + name + content.encode(), digest_size=12).digest()


class ActivePath:
    """Messages from the root to the open leaf, with what plan and ledger ask of them.

    ``pinned`` and ``excluded`` are turn ids. Pinned turns beyond ``pin_allowance`` tokens
    (newest first) are suspended: they are folded like others, and ``suspended`` names them.
    """

    def __init__(
        self,
        counter: Counter,
        messages: Sequence[Message],
        *,
        pinned: Iterable[str] = (),
        excluded: Iterable[str] = (),
        pin_allowance: int | None = None,
    ) -> None:
        self._counter = counter
        self.excluded = frozenset(excluded)
        self.messages: list[Message] = []
        self.states: list[State] = []
        self.turn_starts: list[int] = []
        self._chain: list[bytes] = []
        self._position: dict[str, int] = {}
        self._tokens: dict[State, list[int]] = {state: [0] for state in STATES}
        self._count: dict[State, list[int]] = {state: [0] for state in STATES}
        self._unfinished: list[int] = []
        counter.messages([m for m in messages if is_sendable(m)])  # one call for all
        self.pinned, self.suspended = self._accept(messages, frozenset(pinned), pin_allowance)
        for message in messages:
            self.append(message)

    def _accept(
        self, messages: Sequence[Message], pinned: frozenset[str], allowance: int | None
    ) -> tuple[frozenset[str], frozenset[str]]:
        """The pins that fit the allowance, newest first, and those that do not."""
        if not pinned or allowance is None:
            return pinned, frozenset()
        costs: dict[str, int] = {}
        turn = ""
        for message in messages:
            if message.role == "user" or not turn:
                turn = message.id
            if turn in pinned and is_sendable(message):
                costs[turn] = costs.get(turn, 0) + self._counter.message(message)
        kept: set[str] = set()
        for turn, cost in reversed(list(costs.items())):
            if cost <= allowance:
                kept.add(turn)
                allowance -= cost
        return frozenset(kept), frozenset(costs) - kept

    def append(self, message: Message) -> None:
        """Add a message at the leaf."""
        index = len(self.messages)
        if message.role == "user" or not self.turn_starts:
            self.turn_starts.append(index)
        self.messages.append(message)
        self._position[message.id] = index
        turn = self.messages[self.turn_starts[-1]].id
        state: State = "eligible"
        content, tokens = "", 0
        if not is_sendable(message):
            state = "unsendable"
            if message.status == "streaming":
                self._unfinished.append(index)
        else:
            [(content, tokens)] = self._counter.messages((message,))
            if turn in self.excluded:
                state = "excluded"
            elif turn in self.pinned:
                state = "pinned"
        self.states.append(state)
        for known in STATES:
            mine = known == state
            self._tokens[known].append(self._tokens[known][-1] + (tokens if mine else 0))
            self._count[known].append(self._count[known][-1] + (1 if mine else 0))
        chain = self._chain[-1] if self._chain else b""
        self._chain.append(link(chain, message.id, content) if state == "eligible" else chain)

    def pop(self) -> Message:
        """Take the leaf off again (an answer that has just ended is put back complete)."""
        message = self.messages.pop()
        index = len(self.messages)
        del self._position[message.id]
        if self.turn_starts and self.turn_starts[-1] == index:
            self.turn_starts.pop()
        if self._unfinished and self._unfinished[-1] == index:
            self._unfinished.pop()
        self.states.pop()
        self._chain.pop()
        for state in STATES:
            self._tokens[state].pop()
            self._count[state].pop()
        return message

    def __len__(self) -> int:
        return len(self.messages)

    def position(self, message_id: str) -> int | None:
        """The index of a message, or None when it is not on this path."""
        return self._position.get(message_id)

    def chain(self, index: int) -> str:
        """The chain digest of the eligible messages up to and including ``index``."""
        return self._chain[index].hex()

    def tokens(self, state: State, start: int, end: int) -> int:
        """Tokens of the messages in that state in ``[start, end)``, overheads included."""
        sums = self._tokens[state]
        return max(0, sums[end] - sums[start])

    def count(self, state: State, start: int, end: int) -> int:
        """Messages in that state in ``[start, end)``."""
        sums = self._count[state]
        return max(0, sums[end] - sums[start])

    def select(self, state: State, start: int, end: int) -> list[Message]:
        """The messages in that state in ``[start, end)``, in path order."""
        if not self.count(state, start, end):
            return []
        return [self.messages[i] for i in range(start, end) if self.states[i] == state]

    def turn_at(self, index: int) -> int:
        """The start of the turn that holds ``index``."""
        return self.turn_starts[bisect_right(self.turn_starts, index) - 1]

    def turn_id(self, index: int) -> str:
        """The id of the turn that holds ``index``."""
        return self.messages[self.turn_at(index)].id

    def turns_between(self, start: int, end: int) -> list[int]:
        """Starts of the turns that begin in ``[start, end)``; ``start`` itself always."""
        low = bisect_right(self.turn_starts, start)
        high = bisect_right(self.turn_starts, end - 1)
        return ([start] if start < end else []) + self.turn_starts[low:high]

    def foldable_end(self, end: int) -> int:
        """``end``, or the start of the first turn before it that holds an unfinished message."""
        for index in self._unfinished:
            if index < end:
                return self.turn_at(index)
        return end

    def question(self) -> int | None:
        """The index of the newest message of the user, or None."""
        for start in reversed(self.turn_starts):
            if self.messages[start].role == "user":
                return start
        return None

    def is_open(self) -> bool:
        """Whether the newest question still waits for an answer that can be sent on."""
        question = self.question()
        if question is None:
            return False
        states = self.states[question + 1 :]
        return all(state == "unsendable" for state in states)
