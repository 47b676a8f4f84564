"""The rules of memory hold for any conversation, any settings and any summariser.

Each example runs a conversation turn by turn through the engine, with a summariser that may
fail or answer anything, and checks budget, question, coverage, once, and the bounded summary.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from app.conversation.message import Message, Part, Role, is_sendable, sendable_text
from app.conversation.tree import Conversation
from app.memory.conversation_memory import ConversationMemory
from app.memory.plan import window_start
from app.memory.policies import MemorySettings, make_policy
from app.memory.prepare import Prepared
from app.memory.report import coverage
from app.memory.tokens import MESSAGE_OVERHEAD
from app.models.errors import Auth, RateLimited, Server, Truncated, Unreachable
from app.models.port import Delta, WireMessage
from tests.support.chats import Bench
from tests.unit.run import run

BRIEF = os.environ.get("PLEAT_MACHINE") == "brief"  # for mutants
WORDS = [
    "apple",
    "Ada",
    "not",
    "42",
    "blue",
    "never",
    "moved",
    "Brno",
    "?",
    "\n",
    "the",
    "7.5",
    "<|x|>",
]
REPLIES = st.sampled_from(
    [
        "Ada keeps 3 hens.",
        "",
        " \n\u200b",
        "<think>hm",
        "<think>x</think>Ada moved to Brno.\nShe does not eat apples.",
        "I'm sorry, but I can't do that.",
        "Error: upstream",
        "<html>502</html>",
        "apple " * 3000,
        "Sure! Here is my answer.",
        '{"summary": ["Ada moved.", "7.5"]}',
        "```\nAda moved to Brno",
        RuntimeError("a fault of ours"),
        Server("x", status=500),
        Auth("x", status=401),
        RateLimited("x", status=429, retry_after=5),
        Unreachable("x"),
        Truncated("x"),
    ]
)


@dataclass
class AnyModel:
    """Answers each request with the next of its replies, over and over."""

    replies: Sequence[object]
    name: str = "any"
    seen: list[Sequence[WireMessage]] = field(default_factory=list[Sequence[WireMessage]])

    async def stream(
        self,
        messages: Sequence[WireMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> AsyncIterator[Delta]:
        """The next reply, or its error."""
        self.seen.append(messages)
        reply = self.replies[len(self.seen) % len(self.replies)]
        if isinstance(reply, RuntimeError):
            raise RuntimeError("a fault of ours")
        if isinstance(reply, BaseException):
            raise type(reply)(reply.detail)  # type: ignore[attr-defined]
        yield Delta(text=str(reply))
        yield Delta(finish="stop")


texts = st.builds(
    lambda word, count, end: f"{word} " * count + end,
    st.sampled_from(WORDS),
    st.sampled_from([0, 1, 3, 10, 40, 120, 400, 1500, 4000]),
    st.sampled_from(["", "My code is 4711.", "Really?", "No."]),
)
turns = st.lists(
    st.tuples(texts, texts, st.sampled_from(["complete", "complete", "failed"])), max_size=14
)
policies = st.one_of(
    st.builds(
        lambda n, s, r: make_policy(
            "pleat", window_conversations=n, summary_limit=s, recall_tokens=r
        ),
        st.integers(0, 4),
        st.sampled_from([50, 800, 8000]),
        st.sampled_from([0, 300, 4000]),
    ),
    st.builds(lambda r: make_policy("minisearch", reserved=r), st.sampled_from([0, 200, 100_000])),
    st.builds(
        lambda n, t: make_policy("dost", window_conversations=n, summary_trigger_tokens=t),
        st.integers(0, 4),
        st.sampled_from([100, 1000]),
    ),
    st.builds(lambda n: make_policy("switchboard", window_conversations=n), st.integers(0, 3)),
)
settings_ = st.builds(
    MemorySettings,
    policy=policies,
    context_size=st.sampled_from([-5, 0, 512, 700, 1024, 4096, 100_000]),
    system_prompt=st.sampled_from(["", "Be brief.", "apple " * 300, "apple " * 5000]),
    max_tokens=st.sampled_from([None, 1, 400, 1_000_000]),
    factor=st.sampled_from([1.0, 1.37, 3.0]),
)


def check_request(
    memory: ConversationMemory, prepared: Prepared, bench: Bench, asked: Message
) -> None:
    """Rules 1, 2 and 3 for the request that goes out."""
    limits = memory.settings.limits
    sent = prepared.messages
    counted = sum(bench.counter.texts([m.content for m in sent])) + len(sent) * MESSAGE_OVERHEAD + 3
    assert counted == prepared.account["total"] <= limits.budget
    if prepared.max_tokens is not None:
        assert prepared.max_tokens >= 1
        assert (
            prepared.max_tokens == 1 or counted * limits.factor + prepared.max_tokens <= limits.size
        )
    text = sendable_text(asked)
    alone = bench.counter.text(text) + MESSAGE_OVERHEAD + 3
    assert sent[-1].role == "user"
    pins = memory.path.tokens("pinned", 0, len(memory.path))
    if alone + pins <= limits.budget:
        assert sent[-1].content.endswith(text)
    else:
        assert prepared.notices or prepared.cut
    start = window_start(memory.path, memory.current_for_answer())
    kinds = {
        i: part.kind
        for part in prepared.payload.parts
        if part.kind in ("pin", "window", "question")
        for i in part.ids
    }
    for index, message in enumerate(memory.path.messages):
        state = memory.path.states[index]
        word_for_word = message.id in kinds
        covered = state == "eligible" and index < start
        fates = (word_for_word, covered, state == "excluded", state == "unsendable")
        assert sum(fates) == 1, (message.id, state, fates)
    assert coverage(memory)["unaccounted"] == 0


def check_preview(memory: ConversationMemory, bench: Bench) -> None:
    """What the model would see is within the budget, and each message has one state."""
    before = len(memory.ledger)
    view = bench.engine.request_view(memory)
    assert view["tokens"] <= view["budget"]  # type: ignore[operator]
    states = [entry["id"] for entry in view["states"]]  # type: ignore[attr-defined]
    assert states == [message.id for message in memory.path.messages]
    assert len(memory.ledger) == before


def check_ledger(memory: ConversationMemory, bench: Bench) -> None:
    """Rules 4 and 5 for the ledger."""
    current = memory.current
    lineage = memory.ledger.lineage(current)
    given = [i for fold in reversed(lineage) for i in fold.covered]
    assert len(given) == len(set(given))
    start = window_start(memory.path, current)
    assert given == [m.id for m in memory.path.select("eligible", 0, start)]
    for fold in lineage:
        parent = memory.ledger.get(fold.parent_id)
        replaced = bench.counter.text(parent.text) if parent else 0
        positions = [memory.path.position(i) for i in fold.covered]
        replaced += sum(
            bench.counter.message(memory.path.messages[p]) for p in positions if p is not None
        )
        held = bench.counter.text(fold.text)
        assert fold.text.strip() and held <= min(memory.settings.limits.summary, replaced)
        assert "<html" not in fold.text and not fold.text.startswith(
            ("Error", "<think>", "I'm sorry")
        )


@settings(max_examples=30 if BRIEF else 150, deadline=None)
@given(turns, settings_, st.lists(REPLIES, min_size=1, max_size=4), st.booleans(), st.data())
def test_every_request_obeys_the_rules(
    script: list[tuple[str, str, str]],
    chosen: MemorySettings,
    replies: list[object],
    with_model: bool,
    data: st.DataObject,
) -> None:
    model = AnyModel(replies) if with_model else None
    bench = Bench(chosen, utility=model)
    pins = data.draw(st.sets(st.integers(0, 13), max_size=3))
    outs = data.draw(st.sets(st.integers(0, 13), max_size=3)) - pins
    conversation = Conversation(
        id="c",
        pinned=frozenset(f"q{n}" for n in pins),
        excluded=frozenset(f"q{n}" for n in outs),
    )
    memory = bench.open([], conversation)

    def say(id: str, role: Role, text: str, status: str) -> Message:
        parent = memory.path.messages[-1].id if len(memory.path) else None
        message = Message(id, "c", parent, role, (Part("text", text),), status)  # type: ignore[arg-type]
        memory.append(message)
        return message

    async def live() -> None:
        for number, (question, answer, status) in enumerate(script):
            asked = say(f"q{number}", "user", question, "complete")
            if is_sendable(asked) and memory.path.states[-1] != "excluded":
                calls = len(model.seen) if model else 0
                prepared = await bench.engine.prepare(memory)
                check_request(memory, prepared, bench, asked)
                check_ledger(memory, bench)
                check_preview(memory, bench)
                if model and len(replies) == 1 and not isinstance(replies[0], str):
                    assert len(model.seen) - calls <= 1
            say(f"a{number}", "assistant", answer, status)
            check_preview(memory, bench)
            await bench.engine.after_answer(memory)
            check_ledger(memory, bench)

    run(live())
