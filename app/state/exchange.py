"""Export and import: everything but keys goes out; what comes in never touches what is here."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from app.conversation.formats import FormatError, ImportedConversation, pleat_json, read
from app.conversation.tree import Tree
from app.memory.path import ActivePath
from app.state.desk import Desk
from app.state.library import Library
from app.state.records import fold_from, fold_record


class Exchange:
    """See the module."""

    def __init__(self, desk: Desk, library: Library) -> None:
        self._desk = desk
        self._library = library

    async def export_all(self) -> str:
        """All conversations with their folds, as one JSON text. No settings, no keys."""
        repository = self._desk.repository
        items: list[pleat_json.Exported] = []
        for id in self._library.all_ids():
            conversation = await repository.conversation(id)
            if conversation is not None:
                folds = [fold_record(fold) for fold in await repository.folds(id)]
                items.append((conversation, await repository.messages(id), folds))
        return pleat_json.write(items, self._desk.clock.now())

    async def import_text(self, name: str, text: str) -> dict[str, Any]:
        """Take a file's conversations in under new ids; the report's numbers add up.

        A file that is no chat gives ``{"error": why}`` and changes nothing.
        """
        try:
            imported = read(name, text, self._desk.ids.new)
        except FormatError as error:
            return {"error": str(error), "text": str(error)}
        first: str | None = None
        for each in imported.conversations:
            await self._take(each)
            first = first or each.conversation.id
        if first is not None:
            await self._library.open(first)
        self._library.publish()
        return imported.report.to_dict()

    async def _take(self, imported: ImportedConversation) -> None:
        """Store one conversation with its messages and those of its folds that fit them."""
        now = self._desk.clock.now()
        conversation = imported.conversation
        conversation = replace(
            conversation,
            created_at=conversation.created_at or now,
            updated_at=conversation.updated_at or now,
            structure=0,
            commit=0,
        )
        repository = self._desk.repository
        await repository.create(conversation, imported.messages)
        tree = Tree(imported.messages)
        commit = 0
        records = sorted(imported.folds, key=lambda record: _commit(record.get("commit")))
        for record in records:
            fold = fold_from(record)
            if fold is None:
                continue
            path = ActivePath(
                self._desk.engine.counter,
                tree.path(fold.boundary),
                pinned=conversation.pinned,
                excluded=conversation.excluded,
            )
            if len(path):  # message ids are new, and the digest holds them
                fold = replace(fold, path_digest=path.chain(len(path) - 1))
                if await repository.commit_fold(fold, structure=0, commit=commit) == "ok":
                    commit += 1
        self._library.take(replace(conversation, commit=commit))


def _commit(value: object) -> int:
    return value if isinstance(value, int) else 0
