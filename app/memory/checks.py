"""What is accepted as a summary: a model's word is checked, not trusted.

Reasoning is stripped; empty, cut-off, refusing, erroneous, answering or foreign-language replies
are rejected with the reason. Each check is a pure function of texts.
"""

from __future__ import annotations

import re

from app.conversation.message import INVISIBLE
from app.memory.language import differs

_TAGS = "think|thinking|thought|thoughts|reasoning|reason|reflection|analysis|scratchpad"
_OPEN = re.compile(rf"\A\s*<({_TAGS})\b[^>]*>", re.IGNORECASE)
_CLOSE = re.compile(rf"</({_TAGS})\s*>", re.IGNORECASE)
_OTHER_PAIRS = (("[THINK]", "[/THINK]"), ("◁think▷", "◁/think▷"), ("<|think|>", "<|/think|>"))
_HARMONY_FINAL = "<|channel|>final<|message|>"
_WRAPPED = re.compile(
    r"\A\s*<(summary|notes|output|answer|result)\b[^>]*>(.*?)(?:</\1\s*>\s*)?\Z",
    re.IGNORECASE | re.DOTALL,
)
_CODE_FENCE = re.compile(r"\A```[a-zA-Z]*\n(.*?)\n?```\Z", re.DOTALL)
_LABELS = re.compile(
    r"\A(?:[#*_\s]*(?:(?:here (?:is|are)|this is) (?:the|an|your) )?"
    r"(?:updated |running |new |revised |conversation |concise |brief )*"
    r"(?:summary|notes|conversation context|summary of (?:the|our) conversation)"
    r"(?: of (?:the|our) conversation)?(?: so far)?[*_\s]*:[*_]*[ \t]*\n*)+",
    re.IGNORECASE,
)
_FENCE_LINES = re.compile(
    r"^\s*</?\s*(?:notes|turns|earlier)\s*>\s*$", re.IGNORECASE | re.MULTILINE
)
_PROMPT_ECHOES = (
    "the notes so far:",
    "the messages that come next:",
    "details not to lose:",
    "write the updated notes now",
    "you keep the running notes",
    "(none yet)",
)
_REFUSALS = re.compile(
    r"\A\W*(?:i['’]?m sorry|i am sorry|sorry|i apologi[sz]e|unfortunately|i can(?:no|['’])t|"
    r"i cannot|i(?:['’]m| am) (?:unable|not able)|i won['’]t|as an ai\b|"
    r"omlouvám se|bohužel nemohu|es tut mir leid|ich kann (?:das |dies )?nicht|"
    r"lo siento|no puedo|désolé|je suis désolé|je ne peux pas|mi dispiace|desculpe|"
    r"申し訳|すみません|抱歉|很抱歉|对不起|我无法|извините|к сожалению|죄송)",
    re.IGNORECASE,
)
_ERRORS = re.compile(
    r"\A\W*(?:error\b|errors?:|internal server error|bad gateway|service unavailable|"
    r"gateway time-?out|upstream (?:error|timeout|connect)|exception\b|traceback\b|"
    r"request failed|too many requests|rate limit|unauthorized|forbidden|"
    r"\{\s*\"(?:error|detail|message)\"|<!doctype|<html|\d{3} (?:bad|internal|service|gateway))",
    re.IGNORECASE,
)
_ANSWERS = re.compile(
    r"\A\W*(?:sure\b[,!.]|certainly\b[,!.]|of course\b[,!.]|absolutely\b[,!.]|great question|"
    r"happy to help|i['’]?d be (?:happy|glad)|how can i (?:help|assist)|what would you like|"
    r"hello\b[!,.]|hi\b[!,.]|you['’]re welcome|thank you for (?:sharing|your))",
    re.IGNORECASE,
)
SHORT = 400  # characters: a refusal or an error that is longer may be what was talked about


def strip_reasoning(reply: str) -> str:
    """``reply`` without its reasoning; "" when it is nothing but unfinished reasoning.

    A tag that is quoted in prose stays: only one that opens the reply, or a closer that no
    opener before it quotes, counts as markup.
    """
    text = reply
    if _HARMONY_FINAL in text:
        text = text.rsplit(_HARMONY_FINAL, 1)[1].split("<|end|>")[0].split("<|return|>")[0]
    elif text.lstrip().startswith("<|channel|>"):
        return ""
    for opener, closer in _OTHER_PAIRS:
        if text.lstrip().startswith(opener) or (closer in text and opener not in text):
            text = text.rsplit(closer, 1)[1] if closer in text else ""
    for _ in range(8):
        opened = _OPEN.match(text)
        if not opened:
            break
        name = opened.group(1)
        closed = re.compile(rf"</{name}\s*>", re.IGNORECASE).search(text, opened.end())
        if closed is None:
            return ""
        text = text[closed.end() :]
    closers = [m for m in _CLOSE.finditer(text) if not _quoted(text, m.start(), m.end())]
    if closers:
        last = closers[-1]
        opener = re.compile(rf"<{last.group(1)}\b[^>]*>", re.IGNORECASE).search(
            text, 0, last.start()
        )
        if opener is None:  # the template opened the reasoning before the reply began
            return text[last.end() :]
        if text[: opener.start()].rpartition("\n")[2].strip() == "":  # a block of its own
            return text[: opener.start()] + text[last.end() :]
    return text


def _quoted(text: str, start: int, end: int) -> bool:
    """Whether a tag stands in backticks or quotation marks, as prose about tags has it."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if before and before in "`'\"“‘«" and after and after in "`'\"”’»":
        return True
    line = text[text.rfind("\n", 0, start) + 1 : start]
    return line.count("`") % 2 == 1


def clean_reply(reply: str) -> str:
    """A reply without reasoning, wrappers, labels and echoed fences; may be ""."""
    text = strip_reasoning(reply).strip(INVISIBLE)
    for pattern in (_CODE_FENCE, _WRAPPED):
        found = pattern.match(text)
        if found:
            text = found.group(found.lastindex or 1).strip(INVISIBLE)
    text = _FENCE_LINES.sub("", text)
    text = _LABELS.sub("", text)
    lines = [
        line.rstrip()
        for line in text.split("\n")
        if line.strip(INVISIBLE) and not line.strip().lower().startswith(_PROMPT_ECHOES)
    ]
    return "\n".join(lines).strip(INVISIBLE)


def problem(text: str, given: str, finish: str = "") -> str:
    """Why a cleaned reply is no summary of ``given`` (previous notes and messages); "" if it is."""
    if finish in ("length", "content_filter"):
        return "it was cut off" if finish == "length" else "it was filtered"
    if not text:
        return "it was empty"
    lower = text[:2000].lower()
    if "<html" in lower or "<!doctype" in lower:
        return "it was a web page"
    known = given[:2000].lower()
    if len(text) <= SHORT:
        if _ERRORS.match(text) and text[:12].lower() not in known:
            return "it was an error text"
        if _REFUSALS.match(text) and text[:16].lower() not in known:
            return "it was a refusal"
    if _ANSWERS.match(text):
        return "it answered instead of summarising"
    if differs(given, text):
        return "it was in another language than the conversation"
    return ""
