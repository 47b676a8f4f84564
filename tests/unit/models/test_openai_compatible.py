# ruff: noqa: E501 (tables)
"""The adapter: what is sent, what comes back, what is learned, and how every stream ends."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.models.errors import (
    Auth,
    BadRequest,
    ContextOverflow,
    NotAnApi,
    RateLimited,
    Server,
    TimedOut,
    Truncated,
    Unreachable,
    explain,
)
from app.models.openai_compatible import OpenAICompatible
from app.models.port import WireMessage
from tests.unit.models.network import (
    HI,
    JSON,
    FakeNetwork,
    Heard,
    Pause,
    Reply,
    endpoint,
    listen,
    refusal,
    whole,
)
from tests.unit.models.streams import HELLO, PLAIN, STOP, STREAMS, WORLD, Stream, chunk, events
from tests.unit.run import run


def ask(network: FakeNetwork, *, model: str = "m", **options: Any) -> Heard:
    where = endpoint(network, **options)
    return run(listen(OpenAICompatible(where, model).stream(HI, max_tokens=9, temperature=0.5)))


@pytest.mark.parametrize("cut", ["whole", "bytes"])
@pytest.mark.parametrize("stream", STREAMS, ids=lambda s: s.name)
def test_every_stream_ends_as_it_means(stream: Stream, cut: str) -> None:
    data = stream.data
    pieces = [data] if cut == "whole" else [data[i : i + 1] for i in range(len(data))]
    network = FakeNetwork(Reply(chunks=pieces))
    heard = ask(network)
    assert heard.text == stream.text
    assert heard.reasoning == stream.reasoning
    assert (heard.error.kind if heard.error else "") == stream.error
    assert network.closed
    if not stream.error:
        assert heard.last.finish == stream.finish
        usage = heard.last.usage
        assert (usage.prompt_tokens if usage else 0) == stream.prompt_tokens


def test_only_two_headers_and_the_known_fields_are_sent() -> None:
    network = FakeNetwork(Reply(chunks=[PLAIN]))
    ask(network)
    method, url, headers, _ = network.requests[0]
    assert (method, url) == ("POST", "https://host.test/v1/chat/completions")
    assert headers == {
        "Content-Type": "application/json",
        "Authorization": "Bearer sk-test-000111222",
    }
    assert network.body() == {
        "model": "m",
        "messages": [{"role": "user", "content": "Hi"}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 9,
        "temperature": 0.5,
    }


def test_no_authorization_without_a_key() -> None:
    network = FakeNetwork(Reply(chunks=[PLAIN]))
    ask(network, key="")
    assert list(network.requests[0][2]) == ["Content-Type"]


def test_lone_surrogates_are_replaced_and_pairs_joined() -> None:
    network = FakeNetwork(Reply(chunks=[PLAIN]))
    model = OpenAICompatible(endpoint(network), "m")
    run(listen(model.stream([WireMessage("user", "a\ud800b \ud83d\udc0e \udfff")])))
    assert network.body()["messages"][0]["content"] == "a\ufffdb 🐎 \ufffd"


@pytest.mark.parametrize("asked", [0, -5])
def test_an_answer_of_no_tokens_is_never_asked_for(asked: int) -> None:
    network = FakeNetwork(Reply(chunks=[PLAIN]))
    run(listen(OpenAICompatible(endpoint(network), "m").stream(HI, max_tokens=asked)))
    assert network.body()["max_tokens"] == 1


def unsupported(name: str, advice: str = "") -> Reply:
    message = f"Unsupported parameter: '{name}' is not supported with this model.{advice}"
    return refusal(400, message, param=name, code="unsupported_parameter")


def test_a_refused_parameter_is_renamed_or_dropped_once_and_remembered_per_model() -> None:
    network = FakeNetwork(
        unsupported("max_tokens", " Use 'max_completion_tokens' instead."),
        refusal(400, "Unsupported value: 'temperature' does not support 0.5 with this model."),
        Reply(chunks=[PLAIN]),
        Reply(chunks=[PLAIN]),
        Reply(chunks=[PLAIN]),
    )
    where = endpoint(network)
    model = OpenAICompatible(where, "o-model")
    for _ in range(2):
        heard = run(listen(model.stream(HI, max_tokens=9, temperature=0.5)))
        assert heard.text == "Hello world"
    assert len(network.requests) == 4
    assert network.body()["max_completion_tokens"] == 9
    assert not {"max_tokens", "temperature"} & set(network.body())
    run(listen(OpenAICompatible(where, "other").stream(HI, max_tokens=9)))
    assert network.body()["max_tokens"] == 9


@pytest.mark.parametrize(
    ("name", "reply"),
    [
        ("stream_options", unsupported("stream_options")),
        (
            "stream_options",
            Reply(
                422,
                [
                    b'{"detail":[{"loc":["body","stream_options"],'
                    b'"msg":"Extra inputs are not permitted"}]}'
                ],
                JSON,
            ),
        ),
        ("max_tokens", refusal(400, "max_tokens is too large: 9. At most 4 are supported.")),
        ("temperature", refusal(400, "temperature must be 1 for this model")),
    ],
)
def test_each_parameter_can_be_refused_in_several_wordings(name: str, reply: Reply) -> None:
    network = FakeNetwork(reply, Reply(chunks=[PLAIN]))
    assert ask(network).text == "Hello world"
    assert name not in network.body()


def test_a_refusal_that_nothing_can_mend_is_not_repeated() -> None:
    network = FakeNetwork(refusal(400, "messages must alternate"))
    assert isinstance(ask(network).error, BadRequest)
    assert len(network.requests) == 1


def test_a_server_that_refuses_everything_is_asked_a_few_times_only() -> None:
    names = ["stream_options", "max_tokens", "max_completion_tokens", "temperature", "temperature"]
    network = FakeNetwork(*[unsupported(n) for n in names])
    where = endpoint(network)
    heard = run(listen(OpenAICompatible(where, "m").stream(HI, max_tokens=9, temperature=0.5)))
    assert isinstance(heard.error, BadRequest)
    assert len(network.requests) == 5
    assert where.quirks == {}


def test_one_json_answer_instead_of_a_stream_is_taken() -> None:
    answer = {
        "choices": [
            {
                "message": {"content": "Hello", "reasoning_content": "Hm"},
                "finish_reason": "length",
            }
        ],
        "usage": {"prompt_tokens": 7, "completion_tokens": 2},
    }
    heard = ask(FakeNetwork(whole(answer)))
    assert (heard.text, heard.reasoning, heard.last.finish) == ("Hello", "Hm", "length")
    assert heard.last.usage is not None
    assert heard.last.usage.prompt_tokens == 7


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b'{"error":{"message":"upstream timeout"}}', Server),
        (b'[{"error":{"code":400,"message":"The input token count exceeds the maximum"}}]', ContextOverflow),
        (b"<html>502 Bad Gateway</html>", Server),
        (b"\xef\xbb\xbf  <!doctype html><title>Log in</title>", Server),
        (b'{"choices":[{"message":{"con', Truncated),
        (b'{"hello":1}', NotAnApi),
        (b"It works!", NotAnApi),
        (b"{" * 20_000, Truncated),
    ],
)  # fmt: skip
def test_http_200_with_no_answer_in_it_is_an_error(data: bytes, kind: type) -> None:
    heard = ask(FakeNetwork(Reply(200, [data], {"content-type": "application/json"})))
    assert type(heard.error) is kind
    assert heard.text == ""
    assert "<" not in explain(heard.error or Server())


def test_a_stream_sent_as_json_type_is_still_read_as_a_stream() -> None:
    assert ask(FakeNetwork(Reply(200, [PLAIN], JSON))).text == "Hello world"


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (refusal(401, "Incorrect API key"), Auth),
        (refusal(429, "slow down"), RateLimited),
        (refusal(400, "prompt is too long: 9 tokens > 4 maximum"), ContextOverflow),
        (Reply(502, [b"<html>Bad Gateway</html>"], {"content-type": "text/html"}), Server),
        (Reply(500, [Unreachable()], JSON), Server),
        (Unreachable(), Unreachable),
    ],
)
def test_refusals_are_typed(reply: Reply | Unreachable, kind: type) -> None:
    network = FakeNetwork(reply)
    assert type(ask(network).error) is kind
    assert len(network.requests) == 1


def test_a_key_that_the_server_repeats_is_taken_out() -> None:
    secret = "plainkeywithoutprefix"
    network = FakeNetwork(refusal(401, f"bad key {secret}!"))
    error = ask(network, key=secret).error
    assert error is not None
    assert secret not in explain(error)
    assert secret not in repr(error)
    assert secret not in repr(endpoint(network, key=secret))
    stream = events(f'{{"error":"cannot use {secret}"}}')
    error = ask(FakeNetwork(Reply(chunks=[stream])), key=secret).error
    assert error is not None
    assert secret not in explain(error)


def test_a_key_that_is_cut_off_by_the_length_of_a_message_is_taken_out() -> None:
    secret = "plainkeywithoutprefix"
    for before in range(270, 300):
        said = ("word " * 100)[:before]
        network = FakeNetwork(refusal(401, f"{said}{secret} more words"))
        error = ask(network, key=secret).error
        assert error is not None
        assert secret[:4] not in explain(error)


def test_a_connection_that_breaks_keeps_the_text_and_is_truncated() -> None:
    heard = ask(FakeNetwork(Reply(chunks=[events(HELLO, done=False), Unreachable()])))
    assert heard.text == "Hello"
    assert isinstance(heard.error, Truncated)


def test_a_connection_that_breaks_after_the_finish_is_complete() -> None:
    heard = ask(FakeNetwork(Reply(chunks=[events(HELLO, STOP, done=False), Unreachable()])))
    assert heard.error is None
    assert heard.last.finish == "stop"


def test_a_finished_answer_is_not_waited_for_long() -> None:
    late = [events(HELLO, STOP, done=False), Pause(30), events(chunk({"content": "late"}))]
    network = FakeNetwork(Reply(chunks=late))
    assert ask(network).text == "Hello"
    assert network.now < 10


def test_nothing_before_the_first_token_times_out() -> None:
    for reply in (Reply(before=130), Reply(chunks=[Pause(130), PLAIN])):
        error = ask(FakeNetwork(reply)).error
        assert isinstance(error, TimedOut)
        assert error.first


def test_a_stream_of_only_comments_times_out_on_the_first_token() -> None:
    pings: list[bytes | Pause] = []
    for _ in range(100):
        pings += [Pause(10), b": keep-alive\n\n"]
    network = FakeNetwork(Reply(chunks=pings))
    error = ask(network).error
    assert isinstance(error, TimedOut)
    assert error.first
    assert network.now <= 121
    assert network.closed


def test_comments_reset_the_idle_timer_but_silence_ends_the_stream() -> None:
    start, ping, end = events(HELLO, done=False), b": ping\n\n", events(WORLD, STOP)
    alive = [start, Pause(50), ping, Pause(50), ping, Pause(50), end]
    assert ask(FakeNetwork(Reply(chunks=alive))).text == "Hello world"
    heard = ask(FakeNetwork(Reply(chunks=[start, Pause(61), end])))
    assert heard.text == "Hello"
    assert isinstance(heard.error, TimedOut)
    assert not heard.error.first


def test_a_long_silence_before_the_first_token_is_no_idleness() -> None:
    assert ask(FakeNetwork(Reply(chunks=[Pause(100), PLAIN]))).text == "Hello world"


def test_closing_the_iterator_aborts_the_request() -> None:
    network = FakeNetwork(Reply(chunks=[events(HELLO, done=False), events(WORLD, STOP)]))

    async def first_only() -> str:
        stream = OpenAICompatible(endpoint(network), "m").stream(HI)
        delta = await anext(stream)
        await stream.aclose()
        return delta.text

    assert run(first_only()) == "Hello"
    assert network.closed
    assert network.read == 1


def test_an_https_page_does_not_even_try_a_mixed_call() -> None:
    network = FakeNetwork()
    error = ask(network, base_url="http://192.168.1.5:11434/v1", page_is_https=True).error
    assert isinstance(error, Unreachable)
    assert error.mixed
    assert network.requests == []


def test_an_event_without_an_end_is_a_server_error() -> None:
    flood = [b"data: " + b"x" * 1_000_000] * 9
    error = ask(FakeNetwork(Reply(chunks=flood))).error
    assert type(error) is Server


def models(value: object) -> list[tuple[str, int]]:
    found = run(endpoint(FakeNetwork(whole(value))).list_models())
    return [(m.id, m.context_size) for m in found]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"data": [{"id": "a", "context_length": 4096}]}, [("a", 4096)]),
        ({"data": [{"id": "a", "max_model_len": 32768}]}, [("a", 32768)]),
        ({"data": [{"id": "a", "meta": {"n_ctx": 2048, "n_ctx_train": 8192}}]}, [("a", 2048)]),
        ({"data": [{"id": "a", "context_window": "8192"}]}, [("a", 8192)]),
        (
            {"data": [{"id": "a", "max_context_length": 9999, "loaded_context_length": 4096}]},
            [("a", 4096)],
        ),
        ({"models": [{"name": "a"}, {"model": "b"}]}, [("a", 0), ("b", 0)]),
        (["a", {"id": "b"}, 7, None, {"id": ""}, "a"], [("a", 0), ("b", 0)]),
        ({"data": [{"id": "a", "context_length": None, "meta": 3}]}, [("a", 0)]),
        ({"data": [{"id": "a", "context_length": -1, "max_model_len": True}]}, [("a", 0)]),
        ({"data": []}, []),
        ({"data": None, "models": [{"id": "a"}]}, [("a", 0)]),
    ],
)
def test_models_are_read_from_any_shape(value: object, expected: list[tuple[str, int]]) -> None:
    assert models(value) == expected


@pytest.mark.parametrize("value", [{}, {"data": "x"}, 7, None, "text"])
def test_something_else_is_no_list_of_models(value: object) -> None:
    with pytest.raises(NotAnApi):
        models(value)


def test_a_web_page_or_silence_instead_of_the_list_is_told() -> None:
    page = FakeNetwork(Reply(200, [b"<html>hello</html>"], {"content-type": "text/html"}))
    with pytest.raises(Server, match="web page"):
        run(endpoint(page).list_models())
    with pytest.raises(TimedOut):
        run(endpoint(FakeNetwork(Reply(before=30))).list_models())


def test_the_body_is_plain_utf8_json() -> None:
    network = FakeNetwork(Reply(chunks=[PLAIN]))
    run(listen(OpenAICompatible(endpoint(network), "m").stream([WireMessage("user", "ž")])))
    sent = network.requests[0][3]
    assert sent is not None
    assert "ž".encode() in sent
    assert json.loads(sent)
