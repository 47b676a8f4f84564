"""A backlog of any size is folded, in chunks; what is done stays done."""

from __future__ import annotations

import asyncio

from app.memory.budget import SMALL
from app.memory.cutting import cut_head, cut_middle
from app.memory.extractive import Line
from app.memory.fitting import fit_lines
from app.memory.folding import PORTION, chunk_room, portions, reply_room, split
from app.memory.policies import MemorySettings, make_policy
from app.memory.tokens import Counter
from app.models.errors import Server
from tests.support.chats import Bench, apples, chat
from tests.support.fakes import Reply, ScriptedModel, settle
from tests.support.words import WordTokenizer
from tests.unit.run import run

PLEAT = MemorySettings(context_size=16_384, policy=make_policy("pleat", window_conversations=1))


def long_chat(turns: int, size: int) -> list[str]:
    return [f"Fact {n}. " + apples(size) for n in range(2 * turns)]


def test_two_hundred_thousand_tokens_fold_completely_with_progress() -> None:
    model = ScriptedModel(default="Notes about apples and facts.")
    bench = Bench(PLEAT, utility=model, utility_context=8192)
    messages = chat(*long_chat(500, 200))
    memory = bench.open(messages)
    seen: list[tuple[int, int]] = []
    result = run(
        bench.engine.compact(memory, progress=lambda done, total: seen.append((done, total)))
    )
    assert result.status == "folded" and not result.used_fallback
    assert len(model.calls) == len(memory.ledger) > 30
    assert seen[-1] == (998, 998) and seen == sorted(seen)
    for call in model.calls:
        prompt = sum(bench.counter.texts([m.content for m in call.messages]))
        assert call.max_tokens is not None and prompt + call.max_tokens < 8192
    covered = [id for fold in memory.ledger for id in fold.covered]
    assert covered == [m.id for m in messages[:-2]]


def test_cancelling_keeps_the_chunks_that_are_done() -> None:
    async def story() -> None:
        model = ScriptedModel(script=["One.", "Two.", Reply(["late"], gate=asyncio.Event())])
        bench = Bench(PLEAT, utility=model, utility_context=8192)
        memory = bench.open(chat(*long_chat(60, 200)))
        task = asyncio.ensure_future(bench.engine.compact(memory))
        await settle(200)
        assert bench.engine.cancel("c") is True
        assert (await task).status == "cancelled"
        assert [f.text.split("\n")[0] for f in memory.ledger] == ["One.", "Two."]
        assert memory.current is not None and memory.current.parent_id is not None
        assert bench.engine.cancel("c") is False

    run(story())


def test_a_call_that_fails_half_way_leaves_the_rest_to_no_model() -> None:
    model = ScriptedModel(script=["Ada moved to Brno in 2019.", Server("boom", status=500)])
    bench = Bench(PLEAT, utility=model, utility_context=8192)
    messages = chat(*long_chat(60, 200))
    memory = bench.open(messages)
    assert run(bench.engine.compact(memory)).used_fallback
    first, last = memory.ledger
    assert (first.used_fallback, last.used_fallback) == (False, True)
    assert last.parent_id == first.id and "Brno" in last.text and len(model.calls) == 2
    assert [*first.covered, *last.covered] == [m.id for m in messages[:-2]]


def test_a_rebuild_in_chunks_commits_only_the_whole() -> None:
    model = ScriptedModel(default="Notes about apples.")
    bench = Bench(PLEAT, utility=model, utility_context=8192)
    memory = bench.open(chat(*long_chat(60, 200)))
    run(bench.engine.compact(memory))
    before = len(memory.ledger)
    run(bench.engine.rebuild(memory))
    assert len(memory.ledger) == before + 1
    assert memory.current is not None and len(memory.current.covered) == 118


def test_a_message_larger_than_the_summarisers_context_is_cut_head_and_tail_and_marked() -> None:
    model = ScriptedModel(default="Notes about apples.")
    bench = Bench(PLEAT, utility=model, utility_context=4096)
    text = "The head says blue. " + apples(9000) + " The tail says red."
    memory = bench.open(chat(text, "Fine.", "And?", "ok"))
    assert run(bench.engine.compact(memory)).status == "folded"
    asked = model.calls[0].messages[-1].content
    assert "head says blue" in asked and "tail says red" in asked and "left out here" in asked
    assert sum(bench.counter.texts([m.content for m in model.calls[0].messages])) < 3072


def test_a_turn_larger_than_the_context_is_folded_whole_or_not_at_all() -> None:
    model = ScriptedModel(default="Notes about apples.")
    bench = Bench(PLEAT, utility=model, utility_context=4096)
    memory = bench.open(chat(apples(1500), apples(1500), "And?", "ok"))
    run(bench.engine.compact(memory))
    assert len(model.calls) == 2
    assert [f.covered for f in memory.ledger] == [("m1", "m2")]


def test_a_utility_model_with_no_room_is_not_asked() -> None:
    model = ScriptedModel(default="Notes.")
    bench = Bench(PLEAT, utility=model, utility_context=512)
    memory = bench.open(chat(*long_chat(3, 200)))
    result = run(bench.engine.compact(memory))
    assert result.used_fallback and "too small" in result.reason and not model.calls


def test_without_a_model_a_long_import_is_folded_in_portions() -> None:
    counter = Counter(WordTokenizer())
    messages = chat(*long_chat(100, 200))
    parts = portions(messages, counter)
    assert [m for part in parts for m in part] == messages and len(parts) > 5
    assert all(sum(counter.message(m) for m in part) <= PORTION + 300 for part in parts)
    assert len(portions(messages[:20], counter)) == 1
    tail = portions([*messages[:60], *chat("x", prefix="t")], counter)
    assert sum(counter.message(m) for m in tail[-1]) > 2 * SMALL
    bench = Bench(PLEAT)
    memory = bench.open(chat(*long_chat(400, 200)))
    result = run(bench.engine.compact(memory))
    assert result.status == "folded" and bench.counter.text(result.content) <= 800


def test_chunks_hold_whole_turns_and_end_where_a_turn_ends() -> None:
    counter = Counter(WordTokenizer())
    turns = [chat(apples(n), apples(n), prefix=f"t{n}-") for n in (50, 50, 300, 10, 10)]
    chunks = split(turns, 250, counter)
    assert [m.id for chunk, _ in chunks for m in chunk] == [m.id for turn in turns for m in turn]
    assert [whole for _, whole in chunks] == [True, False, True, True]
    assert split([], 100, counter) == []


def test_the_room_of_a_request_never_exceeds_the_context() -> None:
    counter = Counter(WordTokenizer())
    for context in (512, 2048, 4096, 8192, 200_000):
        for limit in (16, 800):
            for previous in ("", apples(3000)):
                room = chunk_room(context, limit, previous, counter)
                fixed = max(limit, counter.text(previous))
                assert room + fixed + reply_room(context, limit) < context or room < 64


def test_a_text_is_cut_between_characters_and_never_to_nothing() -> None:
    counter = Counter(WordTokenizer())
    family = "👩‍👩‍👧‍👦 é🏽 " * 200
    for limit in (1, 3, 20, 60, 300):
        for cut in (cut_middle(family, limit, counter), cut_head(family, limit, counter)):
            assert cut and counter.text(cut) <= limit
            assert not cut.startswith(("\u200d", "\ufe0f", "\u0301"))
    assert cut_middle("short", 50, counter) == "short"
    assert cut_middle("short", 0, counter) == "" == cut_head("short", 0, counter)


def test_a_head_is_cut_at_a_sentence_before_it_is_cut_at_a_word() -> None:
    counter = Counter(WordTokenizer())
    text = "One thing is so. Ada moved on 12 May 2024 for $99."
    assert cut_head(text, 9, counter) == "One thing is so."
    assert (
        cut_head("Ada did not move on 12 May 2024 for money", 5, counter) == "Ada did not move on"
    )


def test_a_squeezed_summary_keeps_whole_sentences_while_any_fits() -> None:
    counter = Counter(WordTokenizer())
    lines = [
        Line("Ada does not eat figs. My code is 4711.", "m1"),
        Line("Assistant: The train to Prague leaves at 7.45 sharp on Monday. Be there.", "m2"),
    ]
    whole = {"Ada does not eat figs.", "My code is 4711.", "Assistant: Be there."}
    sentences = {*whole, "Ada does not eat figs. My code is 4711."}
    for limit in range(5, 14):
        kept = fit_lines(lines, limit, counter)
        assert kept and counter.text("\n".join(line.text for line in kept)) <= limit
        assert all(line.text in sentences for line in kept), (limit, kept)
    assert fit_lines(lines, 100, counter) == lines
    long = [Line("one two three four five six seven", None)]
    assert fit_lines(long, 3, counter)[0].text.startswith("one")  # no sentence fits: at a word
