"""Folds that travel with their conversation: after an import every id is new.

A fold's digest holds message ids, so it is made anew from what the fold's lineage covers; a fold
that does not fit the imported messages is dropped, never bent to fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from app.conversation.message import Message, digest, is_sendable
from app.memory.ledger import Fold
from app.memory.path import link
from app.memory.policies import NAMED_SETTINGS

LARGEST_SUMMARY = NAMED_SETTINGS["pleat"]["summary_limit"][1]  # tokens


def rebase_folds(
    folds: Iterable[Fold],
    id_map: Mapping[str, str],
    messages: Sequence[Message],
    *,
    pinned: Iterable[str] = (),
    excluded: Iterable[str] = (),
    count: Callable[[str], int] | None = None,
) -> tuple[list[Fold], int]:
    """The folds on their messages' new ids, in commit order, and how many did not fit.

    ``count``: tokens of a text. With it a file's own word on sizes is not taken: they are counted
    again, and a fold larger than any summary may be is dropped.

    ``id_map``: old message id to new; an id that it lacks is taken to be new already.
    ``messages``: all messages of the conversation under their new ids, in any order; ``pinned``
    and ``excluded``: turn ids, new too. Fold ids and the conversation's id stay as they are.
    """
    by_id = {message.id: message for message in messages}
    chains = _chains(by_id, frozenset(pinned) | frozenset(excluded))
    covered: dict[str, bytes] = {}  # chain digest of what a kept fold's lineage covers
    kept: list[Fold] = []
    dropped = 0
    waiting = sorted(folds, key=lambda fold: fold.commit)
    for fold in waiting:
        ids = [id_map.get(id, id) for id in fold.covered]
        boundary = id_map.get(fold.boundary, fold.boundary)
        known = fold.parent_id is None or fold.parent_id in covered
        if not known or boundary not in chains or any(id not in by_id for id in ids):
            dropped += 1
            continue
        chain = covered[fold.parent_id] if fold.parent_id is not None else b""
        for id in ids:
            chain = link(chain, id, digest(by_id[id]))
        if chain != chains[boundary] or not chain:
            dropped += 1
            continue
        tokens_out = fold.tokens_out if count is None else count(fold.text)
        if tokens_out > LARGEST_SUMMARY:
            dropped += 1
            continue
        covered[fold.id] = chain
        sources = tuple(_source(source, id_map, by_id) for source in fold.sources)
        kept.append(
            replace(
                fold,
                covered=tuple(ids),
                boundary=boundary,
                path_digest=chain.hex(),
                sources=sources,
                tokens_out=tokens_out,
            )
        )
    # A fold that stood for one that was dropped stands on its own.
    return [
        fold if fold.replaces in covered else replace(fold, replaces=None) for fold in kept
    ], dropped


def _source(
    source: str | None, id_map: Mapping[str, str], by_id: Mapping[str, Message]
) -> str | None:
    if source is None:
        return None
    id = id_map.get(source, source)
    return id if id in by_id else None


def _chains(by_id: Mapping[str, Message], marked: frozenset[str]) -> dict[str, bytes]:
    """The chain digest at every message of the tree; ``marked`` turns are left out of it."""
    found: dict[str, tuple[bytes, str]] = {}  # with the turn that the message belongs to
    for start in by_id:
        pending: list[Message] = []
        seen: set[str] = set()
        message: Message | None = by_id[start]
        while message is not None and message.id not in found and message.id not in seen:
            seen.add(message.id)
            pending.append(message)
            message = by_id.get(message.parent_id or "")
        chain, turn = found.get(message.id, (b"", "")) if message is not None else (b"", "")
        for each in reversed(pending):
            if each.role == "user" or not turn:
                turn = each.id
            if is_sendable(each) and turn not in marked:
                chain = link(chain, each.id, digest(each))
            found[each.id] = (chain, turn)
    return {id: chain for id, (chain, _) in found.items()}
