"""From what a reader found in a file to a conversation with new ids.

Readers name nodes with their parents, as the file has them: with gaps, cycles and nodes that are
left out. Here the kept ones are linked through all that. Iterative: mappings are deep.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.conversation.formats.report import Ids, ImportedConversation, Outcome, Tally
from app.conversation.message import Message, Part, Role, Status
from app.conversation.title import auto_title, given_title
from app.conversation.tree import Conversation, Tree


@dataclass(slots=True)
class Draft:
    """A message to be, before it has an id."""

    role: Role
    parts: tuple[Part, ...]
    status: Status = "complete"
    created_at: int = 0
    model: str = ""
    finish: str = ""
    error: str = ""
    hidden: bool = False
    name: str = ""


@dataclass(frozen=True, slots=True)
class Left:
    """A message that is not imported, and why."""

    outcome: Outcome
    reason: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class Node:
    """A place in the file's tree. ``content`` is None where there is no message at all."""

    key: str
    parent: str | None
    content: Draft | Left | None


@dataclass(frozen=True, slots=True)
class Heading:
    """What a file says about a conversation. Times are milliseconds since 1970."""

    key: str = ""
    title: str = ""
    created_at: int = 0
    updated_at: int = 0
    system_prompt: str | None = None
    current: str | None = None


def relink(
    parents: Mapping[str, str | None], kept: Iterable[str], first: str | None = None
) -> dict[str, str | None]:
    """Each kept key with its nearest kept ancestor (None: a root), ancestors first.

    Parents that are not there are roots' parents. A cycle is cut above where it is entered, and
    it is entered at ``first`` if that is on it, so that the path of ``first`` is whole.
    """
    keep = set(kept)
    nearest: dict[str, str | None] = {}  # of a done key: itself if kept, else its kept ancestor
    linked: dict[str, str | None] = {}
    start = [first] if first is not None and first in parents else []
    for begin in [*start, *parents]:
        walk: list[str] = []
        on_walk: set[str] = set()
        key: str | None = begin
        while key is not None and key in parents and key not in nearest and key not in on_walk:
            walk.append(key)
            on_walk.add(key)
            key = parents[key]
        above = nearest.get(key) if key is not None else None
        for done in reversed(walk):
            if done in keep:
                linked[done] = above
                above = done
            nearest[done] = above
    return linked


def assemble(
    nodes: Sequence[Node], heading: Heading, ids: Ids, tally: Tally
) -> ImportedConversation | None:
    """The conversation of the nodes; None (counted as empty) when no message is left."""
    contents: dict[str, Draft | Left | None] = {}
    parents: dict[str, str | None] = {}
    for node in nodes:
        key = node.key
        while key in contents:  # the same id twice: both are kept, children go to the first
            key += "\x00"
        contents[key] = node.content
        parents[key] = node.parent
        if isinstance(node.content, Left):
            left = node.content
            tally.add("message", left.outcome, left.reason, left.where)
        elif node.content is not None:
            tally.add("message", "imported")
    kept = [key for key, content in contents.items() if isinstance(content, Draft)]
    if not kept:
        reason = "no message with content" if tally.found("message") else "no messages"
        if heading.system_prompt:
            reason = "instructions only, no message"
        tally.add("conversation", "empty", reason, heading.title or heading.key)
        return None
    linked = relink(parents, kept, heading.current)
    conversation_id = ids()
    id_map: dict[str, str] = {heading.key: conversation_id} if heading.key else {}
    new_ids = {key: ids() for key in linked}
    messages: list[Message] = []
    last_time: dict[str | None, int] = {}
    drafts = {key: content for key, content in contents.items() if isinstance(content, Draft)}
    for key in _ordered(linked, drafts):
        draft = drafts[key]
        parent = linked[key]
        created_at = draft.created_at
        if parent in last_time:
            # Creation order is the order of alternatives: keep it where times do not tell it.
            created_at = max(created_at, last_time[parent] + 1)
        last_time[parent] = created_at
        id_map.setdefault(key, new_ids[key])
        messages.append(
            Message(
                id=new_ids[key],
                conversation_id=conversation_id,
                parent_id=None if parent is None else new_ids[parent],
                role=draft.role,
                parts=draft.parts,
                status=draft.status,
                created_at=created_at,
                model=draft.model,
                finish=draft.finish,
                error=draft.error,
                hidden=draft.hidden,
                name=draft.name,
            )
        )
    tree = Tree(messages)
    current = _nearest_kept(heading.current, parents, linked)
    leaf_id = new_ids[current] if current is not None else tree.newest_leaf()
    path = tree.path(leaf_id)
    times = [message.created_at for message in messages]
    conversation = Conversation(
        id=conversation_id,
        title=given_title(heading.title) or auto_title(path),
        created_at=heading.created_at or min(times),
        updated_at=heading.updated_at or max(heading.created_at, *times, 0),
        system_prompt=heading.system_prompt,
        leaf_id=leaf_id,
    )
    tally.add("conversation", "imported")
    return ImportedConversation(conversation, tuple(messages), (), id_map)


def _ordered(linked: Mapping[str, str | None], drafts: Mapping[str, Draft]) -> list[str]:
    """The kept keys, ancestors first; siblings by time, or as in the file if one has no time."""
    children: dict[str | None, list[str]] = {}
    for key in drafts:
        children.setdefault(linked[key], []).append(key)
    for group in children.values():
        if all(drafts[key].created_at for key in group):
            group.sort(key=lambda key: drafts[key].created_at)
    found: list[str] = []
    stack = list(reversed(children.get(None, [])))
    while stack:
        key = stack.pop()
        found.append(key)
        stack.extend(reversed(children.get(key, [])))
    return found


def _nearest_kept(
    key: str | None, parents: Mapping[str, str | None], linked: Mapping[str, str | None]
) -> str | None:
    """The key if it was kept, else its nearest kept ancestor; None if there is none."""
    seen: set[str] = set()
    while key is not None and key not in linked and key not in seen:
        seen.add(key)
        key = parents.get(key)
    return key if key is not None and key in linked else None
