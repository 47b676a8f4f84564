"""One answer: prepare (and fold, if it must), stream, keep what came, whatever happens.

Every way out ends the busy state and leaves one message in place: complete, stopped or failed,
with its partial text. A conversation that is deleted meanwhile gets nothing written.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field, replace
from typing import Any

from app.conversation.message import INVISIBLE, Message, Part, Status
from app.memory.engine import ConversationMemory
from app.memory.policies import MemorySettings
from app.models.errors import ContextOverflow, ModelError, explain
from app.models.port import ChatModel, Usage
from app.state.app_state import NO_STREAM
from app.state.desk import Desk
from app.state.open_conversation import FAILED, STREAMING, OpenConversation

SHOW_EVERY = 50  # milliseconds between two drawings of a streamed answer
SAVE_EVERY = 1000  # milliseconds between two savings of it


@dataclass
class Answer:
    """The answer to the open leaf of a conversation, which must be the user's question."""

    desk: Desk
    opened: OpenConversation
    message: Message | None = None
    _text: list[str] = field(default_factory=list[str])
    _reasoning: list[str] = field(default_factory=list[str])
    _finish: str = ""
    _usage: Usage | None = None
    _shown_at: float = 0.0
    _saved_at: float = 0.0
    _drawing: asyncio.Task[None] | None = None
    _saving: asyncio.Task[None] | None = None
    _stored: bool = False  # as it ended
    _resting: bool = False  # the next saving waits for its time
    _memory: ConversationMemory | None = None
    _opened_with: MemorySettings | None = None  # what was known of the model before

    async def run(self) -> None:
        """Make the answer; never raises (a cancellation is the user's Stop)."""
        status: Status = "failed"
        error, kind = "", ""
        try:
            await self._make()
            status = "complete"
            if not self._said():
                status, kind = "failed", "filtered" if self._finish == "content_filter" else "empty"
                error = "The model answered nothing. Try again."
        except asyncio.CancelledError:
            status = "stopped"
            task = asyncio.current_task()
            if task is not None and hasattr(task, "uncancel"):
                task.uncancel()  # what follows is short and must be done
        except ModelError as failed:
            kind = failed.kind
            error = "" if kind == "aborted" else str(failed)
            status = "stopped" if self._said() or kind == "aborted" else "failed"
        except Exception as fault:  # a fault of ours must end the busy state as well
            self.desk.report(fault)
            error, kind = explain(fault), "unexpected"
            status = "stopped" if self._said() else "failed"
        self.opened.shield(asyncio.current_task())
        try:
            await self._end(status, error, kind)
        except Exception as fault:
            self.desk.report(fault)
        finally:
            self.desk.show_busy(self.opened, "idle")

    async def _make(self) -> None:
        desk, opened = self.desk, self.opened
        desk.show_busy(opened, "preparing")
        if desk.wait_for_model is not None:
            await desk.wait_for_model(self._on_load)
        model = desk.models.chat(opened.id)
        memory = self._memory = desk.memory(opened)
        self._opened_with = memory.settings
        for attempt in (1, 2):
            exact = desk.engine.counter.exact
            prepared = await desk.engine.prepare(memory, on_state=self._on_state)
            opened.request = prepared.account
            desk.show_memory(opened)
            desk.show_thread(opened)
            for notice in prepared.notices:
                desk.state.notify.say(notice, "warning")
            self._begin(model)
            desk.show_busy(opened, "answering")
            logged = desk.models.chat(opened.id, prepared.saved)
            try:
                await self._stream(logged, prepared)
            except ContextOverflow as overflow:
                if attempt == 2 or self._text or not desk.engine.overflowed(memory, overflow):
                    raise
                desk.show_busy(opened, "preparing")
                continue
            if self._usage is not None and desk.engine.counter.exact == exact:
                notice = desk.engine.learn(memory, prepared.account["total"], self._usage)
                if notice:
                    desk.state.notify.say(notice, "warning")
            return

    def _on_state(self, state: str, can_skip: bool = False) -> None:
        self.desk.show_busy(self.opened, state, can_skip)

    def _on_load(self, loaded: int, total: int) -> None:
        self.desk.show_busy(self.opened, "loading", progress=(loaded, total))

    def _begin(self, model: ChatModel | None) -> None:
        """Put the message that will be the answer into the thread."""
        if self.message is not None:
            return
        opened = self.opened
        self.message = Message(
            id=self.desk.ids.new(),
            conversation_id=opened.id,
            parent_id=opened.leaf_id,
            role="assistant",
            parts=(),
            status="streaming",
            created_at=self.desk.clock.now(),
            model="" if model is None else model.name,
            finish=STREAMING + self.desk.tab,
        )
        opened.tree.add(self.message)
        opened.leaf_id = self.message.id
        self.desk.show_thread(opened)

    async def _stream(self, model: ChatModel, prepared: Any) -> None:
        settings = self.desk.settings
        self._shown_at = self.desk.clock.elapsed()
        self._saved_at = self._shown_at - SAVE_EVERY  # the first words are saved at once
        deltas = model.stream(
            prepared.messages, max_tokens=prepared.max_tokens, temperature=settings.temperature
        )
        try:
            async for delta in deltas:
                if delta.text:
                    self._text.append(delta.text)
                if delta.reasoning:
                    self._reasoning.append(delta.reasoning)
                if delta.finish:
                    self._finish = delta.finish
                if delta.usage is not None:
                    self._usage = delta.usage
                if delta.text or delta.reasoning:
                    self._came()
        finally:
            close = getattr(deltas, "aclose", None)
            if close is not None:
                with contextlib.suppress(Exception):
                    await close()

    def _came(self) -> None:
        """Draw soon, but not before all that came with it is read; save now and then."""
        now = self.desk.clock.elapsed()
        if self._drawing is None or self._drawing.done():
            wait = max(0.0, SHOW_EVERY - (now - self._shown_at))
            self._drawing = self.desk.spawn(self._draw_later(wait))
        if self._saving is None or self._saving.done():
            self._saving = self.desk.spawn(self._save_later(SAVE_EVERY - (now - self._saved_at)))

    async def _draw_later(self, milliseconds: float) -> None:
        await self.desk.clock.sleep(milliseconds)
        self._draw()

    async def _save_later(self, milliseconds: float) -> None:
        if milliseconds > 0:
            self._resting = True
            await self.desk.clock.sleep(milliseconds)
            self._resting = False
        self._saved_at = self.desk.clock.elapsed()
        await self.save()

    def _draw(self) -> None:
        self._shown_at = self.desk.clock.elapsed()
        if self.message is not None and self.opened is self.desk.shown:
            self.desk.state.stream.publish(
                {
                    "message_id": self.message.id,
                    "text": "".join(self._text),
                    "reasoning": "".join(self._reasoning),
                }
            )

    async def save(self) -> None:
        """Store the partial text, so that a closed tab loses little."""
        partial = self.partial()
        if partial is not None:
            patch = {"leaf_id": partial.id}
            await self.desk.repository.write(self.opened.id, [partial], patch=patch)

    def partial(self) -> Message | None:
        """The answer as far as it has come, None before its stream and when its end is stored."""
        if self.message is None or self._stored:
            return None
        return replace(self.message, parts=self._parts())

    def _said(self) -> bool:
        return bool("".join(self._text).strip(INVISIBLE))

    def _parts(self) -> tuple[Part, ...]:
        reasoning, text = "".join(self._reasoning), "".join(self._text)
        parts = (Part("reasoning", reasoning), Part("text", text))
        return tuple(part for part in parts if part.text)

    async def _end(self, status: Status, error: str, kind: str) -> None:
        """Keep the answer as it ended; the memory goes on from it."""
        desk, opened = self.desk, self.opened
        opened.request = None
        if self._drawing is not None:
            self._drawing.cancel()
        if self._saving is not None and self._resting:
            self._saving.cancel()
        if self._memory is not None and self._opened_with is not None:
            desk.learned(self._opened_with, self._memory.settings)
        self._begin(None)
        assert self.message is not None
        finish = FAILED + kind if kind else self._finish
        ended = replace(
            self.message, status=status, parts=self._parts(), error=error, finish=finish
        )
        self.message = ended
        patch = {"leaf_id": ended.id, "updated_at": desk.clock.now()}
        conversation = await desk.repository.write(opened.id, [ended], patch=patch)
        self._stored = True
        if ended.id in opened.tree:
            opened.put(ended)
        if conversation is None:  # deleted meanwhile: nothing is left to be shown or folded
            return
        desk.wrote(opened, conversation)
        if opened.memory is not None and opened.memory is self._memory:
            opened.memory.append(ended)
        else:
            opened.memory = None
        if opened is desk.shown:
            desk.show_thread(opened)
            desk.state.stream.publish(NO_STREAM)
        desk.show_memory(opened)
        desk.tell_tabs(opened.id)
