"""Words that tell that something changed, ended or is so again, and words of time."""

from __future__ import annotations

import re

from app.memory.extractive.words import MONTHS, stem, word_set

# What was so is so no more, whatever words it was told in.
CHANGE = re.compile(
    r"\b(?:moved|switched|changed|replaced|instead|sold|slipped|extended|postponed|delayed|raised|"
    r"lowered|increased|reduced|renamed|rebooked|rescheduled|relocated|swapped|migrated|upgraded|"
    r"downgraded|dropped|ditched|rewrote|rewritten|ported|converted|exchanged|přestěhov\w+|změn\w+|přesu\w+|přesouv\w+|zvedl\w*|zvýš\w+|"
    r"zvyš\w+|snížil\w*|navýš\w+|přejmenov\w+|přeobjedn\w+|odlož\w+|vyměn\w+|umgezogen|"
    r"gewechselt|statt|verschoben|verlegt|umbenannt|umgebucht|ersetzt|erhöht|gesenkt|déménagée?s?|"
    r"reportée?s?|déplacée?s?|remplacée?s?|augmentée?s?|renommée?s?|mud[éó]|mudad[oa]s?|"
    r"aplazad[oa]s?|trasladad[oa]s?|reemplaz\w+|переехал\w*|перен[её]с\w*|заменил\w*|"
    r"переименова\w+)\b|引っ越し|変更|に(?:変わ|上が|下が|延期)|搬到|[涨改升降迟前]到|[换改]成|"
    r"바[꾸꿨뀌뀐뀠]|변경|옮[겨겼]|이사[했갔]|연기|올랐|내렸",
    re.IGNORECASE,
)
# Since lately.
LATELY = re.compile(
    r"\b(?:these days|nowadays|from now on|by now|lately|poslední dobou|nejnověji|neuerdings|"
    r"seit kurzem|mittlerweile|inzwischen|ces jours-ci|dorénavant|hoy en día|отныне)\b",
    re.IGNORECASE,
)
# It ended.
ENDED = re.compile(
    r"\b(?:no longer|any ?more|už ne\w*|nicht mehr|kein\w* mehr|ne plus|ya no|больше не)\b"
    # "On Friday, not Thursday."
    r"|(?<=, )(?:not|ne|nicht|pas|no|не) (?=(?:an? |the |on |at |in )?\w+[.!]?$)",
    re.IGNORECASE,
)
# It is about the one that there was before.
FORMER = re.compile(
    r"\b(?:(?:the|my|our) old|former|previous|bývalý|bývalá|předchozí|ehemalige[nrs]?|"
    r"(?:der|die|das|meine?|unsere?) alte|ancienne?|anterior|бывш(?:ий|ая))\b(?!.*\b(?:now|new)\b)",
    re.IGNORECASE,
)
# What was so once is so once more.
AGAIN = re.compile(r"\b(?:again|zase|wieder|de nouveau|otra vez|снова|опять)\b", re.IGNORECASE)
# Values, beside what has a digit: days and months. They are no topic, nor are words of time.
CALENDAR = MONTHS | word_set(
    "monday tuesday wednesday thursday friday saturday sunday pondělí úterý středa středu čtvrtek"
    " pátek sobota sobotu neděle neděli montag dienstag mittwoch donnerstag freitag samstag sonntag"
    " lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes"
    " sábado domingo понедельник вторник среда среду четверг пятница пятницу суббота субботу"
    " воскресенье"
)
TIME = frozenset(
    map(
        stem,
        word_set(
            "yesterday today tomorrow week month year ago last since recently news must shall"
        ),
    )
)
