"""Cuts a message into units that can stand alone: sentences, clauses, list items, code lines.

A unit keeps its own words in their order. Cuts are made only where both sides say something whole.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from app.memory.extractive.sentences import END, NO_ORDINAL

MOST = 40_000  # characters of one message that are looked at
LONG = 45  # words; a longer sentence is cut at its commas, then anywhere

_PHOTO = re.compile(
    r"\[(photo|image|file|picture)(?::\s*((?:an? )?(?:close up |black and white )?"
    r"(?:photo(?:graph)?y?|picture|image) of )?([^\]\n]{0,400}))?\]",
    re.IGNORECASE,
)
_ITEM = re.compile(
    rf"^\s*(?:[-*+•‣]|\d{{1,3}}(?:\)|\.{NO_ORDINAL})|[a-z]\))\s+(?=\S)", re.IGNORECASE
)
_RULE = re.compile(r"^[\s|:=_*#~+-]*$")
_CLAUSE = re.compile(
    r"\s*;\s+|\s+[–—-]+\s+(?=(?:I|we|he|she|they|it|my|our|the|this|that's|it's|i'm|we're)\b)"
    r"|,?\s+(?=(?:and|so)\s+(?:I|I'm|I've|I'll|I'd|we|we're|we've|he|she|he's|she's|they|it|it's|my|our|"
    r"the|this|there)\s)",
    re.IGNORECASE,
)
# A part that may be left off behind the clause that it hangs on, and what must never be left off.
_TAIL_CLAUSE = re.compile(
    r",\s+(?=(?:which|who|where|making|giving|helping|letting|reminding|especially|and|just|even|"
    r"as|with|from|by|plus|it's|it|that's|this|i|i'm|i've|we|we're|they|they're|he|she|my|so)\s+\w+\s)"
    r"|\s+[–—-]+\s+(?=\w)|\s+(?=because\s)",
    re.IGNORECASE,
)
# What takes back, ends or limits what was said before it.
_TURN = (
    r"false|untrue|wrong|a lie|lied|mistaken?|changed|stopped|ended|forbade|bann?ed|denied|broken?|"
    r"(?:fail|cancel|reject|refus|forbid|lack|exempt|omit|problem|avoid|danger|condition)\w*|"
    r"(?:exce|exclu)\w+|missing|void|hardly|barely|rarely|seldom|almost|nearly|again|any ?more|"
    r"no longer|called off|left out|turn(?:s|ed) out|backed out|turned (?:it|them|him|her) down|"
    r"(?:postpon|withdr|expir|declin|undo|kidd|jok)\w*|undid|quit|off limits|skip"
)
_BINDING = re.compile(
    r"\d|\b(?:not|never|no|none|nothing|nobody|without|if|unless|may|might|should|could|would|must|"
    r"can|cannot|only|except|but|however|though|until|instead|than|or|nor|had to|have to|"
    r"zero|one|two|three|four|five|six|seven|eight|nine|ten|"
    r"when|pending|(?:as|so) long as|provid(?:ed|ing)|assum\w+|unlike|(?:apart|aside) from|besides|"
    rf"{_TURN})\b|n['’]t\b",
    re.IGNORECASE,
)
_TURNS = re.compile(rf"\b(?:{_TURN})\b", re.IGNORECASE)
_HEDGE = re.compile(
    r"\b(?:if|unless|because|since|although|though|until|whether|when|whenever|wherever|while|before|"
    r"after|once|provided|except|neither|either|that|pokud|jestli|protože|aby|když|wenn|weil|falls|obwohl|"
    r"damit|dass|si|quand|parce|lorsque|cuando|porque|если|когда|потому|чтобы)\b",
    re.IGNORECASE,
)
_HEAD = re.compile(
    r"^(?:(?:oh|wow|whoa|hey|hi|hello|yeah|yep|yup|haha+|lol|aww*|ah+|hmm+|well|woohoo|yay|so yeah|"
    r"by the way|btw|you know|i mean|of course|thank(?:s| you)(?: a lot| so much)?|cheers|cool|"
    r"nice|awesome|ahoj|čau|hele|hallo|naja|also|bonjour|salut|hola|привет)"
    r"(?:[,!.…]+| [-–—] )\s*)+",
    re.IGNORECASE,
)
_VOCATIVE = re.compile(
    r"^(?i:(?:oh|wow|hey|hi|hello|thanks|thank you|yeah|cheers|cool|nice|awesome|dear),? )?"
    r"[A-Z][\w.'-]{1,15}[,!] +(?=[A-Z]|\S+ )"
)
_TAIL = re.compile(
    r"[,;\s]*(?:\b(?:right|you know|eh|huh|haha+|lol|check it out|take a look|ne|že)\b[!?. ]*|"
    r"[\u2600-\u27bf\U0001f300-\U0001faff\ufe0f\u200d\s]+)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of a message. ``kind`` is prose, list, photo or code; ``glue`` is what stood between
    it and the unit before when both are of one sentence; ``hangs`` means that it cannot stand
    without the unit before."""

    text: str
    kind: str = "prose"
    glue: str = ""
    hangs: bool = False


@lru_cache(maxsize=1024)
def units(text: str, names: frozenset[str] = frozenset()) -> tuple[Unit, ...]:
    """The units of ``text`` in order. ``names`` (lower case) are speakers, dropped when called."""
    out: list[Unit] = []
    code = False
    if len(text) > MOST:  # of a huge paste its head and its end
        text = text[: MOST // 2] + "\n" + text[-MOST // 2 :]
    for block in _blocks(text):
        if block.startswith(_FENCE):
            code = not code
            continue
        if code:
            line = " ".join(block.split())
            if len(line) > 3 and not _RULE.match(line):
                out.extend(Unit(piece, "code") for piece in _hard_cut(line))
            continue
        if block.startswith(_LIST):
            whole = trim(block[1:], names)
            out.extend(Unit(piece, "list") for piece in (_hard_cut(whole) if whole else ()))
        else:
            out.extend(_prose(block, names))
    return tuple(out)


_LIST = "\x00"  # marks a block made of list items: it is not cut at its semicolons
_FENCE = "```"  # where code begins or ends, however it was fenced


def _blocks(text: str) -> list[str]:
    """Paragraph lines: wrapped lines joined, list items joined to their lead-in while short."""
    blocks: list[str] = []
    code = False
    listing = False
    for raw in text.splitlines():
        line = raw.strip()
        if line.startswith(("```", "~~~")):
            code = not code
            listing = False
            blocks.append(_FENCE)
            continue
        if code:
            blocks.append(line)
            continue
        if not line or _RULE.match(line):
            listing = listing and not line
            continue
        item = _ITEM.match(line)
        if item is not None:
            body = line[item.end() :]
            last = blocks[-1] if blocks else ""
            if listing and len(last) + len(body) < 160:
                blocks[-1] = f"{last}; {body}"
            elif last.endswith((":", "：")) and len(last) < 120:
                blocks[-1] = f"{_LIST}{last.removeprefix(_LIST)} {body}"
            else:
                blocks.append(_LIST + body)
            listing = True
            continue
        if line.startswith("|") and line.endswith("|"):
            blocks.append(" | ".join(cell.strip() for cell in line.strip("|").split("|")))
            listing = False
            continue
        if blocks and not listing and line[0].islower() and blocks[-1][-1] not in ".!?:;。！？`|":
            blocks[-1] += " " + line
        else:
            blocks.append(line.lstrip("#> ").strip() or line)
        listing = False
    return blocks


def _prose(block: str, names: frozenset[str]) -> list[Unit]:
    out: list[Unit] = []
    at = 0
    for match in _PHOTO.finditer(block):
        out.extend(_sentences(block[at : match.start()], names))
        shown = (match.group(3) or "").strip()
        label = match.group(1).lower()
        out.append(Unit(f"[{label}: {shown}]" if shown else f"[{label}]", "photo"))
        at = match.end()
    out.extend(_sentences(block[at:], names))
    return out


def _sentences(text: str, names: frozenset[str]) -> list[Unit]:
    out: list[Unit] = []
    for sentence in END.split(text):
        whole = trim(" ".join(sentence.split()), names)
        if not whole:
            continue
        greeting, _, called = whole.strip(" .,!?").lower().rpartition(" ")
        if called in names and greeting.rstrip(",") in ("", "hi", "hey", "hello", "oh", "thanks"):
            continue
        glue = ""
        for clause, after in _cut(whole, _CLAUSE, _HEDGE):
            hangs = False
            for part, behind in _cut(clause, _TAIL_CLAUSE, None):
                for piece in _hard_cut(part):
                    kind = "code" if is_code(piece) else "prose"
                    out.append(Unit(piece, kind, glue, hangs))
                    glue = " "
                glue, hangs = behind, True
            glue = after
    return out


# Words at the head of a phrase that waits for its subject: "In my free time, I …".
_LEAD = re.compile(
    r"(?:(?:and|but|so|or|oh|ok|well|then|also) )?(?:in|on|at|with|despite|during|for|from|as|by|"
    r"like|over|under|without|last|this|next|one|growing|speaking|seeing|watching|looking|thinking|"
    r"having|being)\s",
    re.IGNORECASE,
)
_SUBJECT = re.compile(r"(?:i|we|they|he|she|it|this|that|my)\b", re.IGNORECASE)
_ASIDE = re.compile(r"\s*\([^()]*\)")


def _leads_in(part: str, rest: str) -> bool:
    """Whether ``part`` only opens the clause that ``rest`` begins, or a list that it ends."""
    if _SUBJECT.match(rest) and _LEAD.match(part):
        return True
    last = part.rpartition(",")[2]
    return rest[:4].lower() in ("and ", "plus") and last != part and last.count(" ") <= 3


def _cut(
    text: str, at_what: re.Pattern[str], never: re.Pattern[str] | None
) -> list[tuple[str, str]]:
    """The parts of ``text`` and what stood behind each; a part has at least four words (those in
    brackets do not count).

    With ``never`` no part is cut off that matches it; without, no rest that binds the first.
    """
    if text.count(" ") < 8 or text.endswith("?"):  # half a question is none
        return [(text, "")]
    parts: list[tuple[str, str]] = []
    at = 0
    for match in at_what.finditer(text):
        part = text[at : match.start()]
        rest = text[match.end() :]
        if _ASIDE.sub("", part).count(" ") < 3 or rest.count(" ") < 2:
            continue
        if never is not None and (never.search(part) or _TURNS.search(rest)):
            continue
        if never is None and (
            _BINDING.search(rest) or _HEDGE.search(part) or _leads_in(part, rest)
        ):
            continue
        if match.group(0).lstrip().startswith(";") and ":" in text[: match.start()]:
            continue  # a list behind its lead-in
        if part.count("(") != part.count(")") or part.count('"') % 2:
            continue
        parts.append((part, match.group(0)))
        at = match.end()
    parts.append((text[at:], ""))
    return parts


def is_code(text: str) -> bool:
    """Whether ``text`` looks like a line of code or of a log, fenced or not."""
    if text.endswith((".", "!", "?", "。")):
        return False
    marks = sum(text.count(mark) for mark in "={}[]<>\\|()")
    return marks >= 3 or (marks == 2 and "=" in text)


def trim(text: str, names: frozenset[str] = frozenset()) -> str:
    """``text`` without filler at its edges; what carries meaning ("no", "yes", "not") stays."""
    for _ in range(3):
        before = text
        text = _HEAD.sub("", text)
        call = _VOCATIVE.match(text)
        if call is not None and _called(call.group(0)) in names:
            text = text[call.end() :]
        at = max(0, len(text) - 40)
        tail = _TAIL.search(text[at:])
        if tail is not None and at + tail.start() > 12:
            end = at + tail.start()
            text = text[:end] + ("" if text[end - 1] in ".!?" else ".")
        if text == before:
            break
    return text.strip()


def _called(text: str) -> str:
    return text.rstrip(" ,!").split(" ")[-1].lower()


def _hard_cut(text: str) -> list[str]:
    """``text`` in pieces of about LONG words and at most 8 x LONG characters, if it has more."""
    words = text.split(" ")
    if len(words) <= LONG and len(text) <= 8 * LONG:
        return [text]
    out: list[str] = []
    piece = ""
    for part in re.findall(r"[^,，、;；]+[,，、;；]?\s*", text) or [text]:
        if (piece and (piece + part).count(" ") >= LONG - 10) or len(piece + part) > 6 * LONG:
            if piece:
                out.append(piece.strip())
            piece = ""
        piece += part
        while piece.count(" ") > LONG or len(piece) > 8 * LONG:
            cut = piece.rfind(" ", 0, 5 * LONG)
            cut = cut if cut > 0 else 4 * LONG
            out.append(piece[:cut].strip())
            piece = piece[cut:].lstrip()
    if piece.strip():
        out.append(piece.strip())
    return [p for p in out if p]
