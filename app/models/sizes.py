"""The numbers in a refusal for length: how much the model takes, and how much it was given.

Servers word them in every order; rules by the words around a number come first, and where just
two numbers stand, the smaller one is the limit.
"""

from __future__ import annotations

import re

from app.models.refusal import Refusal

ANSWER_PARAM = (
    r"(?:max_(?:completion_|new_|output_)?tokens|maxoutputtokens|n_predict)"  # of the answer
)

_N = r"(\d{3,8})\b(?![.]\d)"
_LIMIT = (
    rf"\d(?: tokens?)? > {_N}",
    r"(?:context|maximum|max|n_ctx|allowed|model|prompt|sequence)[ _]"
    r"(?:context |prompt |input |sequence |model )?(?:length|len|window|size|limit|limits)\b"
    rf"[^\d.,;]{{0,40}}?(?:exceeded:? ?)?{_N}",
    r"(?:token limit|limit (?:is|of)|allowed|maximum (?:is|of)|must be (?:<=|≤|at most|less than)|"
    rf"must have less than|cannot exceed|length of only|only|supports|n_ctx)[^\d.;]{{0,30}}{_N}",
    rf"with {_N} maximum",
    r"should be \[\d+, ?(\d{3,8})\]",
    rf"{_N} (?:maximum|max\b)",
)
_PROMPT = (
    rf"{_N} (?:tokens? )?(?:in the messages|of text input|(?:tokens )?from the input|"
    r"in your prompt|\W?inputs?\W? tokens)",
    rf"\({_N} in the messages",
    rf"(?:resulted in|given|received|contains|passed|n_keep|current length is|prompt is too long)"
    rf"[^\d.;]{{0,20}}{_N}",
    rf"(?:input length|prompt length|token count|tokens?|request|prompt|input)"
    rf"[^\d.;]{{0,20}}{_N}(?: tokens)?\)?[^.]{{0,60}}(?:exceed|too (?:long|large)|longer|larger|>)",
    rf"(?:requested|first)[^\d.;]{{0,20}}{_N}",
    rf"exceed context limit: {_N}",
    rf"{_N}(?: tokens?)? ?>=? ?\d{{3,8}}",
)


def sizes(refusal: Refusal) -> tuple[int, int]:
    """(limit, prompt) in tokens as the refusal states them; 0 for what it does not state."""
    words = re.sub(ANSWER_PARAM, "answer_length", refusal.said)
    words = re.sub(r"\b[a-z]\w*[-/:]\S*\d\S*", "", words)  # names of models hold numbers, too
    limit = refusal.limit or _first(_LIMIT, words)
    prompt = refusal.prompt or _first(_PROMPT, words)
    if not limit or not prompt or prompt == limit:
        numbers = sorted({int(n) for n in re.findall(r"(?<![\w.])\d{3,8}(?![\w.]\d)", words)})
        numbers = [n for n in numbers if n not in (400, 413, 500)] or numbers
        if len(numbers) == 2 and (not limit or limit in numbers):
            limit, prompt = numbers
    return limit, prompt if prompt != limit else 0


def _first(patterns: tuple[str, ...], words: str) -> int:
    for pattern in patterns:
        found = re.search(pattern, words)
        if found:
            return int(found.group(1))
    return 0
