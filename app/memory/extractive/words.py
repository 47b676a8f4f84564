"""Words of any script: where they are, what they are cut down to, and which of them are empty.

One light stemmer for all languages (it only makes forms of a word meet; nobody reads its
output), bigrams for scripts without spaces, and short lists of words that carry no content.
"""

from __future__ import annotations

import re
from functools import lru_cache

# Scripts that are written without spaces: Han, kana, Thai, Lao, Khmer, Myanmar.
_DENSE = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3041-\u30ff\u31f0-\u31ff\u3400-\u9fff"
    r"\uf900-\ufaff\uff66-\uff9f"
)
DENSE = re.compile(f"[{_DENSE}]")
_KANA = re.compile("[\u3041-\u309f\u30fc]+")
_RUN = re.compile(
    r"https?://[^\s<>\"')\]]*[^\s<>\"')\].,;:!?]"  # an address as one word
    r"|[\w.+-]{1,64}+@[\w-]+(?:\.[\w-]+)+"  # a mail address, as long as one may be
    f"|[{_DENSE}]+"
    r"|\d+(?:[.,:/-]\d+)*"
    rf"|[^\W{_DENSE}]+(?:['’][^\W\d_]+)?"
)

_STOP_TEXT = """
a an the and or but if then so because as of at by for with about against between into through
during before after above below to from up down in out on off over under again further here there
when where why how all any both each few more most other some such no nor not only own same than
too very can will just should now is am are was were be been being have has had having do does did
doing would could ought i me my myself we our ours ourselves you your yours yourself he him his
himself she her hers herself it its itself they them their theirs themselves what which who whom
this that these those don s t re ve ll d m im ive id youre its thats whats theyre dont didnt doesnt
isnt wasnt cant couldnt wont wouldnt lets let us also got get gets getting really going gonna much
many one ones something anything someone like well yeah yes oh hey hi wow ok okay great good nice
cool awesome amazing glad happy thanks thank sure definitely totally absolutely always never still
even yet ever every lot lots bit way thing things stuff make makes made making know think see look
looks looking feel feels feeling sounds sound right say says said tell want wanted need come came go
went take took give gave keep back new time day photo please i'm i've it's that's don't can't i'll
you're we're didn't doesn't isn't wasn't couldn't won't wouldn't let's i'd you've there's what's
a i že se na v je to s z do by ale jak si tak mi mě jsem jsi jsme jste jsou byl byla bylo být ta ty
co když už o k u za po od jako nebo ani jen ještě taky také můj moje tvůj
der die das und ist in den von zu mit sich des auf für im nicht ein eine als auch es an werden aus
er dass sie nach wird bei einer um am sind noch wie einem über einen so zum haben nur oder
aber vor zur bis mehr durch sein wurde sei ich du wir ihr mein dein mir mich dir
le la les un une des et est en du dans que qui pour pas sur au avec ce il elle je tu nous vous mon
ma mes ton ta ne se sa plus par ou mais si comme tout
el los las una unos de y es por con para que no se lo como más pero sus le ya o este sí porque
esta entre cuando muy sobre también me hasta hay donde quien desde todo nos mi tu
и в не на я что он с как это а то все она так его но да ты к у же вы за бы по ее мне было вот от
меня еще нет о из ему
"""


def word_set(text: str) -> frozenset[str]:
    """The words of a list that is written as text."""
    return frozenset(text.split())


# In lower case, as they stand in a date.
MONTHS = word_set(
    """
    january february march april may june july august september october november december
    ledna února března dubna května června července srpna září října listopadu prosince
    leden únor březen duben květen červen červenec srpen říjen listopad prosinec
    januar jänner februar märz mai juni juli oktober dezember
    janvier février mars avril juin juillet août septembre octobre novembre décembre
    enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
    января февраля марта апреля мая июня июля августа сентября октября ноября декабря
    """
)


STOP = word_set(_STOP_TEXT)

# Endings, and the letters that must be left of a word that loses one.
_SUFFIXES = tuple(
    (ending, least)
    for least, endings in (
        (3, "ing edly ed es ly ého ými ých ami ách ích ovi ech ům ou em ém ами ого ов ой ы и"),
        (2, "s"),
    )
    for ending in endings.split()
)
_LATER = tuple((ending, 4) for ending in ("ern", "en", "er"))  # of "gardens" as of "garden"
_SMALL = {"zero": "0", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
          "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12"}  # fmt: skip
_FORMS = {"used": "use", "using": "use"}  # too short for the rules
# What would meet a word that it has nothing to do with: "summer" and "sum".
_WHOLE = word_set(
    "summer dinner counter better listen flower corner letter shower matter hammer kitten number "
    "mother brother master banner batter butter bitter litter pepper modern charter center tender "
    "hunger barber quarter cluster"
)
# English words whose "e" goes before an ending: "bikes", "hiking", "moved".
_WITH_E = word_set(
    "age bake base bike bite bone cage cake care case cave code come cure dare date dive dose "
    "face fade fake file fire game gate gaze give hate hide hike hire hole home hope joke lake "
    "lane life like line live lose love make mile mine mode move name nose note pace page pile "
    "pipe pose race rate ride rise role rope rose rule safe sale save side site size smile take "
    "tape tide tile time tire tone tube tune vase vote wage wake wave wipe wire zone"
)
_VOWELS = frozenset("aeiouyáéěíóúůýàèìòùâêîôûäöüаеёиоуыэюя")


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A lower-cased word cut down so that most of its forms meet; numbers stay."""
    if word[0].isdigit():
        return word
    if "'" in word or "’" in word:
        word = word.replace("’", "'")
        head, _, tail = word.partition("'")
        word = head if tail in ("s", "ll", "re", "ve", "d", "m") and head else head + tail
    if "\uac00" <= word[-1] <= "\ud7a3":
        return _korean(word)
    if word in _SMALL or word in _FORMS:
        return _SMALL.get(word) or _FORMS[word]
    for endings in (_SUFFIXES, _LATER):
        for suffix, least in endings:
            if word.endswith(suffix) and len(word) - len(suffix) >= least:
                left = word.removesuffix(suffix)
                if word in _WHOLE:
                    break
                if suffix in ("ed", "ing", "es") and left + "e" in _WITH_E:
                    left += "e"  # "lived" and "living" are of "live", "bikes" of "bike"
                if suffix != "s" or word[-2] not in "su":
                    word = left
                break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls0123456789":
        word = word[:-1]
    if len(word) > 4 and word[-1] in _VOWELS:
        word = word[:-1]
    if len(word) > 4 and word[-1] == "y":
        word = word[:-1]
    return word


_PARTICLE = re.compile(
    r"(?<=..)(?:은|는|이|가|을|를|에|에서|에게|한테|으?로|의|도|만|와|과|랑|부터|까지|이?야|이?에요|예요|입니다)$"
)


def _korean(word: str) -> str:
    """Without the particles at its end; some words end like one, so that it goes on to the last."""
    while (left := _PARTICLE.sub("", word)) != word:
        word = left
    return word


@lru_cache(maxsize=4096)
def runs(text: str) -> tuple[str, ...]:
    """The words, numbers, addresses and dense-script runs of ``text``, in order, as written."""
    return tuple(_RUN.findall(text))


@lru_cache(maxsize=4096)
def low_words(text: str) -> frozenset[str]:
    """The different runs of ``text`` in lower case, with straight apostrophes."""
    return frozenset(run.lower().replace("’", "'") for run in runs(text))


def is_dense(run: str) -> bool:
    """Whether ``run`` is in a script that is written without spaces."""
    return run[0] >= "\u0e00" and DENSE.match(run) is not None


def bigrams(run: str) -> list[str]:
    """Overlapping pairs of a dense-script run; a single character stands alone."""
    if len(run) < 2:
        return [run]
    return [run[i : i + 2] for i in range(len(run) - 1)]


def is_kana(text: str) -> bool:
    """Whether ``text`` is all hiragana: endings and particles, for the most part."""
    return _KANA.fullmatch(text) is not None


def terms(text: str) -> list[str]:
    """The index terms of ``text``: stems, numbers, bigrams; words without content left out."""
    out: list[str] = []
    for run in runs(text):
        if is_dense(run):
            out.extend(b for b in bigrams(run) if not is_kana(b))
            continue
        low = run.lower()
        if low in STOP or (len(low) < 2 and not low.isdigit()):
            continue
        out.append(stem(low))
    return out
