"""SillyTavern chats: file order, swipes, narrators, headers of all kinds, broken lines."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from app.conversation.formats import Imported, ImportedConversation
from app.conversation.message import Message, is_sendable
from app.conversation.tree import Tree

ImportFile = Callable[[object], Imported]
OpenPath = Callable[[ImportedConversation], list[Message]]

HEADER = {"user_name": "unused", "character_name": "unused", "chat_metadata": {}}


def line(name: str, mes: Any, **fields: Any) -> dict[str, Any]:
    return {"name": name, "is_user": name == "You", "is_system": False, "mes": mes, **fields}


def jsonl(*lines: Any, newline: str = "\n") -> str:
    return newline.join(each if isinstance(each, str) else json.dumps(each) for each in lines)


TALK = [line("Maren", "Ahoy."), line("You", "Good day."), line("Maren", "Come in.")]


@pytest.mark.parametrize(
    "header",
    [
        [HEADER],
        [{"user_name": "You", "character_name": "Maren", "create_date": 1775196366000}],
        [{"name": "You", "character_name": "Maren"}],
        [{"chat_metadata": {"tainted": True}}],
        [],
    ],
)
def test_every_kind_of_header_is_taken(
    header: list[Any], import_file: ImportFile, open_path: OpenPath
) -> None:
    found = import_file(jsonl(*header, *TALK))
    assert found.report.format == "sillytavern"
    path = open_path(found.conversations[0])
    assert [(m.role, m.name, m.text) for m in path] == [
        ("assistant", "Maren", "Ahoy."),
        ("user", "You", "Good day."),
        ("assistant", "Maren", "Come in."),
    ]
    assert found.conversations[0].conversation.title == "Maren"
    assert found.report.messages.found == 3


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\n\n", "\r"])
def test_line_ends_and_blank_lines_do_not_matter(newline: str, import_file: ImportFile) -> None:
    found = import_file("\ufeff" + jsonl(HEADER, *TALK, newline=newline) + newline)
    assert found.report.messages.imported == 3


def test_a_line_separator_inside_a_text_does_not_cut_the_line(import_file: ImportFile) -> None:
    text = json.dumps(line("You", "one\u2028two\x85three"), ensure_ascii=False)
    found = import_file(jsonl(HEADER, text, TALK[0]))
    assert found.conversations[0].messages[0].text == "one\u2028two\x85three"


def test_a_broken_line_is_reported_by_number_and_the_rest_imported(
    import_file: ImportFile, open_path: OpenPath
) -> None:
    found = import_file(
        jsonl(HEADER, TALK[0], '{"name":"Maren","mes":"cut', "", TALK[1], "7", "{}")
    )
    assert [m.text for m in open_path(found.conversations[0])] == ["Ahoy.", "Good day."]
    assert found.report.messages.failed == 3
    places = [place for reason in found.report.reasons for place in reason.where]
    assert places == ["line 3", "line 6", "line 7"]


def test_a_first_message_that_is_broken_does_not_hide_the_format(import_file: ImportFile) -> None:
    assert import_file(jsonl('{"mes":', *TALK)).report.messages.imported == 3


def test_swipes_are_siblings_and_the_chosen_one_is_open(
    import_file: ImportFile, open_path: OpenPath
) -> None:
    swiped = line("Maren", "Two.", swipes=["One.", "Two.", "Three."], swipe_id=1)
    found = import_file(jsonl(HEADER, line("You", "Count."), swiped, line("You", "On.")))
    path = open_path(found.conversations[0])
    assert [m.text for m in path] == ["Count.", "Two.", "On."]
    tree = Tree(sorted(found.conversations[0].messages, key=lambda m: m.id, reverse=True))
    assert [m.text for m in tree.siblings(path[1].id)] == ["One.", "Two.", "Three."]
    assert found.report.messages.found == 5


@pytest.mark.parametrize(
    ("swipes", "swipe_id", "alternatives"),
    [
        (["Yes."], 7, ["Yes."]),
        (["Yes."], -1, ["Yes."]),
        (["No.", "Yes."], 0, ["No.", "Yes."]),
        (["No.", "Old."], 1, ["No.", "Yes."]),
        (["No."], 9, ["No.", "Yes."]),
        (["No."], None, ["No.", "Yes."]),
        (["No.", ""], 0, ["Yes."]),
        ([], 3, ["Yes."]),
        ("No.", 0, ["Yes."]),
        ([{"message": "No."}, 7, "Yes."], 2, ["No.", "Yes."]),
        (None, True, ["Yes."]),
    ],
)
def test_what_stands_in_the_chat_is_open_whatever_the_swipe_number(
    swipes: Any,
    swipe_id: Any,
    alternatives: list[str],
    import_file: ImportFile,
    open_path: OpenPath,
) -> None:
    swiped = line("Maren", "Yes.", swipes=swipes, swipe_id=swipe_id)
    found = import_file(jsonl(HEADER, line("You", "Well?"), swiped)).conversations[0]
    path = open_path(found)
    assert path[-1].text == "Yes."
    assert [m.text for m in Tree(found.messages).siblings(path[-1].id)] == alternatives


def test_the_narrator_is_kept_but_hidden(import_file: ImportFile, open_path: OpenPath) -> None:
    narrator = line("System", "The lamp goes out.", is_system=True, extra={"type": "narrator"})
    muted = line("You", "Ignore me.", is_system=True)
    found = import_file(jsonl(HEADER, TALK[0], narrator, muted, TALK[1]))
    path = open_path(found.conversations[0])
    assert [(m.role, m.hidden, is_sendable(m)) for m in path] == [
        ("assistant", False, True),
        ("system", True, False),
        ("user", True, False),
        ("user", False, True),
    ]
    assert path[1].text == "The lamp goes out."


def test_reasoning_images_and_models_are_kept_apart(import_file: ImportFile) -> None:
    extra = {
        "reasoning": "PRIVATE",
        "model": "m",
        "image": "/user/images/a.png",
        "media": [
            {"type": "image", "url": "/user/images/a.png"},
            {"type": "video", "url": "v.mp4"},
        ],
    }
    found = import_file(jsonl(HEADER, line("Maren", "See.", extra=extra), TALK[1]))
    message = found.conversations[0].messages[0]
    assert [(p.kind, p.name or p.text) for p in message.parts] == [
        ("reasoning", "PRIVATE"),
        ("text", "See."),
        ("image", "a.png"),
    ]
    assert message.model == "m"


def test_a_foreign_summary_is_not_taken_for_ours(import_file: ImportFile) -> None:
    told = line("Maren", "See.", extra={"memory": "They met."})
    found = import_file(jsonl(HEADER, told, TALK[1]))
    assert found.conversations[0].folds == ()
    assert any("summary" in reason.text for reason in found.report.reasons)


def test_a_text_may_be_an_object(import_file: ImportFile) -> None:
    found = import_file(jsonl(HEADER, line("Maren", {"message": "Hello."}), TALK[1]))
    assert found.conversations[0].messages[0].text == "Hello."


def test_a_chat_of_one_line_and_a_list_are_read_too(import_file: ImportFile) -> None:
    assert import_file(json.dumps(TALK[0])).report.messages.imported == 1
    assert import_file(json.dumps(TALK)).report.messages.imported == 3
    assert import_file(json.dumps(HEADER)).report.conversations.empty == 1


def test_a_muted_line_of_the_character_stays_the_characters(import_file: ImportFile) -> None:
    muted = line("Maren", "Aside.", is_system=True)
    message = import_file(jsonl(HEADER, TALK[1], muted)).conversations[0].messages[1]
    assert (message.role, message.hidden) == ("assistant", True)
