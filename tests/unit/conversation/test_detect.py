"""Any file: told by its shape, refused in words, and never a report that does not add up."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from app.conversation.formats import FormatError, Imported, read, steps

ImportFile = Callable[[object], Imported]


def no_ids() -> str:
    raise AssertionError("an id was taken for a file that holds nothing")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ("", "empty"),
        (" \n\ufeff ", "empty"),
        (b"", "empty"),
        (b"\xff\xfe", "empty"),
        ("<!doctype html><html>", "web page"),
        ("Hello, this is no chat.", "no JSON"),
        ("[1e999]", "no chat"),
        ("[" + "9" * 5000 + "]", "no chat"),
        ("[1, 2]", "no chat"),
        ("{}", "no chat"),
        ('{"a": 1}\n{"b": 2}', "no chat"),
        ('[{"mapping":{}},]', "comma"),
        ('[{"title":"cut', "cut off"),
        ('[\n  {\n    "mapping": {},\n    "title": "cut', r"cut off.*line 4"),
        ('[\n{"mapping": {}},\n{"mapping": {}},\n]', "comma too many"),
        ('{"conversations": 7}', "no chat"),
        ("[" * 10_000 + "]" * 10_000, "deeper"),
        ('{"format": "pleat"}', "damaged"),
        ('{"format": "pleat", "version": 1}', "damaged"),
        ('{"format": "pleat", "version": 2, "conversations": []}', "newer Pleat"),
    ],
)
def test_what_is_no_chat_is_refused_in_words_and_nothing_taken(
    data: str | bytes, says: str
) -> None:
    with pytest.raises(FormatError, match=says):
        read("chat.json", data, no_ids)


@pytest.mark.parametrize(
    "data", [b"\xef\xbb\xbf[]", b"\xff\xfe[\x00]\x00", '{"conversations": []}']
)
def test_a_file_without_conversations_says_so(data: str | bytes, import_file: ImportFile) -> None:
    found = import_file(data)
    assert found.report.conversations.found == 0
    assert "The file holds no conversations." in {reason.text for reason in found.report.reasons}


def test_the_name_of_the_file_decides_nothing(ids: Callable[[], str]) -> None:
    text = json.dumps([{"role": "user", "content": "Hi"}])
    for name in ("", "chat.txt", "conversations-000.json", "x.jsonl"):
        assert read(name, text, ids).report.format == "openai"


def test_formats_may_be_mixed_and_strangers_among_them_are_counted(import_file: ImportFile) -> None:
    found = import_file(
        [
            {
                "mapping": {
                    "a": {"message": {"author": {"role": "user"}, "content": {"parts": ["1"]}}}
                }
            },
            {"chat_messages": [{"sender": "human", "text": "2"}]},
            {"messages": [{"role": "user", "content": "3"}]},
            7,
            {"what": "is this"},
        ]
    )
    assert [c.messages[0].text for c in found.conversations] == ["1", "2", "3"]
    assert found.report.conversations.failed == 2
    failed = [reason for reason in found.report.reasons if reason.what == "conversation"]
    assert [reason.where for reason in failed] == [("entry 4", "entry 5")]


def test_a_large_file_can_be_read_with_pauses(ids: Callable[[], str]) -> None:
    chats = json.dumps([{"messages": [{"role": "user", "content": str(i)}]} for i in range(3)])
    reading = steps("chat.json", chats, ids)
    progress = []
    while True:
        try:
            progress.append(next(reading))
        except StopIteration as end:
            assert len(end.value.conversations) == 3
            break
    assert progress == [(0, 3), (1, 3), (2, 3)]


def test_the_report_is_plain_data_for_the_page(import_file: ImportFile) -> None:
    report = import_file([{"mapping": {}}]).report.to_dict()
    assert json.loads(json.dumps(report)) == report
    assert report["text"] == (
        "Imported 0 conversations with 0 messages. 1 of 1 conversation left out."
    )
    assert report["conversations"] == {
        "found": 1,
        "imported": 0,
        "empty": 1,
        "skipped": 0,
        "failed": 0,
    }


def test_bytes_that_are_no_text_are_told(import_file: ImportFile) -> None:
    found = import_file(b'[{"role": "user", "content": "caf\xe9"}]')
    assert found.conversations[0].messages[0].text == "caf\ufffd"
    assert "1 characters could not be decoded" in found.report.reasons[0].text
