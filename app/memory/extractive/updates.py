"""Finds facts that a later one has replaced: "the budget is 300", then "it is 500 now".

Two statements are about the same thing when the earlier one's words, but for its values (numbers,
names), stand in the later one too. Numbers may change without a word; names want one like "now".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.memory.extractive.words import STOP, bigrams, is_dense, is_kana, runs, stem

CUE = re.compile(
    r"\b(?:now|instead|changed?|switched|moved|no longer|any ?more|actually|correction|updated?|"
    r"new|rather|not .{1,30} but|nově|nov(?:ý|á|é|ého|ou)|místo|změn\w+|teď|už ne|přestěhov\w+|"
    r"jetzt|statt|geändert|neue?[rnms]?|nicht mehr|umgezogen|maintenant|désormais|changé|"
    r"nouve(?:au|l|lle)|ahora|cambi\w+|nuev[oa]|теперь|вместо|нов(?:ый|ая|ое|ую|ого))\b"
    r"|変更|今は|になりました|改为|现在|이제|새로운",
    re.IGNORECASE,
)
# "From X to Y": whoever was in X, or used it, does no more.
_FROM = re.compile(
    r"\b(?:from|von|aus|de|z|ze|из) ([^\W\d_a-z]\w+)\b.{0,40}? (?:to|nach|à|a|do|в) "
)
_DIGIT = re.compile(r"\d")
ENOUGH = 0.75
FAR = 40  # statements back, for each word, that are compared


def statement(text: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """What ``text`` is about (stems), its numbers, and its names (lower case)."""
    about: set[str] = set()
    numbers: set[str] = set()
    names: set[str] = set()
    start = True
    for run in runs(text):
        low = run.lower()
        if is_dense(run):
            about.update(pair for pair in bigrams(run) if not is_kana(pair))
        elif run[0].isdigit():
            numbers.add(low)
        elif low not in STOP and len(low) > 1:
            if run[0].isupper() and not start:
                names.add(low)
            else:
                about.add(stem(low))
        start = False
    return frozenset(about), frozenset(numbers), frozenset(names)


def says_so(text: str) -> bool:
    """Whether ``text`` says that something changed: "now", "instead", "moved"."""
    return CUE.search(text) is not None


_NOTHING = (frozenset[str](), frozenset[str](), frozenset[str]())


def holds_value(text: str) -> bool:
    """Whether ``text`` may hold a number or a name: cheap, and true for some that do not."""
    rest = text[1:].replace(" I ", " ").replace(" I'", " ")
    return rest != rest.lower() or _DIGIT.search(text) is not None


def replaced(texts: Sequence[str], speakers: Sequence[str]) -> list[tuple[int, int, bool]]:
    """(older, newer, sure) of the statements in ``texts`` (in time order) that were replaced.

    ``sure``: the newer one says so ("now", "instead"), or they differ in numbers alone.
    """
    said = [statement(text) if holds_value(text) else _NOTHING for text in texts]
    valued = [i for i, (_, numbers, names) in enumerate(said) if numbers or names]
    where: dict[str, list[int]] = {}
    out: list[tuple[int, int, bool]] = []
    for new in valued:
        about, numbers, names = said[new]
        shared: dict[int, int] = {}
        for word in about:
            for old in where.setdefault(word, [])[-FAR:]:
                shared[old] = shared.get(old, 0) + 1
        cue: bool | None = None
        for old, count in shared.items():
            theirs, their_numbers, their_names = said[old]
            if count < 2 or count < ENOUGH * len(theirs) or speakers[old] != speakers[new]:
                continue
            counted = bool(numbers - their_numbers) and bool(their_numbers - numbers)
            named = bool(names - their_names) and bool(their_names)
            if cue is None:
                cue = says_so(texts[new])
            if counted and not (their_names - names):
                out.append((old, new, cue or theirs == about))
            elif named and cue:
                out.append((old, new, True))
        left = _FROM.search(texts[new]) if names else None
        if left is not None:
            gone = frozenset([left.group(1).lower()])
            out.extend(
                (old, new, False)
                for old in valued[: valued.index(new)]
                if said[old][2] == gone and speakers[old] == speakers[new]
            )
        for word in about:
            where[word].append(new)
    return out
