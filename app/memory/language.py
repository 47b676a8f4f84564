"""Whether two texts are plainly in different scripts or languages.

Only a clear difference counts: short texts, mixed texts and unknown languages never differ.
"""

from __future__ import annotations

import re
from collections import Counter as Tally

_WORD = re.compile(r"[^\W\d_]+")
_SCRIPTS = (
    ("latin", 0x41, 0x24F),
    ("greek", 0x370, 0x3FF),
    ("cyrillic", 0x400, 0x52F),
    ("hebrew", 0x590, 0x5FF),
    ("arabic", 0x600, 0x77F),
    ("indic", 0x900, 0xDFF),
    ("thai", 0xE00, 0xE7F),
    ("kana", 0x3040, 0x30FF),
    ("han", 0x3400, 0x9FFF),
    ("hangul", 0xAC00, 0xD7AF),
)
# The commonest short words of each language that few others share.
_COMMON = {
    "en": "the and of is was with that for this have has are not but they user",
    "de": "der die und ist nicht das mit ein eine auf für sich wird den dem auch",
    "fr": "le les des est une dans pour pas que qui avec sur du au cette nous",
    "es": "el los las una por con para como pero más del está muy son también",
    "it": "il gli che della per con sono non una più anche nel alla questo molto",
    "pt": "os uma não com para mais como mas dos pelo foi são também ele ela",
    "nl": "het een van niet dat met voor zijn maar ook wordt naar deze heeft",
    "cs": "že není jsem jsou byl bylo jeho také nebo když který jako aby má by",
    "pl": "nie jest się na że jak ale był przez oraz tylko może jego jestem",
    "sv": "och att det som är för inte med på har av till den ett jag",
    "ru": "и не что на он как это по но из за для был она они",
    "uk": "та не що на він як це але з для був вона вони його є",
}
_WORDS = {name: frozenset(words.split()) for name, words in _COMMON.items()}
_SHARED = frozenset(
    word for word, count in Tally(w for ws in _WORDS.values() for w in ws).items() if count > 1
)
MOST = 20_000  # characters of a text that are looked at
MIN_LETTERS = 40  # letters under which a text's script says nothing
MIN_REPLY = 20  # the same for a summary, which is shorter than what it stands for
MIN_HITS = 4  # common words under which a text's language is unknown


def script(text: str, least: int = MIN_LETTERS) -> str:
    """The script of over 60 % of the letters; "" when they are under ``least`` or mixed."""
    tally = _scripts(text)
    tally["han"] += tally.pop("kana", 0)  # Japanese is written in kana and han together
    total = sum(tally.values())
    if total < least:
        return ""
    name = max(tally, key=lambda each: tally[each])
    return name if tally[name] > 0.6 * total else ""


def _scripts(text: str) -> Tally[str]:
    """How many letters of the text are of which script."""
    tally: Tally[str] = Tally()
    for char, count in Tally(text[:MOST]).items():
        for name, low, high in _SCRIPTS:
            if char.isalpha() and low <= ord(char) <= high:
                tally[name] += count
    return tally


def _is_japanese(text: str) -> bool:
    """Whether a text in Chinese characters holds kana, as every sentence of Japanese does."""
    tally = _scripts(text)
    return tally["kana"] > 0.1 * sum(tally.values())


def language(text: str) -> str:
    """The language whose common words stand out in the text; "" when none does."""
    words = _WORD.findall(text[:MOST].lower())
    tally: Tally[str] = Tally()
    for word in words:
        if word in _SHARED:
            continue
        for name, common in _WORDS.items():
            if word in common:
                tally[name] += 1
    best = tally.most_common(2)
    if not best or best[0][1] < MIN_HITS or best[0][1] < 0.02 * len(words):
        return ""
    if len(best) > 1 and best[1][1] * 2 > best[0][1]:
        return ""
    return best[0][0]


def differs(given: str, reply: str) -> bool:
    """Whether ``reply`` is plainly in another script or language than ``given``."""
    first, second = script(given), script(reply, MIN_REPLY)
    if first and second and first != second:
        return True
    if first == second == "han" and _is_japanese(given) != _is_japanese(reply):
        return True
    first, second = language(given), language(reply)
    return bool(first and second and first != second)
