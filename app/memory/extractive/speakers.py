"""Who said it: the label that stands on each line.

A message may carry its speaker's name itself ("Ada: …"), as imported chats do. It is believed
only when most messages of that role do so, and never for the names of roles: a message cannot
pass for another speaker's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.memory.extractive.types import Source

_NAMED = re.compile(r"^\s*([^\W\d_][\w.'’ -]{0,30}): +(?=\S)")
_ROLES = {"user": "User", "assistant": "Assistant", "tool": "Tool", "system": "System"}
_RESERVED = frozenset(
    [
        "user",
        "assistant",
        "system",
        "tool",
        "developer",
        "human",
        "ai",
        "model",
        "function",
        "note",
        "notes",
        "summary",
    ]
)


def leading_name(text: str) -> tuple[str, str]:
    """The name that ``text`` begins with ("Ada: …") and the rest; "" and all without one."""
    match = _NAMED.match(text)
    if match is None or match.group(1).lower() in _RESERVED:
        return "", text
    return match.group(1), text[match.end() :]


def embedded_names(items: Sequence[Source], known: frozenset[str]) -> dict[str, str]:
    """Role -> the name that most messages of that role begin with ("Ada: …").

    Two such messages are wanted, or one whose name is ``known`` from the lines before.
    """
    seen: dict[str, dict[str, int]] = {}
    total: dict[str, int] = {}
    for item in items:
        total[item.role] = total.get(item.role, 0) + 1
        name, _ = leading_name(item.text)
        if name:
            names = seen.setdefault(item.role, {})
            names[name] = names.get(name, 0) + 1
    out: dict[str, str] = {}
    for role, names in seen.items():
        best = max(names, key=lambda name: names[name])
        if names[best] * 2 > total[role] and (names[best] > 1 or best in known):
            out[role] = best
    return out


def split_speaker(item: Source, embedded: dict[str, str]) -> tuple[str, str]:
    """The label of a message and its text without it. The label has no colon or line break."""
    name = embedded.get(item.role)
    if name is not None and item.text.lstrip().startswith(name + ": "):
        return name, item.text.lstrip()[len(name) + 2 :]
    label = " ".join(item.name.replace(":", " ").split())[:40]
    return label or _ROLES.get(item.role, "User"), item.text
