"""When the summarising model may be asked, to the millisecond."""

from __future__ import annotations

import pytest

from app.memory.breaker import Breaker
from app.models.errors import Auth, ModelError, Quota, RateLimited, Server

NOW = 1_700_000_000_000
MINUTE = 60_000
DAY = 24 * 60 * MINUTE


def failing(times: int, now: int = NOW) -> Breaker:
    breaker = Breaker()
    for _ in range(times):
        breaker.failed(now)
    return breaker


def test_a_fresh_breaker_lets_a_call_through() -> None:
    assert Breaker() == Breaker(failures=0, closed_until=0, refused=False)
    assert Breaker().why_not(0) == ""


@pytest.mark.parametrize("failures", [1, 2])
def test_two_failures_close_nothing(failures: int) -> None:
    breaker = failing(failures)
    assert breaker.failures == failures
    assert breaker.why_not(NOW) == ""
    breaker.begin(NOW)
    assert breaker.why_not(NOW) == ""


def test_the_third_failure_closes_the_way_for_ten_minutes() -> None:
    breaker = failing(3)
    assert breaker.why_not(NOW + 10 * MINUTE - 1) != ""
    assert breaker.why_not(NOW + 10 * MINUTE) == ""


@pytest.mark.parametrize(
    ("after", "minutes"),
    [
        (0, 10),
        (1, 10),
        (MINUTE - 1, 10),
        (MINUTE, 9),
        (MINUTE + 1, 9),
        (9 * MINUTE, 1),
        (10 * MINUTE - 1, 1),  # never "in 0 min"
    ],
)
def test_the_next_try_is_told_in_minutes_begun(after: int, minutes: int) -> None:
    why = failing(3).why_not(NOW + after)
    assert why == f"the summarising model failed; next try in {minutes} min"


def test_after_the_ten_minutes_one_call_goes_out_and_the_next_waits_for_it() -> None:
    breaker = failing(3)
    later = NOW + 10 * MINUTE
    breaker.begin(later)
    assert breaker.why_not(later) == "the summarising model failed; next try in 10 min"
    assert breaker.why_not(later + 10 * MINUTE) == ""


def test_a_trial_that_fails_closes_the_way_anew() -> None:
    breaker = failing(3)
    breaker.failed(NOW + 15 * MINUTE)
    assert breaker.why_not(NOW + 25 * MINUTE - 1) != ""
    assert breaker.why_not(NOW + 25 * MINUTE) == ""


def test_a_reply_that_is_accepted_makes_all_good() -> None:
    breaker = failing(3)
    breaker.failed(NOW, Auth("no", status=401))
    breaker.succeeded()
    assert breaker == Breaker()


@pytest.mark.parametrize("error", [Auth("no", status=401), Quota("no credit", retry_after=5)])
def test_a_refused_key_closes_the_way_without_an_end(error: ModelError) -> None:
    breaker = Breaker()
    breaker.failed(NOW, error)
    assert breaker.why_not(NOW + 365 * DAY) == (
        "the summarising model refused the key or has no credit"
    )
    breaker.trial()
    assert breaker.why_not(NOW) == ""


def test_another_error_is_no_refusal() -> None:
    breaker = Breaker()
    breaker.failed(NOW, Server("boom", status=500))
    assert breaker == Breaker(failures=1)


@pytest.mark.parametrize(
    ("seconds", "waited"),
    [
        (0.5, 500),
        (60, MINUTE),
        (86_399, DAY - 1000),
        (86_400, DAY),
        (86_401, DAY),  # a server that asks for more is asked again after a day
        (float("inf"), DAY),
    ],
)
def test_a_rate_limit_is_waited_out_but_no_longer_than_a_day(seconds: float, waited: int) -> None:
    breaker = Breaker()
    breaker.failed(NOW, RateLimited("slow", status=429, retry_after=seconds))
    assert breaker.why_not(NOW + waited - 1) != ""
    assert breaker.why_not(NOW + waited) == ""


@pytest.mark.parametrize("seconds", [None, 0, -5, float("nan")])
def test_a_rate_limit_that_names_no_time_is_a_failure_like_others(seconds: float | None) -> None:
    breaker = Breaker()
    breaker.failed(NOW, RateLimited("slow", status=429, retry_after=seconds))
    assert breaker == Breaker(failures=1)


def test_the_longer_wait_counts() -> None:
    hour = RateLimited("slow", status=429, retry_after=3600)
    breaker = Breaker()
    breaker.failed(NOW, hour)
    breaker.failed(NOW, RateLimited("slow", status=429, retry_after=1))
    assert breaker.closed_until == NOW + 60 * MINUTE
    breaker.failed(NOW)  # the third: its ten minutes are shorter than the hour
    breaker.begin(NOW)
    assert breaker.closed_until == NOW + 60 * MINUTE
    breaker = failing(2)
    breaker.failed(NOW, RateLimited("slow", status=429, retry_after=60))
    assert breaker.closed_until == NOW + 10 * MINUTE


def test_a_trial_forgives_all_but_the_last_failure_before_the_way_closes() -> None:
    breaker = failing(5)
    breaker.trial()
    assert breaker == Breaker(failures=2)
    breaker.failed(NOW)  # one more, and the way is closed again
    assert breaker.why_not(NOW) != ""
    breaker = failing(1)
    breaker.trial()  # and adds none
    assert breaker == Breaker(failures=1)
