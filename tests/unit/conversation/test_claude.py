"""Claude exports: blocks before text, attachments kept, empty conversations counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.conversation.formats import Imported, ImportedConversation
from app.conversation.message import Message, sendable_text
from app.conversation.tree import Tree

ImportFile = Callable[[object], Imported]
OpenPath = Callable[[ImportedConversation], list[Message]]

ZERO = "00000000-0000-4000-8000-000000000000"


def said(uuid: str, sender: str, *content: Any, **fields: Any) -> dict[str, Any]:
    blocks = [{"type": "text", "text": c} if isinstance(c, str) else c for c in content]
    return {"uuid": uuid, "sender": sender, "text": "", "content": blocks, **fields}


def chat(*messages: Any, **fields: Any) -> dict[str, Any]:
    return {"uuid": "k", "name": "Tea", "chat_messages": list(messages), **fields}


def test_the_text_is_that_of_the_blocks(import_file: ImportFile, open_path: OpenPath) -> None:
    message = said("b", "assistant", "Green: 75.", "Black: 95.")
    message["text"] = "placeholder: not supported on this device"
    found = import_file([chat(said("a", "human", "How hot?"), message)])
    path = open_path(found.conversations[0])
    assert [m.text for m in path] == ["How hot?", "Green: 75.\n\nBlack: 95."]
    assert [m.role for m in path] == ["user", "assistant"]
    assert found.report.format == "claude"
    assert found.conversations[0].conversation.title == "Tea"


def test_an_old_export_has_text_alone(import_file: ImportFile) -> None:
    old = {"uuid": "a", "sender": "human", "text": "Hi", "created_at": "2026-03-29T07:06:31.5Z"}
    found = import_file([chat(old)]).conversations[0]
    assert found.messages[0].text == "Hi"
    assert found.messages[0].created_at == 1774767991500


def test_thinking_is_a_reasoning_part_and_never_text(import_file: ImportFile) -> None:
    thinking = {"type": "thinking", "thinking": "PRIVATE"}
    found = import_file([chat(said("a", "assistant", thinking, "Yes."))]).conversations[0]
    message = found.messages[0]
    assert message.reasoning == "PRIVATE"
    assert sendable_text(message) == "Yes."


def test_tools_are_parts_with_their_names_in_order(import_file: ImportFile) -> None:
    call = {"type": "tool_use", "id": "t1", "name": "search", "input": {"q": "tea"}}
    result = {
        "type": "tool_result",
        "tool_use_id": "t1",
        "content": [{"type": "text", "text": "hits"}, {"type": "image", "source": {}}],
    }
    silent = {"type": "token_budget"}
    found = import_file([chat(said("a", "assistant", "Look:", call, result, silent, "Done."))])
    parts = found.conversations[0].messages[0].parts
    assert [(p.kind, p.name, p.text) for p in parts] == [
        ("text", "", "Look:"),
        ("tool_call", "search", '{"q": "tea"}'),
        ("tool_result", "search", "hits\n\n[image]"),
        ("text", "", "Done."),
    ]


def test_attachments_are_kept_with_their_text_fenced(import_file: ImportFile) -> None:
    pasted = said("a", "human", attachments=[{"file_name": "", "extracted_content": "a\n```\nb"}])
    named = said(
        "b",
        "human",
        "See.",
        attachments=[{"file_name": "x.txt", "extracted_content": "rows"}],
        files=[{"file_name": "x.txt"}, {"file_name": "leaf.png"}],
    )
    bare = said("c", "human", attachments=[{"file_name": ""}])
    messages = import_file([chat(pasted, named, bare)]).conversations[0].messages
    assert [sendable_text(m) for m in messages] == [
        "[file]\n````\na\n```\nb\n````",
        "See.\n\n[file: x.txt]\n```\nrows\n```\n\n[file: leaf.png]",
        "[file]",
    ]


def test_kept_and_empty_add_up(import_file: ImportFile) -> None:
    found = import_file(
        [chat(said("a", "human", "Hi"), said("b", "human"), said("c", "robot", "x"), 7), chat()]
    )
    counts = found.report.messages
    assert (counts.found, counts.imported, counts.empty, counts.failed) == (4, 1, 1, 2)
    assert found.report.conversations.empty == 1


def test_branches_are_siblings_and_the_current_leaf_is_open(
    import_file: ImportFile, open_path: OpenPath
) -> None:
    messages = [
        said("t1", "human", "Pick", parent_message_uuid=ZERO, created_at="2026-01-01T00:00:01Z"),
        said("t2", "assistant", "Oak", parent_message_uuid="t1", created_at="2026-01-01T00:00:02Z"),
        said("t3", "assistant", "Ash", parent_message_uuid="t1", created_at="2026-01-01T00:00:03Z"),
        said("t4", "human", "Why?", parent_message_uuid="t3", created_at="2026-01-01T00:00:04Z"),
    ]
    newest = import_file([chat(*messages)]).conversations[0]
    assert [m.text for m in open_path(newest)] == ["Pick", "Ash", "Why?"]
    assert [m.text for m in Tree(newest.messages).siblings(newest.id_map["t2"])] == ["Oak", "Ash"]
    named = import_file(chat(*messages, current_leaf_message_uuid="t2")).conversations[0]
    assert [m.text for m in open_path(named)] == ["Pick", "Oak"]


def test_an_empty_message_between_two_others_does_not_part_them(
    import_file: ImportFile, open_path: OpenPath
) -> None:
    messages = [
        said("a", "human", "One", parent_message_uuid=ZERO),
        said("b", "assistant", parent_message_uuid="a"),
        said("c", "human", "Two", parent_message_uuid="b"),
    ]
    found = import_file([chat(*messages)]).conversations[0]
    assert [m.text for m in open_path(found)] == ["One", "Two"]


def test_the_same_id_twice_loses_nothing(import_file: ImportFile) -> None:
    found = import_file([chat(said("a", "human", "One"), said("a", "human", "Two"))])
    assert [m.text for m in found.conversations[0].messages] == ["One", "Two"]
