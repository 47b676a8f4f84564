"""What a person does in a conversation: ask, stop, ask again, edit, branch, delete, pin.

The question is stored before anything else; then one task answers it, one in each conversation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from app.conversation.message import INVISIBLE, Message, Part, Role
from app.conversation.title import title_from_text
from app.conversation.turns import turns
from app.state.answering import Answer
from app.state.desk import Desk
from app.state.drafts import Drafts
from app.state.fields import Refused
from app.state.library import Library
from app.state.open_conversation import OpenConversation, is_disposable, stop
from app.state.partials import Partials
from app.state.read_ahead import ReadAhead
from app.state.tabs import Tabs

BUSY = "An answer is on its way: wait for it, or press Stop."
GONE = "This chat was deleted, in this tab or another: nothing was kept."
CONTINUE = "Continue exactly where you stopped."


class Talking:
    """See the module."""

    def __init__(
        self,
        desk: Desk,
        library: Library,
        kept: tuple[Drafts, Partials],
        tabs: Tabs,
        ahead: ReadAhead,
    ) -> None:
        self._desk = desk
        self._library = library
        self._drafts, self._partials = kept
        self._tabs = tabs
        self._answers: dict[str, Answer] = {}
        self._ahead = ahead

    async def send(self, text: str) -> None:
        """Store the question in the shown conversation, then answer it in the background.

        Raises ``Refused``, with nothing changed, when it cannot be taken.
        """
        opened = self._desk.shown or self._library.new()
        draft = self._drafts.sending(opened)
        await self._ask(opened, opened.leaf_id, text)
        self._drafts.sent(opened, draft)

    async def _ask(self, opened: OpenConversation, parent_id: str | None, text: str) -> None:
        """A new question below ``parent_id``: stored, shown, and being answered."""
        if not text.strip(INVISIBLE):
            raise Refused("Write something first.")
        if opened.busy:
            raise Refused(BUSY)
        question = self._message(opened, parent_id, "user", text)
        before = opened.leaf_id
        opened.sending, opened.stopping = True, False  # from here on another Send is refused
        try:
            if not await self._library.stored(opened, question, title_from_text(text)):
                raise Refused(GONE)
            opened.put(question)
            opened.leaf_id = question.id
            if opened.memory is not None and parent_id == before:
                opened.memory.append(question)
            else:
                opened.memory = None
            self._desk.show_thread(opened)
            self._start(opened)
        finally:
            opened.sending = False

    def _start(self, opened: OpenConversation) -> None:
        """Answer the open leaf, unless Stop or Delete came first."""
        running = opened.task is not None and not opened.task.done()
        if running or opened.stopping or self._library.get(opened.id) is not opened:
            return
        self._ahead.stop()
        self._desk.show_busy(opened, "preparing")
        opened.task = self._desk.spawn(self._answer(opened))
        opened.task.add_done_callback(lambda _: self._desk.show_busy(opened, "idle"))

    async def _answer(self, opened: OpenConversation) -> None:
        answer = Answer(self._desk, opened)
        self._answers[opened.id] = answer
        self._desk.spawn(self._tabs.beat())  # until the last answer of this tab has ended
        try:
            await answer.run()
        finally:
            self._answers.pop(opened.id, None)
            if answer.message is not None:
                self._partials.drop(answer.message.id)
            self._tabs.rest()
        self._library.answered(opened)
        self._ahead.soon(opened)
        self.fold_in_background(opened)

    def fold_in_background(self, opened: OpenConversation) -> None:
        """What the memory has to do after an answer; the next question does not wait for it."""
        if opened.folding is not None and not opened.folding.done():
            return
        if self._library.get(opened.id) is opened and opened.stored:
            opened.folding = self._desk.spawn(self._fold(opened))

    async def _fold(self, opened: OpenConversation) -> None:
        await self._desk.engine.after_answer(self._desk.memory(opened))
        self._desk.show_thread(opened)
        self._desk.show_memory(opened)

    async def stop(self) -> None:
        """Stop the answer of the shown conversation; what has come of it stays."""
        opened = self._desk.shown
        if opened is not None:
            opened.stopping = opened.stopping or opened.sending
            await stop(opened)

    async def save_partial(self) -> None:
        """Store all answers as far as they have come (the page may be going away)."""
        for answer in list(self._answers.values()):
            await answer.save()

    def keep_partials(self) -> None:
        """The same at once, where nothing can be waited for: the page is going away."""
        for answer in self._answers.values():
            partial = answer.partial()
            if partial is not None and partial.parts:
                self._partials.keep(partial)

    async def regenerate(self, message_id: str) -> None:
        """Another answer beside this one; a failed one that says nothing is replaced."""
        opened, message = self._found(message_id)
        if opened is None or message is None:
            return
        await self._quiet(opened)
        if opened.busy:  # asked twice: the first has started an answer meanwhile
            return
        asked = message_id if message.role == "user" else message.parent_id
        if is_disposable(message):
            await self._splice(opened, message)
        if asked is None or asked not in opened.tree:
            self._desk.state.notify.say("There is no question to answer.", "warning")
            return
        opened.stopping = False
        opened.leaf_id = asked
        opened.memory = None
        self._desk.show_thread(opened)
        self._start(opened)

    async def edit(self, message_id: str, text: str) -> None:
        """A changed question is a sibling and gets an answer; a changed answer is a sibling.

        Raises ``Refused`` when the text is empty or the message is not there.
        """
        opened, message = self._found(message_id)
        if opened is None or message is None:
            raise Refused("That message is not here any more.")
        if not text.strip(INVISIBLE):
            raise Refused("Write something first.")
        await self._quiet(opened)
        if message.role == "user":
            await self._ask(opened, message.parent_id, text)
            return
        sibling = self._message(opened, message.parent_id, message.role, text)
        await self._append(opened, replace(sibling, model=message.model))

    async def continue_answer(self, message_id: str) -> None:
        """Ask for the rest of an answer, by an instruction that is the user's."""
        opened, message = self._found(message_id)
        if opened is None or message is None or message.role != "assistant":
            return
        await self._quiet(opened)
        await self._ask(opened, message_id, CONTINUE)

    async def switch_branch(self, message_id: str) -> None:
        """Show the branch of this message, down to its newest leaf."""
        opened, message = self._found(message_id)
        if opened is None or message is None:
            return
        await self._quiet(opened)
        await self._move_leaf(opened, opened.tree.newest_leaf(message_id))

    async def delete_message(self, message_id: str) -> None:
        """Take one message out; what followed it stays, below what came before it."""
        opened, message = self._found(message_id)
        if opened is None or message is None:
            return
        await self._quiet(opened)
        if message.id in opened.tree:  # else it was asked twice
            await self._splice(opened, message)
            self._show(opened)

    async def pin(self, turn_id: str, on: bool) -> None:
        """Keep a turn word for word; refused, with the reason, when it would not fit."""
        opened = self._desk.shown
        if opened is None:
            return
        if on:
            why = self._desk.engine.why_not_pin(self._desk.memory(opened), turn_id)
            if why:
                self._desk.state.notify.say(why, "warning")
                return
        await self._mark(opened, turn_id, pinned=on, excluded=False)

    async def exclude(self, turn_id: str, on: bool) -> None:
        """Leave a turn out of every request, or take it in again."""
        opened = self._desk.shown
        if opened is not None:
            await self._mark(opened, turn_id, pinned=False, excluded=on)

    async def _mark(
        self, opened: OpenConversation, turn_id: str, *, pinned: bool, excluded: bool
    ) -> None:
        if not any(turn.id == turn_id for turn in turns(opened.path())):
            return
        conversation = opened.conversation
        turn = frozenset({turn_id})
        pins, out = conversation.pinned - turn, conversation.excluded - turn
        pins, out = (pins | turn if pinned else pins), (out | turn if excluded else out)
        await self._write(opened, structural=True, patch={"pinned": pins, "excluded": out})
        self._show(opened)

    async def _splice(self, opened: OpenConversation, message: Message) -> None:
        parent_id = message.parent_id
        opened.changes += 1
        children = opened.tree.splice(message.id)
        if opened.leaf_id == message.id:
            known = parent_id if parent_id in opened.tree else None
            opened.leaf_id = opened.tree.newest_leaf(known)
        conversation = opened.conversation
        marks: dict[str, Any] = {"leaf_id": opened.leaf_id}
        heir = children[0].id if children and children[0].role != "user" else None
        for name in ("pinned", "excluded"):  # the rest of the turn keeps the mark
            marked: frozenset[str] = getattr(conversation, name)
            if message.id in marked:
                marks[name] = (marked - {message.id}) | ({heir} if heir else set())
        await self._write(opened, spliced=[message], structural=True, patch=marks)

    async def _append(self, opened: OpenConversation, message: Message) -> None:
        if await self._library.stored(opened, message, ""):
            opened.put(message)
            opened.leaf_id = message.id
            opened.memory = None
            self._show(opened)

    async def _move_leaf(self, opened: OpenConversation, leaf_id: str | None) -> None:
        opened.leaf_id = leaf_id
        opened.memory = None
        self._show(opened)
        await self._write(opened, patch={"leaf_id": leaf_id})

    async def _write(
        self,
        opened: OpenConversation,
        *,
        spliced: Sequence[Message] = (),
        structural: bool = False,
        patch: dict[str, Any],
    ) -> None:
        if structural:
            opened.memory = None
        opened.writing += structural
        try:
            written = await self._desk.repository.write(
                opened.id, spliced=spliced, structural=structural, patch=patch
            )
            if written is not None:
                self._library.changed(opened, written, structural=structural)
        finally:
            opened.writing -= structural
            if opened.missed and not opened.writing:
                opened.missed = False
                self._desk.spawn(self._library.refresh(opened.id))

    def _show(self, opened: OpenConversation) -> None:
        self._desk.show_thread(opened)
        self._desk.show_memory(opened)

    async def _quiet(self, opened: OpenConversation) -> None:
        """Stop an answer that is on its way: the path is about to change under it."""
        if opened.busy:
            await stop(opened)

    def _found(self, message_id: str) -> tuple[OpenConversation | None, Message | None]:
        opened = self._desk.shown
        return opened, None if opened is None else opened.tree.get(message_id)

    def _message(
        self, opened: OpenConversation, parent_id: str | None, role: Role, text: str
    ) -> Message:
        now = self._desk.clock.now()
        parts = (Part("text", text),)
        return Message(self._desk.ids.new(), opened.id, parent_id, role, parts, created_at=now)
