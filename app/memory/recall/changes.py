"""Words that tell that something changed, ended or is so again, and words of time."""

from __future__ import annotations

import re

from app.memory.extractive.words import stem, word_set

# What was so is so no more, whatever words it was told in.
CHANGE = re.compile(
    r"\b(?:moved|switched|changed|replaced|instead|sold|slipped|extended|postponed|raised|lowered|"
    r"increased|reduced|přestěhov\w+|změn\w+|přesu\w+|přesouv\w+|zvedl\w*|zvýšil\w*|snížil\w*|"
    r"umgezogen|gewechselt|statt|verschoben|erhöht|gesenkt|déménagé|reporté|mudé|mudado|aplazado|"
    r"переехал\w*|перенес\w*)\b|引っ越し|変更|搬到|涨到|改到",
    re.IGNORECASE,
)
# It ended.
ENDED = re.compile(
    r"\b(?:no longer|any ?more|už ne\w*|nicht mehr|kein\w* mehr|ne plus|ya no|больше не)\b",
    re.IGNORECASE,
)
# What was so once is so once more.
AGAIN = re.compile(r"\b(?:again|zase|wieder|de nouveau|otra vez|снова|опять)\b", re.IGNORECASE)
# Values, beside what has a digit: days and months. They are no topic, and so are words of time.
CALENDAR = word_set(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june"
    " july august september october november december pondělí úterý středa středu čtvrtek pátek"
    " sobota sobotu neděle neděli ledna února března dubna května června července srpna září října"
    " listopadu prosince montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar"
    " märz mai juni juli oktober dezember lundi mardi mercredi jeudi vendredi samedi dimanche"
    " janvier février mars avril juin juillet août septembre octobre novembre décembre lunes martes"
    " miércoles jueves viernes sábado domingo enero febrero marzo mayo junio julio agosto"
)
TIME = frozenset(
    map(stem, word_set("yesterday today tomorrow week month year ago last since recently news"))
)
