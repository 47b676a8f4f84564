"""What the memory shows of itself: the panel's figures, the next request, each line's source."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from app.conversation.message import Message
from app.conversation.tree import Conversation
from app.memory.conversation_memory import ConversationMemory
from app.memory.ledger import Fold
from app.memory.payload import Payload, PayloadPart
from app.memory.policies import MemorySettings, make_policy
from app.memory.prompts import system_text
from app.memory.report import (
    OVER,
    STALE,
    coverage,
    fold_history,
    line_sources,
    memory_view,
    message_states,
    request_view,
)
from app.models.port import WireMessage
from tests.support.chats import Bench, apples, chat

PROMPT = "Be kind."  # 3 tokens
SETTINGS = MemorySettings(
    context_size=2048, system_prompt=PROMPT, policy=make_policy("pleat", window_conversations=1)
)
SIZES = (60, 70, 80, 90, 10, 20)


def talk(count: int = 6) -> list[Message]:
    return chat(*(apples(size) for size in SIZES[:count]))


def opened(
    messages: list[Message] | None = None,
    settings: MemorySettings = SETTINGS,
    **marks: frozenset[str],
) -> ConversationMemory:
    messages = talk() if messages is None else messages
    return Bench(settings).open(messages, Conversation("c", **marks))  # type: ignore[arg-type]


def given(
    memory: ConversationMemory, id: str, covered: Iterable[int], boundary: int, **fields: Any
) -> Fold:
    """Add an entry over the messages m1, m2… that is valid on the memory's path."""
    fold = Fold(
        id,
        "c",
        fields.pop("parent_id", None),
        tuple(f"m{n}" for n in covered),
        f"m{boundary}",
        memory.path.chain(boundary - 1),
        fields.pop("text", "Ada keeps 3 hens."),
        commit=len(memory.ledger) + 1,
    )
    fold = replace(fold, **fields)
    memory.committed(fold)
    return fold


def view(memory: ConversationMemory, busy: bool = False) -> dict[str, Any]:
    return memory_view(memory, Bench().counter, busy)


# The panel


def test_the_panel_before_the_first_fold() -> None:
    assert view(opened()) == {
        "conversation_id": "c",
        "context": 2048,
        "context_size": 2048,
        "budget": 1536,
        "account": {
            "system": 3 + 4,
            "summary": 0,
            "recall": 0,
            "pins": 0,
            "window": 330 + 6 * 4,
            "question": 0,
            "overhead": 3,
            "total": 7 + 354 + 3,
            "answer": 512,
        },
        "exact": True,
        "factor": 1.0,
        "coverage": {
            "word_for_word": 6,
            "summarised": 0,
            "excluded": 0,
            "unsendable": 0,
            "unaccounted": 0,
        },
        "summary": {
            "text": "",
            "tokens": 0,
            "limit": 409,  # a fifth of the context
            "fold_id": None,
            "boundary_id": None,
            "stale": False,
        },
        "folds": [],
        "can_fold": True,
        "why_not": "",
        "can_undo": False,
        "preset": "pleat",
        "busy": False,
        "notice": "",
    }


def test_the_panel_with_a_summary_and_a_pinned_turn() -> None:
    memory = opened(pinned=frozenset({"m1"}))
    given(memory, "f1", (3, 4), 4, tokens_out=5)
    count = Bench().counter.text
    shown = view(memory)
    framed = count(system_text(PROMPT, "Ada keeps 3 hens.")) - 3
    assert shown["account"] == {
        "system": 7,
        "summary": framed,
        "recall": 0,
        "pins": 60 + 70 + 8,
        "window": 10 + 20 + 8,
        "question": 0,
        "overhead": 3,
        "total": 7 + framed + 138 + 38 + 3,
        "answer": 512,
    }
    assert shown["summary"] == {
        "text": "Ada keeps 3 hens.",
        "tokens": 5,
        "limit": 409,
        "fold_id": "f1",
        "boundary_id": "m4",
        "stale": False,
    }
    assert shown["coverage"]["word_for_word"] == 4 and shown["coverage"]["summarised"] == 2
    assert shown["can_undo"] is True


@pytest.mark.parametrize(("size", "over"), [(370, 0), (371, 1), (500, 130)])
def test_what_no_prompt_holds_is_not_in_the_gauge_but_said(size: int, over: int) -> None:
    # 384 tokens may be sent of 512: 7 for the system prompt, 3 for the answer's opening, 4 + size.
    memory = opened(chat(apples(size)), replace(SETTINGS, context_size=512))
    shown = view(memory)
    assert shown["budget"] == 384
    assert shown["account"]["window"] == min(size, 370) + 4
    assert shown["account"]["total"] == 14 + min(size, 370)
    assert shown["notice"] == (OVER.format(over=over) if over else "")


def test_a_window_smaller_than_what_is_over_is_shown_as_nothing() -> None:
    prompt = replace(SETTINGS, context_size=512, system_prompt=apples(400))
    shown = view(opened(chat(apples(1)), prompt))
    assert shown["account"]["window"] == 0 and shown["account"]["total"] == 384


def test_a_summary_that_fits_no_more_is_said_unless_it_was_undone() -> None:
    memory = opened()
    given(memory, "f1", (1, 2), 2, path_digest="other")
    shown = view(memory)
    assert shown["notice"] == STALE and shown["summary"]["stale"] is True
    assert shown["summary"]["text"] == "" and shown["can_undo"] is False
    memory.ledger.retire(["f1"], 9)
    assert view(memory)["notice"] == "" and view(memory)["summary"]["stale"] is False
    # Beside one that fits, a stale one is not worth a word.
    given(memory, "f2", (1, 2), 2)
    given(memory, "f3", (1, 2), 2, path_digest="other")
    assert view(memory)["notice"] == ""


def test_a_stale_summary_is_said_before_what_is_over() -> None:
    memory = opened(chat(apples(900)), replace(SETTINGS, context_size=512))
    given(memory, "f1", (1,), 1, path_digest="other")
    assert view(memory)["notice"] == STALE


def test_while_a_fold_runs_no_other_can_be_asked_for() -> None:
    shown = view(opened(), busy=True)
    assert (shown["busy"], shown["can_fold"]) == (True, False)
    assert shown["why_not"] == "A fold is running."


def test_a_fold_that_is_not_worth_it_is_refused_with_the_reason() -> None:
    shown = view(opened(chat("a", "b", "c", "d", "e", "f")))
    assert shown["can_fold"] is False
    assert shown["why_not"] == "Too little to fold: under 50 tokens."


def why_not(messages: list[Message], turns: int, folded: int = 0) -> str:
    policy = make_policy("pleat", window_conversations=turns)
    memory = opened(messages, replace(SETTINGS, policy=policy))
    if folded:
        given(memory, "f1", range(1, folded + 1), folded)
    return view(memory)["why_not"]


@pytest.mark.parametrize(
    ("count", "turns", "folded", "why"),
    [
        (0, 2, 0, "There is nothing to fold yet."),
        (1, 0, 0, "There is nothing to fold yet."),  # a question that waits for its answer
        (2, 2, 0, "Nothing to fold: every turn here stays word for word."),
        (2, 1, 0, "Nothing to fold: the last turn stays word for word."),
        (4, 2, 0, "Nothing to fold: the last 2 turns stay word for word."),
        (6, 3, 0, "Nothing to fold: the last 3 turns stay word for word."),
        (6, 4, 0, "Nothing to fold: every turn here stays word for word."),
        (4, 2, 2, "Nothing to fold: every turn since the summary stays word for word."),
        (6, 2, 2, "Nothing to fold: the last 2 turns stay word for word."),
        (4, 2, 4, "There is nothing to fold yet."),
    ],
)
def test_why_nothing_can_be_folded_is_said_of_the_turns_there_are(
    count: int, turns: int, folded: int, why: str
) -> None:
    assert why_not(talk(count), turns, folded) == why


# Coverage and states


def mixed() -> ConversationMemory:
    """Folded, pinned, excluded, unsendable and still in the window."""
    messages = chat(*(apples(9) for _ in range(10)))
    messages[1] = replace(messages[1], status="failed")
    memory = opened(messages, pinned=frozenset({"m3"}), excluded=frozenset({"m5"}))
    given(memory, "f1", (1,), 6)
    return memory


def test_every_message_is_accounted_for() -> None:
    assert coverage(mixed()) == {
        "word_for_word": 2 + 4,
        "summarised": 1,
        "excluded": 2,
        "unsendable": 1,
        "unaccounted": 0,
    }


def test_a_message_that_no_fold_was_given_is_unaccounted() -> None:
    memory = opened()
    given(memory, "f1", (1, 2), 2)
    given(memory, "f2", (4,), 4, parent_id="f1")  # it passed over m3
    assert coverage(memory) == {
        "word_for_word": 2,
        "summarised": 3,
        "excluded": 0,
        "unsendable": 0,
        "unaccounted": 1,
    }


def test_each_message_has_its_state_in_the_thread() -> None:
    assert list(message_states(mixed()).items()) == [
        ("m1", "folded"),
        ("m2", "unsendable"),
        ("m3", "pinned"),
        ("m4", "pinned"),
        ("m5", "excluded"),
        ("m6", "excluded"),
        ("m7", "window"),
        ("m8", "window"),
        ("m9", "window"),
        ("m10", "window"),
    ]


# The next request

WIRE = (WireMessage("system", "notes"), WireMessage("user", "all"))
PARTS = (
    PayloadPart("summary", "system", "notes", ("m1", "m4"), 12),
    PayloadPart("recall", "user", "said", ("m4",), 7),
    PayloadPart("question", "user", "asked", ("m6",), 5),
)


def test_the_request_is_shown_as_it_is_sent() -> None:
    memory = opened()
    shown = request_view(memory, Payload(PARTS, WIRE, 27, 1536), None)
    states = shown.pop("states")
    assert shown == {
        "messages": [
            {
                "role": "system",
                "content": "notes",
                "kind": "summary",
                "ids": ["m1", "m4"],
                "tokens": 12,
            },
            {"role": "user", "content": "said", "kind": "recall", "ids": ["m4"], "tokens": 7},
            {"role": "user", "content": "asked", "kind": "question", "ids": ["m6"], "tokens": 5},
        ],
        "wire": [{"role": "system", "content": "notes"}, {"role": "user", "content": "all"}],
        "tokens": 27,
        "budget": 1536,
    }
    assert states == [
        {"id": f"m{n}", "state": "window", "reason": "sent word for word"} for n in range(1, 7)
    ]


def test_each_message_has_its_state_in_the_request_and_the_reason() -> None:
    messages = chat(*(apples(9) for _ in range(12)))
    messages[6] = replace(messages[6], status="failed")
    messages[7] = replace(messages[7], status="streaming")
    messages[8] = replace(messages[8], parts=())
    messages[9] = replace(messages[9], status="failed", hidden=True)
    memory = opened(messages, pinned=frozenset({"m3"}), excluded=frozenset({"m5"}))
    # The request carries a draft, which the ledger does not know yet.
    draft = Fold("draft", "c", None, ("m1", "m2"), "m6", "", "notes")
    parts = (
        PayloadPart("summary", "system", "notes", ("m1",), 12),
        PayloadPart("recall", "user", "said", ("m2",), 7),
    )
    shown: Any = request_view(memory, Payload(parts, WIRE, 27, 1536), draft)
    assert [(each["id"], each["state"], each["reason"]) for each in shown["states"]] == [
        ("m1", "folded", "in the summary"),
        ("m2", "folded", "in the summary, and quoted by recall"),
        ("m3", "pinned", "you pinned its turn: sent word for word"),
        ("m4", "pinned", "you pinned its turn: sent word for word"),
        ("m5", "excluded", "you excluded its turn"),
        ("m6", "excluded", "you excluded its turn"),
        ("m7", "unsendable", "it failed"),
        ("m8", "unsendable", "it is not finished"),
        ("m9", "unsendable", "it is empty"),
        ("m10", "unsendable", "hidden text of an import"),
        ("m11", "window", "sent word for word"),
        ("m12", "window", "sent word for word"),
    ]


# The ledger


def test_an_entry_of_the_ledger_is_shown_whole() -> None:
    memory = opened()
    given(
        memory,
        "f1",
        (1, 2),
        2,
        text="Ada keeps 3 hens.\nBy hand.",
        sources=("m1", None),
        tokens_in=138,
        tokens_out=8,
        count=2,
        trigger="manual",
        model="small",
        method="model+details",
        used_fallback=True,
        provisional=True,
        duration_ms=250,
        created_at=77,
        note="trimmed",
    )
    assert view(memory)["folds"] == [
        {
            "id": "f1",
            "parent_id": None,
            "commit": 1,
            "trigger": "manual",
            "model": "small",
            "method": "model+details",
            "used_fallback": True,
            "provisional": True,
            "tokens_in": 138,
            "tokens_out": 8,
            "count": 2,
            "duration_ms": 250,
            "created_at": 77,
            "state": "current",
            "covered": ["m1", "m2"],
            "text": "Ada keeps 3 hens.\nBy hand.",
            "sources": ["m1", None],
            "note": "trimmed",
        }
    ]


def test_an_entry_is_current_of_its_lineage_undone_stale_or_another() -> None:
    memory = opened()
    given(memory, "first", (1, 2), 2)
    given(memory, "undone", (3, 4), 4, parent_id="first", retired_at=5)
    given(memory, "stale", (3, 4), 4, parent_id="first", path_digest="other")
    given(memory, "other", (1, 2), 2)
    given(memory, "now", (3, 4), 4, parent_id="first")
    assert [(each["id"], each["state"]) for each in view(memory)["folds"]] == [
        ("first", "lineage"),
        ("undone", "retired"),
        ("stale", "stale"),
        ("other", "other"),
        ("now", "current"),
    ]


def test_an_undone_entry_of_the_lineage_is_shown_as_undone() -> None:
    memory = opened()
    given(memory, "first", (1, 2), 2, retired_at=5)
    given(memory, "now", (3, 4), 4, parent_id="first")
    assert [each["state"] for each in view(memory)["folds"]] == ["retired", "current"]


def test_without_a_current_entry_none_is_current() -> None:
    memory = opened()
    given(memory, "f1", (1, 2), 2, retired_at=5)
    given(memory, "f2", (1, 2), 2, path_digest="other")
    assert [each["state"] for each in view(memory)["folds"]] == ["retired", "stale"]


def test_the_newest_two_hundred_entries_are_shown() -> None:
    memory = opened()
    for n in range(202):
        given(memory, f"f{n}", (1, 2), 2)
    shown = [each["id"] for each in view(memory)["folds"]]
    assert (len(shown), shown[0], shown[-1]) == (200, "f2", "f201")


def changes(memory: ConversationMemory, id: str) -> list[str]:
    return [f"{each['change']} {each['text']}" for each in fold_history(memory, id)]


def test_an_entry_is_compared_with_what_it_replaced_else_with_its_parent() -> None:
    memory = opened()
    given(memory, "first", (1, 2), 2, text="Hens.\nCats.")
    given(memory, "draft", (3, 4), 4, parent_id="first", text="Hens.\nPigs.")
    given(memory, "better", (3, 4), 4, parent_id="first", replaces="draft", text="Hens.\nDogs.")
    assert changes(memory, "first") == ["new Hens.", "new Cats."]
    assert changes(memory, "draft") == ["same Hens.", "gone Cats.", "new Pigs."]
    assert changes(memory, "better") == ["same Hens.", "gone Pigs.", "new Dogs."]
    assert changes(memory, "nowhere") == []


def lines() -> ConversationMemory:
    """Three entries in a row; the second one's writer named its sources."""
    memory = opened(chat(*(apples(9) for _ in range(8))))
    given(memory, "f1", (1, 2), 2, text="Hens.\nCats.")
    given(
        memory,
        "f2",
        (3, 4),
        4,
        parent_id="f1",
        text="Dogs.\nHens.\nPigs.\nCats.",
        sources=("m3", None, "m4", None),
    )
    given(memory, "f3", (5, 6), 6, parent_id="f2", text="Pigs.\nCats.\nCows.\nDogs.")
    return memory


@pytest.mark.parametrize(
    ("id", "line", "messages"),
    [
        ("f1", 0, ["m1", "m2"]),
        ("f1", 1, ["m1", "m2"]),
        ("f1", 2, []),  # there is no such line
        ("f1", -1, []),
        ("f2", 0, ["m3"]),  # known
        ("f2", 1, ["m1", "m2"]),  # carried over
        ("f2", 2, ["m4"]),
        ("f2", 3, ["m1", "m2"]),
        ("f3", 0, ["m4"]),  # known where it came in
        ("f3", 1, ["m1", "m2"]),
        ("f3", 2, ["m5", "m6"]),  # new
        ("f3", 3, ["m3"]),
        ("f3", 4, []),
        ("nowhere", 0, []),
    ],
)
def test_a_line_leads_to_where_it_was_first_said(id: str, line: int, messages: list[str]) -> None:
    assert line_sources(lines(), id, line) == messages


def test_a_line_that_stands_twice_leads_to_its_own_message() -> None:
    memory = opened()
    given(memory, "f1", (1, 2), 2, text="Hens.\nHens.", sources=("m1", "m2"))
    assert line_sources(memory, "f1", 0) == ["m1"]
    assert line_sources(memory, "f1", 1) == ["m2"]


def test_sources_that_do_not_match_the_lines_are_not_believed() -> None:
    memory = opened()
    given(memory, "f1", (1, 2), 2, text="Hens.\nCats.", sources=("m1",))
    assert line_sources(memory, "f1", 0) == ["m1", "m2"]


def test_a_line_of_a_rewritten_entry_leads_to_what_its_parent_was_given() -> None:
    memory = opened()
    given(memory, "f1", (1, 2), 2, text="Hens.")
    given(memory, "edit", (), 2, parent_id="f1", text="Hens.\nBy hand.")
    assert line_sources(memory, "edit", 0) == ["m1", "m2"]
    assert line_sources(memory, "edit", 1) == []  # nobody said it
