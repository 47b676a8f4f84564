"""The detail guard: puts back the numbers, dates, names, addresses and identifiers that a
model's summary lost, as extractive lines, the most valuable first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from app.memory.extractive.choose import Candidate, choose
from app.memory.extractive.records import Record, records
from app.memory.extractive.split import Unit, is_code
from app.memory.extractive.summary import fit, weigh
from app.memory.extractive.types import Lexicon, Line, Source
from app.memory.extractive.updates import replaced
from app.memory.extractive.words import STOP, is_dense, runs, stem

_SPEAKER = re.compile(r"^[^\s:][^:\n]{0,40}: ")
TRIES = 24  # details that turn out to be too long for the room left, before no other is tried
# Emphasis around words, and what is left of it where a sentence was cut out of it.
_STRONG = re.compile(r"(?<![\w*])(\*{1,3})(?=[\w\"'“(\[])([^*\n]{1,400}?)(?<=[^\s*])\1(?![\w*])")
_LINED = re.compile(
    r"(?<!\w)(_{1,3})(?=[^\s_]{1,400} )([^_\n]{1,400}?)(?<=[^\s_])\1(?!\w)"  # not __init__
)
_LOOSE = re.compile(r"^\*\*+(?![a-z_*])|(?<=[^\s*])\*\*+$")
_TWICE = re.compile(r"([.!?…。！？:])\s?;(?=\s|$)|[,;](?=;(?:\s|$))")


def restore_details(
    summary_lines: Sequence[Line],
    items: Sequence[Source],
    room: int,
    lexicon: Lexicon,
    previous: Sequence[Line] = (),
) -> list[Line]:
    """Lines that hold details which ``summary_lines`` lack, at most ``room`` tokens.

    They come from ``items``, the messages just folded, and from ``previous``, the summary before.
    """
    if room < 1 or not (items or previous):
        return []
    said = frozenset(
        form for line in summary_lines for run in runs(line.text) for form in _forms(run)
    )
    pool = [_plain(record) for record in records(previous, items)]
    candidates, heads = weigh(pool, lexicon)
    # A model's lines may have a speaker in front or not: compared is what was said.
    texts = [_SPEAKER.sub("", pool[c.record].units[c.unit].text) for c in candidates]
    stale = {old for old, _, sure in replaced(texts, [""] * len(texts)) if sure}
    wanted: list[Candidate] = []
    for number, c in enumerate(candidates):
        unit = pool[c.record].units[c.unit]
        if number in stale:  # the summary may well have left an old value out
            continue
        lost = {d for d in details(unit.text) if d not in said}
        if unit.kind == "photo" or not lost:
            continue
        kept = {key: weight for key, weight in c.features.items() if key in lost}
        if kept:
            wanted.append(Candidate(c.record, c.unit, c.cost, kept, c.prior))
    lines = _fill(pool, wanted, heads, room, lexicon)
    lines = [Line(_tidy(line.text), line.source) for line in lines]
    while lines and lexicon.count_many(["\n".join(line.text for line in lines)])[0] > room:
        lines.pop()
    return lines


def _fill(
    pool: list[Record], wanted: list[Candidate], heads: list[int], room: int, lexicon: Lexicon
) -> list[Line]:
    """The lines of the richest details; for one that does not fit, the next one is tried."""
    share = max(60, room // 3)
    kept: list[Candidate] = []
    lines: list[Line] = []
    for _ in range(TRIES):
        taken = choose(wanted, heads, room + 2, {}, share)
        # Of what is taken the head that fits: another line, when the last one is among it.
        found = fit(pool, taken, room, lexicon)
        if not taken or found != fit(pool, taken[:-1], room, lexicon):
            return found
        if taken[: len(kept)] != kept:
            kept, lines = [], []
        for c in taken[len(kept) :]:
            more = fit(pool, [*kept, c], room, lexicon)
            if more == lines:
                wanted = [other for other in wanted if other is not c]
                break
            kept, lines = [*kept, c], more
    return lines


def _plain(record: Record) -> Record:
    """The record without marks of emphasis: they cost tokens and stand in pairs or not at all."""
    return replace(record, units=[_bare(unit) for unit in record.units])


def _bare(unit: Unit) -> Unit:
    if unit.kind == "code" or not ("*" in unit.text or "_" in unit.text):
        return unit
    text = _LINED.sub(r"\2", _STRONG.sub(r"\2", unit.text))
    text = _LOOSE.sub("", text).strip()
    return replace(unit, text=text) if text else unit


def _tidy(text: str) -> str:
    """A line without a mark that stands before another one ("house.;")."""
    return text if is_code(text) else _TWICE.sub(r"\1", text)


def _forms(run: str) -> tuple[str, str]:
    low = run.lower()
    return low, stem(low) if not is_dense(run) else low


def details(text: str) -> list[str]:
    """The details of ``text`` in the form that ``features`` keys them by."""
    out: list[str] = []
    start = True
    for run in runs(text):
        low = run.lower()
        if is_dense(run):
            start = False
            continue
        named = run[0].isupper() and not start and low not in STOP
        if run[0].isdigit() or "/" in run or "@" in run:
            out.append(low)
        elif named or "_" in run or any(ch.isupper() for ch in run[1:]) or _mixed(run):
            out.append(stem(low))
        start = False
    return out


def _mixed(run: str) -> bool:
    return any(ch.isdigit() for ch in run)
