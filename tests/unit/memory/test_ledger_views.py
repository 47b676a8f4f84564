"""The ledger to look at: text differences, sources of lines, folds that travel by import."""

from __future__ import annotations

from dataclasses import replace

from app.conversation.tree import Conversation
from app.memory.differences import MAX_LINES, differences
from app.memory.ledger import Fold
from app.memory.policies import MemorySettings, make_policy
from app.memory.rebase import rebase_folds
from tests.support.chats import Bench, apples, chat
from tests.support.fakes import ScriptedModel
from tests.unit.run import run

SETTINGS = MemorySettings(context_size=2048, policy=make_policy("pleat", window_conversations=1))


def shown(older: str, newer: str) -> str:
    signs = {"same": " ", "gone": "-", "new": "+"}
    return "|".join(signs[d.change] + d.text for d in differences(older, newer))


def test_differences_keep_the_reading_order() -> None:
    assert shown("a\nb\nc", "a\nx\nc\nd") == " a|-b|+x| c|+d"
    assert shown("", "a") == "+a"
    assert shown("a", "") == "-a"
    assert shown("", "") == ""
    assert shown("a\nb", "a\nb") == " a| b"
    assert shown("a\na", "a") == " a|-a"
    assert shown("b\na", "a\nb") == "-b| a|+b"


def test_differences_give_back_both_texts() -> None:
    older = "\n".join(f"line {n % 7}" for n in range(40))
    newer = "\n".join(f"line {n % 5}" for n in range(30))
    found = differences(older, newer)
    assert "\n".join(d.text for d in found if d.change != "new") == older
    assert "\n".join(d.text for d in found if d.change != "gone") == newer
    many = "\n".join(str(n) for n in range(MAX_LINES + 5))
    assert len(differences(many, many + "\nmore")) == MAX_LINES + 6
    assert len(differences(many, "x\n" + many[::-1])) > MAX_LINES


def test_a_line_names_the_message_it_came_from_or_the_folds_inputs() -> None:
    model = ScriptedModel(
        script=["Ada keeps hens.\nPip is new.", "Ada keeps hens.\nHer coop is red."]
    )
    bench = Bench(SETTINGS, utility=model)
    texts = [f"Talk {n} " + apples(40) for n in range(10)]
    run(bench.engine.compact(bench.open(chat(*texts[:6]))))
    memory = bench.open(chat(*texts))
    run(bench.engine.compact(memory))
    first, second = memory.ledger
    assert bench.engine.sources(memory, second.id, 0) == ["m1", "m2", "m3", "m4"]  # carried over
    assert bench.engine.sources(memory, second.id, 1) == ["m5", "m6", "m7", "m8"]
    assert bench.engine.sources(memory, second.id, 99) == []
    assert bench.engine.sources(memory, "none", 0) == []
    history = bench.engine.history(memory, second.id)
    assert {"change": "gone", "text": "Pip is new."} in history
    assert {"change": "new", "text": "Her coop is red."} in history
    assert bench.engine.history(memory, first.id)[0]["change"] == "new"
    assert bench.engine.history(memory, "none") == []


def test_a_line_of_an_extractive_summary_shows_its_message_also_after_an_edit() -> None:
    bench = Bench(SETTINGS)
    texts = [
        "My locker code is 4711.",
        "Noted, 4711.",
        "Ada lives in Brno. " + apples(60),
        "Yes",
        "x",
        "y",
    ]
    memory = bench.open(chat(*texts))
    run(bench.engine.compact(memory))
    fold = memory.current
    assert fold is not None and fold.sources
    for line, source in enumerate(fold.sources):
        assert bench.engine.sources(memory, fold.id, line) == [source]
    lines = fold.text.split("\n")
    run(bench.engine.edit(memory, "\n".join(["Written by hand.", *lines])))
    edited = memory.current
    assert edited is not None and edited.sources == (None, *fold.sources)
    assert bench.engine.sources(memory, edited.id, 1) == [fold.sources[0]]


def test_a_hand_edit_is_held_to_the_limit_and_to_not_being_empty() -> None:
    bench = Bench(SETTINGS)
    memory = bench.open(chat(*(apples(60) for _ in range(6))))
    run(bench.engine.compact(memory))
    assert "limit" in run(bench.engine.edit(memory, apples(500))).reason
    for nothing in ("", " \n ", "\u200b\n\ufeff"):
        assert "empty" in run(bench.engine.edit(memory, nothing)).reason
    longer = "Longer than what was folded. " * 40  # an edit obeys the limit only
    assert run(bench.engine.edit(memory, longer)).status == "folded"


def imported(messages_prefix: str, folds: list[Fold], **marks: frozenset[str]):
    """The folds of a chat whose ids m1… have become other ids."""
    texts = [f"Talk {n} " + apples(40) for n in range(10)]
    messages = chat(*texts, prefix=messages_prefix)
    ids = {f"m{n}": f"{messages_prefix}{n}" for n in range(1, 11)}
    found, dropped = rebase_folds(folds, ids, messages, **marks)
    path = Bench(SETTINGS).open(messages, Conversation(id="c", **marks))  # type: ignore[arg-type]
    return found, dropped, path


def exported() -> list[Fold]:
    bench = Bench(SETTINGS)
    texts = [f"Talk {n} " + apples(40) for n in range(10)]
    run(bench.engine.compact(bench.open(chat(*texts[:6]))))
    memory = bench.open(chat(*texts))
    run(bench.engine.compact(memory))
    run(bench.engine.edit(memory, "By hand."))
    return list(memory.ledger)


def test_imported_folds_fit_their_messages_new_ids() -> None:
    folds, dropped, memory = imported("n", exported())
    assert dropped == 0 and [f.boundary for f in folds] == ["n4", "n8", "n8"]
    for fold in folds:
        assert memory.ledger.valid(fold, memory.path)
        assert all(source is None or source.startswith("n") for source in fold.sources)


def test_a_fold_that_does_not_fit_the_import_is_dropped_with_all_that_builds_on_it() -> None:
    first, second, edited = exported()
    assert imported("n", [replace(first, covered=first.covered[:-1]), second, edited])[1] == 3
    assert imported("n", [second, edited])[1] == 2
    assert imported("n", [first, replace(second, boundary="m99"), edited])[1] == 2
    assert imported("n", [replace(first, covered=("m1", "elsewhere"))])[1] == 1
    assert imported("n", [replace(edited, parent_id=None)])[1] == 1
    folds, dropped, _ = imported("n", [first, second], excluded=frozenset({"n5"}))
    assert dropped == 1 and [f.boundary for f in folds] == ["n4"]
    lone = replace(second, replaces="gone")
    assert imported("n", [first, lone])[0][1].replaces is None


def test_ids_that_are_new_already_need_no_map() -> None:
    texts = [f"Talk {n} " + apples(40) for n in range(10)]
    folds = [replace(f, path_digest="stale") for f in exported()]
    found, dropped = rebase_folds(folds, {}, chat(*texts)[::-1])
    assert dropped == 0 and [f.path_digest for f in found] == [f.path_digest for f in exported()]
    loop = [replace(m, parent_id="m10") if m.id == "m1" else m for m in chat(*texts)]
    assert rebase_folds(folds, {}, loop)[1] >= 0  # a cycle ends
