"""Make a server's words fit to be shown: no key, no credentials, no web page, one short line."""

from __future__ import annotations

import re

MAX_DETAIL = 300  # characters of the server's own words that a message may quote

_SECRETS = (
    (re.compile(r"(://)[^\s/@]*@"), r"\1"),
    (re.compile(r"(?i)\bbearer\s+[^\s\"',;]+"), "Bearer (key)"),
    (re.compile(r"(?i)([?&](?:api[_-]?key|key|token|access_token)=)[^&\s\"']+"), r"\1(key)"),
    (
        re.compile(
            r"\b(?:sk|pk|rk|gsk|xai|hf|r8|nvapi|csk|tgp|fw|AIza|pplx|key|ak)[-_A-Za-z0-9]?"
            r"[-_*A-Za-z0-9.]{6,}[^\s\"',;]*(?<![.])"
        ),
        "(key)",
    ),
    (re.compile(r"[^\s\"':]*\*{3,}[^\s\"',;.]*"), "(key)"),
)
_HTML = re.compile(r"(?i)<\s*(?:!doctype|html|head|body|title|center|h1|script|div)\b")


def looks_like_html(text: str) -> bool:
    """Whether ``text`` is (part of) a web page."""
    return bool(_HTML.search(text[:4000]))


def clean(text: str, secret: str = "") -> str:
    """``text`` fit for a message: one line, at most ``MAX_DETAIL`` characters, no key, no page.

    ``secret`` is a key that is in use, which is taken out wherever it stands.
    """
    if looks_like_html(text):
        return ""
    text = text[: 20 * MAX_DETAIL]
    if len(secret) >= 4:
        text = text.replace(secret, "(key)")
        cut = next((n for n in range(len(secret), 3, -1) if text.endswith(secret[:n] + "…")), 0)
        text = text[: -cut - 1] + "…" if cut else text  # a key that was cut off is a key, too
    for pattern, instead in _SECRETS:
        text = pattern.sub(instead, text)
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return text if len(text) <= MAX_DETAIL else text[: MAX_DETAIL - 1].rstrip() + "…"
