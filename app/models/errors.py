"""What can go wrong between a question and its answer, as types, and in plain words.

No message holds a key, credentials of a URL or a web page's text. ``explain`` says what
happened and what to do next; ``classify.py`` finds the type of a server's refusal.
"""

from __future__ import annotations

from typing import ClassVar

from app.models.clean import clean


class ModelError(Exception):
    """Any failed call. ``detail``: the server's words, cleaned; ``status``: HTTP, 0 when none."""

    kind: ClassVar[str] = "server"

    def __init__(self, detail: str = "", *, status: int = 0) -> None:
        """``detail`` is cleaned here, so that no caller can forget it."""
        self.detail = clean(detail)
        self.status = status
        super().__init__(self.detail)

    def without(self, secret: str) -> ModelError:
        """This error, with ``secret`` taken out of what it says."""
        self.detail = clean(self.detail, secret)
        self.args = (self.detail,)
        return self

    def __str__(self) -> str:
        """The same plain words as ``explain``."""
        return explain(self)


class Auth(ModelError):
    """The key is missing, wrong, or not allowed to do this (401, 403)."""

    kind = "auth"


class RateLimited(ModelError):
    """Too many requests or tokens a minute. ``retry_after``: seconds, None when not stated."""

    kind = "rate_limited"

    def __init__(
        self, detail: str = "", *, status: int = 0, retry_after: float | None = None
    ) -> None:
        """See the class."""
        super().__init__(detail, status=status)
        self.retry_after = retry_after


class Quota(RateLimited):
    """The account has no credit or quota left: waiting a minute does not help."""

    kind = "quota"


class ContextOverflow(ModelError):
    """The prompt is longer than the model takes. ``limit``, ``prompt``: tokens, 0 if not stated."""

    kind = "context_overflow"

    def __init__(
        self, detail: str = "", *, status: int = 0, limit: int = 0, prompt: int = 0
    ) -> None:
        """See the class."""
        super().__init__(detail, status=status)
        self.limit = limit
        self.prompt = prompt


class Unreachable(ModelError):
    """No answer came that the page may read. ``mixed``: an https page and an http endpoint."""

    kind = "unreachable"

    def __init__(self, detail: str = "", *, mixed: bool = False) -> None:
        """See the class."""
        super().__init__(detail)
        self.mixed = mixed


class Truncated(ModelError):
    """The answer broke off: the stream ended without a finish or ``[DONE]``."""

    kind = "truncated"


class Aborted(ModelError):
    """Someone stopped the request on purpose. Not a fault."""

    kind = "aborted"


class NotLoaded(ModelError):
    """The model inside the page is asked before it is loaded."""

    kind = "not_loaded"


class TimedOut(ModelError):
    """Nothing came for too long. ``seconds``: how long; ``first``: not one token had come."""

    kind = "timed_out"

    def __init__(self, detail: str = "", *, seconds: float = 0, first: bool = False) -> None:
        """See the class."""
        super().__init__(detail)
        self.seconds = seconds
        self.first = first


class Server(ModelError):
    """The server failed, or answered something that is no answer. ``html``: with a web page."""

    kind = "server"

    def __init__(self, detail: str = "", *, status: int = 0, html: bool = False) -> None:
        """A web page's text is never kept."""
        super().__init__("" if html else detail, status=status)
        self.html = html


class NoSuchModel(Server):
    """The endpoint does not know the model."""

    kind = "no_such_model"


class NotAnApi(Server):
    """Something answers at the address, but it is no OpenAI-compatible API."""

    kind = "not_an_api"


class BadRequest(Server):
    """The server did not accept the request. ``param``: the field it names, if it names one."""

    kind = "bad_request"

    def __init__(self, detail: str = "", *, status: int = 0, param: str = "") -> None:
        """See the class."""
        super().__init__(detail, status=status)
        self.param = param


def explain(error: BaseException) -> str:
    """What happened and what to do next, in plain words, for any error."""
    if not isinstance(error, ModelError):
        if isinstance(error, TimeoutError):
            return "The model did not answer in time. Try again."
        return "Something unexpected went wrong while asking the model. Try again."
    said = f" It said: “{error.detail}”" if error.detail else ""
    return _sentence(error, f" (HTTP {error.status})" if error.status else "") + said


def _sentence(error: ModelError, http: str) -> str:
    match error:
        case Auth():
            return (
                f"The server refused the API key{http}. Check the key in Settings, and that it "
                "may use this model."
            )
        case Quota():
            return (
                f"The account has no credit or quota left{http}. Check its plan and billing, or "
                "choose another model in Settings."
            )
        case RateLimited():
            return f"The server asks to slow down{http}. {_when(error.retry_after)}"
        case ContextOverflow():
            return f"The conversation is longer than the model takes{http}{_sizes(error)}."
        case Unreachable():
            return _unreachable(error)
        case Truncated():
            return "The answer broke off before it was complete. Continue it or try again."
        case Aborted():
            return "Stopped."
        case NotLoaded():
            return "The model inside this page is not loaded yet. Load it first."
        case TimedOut():
            what = "did not begin to answer" if error.first else "went silent"
            span = f" for {error.seconds:.0f} seconds" if error.seconds else ""
            return f"The server {what}{span}. Try again, or check that the model is loaded."
        case NoSuchModel():
            return f"The server does not have this model{http}. Choose one of its list in Settings."
        case BadRequest():
            return f"The server did not accept the request{http}. Check the model in Settings."
        case _:
            return _server(error, http)


def _server(error: ModelError, http: str) -> str:
    if isinstance(error, Server) and error.html:
        return (
            f"The server answered with a web page instead of JSON{http}. "
            "Check the address in Settings, or try again later."
        )
    if isinstance(error, NotAnApi):
        return (
            f"Something answers at this address, but it is no OpenAI-compatible API{http}. "
            "Check the address in Settings; most end in /v1."
        )
    if error.status in (502, 503, 504, 529):
        return f"The server is overloaded or still starting{http}. Try again in a moment."
    return f"The server failed{http}. Try again."


def _when(seconds: float | None) -> str:
    if seconds is None:
        return "Wait a moment, then try again."
    if seconds < 1:
        return "Try again now."
    if seconds < 120:
        return f"Try again in {seconds:.0f} seconds."
    return f"Try again in {seconds / 60:.0f} minutes."


def _sizes(error: ContextOverflow) -> str:
    if error.limit and error.prompt:
        return f": {error.prompt:,} tokens, and it takes {error.limit:,}"
    return f": it takes {error.limit:,} tokens" if error.limit else ""


def _unreachable(error: Unreachable) -> str:
    if error.mixed:
        return (
            "This page came by https and may not call an http address on another machine. "
            "Use an https endpoint, or open Pleat over http."
        )
    return (
        "The server cannot be reached. Check that it runs, that the address in Settings is "
        "right, and that the server allows requests from this page (CORS)."
    )
