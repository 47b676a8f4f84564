"""Finds passages that answer the same question at different times, so that the newest comes last.

Looser than what a summary may drop (``updates.replaced``): a wrong guess changes no more than an
order and a weight.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.memory.extractive.updates import replaced, says_so, statement

HALF = 0.5  # of the shorter one's topic words; both have more, or with "now" so much
DENSE = 0.3  # in scripts without spaces, whose letter pairs reach over the words' ends

# What was so is so no more, whatever words it was told in; and what was so once is so once more.
_CHANGE = re.compile(
    r"\b(?:moved|switched|changed|replaced|no longer|any ?more|instead|přestěhov\w+|změn\w+|už ne|"
    r"umgezogen|gewechselt|nicht mehr|statt|déménagé|ne plus|mudé|mudado|переехал\w*|больше не)\b",
    re.IGNORECASE,
)
_AGAIN = re.compile(r"\b(?:again|zase|wieder|de nouveau|otra vez|снова|опять)\b", re.IGNORECASE)


def rivals(
    texts: Sequence[str], speakers: Sequence[str], asked: Sequence[frozenset[str]]
) -> list[tuple[int, int, bool]]:
    """(older, newer, sure) of the statements about one thing; ``texts`` are in time order.

    ``asked``: the question's terms that each has. ``sure``: the newer one takes the other's place.
    Two are about one thing when they share the topic, or when both have to do with the question
    and the newer one tells of a change ("I live in Prague", "I moved to Brno": where do I live?).
    """
    out = {(old, new): sure for old, new, sure in replaced(texts, speakers)}
    said = [statement(text) for text in texts]
    cues = [says_so(text) or _AGAIN.search(text) is not None for text in texts]
    telling = [i for i, terms in enumerate(asked) if terms and not texts[i].endswith(("?", "？"))]
    for place, new in enumerate(telling):
        about, numbers, names = said[new]
        change = _CHANGE.search(texts[new]) is not None
        for old in telling[:place]:
            theirs, their_numbers, their_names = said[old]
            same = speakers[old] == speakers[new]
            counted = bool(numbers - their_numbers) and bool(their_numbers - numbers)
            fresh = cues[new] or about - theirs or numbers - their_numbers or names - their_names
            shared = about & theirs
            share = DENSE if any(term[0] >= "\u0e00" for term in shared) else HALF
            least = share * min(len(about), len(theirs))
            enough = len(shared) > least or (cues[new] and len(shared) >= least)
            alike = enough and bool(shared & asked[new])
            if (alike and fresh and (same or counted)) or (same and change):
                sure = same and (cues[new] or (counted and about == theirs))
                out[old, new] = out.get((old, new), False) or sure
    return [(old, new, sure) for (old, new), sure in out.items()]
