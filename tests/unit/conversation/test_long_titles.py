"""A title as long as a book: cut at import, whatever the format."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from app.conversation.formats import Imported, pleat_json
from app.conversation.message import Message, Part
from app.conversation.title import MAX_TITLE
from app.conversation.tree import Conversation

ImportFile = Callable[[object], Imported]


def chatgpt(title: str) -> Any:
    message = {
        "author": {"role": "user"},
        "content": {"content_type": "text", "parts": ["Hi"]},
    }
    mapping = {"a": {"parent": None, "message": message}}
    return {"id": "g1", "title": title, "mapping": mapping, "current_node": "a"}


def claude(title: str) -> Any:
    said = {"uuid": "a", "sender": "human", "text": "Hi"}
    return {"uuid": "k", "name": title, "chat_messages": [said]}


def openai(title: str) -> Any:
    return {"title": title, "messages": [{"role": "user", "content": "Hi"}]}


def sillytavern(title: str) -> Any:
    header = {"user_name": "You", "character_name": title, "chat_metadata": {}}
    said = {"name": title, "is_user": False, "is_system": False, "mes": "Hi"}
    return [header, said]


def pleat(title: str) -> Any:
    message = Message("m1", "A", None, "user", (Part("text", "Hi"),))
    return pleat_json.write([(Conversation("A", title, leaf_id="m1"), [message], [])], 9)


@pytest.mark.parametrize("made", [chatgpt, claude, openai, sillytavern, pleat])
@pytest.mark.parametrize("letters", ["w", "word "])
def test_a_title_of_a_megabyte_is_cut(
    import_file: ImportFile, made: Callable[[str], Any], letters: str
) -> None:
    title = letters * (1_000_000 // len(letters))
    found = import_file(made(title)).conversations[0]
    assert found.conversation.title.startswith(letters.strip())
    assert len(found.conversation.title) <= MAX_TITLE
    assert [message.text for message in found.messages] == ["Hi"]


def test_the_longest_title_that_a_person_can_give_comes_back_whole(
    import_file: ImportFile,
) -> None:
    title = "t" * MAX_TITLE
    assert import_file(pleat(title)).conversations[0].conversation.title == title
