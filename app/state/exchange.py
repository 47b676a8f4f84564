"""Export and import: everything but keys goes out; what comes in never touches what is here.

The formats are imported when they are first needed; a large file is read and stored one
conversation at a time, so that the page stays alive and can show how far it is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from app.state.app_state import NO_IMPORT
from app.state.desk import Desk
from app.state.library import Library
from app.state.records import fold_record
from app.state.same_chat import Here, fitting

if TYPE_CHECKING:
    from app.conversation.formats import Counts, Imported, ImportedConversation, Report
    from app.conversation.formats.pleat_json import Exported
    from app.memory.ledger import Fold

TELL_EVERY = 100  # milliseconds between two words on how far an import is
OURS = "pleat"  # the format of this page's own exports
EXAMPLES = 5  # chats that a reason names
HERE = "it is here already, the same in everything"
UNFIT = "it does not fit the messages that it is about, or is larger than any summary"
PROMPT = "a chat's own instructions are left out: the system prompt is the one in Settings"


class Exchange:
    """See the module."""

    def __init__(self, desk: Desk, library: Library) -> None:
        self._desk = desk
        self._library = library
        self._told_at = 0.0

    async def export_all(self) -> str:
        """All conversations with their folds, as one JSON text. No settings, no keys."""
        from app.conversation.formats import pleat_json

        repository = self._desk.repository
        items: list[Exported] = []
        for known in self._library.all():
            conversation = await repository.conversation(known.id)
            if conversation is not None:
                folds = [fold_record(fold) for fold in await repository.folds(known.id)]
                items.append((conversation, await repository.messages(known.id), folds))
        return pleat_json.write(items, self._desk.clock.now())

    async def import_text(self, name: str, text: str) -> dict[str, Any]:
        """Take a file's conversations in under new ids; the report's numbers add up.

        A file that is no chat gives ``{"error": why}`` and changes nothing.
        """
        from app.conversation.formats import FormatError

        try:
            imported = await self._read(name, text)
            return await self._store(imported)
        except FormatError as error:
            return {"error": str(error), "text": str(error)}
        finally:
            self._desk.state.importing.publish(NO_IMPORT)

    async def _read(self, name: str, text: str) -> Imported:
        from app.conversation.formats import steps

        reading = steps(name, text, self._desk.ids.new)
        self._tell("reading", 0, 0)
        await asyncio.sleep(0)
        while True:
            try:
                done, total = next(reading)
            except StopIteration as end:
                return end.value
            self._tell("reading", done, total)
            await asyncio.sleep(0)

    async def _store(self, imported: Imported) -> dict[str, Any]:
        report, first = imported.report, ""
        unfit = prompts = 0
        count = self._desk.engine.counter.text
        here = Here(self._library.all(), self._desk.repository, count)
        known: list[ImportedConversation] = []
        for done, each in enumerate(imported.conversations):
            self._tell("storing", done, len(imported.conversations))
            await asyncio.sleep(0)
            foreign = report.format != OURS and each.conversation.system_prompt is not None
            if foreign:
                each = replace(each, conversation=replace(each.conversation, system_prompt=None))
            folds = fitting(each, count)
            if await here.holds(each, folds):
                known.append(each)
                continue
            unfit += await self._take(each, folds)
            prompts += foreign
            first = first or each.conversation.id
        if first:
            await self._library.open(first)
        self._library.publish()
        return _with(report, unfit, prompts, known).to_dict()

    async def _take(self, imported: ImportedConversation, folds: Sequence[Fold]) -> int:
        """Store one conversation with the folds that fit; how many of its own did not."""
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
        commit = 0
        for fold in folds:
            if await repository.commit_fold(fold, structure=0, commit=commit) == "ok":
                commit += 1
        self._library.take(replace(conversation, commit=commit))
        return len(imported.folds) - commit

    def _tell(self, state: str, done: int, total: int) -> None:
        now = self._desk.clock.elapsed()
        if done and now - self._told_at < TELL_EVERY:
            return
        self._told_at = now
        self._desk.state.importing.publish({"state": state, "done": done, "total": total})


def _with(
    report: Report, unfit: int, prompts: int, known: Sequence[ImportedConversation]
) -> Report:
    """The report with what of it was here already, did not fit, or lost its instructions."""
    from app.conversation.formats import Reason

    folds, reasons = _skip(report.folds, sum(len(c.folds) for c in known)), list(report.reasons)
    if known:
        titles = tuple(each.conversation.title for each in known[:EXAMPLES])
        reasons.append(Reason("conversation", "skipped", HERE, len(known), titles))
    if unfit:
        folds = replace(folds, imported=folds.imported - unfit, failed=folds.failed + unfit)
        reasons.append(Reason("fold", "failed", UNFIT, unfit))
    if prompts:
        reasons.append(Reason("file", "imported", PROMPT, prompts))
    return replace(
        report,
        conversations=_skip(report.conversations, len(known)),
        messages=_skip(report.messages, sum(len(c.messages) for c in known)),
        folds=folds,
        reasons=tuple(reasons),
    )


def _skip(counts: Counts, number: int) -> Counts:
    return replace(counts, imported=counts.imported - number, skipped=counts.skipped + number)
