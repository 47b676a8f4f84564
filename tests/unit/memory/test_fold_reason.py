"""Why a chat cannot be folded now: the sentence is true of the turns that there are."""

from __future__ import annotations

import pytest

from app.memory.policies import MemorySettings, make_policy
from app.memory.report import memory_view
from tests.support.chats import Bench, apples, chat
from tests.support.fakes import ScriptedModel
from tests.unit.run import run

ALL = "Nothing to fold: every turn here stays word for word."
LAST_TWO = "Nothing to fold: the last 2 turns stay word for word."


def bench(turns: int) -> Bench:
    policy = make_policy("pleat", window_conversations=turns, recall_tokens=0)
    settings = MemorySettings(context_size=1024, policy=policy)
    return Bench(settings, utility=ScriptedModel(script=["A summary."]))


@pytest.mark.parametrize(
    ("window", "messages", "why"),
    [
        (2, 0, "There is nothing to fold yet."),
        (2, 2, ALL),
        (2, 4, LAST_TWO),
        (1, 2, "Nothing to fold: the last turn stays word for word."),
        (3, 4, ALL),
    ],
)
def test_what_stays_is_what_is_there(window: int, messages: int, why: str) -> None:
    some = bench(window)
    memory = some.open(chat(*["Hello."] * messages))
    view = memory_view(memory, some.engine.counter, busy=False)
    assert (view["why_not"], view["can_fold"]) == (why, False)


def test_after_a_fold_what_stays_are_the_turns_since_the_summary() -> None:
    some = bench(2)
    messages = chat(*[apples(60)] * 10)
    memory = some.open(messages)
    assert run(some.engine.compact(memory)).status == "folded"
    assert memory_view(memory, some.engine.counter, busy=False)["why_not"] == LAST_TWO
    more = some.open(messages, settings=bench(4).settings)
    why = memory_view(more, some.engine.counter, busy=False)["why_not"]
    assert why == "Nothing to fold: every turn since the summary stays word for word."
