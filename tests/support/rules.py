"""The rules of memory as checks: each raises ``AssertionError`` when its rule is broken.

The stateful machine, the properties and the tests that break each rule on purpose share these.
They look at what goes out and at what is stored, and never ask the code that they check.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.conversation.message import Message, is_sendable, sendable_text
from app.conversation.turns import turns
from app.memory.conversation_memory import ConversationMemory
from app.memory.ledger import Fold
from app.memory.payload import PayloadPart
from app.memory.prepare import Prepared
from app.memory.tokens import MESSAGE_OVERHEAD, PROMPT_OVERHEAD, Counter
from app.models.port import WireMessage

PLANTED = re.compile(r"zq\d+x")  # a word that stands in one message alone
BY_HAND = re.compile(r"hq\d+x")  # a word that stands in one edited summary alone
JUNK = ("<html", "<think>", "I'm sorry", "Error:", "secret thought")


def planted(*texts: str) -> set[str]:
    """The planted words of messages in the texts."""
    return {word for text in texts for word in PLANTED.findall(text)}


# -- rules 1 to 3: the request --------------------------------------------------------------


def check_budget(memory: ConversationMemory, prepared: Prepared, counter: Counter) -> None:
    """Rule 1: the prompt as sent is within the budget, and leaves an answer its room."""
    limits, sent = memory.settings.limits, prepared.messages
    counted = sum(counter.texts([m.content for m in sent]))
    counted += len(sent) * MESSAGE_OVERHEAD + PROMPT_OVERHEAD
    assert counted == prepared.account["total"], (counted, prepared.account)
    parts = sum(part.tokens for part in prepared.payload.parts) + PROMPT_OVERHEAD
    assert parts == counted, (parts, counted)
    budget = int(memory.settings.limits.context * 0.75)
    assert counted <= budget, (counted, budget)
    wanted = prepared.max_tokens
    if wanted is not None:
        assert wanted >= 1
        assert wanted == 1 or counted * limits.factor + wanted <= limits.size


def check_question(
    memory: ConversationMemory, sent: Sequence[WireMessage], notices: bool, counter: Counter
) -> None:
    """Rule 2: the newest question comes last, word for word unless it alone is too large."""
    asked = [m for m in memory.path.messages if m.role == "user"]
    assert asked and sent and sent[-1].role == "user"
    text = sendable_text(asked[-1])
    alone = counter.text(text) + MESSAGE_OVERHEAD + PROMPT_OVERHEAD
    pins = memory.path.tokens("pinned", 0, len(memory.path))
    if alone + pins <= memory.settings.limits.budget:
        assert sent[-1].content.endswith(text), (text[-80:], sent[-1].content[-80:])
        assert sent[-1].content == text or sent[-1].content[: -len(text)].endswith("\n\n")
    else:
        assert notices
        assert sent[-1].content.strip()


def check_coverage(
    memory: ConversationMemory, parts: Sequence[PayloadPart], spare: int = 0
) -> None:
    """Rule 3: each message before the question is sent, folded, excluded or not sendable.

    ``spare``: tokens that the request leaves free. With few of them a summary may be left out.
    """
    path = memory.path.messages
    question = max(i for i, m in enumerate(path) if m.role == "user")
    sent = [i for part in parts if part.kind in ("pin", "window", "question") for i in part.ids]
    assert len(sent) == len(set(sent))
    order = {m.id: index for index, m in enumerate(path)}
    positions = [order[i] for i in sent]
    assert positions == sorted(positions) and positions[-1] == question
    texts = {i: part.content for part in parts if part.kind in ("pin", "window") for i in part.ids}
    boundary = _boundary(memory, parts, order, spare)
    turn_of = {m.id: turn.id for turn in turns(path) for m in turn.messages}
    for index, message in enumerate(path[:question]):
        if not is_sendable(message) or turn_of[message.id] in memory.path.excluded:
            assert message.id not in sent, message.id
        elif turn_of[message.id] in memory.path.pinned or index > boundary:
            assert texts.get(message.id) == sendable_text(message), message.id
        else:
            assert message.id not in sent, message.id


SUMMARY_ROOM = 150  # tokens in which the frame of a summary and one line surely fit


def _boundary(
    memory: ConversationMemory,
    parts: Sequence[PayloadPart],
    order: Mapping[str, int],
    spare: int,
) -> int:
    """The index up to which the summary of the request (or of the ledger) reaches; -1: none.

    A fold may serve one request without being committed (another tab was faster), and its text
    may not fit: then the oldest messages that are not sent must be what it covers.
    """
    named = [i for part in parts if part.kind == "summary" for i in part.ids]
    if named:
        return order[named[0]]
    if spare < SUMMARY_ROOM:
        kinds = ("window", "question")
        sent = [order[i] for part in parts if part.kind in kinds for i in part.ids]
        return min(sent) - 1
    current = memory.current_for_answer()
    return order[current.boundary] if current else -1


# -- rules 4, 5 and 10: the ledger and its texts ------------------------------------------------


def check_once(memory: ConversationMemory, damaged: Collection[str] = ()) -> None:
    """Rule 4: a lineage covers the eligible messages up to its boundary, in order, each once.

    ``damaged``: entries whose records were changed in the store by nobody's right.
    """
    current = memory.current
    if current is None:
        return
    lineage = memory.ledger.lineage(current)
    given = [i for fold in reversed(lineage) for i in fold.covered]
    boundary = memory.path.position(current.boundary)
    assert boundary is not None
    covered = [m.id for m in memory.path.select("eligible", 0, boundary + 1)]
    assert len(given) == len(set(given)), given
    if lineage[-1].parent_id is None and not any(fold.id in damaged for fold in lineage):
        assert given == covered, (given, covered)
    else:  # a record was lost: what is left of the lineage is the end of what is covered
        assert not given or given == covered[-len(given) :], (given, covered)


def check_bounded(memory: ConversationMemory, fold: Fold, counter: Counter) -> None:
    """Rule 5: a new summary holds something, no junk, and no more than limit and input."""
    assert fold.text.strip(), fold
    held = counter.text(fold.text)
    assert held == fold.tokens_out, (held, fold.tokens_out)
    assert held <= memory.settings.limits.summary, (held, memory.settings.limits.summary)
    if fold.method == "edited":
        assert not fold.covered
        return
    parent = memory.ledger.get(fold.parent_id)
    positions = [memory.path.position(i) for i in fold.covered]
    replaced = counter.text(parent.text) if parent else 0
    replaced += sum(counter.message(memory.path.messages[p]) for p in positions if p is not None)
    assert fold.covered and held <= max(1, replaced), (held, replaced)
    assert not any(junk in fold.text for junk in JUNK), fold.text[:200]
    if fold.sources:
        assert len(fold.sources) == len(fold.text.split("\n"))


def check_meaning(text: str, guards: Mapping[str, Sequence[str]]) -> None:
    """Rule 10: a line that holds a planted word holds the guarded words of its sentence too."""
    for line in text.split("\n"):
        low = line.lower()
        for word in PLANTED.findall(line):
            for guarded in guards.get(word, ()):
                assert guarded.lower() in low, (guarded, line)


# -- rule 6: commits ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Truth:
    """What the store held of a conversation at the moment of a commit."""

    living: bool
    path: tuple[Message, ...]  # from the root to the boundary
    excluded: frozenset[str]
    pinned: frozenset[str]
    ledger: tuple[Fold, ...]  # before the commit


def check_lived(truth: Truth) -> None:
    """Rule 6: nothing is written for a deleted conversation."""
    assert truth.living, "a fold of a deleted conversation was written"


def check_commit(memory: ConversationMemory, fold: Fold, truth: Truth) -> None:
    """Rule 6: the conversation lived, and the path up to the boundary was what the fold read."""
    check_lived(truth)
    assert truth.path and truth.path[-1].id == fold.boundary, "the boundary was gone"
    assert memory.path.excluded == truth.excluded and memory.path.pinned <= truth.pinned
    position = memory.path.position(fold.boundary)
    assert position is not None
    read = [(m.id, sendable_text(m)) for m in memory.path.select("eligible", 0, position + 1)]
    out = memory.path.excluded | memory.path.pinned
    stored = [
        (m.id, sendable_text(m))
        for turn in turns(truth.path)
        if turn.id not in out
        for m in turn.messages
        if is_sendable(m)
    ]
    assert read == stored, "what was folded is not what the store held"
    assert fold.id not in {each.id for each in truth.ledger}
    assert all(each.commit < fold.commit for each in truth.ledger), "a commit number came twice"


def check_current_was_read(
    fold: Fold, currents: Collection[str | None], parents: Mapping[str, str | None]
) -> None:
    """Rule 6: the entry builds on what was current, stands for it, or begins anew (a rebuild).

    ``currents``: ids of what may count as current at the commit (None: nothing was folded).
    """
    if fold.replaces is not None:
        assert fold.replaces in currents, "it replaces what is not current"
        assert fold.parent_id == parents.get(fold.replaces)
    elif fold.parent_id is not None or fold.trigger != "manual":
        assert fold.parent_id in currents, (fold.parent_id, currents)


def check_unchanged(before: Mapping[str, Fold], after: Mapping[str, Fold]) -> None:
    """Rule 6: entries of the ledger never change, except that they may be retired."""
    for id, old in before.items():
        new = after.get(id)
        if new is None:
            continue  # purged with its conversation, or set aside
        assert old.retired_at is None or new.retired_at == old.retired_at
        assert replace(new, retired_at=old.retired_at) == old, id


# -- rules 7 and 8: calls -----------------------------------------------------------------------


def check_no_second_child(fold: Fold, ledger: Iterable[Fold]) -> None:
    """Rule 7: nothing replaces a provisional entry that has a child already."""
    if fold.replaces is not None:
        children = [f.id for f in ledger if f.parent_id == fold.replaces and f.retired_at is None]
        assert not children, children


def check_attempts(failed: int, turns_taken: int) -> None:
    """Rule 8: at most one failed call of the summarising model in a turn."""
    assert failed <= turns_taken, (failed, turns_taken)


def check_breaker(failures: Sequence[float], now: float) -> None:
    """Rule 8: no call within ten minutes (in ms) of three failures in a row."""
    assert len(failures) < 3 or now - failures[-1] >= 600_000, "the breaker was ignored"


def check_idle(busy: Mapping[str, object]) -> None:
    """Rule 8: when nothing runs any more, nothing is shown as busy."""
    assert busy.get("state") == "idle", busy


# -- rule 9: the right summary --------------------------------------------------------------------


def check_right(memory: ConversationMemory, prepared: Prepared) -> None:
    """Rule 9: each word that is sent stands in a message of this path that may be sent."""
    path, parts = memory.path.messages, prepared.payload.parts
    order = {m.id: index for index, m in enumerate(path)}
    boundary = _boundary(memory, parts, order, 0)
    turn_of = {m.id: turn.id for turn in turns(path) for m in turn.messages}
    allowed = [m for m in path if is_sendable(m) and turn_of[m.id] not in memory.path.excluded]
    # A question that is asked is sent, whatever was done to its turn before.
    question = [m for m in path if m.role == "user"][-1]
    on_path = planted(*(sendable_text(m) for m in [*allowed, question]))
    for message in prepared.messages:
        assert planted(message.content) <= on_path, planted(message.content) - on_path
    folded = planted(
        *(
            sendable_text(m)
            for m in allowed
            if order[m.id] <= boundary and turn_of[m.id] not in memory.path.pinned
        )
    )
    for part in parts:
        if part.kind in ("summary", "recall"):
            assert planted(part.content) <= folded, planted(part.content) - folded
    lineage = memory.ledger.lineage(memory.current_for_answer())
    by_hand = {w for f in lineage if f.method == "edited" for w in BY_HAND.findall(f.text)}
    for message in prepared.messages:
        assert set(BY_HAND.findall(message.content)) <= by_hand


Content = tuple[tuple[str, str], ...]


def contents(memory: ConversationMemory, boundary: str) -> Content:
    """(id, text) of the eligible messages up to a boundary, which must be on the path."""
    position = memory.path.position(boundary)
    assert position is not None, boundary
    selected = memory.path.select("eligible", 0, position + 1)
    return tuple((m.id, sendable_text(m)) for m in selected)


def check_current(memory: ConversationMemory, read: Mapping[str, Content]) -> None:
    """Rule 9: what counts as the memory covers what it read, unchanged, with nothing missing."""
    current = memory.current
    if current is not None and current.id in read:
        assert contents(memory, current.boundary) == read[current.id], current.id
    if current is not None:
        assert current.retired_at is None and current.conversation_id == memory.id


def check_request(
    memory: ConversationMemory,
    prepared: Prepared,
    counter: Counter,
    guards: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Rules 1, 2, 3 and 9 for a request that goes out."""
    check_budget(memory, prepared, counter)
    check_question(memory, prepared.messages, prepared.cut or bool(prepared.notices), counter)
    payload = prepared.payload
    check_coverage(memory, payload.parts, payload.budget - payload.tokens)
    check_right(memory, prepared)
    lineage = memory.ledger.lineage(memory.current_for_answer())
    # The tail rule cuts where the room ends, and a person may write anything.
    free = any(fold.method in ("tail", "edited") for fold in lineage)
    if not guards or not lineage or free:
        return
    for part in payload.parts:
        if part.kind == "summary":  # a line that was cut for want of room is no kept line
            whole = [x for x in part.content.split("\n") if x in lineage[0].text.split("\n")]
            check_meaning("\n".join(whole), guards)
