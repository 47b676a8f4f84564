"""Taking a model's reasoning out of its reply: closed, unclosed, and under its many tags.

A tag that is quoted in prose stays: only one that opens the reply or stands as a block of its
own counts as markup, and a closer whose opener the chat template has already written.
"""

from __future__ import annotations

import re

_NAMES = (
    r"(?:\w{1,12}[:_-])?"
    r"(?:think|thinking|thought|thoughts|reasoning|reason|reflection|reflect|analysis|analyze"
    r"|scratchpad|planning|plan|internal|monologue|inner_monologue|cot|chain_of_thought"
    r"|begin_of_thought)"
)
_OPEN = re.compile(rf"\A\s*<({_NAMES})(?:\s[^>]*)?>", re.IGNORECASE)
_HALF_OPEN = re.compile(rf"\A\s*<\s*{_NAMES}\s*\Z", re.IGNORECASE)
_CLOSE = re.compile(rf"</\s*({_NAMES})\s*>", re.IGNORECASE)
_HALF_CLOSE = re.compile(rf"</\s*{_NAMES}\s*\Z", re.IGNORECASE)
_PAIRS = (
    ("[THINK]", "[/THINK]"),
    ("[REASONING]", "[/REASONING]"),
    ("◁think▷", "◁/think▷"),
    ("<|think|>", "<|/think|>"),
    ("<|thinking|>", "<|/thinking|>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|reasoning|>", "<|/reasoning|>"),
    ("```thinking", "```"),
    ("```think", "```"),
    ("```reasoning", "```"),
    ("```thought", "```"),
)
_FINAL = re.compile(
    r"<\|channel\|>\s*final\s*(?:<\|constrain\|>\w*)?\s*<\|message\|>"
    r"|<\|begin_of_solution\|>|<\|START_RESPONSE\|>|\A\s*analysis.{0,4000}?assistantfinal",
    re.DOTALL,
)
_FINAL_END = re.compile(
    r"<\|end\|>|<\|return\|>|<\|end_of_solution\|>|<\|END_RESPONSE\|>|<\|channel\|>"
)
_HARMONY = re.compile(r"\A\s*(?:<\|start\|>assistant)?<\|channel\|>")


def strip_reasoning(reply: str) -> str:
    """``reply`` without its reasoning; "" when it is nothing but unfinished reasoning."""
    text = reply
    finals = list(_FINAL.finditer(text))
    if finals:
        text = _FINAL_END.split(text[finals[-1].end() :])[0]
    elif _HARMONY.match(text):
        return ""
    for opener, closer in _PAIRS:
        start = text.lstrip()
        if start.startswith(opener):
            text = start[len(opener) :].partition(closer)[2]  # "" when it is never closed
        elif closer != "```" and closer in text and opener not in text:
            text = text.rpartition(closer)[2]
    while opened := _OPEN.match(text):
        end = _matching_end(text, opened)
        if end is None:
            return ""
        text = text[end:]
    if _HALF_OPEN.match(text) or _HALF_CLOSE.search(text):
        return ""
    for _ in range(8):
        closers = [m for m in _CLOSE.finditer(text) if not _quoted(text, m.start(), m.end())]
        if not closers:
            break
        last = closers[-1]
        openers = list(
            re.finditer(rf"<{re.escape(last.group(1))}(?:\s[^>]*)?>", text[: last.start()], re.I)
        )
        if not openers:  # the template opened the reasoning before the reply began
            text = text[last.end() :]
        elif text[: openers[0].start()].rpartition("\n")[2].strip() == "":  # a block of its own
            text = text[: openers[0].start()] + text[last.end() :]
        else:
            break
    return _without_unclosed_block(text)


def _matching_end(text: str, opened: re.Match[str]) -> int | None:
    """Where the opened block ends, blocks of the same name inside it included."""
    name = re.escape(opened.group(1))
    depth = 1
    for tag in re.compile(rf"<(/?)\s*{name}(?:\s[^>]*)?>", re.IGNORECASE).finditer(
        text, opened.end()
    ):
        depth += -1 if tag.group(1) else 1
        if depth == 0:
            return tag.end()
    closers = list(re.compile(rf"</\s*{name}\s*>", re.IGNORECASE).finditer(text, opened.end()))
    if closers:  # more were opened than closed
        return closers[-1].end()
    other = _CLOSE.search(text, opened.end())  # opened as one, closed as another
    return other.end() if other else None


_BLOCK = re.compile(rf"^[ \t]*<{_NAMES}(?:\s[^>]*)?>[ \t]*$", re.IGNORECASE | re.MULTILINE)


def _without_unclosed_block(text: str) -> str:
    """What stands before a block of reasoning that opens on a line of its own and never ends."""
    found = _BLOCK.search(text)
    return text[: found.start()] if found else text


def _quoted(text: str, start: int, end: int) -> bool:
    """Whether a tag stands in backticks or quotation marks, as prose about tags has it."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if before and before in "`'\"“‘«(" and after and after in "`'\"”’»)":
        return True
    line = text[:start].rpartition("\n")[2]
    return line.count("`") % 2 == 1
