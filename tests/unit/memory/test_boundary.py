"""What is covered and what is sent: whole turns, in order, each once, on the right branch."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from app.conversation.message import Message, Part
from app.conversation.tree import Conversation
from app.memory.conversation_memory import ConversationMemory
from app.memory.ledger import Fold
from app.memory.policies import MemorySettings, make_policy
from app.memory.report import coverage
from tests.support.chats import Bench, apples, chat
from tests.support.fakes import FakeIds, FakeLocks, ScriptedModel
from tests.unit.run import run

SMALL = MemorySettings(
    context_size=1024, policy=make_policy("pleat", window_conversations=1, recall_tokens=0)
)


def said(id: str, role: str, text: str, parent: str | None, **fields: object) -> Message:
    return Message(id, "c", parent, role, (Part("text", text),), **fields)  # type: ignore[arg-type]


def folded(bench: Bench, messages: list[Message]) -> ConversationMemory:
    """The memory of these messages after a fold by hand."""
    memory = bench.open(messages)
    assert run(bench.engine.compact(memory)).status == "folded"
    return memory


def test_each_message_is_given_to_the_summariser_once() -> None:
    model = ScriptedModel(script=[f"S{n}" for n in range(50)])
    bench = Bench(SMALL, utility=model)
    messages = chat(*(f"Number {n}." + apples(100) for n in range(1, 21)))
    memory = bench.open(messages)
    calls: list[int] = []
    for turn, question in enumerate(["Next one?", "And now?", "Last?"]):
        parent = memory.path.messages[-1].id
        memory.append(said(f"n{turn}", "user", question, parent))
        run(bench.engine.prepare(memory))
        memory.append(said(f"f{turn}", "assistant", "Fine.", f"n{turn}"))
        run(bench.engine.after_answer(memory))
        calls.append(len(model.calls))
    asked = [call.messages[-1].content for call in model.calls]
    for n in range(1, 21):
        assert sum(f"Number {n}." in text for text in asked) <= 1
    assert calls[0] >= 1 and calls[1:] == [calls[0], calls[0]]


def test_two_chats_with_the_same_first_words_share_nothing() -> None:
    bench = Bench(SMALL)
    first = chat("hi", "Hello", "My cat is Miso. " + apples(200), apples(200), "ok", "Fine")
    folded(bench, first)
    second = bench.open(chat("hi", prefix="x", conversation="d"))
    prepared = run(bench.engine.prepare(second))
    assert all("Miso" not in m.content for m in prepared.messages)


def test_deleting_the_boundary_sends_the_originals_again_and_no_summary() -> None:
    bench = Bench(SMALL)
    messages = chat(*(f"Part {n} " + apples(30) for n in range(6)))
    memory = folded(bench, messages)
    assert memory.current is not None and memory.current.boundary == "m4"
    left = [replace(m, parent_id="m3") if m.id == "m5" else m for m in messages if m.id != "m4"]
    spliced = bench.open([*left, said("m7", "user", "f?", "m6")])
    prepared = run(bench.engine.prepare(spliced))
    assert spliced.current is None
    assert [m.content for m in prepared.messages] == [
        *(m.parts[0].text for m in left),
        "f?",
    ]
    assert bench.engine.view(spliced)["summary"]["stale"] is True  # type: ignore[index]


def test_an_older_entry_that_still_fits_is_the_memory_after_a_delete() -> None:
    bench = Bench(SMALL)
    messages = chat(*(f"Part {n} " + apples(30) for n in range(10)))
    first = folded(bench, messages[:6])
    memory = folded(bench, messages)
    assert len(memory.ledger) == 2
    without = [replace(m, parent_id="m5") if m.id == "m7" else m for m in messages if m.id != "m6"]
    assert bench.open(without).current == first.current


def test_branches_share_the_memory_up_to_the_fork_and_no_further() -> None:
    bench = Bench(SMALL)
    trunk = chat(*(f"Trunk {n} " + apples(30) for n in range(4)))
    red = [
        *trunk,
        said("r1", "user", "I choose RED. " + apples(60), "m4"),
        said("r2", "assistant", "Red it is. " + apples(60), "r1"),
        said("r3", "user", "More. " + apples(30), "r2"),
        said("r4", "assistant", "Fine.", "r3"),
    ]
    shared = folded(bench, [*trunk, *red[4:6]]).current
    both = folded(bench, red)
    assert both.current is not None and "RED" in both.current.text
    blue = [*trunk, said("b1", "user", "I choose BLUE.", "m4")]
    memory = bench.open(blue)
    prepared = run(bench.engine.prepare(memory))
    assert memory.current == shared
    assert all("RED" not in m.content for m in prepared.messages)
    assert bench.open(red).current == both.current  # and back again


def test_a_fork_inside_the_covered_part_falls_back_to_the_originals() -> None:
    bench = Bench(SMALL)
    messages = chat(*(f"Part {n} " + apples(30) for n in range(6)))
    folded(bench, messages)
    fork = [*messages[:2], said("z3", "user", "Another way?", "m2")]
    prepared = run(bench.engine.prepare(bench.open(fork)))
    assert [m.content for m in prepared.messages][-1] == "Another way?"
    assert len(prepared.messages) == 3


@pytest.mark.parametrize("mark", ["pinned", "excluded"])
def test_marking_a_covered_turn_makes_its_folds_stale_and_unmarking_brings_them_back(
    mark: str,
) -> None:
    bench = Bench(SMALL)
    messages = chat(*(f"Part {n} " + apples(30) for n in range(6)))
    memory = folded(bench, messages)
    marked = replace(memory.conversation, **{mark: frozenset({"m1"})})  # type: ignore[arg-type]
    stale = bench.open(messages, marked)
    assert stale.current is None and coverage(stale)["unaccounted"] == 0
    assert bench.open(messages).current == memory.current


def test_an_edited_covered_message_is_another_message() -> None:
    bench = Bench(SMALL)
    messages = chat(*(f"Part {n} " + apples(30) for n in range(6)))
    folded(bench, messages)
    edited = replace(messages[0], parts=(Part("text", "Changed"),))
    assert bench.open([edited, *messages[1:]]).current is None


def test_a_deleted_chat_gets_no_fold() -> None:
    model = ScriptedModel(default="Notes.")
    bench = Bench(SMALL, utility=model)
    memory = bench.open(chat(*(apples(60) for _ in range(6))))
    bench.shelf.gone.add("c")
    assert run(bench.engine.compact(memory)).status == "dropped"
    assert len(memory.ledger) == 0 and not bench.shelf.entries
    assert run(bench.engine.undo(memory)).status == "dropped"


def test_a_chat_deleted_under_an_overflow_is_still_answered() -> None:
    bench = Bench(SMALL)
    memory = bench.open(chat(apples(500), apples(500), "And?"))
    bench.shelf.gone.add("c")
    prepared = run(bench.engine.prepare(memory))
    assert prepared.messages[-1].content == "And?" and prepared.account["total"] <= 768
    assert not bench.shelf.entries


def test_two_tabs_that_overflow_at_once_fold_once() -> None:
    shelf, locks = Bench().shelf, FakeLocks()
    model = ScriptedModel(default="Notes.")
    settings = replace(SMALL, policy=make_policy("dost"))
    tabs = [
        Bench(settings, utility=model, shelf=shelf, locks=locks, ids=FakeIds(name))
        for name in ("one-", "two-")
    ]
    messages = chat(*(apples(150) for _ in range(6)), "And?")

    async def both() -> None:
        import asyncio

        memories = [tab.open(messages) for tab in tabs]
        prepared = await asyncio.gather(
            *(tab.engine.prepare(memory) for tab, memory in zip(tabs, memories, strict=True))
        )
        assert next(p.messages[0].content for p in prepared) == prepared[1].messages[0].content

    run(both())
    assert len(shelf.entries["c"]) == 1 and len(model.calls) == 1


def test_a_fold_that_read_an_older_state_is_rejected() -> None:
    shelf = Bench().shelf
    one, two = (Bench(SMALL, shelf=shelf, ids=FakeIds(name)) for name in ("one-", "two-"))
    messages = chat(*(apples(60) for _ in range(8)))
    memory_one, memory_two = one.open(messages), two.open(messages)
    run(one.engine.compact(memory_one))
    result = run(two.engine.compact(memory_two))
    assert result.status == "nothing"  # it took in what the other tab had folded
    assert memory_two.current == memory_one.current and len(shelf.entries["c"]) == 1


def test_another_tabs_fold_is_used_by_the_next_request() -> None:
    shelf = Bench().shelf
    one, two = (Bench(SMALL, shelf=shelf, ids=FakeIds(name)) for name in ("one-", "two-"))
    messages = chat(*(f"Part {n} " + apples(60) for n in range(6)), "And?")
    late = two.open(messages)
    run(one.engine.compact(one.open(messages[:6])))
    prepared = run(two.engine.prepare(late))
    assert late.current is not None and late.current.id.startswith("one-")
    assert prepared.messages[0].role == "system"


def test_a_splice_in_another_tab_drops_the_fold() -> None:
    bench = Bench(SMALL)
    memory = bench.open(chat(*(apples(60) for _ in range(6))))
    bench.shelf.numbers["c"] = (1, 0)
    assert run(bench.engine.compact(memory)).status == "dropped"


def test_what_a_tool_gave_is_text_and_stays_with_its_turn() -> None:
    turn = [
        said("m1", "user", apples(400), None),
        Message(
            "m2",
            "c",
            "m1",
            "assistant",
            (Part("tool_call", "{}", "w"), Part("tool_call", "{}", "w")),
        ),
        Message("m3", "c", "m2", "tool", (Part("tool_result", apples(500), "w"),)),
        Message("m4", "c", "m3", "tool", (Part("tool_result", "ok", "w"),)),
        said("m5", "assistant", "Both done", "m4"),
        said("m6", "user", "Thanks, next?", "m5"),
    ]
    bench = Bench(MemorySettings(context_size=694))
    memory = bench.open(turn)
    prepared = run(bench.engine.prepare(memory))
    assert memory.current is not None
    assert memory.current.covered == ("m1", "m2", "m3", "m4", "m5")
    assert {m.role for m in prepared.messages} <= {"system", "user", "assistant"}


def test_messages_before_the_first_question_and_questions_in_a_row_are_accounted_for() -> None:
    messages = [
        said("g", "assistant", "Welcome. " + apples(60), None),
        said("q1", "user", "First? " + apples(60), "g"),
        said("q2", "user", "Second? " + apples(60), "q1"),
        said("x", "assistant", "", "q2", status="failed"),
        said("q3", "user", "Third? " + apples(60), "x"),
        said("a3", "assistant", "Answer. " + apples(60), "q3"),
        said("q4", "user", "Fourth?", "a3"),
    ]
    bench = Bench(SMALL)
    memory = bench.open(messages)
    assert run(bench.engine.compact(memory)).status == "folded"
    assert memory.current is not None and memory.current.covered == ("g", "q1", "q2")
    counts = coverage(memory)
    assert counts == {
        "word_for_word": 3,
        "summarised": 3,
        "excluded": 0,
        "unsendable": 1,
        "unaccounted": 0,
    }


def test_a_question_without_a_finished_answer_is_not_folded_by_hand() -> None:
    settings = replace(SMALL, policy=make_policy("pleat", window_conversations=0))
    bench = Bench(settings)
    messages = [*chat(*(apples(60) for _ in range(4))), said("q", "user", apples(60), "m4")]
    failed = said("f", "assistant", "", "q", status="failed")
    for path in (messages, [*messages, failed]):
        memory = bench.open(path)
        run(bench.engine.compact(memory))
        assert memory.current is not None and memory.current.boundary == "m4"


def test_an_answer_that_is_being_written_is_not_folded_under_it() -> None:
    bench = Bench(replace(SMALL, policy=make_policy("pleat", window_conversations=0)))
    path = [
        *chat(*(apples(60) for _ in range(4))),
        said("q", "user", "Go on", "m4"),
        said("s", "assistant", "half", "q", status="streaming"),
    ]
    memory = bench.open(path)
    run(bench.engine.compact(memory))
    assert memory.current is not None and memory.current.boundary == "m4"


def test_the_next_request_of_an_answered_chat_holds_the_answer() -> None:
    bench = Bench(SMALL)
    memory = bench.open(chat("Hello", "Hi, I am here."))
    view = bench.engine.request_view(memory)
    assert [m["content"] for m in view["messages"]] == ["Hello", "Hi, I am here."]  # type: ignore[attr-defined]


def test_the_next_request_is_shown_folded_where_it_would_fold_first() -> None:
    bench = Bench(SMALL)
    memory = bench.open(chat(apples(500), apples(500), "And?"))
    view = bench.engine.request_view(memory)
    assert view["tokens"] <= view["budget"]  # type: ignore[operator]
    states = {s["id"]: s["state"] for s in view["states"]}  # type: ignore[attr-defined]
    assert states == {"m1": "folded", "m2": "folded", "m3": "window"}
    assert len(memory.ledger) == 0


def test_regenerating_an_answer_does_not_send_a_memory_of_its_question() -> None:
    bench = Bench(replace(SMALL, policy=make_policy("pleat", window_conversations=0)))
    messages = chat("My code is 77. " + apples(60), apples(60), "Which code? " + apples(60), "77")
    folded(bench, messages)
    memory = bench.open(messages[:3])
    prepared = run(bench.engine.prepare(memory))
    assert prepared.messages[-1].content.endswith(messages[2].parts[0].text)
    assert [m.content for m in prepared.messages].count(messages[2].parts[0].text) == 1


def test_the_rank_of_entries_is_boundary_then_commit() -> None:
    bench = Bench(SMALL)
    messages = chat(*(f"Part {n} " + apples(30) for n in range(6)))
    memory = folded(bench, messages)
    edited = run(bench.engine.edit(memory, "By hand.\nSecond line."))
    assert edited.status == "folded" and memory.current is not None
    assert memory.current.text == "By hand.\nSecond line." and memory.current.covered == ()
    assert memory.current.method == "edited" and not memory.current.used_fallback
    assert run(bench.engine.undo(memory)).count == 1
    assert memory.current.method != "edited"
    assert run(bench.engine.undo(memory)).status == "folded" and memory.current is None
    assert run(bench.engine.undo(memory)).status == "nothing"


def test_after_an_undo_nothing_is_folded_until_the_next_question_in_any_tab() -> None:
    bench = Bench(replace(SMALL, policy=make_policy("switchboard", window_conversations=1)))
    now = bench.clock.now()
    messages = [
        replace(m, created_at=now - 100 + n)
        for n, m in enumerate(chat(*(apples(60) for _ in range(8))))
    ]
    memory = folded(bench, messages)
    run(bench.engine.undo(memory))
    bench.shelf.entries["c"] = [replace(f, retired_at=now) for f in memory.ledger]
    assert "undo" in run(bench.engine.compact(memory, "auto")).reason
    other = Bench(bench.settings, shelf=bench.shelf, ids=FakeIds("other-"))
    reloaded = other.open(messages)
    assert run(other.engine.after_answer(reloaded)).status == "nothing"
    assert "undo" in run(other.engine.compact(reloaded, "auto")).reason
    later = replace(said("q", "user", "Next?", "m8"), created_at=now + 5)
    assert run(other.engine.compact(other.open([*messages, later]), "auto")).status == "folded"


def test_rebuilding_starts_a_lineage_of_its_own() -> None:
    model = ScriptedModel(script=["One.", "Two.", "Whole."])
    bench = Bench(SMALL, utility=model)
    messages = chat(*(f"Part {n} " + apples(30) for n in range(10)))
    folded(bench, messages[:6])
    memory = folded(bench, messages)
    assert run(bench.engine.rebuild(memory)).status == "folded"
    current = memory.current
    assert current is not None and current.parent_id is None
    assert current.covered == tuple(f"m{n}" for n in range(1, 9))
    assert len(memory.ledger) == 3
    assert run(bench.engine.undo(memory)).count == 1  # back to what was rebuilt
    assert memory.current is not None and memory.current.text.startswith("Two.")


def test_the_prefix_of_a_request_does_not_change_between_folds() -> None:
    bench = Bench(replace(SMALL, system_prompt="Be kind.", policy=make_policy("pleat")))
    texts = [f"Part {n} " + apples(90) for n in range(6)]
    memory = bench.open(chat(*texts))
    assert run(bench.engine.compact(memory)).status == "folded"
    sent: list[list[str]] = []
    for n in range(3):
        parent = memory.path.messages[-1].id
        memory.append(said(f"q{n}", "user", f"Short question {n}?", parent))
        sent.append([m.content for m in run(bench.engine.prepare(memory)).messages])
        memory.append(said(f"a{n}", "assistant", f"Short answer {n}.", f"q{n}"))
        run(bench.engine.after_answer(memory))
    assert len(memory.ledger) == 1
    for before, after in pairwise(sent):
        assert after[: len(before) - 1] == before[:-1]  # the question carried what was recalled


def test_a_model_replaces_a_provisional_fold_as_its_sibling_unless_it_has_a_child() -> None:
    model = ScriptedModel(script=["Better notes.", "Late notes."])
    bench = Bench(SMALL, utility=model)
    memory = bench.open(chat(apples(400), apples(400), "And?"))
    run(bench.engine.prepare(memory))
    provisional = memory.current
    assert provisional is not None and provisional.provisional
    memory.append(said("m4", "assistant", "Yes.", "m3"))
    assert run(bench.engine.after_answer(memory)).status == "folded"
    better = memory.current
    assert isinstance(better, Fold) and better.replaces == provisional.id
    assert better.parent_id == provisional.parent_id
    assert (better.boundary, better.covered) == (provisional.boundary, provisional.covered)
    assert run(bench.engine.undo(memory)).count == 2  # the provisional one goes with it

    again = bench.open([*chat(apples(400), apples(400), "And?")])
    run(bench.engine.prepare(again))
    provisional = again.current
    assert provisional is not None
    run(bench.engine.edit(again, "By hand."))  # a child of the provisional fold
    run(bench.engine.after_answer(again))
    assert again.current is not None and again.current.text.endswith("By hand.")
    assert len(model.calls) == 1


def test_a_conversation_without_messages_or_question_can_be_looked_at() -> None:
    bench = Bench(SMALL)
    memory = bench.open([], Conversation(id="c"))
    assert bench.engine.view(memory)["can_fold"] is False
    assert bench.engine.request_view(memory)["messages"] == []
    assert run(bench.engine.compact(memory)).status == "nothing"
    assert run(bench.engine.rebuild(memory)).status == "nothing"
    assert run(bench.engine.edit(memory, "x")).status == "nothing"


def test_a_ledger_that_is_older_than_its_conversations_record_is_read_again_before_a_commit() -> (
    None
):
    shelf = Bench().shelf
    one, two = (Bench(SMALL, shelf=shelf, ids=FakeIds(name)) for name in ("one-", "two-"))
    messages = chat(*(f"Part {n} " + apples(60) for n in range(10)))
    run(one.engine.compact(one.open(messages[:6])))
    fresh = Conversation(id="c", commit=1)  # the record is new, the folds were read before
    late = two.engine.open(fresh, messages, [], SMALL)
    assert run(two.engine.compact(late)).status == "folded"
    assert [f.covered for f in shelf.entries["c"]] == [
        ("m1", "m2", "m3", "m4"),
        ("m5", "m6", "m7", "m8"),
    ]
