"""What the engine lets a person do to a memory, and when it folds of its own accord."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from app.conversation.message import Message
from app.conversation.tree import Conversation
from app.memory.conversation_memory import Activity, ConversationMemory
from app.memory.engine import HELD
from app.memory.ledger import Fold
from app.memory.policies import MemorySettings
from app.memory.results import CompactResult
from app.models.errors import ContextOverflow
from app.models.port import Usage
from tests.support.chats import Bench, apples, chat
from tests.support.fakes import Reply, ScriptedModel, settle
from tests.unit.run import run

# Pins may hold 128 tokens; past the soft mark of 358 a fold comes before the next question.
SETTINGS = MemorySettings(context_size=512, model="endpoint/chat")
HENS = "Ada keeps 3 hens."


def bench(model: ScriptedModel | None = None) -> Bench:
    return Bench(SETTINGS, model)


def full(messages: int = 8) -> list[Message]:
    """Messages of 50 tokens: eight of them are over the soft mark, six are not."""
    return chat(*(f"My number {n} is 4{n}. " + apples(39) for n in range(messages)))


def holding(
    bench: Bench, messages: Sequence[Message], end: int, **fields: Any
) -> ConversationMemory:
    """A memory whose first ``end`` messages are folded."""
    path = bench.open(messages).path
    covered = tuple(message.id for message in messages[:end])
    fold = Fold("held", "c", None, covered, covered[-1], path.chain(end - 1), HENS, **fields)
    assert run(bench.shelf.commit_fold(fold, structure=0, commit=0)) == "ok"
    return bench.open(messages)


# -- pins -----------------------------------------------------------------------------------


def over(cost: int, held: int) -> str:
    return (
        "Pinned turns may hold 128 tokens, a quarter of this model's context."
        f" This turn has {cost}; {held} are pinned already."
    )


@pytest.mark.parametrize(
    ("turn", "why"),
    [
        ("m1", ""),  # 64 and 64: the quarter
        ("m2", "Only a whole turn can be pinned."),
        ("m3", over(129, 0)),
        ("m5", ""),
        ("m7", over(130, 0)),  # the last turn ends with the path
        ("m8", "Only a whole turn can be pinned."),
        ("m9", "This turn is not on the open branch."),
    ],
)
def test_a_turn_can_be_pinned_while_it_fits_the_quarter(turn: str, why: str) -> None:
    b = bench()
    memory = b.open(chat(*(apples(n) for n in (60, 60, 60, 61, 60, 60, 60, 62))))
    assert b.engine.why_not_pin(memory, turn) == why


@pytest.mark.parametrize(("size", "why"), [(84, ""), (85, over(89, 40))])
def test_what_is_pinned_already_counts(size: int, why: str) -> None:
    b = bench()
    messages = chat(apples(16), apples(16), apples(size))  # a pin of 20 and 20
    memory = b.open(messages, Conversation(id="c", pinned=frozenset({"m1"})))
    assert b.engine.why_not_pin(memory, "m3") == why


@pytest.mark.parametrize(("size", "why"), [(60, ""), (61, over(129, 0))])
def test_an_excluded_turn_is_weighed_as_if_it_were_sent(size: int, why: str) -> None:
    b = bench()
    messages = chat(apples(60), apples(size), "Next?")
    memory = b.open(messages, Conversation(id="c", excluded=frozenset({"m1"})))
    assert b.engine.why_not_pin(memory, "m1") == why


def test_pins_that_do_not_fit_any_more_are_said_when_a_chat_is_opened() -> None:
    b = bench()
    messages = chat(apples(60), apples(61))
    assert b.open(messages).activity.notices == []
    memory = b.open(messages, Conversation(id="c", pinned=frozenset({"m1"})))
    assert memory.activity.notices == [
        "Pinned turns hold more than a quarter of this model's context:"
        " the oldest are folded like others."
    ]


# -- after an answer ------------------------------------------------------------------------


def after(bench: Bench, memory: ConversationMemory) -> CompactResult:
    return run(bench.engine.after_answer(memory))


def test_under_the_soft_mark_nothing_is_folded() -> None:
    b = bench(ScriptedModel(default=HENS))
    assert after(b, b.open(full(6))) == CompactResult("nothing")


def test_over_the_soft_mark_the_oldest_turns_are_folded_ahead() -> None:
    b = bench(ScriptedModel(default=HENS))
    memory = b.open(full())
    memory.activity.ineffective = 1
    result = after(b, memory)
    assert result.status == "folded" and result.content.startswith(HENS)
    assert memory.current is not None and memory.current.trigger == "auto"
    assert memory.activity.ineffective == 0  # it made room


@pytest.mark.parametrize("done", [2, 3])
def test_after_two_folds_that_freed_nothing_no_more_are_made(done: int) -> None:
    b = bench(ScriptedModel(default=HENS))
    memory = b.open(full())
    memory.activity.ineffective = done
    reason = "Folding frees nothing here."
    assert after(b, memory) == CompactResult("nothing", reason=reason)
    assert memory.current is None


@pytest.mark.parametrize(
    ("system", "left", "ineffective"), [(252, 342, 0), (253, 343, 0), (254, 344, 2)]
)
def test_a_fold_was_worth_it_when_the_prompt_is_under_the_mark_again(
    system: int, left: int, ineffective: int
) -> None:
    b = bench(ScriptedModel(default=HENS))
    memory = b.open(full(4), settings=replace(SETTINGS, system_prompt=apples(system)))
    memory.activity.ineffective = 1
    assert after(b, memory).status == "folded"
    assert b.engine.preview(memory).tokens == left
    assert memory.activity.ineffective == ineffective


def test_a_fold_that_failed_is_not_judged() -> None:
    b = bench(ScriptedModel(default=HENS))
    memory = b.open(full())
    memory.activity.ineffective = 1
    b.shelf.gone.add("c")
    assert after(b, memory).status == "dropped"
    assert memory.activity.ineffective == 1


def test_after_an_undo_the_next_question_is_waited_for() -> None:
    b = bench(ScriptedModel(default=HENS))
    memory = b.open(full())
    memory.activity.hold_auto = True
    held = CompactResult("nothing", reason=HELD)
    assert after(b, memory) == held
    assert run(b.engine.compact(memory, "auto")) == held
    assert memory.current is None
    assert run(b.engine.compact(memory)).status == "folded"  # a person has their way


def test_a_fold_that_was_made_in_haste_is_replaced_and_no_more() -> None:
    model = ScriptedModel(script=["Better notes."])
    b = bench(model)
    memory = holding(b, full(12), 2, provisional=True)
    result = after(b, memory)
    assert result.status == "folded" and result.content.startswith("Better notes.")
    assert memory.current is not None and memory.current.replaces == "held"
    assert len(model.calls) == 1 and len(memory.ledger) == 2


def test_a_fold_that_nobody_can_replace_keeps_nothing_from_being_folded() -> None:
    b = bench()
    memory = holding(b, full(12), 2, provisional=True)
    assert after(b, memory).status == "folded"
    assert memory.current is not None and memory.current.parent_id == "held"


def test_a_fold_that_is_no_makeshift_is_built_upon() -> None:
    b = bench(ScriptedModel(default="More notes."))
    memory = holding(b, full(12), 2)
    assert after(b, memory).status == "folded"
    assert memory.current is not None and memory.current.parent_id == "held"


# -- by hand --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["compact", "rebuild", "settings"])
def test_a_person_asks_and_the_model_is_tried_again_in_this_turn(kind: str) -> None:
    model = ScriptedModel(default=HENS)
    b = bench(model)
    memory = holding(b, full(), 2)
    memory.activity.attempted, memory.activity.ineffective = memory.question_id(), 2
    if kind == "compact":
        assert run(b.engine.compact(memory)).status == "folded"
    elif kind == "rebuild":
        assert run(b.engine.rebuild(memory)).status == "folded"
    else:
        b.engine.settings_changed()
    assert (memory.activity.attempted, memory.activity.ineffective) == ("", 0)
    assert len(model.calls) == (0 if kind == "settings" else 1)


@pytest.mark.parametrize("kind", ["compact", "settings"])
def test_a_model_that_failed_three_times_gets_a_trial(kind: str) -> None:
    model = ScriptedModel(script=[OSError("no")] * 3, default=HENS)
    b = bench(model)
    messages = full(12)
    for end in (4, 6, 8):
        run(b.engine.compact(b.open(messages[:end])))
    assert len(model.calls) == 2  # of the first four messages nothing may be folded
    memory = b.open(messages[:10])
    run(b.engine.compact(memory, "auto"))
    assert len(model.calls) == 3
    memory = b.open(messages)
    if kind == "settings":
        b.engine.settings_changed()
        run(b.engine.compact(memory, "auto"))
    else:
        run(b.engine.compact(memory))
    assert len(model.calls) == 4


def test_all_but_the_last_two_turns_are_folded_with_their_progress() -> None:
    b = bench(ScriptedModel(default=HENS))
    memory = b.open(full())
    done: list[tuple[int, int]] = []
    result = run(b.engine.compact(memory, progress=lambda n, total: done.append((n, total))))
    assert (result.count, done) == (4, [(4, 4)])
    assert memory.current is not None and memory.current.trigger == "manual"


def test_a_rebuild_tells_its_progress() -> None:
    b = bench()
    done: list[tuple[int, int]] = []
    memory = holding(b, full(), 4)
    assert run(b.engine.rebuild(memory, lambda n, total: done.append((n, total)))).count == 4
    assert done == [(4, 4)]


def test_an_edit_and_its_undo() -> None:
    b = bench()
    memory = holding(b, full(), 4)
    assert run(b.engine.edit(memory, "Mine.", "another")).status == "dropped"
    assert run(b.engine.edit(memory, "Mine.", "held")).content == "Mine."
    assert run(b.engine.undo(memory)) == CompactResult("folded", count=1)
    assert memory.current is not None and memory.current.text == HENS


@pytest.mark.parametrize("act", ["undo", "cancel", "forget", "skip"])
def test_a_fold_in_flight_can_be_ended(act: str) -> None:
    async def story() -> None:
        b = bench(ScriptedModel(script=[Reply(["late"], gate=asyncio.Event())]))
        memory = b.open(full())
        assert not b.engine.busy("c")
        assert (b.engine.cancel("c"), b.engine.skip("c")) == (False, False)
        task = asyncio.ensure_future(b.engine.after_answer(memory))
        await settle()
        assert b.engine.busy("c") and b.engine.view(memory)["busy"]
        if act == "undo":
            assert (await b.engine.undo(memory)).status == "nothing"
        elif act == "cancel":
            assert b.engine.cancel("c")
        elif act == "forget":
            b.engine.forget("c")
        else:
            assert b.engine.skip("c")
        result = await task
        # a skipped one ends without the model, the others with nothing
        assert result.status == ("folded" if act == "skip" else "cancelled")
        assert result.used_fallback == (act == "skip")
        assert not b.engine.busy("c") and not b.engine.view(memory)["busy"]

    run(story())


# -- what is kept between openings -------------------------------------------------------------


def test_what_was_done_is_kept_for_a_chat_until_it_is_forgotten() -> None:
    b = bench()
    activity = b.open(full(2)).activity
    assert b.open(full(4)).activity is activity
    assert b.open(chat("Hi", conversation="d")).activity is not activity
    b.engine.forget("c")
    b.engine.forget("never opened")
    assert b.open(full(2)).activity == Activity()
    assert b.open(full(2)).activity is not activity


def test_a_chat_is_forgotten_without_loading_what_folds() -> None:
    b = bench()
    b.engine.forget("c")
    b.engine.settings_changed()
    assert not {"_preparer", "_compactor"} & set(vars(b.engine))
    b.engine.warm()
    assert {"_preparer", "_compactor"} <= set(vars(b.engine))


def test_what_a_model_taught_holds_for_its_other_chats_until_a_size_is_set() -> None:
    b = bench()
    big = replace(SETTINGS, context_size=4096)
    memory = b.open(full(), settings=big)
    assert b.engine.overflowed(memory, ContextOverflow("long", limit=2048))
    assert not b.engine.overflowed(memory, ContextOverflow("long", limit=1024))  # once a question
    assert b.engine.learned["endpoint/chat"].context_size == 2048
    assert b.open(full(2), settings=big).settings.context_size == 2048
    b.engine.settings_changed()
    assert b.open(full(2), settings=big).settings.context_size == 4096


def test_a_server_that_cuts_prompts_is_told_of() -> None:
    b = bench()
    memory = b.open(full())
    assert b.engine.learn(memory, 400, Usage(400, 1)) is None
    said = b.engine.learn(memory, 400, Usage(100, 1))
    assert said is not None and "only 100 of about 400 tokens" in said


# -- to look at -----------------------------------------------------------------------------


def test_the_next_request_can_be_looked_at_and_changes_nothing() -> None:
    b = bench()
    memory = b.open(chat("Hello", "Hi", "What is 2+2?"))
    shown = [message.content for message in b.engine.preview(memory).messages]
    assert shown == ["Hello", "Hi", "What is 2+2?"]
    view: Any = b.engine.request_view(memory)
    assert [message["content"] for message in view["messages"]] == shown
    assert memory.current is None and b.engine.counter is b.counter


def test_an_entry_can_be_looked_at_line_by_line() -> None:
    b = bench()
    memory = holding(b, full(), 4, sources=("m1",))
    assert b.engine.history(memory, "held")[0]["text"] == HENS
    assert b.engine.history(memory, "unknown") == []
    assert b.engine.sources(memory, "held", 0) == ["m1"]


def test_a_request_is_prepared_with_its_state_told() -> None:
    b = bench()
    prepared = run(b.engine.prepare(b.open(chat("Hello", "Hi", "And?"))))
    assert prepared.messages[-1].content == "And?"
