"""Export and import through the page: nothing is lost on the way round, and no key leaves."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from tests.browser.e2e.chat import Chat, apples, contents
from tests.browser.e2e.conftest import settings_for
from tests.browser.scripted_server import Answer, ScriptedServer

KEY = "sk-never-in-a-file-5f3a"


def export(chat: Chat, path: Path) -> bytes:
    """Press "Export all chats"; the bytes of the file."""
    dialog = chat.settings()
    with chat.page.expect_download() as started:
        dialog.get_by_role("button", name="Export all chats").click()
    started.value.save_as(path)
    chat.close(dialog)
    return path.read_bytes()


def pick(chat: Chat, path: Path) -> None:
    """Choose a file to import."""
    chat.page.get_by_label("File to import").set_input_files(path)


def imported(chat: Chat, path: Path) -> str:
    """Import a file; the report's text."""
    dialog = chat.settings()
    pick(chat, path)
    report = chat.page.get_by_role("dialog", name="Import", exact=True)
    expect(report).to_be_visible()
    text = report.inner_text()
    chat.close(report)
    chat.close(dialog)
    return text


def shape(export: bytes) -> Any:
    """An export without what an import makes anew: ids and the digests made of them."""
    ids: dict[str, str] = {}

    def walk(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: walk(each, name) for name, each in value.items() if name != "path_digest"}
        if isinstance(value, list):
            return [walk(each, key) for each in value]
        if isinstance(value, str) and len(value) == 32 and set(value) <= set("0123456789abcdef"):
            return ids.setdefault(value, f"id {len(ids)}")
        return value

    value = json.loads(export)
    for each in value["conversations"]:  # records come in the order of their random ids
        each["messages"].sort(key=lambda m: (m["created_at"], json.dumps(m["parts"])))
    value = walk(value)
    for name in ("exported_at", "created"):
        value.pop(name, None)
    for each in value["conversations"]:  # what an import counts anew
        inner = each.get("conversation", each)
        for name in ("structure", "commit", "updated_at"):
            inner.pop(name, None)
        for fold in each.get("folds", []):
            fold.pop("commit", None)
    return value["conversations"]


def test_export_and_import_go_round_without_loss_and_without_keys(
    open_chat: Callable[..., Chat], server: ScriptedServer, tmp_path: Path
) -> None:
    server.key = KEY
    chat = open_chat(context=8192, key=KEY)
    server.default_chat = Answer("Noted <b>it</b> — ✓." + apples(30))
    server.default_utility = Answer("- The kite is red.")
    for number in range(5):
        chat.ask(f"Fact {number}: the kite is red." + apples(30))
    chat.act(chat.answers.last, "Regenerate")
    expect(chat.answers.last).to_contain_text("2/2")
    chat.idle()
    chat.fold()
    chat.folded(1)
    chat.act(chat.questions.last, "Pin this turn: always word for word")
    expect(chat.questions.last).to_contain_text("Pinned")
    summary = chat.summary.input_value()
    before = export(chat, tmp_path / "one.json")
    assert KEY.encode() not in before
    assert b"base_url" not in before

    dialog = chat.settings()
    dialog.get_by_role("button", name="Delete all chats").click()
    chat.page.get_by_role("dialog", name="Delete all chats?").get_by_role(
        "button", name="Delete all", exact=True
    ).click()
    expect(dialog).to_contain_text("All chats are deleted")
    chat.close(dialog)
    expect(chat.messages).to_have_count(0)
    calls = len(server.requests)
    text = imported(chat, tmp_path / "one.json")
    assert "Imported 1 conversation with 11 messages." in text
    expect(chat.questions).to_have_count(5)
    expect(chat.summary).to_have_value(summary)
    chat.folded(1)
    expect(chat.questions.last).to_contain_text("Pinned")
    expect(chat.answers.last).to_contain_text("2/2")
    assert shape(export(chat, tmp_path / "two.json")) == shape(before)
    assert len(server.requests) == calls, "an import asks nobody"
    chat.page.reload()
    expect(chat.summary).to_have_value(summary)
    chat.ask("What colour is the kite?")
    sent = contents(server.chats()[-1].json)
    assert "The kite is red" in sent[0]
    assert not any("Fact 0" in text for text in sent[1:-1]), "the fold does not count here"
    chat.accounted()


CHATGPT = [
    {
        "id": "g1",
        "title": "Birds",
        "current_node": "a",
        "mapping": {
            "root": {"id": "root", "message": None, "parent": None, "children": ["s", "q"]},
            "s": {
                "id": "s",
                "parent": "root",
                "message": {
                    "author": {"role": "system"},
                    "content": {"content_type": "text", "parts": ["Hidden instruction"]},
                    "metadata": {"is_visually_hidden_from_conversation": True},
                },
            },
            "q": {
                "id": "q",
                "parent": "s",
                "message": {
                    "author": {"role": "user"},
                    "content": {"content_type": "text", "parts": ["Name a bird."]},
                    "create_time": 1700000000.5,
                },
            },
            "a": {
                "id": "a",
                "parent": "q",
                "message": {
                    "author": {"role": "assistant"},
                    "content": {"content_type": "text", "parts": ["A wren."]},
                    "create_time": 1700000001.0,
                },
            },
        },
    }
]
CLAUDE = [
    {
        "uuid": "k1",
        "name": "Tea",
        "chat_messages": [
            {"uuid": "1", "sender": "human", "text": "How hot?", "content": []},
            {
                "uuid": "2",
                "sender": "assistant",
                "text": "",
                "content": [{"type": "text", "text": "Eighty degrees."}],
            },
        ],
    },
    {"uuid": "k2", "name": "", "chat_messages": []},
]
TAVERN = "\r\n".join(
    [
        json.dumps({"user_name": "You", "character_name": "Maren", "chat_metadata": {}}),
        json.dumps({"name": "Maren", "is_user": False, "is_system": False, "mes": "Ahoy."}),
        "",
        "{broken",
        json.dumps({"name": "You", "is_user": True, "is_system": False, "mes": "Good day."}),
    ]
)


def test_chats_of_other_programs_come_in_and_can_be_gone_on_with(
    chat: Chat, server: ScriptedServer, tmp_path: Path
) -> None:
    files = {
        "conversations.json": (json.dumps(CHATGPT), "Name a bird.", "A wren."),
        "claude.json": ("\ufeff" + json.dumps(CLAUDE), "How hot?", "Eighty degrees."),
        "tavern.jsonl": (TAVERN, "Good day.", "Ahoy."),
    }
    for name, (text, question, answer) in files.items():
        path = tmp_path / name
        path.write_text(text, encoding="utf-8", newline="")
        report = imported(chat, path)
        assert "Imported 1 conversation" in report, report
        expect(chat.questions).to_contain_text([question])
        expect(chat.answers).to_contain_text([answer])
        chat.ask(f"Go on with {name}.")
        sent = "\n".join(contents(server.chats()[-1].json))
        assert question in sent
        assert answer in sent
        assert "Hidden instruction" not in sent
        chat.accounted()
    chat.page.reload()
    expect(chat.conversations.get_by_role("listitem")).to_have_count(3)


def test_files_that_are_no_chat_are_refused_in_plain_words_and_the_page_lives(
    chat: Chat, server: ScriptedServer, tmp_path: Path
) -> None:
    chat.ask("Before any import.")
    dialog = chat.settings()
    for name, data, said in (
        ("bomb.json", b"[" * 100_000 + b"]" * 100_000, "nests"),
        ("bomb2.json", b'{"a":' * 50_000, "nests"),
        ("other.json", b'{"temperature": [1, 2, 3]}', "chat"),
        ("broken.json", b'[{"mapping": {', "bro"),
        ("empty.json", b"", "empty"),
        ("picture.json", bytes(range(256)) * 40, ""),
        ("settings.json", json.dumps(settings_for("http://127.0.0.1:1/v1")).encode(), "chat"),
    ):
        path = tmp_path / name
        path.write_bytes(data)
        pick(chat, path)
        result = dialog.get_by_role("alert").filter(has_text=f"{name}: ")
        expect(result).to_be_visible()
        if said and name != "broken.json":
            expect(result).to_contain_text(said)
    chat.close(dialog)
    expect(chat.conversations.get_by_role("listitem")).to_have_count(1)
    chat.ask("And after.")
    assert contents(server.chats()[-1].json)[1:] == [
        "Before any import.", "Scripted answer.", "And after.",
    ]  # fmt: skip
