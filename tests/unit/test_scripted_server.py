"""The scripted server does what a test tells it, over a real connection."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any

import pytest

from app.memory.prompts import fold_request
from tests.browser.scripted_server import (
    Answer,
    Gate,
    Hang,
    Raw,
    ScriptedServer,
    Status,
    Usage,
    cut_stream,
    error_in_stream,
    rate_limited,
    web_page,
)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


def open_connection(server: ScriptedServer) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(server.origin.removeprefix("http://"), timeout=30)


def post(server: ScriptedServer, body: Any, key: str = "") -> tuple[int, Any, bytes]:
    connection = open_connection(server)
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
    connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
    response = connection.getresponse()
    try:
        data = response.read()
    except http.client.IncompleteRead as error:
        data = error.partial
    connection.close()
    return response.status, response.headers, data


HI = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
FOLD = {"messages": [{"role": m.role, "content": m.content} for m in fold_request("", [], 800)]}


def test_an_answer_streams_its_pieces_its_finish_its_usage_and_done(server: ScriptedServer) -> None:
    server.chat(Answer("a", "b", usage=Usage(5, 2)))
    status, headers, data = post(server, HI)
    assert status == 200
    assert headers["Content-Type"].startswith("text/event-stream")
    lines = [line.removeprefix(b"data: ") for line in data.split(b"\n") if line]
    assert lines.pop() == b"[DONE]"
    chunks = [json.loads(line) for line in lines]
    texts = [c["choices"][0]["delta"].get("content") for c in chunks if c["choices"]]
    assert texts == [None, "a", "b", None]
    assert chunks[-1]["usage"]["prompt_tokens"] == 5
    assert server.chats()[0].json == HI


def test_a_gate_holds_the_stream_until_it_is_opened(server: ScriptedServer) -> None:
    gate = Gate()
    server.chat(Answer("before", gate, "after"))
    connection = open_connection(server)
    connection.request("POST", "/v1/chat/completions", json.dumps(HI))
    response = connection.getresponse()
    while b"before" not in (line := response.readline()):
        assert b"after" not in line
    assert gate.reached.wait(30)
    gate.open()
    assert b"after" in response.read()
    connection.close()


def test_a_client_that_leaves_a_held_stream_is_noticed(server: ScriptedServer) -> None:
    gate = Gate()
    server.chat(Answer("before", gate, "after"))
    connection = open_connection(server)
    connection.request("POST", "/v1/chat/completions", json.dumps(HI))
    response = connection.getresponse()
    assert gate.reached.wait(30)
    response.close()
    connection.close()
    assert server.chats()[0].gone.wait(30)


def test_a_hang_gives_no_status_until_it_is_released(server: ScriptedServer) -> None:
    hang = Hang()
    server.chat(hang)
    connection = open_connection(server)
    connection.request("POST", "/v1/chat/completions", json.dumps(HI))
    assert hang.gate.reached.wait(30)
    hang.gate.open()
    with pytest.raises(http.client.RemoteDisconnected):
        connection.getresponse()
    connection.close()


def test_utility_requests_have_replies_of_their_own(server: ScriptedServer) -> None:
    server.utility(Status(500, "no"))
    assert post(server, HI)[0] == 200
    assert post(server, FOLD)[0] == 500
    assert b"scripted summary" in post(server, FOLD)[2]
    assert (len(server.chats()), len(server.utilities())) == (1, 2)
    assert len(server.wait_for(2, utility=True)) == 2


def test_faults_are_sent_as_scripted(server: ScriptedServer) -> None:
    server.chat(rate_limited("9"), web_page(), cut_stream("x"), error_in_stream("y"))
    status, headers, _ = post(server, HI)
    assert (status, headers["Retry-After"]) == (429, "9")
    status, headers, data = post(server, HI)
    assert (status, headers["Content-Type"]) == (502, "text/html")
    assert b"<html" in data
    cut = post(server, HI)[2]
    assert b'"x"' in cut
    assert b"DONE" not in cut
    assert b"Provider overloaded" in post(server, HI)[2]


def test_raw_bytes_and_whole_answers(server: ScriptedServer) -> None:
    server.chat(Answer(Raw(b": note\n\n"), "z"), Answer("all", whole=True))
    assert b": note" in post(server, HI)[2]
    whole = json.loads(post(server, HI)[2])
    assert whole["choices"][0]["message"]["content"] == "all"


def test_keys_and_fields_are_refused_when_asked() -> None:
    with ScriptedServer(key="right", refused_fields=("max_tokens",)) as server:
        assert post(server, HI, "wrong")[0] == 401
        assert post(server, HI, "right")[0] == 200
        status, _, data = post(server, {**HI, "max_tokens": 5}, "right")
        assert status == 400
        assert b"max_completion_tokens" in data


def preflight(server: ScriptedServer, asked: str) -> tuple[int, str | None]:
    connection = open_connection(server)
    connection.request(
        "OPTIONS",
        "/v1/chat/completions",
        headers={"Origin": "http://x", "Access-Control-Request-Headers": asked},
    )
    response = connection.getresponse()
    response.read()
    connection.close()
    return response.status, response.headers["Access-Control-Allow-Origin"]


def test_cors_lets_two_headers_through_or_refuses_all(server: ScriptedServer) -> None:
    assert preflight(server, "authorization,content-type") == (204, "*")
    assert preflight(server, "content-type,x-extra")[0] == 403
    with ScriptedServer(cors=False) as closed:
        assert preflight(closed, "content-type") == (403, None)


def test_models_are_listed_with_their_context_length(server: ScriptedServer) -> None:
    connection = open_connection(server)
    connection.request("GET", "/v1/models")
    listed = json.loads(connection.getresponse().read())
    connection.close()
    assert listed["data"] == [{"id": "scripted-model", "context_length": 4096}]
