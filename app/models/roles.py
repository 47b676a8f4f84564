"""Which model answers (``chat``) and which one summarises (``utility``).

With no utility set, chat stands in. A weak model writes no summaries: then there is no model
for the utility role, which means the extractive summariser.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.models.port import ChatModel


@dataclass(frozen=True, slots=True)
class Assigned:
    """A model in a role. ``context_size``: tokens. ``weak``: it cannot write a summary."""

    model: ChatModel
    context_size: int
    weak: bool = False


@dataclass(frozen=True, slots=True)
class Roles:
    """The models of the two roles, as settings have them."""

    chat: Assigned | None
    utility: Assigned | None = None

    @property
    def summariser(self) -> Assigned | None:
        """The model in the utility role, None when only the extractive summariser is fit."""
        chosen = self.utility or self.chat
        return None if chosen is None or chosen.weak else chosen

    def utility_for(self, conversation_id: str = "") -> ChatModel | None:
        """The model that summarises this conversation; None: the extractive summariser does.

        All conversations have the same one; the parameter leaves room for a choice of their own.
        """
        chosen = self.summariser
        return chosen.model if chosen else None

    def utility_context(self, conversation_id: str = "") -> int:
        """The context size of ``utility_for``, in tokens; 0 when there is none."""
        chosen = self.summariser
        return chosen.context_size if chosen else 0
