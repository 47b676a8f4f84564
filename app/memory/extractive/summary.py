"""The summariser without a model: picks sentences of the old summary and the new messages.

Deterministic, a few milliseconds, any language. At each fold only the surviving lines and the
new sentences compete. The joined text is counted as a whole: token counts do not add up.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.memory.extractive.choose import Candidate, choose
from app.memory.extractive.dates import leans_on_date
from app.memory.extractive.records import Record, records
from app.memory.extractive.salience import Rarity, features, plain_words, prior
from app.memory.extractive.shorten import drop_least, shorten
from app.memory.extractive.types import Lexicon, Line, Source
from app.memory.extractive.updates import replaced


def summarise(
    previous: Sequence[Line], items: Sequence[Source], limit: int, lexicon: Lexicon
) -> list[Line]:
    """The lines of the next summary, joined at most ``limit`` tokens, in time order.

    Never empty when anything was said and ``limit`` is at least 1.
    """
    pool = records(previous, items)
    if not pool or limit < 1:
        return []
    candidates, heads = weigh(pool, lexicon)
    taken = choose(candidates, heads, limit + limit // 12 + 2, {}, max(60, limit // 5))
    lines = fit(pool, taken, limit, lexicon)
    if not lines:
        texts = [Line(r.text([0], dated=False), r.source) for r in pool]
        return shorten(texts[-1:], limit, lexicon)
    return lines


def weigh(pool: list[Record], lexicon: Lexicon) -> tuple[list[Candidate], list[int]]:
    """Candidates of ``pool`` with costs and features, and the tokens of each record's head."""
    flat = [(r, u) for r, record in enumerate(pool) for u in range(len(record.units))]
    texts = [pool[r].units[u].text for r, u in flat]
    labels = list(dict.fromkeys(record.label for record in pool))
    days = list(dict.fromkeys(record.day for record in pool))
    words = plain_words(texts)
    rarity = Rarity(words, list(lexicon.rank_many(words)))
    counted = lexicon.count_many(
        [" " + t for t in texts] + [f"{n}:\n" for n in labels] + [f"[{d}] " for d in days]
    )
    label_cost = dict(zip(labels, counted[len(texts) :], strict=False))
    day_cost = dict(zip(days, counted[len(texts) + len(labels) :], strict=True))
    names = frozenset(part.lower() for n in labels for part in n.split())
    out: list[Candidate] = []
    for (r, u), text, cost in zip(flat, texts, counted, strict=False):
        record = pool[r]
        extra = day_cost[record.day] if record.day and leans_on_date(text) else 0
        factor = prior(record.units[u], record.role, answers=record.answers) * (
            1.5 if record.opaque else 1.0
        )
        out.append(
            Candidate(
                r,
                u,
                cost + extra,
                features(text, rarity, names, record.units[u].kind),
                factor,
                record.units[u].hangs,
            )
        )
    for old, new, sure in replaced(texts, [pool[r].label for r, _ in flat]):
        out[old].prior *= 0.15 if sure else 0.5
        out[new].prior *= 1.3
    return out, [label_cost[record.label] for record in pool]


def fit(pool: list[Record], taken: list[Candidate], limit: int, lexicon: Lexicon) -> list[Line]:
    """The longest head of ``taken`` whose lines, joined, are at most ``limit`` tokens."""
    made: dict[tuple[int, ...], Line] = {}
    step = 4  # drafts that are counted in one call
    for end in range(len(taken), 0, -2 * step):
        ends = list(range(end, max(0, end - 2 * step), -2))
        found = _first_fit(pool, taken, ends, limit, lexicon, made)
        if found:
            more = found[0] + 1
            if more <= len(taken) and more not in ends:
                return (_first_fit(pool, taken, [more], limit, lexicon, made) or found)[1]
            return found[1]
    return (_first_fit(pool, taken, [1], limit, lexicon, made) or (0, []))[1] if taken else []


def _first_fit(
    pool: list[Record],
    taken: list[Candidate],
    ends: list[int],
    limit: int,
    lexicon: Lexicon,
    made: dict[tuple[int, ...], Line],
) -> tuple[int, list[Line]] | None:
    drafts = [_render(pool, taken[:end], made) for end in ends]
    counts = lexicon.count_many(["\n".join(line.text for line in draft) for draft in drafts])
    for end, draft, count in zip(ends, drafts, counts, strict=True):
        if count <= limit:
            return end, draft
    return None


def _render(
    pool: list[Record], taken: list[Candidate], made: dict[tuple[int, ...], Line]
) -> list[Line]:
    by_record: dict[int, list[int]] = {}
    for c in taken:
        by_record.setdefault(c.record, []).append(c.unit)
    out: list[Line] = []
    for r in sorted(by_record):
        chosen = sorted(by_record[r])
        key = (r, *chosen)
        line = made.get(key)
        if line is None:
            record = pool[r]
            dated = record.old or any(leans_on_date(record.units[u].text) for u in chosen)
            line = made[key] = Line(record.text(chosen, dated), record.source)
        out.append(line)
    return out


__all__ = ["drop_least", "summarise"]
