"""What a unit is worth: the rarity of its words, and how likely it is to be a fact.

Rarity is the BPE rank of the word (a frequency table that comes with the tokenizer, in any
language). Facts are first-person, named, numbered, decided; questions and chit-chat are not.
"""

from __future__ import annotations

import math
import re

from app.memory.extractive.split import Unit
from app.memory.extractive.words import (
    STOP,
    bigrams,
    is_dense,
    is_kana,
    low_words,
    runs,
    stem,
    word_set,
)

# Whole words (lower case) and beginnings of words, several languages side by side.
_FIRST = word_set(
    """
    i i'm i've i'd i'll my mine we we're we've we'll our ours jsem jsme můj moje moji mám
    máme náš naše ich mein meine meinen meiner wir unser unsere je j'ai mon ma mes nous
    notre yo mi mis tengo nosotros я мой моя мы наш
    """
)
_DECIDED = word_set(
    """
    must always never deadline budget instead only remember goal plan plans planned planning
    correction actually musí musíme nikdy vždy místo nově termín muss niemals immer statt
    jetzt jamais toujours nunca siempre никогда всегда теперь
    """
)
_DECIDED_HEADS = (
    "decid", "agreed", "prefer", "allerg", "changed", "switched", "moved", "rozhod", "dohod",
    "změn", "alergi", "entschied", "beschloss", "décid", "решил",
)  # fmt: skip
_SECOND = word_set("you your you're you've you'll yours")
# Thanks, congratulations and the like; what is told as done.
_COURTESY = word_set(
    """
    thank thanks congrats congratulations glad sorry proud welcome děkuju děkuji díky promiň
    danke merci désolé gracias спасибо agree
    """
)
_PAST = word_set(
    """
    went got had was were made took saw did won met bought found gave came told began chose
    felt grew left lost ran sold spent taught wrote read
    """
)
_DENSE_FIRST = ("私", "僕", "俺", "我")
_DENSE_DECIDED = ("決め", "決定", "変更", "必ず", "禁止", "締め切り", "决定", "必须", "改为")
_DENSE_COURTESY = ("ありがとう", "谢谢")
_BACK = ("it ", "it's ", "that ", "that's ", "this ", "they ", "these ", "those ")
_ENGLISH = word_set("the a an is are to of and it that for")
_SPECIFIC = re.compile(r"[\d`_@/\"“]|(?<=[a-z,;] )[A-Z]\w")  # number, code, title, name inside
_DEFINITE = re.compile(r"(?:the|her|his|their|its|he|she|they)\b", re.IGNORECASE)
_QUESTION = re.compile(r"[?？]\s*[\"'”’)]*$|か[。？]?$")

COMMON = 800  # ranks below this are everyday words
SLOPE = 0.2
RARE = 1.5  # weight of a word of several pieces
TOP = 2.0
_HASH = re.compile(r"(?=.*\d)(?=.*[a-z])[0-9a-z]{6,}$")  # ids of logs: rare, but no one asks
NUMBER = 4.2
SHORT_NUMBER = 4.0
ADDRESS = 4.5
NAME = (1.2, 1.5)
DENSE_WEIGHT = (0.1, 0.7)  # of a pair of hiragana, of other pairs
FOREIGN = 0.55
ASKED = 0.5
FIRST = 1.15
SECOND = 0.65
DECIDED = 1.3
PHOTO = 0.8
SHOUTED = 0.85
POLITE = 0.6
BACK = 0.7
TOLD = 1.25
ANSWERS = 1.3
CODE = 0.6
GENERAL = 0.6
TERSE = 4  # words; so short is how facts are noted: "Door is blue."


class Rarity:
    """Weights of words, from their ranks, asked in one batch for a whole fold."""

    def __init__(self, words: list[str], ranks: list[int]) -> None:
        self._weight = {w: _weight(r) for w, r in zip(words, ranks, strict=True)}

    def of(self, low: str) -> float:
        """The weight of a lower-cased word, 0 (common) to about 5 (rare)."""
        return self._weight.get(low, 3.0)


def _weight(rank: int) -> float:
    if rank < COMMON:
        return 0.15
    return min(TOP, 0.35 + SLOPE * math.log(rank / COMMON))


def plain_words(texts: list[str]) -> list[str]:
    """The different words of ``texts`` whose rank is wanted, in order of first use."""
    seen: dict[str, None] = {}
    for text in texts:
        for run in runs(text):
            low = run.lower()
            if low in STOP or low in seen:  # most are; no digit and no dense run is
                continue
            if not (run[0].isdigit() or "/" in run or is_dense(run)):
                seen[low] = None
    return list(seen)


def features(
    text: str, rarity: Rarity, names: frozenset[str], kind: str = "prose"
) -> dict[str, float]:
    """Stem -> weight of what ``text`` tells. ``names`` (the speakers) weigh nothing."""
    out: dict[str, float] = {}
    start = True
    rare = plain = 0
    for run in runs(text):
        low = run.lower()
        if low in STOP:  # half of all: first, and fast
            start = False
            continue
        if is_dense(run):
            for pair in bigrams(run):
                out[pair] = DENSE_WEIGHT[0] if is_kana(pair) else DENSE_WEIGHT[1]
            start = False
            continue
        if kind == "code" and (run[0].isdigit() or _HASH.match(low)):
            out[low] = 0.1
        elif run[0].isdigit():
            out[low] = (SHORT_NUMBER if len(low) < 3 else NUMBER) if len(low) < 24 else 1.0
        elif "/" in run or "@" in run:
            out[low] = ADDRESS
        elif len(low) > 1 and low not in names:
            weight = rarity.of(low)
            plain += 1
            rare += weight >= RARE
            if (not start and run[0].isupper()) or low[1:] != run[1:] or "_" in run:
                weight = weight * NAME[0] + NAME[1]
            key = stem(low)
            if weight > out.get(key, 0.0):
                out[key] = weight
        start = False
    if rare * 2 > plain and plain > 2:  # not English: most words are in pieces, rare or not
        out = {key: w * FOREIGN if w <= TOP else w for key, w in out.items()}
    return out


def _decided(text: str, low: frozenset[str]) -> bool:
    if not low.isdisjoint(_DECIDED):
        return True
    for word in low:  # a loop: a generator takes twice as long, and this is asked of every unit
        if word.startswith(_DECIDED_HEADS):
            return True
    return not text.isascii() and any(cue in text for cue in _DENSE_DECIDED)


def prior(unit: Unit, role: str, *, answers: bool = False) -> float:
    """How likely the unit is a fact that is asked about later: a factor around 1.

    ``answers``: the message before it ended in a question.
    """
    text = unit.text
    if unit.kind == "code":
        return CODE
    if unit.kind == "photo":
        return PHOTO
    low = low_words(text)
    dense = not text.isascii()
    factor = ANSWERS if answers else 1.0
    if _QUESTION.search(text):
        factor *= ASKED
    elif text.endswith(("!", "！")):
        factor *= SHOUTED
    decided = _decided(text, low)
    if decided:
        factor *= DECIDED
    elif not low.isdisjoint(_SECOND):
        factor *= SECOND
    if not low.isdisjoint(_COURTESY) or (dense and any(cue in text for cue in _DENSE_COURTESY)):
        factor *= POLITE
    if text[:8].lower().replace("’", "'").startswith(_BACK):
        factor *= BACK
    first = not low.isdisjoint(_FIRST) or (dense and any(cue in text for cue in _DENSE_FIRST))
    told = not low.isdisjoint(_PAST) or any(w[-2:] == "ed" and len(w) > 4 for w in low)
    if first:
        factor *= FIRST
    if told:
        factor *= TOLD
    if not (decided or first or told) and _is_general(text, low):
        factor *= GENERAL
    return factor


_TYPED = str.maketrans("’‘“”–—…", "''\"\"--.")  # marks of print, which are of any language


def _is_general(text: str, low: frozenset[str]) -> bool:
    """Whether an English sentence is about nothing in particular: no name, no number, nothing that
    was spoken of before ("Creativity can lighten a day", not "The door is blue")."""
    if not text.translate(_TYPED).isascii() or low.isdisjoint(_ENGLISH) or text.count(" ") < TERSE:
        return False
    return _SPECIFIC.search(text) is None and _DEFINITE.match(text) is None
