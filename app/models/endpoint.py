"""What people type to name an endpoint: its base URL and its key, checked and made regular.

Every fault gets a sentence that says what is wrong; none of them repeats a key or a password.
"""

from __future__ import annotations

import re

_URL = re.compile(r"(?i)^([a-z][a-z0-9+.-]*)://([^/?#]*)([^?#]*)(.*)$")
_PASTED = ("/chat/completions", "/completions", "/models")


class EndpointError(ValueError):
    """The text cannot be a base URL or key; the message says why, for the one who typed it."""


def normal_base_url(text: str) -> str:
    """The base URL without the slash at its end and without a pasted ``/chat/completions``.

    ``/v1`` is left as typed, there or not. Raises ``EndpointError``.
    """
    url = text.strip()
    if not url:
        raise EndpointError("Give the address of the endpoint, like http://localhost:11434/v1")
    if any(c.isspace() or not c.isprintable() for c in url):
        raise EndpointError("The address has a space or a line break in it.")
    found = _URL.match(url)
    if not found:
        raise EndpointError(
            "The address must begin with http:// or https://, like http://localhost:11434/v1"
        )
    scheme, host, path, rest = found.groups()
    scheme = scheme.lower()
    if scheme not in ("http", "https"):
        raise EndpointError("The address must begin with http:// or https://")
    if "@" in host:
        raise EndpointError(
            "The address must not hold a user name or password. Put the key in the field for it."
        )
    if rest:
        raise EndpointError("The address must end before any ? or #.")
    _check_host(host)
    path = re.sub(r"/+$", "", path)
    for pasted in _PASTED:
        if path.lower().endswith(pasted):
            path = re.sub(r"/+$", "", path[: -len(pasted)])
            break
    return f"{scheme}://{host.lower()}{path}"


def _check_host(host: str) -> None:
    name, port = host, ""
    found = re.match(r"^(\[[0-9a-fA-F:.]+\]|[^:\[\]]*)(?::(.*))?$", host)
    if found:
        name, port = found.group(1), found.group(2) or ""
    if not found or not name or re.search(r"[\\\"<>^`{|}%]", name):
        raise EndpointError("The address names no host, like localhost or api.example.com")
    if ":" in host.removeprefix(name) and not (
        port.isascii() and port.isdigit() and len(port) < 6 and 0 < int(port) < 65536
    ):
        raise EndpointError("The port in the address must be a number from 1 to 65535.")


def normal_key(text: str) -> str:
    """The key as it is sent; blanks and line breaks around it (from pasting) are taken off.

    Raises ``EndpointError`` for a key that no server could have given out.
    """
    key = text.strip()
    if any(ord(c) > 126 for c in key):
        raise EndpointError(
            "The key has a character that keys never have (an accent, a dot or a curly quote "
            "from the clipboard?). Copy it again."
        )
    if key.lower().startswith("bearer "):
        raise EndpointError("Give the key alone, without the word “Bearer”.")
    if any(c.isspace() for c in key):
        raise EndpointError("The key has a space or a line break in it. Copy it again.")
    if any(ord(c) < 33 for c in key):
        raise EndpointError("The key has an invisible character in it. Copy it again.")
    return key


def is_loopback(base_url: str) -> bool:
    """Whether the URL names this machine."""
    found = _URL.match(base_url)
    host = re.sub(r":\d*$", "", found.group(2).lower()) if found else ""
    return (
        host in ("localhost", "[::1]")
        or host.endswith(".localhost")
        or bool(re.fullmatch(r"127(?:\.\d{1,3}){3}", host))
    )


def is_mixed_content(base_url: str, *, page_is_https: bool) -> bool:
    """Whether browsers refuse the call: an https page, an http endpoint on another machine."""
    return page_is_https and base_url.lower().startswith("http:") and not is_loopback(base_url)
