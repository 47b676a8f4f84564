"""OpenAI messages: roles, parts, tools; as a list, wrapped, or in lines."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from app.conversation.formats import Imported
from app.conversation.formats.blocks import MAX_IMAGE
from app.conversation.message import is_sendable, sendable_text

ImportFile = Callable[[object], Imported]

TALK = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]


def test_a_list_and_a_wrapped_list_are_the_same(import_file: ImportFile) -> None:
    for content in (
        TALK,
        {"messages": TALK},
        {"model": "x", "messages": TALK},
        [{"messages": TALK}],
    ):
        found = import_file(content)
        assert found.report.format == "openai"
        assert [m.text for m in found.conversations[0].messages] == ["Hi", "Hello"]
    assert import_file([TALK, TALK]).report.conversations.imported == 2


def test_instructions_at_the_start_become_the_system_prompt(import_file: ImportFile) -> None:
    found = import_file(
        [
            {"role": "developer", "content": "Be brief."},
            {"role": "system", "content": [{"type": "text", "text": "Use metres."}]},
            *TALK,
            {"role": "system", "content": "Be kind."},
        ]
    )
    one = found.conversations[0]
    assert one.conversation.system_prompt == "Be brief.\n\nUse metres."
    assert [m.role for m in one.messages] == ["user", "assistant", "system"]
    assert one.messages[2].hidden
    assert not is_sendable(one.messages[2])
    assert import_file(TALK).conversations[0].conversation.system_prompt is None
    apart = import_file({"system": "Be brief.", "messages": TALK}).conversations[0]
    assert apart.conversation.system_prompt == "Be brief."


def test_instructions_alone_are_no_conversation_and_that_is_said(import_file: ImportFile) -> None:
    found = import_file([{"role": "developer", "content": "Be brief."}])
    assert found.report.conversations.empty == 1
    assert "instructions only, no message" in {reason.text for reason in found.report.reasons}


def test_parts_are_kept_in_order(import_file: ImportFile) -> None:
    content = [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
        {"type": "image_url", "image_url": "https://example.test/pics/cat.png?x=1"},
        {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "AAAA"}},
        {"type": "document", "source": {"type": "text", "data": "rows"}, "title": "t"},
    ]
    message = import_file([{"role": "user", "content": content}]).conversations[0].messages[0]
    assert [(p.kind, p.name) for p in message.parts] == [
        ("text", ""),
        ("image", ""),
        ("image", "cat.png"),
        ("file", "audio.wav"),
        ("file", "a.pdf"),
        ("file", "t"),
    ]
    assert message.parts[1].data == "data:image/png;base64,iVBORw0KGgo="
    assert message.parts[2].data == ""
    assert "AAAA" not in sendable_text(message)


@pytest.mark.parametrize(
    "url",
    [
        "data:image/png;base64," + "A" * MAX_IMAGE,
        "data:image/svg+xml;base64,PHN2Zz4=",
        "data:text/html;base64,PGI+",
        "javascript:alert(1)",
        "",
    ],
)
def test_an_image_that_is_too_large_or_none_is_only_named(
    url: str, import_file: ImportFile
) -> None:
    content = [{"type": "image_url", "image_url": {"url": url}}]
    part = import_file([{"role": "user", "content": content}]).conversations[0].messages[0].parts[0]
    assert part.kind == "image"
    assert part.data == ""
    assert part.text == ""


def test_tool_calls_and_results_carry_the_tools_name(import_file: ImportFile) -> None:
    calls = [
        {"id": f"c{i}", "type": "function", "function": {"name": name, "arguments": '{"x": 1'}}
        for i, name in enumerate(("weigh", "look"))
    ]
    found = import_file(
        [
            *TALK,
            {"role": "assistant", "content": None, "tool_calls": calls},
            {"role": "tool", "tool_call_id": "c0", "content": "2 kg"},
            {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "red"}]},
            {"role": "tool", "tool_call_id": "c1", "content": None},
            {
                "role": "assistant",
                "content": None,
                "function_call": {"name": "old", "arguments": "{}"},
            },
            {"role": "function", "name": "old", "content": "legacy"},
        ]
    )
    messages = found.conversations[0].messages[2:]
    assert [[(p.kind, p.name, p.text) for p in m.parts] for m in messages] == [
        [("tool_call", "weigh", '{"x": 1'), ("tool_call", "look", '{"x": 1')],
        [("tool_result", "weigh", "2 kg")],
        [("tool_result", "look", "red")],
        [("tool_result", "look", "")],
        [("tool_call", "old", "{}")],
        [("tool_result", "old", "legacy")],
    ]
    assert [m.role for m in messages] == ["assistant", "tool", "tool", "tool", "assistant", "tool"]


def test_odd_messages_are_read_or_counted(import_file: ImportFile) -> None:
    found = import_file(
        [
            {"role": " USER ", "content": "odd case"},
            {"role": "user", "content": 42},
            {"role": "assistant", "content": "", "refusal": "I can't."},
            {"role": "assistant", "content": "Yes.", "reasoning_content": "hm"},
            {"role": "user"},
            {"role": "user", "content": [{"type": "hologram"}]},
            {"role": "robot", "content": "x"},
            {"role": None, "content": "x"},
            {"role": ["user"], "content": "x"},
            {"content": "x"},
            "text",
            None,
        ]
    )
    messages = found.conversations[0].messages
    assert [m.text for m in messages] == ["odd case", "42", "I can't.", "Yes."]
    assert messages[3].reasoning == "hm"
    counts = found.report.messages
    assert (counts.found, counts.empty, counts.failed) == (12, 1, 7)


def test_names_and_models_are_kept(import_file: ImportFile) -> None:
    wrapped = {
        "model": "m",
        "messages": [{"role": "user", "name": "vera", "content": "x"}, TALK[1]],
    }
    user, assistant = import_file(wrapped).conversations[0].messages
    assert (user.name, user.model) == ("vera", "")
    assert assistant.model == "m"


def test_fine_tuning_lines_are_a_conversation_each(import_file: ImportFile) -> None:
    lines = [json.dumps({"messages": [{"role": "user", "content": f"q{i}"}]}) for i in range(3)]
    lines.insert(1, '{"messages": [')
    found = import_file("\n".join(lines))
    assert [c.conversation.title for c in found.conversations] == ["q0", "q1", "q2"]
    assert found.report.conversations.failed == 1
    reason = next(r for r in found.report.reasons if r.outcome == "failed")
    assert reason.where == ("line 2",)


def test_a_message_a_line_is_one_conversation(import_file: ImportFile) -> None:
    text = "\n".join([json.dumps(TALK[0]), "", '{"role":', json.dumps(TALK[1])])
    found = import_file(text)
    assert [m.text for m in found.conversations[0].messages] == ["Hi", "Hello"]
    failed = [r.where for r in found.report.reasons if r.outcome == "failed"]
    assert failed == [("line 3",)]


def test_half_characters_do_not_reach_storage(import_file: ImportFile) -> None:
    found = import_file('[{"role": "user", "content": "a\\ud83d b", "name": "\\ude00"}]')
    message = found.conversations[0].messages[0]
    assert message.text == "a\ufffd b"
    message.name.encode()


def test_a_remote_image_is_an_address_and_a_refusal_is_text(import_file: ImportFile) -> None:
    content = [
        {"type": "image_url", "image_url": {"url": "https://example.test/cat.png"}},
        {"type": "refusal", "refusal": "I can't."},
        {"type": "tool_use", "name": "look", "input": {"où": "là"}},
    ]
    message = import_file([{"role": "assistant", "content": content}]).conversations[0].messages[0]
    assert [(p.kind, p.text) for p in message.parts] == [
        ("image", "https://example.test/cat.png"),
        ("text", "I can't."),
        ("tool_call", '{"où": "là"}'),
    ]
