"""What servers teach of a model: how it counts, and how much it really holds.

A factor from ``usage.prompt_tokens``, a context size from overflow errors, and the suspicion of
a server that cuts prompts silently.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.memory.budget import MAX_FACTOR, MIN_CONTEXT, learn_factor
from app.memory.conversation_memory import ConversationMemory
from app.memory.policies import MemorySettings
from app.models.errors import ContextOverflow
from app.models.port import Usage

SMALLEST = MIN_CONTEXT // 2  # tokens: a stated context under this is a slip


@dataclass(frozen=True, slots=True)
class Learned:
    """What is known of a model beyond its settings; None where nothing was learned."""

    factor: float | None = None
    context_size: int | None = None

    def applied(self, settings: MemorySettings) -> MemorySettings:
        """The settings with what was learned; a learned size only ever lowers the set one."""
        factor = settings.factor if self.factor is None else self.factor
        size = settings.context_size
        if self.context_size is not None:
            size = min(size, self.context_size)
        return replace(settings, factor=factor, context_size=size)


class Learning:
    """The models that this tab has learned of, by ``MemorySettings.model``.

    A memory whose settings name no model learns for itself alone: its session keeps it.
    """

    def __init__(self) -> None:
        self.models: dict[str, Learned] = {}

    def applied(self, settings: MemorySettings) -> MemorySettings:
        """The settings with what was learned of their model."""
        known = self.models.get(settings.model) if settings.model else None
        return settings if known is None else known.applied(settings)

    def forget_sizes(self) -> None:
        """A person set a context size: theirs counts, until the server objects again."""
        for model, known in self.models.items():
            self.models[model] = replace(known, context_size=None)

    def overflowed(self, memory: ConversationMemory, error: ContextOverflow) -> bool:
        """A server found the prompt too long. True: more room was made, try once more.

        Learns the size if it is stated; else, if it says how it counts the prompt, the factor;
        else takes half of what was believed.
        """
        question, size = memory.question_id(), memory.settings.context_size
        if memory.activity.retried == question:
            return False
        sent = memory.activity.sent
        if SMALLEST < error.limit < size:
            learned = max(MIN_CONTEXT, error.limit)
            said = f"said that its context is {error.limit} tokens"
        elif error.limit >= size and sent and error.prompt > sent * memory.settings.factor:
            factor = min(MAX_FACTOR, error.prompt / sent)
            if factor <= memory.settings.factor:
                return False
            memory.activity.retried = question
            self._learn(memory, Learned(factor=round(factor, 3)))
            memory.activity.tell(
                "The server counts more tokens than this page did: the count is corrected.",
                once=False,
            )
            return True
        else:
            learned = max(MIN_CONTEXT, size // 2)
            said = f"found the prompt too long: its context is taken as {learned} tokens"
        if learned >= size:
            return False
        memory.activity.retried = question
        self._learn(memory, Learned(context_size=learned))
        memory.activity.tell(f"The server {said}.", once=False)
        return True

    def learn(self, memory: ConversationMemory, counted: int, usage: Usage) -> str | None:
        """Learn the model's factor from the server's count; a notice when it cut the prompt."""
        factor, truncated = learn_factor(
            memory.settings.factor, counted, usage.prompt_tokens, usage.cached_tokens
        )
        if truncated:
            if "silent" in memory.activity.told:
                return None
            memory.activity.told.add("silent")
            return (
                f"The server read only {usage.prompt_tokens} of about {counted} tokens: it cuts the"
                " prompt silently. Set the context size to what the server is started with."
            )
        if factor != memory.settings.factor:
            self._learn(memory, Learned(factor=factor))
        return None

    def _learn(self, memory: ConversationMemory, new: Learned) -> None:
        """Keep what was learned, for this memory and for those of the model opened later."""
        memory.settings = new.applied(memory.settings)
        if memory.settings.model:
            known = self.models.get(memory.settings.model, Learned())
            self.models[memory.settings.model] = Learned(
                known.factor if new.factor is None else new.factor,
                known.context_size if new.context_size is None else new.context_size,
            )
