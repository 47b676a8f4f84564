"""What ``tools.bench_speed`` times inside Pyodide: plans, folds and counts, by the page's own code.

``run(tokenizer, native)`` gives the figures as JSON text. ``tokenizer`` is the module
``static/js/tokenizer.js``, ``native`` counts a JSON array by gpt-tokenizer alone, in JavaScript.
"""

from __future__ import annotations

import asyncio
import json
import random
import statistics
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from app.browser.tokenizer import GptTokenizer
from app.conversation.message import Message, Part
from app.conversation.tree import Conversation
from app.memory.conversation_memory import ConversationMemory
from app.memory.engine import MemoryEngine
from app.memory.folding import Folded, gather, without_model
from app.memory.plan import plan
from app.memory.policies import MemorySettings, make_policy
from app.memory.tokens import Counter
from app.models.roles import Roles
from tests.bench.generator import generate
from tests.support.chats import FoldShelf
from tests.support.fakes import FakeIds, FakeLocks

ID = "speed"
BATCH = 50  # plans that are timed together: a browser's clock steps by 0.1 ms


class Clock:
    """Time as it passes."""

    def now(self) -> int:
        """Milliseconds since 1970."""
        return int(time.time() * 1000)

    def elapsed(self) -> float:
        """Milliseconds of the performance counter."""
        return time.perf_counter() * 1000

    async def sleep(self, milliseconds: float) -> None:
        """Wait."""
        await asyncio.sleep(milliseconds / 1000)


def timed(work: Callable[[], object], rounds: int) -> list[float]:
    """Milliseconds of each of ``rounds`` runs."""
    taken: list[float] = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        taken.append((time.perf_counter() - started) * 1000)
    return taken


def high(values: Sequence[float], share: float) -> float:
    """The value that ``share`` of them do not exceed."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


@cache
def prose() -> str:
    """Some 100,000 characters of natural text: this project's own documentation."""
    pages = sorted((Path(__file__).parents[1] / "docs").glob("*.md"))
    return " ".join(" ".join(page.read_text("utf-8") for page in pages).split())


def texts(seed: int, count: int, characters: int = 450) -> list[str]:
    """Fresh messages of so many characters."""
    rng, whole = random.Random(seed), prose()
    starts = [rng.randrange(len(whole) - characters) for _ in range(count)]
    return [f"{whole[start : start + characters]} {seed}.{n}" for n, start in enumerate(starts)]


def messages(contents: Sequence[str]) -> list[Message]:
    """User and assistant in turn."""
    out: list[Message] = []
    for number, content in enumerate(contents):
        role = "assistant" if number % 2 else "user"
        parent = out[-1].id if out else None
        out.append(Message(f"m{number}", ID, parent, role, (Part("text", content),)))
    return out


def engine_for(counter: Counter) -> MemoryEngine:
    """An engine without a model."""
    return MemoryEngine(
        folds=FoldShelf(),
        counter=counter,
        clock=Clock(),
        ids=FakeIds("f"),
        locks=FakeLocks(),
        roles=lambda: Roles(None, None),
        usage=lambda record: None,
    )


async def preparing(
    tokenizer: GptTokenizer, sizes: Sequence[int], settings: MemorySettings
) -> tuple[dict[int, list[float]], dict[int, list[float]]]:
    """Times (ms) of the plan, and of plan, recall and payload together, for a new question.

    By the number of messages before it: all counted before, folded once.
    """
    opened: list[tuple[int, MemoryEngine, Counter, ConversationMemory, Message]] = []
    for size in sizes:
        counter = Counter(tokenizer)
        engine = engine_for(counter)
        said = messages([*texts(size, size), "What did we decide about the harbour?"])
        memory = engine.open(Conversation(id=ID), said[:-1], [], settings)
        memory.append(said[-1])
        await engine.prepare(memory)
        opened.append((size, engine, counter, memory, memory.path.pop()))
    taken: dict[int, list[float]] = {size: [] for size in sizes}
    for round_ in range(48):
        for size, _, counter, memory, question in opened:  # in turns: the machine may be busy
            started = time.perf_counter()
            for _ in range(BATCH):
                memory.append(question)
                plan(memory.path, memory.current_for_answer(), settings, counter)
                memory.path.pop()
            if round_ >= 8:  # until then the browser still compiles
                taken[size].append((time.perf_counter() - started) * 1000 / BATCH)
    whole: dict[int, list[float]] = {size: [] for size in sizes}
    for _ in range(15):
        for size, engine, _, memory, question in opened:
            memory.append(question)
            whole[size] += timed(lambda e=engine, m=memory: e.preview(m), 1)
            memory.path.pop()
    return taken, whole


def folds(tokenizer: GptTokenizer) -> list[float]:
    """Times (ms) of extractive folds of 1,500 new tokens onto a summary of up to 800."""
    counter = Counter(tokenizer)
    taken: list[float] = []
    for seed in (1, 2):
        chat = generate(seed, long_answers=True)
        said = messages([turn.content for turn in chat.messages])
        costs = [cost for _, cost in counter.messages(said)]
        previous: Folded | None = None
        part: list[Message] = []
        used = 0
        for message, cost in zip(said, costs, strict=True):
            part.append(message)
            used += cost
            if used < 1500 or message.role != "assistant":
                continue
            started = time.perf_counter()
            previous = without_model(gather(previous, part, 800, counter), counter)
            taken.append((time.perf_counter() - started) * 1000)
            part, used = [], 0
    return taken


async def waiting(
    tokenizer: GptTokenizer, settings: MemorySettings, ahead: bool
) -> tuple[list[float], list[float]]:
    """What each request of a chat waits (ms) for its memory: without a fold, and with one.

    ``ahead``: whether each answer is followed by what the page does then, a fold in the background
    where one is due. Without it every fold is waited for: the worst case.
    """
    engine = engine_for(Counter(tokenizer))
    memory = engine.open(Conversation(id=ID), [], [], settings)
    without: list[float] = []
    folding: list[float] = []
    for message in messages([turn.content for turn in generate(3, long_answers=True).messages]):
        memory.append(message)
        if message.role == "user":
            before, started = memory.current_for_answer(), time.perf_counter()
            await engine.prepare(memory)
            took = (time.perf_counter() - started) * 1000
            (without if memory.current_for_answer() is before else folding).append(took)
        elif ahead:
            await engine.after_answer(memory)
    return without, folding


def long_texts() -> dict[str, str]:
    """Texts of 1 MB that make gpt-tokenizer alone hang."""
    rng = random.Random(5)
    size = 1_000_000
    return {
        "a": "a" * size,
        "random letters": "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=size)),
        "CJK": "".join(rng.choices("的一是不了人我在有他这为之大来以个中上们", k=size // 3)),
        "emoji": "👨‍👩‍👧‍👦" * (size // 25),
        "spaces": " " * size,
        "base64": "".join(
            rng.choices("ABCDEFGHIJKLMNOPQRSTabcdefghijklmnopqrst0123456789+/", k=size)
        ),
        "prose": (prose() * 20)[:size],
    }


async def run(script: Any, native: Callable[[str], float]) -> str:
    """All figures, as JSON text. Times in milliseconds."""
    tokenizer = await GptTokenizer.load(script)
    settings = MemorySettings(policy=make_policy("pleat"), context_size=4096)
    out: dict[str, Any] = {}
    plans, whole = await preparing(tokenizer, (100, 1_000, 10_000), settings)
    out["whole"] = {n: statistics.median(values) for n, values in whole.items()}
    out["plan"] = {n: statistics.median(values) for n, values in plans.items()}
    recount = [native(json.dumps(texts(90 + n, 1_000))) for n in range(5)]
    out["recount"] = statistics.median(recount)
    ours: list[float] = []
    alone: list[float] = []
    for number in range(7):  # in turns: the machine may be busy
        fresh = messages(texts(200 + number, 1_000))
        counter = Counter(tokenizer)
        ours += timed(lambda c=counter, m=fresh: c.messages(m), 1)
        alone.append(native(json.dumps(texts(300 + number, 1_000))))
    out["counting"] = statistics.median(ours)
    out["counting alone"] = statistics.median(alone)
    tokenizer.count_many(["warm " * 1000])
    out["long"] = {
        name: min(timed(lambda t=text: Counter(tokenizer).text(t), 3))
        for name, text in long_texts().items()
    }
    taken = folds(tokenizer)
    out["fold"] = {
        "median": statistics.median(taken),
        "p95": high(taken, 0.95),
        "most": max(taken),
        "count": len(taken),
    }
    for name, ahead in (("wait", False), ("wait ahead", True)):
        without, folding = await waiting(tokenizer, settings, ahead)
        out[name] = {
            "median": statistics.median(without),
            "p95": high(without, 0.95),
            "count": len(without) + len(folding),
            "folds": len(folding),
            "most": max(folding, default=0.0),
            "most of all": max(without + folding),
        }
    return json.dumps(out)
