"""What servers teach: factor, context size, silent cuts; for the model it concerns alone."""

from __future__ import annotations

from dataclasses import replace

from app.memory.conversation_memory import ConversationMemory
from app.memory.policies import MemorySettings
from app.models.errors import ContextOverflow
from app.models.port import Usage
from tests.support.chats import Bench, apples, chat
from tests.unit.run import run

ONE = MemorySettings(context_size=8192, model="endpoint one")


def ready(bench: Bench, settings: MemorySettings = ONE) -> ConversationMemory:
    """A memory whose request has just been prepared: about 3,000 tokens."""
    memory = bench.open(chat(*(apples(500) for _ in range(6)), "And?"), settings=settings)
    run(bench.engine.prepare(memory))
    return memory


def test_a_stated_size_is_learned_the_request_folded_harder_and_tried_once_more() -> None:
    bench = Bench()
    memory = ready(bench)
    error = ContextOverflow("too long", limit=2048, prompt=3100)
    assert bench.engine.overflowed(memory, error) is True
    prepared = run(bench.engine.prepare(memory))
    assert prepared.account["total"] <= 1536 and prepared.messages[-1].content.endswith("And?")
    assert any("2048" in notice for notice in prepared.notices)
    assert bench.engine.overflowed(memory, error) is False  # once for a question
    assert bench.engine.learned["endpoint one"].context_size == 2048
    other = bench.open(chat("hi", prefix="o", conversation="d"), settings=ONE)
    assert other.settings.context_size == 2048


def test_an_unstated_size_halves_what_was_believed_down_to_the_least() -> None:
    bench = Bench()
    memory = ready(bench)
    assert bench.engine.overflowed(memory, ContextOverflow("x")) is True
    assert memory.settings.context_size == 4096
    least = bench.open(
        chat("hi", conversation="e"), settings=replace(ONE, context_size=512, model="m")
    )
    assert bench.engine.overflowed(least, ContextOverflow("x")) is False
    absurd = bench.open(chat("hi", conversation="f"), settings=replace(ONE, model="n"))
    assert bench.engine.overflowed(absurd, ContextOverflow("x", limit=3)) is True
    assert absurd.settings.context_size == 4096


def test_a_server_with_the_same_size_that_counts_more_teaches_the_factor_instead() -> None:
    bench = Bench()
    memory = ready(bench)
    sent = memory.activity.sent
    error = ContextOverflow("too long", limit=8192, prompt=sent * 2)
    assert bench.engine.overflowed(memory, error) is True
    assert memory.settings.context_size == 8192 and memory.settings.factor == 2.0
    assert run(bench.engine.prepare(memory)).account["total"] <= 3072


def test_what_one_model_teaches_does_not_touch_another() -> None:
    bench = Bench()
    memory = ready(bench)
    assert bench.engine.learn(memory, 1000, Usage(prompt_tokens=1500)) is None
    assert memory.settings.factor == 1.3
    two = bench.open(chat("hi", conversation="d"), settings=replace(ONE, model="endpoint two"))
    assert two.settings.factor == 1.0
    again = bench.open(chat("hi", conversation="e"), settings=ONE)
    assert again.settings.factor == 1.3


def test_a_session_that_keeps_what_was_learned_has_its_way() -> None:
    bench = Bench()
    nameless = MemorySettings(context_size=8192, factor=1.7)
    memory = ready(bench, nameless)
    assert memory.settings.factor == 1.7
    bench.engine.learn(memory, 1000, Usage(prompt_tokens=2000))
    assert memory.settings.factor == 1.88 and bench.engine.learned == {}
    assert bench.open(chat("hi", conversation="d"), settings=nameless).settings.factor == 1.7


def test_a_size_that_a_person_sets_counts_again() -> None:
    bench = Bench()
    memory = ready(bench)
    bench.engine.overflowed(memory, ContextOverflow("x", limit=2048))
    bench.engine.learn(memory, 1000, Usage(prompt_tokens=1500))
    bench.engine.settings_changed()
    larger = bench.open(chat("hi", conversation="d"), settings=replace(ONE, context_size=16_384))
    assert larger.settings.context_size == 16_384 and larger.settings.factor == 1.3


def test_a_server_that_cuts_prompts_silently_is_named_once() -> None:
    bench = Bench()
    memory = ready(bench)
    notice = bench.engine.learn(memory, 3000, Usage(prompt_tokens=1024))
    assert notice is not None and "1024" in notice and "silently" in notice
    assert bench.engine.learn(memory, 3000, Usage(prompt_tokens=1024)) is None
    assert memory.settings.factor == 1.0
    assert bench.engine.learn(ready(bench), 3000, Usage()) is None


def test_the_shown_figures_add_up_to_the_context_with_a_factor_too() -> None:
    bench = Bench()
    memory = ready(bench, replace(ONE, context_size=4096, factor=1.62))
    view = bench.engine.view(memory)
    account: dict[str, int] = view["account"]  # type: ignore[assignment]
    parts = ("system", "summary", "recall", "pins", "window", "question", "overhead")
    assert sum(account[name] for name in parts) == account["total"] <= view["budget"]  # type: ignore[operator]
    free = view["budget"] - account["total"]  # type: ignore[operator]
    assert account["total"] + free + account["answer"] == view["context"] == 2528
    assert view["context_size"] == 4096 and view["factor"] == 1.62
