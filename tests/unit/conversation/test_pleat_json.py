"""Our own export: everything and no key goes out; what comes in is an independent copy."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest

from app.conversation.formats import Imported, pleat_json
from app.conversation.message import Message, Part
from app.conversation.tree import Conversation, Tree

ImportFile = Callable[[object], Imported]

CONVERSATION = Conversation(
    "A",
    "Kettles",
    10,
    20,
    system_prompt="Be brief.",
    preset="dost",
    leaf_id="m4",
    pinned=frozenset({"m1"}),
    excluded=frozenset({"m3", "gone"}),
    structure=5,
    commit=3,
)
MESSAGES = [
    Message("m1", "A", None, "user", (Part("text", "Hi"),), created_at=1),
    Message("m2", "A", "m1", "assistant", (Part("reasoning", "hm"), Part("text", "Yes"))),
    Message("m2b", "A", "m1", "assistant", (Part("text", "No"),), status="failed", error="cut"),
    Message("m3", "A", "m2", "user", (Part("image", "", "a", "image/png", "data:x"),)),
    Message("m4", "A", "m3", "assistant", (Part("text", "half"),), status="streaming"),
]


def fold(id: str, parent_id: str | None = None, **fields: Any) -> dict[str, Any]:
    return {
        "id": id,
        "conversation_id": "A",
        "parent_id": parent_id,
        "covered": ["m1", "m2"],
        "boundary": "m2",
        "path_digest": "d",
        "text": "S",
        "sources": ["m1", None],
        "replaces": None,
        "commit": 1,
        **fields,
    }


def export(
    folds: list[dict[str, Any]] | None = None,
    messages: list[Message] | None = None,
    conversation: Conversation = CONVERSATION,
) -> dict[str, Any]:
    kept = MESSAGES if messages is None else messages
    text = pleat_json.write([(conversation, kept, folds or [])], 99)
    return json.loads(text)


def test_everything_comes_back_under_new_ids(import_file: ImportFile) -> None:
    found = import_file(export([fold("f1"), fold("f2", "f1", replaces="f1")]))
    copy = found.conversations[0]
    map = copy.id_map
    new = copy.conversation
    assert (new.title, new.created_at, new.updated_at) == ("Kettles", 10, 20)
    assert (new.system_prompt, new.preset) == ("Be brief.", "dost")
    assert (new.structure, new.commit) == (5, 3)
    assert new.leaf_id == map["m4"]
    assert new.pinned == {map["m1"]}
    assert new.excluded == {map["m3"]}
    assert [m.parts for m in copy.messages] == [m.parts for m in MESSAGES]
    assert [m.id for m in copy.messages] == [map[m.id] for m in MESSAGES]
    assert [m.parent_id for m in copy.messages] == [
        None,
        map["m1"],
        map["m1"],
        map["m2"],
        map["m3"],
    ]
    assert copy.messages[2].error == "cut"
    first, second = copy.folds
    assert first == {
        **fold(map["f1"]),
        "conversation_id": new.id,
        "covered": [map["m1"], map["m2"]],
        "boundary": map["m2"],
        "sources": [map["m1"], None],
    }
    assert second["parent_id"] == second["replaces"] == map["f1"]


def test_a_copy_shares_no_id_with_the_original(import_file: ImportFile) -> None:
    copy = import_file(export([fold("f1")])).conversations[0]
    text = json.dumps(copy.folds) + repr(copy.conversation) + repr(copy.messages)
    for old in ("'A'", '"A"', "m1", "m2", "m3", "m4", "f1"):
        assert old not in text
    assert {m.conversation_id for m in copy.messages} == {copy.conversation.id}


def test_what_was_streaming_is_stopped_in_the_copy(import_file: ImportFile) -> None:
    copy = import_file(export()).conversations[0]
    assert copy.messages[-1].status == "stopped"
    assert copy.messages[-1].text == "half"


@pytest.mark.parametrize(
    "bad",
    [
        fold("f1", boundary="gone"),
        fold("f1", boundary=None),
        fold("f1", covered=["m1", "gone"]),
        fold("f1", covered="m1"),
        fold("f1", covered=[["m1"]]),
        fold("f1", sources="m1"),
        fold("f1", "gone"),
        fold("f1", replaces="gone"),
        fold("f1", ["f0"]),  # type: ignore[arg-type]
        fold(""),
        {},
    ],
)
def test_a_fold_whose_ids_lead_nowhere_is_dropped_and_counted(
    bad: dict[str, Any], import_file: ImportFile
) -> None:
    found = import_file(export([bad, fold("f2", "f1"), fold("f3", "f2"), fold("f4")]))
    assert [f["id"] for f in found.conversations[0].folds] == [found.conversations[0].id_map["f4"]]
    assert (found.report.folds.found, found.report.folds.failed) == (4, 3)


def test_the_same_fold_twice_is_taken_once(import_file: ImportFile) -> None:
    found = import_file(export([fold("f1"), fold("f1", text="other")]))
    assert [f["text"] for f in found.conversations[0].folds] == ["S"]
    assert found.report.folds.failed == 1


def test_a_source_that_is_gone_is_no_source(import_file: ImportFile) -> None:
    copy = import_file(export([fold("f1", sources=["gone", "m2", 7])])).conversations[0]
    assert copy.folds[0]["sources"] == [None, copy.id_map["m2"], None]


def test_no_key_goes_out_or_comes_in(import_file: ImportFile) -> None:
    secret = {
        "api_key": "sk-test",
        "Authorization": "Bearer sk-test",
        "headers": {"x": "sk-test"},
        "base_url": "https://user:sk-test@host.test/v1",
    }
    text = pleat_json.write([(CONVERSATION, MESSAGES, [fold("f1", **secret)])], 99)
    assert "sk-test" not in text
    forged = export()
    forged["conversations"][0]["folds"] = [fold("f1", **secret)]
    forged["settings"] = forged["secrets"] = {"api_key": "sk-test"}
    assert "sk-test" not in repr(import_file(forged))


def test_a_broken_message_costs_itself_alone(import_file: ImportFile) -> None:
    document = export([fold("f1", covered=["m1"], boundary="m1", sources=[])])
    document["conversations"][0]["messages"][1]["role"] = "robot"
    found = import_file(document)
    copy = found.conversations[0]
    assert found.report.messages.failed == 1
    assert [m.text for m in Tree(copy.messages).path(copy.conversation.leaf_id)] == [
        "Hi",
        "",
        "half",
    ]
    assert len(copy.folds) == 1


def test_a_broken_leaf_opens_what_is_above(import_file: ImportFile) -> None:
    document = export()
    document["conversations"][0]["messages"][4]["parts"] = 7
    copy = import_file(document).conversations[0]
    assert copy.conversation.leaf_id == copy.id_map["m3"]


def test_a_leaf_that_is_nowhere_opens_the_newest(import_file: ImportFile) -> None:
    document = export()
    document["conversations"][0]["conversation"]["leaf_id"] = "gone"
    document["conversations"][0]["messages"][2]["created_at"] = 50
    copy = import_file(document).conversations[0]
    assert copy.conversation.leaf_id == copy.id_map["m2b"]


def test_a_broken_conversation_is_counted_with_all_that_it_held(import_file: ImportFile) -> None:
    document = export([fold("f1")])
    document["conversations"][0]["conversation"]["id"] = None
    document["conversations"].append(7)
    report = import_file(document).report
    assert (report.conversations.failed, report.messages.failed, report.folds.failed) == (2, 5, 1)


def test_messages_that_are_all_broken_make_no_conversation(import_file: ImportFile) -> None:
    document = export([fold("f1")])
    for message in document["conversations"][0]["messages"]:
        message["schema"] = 2
    report = import_file(document).report
    assert (report.conversations.failed, report.messages.failed, report.folds.failed) == (1, 5, 1)


def test_a_conversation_without_messages_is_kept_and_a_deleted_one_is_not(
    import_file: ImportFile,
) -> None:
    new = import_file(export(messages=[], conversation=Conversation("A", "New"))).conversations[0]
    assert new.conversation.title == "New"
    assert new.conversation.leaf_id is None
    report = import_file(export(conversation=Conversation("A", deleted_at=5))).report
    assert (report.conversations.skipped, report.messages.skipped) == (1, 5)


def test_cycles_and_lost_parents_are_cut(import_file: ImportFile) -> None:
    messages = [
        Message("m1", "A", "m4", "user", (Part("text", "1"),)),
        Message("m4", "A", "m1", "user", (Part("text", "2"),)),
        Message("m5", "A", "gone", "user", (Part("text", "3"),)),
    ]
    copy = import_file(export(messages=messages)).conversations[0]
    assert [m.text for m in Tree(copy.messages).path(copy.conversation.leaf_id)] == ["1", "2"]
    assert copy.messages[2].parent_id is None


def test_half_a_character_survives_as_utf8() -> None:
    messages = [Message("m1", "A", None, "user", (Part("text", "a\ud800b"),))]
    text = pleat_json.write([(CONVERSATION, messages, [])], 1)
    text.encode()
    counter = itertools.count()
    found = pleat_json.read(
        json.loads(text)["conversations"][0], lambda: f"n{next(counter)}", pleat_json.Tally()
    )
    assert found is not None
    assert found.messages[0].text == "a\ud800b"


def test_the_export_says_what_it_is() -> None:
    document = export()
    assert (document["format"], document["version"], document["exported_at"]) == ("pleat", 1, 99)


def test_a_number_that_is_none_does_not_spoil_the_export() -> None:
    document = pleat_json.write([(CONVERSATION, MESSAGES, [fold("f1", factor=float("inf"))])], 1)
    assert "Infinity" not in document
    assert json.loads(document)["conversations"][0]["folds"][0]["factor"] is None
