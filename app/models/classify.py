"""From a server's refusal to a typed error, by rules that hold for wordings not yet seen.

The hard part is to tell "the prompt is too long for the model" (fold harder, retry once) from
its look-alikes: tokens-per-minute limits, quotas, a ``max_tokens`` that is too large.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping

from app.models.errors import (
    Auth,
    BadRequest,
    ContextOverflow,
    ModelError,
    NoSuchModel,
    NotAnApi,
    Quota,
    RateLimited,
    Server,
)
from app.models.refusal import Refusal, read_refusal, refusal_of, retry_after
from app.models.sizes import ANSWER_PARAM, sizes

_QUOTA = re.compile(
    r"insufficient[_ ]?(?:quota|balance|credit|funds)|exceeded your current quota|"
    r"billing|out of credits?|credit balance|requires more credits|payment required"
)
_RATE = re.compile(
    r"rate[-_ ]?limit|\b[rt]p[mdh]\b|(?:tokens|requests) per (?:minute|day|hour|second)|"
    r"too many requests|throttl|please wait|slow down|resource_exhausted|try again in \d"
)
_AUTH = re.compile(
    r"invalid[_ ](?:api[_ ])?key|incorrect api key|api key not valid|api_key_invalid|"
    r"authentication_error|invalid_authentication|unauthorized|unauthenticated|"
    r"(?:missing|no|provide an?) (?:valid )?(?:api[_ ]key|authorization|credentials)"
)
_OVERFLOW_CODE = re.compile(
    r"context_length_exceeded|exceed_context_size|context_window_exceeded|body_too_large|"
    r"request_too_large|string_above_max_length|prompt_tokens_exceeded|context_overflow"
)
_SUBJECT = r"(?:prompt|inputs?|messages?|sequence|conversation|request(?:ed)?|tokens?|query|text)"
_EXCESS = (
    r"(?:exceed|too (?:long|large|many)|(?:longer|greater|larger|more) than|over the|overflow|"
    r"must have less|must be (?:<=|≤|less|at most|smaller|shorter)|does ?n[o']t fit|not fit)"
)
_OVERFLOW = re.compile(
    rf"context[ _](?:length|window|size|limit)[^.]{{0,80}}{_EXCESS}|"
    rf"{_EXCESS}[^.]{{0,80}}context|context the overflows|larger context|context[ _]?overflow|"
    rf"out of context|maximum (?:context|prompt|input|sequence|model) length|"
    rf"\b{_SUBJECT}\b[^.]{{0,100}}{_EXCESS}[^.]{{0,100}}"
    rf"(?:token|length|long\b|limit|maximum|model|context)|"
    rf"\b{_SUBJECT}\b[^.]{{0,60}}too (?:long|large|many tokens)|token limit|max(?:imum)? length|"
    rf"\btokens?\b[^.]{{0,60}}(?:must be (?:<=|≤|less|at most)|must have less)|"
    rf"(?:reduce|shorten)[^.]{{0,20}} (?:prompt|messages?|input|conversation)|"
    rf"input length should be|(?:provide|try|use|using) an? shorter (?:input|prompt)"
)
_OTHER_SIZE = re.compile(r"\b(?:images?|audio|files?|tools?|functions?|stop sequences?)\b")
_ANSWER_TOO_LARGE = re.compile(
    rf"{ANSWER_PARAM}\W*(?:is|are|was)? ?(?:too (?:large|big|high)|must be|cannot|should be|: \d)|"
    rf"{ANSWER_PARAM}\W+(?:or \W*{ANSWER_PARAM}\W+)?is too large|"
    rf"(?:unsupported|invalid)[^.]{{0,40}}{ANSWER_PARAM}|"
    rf"{ANSWER_PARAM}[^.]{{0,20}}(?:not supported|unsupported|not permitted)"
)
_PROMPT_SAID = re.compile(rf"(?:\band\b|\+)\W*{ANSWER_PARAM}|in the messages|your messages")
_NO_MODEL = re.compile(
    r"model_not_found|model[^.]{0,120}(?:does not exist|doesn't exist|not found|not exist|"
    r"is not a valid|unknown|not available|not supported|not loaded|no longer|deprecated)|"
    r"(?:invalid|unknown|no such|unsupported) model|not a valid model|no endpoints found|"
    r"no models? (?:loaded|found)|try pulling it"
)


def classify(status: int, headers: Mapping[str, str], body: str | bytes) -> ModelError:
    """The error that an HTTP refusal means. ``body`` as it came; bytes are read as UTF-8."""
    text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
    return _judge(status, headers, read_refusal(text[:200_000]))


def classify_value(value: object, *, status: int = 0) -> ModelError:
    """The error of an ``error`` object that came in JSON or a stream, with HTTP 200."""
    refusal = refusal_of(value)
    if not status:
        stated = next((int(c) for c in refusal.codes if re.fullmatch(r"[45]\d\d", c)), 0)
        status = stated
    return _judge(status, {}, refusal)


def _judge(status: int, headers: Mapping[str, str], refusal: Refusal) -> ModelError:
    words, said = refusal.words, refusal.message
    if status == 401 or (_AUTH.search(words) and status not in (404, 429)):
        return Auth(said, status=status)
    if status == 402 or _QUOTA.search(words):
        return Quota(said, status=status, retry_after=retry_after(headers, words, time.time()))
    if status == 429 or (_RATE.search(words) and not _OVERFLOW_CODE.search(words)):
        return RateLimited(
            said, status=status, retry_after=retry_after(headers, words, time.time())
        )
    param = answer_param_refused(words, refusal.param)
    if not param and is_overflow(status, words):
        limit, prompt = sizes(refusal)
        return ContextOverflow(said, status=status, limit=limit, prompt=prompt)
    if refusal.html:
        return NotAnApi(status=status, html=True) if status in (404, 405) else _page(status)
    if _NO_MODEL.search(words) and status in (0, 200, 400, 403, 404, 410, 422, 500, 503):
        return NoSuchModel(said, status=status)
    if status == 403:
        return Auth(said, status=status)
    if status in (404, 405, 410):
        return NotAnApi(said, status=status)
    if 400 <= status < 500 and status not in (408, 425):
        return BadRequest(said, status=status, param=param or refusal.param)
    return Server(said, status=status)


def _page(status: int) -> ModelError:
    return Auth(status=status) if status == 403 else Server(status=status, html=True)


def answer_param_refused(words: str, param: str = "") -> str:
    """The name of a refused answer length, "" when the refusal is about something else.

    "input length and max_tokens exceed the context" is about the prompt, and is not meant here.
    """
    named = re.search(ANSWER_PARAM, param.lower())
    if named:
        return named.group()
    if not _ANSWER_TOO_LARGE.search(words) or _PROMPT_SAID.search(words):
        return ""
    found = re.search(ANSWER_PARAM, words)
    return found.group() if found else ""


def is_overflow(status: int, words: str) -> bool:
    """Whether a refusal (lower case, no look-alike of a rate limit) says: prompt too long."""
    if status == 413 or _OVERFLOW_CODE.search(words):
        return True
    return bool(_OVERFLOW.search(words)) and not _OTHER_SIZE.search(words)
