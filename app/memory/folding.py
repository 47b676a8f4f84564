"""The fold itself, pure: from the previous summary and the turns that leave, the next summary.

A model's reply is cleaned, checked, capped and given back the details that it lost; without a
model the extractive summariser (or the seeds' tail rule) writes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.conversation.message import Message, sendable_text
from app.memory.budget import SMALL
from app.memory.checks import clean_reply, problem
from app.memory.cutting import cut_head, cut_middle
from app.memory.extractive import Line, Source, restore_details, summarise
from app.memory.fitting import fit_lines
from app.memory.ledger import Fold, Method
from app.memory.payload import lines_of
from app.memory.policies import Fallback
from app.memory.prompts import FOLD_SYSTEM, fold_request, quote, speaker
from app.memory.tail import tail
from app.memory.tokens import MESSAGE_OVERHEAD, Counter
from app.models.port import WireMessage

MIN_CHUNK = 64  # tokens of messages that a summariser's request must have room for
REPLY_SLACK = 1.25  # a reply may run over the limit by this before it is cut off
REASONING_SHARE = 8  # of a large context, one part in so many is left for a model's reasoning
REASONING_MOST = 2048  # tokens
LARGE = 8192  # tokens of a context from which on reasoning gets room
PORTION = 6000  # tokens that the summariser without a model takes in one go


class Rejected(Exception):
    """A model's reply is no summary; the text says why."""


@dataclass(frozen=True, slots=True)
class Material:
    """What one fold is made of. ``cap``: the most tokens that its summary may hold."""

    previous: str
    previous_sources: tuple[str | None, ...]
    messages: tuple[Message, ...]
    cap: int
    tokens_in: int  # previous summary and messages, overheads included
    tokens_new: int  # the messages' texts alone

    @property
    def is_small(self) -> bool:
        """Whether there is so little that it is kept verbatim, and no model is asked."""
        return self.tokens_new < SMALL


@dataclass(frozen=True, slots=True)
class Folded:
    """A summary that may be committed."""

    text: str
    sources: tuple[str | None, ...]
    method: Method
    note: str = ""
    tokens_out: int = field(default=0)


def gather(
    previous: Fold | Folded | None, messages: Sequence[Message], limit: int, counter: Counter
) -> Material:
    """The material of a fold of ``messages`` onto ``previous``, capped as the rules say.

    The cap is the summary limit, or what is replaced (previous summary and messages with their
    overheads) where that is less.
    """
    text = previous.text if previous else ""
    sources = previous.sources if previous else ()
    counts = [count for _, count in counter.messages(messages)]
    tokens_in = counter.text(text) + sum(counts)
    return Material(
        text,
        sources,
        tuple(messages),
        max(1, min(limit, tokens_in)),
        tokens_in,
        sum(counts) - MESSAGE_OVERHEAD * len(counts),
    )


def items_of(messages: Sequence[Message]) -> list[Source]:
    """The messages as the extractive summariser reads them."""
    return [Source(m.id, m.role, speaker(m), sendable_text(m), m.created_at) for m in messages]


def without_model(
    material: Material, counter: Counter, fallback: Fallback = "extractive", note: str = ""
) -> Folded:
    """The summary made on this machine: verbatim when tiny, else by the rule asked for."""
    lexicon = counter.tokenizer
    previous = lines_of(material.previous, material.previous_sources) if material.previous else []
    if material.is_small:
        lines = _verbatim(material)
        method: Method = "verbatim"
    elif fallback == "tail":
        text = tail(material.previous, items_of(material.messages), material.cap, lexicon)
        lines = lines_of(text)
        method = "tail"
    else:
        lines = summarise(previous, items_of(material.messages), material.cap, lexicon)
        method = "extractive"
    return _finish(lines, material, counter, method, note)


def portions(messages: Sequence[Message], counter: Counter) -> list[list[Message]]:
    """The messages in portions that a summariser without a model takes in some milliseconds.

    One portion unless there are many: a long import must not hold the page up.
    """
    counts = [count for _, count in counter.messages(messages)]
    if sum(counts) <= 2 * PORTION:
        return [list(messages)]
    found: list[list[Message]] = []
    used = PORTION
    for message, count in zip(messages, counts, strict=True):
        if used >= PORTION:
            found.append([])
            used = 0
        found[-1].append(message)
        used += count
    if used < 2 * SMALL:  # too little for a portion of its own
        rest = found.pop()
        found[-1] += rest
    return found


def _verbatim(material: Material) -> list[Line]:
    lines = lines_of(material.previous, material.previous_sources) if material.previous else []
    for message in material.messages:
        said = " / ".join(
            line.strip() for line in sendable_text(message).splitlines() if line.strip()
        )
        lines.append(Line(f"{speaker(message)}: {said}", message.id))
    return lines


def from_reply(reply: str, finish: str, material: Material, counter: Counter) -> Folded:
    """The summary in a model's reply. Raises ``Rejected`` when there is none in it."""
    text = clean_reply(reply)
    given = "\n".join([material.previous, *(sendable_text(m) for m in material.messages)])
    why = problem(text, given, finish)
    if why:
        raise Rejected(why)
    note = ""
    lines = lines_of(text)
    used = counter.text(text)
    if used > material.cap:
        lines = fit_lines(lines, material.cap, counter)
        note = f"trimmed from {used} to {material.cap} tokens"
        used = counter.text("\n".join(line.text for line in lines))
    method: Method = "model"
    room = material.cap - used - 1
    notes = lines_of(material.previous, material.previous_sources) if material.previous else []
    lost = restore_details(lines, items_of(material.messages), room, counter.tokenizer, notes)
    while lost and counter.text("\n".join(x.text for x in [*lines, *lost])) > material.cap:
        lost.pop()
    if lost:
        method, lines = "model+details", [*lines, *lost]
    return _finish(lines, material, counter, method, note)


def _finish(
    lines: Sequence[Line], material: Material, counter: Counter, method: Method, note: str
) -> Folded:
    """Hold every summary to its cap and to not being empty, whoever wrote it."""
    kept = [line for line in lines if line.text.strip()]
    text = "\n".join(line.text for line in kept)
    used = counter.text(text)
    if used > material.cap:
        kept = fit_lines(kept, material.cap, counter)
        text = "\n".join(line.text for line in kept)
        used = counter.text(text)
    if not text:  # nothing that the summariser thought worth keeping, or no line fits
        whole = material.previous or " ".join(sendable_text(m) for m in material.messages)
        text = cut_head(" ".join(whole.split()), material.cap, counter)
        kept = lines_of(text)
        used = counter.text(text)
    sources = tuple(line.source for line in kept)
    # A line that holds a break of its own would put the sources out of step.
    if text.count("\n") + 1 != len(sources):
        sources = ()
    return Folded(text, sources, method, note, used)


def reply_room(context_size: int, limit: int) -> int:
    """``max_tokens`` of a fold's request: the notes, and reasoning where the context is large."""
    thought = context_size // REASONING_SHARE if context_size >= LARGE else 0
    return max(16, int(limit * REPLY_SLACK)) + min(REASONING_MOST, thought)


def chunk_room(context_size: int, limit: int, previous: str, counter: Counter) -> int:
    """Tokens of messages that one request to a summariser of that context can hold."""
    notes = max(limit, counter.text(previous))  # the limit may have been higher once
    fixed = counter.text(FOLD_SYSTEM) + 90 + notes  # instructions, frames, previous notes
    return (
        min(int(context_size * 0.75), context_size - reply_room(context_size, limit) - 16) - fixed
    )


def split(
    turns: Sequence[Sequence[Message]], room: int, counter: Counter
) -> list[tuple[list[Message], bool]]:
    """Chunks of whole turns within ``room`` tokens, each with whether it ends a turn.

    A turn larger than the room is split between messages; only its last chunk may be committed.
    """
    chunks: list[tuple[list[Message], bool]] = []
    open_chunk: list[Message] = []
    used = 0
    for turn in turns:
        costs = counter.texts([quote(m) + "\n" for m in turn])
        cost = sum(costs)
        if open_chunk and used + cost > room:
            chunks.append((open_chunk, True))
            open_chunk, used = [], 0
        if cost <= room:
            open_chunk.extend(turn)
            used += cost
            continue
        for message, size in zip(turn, costs, strict=True):
            if open_chunk and used + size > room:
                chunks.append((open_chunk, False))
                open_chunk, used = [], 0
            open_chunk.append(message)
            used += size
        chunks.append((open_chunk, True))
        open_chunk, used = [], 0
    if open_chunk:
        chunks.append((open_chunk, True))
    return chunks


def request(material: Material, room: int, counter: Counter) -> list[WireMessage]:
    """The request for a chunk; a message larger than the room is cut head-and-tail, marked."""
    quoted: list[str] = []
    for message in material.messages:
        piece, text, limit = quote(message), sendable_text(message), room
        while counter.text(piece) > room and limit > MIN_CHUNK // 2:
            text = cut_middle(text, limit - MIN_CHUNK // 4, counter)
            piece, limit = quote(message, text), limit * 3 // 4
        quoted.append(piece)
    return fold_request(material.previous, quoted, material.cap)
