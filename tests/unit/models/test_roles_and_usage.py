"""Which model summarises, and what every call cost, however it ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

import pytest

from app.models.chunks import AnswerReader
from app.models.errors import Aborted, ModelError, RateLimited, Truncated
from app.models.port import Delta, Usage, WireMessage
from app.models.roles import Assigned, Roles
from app.models.usage import CallLog, Economy, LoggedModel, Totals, UsageRecord, economy, totals
from tests.unit.models.network import HI, listen
from tests.unit.run import run, step_through


class Canned:
    """A model that says what it was given, then raises or ends."""

    name = "canned"

    def __init__(self, *deltas: Delta, error: BaseException | None = None) -> None:
        self._deltas = deltas
        self._error = error
        self.closed = False

    async def stream(
        self,
        messages: Sequence[WireMessage],
        *,
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> AsyncGenerator[Delta, None]:
        try:
            for delta in self._deltas:
                yield delta
            if self._error:
                raise self._error
        finally:
            self.closed = True


SAID = Delta(text="four words of text")
END = Delta(finish="stop", usage=Usage(100, 4, 60))


def logged(model: Canned) -> tuple[LoggedModel, list[UsageRecord]]:
    records: list[UsageRecord] = []
    ticks = iter(range(0, 1000, 25))
    log = CallLog(records.append, lambda: "id1", lambda: 1234, lambda: next(ticks))
    return LoggedModel(model, log, "c1", "chat", saved=50), records


def test_utility_falls_back_to_chat_and_a_weak_model_summarises_nothing() -> None:
    chat, other = Assigned(Canned(), 4096), Assigned(Canned(), 8192)
    weak = Assigned(Canned(), 2048, weak=True)
    assert Roles(chat).utility_for("c") is chat.model
    assert Roles(chat).utility_context("c") == 4096
    assert Roles(chat, other).utility_for("c") is other.model
    assert Roles(weak, other).utility_context("c") == 8192
    for roles in (Roles(weak), Roles(chat, weak), Roles(None)):
        assert roles.utility_for("c") is None
        assert roles.utility_context("c") == 0


def test_a_call_is_recorded_with_the_servers_counts() -> None:
    model, records = logged(Canned(SAID, END))
    assert run(listen(model.stream(HI))).text == "four words of text"
    assert records == [
        UsageRecord("id1", "c1", "chat", "canned", "", 100, 4, 60, False, 25, "ok", "", 1234, 50)
    ]


def test_without_usage_the_counts_are_estimates_and_say_so() -> None:
    model, records = logged(Canned(SAID, Delta(finish="stop")))
    run(listen(model.stream([WireMessage("user", "x" * 40)])))
    assert (records[0].tokens_in, records[0].tokens_out) == (10, 5)
    assert records[0].estimated


@pytest.mark.parametrize(
    ("error", "outcome", "kind"),
    [
        (RateLimited(), "failed", "rate_limited"),
        (Truncated(), "failed", "truncated"),
        (Aborted(), "stopped", "aborted"),
    ],
)
def test_a_failed_call_is_recorded_with_its_kind(
    error: ModelError, outcome: str, kind: str
) -> None:
    model, records = logged(Canned(SAID, error=error))
    assert run(listen(model.stream(HI))).error is error
    assert [(r.outcome, r.error_kind, r.estimated) for r in records] == [(outcome, kind, True)]


def test_a_refused_call_cost_nothing() -> None:
    model, records = logged(Canned(error=RateLimited()))
    run(listen(model.stream(HI)))
    assert (records[0].tokens_in, records[0].tokens_out, records[0].estimated) == (0, 0, False)


def test_an_error_that_is_no_model_error_is_recorded_too() -> None:
    model, records = logged(Canned(error=ZeroDivisionError()))
    with pytest.raises(ZeroDivisionError):
        run(listen(model.stream(HI)))
    assert records[0].outcome == "failed"


def test_closing_stops_the_model_inside_and_is_recorded_as_stopped() -> None:
    inside = Canned(SAID, END)
    model, records = logged(inside)

    async def first_only() -> None:
        async with aclosing(model.stream(HI)) as deltas:
            async for _ in deltas:
                return

    run(first_only())
    assert inside.closed
    assert [r.outcome for r in records] == ["stopped"]


def test_cancelling_is_recorded_as_stopped() -> None:
    model, records = logged(Canned(SAID, error=asyncio.CancelledError()))
    with pytest.raises(asyncio.CancelledError):
        step_through(listen(model.stream(HI)))
    assert [r.outcome for r in records] == ["stopped"]


def record(role: str, conversation_id: str = "a", **more: object) -> UsageRecord:
    return UsageRecord("i", conversation_id, role, "m", tokens_in=10, tokens_out=5, **more)  # type: ignore[arg-type]


def test_totals_are_by_role_and_conversation() -> None:
    records = [
        record("chat", duration_ms=7, cached=3),
        record("chat", "b"),
        record("utility", outcome="failed"),
    ]
    assert totals(records, "a") == {
        "chat": Totals(1, 0, 10, 5, 3, 7),
        "utility": Totals(1, 1, 10, 5, 0, 0),
    }
    assert totals(records)["chat"].calls == 2
    assert totals([]) == {}


def test_what_folding_cost_stands_against_what_it_saved() -> None:
    records = [
        record("utility"),
        record("chat", saved=100),
        record("chat", saved=-20),
        record("chat", saved=500, outcome="failed"),
        record("chat", "b", saved=1),
    ]
    assert economy(records, "a") == Economy(cost=15, saved=80)
    assert economy(records, "a").gain == 65
    assert economy(records).saved == 81


@pytest.mark.parametrize("absurd", [10**15, 999_999_999_999_999, 2e9, "70000000000"])
def test_a_count_that_no_call_can_have_is_not_believed(absurd: object) -> None:
    reader = AnswerReader()
    stated = {
        "prompt_tokens": absurd,
        "completion_tokens": 4,
        "prompt_tokens_details": {"cached_tokens": absurd},
    }
    list(reader.read_chunk({"choices": [], "usage": stated}))
    reader.done = True
    assert reader.end().usage == Usage(0, 4, 0)


def test_a_server_that_miscounts_leaves_the_totals_believable() -> None:
    reader = AnswerReader()
    list(reader.read_chunk({"usage": {"prompt_tokens": 10**14, "completion_tokens": 10**14}}))
    reader.done = True
    model, records = logged(Canned(SAID, reader.end()))
    run(listen(model.stream(HI)))
    (record,) = records
    assert record.estimated
    assert 0 < totals(records)["chat"].tokens_in < 100
    assert 0 < totals(records)["chat"].tokens_out < 100
