"""The circuit breaker before the summariser's model: it decides whether a call may be tried.

Three failures in a row open it for ten minutes, then one trial; a refused key closes the way
until settings change; a rate limit is waited out.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.models.errors import Auth, ModelError, Quota, RateLimited

FAILURES = 3
COOL_OFF_MS = 600_000


@dataclass(slots=True)
class Breaker:
    """State for one utility model. Times are the clock's milliseconds."""

    failures: int = 0
    closed_until: int = 0
    refused: bool = False  # the key was refused: no retry until settings change

    def allows(self, now: int) -> bool:
        """Whether a call may be tried."""
        return not self.refused and now >= self.closed_until

    def why_not(self, now: int) -> str:
        """In plain words, why no call is tried; "" when one is."""
        if self.refused:
            return "the summarising model refused the key or has no credit"
        if now < self.closed_until:
            minutes = -(-(self.closed_until - now) // 60_000)
            return f"the summarising model failed; next try in {minutes} min"
        return ""

    def succeeded(self) -> None:
        """A reply came and was accepted."""
        self.failures, self.closed_until, self.refused = 0, 0, False

    def failed(self, now: int, error: ModelError | None = None) -> None:
        """A call failed or its reply was rejected (then ``error`` is None)."""
        self.failures += 1
        if isinstance(error, Auth | Quota):
            self.refused = True
        elif isinstance(error, RateLimited) and error.retry_after:
            self.closed_until = max(self.closed_until, now + int(error.retry_after * 1000))
        if self.failures >= FAILURES:
            self.closed_until = max(self.closed_until, now + COOL_OFF_MS)

    def reset(self) -> None:
        """Settings changed, or a person asks for a trial."""
        self.failures, self.closed_until, self.refused = 0, 0, False
