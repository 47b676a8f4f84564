"""The circuit breaker before the summariser's model: it decides whether a call may be tried.

Three failures in a row open it for ten minutes, then one trial; a refused key closes the way
until settings change or a person asks; a rate limit is waited out.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.models.errors import Auth, ModelError, Quota, RateLimited

FAILURES = 3
COOL_OFF_MS = 600_000
LONGEST_WAIT_MS = 86_400_000  # a server that asks for more is asked again after a day


@dataclass(slots=True)
class Breaker:
    """State for one utility model. Times are the clock's milliseconds."""

    failures: int = 0
    closed_until: int = 0
    refused: bool = False  # the key was refused: no retry until settings change

    def why_not(self, now: int) -> str:
        """In plain words, why no call is tried; "" when one may be."""
        if self.refused:
            return "the summarising model refused the key or has no credit"
        if now < self.closed_until:
            minutes = -(-(self.closed_until - now) // 60_000)
            return f"the summarising model failed; next try in {minutes} min"
        return ""

    def begin(self, now: int) -> None:
        """A call goes out. After three failures it is the one trial: the next must wait for it."""
        if self.failures >= FAILURES:
            self.closed_until = max(self.closed_until, now + COOL_OFF_MS)

    def succeeded(self) -> None:
        """A reply came and was accepted."""
        self.failures, self.closed_until, self.refused = 0, 0, False

    def failed(self, now: int, error: ModelError | None = None) -> None:
        """A call failed or its reply was rejected (then ``error`` is None)."""
        self.failures += 1
        if isinstance(error, Auth | Quota):
            self.refused = True
        elif isinstance(error, RateLimited):
            seconds = error.retry_after
            if seconds is not None and seconds > 0:
                wait = min(LONGEST_WAIT_MS, seconds * 1000)
                self.closed_until = max(self.closed_until, now + int(wait))
        if self.failures >= FAILURES:
            self.closed_until = max(self.closed_until, now + COOL_OFF_MS)

    def trial(self) -> None:
        """Settings changed, or a person asks: one call may be tried at once."""
        self.failures = min(self.failures, FAILURES - 1)
        self.closed_until, self.refused = 0, False
