"""Does a summary that a *model* writes decay, fold after fold? And does a draft help the model?

    python -m tests.bench.model_drift [--seeds 1 2 3] [--limit 800] [--fold 1500] [--loss 0.1]
    python -m tests.bench.model_drift --endpoint URL --model NAME --limit 250 --fold 500 --folds 5
    python -m tests.bench.model_drift --draft --endpoint URL --model NAME --limit 250 --fold 500

Without ``--endpoint`` the model is scripted: it picks well, but loses and blurs a share of the
lines whenever it writes them anew (``--loss``), always the same ones. *rewritten*: the model gets
the notes so far and the new messages (what the engine does). *frozen*: it gets the new messages
alone; blocks stay byte for byte, and the two oldest lose lines when the limit is reached. With and
without the detail guard. What is no summary is replaced by the extractive one, as in the engine.
``--draft``: each fold on its own, asked with and without the extractive draft as raw material.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import re
import sys
import time
from collections import Counter as Counted
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from app.conversation.message import Message, sendable_text
from app.memory.checks import clean_reply, problem
from app.memory.extractive import Line, Source, restore_details, summarise
from app.memory.fitting import fit_lines
from app.memory.folding import (
    Folded,
    Material,
    Rejected,
    from_reply,
    gather,
    items_of,
    reply_room,
    without_model,
)
from app.memory.payload import lines_of
from app.memory.prompts import NOTES_CLOSE, NOTES_OPEN, fold_request, quote
from app.memory.tokens import Counter
from app.models.openai_compatible import Endpoint, OpenAICompatible
from app.models.port import WireMessage
from tests.bench.chats import Chat
from tests.bench.drift import AFTER, folds_of, joined
from tests.bench.generator import generate
from tests.bench.metrics import common_prefix, judge, percent, split_lines
from tests.bench.running import messages_of
from tests.support.cpython_tokenizer import CPythonTokenizer
from tests.support.http_transport import HttpTransport

Writer = Callable[[list[WireMessage], int], tuple[str, str]]
"""(request, max_tokens) -> (reply, finish reason)."""

CONTEXT = 4096  # tokens of the summarising model
GUARDS = ("off", "messages", "notes too")
"""The detail guard: none, from the messages just folded, or also from the notes before."""
_NUMBER = re.compile(r"\d[\d.,:/-]*")
_QUOTED = re.compile(r"^(?P<who>[^>\n][^\n]*):\n(?P<said>(?:>[^\n]*\n?)+)", re.MULTILINE)


def fate(text: str) -> float:
    """0 to 1, always the same for the same text."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") / 2**32


@dataclass
class Scripted:
    """A model that picks well and copies badly: per line it writes, ``loss`` of the lines go.

    Half of ``loss`` is dropped, half loses its numbers. A line's fate differs from fold to fold.
    """

    loss: float
    limit: int  # tokens that it writes at most
    lexicon: CPythonTokenizer
    calls: int = 0

    def __call__(self, request: list[WireMessage], most: int) -> tuple[str, str]:
        self.calls += 1
        body = str(request[-1].content)
        notes = body.split(NOTES_OPEN + "\n", 1)[1].split("\n" + NOTES_CLOSE, 1)[0]
        items = [
            Source(f"q{n}", "user", found["who"], re.sub(r"(?m)^> ?", "", found["said"]), 0)
            for n, found in enumerate(_QUOTED.finditer(body.split("<turns>\n", 1)[1]))
        ]
        old = [] if notes == "(none yet)" else [Line(text, None) for text in notes.split("\n")]
        room = min(self.limit, most * 3 // 5)
        lines = [line.text for line in summarise(old, items, room, self.lexicon)]
        return "\n".join(filter(None, map(self._copied, lines))), "stop"

    def _copied(self, line: str) -> str:
        luck = fate(f"{self.calls} {line}")
        if luck < self.loss / 2:
            return ""
        return _NUMBER.sub("some", line) if luck < self.loss else line


@dataclass
class Served:
    """A real model behind an OpenAI-compatible endpoint, at temperature 0."""

    model: OpenAICompatible

    def __call__(self, request: list[WireMessage], most: int) -> tuple[str, str]:
        return asyncio.run(self._ask(request, most))

    async def _ask(self, request: list[WireMessage], most: int) -> tuple[str, str]:
        text, finish = "", ""
        async for delta in self.model.stream(request, max_tokens=most, temperature=0.0):
            text += delta.text
            finish = delta.finish or finish
        return text, finish


@dataclass
class Tally:
    """Replies of a writer, how many of them were summaries, and why the others were none."""

    asked: int = 0
    accepted: int = 0
    why: list[str] = field(default_factory=list[str])


def accepted(reply: str, finish: str, material: Material, counter: Counter, guard: str) -> Folded:
    """The summary in a reply. Raises ``Rejected`` when there is none in it."""
    text, messages = clean_reply(reply), material.messages
    given = "\n".join([material.previous, *(sendable_text(m) for m in messages)])
    if why := problem(text, given, finish):
        raise Rejected(why)
    lines = fit_lines(lines_of(text), material.cap, counter)
    if guard != "off":
        used = counter.text(joined(lines))
        old = lines_of(material.previous) if guard == "notes too" and material.previous else []
        room, items = material.cap - used - 1, items_of(messages)
        lost = restore_details(lines, items, room, counter.tokenizer, old)
        while lost and counter.text(joined([*lines, *lost])) > material.cap:
            lost.pop()
        lines = [*lines, *lost]
    return Folded(joined(lines), tuple(line.source for line in lines), "model")


def written(
    previous: Folded | None,
    messages: Sequence[Message],
    limit: int,
    counter: Counter,
    write: Writer,
    tally: Tally,
    *,
    guard: str,
) -> Folded:
    """One fold as the engine does it. ``guard``: what it puts details back from (see GUARDS)."""
    material = gather(previous, messages, limit, counter)
    request = fold_request(material.previous, [quote(m) for m in messages], material.cap)
    reply, finish = write(request, reply_room(CONTEXT, limit))
    tally.asked += 1
    try:
        folded = accepted(reply, finish, material, counter, guard)
    except Rejected as error:
        tally.why.append(str(error))
        return without_model(material, counter)
    tally.accepted += 1
    return folded


class Rewritten:
    """One text, written anew by the model at each fold."""

    def __init__(self, limit: int, counter: Counter, write: Writer, *, guard: str) -> None:
        self.limit, self.counter, self.write, self.guard = limit, counter, write, guard
        self.tally, self.folded = Tally(), None

    folded: Folded | None

    def fold(self, messages: Sequence[Message]) -> str:
        """Takes the messages in and gives the summary's text."""
        self.folded = written(
            self.folded, messages, self.limit, self.counter, self.write, self.tally,
            guard=self.guard,
        )  # fmt: skip
        return self.folded.text


class Frozen:
    """Blocks that the model writes once; the two oldest lose lines when the limit is reached."""

    def __init__(self, limit: int, counter: Counter, write: Writer, *, guard: str) -> None:
        self.limit, self.counter, self.write, self.guard = limit, counter, write, guard
        self.tally = Tally()
        self.blocks: list[str] = []

    def fold(self, messages: Sequence[Message]) -> str:
        """Takes the messages in and gives the summary's text."""
        share = self.limit // 5
        block = written(
            None, messages, share, self.counter, self.write, self.tally, guard=self.guard
        )
        self.blocks.append(block.text)
        while self.counter.text("\n".join(self.blocks)) > self.limit and len(self.blocks) > 1:
            both = "\n".join(self.blocks[:2])
            over = self.counter.text("\n".join(self.blocks)) - self.limit
            room = max(share, self.counter.text(both) - over - self.limit // 10)
            lines = fit_lines(lines_of(both), room, self.counter)
            merged = "\n".join(line.text for line in lines)
            if merged == both:
                lines = fit_lines(lines_of(both), self.counter.text(both) * 3 // 4, self.counter)
                merged = "\n".join(line.text for line in lines)
            self.blocks[:2] = [merged]
        return "\n".join(self.blocks)


def held(chat: Chat, text: str, first: int, last: int) -> list[float]:
    """For each fact planted in messages ``first`` to ``last``: 1 when it stands in the text."""
    lines = split_lines([text])
    return [
        float(judge(lines, p.question, p.answer, chat.names)[1])
        for p in chat.probes
        if first <= min(p.evidence) and max(p.evidence) <= last
    ]


def outdated(chat: Chat, text: str, last: int) -> list[float]:
    """For each fact that was updated: 1 when the old value stands in the text, the new one not."""
    lines = split_lines([text])
    return [
        float(
            judge(lines, p.question, p.superseded, chat.names)[1]
            and not judge(lines, p.question, p.answer, chat.names)[0]
        )
        for p in chat.probes
        if p.superseded and max(p.evidence) <= last
    ]


def drift(chats: Sequence[Chat], options: argparse.Namespace, writer: Callable[[], Writer]) -> None:
    """Print the table of both ways, guard on and off."""
    counter = Counter(CPythonTokenizer())
    after = [n for n in AFTER if n <= options.folds]
    print("| way | guard | " + " | ".join(f"after {n} folds" for n in after), end="")
    print(
        " | text that stayed | old value alone | replies accepted |\n|---|---|"
        + "---|" * (len(after) + 3)
    )
    for way in (Rewritten, Frozen):
        for guard in options.guards:
            found: dict[int, list[float]] = {n: [] for n in after}
            stayed: list[float] = []
            old: list[float] = []
            asked = accepted = 0
            for chat in chats:
                method = way(options.limit, counter, writer(), guard=guard)
                messages, before = messages_of(chat), ""
                folds = folds_of(chat, options.fold, CPythonTokenizer())[: options.folds]
                for number, fold in enumerate(folds, 1):
                    text = method.fold([messages[place] for place in fold])
                    if before:
                        stayed.append(common_prefix(before, text) / len(before))
                    before = text
                    if number in found:
                        found[number] += held(chat, text, 0, fold[-1])
                old += outdated(chat, before, folds[-1][-1])
                asked += method.tally.asked
                accepted += method.tally.accepted
            cells = " | ".join(f"{percent(found[n]):.0f} % of {len(found[n])}" for n in after)
            name = f"{way.__name__.lower()} | {guard}"
            end = f"{percent(stayed):.0f} % | {percent(old):.0f} % | {accepted} of {asked}"
            print(f"| {name} | {cells} | {end} |", flush=True)


def draft(chats: Sequence[Chat], options: argparse.Namespace, writer: Callable[[], Writer]) -> None:
    """Print what showing the extractive draft to the model changes, over the same folds."""
    counter, write = Counter(CPythonTokenizer()), writer()
    tallies = {"without": Tally(), "with the draft": Tally()}
    bare: dict[str, list[float]] = {name: [] for name in tallies}
    guarded: dict[str, list[float]] = {name: [] for name in tallies}
    until = time.monotonic() + options.seconds
    for chat in chats:
        messages = messages_of(chat)
        for fold in folds_of(chat, options.fold, CPythonTokenizer())[: options.folds]:
            if time.monotonic() > until or not held(chat, "", fold[0], fold[-1]):
                continue  # no time left, or nothing was planted there
            part = [messages[place] for place in fold]
            material = gather(None, part, options.limit, counter)
            for name, tally in tallies.items():
                request = fold_request("", [quote(m) for m in part], material.cap)
                if name != "without":
                    raw = without_model(material, counter).text
                    more = f"Lines picked from them, as raw material:\n{raw}\n\n"
                    head, ask, tail = str(request[-1].content).rpartition("Write the updated")
                    request[-1] = WireMessage("user", head + more + ask + tail)
                reply, finish = write(request, reply_room(CONTEXT, options.limit))
                tally.asked += 1
                try:
                    folded = from_reply(reply, finish, material, counter)
                except Rejected as error:
                    tally.why.append(str(error))
                    continue
                tally.accepted += 1
                bare[name] += held(chat, clean_reply(reply), fold[0], fold[-1])
                guarded[name] += held(chat, folded.text, fold[0], fold[-1])
    print("| asked | accepted | facts in accepted replies | the same with the guard | rejected |")
    print("|---|---|---|---|---|")
    for name, tally in tallies.items():
        why = "; ".join(f"{n} × {text}" for text, n in Counted(tally.why).items())
        print(
            f"| {name} | {tally.accepted} of {tally.asked} | {percent(bare[name]):.0f} % of"
            f" {len(bare[name])} | {percent(guarded[name]):.0f} % | {why} |"
        )


def main() -> None:
    """The command."""
    options = argparse.ArgumentParser(
        prog="python -m tests.bench.model_drift",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.add_argument("--seeds", nargs="*", type=int, default=[1, 2, 3])
    options.add_argument("--limit", type=int, default=800, help="tokens of summary")
    options.add_argument("--fold", type=int, default=1500, help="tokens of messages a fold")
    options.add_argument("--folds", type=int, default=20)
    options.add_argument("--loss", type=float, default=0.1, help="of the scripted model, 0 to 1")
    options.add_argument("--fills", type=float, default=0.75, help="share of the limit it writes")
    options.add_argument("--endpoint", default="")
    options.add_argument("--model", default="")
    options.add_argument("--key", default="")
    options.add_argument("--guards", nargs="*", choices=GUARDS, default=list(GUARDS))
    options.add_argument("--short-answers", action="store_true", help="chats with short answers")
    options.add_argument("--seconds", type=float, default=3600, help="begin no fold after these")
    options.add_argument("--draft", action="store_true")
    given = options.parse_args()

    def writer() -> Writer:
        if given.endpoint:
            endpoint = Endpoint(given.endpoint, HttpTransport(), key=given.key)
            return Served(OpenAICompatible(endpoint, given.model))
        return Scripted(given.loss, int(given.limit * given.fills), CPythonTokenizer())

    chats = [generate(seed, long_answers=not given.short_answers) for seed in given.seeds]
    started = time.perf_counter()
    (draft if given.draft else drift)(chats, given, writer)
    print(f"{time.perf_counter() - started:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
