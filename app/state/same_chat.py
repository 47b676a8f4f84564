"""What a chat is made of, whatever its ids are: two chats with the same content are copies.

A chat that is here is looked at as its export would be read, so that whatever an import makes
anew or leaves out (ids, counters, folds that fit nothing) makes no difference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from hashlib import blake2b
from itertools import count
from typing import TYPE_CHECKING, Any

from app.conversation.message import Message
from app.conversation.records import conversation_to_record, message_to_record
from app.conversation.title import MAX_TITLE
from app.conversation.tree import Conversation
from app.memory.ledger import Fold
from app.state.records import fold_from, fold_record
from app.state.repository import Repository

if TYPE_CHECKING:
    from app.conversation.formats import ImportedConversation

# Of a fold: what an import makes anew, or what its place in the chat says already.
_ANEW = ("id", "conversation_id", "tokens_out", "path_digest", "commit")
_PLACE = ("covered", "boundary", "parent_id", "replaces", "sources")


def fitting(imported: ImportedConversation, tokens: Callable[[str], int]) -> list[Fold]:
    """Those of an imported chat's folds that fit its messages, in the order of their commits."""
    from app.memory.rebase import rebase_folds

    read = [fold for fold in map(fold_from, imported.folds) if fold is not None]
    chat = imported.conversation
    folds, _ = rebase_folds(
        read,
        {},  # the reader has put the new ids in already
        imported.messages,
        pinned=chat.pinned,
        excluded=chat.excluded,
        count=tokens,
    )
    return folds


def content(chat: Conversation, messages: Sequence[Message], folds: Sequence[Fold]) -> str:
    """A digest of all that is said in a chat and kept of it: branches, marks, settings, folds.

    Left out are title and time, by which a chat is looked up, and which branch is open. Every
    parent is before its children in no circle, and the folds fit: as an import reads them.
    """
    below: dict[str | None, list[Message]] = {}
    known = {message.id for message in messages}
    for each in messages:
        below.setdefault(each.parent_id if each.parent_id in known else None, []).append(each)
    order = list(below.get(None, ()))
    for each in order:  # grows while it is walked: ancestors first
        order.extend(below.get(each.id, ()))
    said: dict[str, str] = {}
    above: dict[str, str] = {}  # of a message with all that came before it
    for m in order:
        told = (m.created_at, m.role, m.status, m.name, m.model, m.finish, m.error, m.hidden)
        said[m.id] = _digest(told, m.parts, m.id in chat.pinned, m.id in chat.excluded)
        above[m.id] = _digest(above.get(m.parent_id or "", ""), said[m.id])
    number = {fold.id: n for n, fold in enumerate(folds)}
    ends: dict[str, list[str]] = {}
    for fold in folds:
        ends.setdefault(fold.boundary, []).append(_fold(fold, number, above))
    branch: dict[str | None, list[str]] = {}  # digests of the messages below, with theirs
    for m in reversed(order):
        parent = m.parent_id if m.parent_id in known else None
        mine = _digest(said[m.id], ends.get(m.id, []), sorted(branch.pop(m.id, ())))
        branch.setdefault(parent, []).append(mine)
    return _digest(chat.system_prompt, chat.preset, sorted(branch.get(None, ())))


def _fold(fold: Fold, number: dict[str, int], above: dict[str, str]) -> str:
    """What its chain covers is settled by the boundary: it fits."""
    told = {
        key: value for key, value in asdict(fold).items() if key not in _ANEW and key not in _PLACE
    }
    lines = [above.get(source or "") for source in fold.sources]
    built = number.get(fold.parent_id or ""), number.get(fold.replaces or "")
    return _digest(number[fold.id], sorted(told.items()), built, lines)


def _digest(*parts: Any) -> str:
    return blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


class Here:
    """The chats that are here when an import begins; each is read once at most, when it must."""

    def __init__(
        self, chats: Sequence[Conversation], repository: Repository, tokens: Callable[[str], int]
    ) -> None:
        self._repository = repository
        self._tokens = tokens
        self._unread: dict[str, dict[int, list[str]]] = {}  # title -> time -> ids
        self._read: dict[str, list[tuple[int, str]]] = {}  # title and content -> time and id
        for chat in chats:
            times = self._unread.setdefault(chat.title[:MAX_TITLE], {})
            times.setdefault(chat.created_at, []).append(chat.id)

    async def holds(self, imported: ImportedConversation, folds: Sequence[Fold]) -> bool:
        """Whether a chat of the same title and time is the same in all that it says and holds.

        A file that tells no time is compared with the chats of all times.
        """
        one = imported.conversation
        wanted = content(one, imported.messages, folds)
        for time, id in self._read.get(one.title + wanted, ()):
            # It may have been changed or deleted since it was read.
            if one.created_at in (0, time) and await self._content(id) == wanted:
                return True
        times = self._unread.get(one.title, {})
        for time in [one.created_at] if one.created_at else list(times):
            while times.get(time):
                id = times[time].pop()
                found = await self._content(id)
                if found is not None:
                    self._read.setdefault(one.title + found, []).append((time, id))
                if found == wanted:
                    return True
        return False

    async def _content(self, id: str) -> str | None:
        """The content of a chat as its export would be read; None when it is gone."""
        from app.conversation.formats import pleat_json
        from app.conversation.formats.report import Tally

        repository = self._repository
        chat = await repository.conversation(id)
        if chat is None:
            return None
        messages = await repository.messages(id)
        folds = [_listed(fold_record(fold)) for fold in await repository.folds(id)]
        record = {
            "conversation": conversation_to_record(chat),
            "messages": [message_to_record(message) for message in messages],
            "folds": folds,
        }
        ids = map(str, count())
        read = pleat_json.read(record, lambda: next(ids), Tally())
        if read is None:
            return None
        return content(read.conversation, read.messages, fitting(read, self._tokens))


def _listed(record: dict[str, Any]) -> dict[str, Any]:
    return {key: list(v) if isinstance(v, tuple) else v for key, v in record.items()}  # pyright: ignore
