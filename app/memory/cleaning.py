"""A model's reply made clean: reasoning, wrappers, labels, echoes and chatter around it go.

Pure functions of texts. What is left is judged by ``checks.py``; it may be "".
"""

from __future__ import annotations

import json
import re
from typing import Any, cast

from app.conversation.message import INVISIBLE
from app.memory.prompts import FOLD_SYSTEM
from app.memory.reasoning import strip_reasoning

# Nobody sees these, and some turn the direction of the text around them or hide orders in it.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2061-\u2064\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
_SURROGATES = re.compile("[\ud800-\udfff]")
_WRAPPED = re.compile(
    r"<((?:updated|new|final)?[_ -]?(?:summary|notes|output|answer|result|response))\b[^>]{0,400}>"
    r"(.*?)(?:</\1\s*>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
# A fence around notes, not around code: code in another language is an answer.
_FENCE = re.compile(
    r"```(?:markdown|md|text|txt|plaintext|plain|json|yaml|summary|notes)?[ \t]*\n"
    r"(.*?)(?:\n[ \t]*```|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_AROUND = 200  # characters around a wrapper that may be dropped with it
_LABEL_WORDS = (
    r"(?:updated |running |new |revised |current |previous |conversation |concise |brief |final )*"
    r"(?:summary(?: of (?:the|our|this) conversation)?|notes|conversation context|"
    r"context(?=\s*[:：]\s*(?:summary|context))|zusammenfassung|notizen|résumé|resumen|riassunto|"
    r"resumo|samenvatting|sammanfattning|podsumowanie|streszczenie|shrnutí|souhrn|zhrnutie|"
    r"összefoglaló|özet|резюме|краткое содержание|итог|підсумок|ملخص|الملخص|סיכום|सारांश|"
    r"要約|まとめ|摘要|总结|總結|概要|요약)"
    r"(?: of (?:the|our|this) conversation)?(?: so far)?"
)
_PREAMBLE = (
    r"(?:(?:sure|certainly|of course|absolutely|okay|ok|great|alright)\b[ ,.!:-]*)?"
    r"(?:(?:here(?:['’]s| is| are)|this is|below (?:is|are)) (?:the|an|your|my|a)? ?)?"
)
_HEAD = 400  # characters in which a label may stand
_MARKS = 12  # of emphasis or heading in a row: more is no label (and long runs cost time)
_LABEL = re.compile(
    rf"\A[#*_>\s\-]{{0,{_MARKS}}}{_PREAMBLE}[*_]{{0,3}}{_LABEL_WORDS}"
    rf"(?:,? (?:as requested|in (?:at most|under|about) [^:\n]{{1,40}}|with [^:\n]{{1,60}}))?"
    rf"[*_\s]{{0,{_MARKS}}}(?:[:：][*_]{{0,3}}|\n|\Z)[ \t]{{0,{_MARKS}}}\n{{0,{_MARKS}}}",
    re.IGNORECASE,
)
_LINE_LABEL = re.compile(
    rf"^([#*_ \t\-]{{0,{_MARKS}}})(?:{_LABEL_WORDS})"
    r"[*_]{0,3}[ \t]{0,3}[:：][*_]{0,3}[ \t]{0,3}(?=\S)",
    re.IGNORECASE | re.MULTILINE,
)
_FENCE_LINES = re.compile(
    r"^[^\S\n]*</?\s{0,20}(?:notes|turns|earlier|summary)\s{0,20}>[^\S\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_END_TOKENS = re.compile(
    r"(?:<\|(?:im_end|endoftext|eot_id|end|end_of_text|return|end_of_turn)\|>|</s>|<end_of_turn>"
    r"|\[/?INST\]|<｜end▁of▁sentence｜>)\s*"
)
_ECHOES = (
    "the notes so far:",
    "the messages that come next:",
    "write the updated notes now",
    "(none yet)",
    *(
        line.lower()[:24]
        for line in FOLD_SYSTEM.splitlines()
        if len(line) > 24 and "{" not in line[:24]
    ),
)
_CHATTER = re.compile(
    r"\A\W*(?:let me know\b|would you like\b|is there anything\b|feel free\b|"
    r"i hope (?:this|that)\b|"
    r"please let me know\b|do you want me to\b|if you (?:need|want|would like|have any)\b"
    r".{0,60}\b(?:let me|ask|just)\b)",
    re.IGNORECASE,
)
_HALF_TAG = re.compile(r"</?[\w-]{0,24}")
_JSON_KEYS = ("summary", "notes", "updated_notes", "updated_summary", "text", "content", "output")
_DEEPEST = 20  # brackets of a reply in JSON: more of them kill the page's interpreter


def clean_reply(reply: str) -> str:
    """A reply without reasoning, wrappers, labels, echoes and chatter; may be ""."""
    text = _SURROGATES.sub("\ufffd", reply.replace("\r\n", "\n").replace("\r", "\n"))
    text = strip_reasoning(text)
    text = _END_TOKENS.sub("", _UNSEEN.sub("", text)).strip(INVISIBLE)
    for _ in range(6):  # label, fence, wrapper and JSON in any order
        before = text
        text = _without_chatter(text)
        head, rest = text[:_HEAD], text[_HEAD:]
        text = (_LABEL.sub("", head) + rest).strip(INVISIBLE)
        text = _from_json(_unwrap(_unwrap(text, _FENCE, 1), _WRAPPED, 2)).strip(INVISIBLE)
        if text == before:
            break
    text = _LINE_LABEL.sub(r"\1", _FENCE_LINES.sub("", text))
    lines = [line.rstrip() for line in text.split("\n") if line.strip(INVISIBLE)]
    lines = [line for line in lines if not _is_echo(line)]
    return "\n".join(_once(lines)).strip(INVISIBLE)


def _without_chatter(text: str) -> str:
    """The text without the polite lines at its end; a tag cut off is no text."""
    if _HALF_TAG.fullmatch(text):
        return ""
    lines = text.rstrip(INVISIBLE).split("\n")
    while lines and (not lines[-1].strip(INVISIBLE) or _CHATTER.match(lines[-1])):
        lines.pop()
    return "\n".join(lines)


def _unwrap(text: str, pattern: re.Pattern[str], group: int) -> str:
    """What stands inside a wrapper, when little stands around it."""
    found = pattern.search(text)
    if found is None:
        return text
    if found.start() > _AROUND or len(text) - found.end() > _AROUND:
        return text
    around = text[: found.start()] + text[found.end() :]
    inside = found.group(group)
    return text if len(around.strip(INVISIBLE)) > len(inside) else inside


def _is_echo(line: str) -> bool:
    """Whether a line is one of the prompt's own."""
    bare = line.strip(" \t*#>").lower().removeprefix("- ")
    return bare == "rules:" or bare.startswith(_STARTS)


_STARTS = tuple(dict.fromkeys(echo.removeprefix("- ") for echo in _ECHOES))


def _once(lines: list[str]) -> list[str]:
    """The lines without repetitions: a model that loops says the same again and again."""
    seen: set[str] = set()
    kept: list[str] = []
    for line in lines:
        key = " ".join(line.lower().split())
        if key not in seen or len(key) < 4:  # a short rule or bullet may come again
            seen.add(key)
            kept.append(line)
    return kept


def _from_json(text: str) -> str:
    """The notes of a reply in JSON, as lines; any other text as it is."""
    if not (text.startswith("{") and text.endswith("}")) and not (
        text.startswith("[") and text.endswith("]")
    ):
        return text
    depth = deepest = 0
    for char in text:
        depth += (char in "[{") - (char in "]}")
        deepest = max(deepest, depth)
    if deepest > _DEEPEST:
        return text
    try:
        value: object = json.loads(text)
    except ValueError:
        return text
    if isinstance(value, dict):
        found = cast(dict[str, Any], value)
        if "error" in found or "detail" in found:
            return text
        for key in _JSON_KEYS:
            if found.get(key) is not None:
                return "\n".join(_flat(found[key]))
    elif not any(isinstance(item, str | dict) for item in cast(list[object], value)):
        return text
    return "\n".join(_flat(cast(object, value)))


def _flat(value: object, name: str = "") -> list[str]:
    """The texts of a JSON value, one a line; names of fields become headings or labels."""
    if isinstance(value, dict):
        lines: list[str] = []
        for key, item in cast(dict[str, object], value).items():
            inner = _flat(item, str(key))
            if isinstance(item, dict | list) and inner:
                lines.append(f"{key}:")
            lines += inner
        return lines
    if isinstance(value, list):
        return [line for item in cast(list[object], value) for line in _flat(item)]
    if value is None:
        return []
    text = str(value)
    return [f"{name}: {text}" if name else text]
