"""What a unit is worth: the rarity of its words, and how likely it is to be a fact.

Rarity is the BPE rank of the word (a frequency table that comes with the tokenizer, in any
language). Facts are first-person, named, numbered, decided; questions and chit-chat are not.
"""

from __future__ import annotations

import math
import re

from app.memory.extractive.split import Unit
from app.memory.extractive.words import STOP, bigrams, is_dense, is_kana, runs, stem

_FIRST = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|my|mine|we|we're|we've|our|jsem|jsme|můj|moje|mám|máme|ich|mein\w*|"
    r"wir|unser\w*|je|j'ai|mon|ma|mes|nous|yo|mi|mis|tengo|я|мой|моя|мы|у меня)\b|私|僕|俺|我",
    re.IGNORECASE,
)
_DECIDE = re.compile(
    r"\b(?:decided|decide|agreed|must|always|never|prefer\w*|allerg\w+|deadline|budget|instead|"
    r"no longer|not anymore|changed|switched|moved|correction|actually|from now on|only|remember|"
    r"goal|plan(?:s|ned|ning)?|rozhod\w+|dohodl\w+|musí\w*|nikdy|vždy|místo|nově|změn\w+|termín|"
    r"entschieden|beschlossen|muss|niemals|immer|statt|jetzt|décidé|jamais|toujours|decidí\w*|nunca|"
    r"siempre|решил\w*|никогда|всегда|теперь)\b|決め|決定|変更|必ず|禁止|締め切り|决定|必须|改为",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"[?？]\s*[\"'”’)]*$|か[。？]?$")
# Thanks, congratulations and the like; sentences that only point back; what is told as done.
_COURTESY = re.compile(
    r"\b(?:thank|thanks|congrat\w*|glad|sorry|proud|welcome|good luck|take care|talk (?:to you )?soon|"
    r"děkuj\w*|díky|promiň\w*|danke|entschuldig\w*|merci|désolé\w*|gracias|спасибо)\b|ありがとう|谢谢",
    re.IGNORECASE,
)
_BACK = re.compile(r"(?:it|that|this|they|these|those)(?:['’]\w+)?\s", re.IGNORECASE)
_PAST = re.compile(
    r"\b(?:[a-z]{3,}ed|went|got|had|was|were|made|took|saw|did|won|met|bought|found|gave|came|told|"
    r"began|chose|felt|grew|left|lost|ran|sold|spent|taught|wrote|read)\b"
)
_SECOND = re.compile(r"\b(?:you|your|you're|you've|you'll)\b", re.IGNORECASE)

COMMON = 800  # ranks below this are everyday words
SLOPE = 0.2
TOP = 2.0
_HASH = re.compile(r"(?=.*\d)(?=.*[a-z])[0-9a-z]{6,}$")  # ids of logs: rare, but no one asks
NUMBER = 4.2
SHORT_NUMBER = 4.0
ADDRESS = 4.5
NAME = (1.2, 1.5)
ASKED = 0.5
FIRST = 1.15
SECOND = 0.8
DECIDED = 1.15
PHOTO = 0.8
SHOUTED = 0.85
POLITE = 0.6
BACK = 0.7
TOLD = 1.25
ANSWERS = 1.3
CODE = 0.6
BASE = 0.0


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
            if run[0].isdigit() or "/" in run or is_dense(run):
                continue
            low = run.lower()
            if low not in STOP:
                seen[low] = None
    return list(seen)


def features(
    text: str, rarity: Rarity, names: frozenset[str], kind: str = "prose"
) -> dict[str, float]:
    """Stem -> weight of what ``text`` tells. ``names`` (the speakers) weigh nothing."""
    out: dict[str, float] = {}
    start = True
    for run in runs(text):
        if is_dense(run):
            for pair in bigrams(run):
                out[pair] = 0.15 if is_kana(pair) else 1.1
            start = False
            continue
        low = run.lower()
        if kind == "code" and (run[0].isdigit() or _HASH.match(low)):
            out[low] = 0.1
        elif run[0].isdigit():
            out[low] = (SHORT_NUMBER if len(low) < 3 else NUMBER) if len(low) < 24 else 1.0
        elif "/" in run or "@" in run:
            out[low] = ADDRESS
        elif low not in STOP and len(low) > 1 and low not in names:
            weight = rarity.of(low)
            if (not start and run[0].isupper()) or any(c.isupper() for c in run[1:]) or "_" in run:
                weight = weight * NAME[0] + NAME[1]
            key = stem(low)
            if weight > out.get(key, 0.0):
                out[key] = weight
        start = False
    return out


def prior(unit: Unit, role: str, *, answers: bool = False) -> float:
    """How likely the unit is a fact that is asked about later: a factor around 1.

    ``answers``: the message before it ended in a question.
    """
    text = unit.text
    if unit.kind == "code":
        return CODE
    if unit.kind == "photo":
        return PHOTO
    factor = ANSWERS if answers else 1.0
    if _QUESTION.search(text):
        factor *= ASKED
    elif text.endswith(("!", "！")):
        factor *= SHOUTED
    if _DECIDE.search(text):
        factor *= DECIDED
    elif _SECOND.search(text):
        factor *= SECOND
    if _COURTESY.search(text):
        factor *= POLITE
    if _BACK.match(text):
        factor *= BACK
    if _FIRST.search(text) is not None:
        factor *= FIRST
    if _PAST.search(text) is not None:
        factor *= TOLD
    return factor
