"""The detail guard: puts back the numbers, dates, names, addresses and identifiers that a
model's summary lost, as extractive lines, the most valuable first."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.memory.extractive.choose import Candidate, choose
from app.memory.extractive.records import records
from app.memory.extractive.summary import fit, weigh
from app.memory.extractive.types import Lexicon, Line, Source
from app.memory.extractive.updates import replaced
from app.memory.extractive.words import STOP, is_dense, runs, stem

_SPEAKER = re.compile(r"^[^\s:][^:\n]{0,40}: ")


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
    pool = records(previous, items)
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
    taken = choose(wanted, heads, room + 2, {}, max(60, room // 3))
    return fit(pool, taken, room, lexicon)


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
