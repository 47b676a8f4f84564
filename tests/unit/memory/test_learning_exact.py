"""What an overflow teaches, at both sides of each bound."""

from __future__ import annotations

import pytest

from app.memory.conversation_memory import ConversationMemory
from app.memory.learning import Learned, Learning
from app.memory.policies import MemorySettings
from app.models.errors import ContextOverflow
from tests.support.chats import Bench, chat

CORRECTED = "The server counts more tokens than this page did: the count is corrected."


def memory_of(size: int = 8192, factor: float = 1.0, sent: int = 1000) -> ConversationMemory:
    """A memory whose newest request was counted as ``sent`` tokens."""
    settings = MemorySettings(context_size=size, factor=factor, model="one")
    memory = Bench().open(chat("And?"), settings=settings)
    memory.activity.sent = sent
    return memory


@pytest.mark.parametrize(
    ("stated", "learned", "notice"),
    [
        # Under half of the smallest context a stated size is a slip: half of what was believed.
        (256, 4096, "The server found the prompt too long: its context is taken as 4096 tokens."),
        (257, 512, "The server said that its context is 257 tokens."),
        (511, 512, "The server said that its context is 511 tokens."),
        (513, 513, "The server said that its context is 513 tokens."),
        (8191, 8191, "The server said that its context is 8191 tokens."),
        (8192, 4096, "The server found the prompt too long: its context is taken as 4096 tokens."),
    ],
)
def test_the_size_that_a_stated_limit_teaches(stated: int, learned: int, notice: str) -> None:
    memory, learning = memory_of(), Learning()
    assert learning.overflowed(memory, ContextOverflow("x", limit=stated)) is True
    assert memory.settings.context_size == learned
    assert memory.activity.notices == [notice]
    assert learning.models == {"one": Learned(context_size=learned)}


@pytest.mark.parametrize(("size", "again"), [(1024, True), (513, True), (512, False)])
def test_halving_ends_at_the_smallest_context(size: int, again: bool) -> None:
    memory = memory_of(size)
    assert Learning().overflowed(memory, ContextOverflow("x")) is again
    assert memory.settings.context_size == 512


@pytest.mark.parametrize(
    ("known", "prompt", "factor"),
    [
        (1.0, 1001, 1.001),
        (1.0, 1234, 1.234),
        (1.5, 1600, 1.6),
        (1.0, 9000, 3.0),  # no more than the largest factor
    ],
)
def test_a_stated_prompt_teaches_the_factor_by_which_it_is_larger(
    known: float, prompt: int, factor: float
) -> None:
    memory, learning = memory_of(factor=known), Learning()
    error = ContextOverflow("x", limit=8192, prompt=prompt)
    assert learning.overflowed(memory, error) is True
    assert memory.settings.factor == factor and memory.settings.context_size == 8192
    assert learning.models == {"one": Learned(factor=factor)}
    assert memory.activity.notices == [CORRECTED]


def test_the_factor_is_kept_to_three_places() -> None:
    memory = memory_of(sent=900)
    assert Learning().overflowed(memory, ContextOverflow("x", limit=8192, prompt=1000)) is True
    assert memory.settings.factor == 1.111


@pytest.mark.parametrize(("known", "prompt"), [(1.0, 1000), (1.5, 1500), (2.0, 1500)])
def test_a_prompt_as_large_as_was_known_halves_the_context(known: float, prompt: int) -> None:
    memory = memory_of(factor=known)
    error = ContextOverflow("x", limit=8192, prompt=prompt)
    assert Learning().overflowed(memory, error) is True
    assert memory.settings.factor == known and memory.settings.context_size == 4096


def test_at_the_largest_factor_nothing_more_is_learned() -> None:
    memory, learning = memory_of(factor=3.0), Learning()
    error = ContextOverflow("x", limit=8192, prompt=3500)
    assert learning.overflowed(memory, error) is False
    assert memory.settings == MemorySettings(context_size=8192, factor=3.0, model="one")
    assert memory.activity.notices == [] and learning.models == {}


@pytest.mark.parametrize(("limit", "prompt"), [(2048, 0), (8192, 1200)])
def test_what_an_overflow_taught_is_said_each_time(limit: int, prompt: int) -> None:
    memory, learning = memory_of(), Learning()
    error = ContextOverflow("x", limit=limit, prompt=prompt)
    assert learning.overflowed(memory, error) is True
    # The person set the old values again, and asks another question.
    memory.settings, memory.activity.retried = memory_of().settings, ""
    assert learning.overflowed(memory, error) is True
    first, second = memory.activity.notices
    assert first == second
