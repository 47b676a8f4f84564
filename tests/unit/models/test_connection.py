# ruff: noqa: E501 (tables)
"""Test connection says what works, or names the likely cause."""

from __future__ import annotations

from typing import Any

import pytest

from app.models.connection import Connection, test_connection
from app.models.errors import Unreachable
from tests.unit.models.network import FakeNetwork, Reply, endpoint, refusal, whole
from tests.unit.models.streams import PLAIN
from tests.unit.run import run

LIST = whole({"data": [{"id": "m", "context_length": 4096}, {"id": "n"}]})
ANSWER = Reply(chunks=[PLAIN])
PAGE = Reply(200, [b"<html>router</html>"], {"content-type": "text/html"})


def check(*replies: Reply | Unreachable, model: str = "m", **options: Any) -> Connection:
    network = FakeNetwork(*replies)
    result = run(test_connection(endpoint(network, **options), model))
    assert network.replies == []
    assert "sk-test" not in result.text
    return result


def test_all_is_well_with_and_without_a_model() -> None:
    assert check(LIST, ANSWER) == Connection(
        True, "Connected: m answers.", "", check(LIST, model="").models
    )
    listed = check(LIST, model="")
    assert listed.ok
    assert listed.text == "Connected: 2 models on offer. Choose one."
    only = check(whole({"data": [{"id": "m"}]}), model="")
    assert only.text == "Connected: 1 model on offer."
    assert [m.id for m in listed.models] == ["m", "n"]
    assert "lists no models" in check(whole({"data": []}), model="").text


def test_a_server_without_a_list_can_still_answer() -> None:
    assert check(refusal(404, "not here"), ANSWER).ok
    assert check(refusal(500, "no list"), ANSWER).ok
    assert not check(refusal(404, "not here"), model="").ok


@pytest.mark.parametrize(
    ("replies", "kind", "said"),
    [
        ([refusal(401, "Incorrect API key")], "auth", "API key"),
        ([LIST, refusal(401, "Incorrect API key")], "auth", "API key"),
        ([LIST, refusal(429, "x", code="insufficient_quota")], "quota", "quota"),
        ([LIST, refusal(402, "Insufficient Balance")], "quota", "billing"),
        ([LIST, refusal(429, "slow down")], "rate_limited", "slow down"),
        ([Unreachable()], "unreachable", "CORS"),
        ([LIST, Unreachable()], "unreachable", "CORS"),
        ([LIST, refusal(404, "model m not found", code="model_not_found")], "no_such_model", "this model"),
        ([PAGE], "server", "web page instead of JSON"),
        ([refusal(404, "x"), refusal(404, "x")], "not_an_api", "no OpenAI-compatible API"),
        ([whole({"hello": 1}), whole({"hello": 1})], "not_an_api", "no OpenAI-compatible API"),
        ([LIST, refusal(503, "Loading model")], "server", "still starting"),
    ],
)  # fmt: skip
def test_the_likely_cause_is_named(replies: list[Any], kind: str, said: str) -> None:
    result = check(*replies)
    assert not result.ok
    assert result.kind == kind
    assert said in result.text


def test_a_model_outside_the_list_is_told_with_the_list() -> None:
    result = check(LIST, refusal(404, "model z not found"), model="z")
    assert "not in the server's list (m, n)" in result.text


def test_mixed_content_is_named_without_a_request() -> None:
    result = check(base_url="http://nas.test:8080/v1", page_is_https=True)
    assert result.kind == "unreachable"
    assert "https" in result.text
    assert "http address on another machine" in result.text
