"""Whatever a server sends, an answer is deltas with one finish, or one typed error, never more."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from app.models.classify import classify
from app.models.errors import ModelError, explain
from app.models.openai_compatible import OpenAICompatible
from app.models.port import Delta
from tests.unit.models.network import HI, FakeNetwork, Pause, Reply, endpoint
from tests.unit.models.streams import STREAMS, chunk
from tests.unit.run import run

_NAMES = [
    *("choices", "delta", "content", "error", "usage", "finish_reason", "index", "message"),
    *("prompt_tokens", "code", "type", "text", "reasoning", "object", "data", "id"),
]
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 10**18)
    | st.floats(allow_nan=True)
    | st.sampled_from(["", "stop", "error", "length", "Hello", "<html>", "\ud800", "{"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(_NAMES),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
_JSON = _VALUES.map(json.dumps)
_EVENTS = st.one_of(
    _JSON.map(lambda text: f"data: {text}\n\n".encode()),
    _VALUES.map(lambda v: f"data: {chunk(v)}\n\n".encode("utf-8", "surrogatepass")),
    _VALUES.map(lambda v: f"data: {json.dumps({'choices': [v]})}\n\n".encode()),
    st.sampled_from([b"data: [DONE]\n\n", b": ping\n\n", b"event: error\n\n", b"<html>", b"{"]),
    st.binary(max_size=20),
    st.sampled_from([s.data for s in STREAMS]),
)
_PAUSES = st.sampled_from([Pause(1), Pause(100)])


async def collect(network: FakeNetwork) -> tuple[list[Delta], ModelError | None]:
    deltas: list[Delta] = []
    try:
        async for delta in OpenAICompatible(endpoint(network), "m").stream(HI):
            deltas.append(delta)  # noqa: PERF401 (what came before an error counts)
    except ModelError as error:
        return deltas, error
    return deltas, None


@given(
    st.lists(_EVENTS | _PAUSES, max_size=8), st.sampled_from(["text/event-stream", "text/html", ""])
)
def test_any_bytes_give_deltas_and_one_end(chunks: list[bytes | Pause], kind: str) -> None:
    network = FakeNetwork(Reply(200, chunks, {"content-type": kind}))
    deltas, error = run(collect(network))
    finishes = [d for d in deltas if d.finish]
    if error is None:
        assert finishes == deltas[-1:]
        assert finishes[0].finish in ("stop", "length", "content_filter", "tool_calls")
    else:
        assert finishes == []
        assert "<html" not in explain(error)
    assert network.closed


@given(st.integers(300, 599), _JSON | st.text(max_size=200) | st.binary(max_size=60))
def test_any_refusal_is_one_typed_error_in_plain_words(status: int, body: str | bytes) -> None:
    error = classify(status, {}, body)
    text = explain(error)
    assert text
    assert text == str(error)
    assert "\n" not in text
    assert len(text) < 700


@given(_JSON)
def test_any_list_of_models_is_read_or_refused(body: str) -> None:
    network = FakeNetwork(Reply(200, [body.encode()], {"content-type": "application/json"}))
    try:
        models = run(endpoint(network).list_models())
    except ModelError:
        return
    assert len({m.id for m in models}) == len(models)
    assert all(m.id and m.context_size >= 0 for m in models)
