"""When things are tight: recall, then the window, the summary's least lines, the question, and last
the system prompt."""

from __future__ import annotations

from dataclasses import replace

from app.memory.payload import QUESTION_CUT, SYSTEM_CUT, Passage, build
from app.memory.plan import plan
from app.memory.policies import MemorySettings, make_policy
from tests.support.chats import Bench, apples, chat
from tests.unit.run import run

BASE = MemorySettings(
    context_size=2048, policy=make_policy("pleat", window_conversations=1, recall_tokens=300)
)
FACTS = [f"Fact {n}: box {n} in Brno holds {n}{n} blue keys. " + apples(60) for n in range(8)]


def payload(system: int, question: int, passages: int = 3):
    """The request with a summary, a system prompt and a question of these sizes in tokens."""
    bench = Bench(BASE)
    memory = bench.open(chat(*FACTS))
    assert run(bench.engine.compact(memory)).status == "folded"
    memory = bench.open(
        chat(*FACTS, apples(question)), settings=replace(BASE, system_prompt=apples(system))
    )
    current = memory.current_for_answer()
    planned = plan(memory.path, current, memory.settings, bench.counter)
    found = [Passage(f"m{n}", "recalled " * 25) for n in range(1, passages + 1)]
    built = build(memory.path, current, planned, memory.settings, bench.counter, lambda room: found)
    sent = sum(bench.counter.texts([m.content for m in built.messages]))
    assert sent + 4 * len(built.messages) + 3 == built.tokens <= built.budget
    kinds = {part.kind: part.content for part in built.parts}
    assert current is not None
    return built, kinds, current.text, apples(question), apples(system)


def test_with_room_everything_is_sent_as_it_is() -> None:
    built, kinds, summary, question, system = payload(100, 100)
    assert kinds["summary"] == summary and kinds["system"] == system
    assert kinds["question"] == question and kinds["recall"].count("recalled") == 75
    assert not built.cut


def test_first_recall_shrinks() -> None:
    free = next(n for n in range(700, 1500, 20) if "recall" not in payload(100, n)[1])
    built, kinds, summary, question, _ = payload(100, free - 20)
    assert 0 < kinds["recall"].count("recalled") < 75
    assert kinds["summary"] == summary and kinds["question"] == question and not built.cut


def test_then_the_summary_loses_lines_and_the_question_none_of_its_words() -> None:
    at = next(
        n for n in range(700, 1500, 20) if payload(100, n)[1].get("summary") != payload(0, 9)[2]
    )
    built, kinds, summary, question, system = payload(100, at)
    assert "recall" not in kinds and kinds["question"] == question and kinds["system"] == system
    shorter = kinds.get("summary", "")
    assert len(shorter) < len(summary) and not built.cut


def test_then_the_system_prompt_is_cut_for_a_question_that_fits_alone() -> None:
    built, kinds, _, question, system = payload(800, 1000)
    assert "summary" not in kinds and kinds["question"] == question
    assert 0 < len(kinds["system"]) < len(system) and built.notices == (SYSTEM_CUT,)


def test_a_question_that_does_not_fit_alone_is_cut_before_the_system_prompt_is() -> None:
    built, kinds, _, question, system = payload(300, 1500)
    assert QUESTION_CUT in built.notices and SYSTEM_CUT not in built.notices
    assert "left out here" in kinds["question"] and len(kinds["question"]) < len(question)
    assert kinds["system"] == system
