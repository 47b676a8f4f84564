"""What the benchmark runs on: chats with questions whose answers and evidence are known.

A LoCoMo file is read from a path that the user gives (its data is CC BY-NC 4.0: it is never part
of this project); generated chats come from ``generator.py``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from app.memory.extractive.anchor import parse
from app.memory.extractive.dates import split_header
from app.memory.extractive.speakers import leading_name

_EVIDENCE = re.compile(r"D\d+:\d+")
ASKED = (1, 2, 4)  # LoCoMo's categories with an answer in the text: several hops, time, one hop


@dataclass(frozen=True)
class Turn:
    """One message of a chat; ``created_at`` in milliseconds since 1970, 0 when unknown."""

    id: str
    role: str
    content: str
    created_at: int = 0
    name: str = ""


@dataclass(frozen=True)
class Probe:
    """A question asked after the last message. ``evidence``: places of the messages that answer it.

    ``superseded`` is an older answer that is no longer right ("" when there is none).
    """

    id: str
    question: str
    answer: str
    evidence: tuple[int, ...]
    kind: str
    superseded: str = ""


@dataclass(frozen=True)
class Chat:
    """A conversation and its probes. ``names`` (of the speakers) do not count as answers."""

    id: str
    messages: tuple[Turn, ...]
    probes: tuple[Probe, ...]
    names: tuple[str, ...] = ()


def times(texts: Sequence[str]) -> list[int]:
    """When each message was written, in milliseconds since 1970, by the session headers.

    ``Ada: [1:56 pm on 8 May, 2023] …`` dates its message and those after it; 0 before the first.
    """
    out: list[int] = []
    now = 0
    for text in texts:
        header, _ = split_header(leading_name(text)[1])
        day = parse(header) if header else None
        if day is not None:
            now = int(datetime(*day, 12, tzinfo=UTC).timestamp()) * 1000
        out.append(now)
    return out


def read_locomo(path: Path) -> list[Chat]:
    """The conversations of a LoCoMo file, speaker and session date in the text as it is chatted."""
    return [_conversation(entry) for entry in json.loads(path.read_text(encoding="utf-8"))]


def _conversation(entry: dict[str, Any]) -> Chat:
    sessions = entry["conversation"]
    first, second = sessions["speaker_a"], sessions["speaker_b"]
    turns: list[Turn] = []
    number = 1
    while f"session_{number}" in sessions or f"session_{number}_date_time" in sessions:
        date = sessions.get(f"session_{number}_date_time", "")
        for place, said in enumerate(sessions.get(f"session_{number}", [])):
            text = said["text"].strip()
            if said.get("blip_caption"):
                text += f" [photo: {said['blip_caption']}]"
            if place == 0:
                text = f"[{date}] {text}"
            role = "user" if said["speaker"] == first else "assistant"
            turns.append(Turn(said["dia_id"], role, f"{said['speaker']}: {text}"))
        number += 1
    written = times([turn.content for turn in turns])
    turns = [replace(turn, created_at=at) for turn, at in zip(turns, written, strict=True)]
    at = {turn.id: place for place, turn in enumerate(turns)}
    probes: list[Probe] = []
    for place, asked in enumerate(entry["qa"]):
        if asked["category"] in ASKED:
            found = _EVIDENCE.findall(" ".join(asked["evidence"]))
            evidence = tuple(at[e] for e in found if e in at)
            kind = {1: "several", 2: "time", 4: "single"}[asked["category"]]
            answer = str(asked["answer"])
            probes.append(Probe(f"q{place}", asked["question"], answer, evidence, kind))
    return Chat(entry["sample_id"], tuple(turns), tuple(probes), (first, second))
