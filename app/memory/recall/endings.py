"""Finds what became of an answer: "I sold the Skoda" is news for whoever asked what I drive.

Such a message shares no word with the question, only the thing that answers it. So the answers are
looked through for things, and what was said later of one of these for words like "sold".
"""

from __future__ import annotations

import re

from app.memory.extractive.words import STOP, bigrams, is_dense, runs, stem, word_set
from app.memory.recall.changes import CALENDAR, TIME
from app.memory.recall.people import is_of_another
from app.memory.recall.statements import Said

HOPS = 3  # "I sold the Skoda and bought a Tesla", "I sold the Tesla"
COMMON = 40  # messages that have a thing; one that more have is no thing that answers
OBJECT = 3  # words next to the verb that may name what was given up

_GAVE_UP = re.compile(
    r"\b(?:sold|quit|cancell?ed|dropped|ditched|swapped|replaced|traded(?: in)?|exchanged|"
    r"returned(?! to)|g[ai]ve(?:n)? (?:up|away|back)|got rid of|broke up with|split up with|"
    r"divorced|(?:stopped|quit) \w+ing|"
    r"(?:switched|moved|migrated|changed|resigned|retired|unsubscribed|withdrew) (?:away )?from|"
    r"left(?-i:(?= [A-Z]))(?!.* (?:at|in|on|with|behind|alone)\b)|"
    r"prodal[aio]?|zrušil[aio]?|vyměnil[aio]?|vrátil[aio]?(?! (?:jsem )?se)|"
    r"přesta(?:l|la|li)(?: jsem)? \w+t|rozešl[aio]? (?:jsem )?se s|"
    r"vend[iíu]e?s?|annulée?s?|quittée?s?|résiliée?s?|échangée?s?|arrêté (?:de |d')\w+|"
    r"cancel[éó]|dejé(?: de \w+)?|cambié|devolví|продала?|отменила?|уволил(?:ся|ась)(?: из)?|"
    r"бросила?|вернула?)\b",
    re.IGNORECASE,
)
# The thing comes first: "den Skoda verkauft", "シュコダを売った".
_GIVEN_UP = re.compile(
    r"\b(?:verkauft|gekündigt|storniert|zurückgegeben|aufgegeben|abgegeben|getauscht|abbestellt|"
    r"verlassen|getrennt|abgesetzt)\b|を?(?:売[りっ]|手放し|解約し|キャンセルし|辞め|やめ|返品し)|"
    r"(?:팔았|취소했|그만뒀|그만두|해지했)",
    re.IGNORECASE,
)
# Before it or behind it: "卖了丰田", "把丰田卖了".
_BOTH = re.compile(r"(?:卖掉?了?|取消了?|辞掉了?|离开了?|退掉了?|不再用)")
_HAVE = word_set("habe hab haben hatte wurde heute gestern")  # beside those that are empty
_NOT = re.compile(
    r"\b(?:not|never|almost|nearly|might|may|would|could|should|if|nicht|nie|fast|ne\w*[ln]|pas|"
    r"jamais|nunca|casi|не|чуть)\b|n['’]t\b|ない|没|不(?!再)|안 ",
    re.IGNORECASE,
)
_PART = re.compile(
    r"[,;:.!?。、，；：！？]|\s[–—-]\s|\b(?:and|but|because|und|aber|weil|ale|protože|et|mais|pero|"
    r"porque|но|а|a(?= (?:koupil|pořídil|začal|nastoupil|přešel|objednal|mám|jezdím)))\b"
)


def given_up(text: str) -> frozenset[str]:
    """Stems of what ``text`` says somebody gave up; none where it is not told of oneself."""
    out: set[str] = set()
    if _GAVE_UP.search(text) or _GIVEN_UP.search(text) or _BOTH.search(text):
        if text.endswith(("?", "？")) or is_of_another(text):
            return frozenset()
        for part in _PART.split(text):
            if _NOT.search(part):
                continue
            for words in (_GAVE_UP, _BOTH):
                found = words.search(part)
                out.update(_things(part[found.end() :])[:OBJECT] if found else ())
            for words in (_GIVEN_UP, _BOTH):
                found = words.search(part)
                out.update(_things(part[: found.start()])[-OBJECT:] if found else ())
    return frozenset(out)


def _things(text: str) -> list[str]:
    out: list[str] = []
    for run in runs(text):
        low = run.lower()
        if is_dense(run):
            out += bigrams(run) or [run]
        elif low not in STOP and low not in _HAVE and low not in CALENDAR and stem(low) not in TIME:
            out.append(stem(low))
    return out


def things(said: Said) -> frozenset[str]:
    """Stems of what may answer the question in ``said``: its words, but for the question's."""
    return (said.facts.all | said.facts.values) - said.asked


def is_answered_anew(old: Said, new: Said) -> bool | None:
    """None: it tells of nothing of ``old`` that it was given up. Else whether that is sure: it was
    what ``old`` says, not one thing of several."""
    if new.speaker != old.speaker:
        return None
    answers = things(old) - given_up(old.text)
    gone = given_up(new.text) & answers
    if not gone:
        return None
    named = (old.facts.names or old.facts.values) & answers
    return gone >= named if named else len(answers - gone) < 2
