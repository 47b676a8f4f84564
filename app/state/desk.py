"""What every part of a session works with: the ports, the settings, and how the page is told.

The desk publishes: it knows which conversation is shown, and draws the topics of that one only.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from app.conversation.tree import Conversation
from app.memory.engine import ConversationMemory, MemoryEngine
from app.memory.policies import MemorySettings
from app.memory.ports import Clock, Ids
from app.models.usage import UsageRecord, economy, totals
from app.state.app_state import IDLE, NO_STREAM, NO_THREAD, AppState
from app.state.open_conversation import OpenConversation
from app.state.ports import Channel, Locks, ModelSource
from app.state.repository import Repository
from app.state.settings import Settings, policy
from app.state.summary_mirror import SummaryMirror
from app.state.thread_view import thread


@dataclass
class Desk:
    """See the module. ``report`` is told of faults of the program itself."""

    state: AppState
    repository: Repository
    engine: MemoryEngine
    models: ModelSource
    mirror: SummaryMirror
    channel: Channel
    clock: Clock
    ids: Ids
    locks: Locks
    report: Callable[[BaseException], None]
    tab: str
    change_settings: Callable[[Settings], None] = lambda _: None
    read_again: Callable[[str], Coroutine[Any, Any, None]] | None = None
    wait_for_model: Callable[[Callable[[int, int], None]], Coroutine[Any, Any, None]] | None = None
    settings: Settings = field(default_factory=Settings)
    shown: OpenConversation | None = None
    instead_of: str | None = None  # the chat that was deleted elsewhere, for which this one came
    tasks: set[asyncio.Task[Any]] = field(default_factory=set[asyncio.Task[Any]])

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run in the background; what it raises is reported, never lost."""

        async def guarded() -> None:
            try:
                await work
            except asyncio.CancelledError:
                pass
            except Exception as error:
                self.report(error)

        def ended(task: asyncio.Task[None]) -> None:
            self.tasks.discard(task)
            work.close()  # where it was cancelled before it began

        task = asyncio.get_running_loop().create_task(guarded())
        self.tasks.add(task)
        task.add_done_callback(ended)
        return task

    def tell_tabs(self, conversation_id: str) -> None:
        """The other tabs read this conversation again."""
        self.channel.post(json.dumps({"conversation_id": conversation_id}))

    def wrote(
        self, opened: OpenConversation, written: Conversation, *, structural: bool = False
    ) -> None:
        """A write of this tab is done; what another tab did before it is read."""
        if opened.wrote(written, structural=structural) and self.read_again is not None:
            self.spawn(self.read_again(opened.id))

    def memory_settings(self, conversation: Conversation) -> MemorySettings:
        """What the engine needs to know of the settings, for one conversation."""
        settings = self.settings
        prompt = conversation.system_prompt
        return MemorySettings(
            policy=policy(settings, conversation.preset),
            context_size=settings.context_size(),
            system_prompt=settings.system_prompt if prompt is None else prompt,
            max_tokens=settings.max_answer_tokens,
            factor=settings.factor(),
            model=model_key(settings.chat_endpoint, settings.chat_model),
        )

    def memory(self, opened: OpenConversation) -> ConversationMemory:
        """The conversation's memory, built anew when its structure or settings changed."""
        if opened.memory is None:
            opened.memory = self.engine.open(
                opened.conversation,
                opened.path(),
                opened.folds,
                self.memory_settings(opened.conversation),
            )
        return opened.memory

    def show_busy(
        self,
        opened: OpenConversation,
        state: str,
        can_skip: bool = False,
        progress: tuple[int, int] = (0, 0),
    ) -> None:
        """The conversation's work has come to this state; a fold, to ``progress`` messages of."""
        opened.state, opened.can_skip, opened.progress = state, can_skip, progress
        if opened is self.shown:
            idle = state == "idle"
            self.state.busy.publish(
                IDLE
                if idle
                else {
                    "state": state,
                    "conversation_id": opened.id,
                    "can_skip": can_skip,
                    "done": progress[0],
                    "total": progress[1],
                }
            )

    def show_thread(self, opened: OpenConversation | None) -> None:
        """Draw the thread, when this is the conversation that is shown."""
        if opened is None:
            if self.shown is None:
                self.state.thread.publish(NO_THREAD)
        elif opened is self.shown:
            drawn = thread(opened, self.memory(opened))
            self.state.thread.publish({**drawn, "instead_of": self.instead_of})

    def learned(self, before: MemorySettings, after: MemorySettings) -> None:
        """Keep what an answer has taught of its model: its factor, a smaller context.

        The model is that of the answer: another may be chosen by now, and a size that was typed
        meanwhile stays, unless the server has just said less.
        """
        endpoint, _, model = after.model.partition("\n")
        settings = self.settings
        if settings.endpoint(endpoint) is None:
            return
        if after.factor != before.factor:
            settings = settings.with_factor(after.factor, endpoint, model)
        size = after.context_size
        if size < min(before.context_size, settings.context_size(endpoint, model)):
            settings = settings.with_context_size(endpoint, model, size)
        if settings != self.settings:
            self.change_settings(settings)

    def committed(self, opened: OpenConversation, memory: ConversationMemory) -> None:
        """A fold was committed: publish and mirror it.

        ``memory`` is what folded; the conversation's own may have been built anew meanwhile.
        """
        own = self.memory(opened)
        if own is not memory:
            for fold in memory.ledger:
                own.ledger.add(fold)
            if own.known_commit < memory.known_commit:
                own.at_commit(memory.known_commit)
        self.show_memory(opened)
        self.show_thread(opened)

    def show_memory(self, opened: OpenConversation, *, heard: bool = False) -> None:
        """The memory may have changed: publish and mirror it.

        ``heard``: another tab has told. Then nothing is mirrored: two tabs on different branches
        would answer each other for ever.
        """
        memory = self.memory(opened)
        commit = memory.conversation.commit
        if commit > opened.conversation.commit:  # a fold was committed here
            opened.conversation = replace(opened.conversation, commit=commit)
            self.tell_tabs(opened.id)
        opened.folds = list(iter(memory.ledger))
        if opened.stored and not heard:
            self.mirror.committed(opened.id, memory.current)
        if opened is self.shown:
            view = self.engine.view(memory)
            if opened.request is not None:  # with the question, and what was recalled for it
                view["account"] = _as_sent(view, opened.request)
            self.state.memory.publish({**view, "usage": usage_view(opened.usage)})

    def show(self, opened: OpenConversation | None, instead_of: str | None = None) -> None:
        """Draw everything of a conversation; it is the one that is shown from now on."""
        self.shown, self.instead_of = opened, instead_of
        self.state.stream.publish(NO_STREAM)
        if opened is None:
            self.state.thread.publish(NO_THREAD)
            self.state.memory.publish({})
            self.state.busy.publish(IDLE)
            return
        self.show_busy(opened, opened.state, opened.can_skip, opened.progress)
        self.show_thread(opened)
        self.show_memory(opened)


def model_key(endpoint_id: str, model: str) -> str:
    """How the memory engine names a model: what it learns, it learns of this one."""
    return f"{endpoint_id}\n{model}"


def _as_sent(view: Mapping[str, Any], request: Mapping[str, int]) -> dict[str, int]:
    """The panel's account with the parts of the request that has gone out."""
    sent = {key: tokens for key, tokens in request.items() if key != "pin"}
    return {**view["account"], **sent, "pins": request.get("pin", 0)}


def usage_view(records: list[UsageRecord]) -> dict[str, Any]:
    """Totals by role, and what folding cost and saved, of one conversation; in tokens."""
    spent = economy(records)
    return {
        **{role: asdict(sums) for role, sums in totals(records).items()},
        "folding_cost": spent.cost,
        "folding_saved": spent.saved,
    }
