"""What the conversation's tests share: predictable ids, and one way to read a file."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable

import pytest

from app.conversation.formats import Imported, ImportedConversation, read
from app.conversation.message import Message
from app.conversation.tree import Tree


@pytest.fixture
def ids() -> Callable[[], str]:
    counter = itertools.count(1)
    return lambda: f"new{next(counter)}"


@pytest.fixture
def import_file(ids: Callable[[], str]) -> Callable[[object], Imported]:
    """Reads text or bytes as they are, and anything else as the JSON of it."""

    def imported(content: object) -> Imported:
        data = content if isinstance(content, str | bytes) else json.dumps(content)
        found = read("chat.json", data, ids)
        counts = found.report
        for each in (counts.conversations, counts.messages, counts.folds):
            assert each.found == each.imported + each.empty + each.skipped + each.failed
        assert counts.conversations.imported == len(found.conversations)
        assert counts.messages.imported == sum(len(c.messages) for c in found.conversations)
        return found

    return imported


@pytest.fixture
def open_path() -> Callable[[ImportedConversation], list[Message]]:
    """The path that is open after the import."""

    def path(imported: ImportedConversation) -> list[Message]:
        return Tree(imported.messages).path(imported.conversation.leaf_id)

    return path
