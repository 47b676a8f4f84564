"""Where a sentence ends, in any language: not behind "Mr.", nor between "4." and "Mai"."""

from __future__ import annotations

import re

from app.memory.extractive.words import MONTHS

# Behind "4.", in the languages that write a date, a storey or a century so.
_COUNTED = "|".join(sorted(MONTHS)) + (
    "|jahrhunderts?|jahrestag|geburtstag\\w*|lebensjahr|klasse|etage|obergeschoss|quartals?|semester|"
    "století|narozenin\\w*|výročí|patr[aoue]|místo|místa|třída|třídy|třídě"
)
NO_ORDINAL = rf"(?!\s+(?:{_COUNTED})\b)"
_SMALL = re.escape("".join(filter(str.islower, map(chr, range(0x2000)))))
END = re.compile(
    r"(?<=[.!?…])(?<!\b[A-Z]\.)(?<!\b(?:Mr|Ms|Dr|St|No|vs|Jr|Sr)\.)(?<!\b(?:Mrs|Dra|Sra)\.)"
    r"(?<!\bProf\.)(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bnapř\.)(?<!\bz\.B\.)"
    rf"(?:(?<!\d\.)|(?i:{NO_ORDINAL}))"
    rf"[\"'”’)\]]*\s+(?=\S)(?![{_SMALL}])"
    r"|(?<=[。！？])(?![」』）。！？])|(?<=[.!?]\")\s+(?=[A-Z])"
)
