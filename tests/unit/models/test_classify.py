# ruff: noqa: E501 (the servers' own wordings, one a line)
"""A server's refusal becomes the right typed error, whatever its wording."""

from __future__ import annotations

import json

import pytest

from app.models.classify import classify, classify_value
from app.models.errors import (
    Auth,
    BadRequest,
    ContextOverflow,
    NoSuchModel,
    NotAnApi,
    Quota,
    RateLimited,
    Server,
    explain,
)


def openai(message: str, **more: object) -> str:
    return json.dumps({"error": {"message": message, **more}})


# (status, body, limit, prompt) as servers are known to word it; sizes changed.
OVERFLOWS = [
    (400, openai("This model's maximum context length is 4096 tokens. However, your messages resulted in 5210 tokens.", code="context_length_exceeded"), 4096, 5210),
    (400, openai("This model's maximum context length is 4096 tokens. However, your messages resulted in 5210 tokens. Please reduce the length of the messages."), 4096, 5210),
    (400, openai("This model's maximum context length is 4097 tokens. However, you requested 5360 tokens (4360 in the messages, 1000 in the completion). Please reduce the length of the messages or completion."), 4097, 4360),
    (400, openai("Input length 5210 exceeds the maximum allowed input length of 4096 tokens.", code="400"), 4096, 5210),
    (400, openai("Input length (5210) exceeds model's maximum context length (4096)."), 4096, 5210),
    (400, openai("the request exceeds the available context size", code=400, type="exceed_context_size_error", n_prompt_tokens=5210, n_ctx=4096), 4096, 5210),
    (400, openai("request (6031 tokens) exceeds the available context size (4096 tokens), try increasing it", type="exceed_context_size_error"), 4096, 6031),
    (500, openai("the request exceeds the available context size. try increasing the context size or enable context shift", type="server_error"), 0, 0),
    (413, openai("Request body too large", code="body_too_large"), 0, 0),
    (413, "<html><head><title>413 Request Entity Too Large</title></head></html>", 0, 0),
    (413, "", 0, 0),
    (400, openai("The input token count (5210) exceeds the maximum number of tokens allowed (4096)."), 4096, 5210),
    (400, json.dumps([{"error": {"code": 400, "message": "The input token count exceeds the maximum number of tokens allowed 1048576.", "status": "INVALID_ARGUMENT"}}]), 1048576, 0),
    (400, json.dumps({"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 208310 tokens > 200000 maximum"}}), 200000, 208310),
    (400, openai("input length and `max_tokens` exceed context limit: 199759 + 20000 > 200000, decrease input length or `max_tokens` and try again", type="invalid_request_error"), 200000, 199759),
    (413, openai("Request exceeds the maximum size", type="request_too_large"), 0, 0),
    (400, json.dumps({"object": "error", "message": "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length", "type": "invalid_request_error", "code": "3051"}), 32768, 40000),
    (400, json.dumps({"object": "error", "message": "The decoder prompt (length 5210) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller than the number of text tokens.", "type": "BadRequestError", "code": 400}), 4096, 5210),
    (400, openai("You passed 5000 input tokens and requested 200 output tokens. However, the model's context length is only 4096 tokens, resulting in a maximum input length of 3896 tokens. Please reduce the length of the input messages."), 4096, 5000),
    (422, json.dumps({"error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5210 `inputs` tokens and 100 `max_new_tokens`", "error_type": "validation"}), 4096, 5210),
    (422, json.dumps({"error": "Input validation error: `inputs` must have less than 4096 tokens. Given: 5210", "error_type": "validation"}), 4096, 5210),
    (400, json.dumps({"error": "Trying to keep the first 5210 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input"}), 4096, 5210),
    (400, openai("The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 5210>= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input."), 4096, 5210),
    (400, json.dumps({"error": "the input length exceeds the context length"}), 0, 0),
    (500, json.dumps({"error": "input length exceeds maximum context length"}), 0, 0),
    (400, openai("Please reduce the length of the messages or completion.", type="invalid_request_error", code="context_length_exceeded", param="messages"), 0, 0),
    (400, openai("Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192", code="context_length_exceeded"), 8192, 9000),
    (400, openai("This model's maximum prompt length is 131072 but the request contains 140000 tokens."), 131072, 140000),
    (400, json.dumps({"message": "too many tokens: total number of tokens in the prompt cannot exceed 4096 - received 5210. Try using a shorter prompt"}), 4096, 5210),
    (400, json.dumps({"message": "Input is too long for requested model."}), 0, 0),
    (400, openai("Range of input length should be [1, 30720]", code="invalid_parameter_error"), 30720, 0),
    (400, openai("Prompt exceeds max length", code="1261"), 0, 0),
    (400, openai("Invalid request: Your request exceeded model token limit: 8192", type="invalid_request_error"), 8192, 0),
    (400, openai("invalid params, context window exceeds limit (2013)"), 2013, 0),
    (400, openai("The input (5210 tokens) is longer than the model's context length (4096 tokens)."), 4096, 5210),
    (400, openai("Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of 5210 tokens: 5000 tokens from the input messages and 210 tokens for the completion."), 4096, 5000),
    (400, openai("Requested tokens (5210) exceed context window of 4096"), 4096, 5210),
    (400, openai("The prompt is too long: 5210, model maximum context length: 4096"), 4096, 5210),
    (400, openai("Provider returned error", code=400, metadata={"raw": json.dumps({"error": {"message": "This model's maximum context length is 32,768 tokens. However, your prompt contains 40,123 tokens."}}), "provider_name": "X"}), 32768, 40123),
    (400, openai("This endpoint's maximum context length is 4096 tokens. However, you requested about 5210 tokens (5200 of text input, 10 in the output). Please reduce the length of either one, or use the \"middle-out\" transform."), 4096, 5200),
    (400, openai("Invalid 'messages[0].content': string too long. Expected a string with maximum length 10485760, but got a string with length 20000000 instead.", code="string_above_max_length", param="messages[0].content"), None, None),
    (400, "The conversation is too long for this model", 0, 0),
    (400, openai("Your input exceeds the context window of this model. Please adjust your input and try again.", code="context_length_exceeded"), 0, 0),
    (400, openai("prompt token count of 70000 exceeds the limit of 64000", code="model_max_prompt_tokens_exceeded"), 64000, 70000),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body", "limit", "prompt"), OVERFLOWS)
def test_an_overflow_is_known_in_every_wording(
    status: int, body: str, limit: int | None, prompt: int | None
) -> None:
    error = classify(status, {}, body)
    assert isinstance(error, ContextOverflow), (type(error), body)
    if limit is not None:
        assert (error.limit, error.prompt) == (limit, prompt)


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (429, openai("Too many tokens, please wait before trying again.", type="ThrottlingException"), RateLimited),
        (413, openai("Request too large for model `m-8b` in organization `o` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 7000, please reduce your message size and try again.", type="tokens", code="rate_limit_exceeded"), RateLimited),
        (429, openai("Request too large for gpt-x on tokens per min (TPM): Limit 30000, Requested 40000. The input or output tokens must be reduced in order to run successfully.", type="tokens", code="rate_limit_exceeded"), RateLimited),
        (400, json.dumps({"message": "Too many tokens per day, please wait before trying again."}), RateLimited),
        (429, openai("You exceeded your current quota, please check your plan and billing details.", type="insufficient_quota", code="insufficient_quota"), Quota),
        (402, openai("Insufficient Balance", type="unknown_error"), Quota),
        (402, openai("This request requires more credits, or fewer max_tokens. You requested up to 4096 tokens, but can only afford 800.", code=402), Quota),
        (400, openai("max_tokens is too large: 100000. This model supports at most 4096 completion tokens, whereas you provided 100000.", param="max_tokens", code="invalid_value"), BadRequest),
        (400, openai("`max_tokens` must be less than or equal to `32768`, the maximum value for `max_tokens` is less than the `context_window` for this model"), BadRequest),
        (400, openai("max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens"), BadRequest),
        (400, openai("'max_tokens' or 'max_completion_tokens' is too large: 5000. This model's maximum context length is 4096 tokens and your request has 10 input tokens (5000 > 4096 - 10)."), BadRequest),
        (400, openai("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", param="max_tokens", code="unsupported_parameter"), BadRequest),
        (400, openai("Too many images in message: at most 5"), BadRequest),
        (400, openai("messages.1.content: image exceeds 5 MB maximum"), BadRequest),
        (422, json.dumps({"detail": [{"loc": ["body", "temperature"], "msg": "Input should be less than or equal to 2", "type": "less_than_equal"}]}), BadRequest),
        (400, openai("Invalid value for temperature: 3 is greater than the maximum of 2"), BadRequest),
        (500, openai("The server had an error while processing your request"), Server),
        (400, openai("messages must alternate between user and assistant"), BadRequest),
    ],
)  # fmt: skip
def test_a_look_alike_is_not_taken_for_an_overflow(status: int, body: str, kind: type) -> None:
    error = classify(status, {}, body)
    assert type(error) is kind, (type(error), body)


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (401, openai("Incorrect API key provided"), Auth),
        (400, openai("API key not valid. Please pass a valid API key.", status="INVALID_ARGUMENT"), Auth),
        (403, openai("You are not allowed to sample from this model"), Auth),
        (404, openai("The model `gone` does not exist or you do not have access to it.", code="model_not_found"), NoSuchModel),
        (404, openai('model "llama9" not found, try pulling it first', type="api_error"), NoSuchModel),
        (400, openai("gone/model is not a valid model ID", code=400), NoSuchModel),
        (404, openai("No endpoints found for some/model."), NoSuchModel),
        (404, "404 page not found", NotAnApi),
        (404, "<!DOCTYPE html><html><body>Not found</body></html>", NotAnApi),
        (405, json.dumps({"detail": "Method Not Allowed"}), NotAnApi),
        (502, "<html><body><h1>502 Bad Gateway</h1></body></html>", Server),
        (503, openai("Loading model", code=503, type="unavailable_error"), Server),
        (500, "", Server),
        (418, "short and stout", BadRequest),
        (400, "{" * 5000, BadRequest),
    ],
)  # fmt: skip
def test_each_refusal_gets_its_own_type(status: int, body: str, kind: type) -> None:
    error = classify(status, {}, body)
    assert type(error) is kind, type(error)
    assert error.status == status


def test_an_unknown_wording_is_never_an_overflow_nor_a_rate_limit() -> None:
    error = classify(400, {}, openai("Something odd with field frobnicate"))
    assert type(error) is BadRequest
    assert "frobnicate" in explain(error)


@pytest.mark.parametrize(
    ("headers", "message", "seconds"),
    [
        ({"retry-after": "7"}, "slow down", 7.0),
        ({"Retry-After": "1.5"}, "slow down", 1.5),
        ({"retry-after-ms": "250"}, "slow down", 0.25),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, "slow down", 0.0),
        ({"retry-after": "Fri, 31 Dec 9999 23:59:59 GMT"}, "slow down", 86400.0),
        ({"retry-after": "soon"}, "slow down", None),
        ({}, "Rate limit reached. Please try again in 1m30.5s.", 90.5),
        ({}, "Please try again in 20s. Visit the docs", 20.0),
        ({}, "Please retry in 340ms", 0.34),
        ({}, "slow down", None),
    ],
)  # fmt: skip
def test_the_time_to_wait_is_read_in_each_form(
    headers: dict[str, str], message: str, seconds: float | None
) -> None:
    error = classify(429, headers, openai(message))
    assert isinstance(error, RateLimited)
    assert error.retry_after == (pytest.approx(seconds) if seconds is not None else None)


def test_an_http_date_is_the_right_number_of_seconds_away() -> None:
    from app.models.refusal import retry_after

    date = {"retry-after": "Sun, 06 Nov 1994 08:49:37 GMT"}
    assert retry_after(date, "", 784111777.0 - 42) == 42.0
    leap = {"retry-after": "Thu, 29 Feb 2024 00:00:10 GMT"}
    assert retry_after(leap, "", 1709164800.0) == 10.0


def test_a_web_page_never_reaches_the_reader() -> None:
    error = classify(502, {}, "<html><body><h1>502 Bad Gateway</h1>nginx</body></html>")
    assert "web page instead of JSON (HTTP 502)" in explain(error)
    wrapped = classify(500, {}, openai("<html><title>Oops</title></html>"))
    for text in (explain(error), explain(wrapped), str(error)):
        assert "<" not in text
        assert "Gateway" not in text
        assert "Oops" not in text


@pytest.mark.parametrize(
    "message",
    [
        "Incorrect API key provided: sk-proj-abcdef1234567890. You can find it",
        "Incorrect API key provided: sk-test-****************7890.",
        "Header was: Authorization: Bearer abcdef1234567890",
        "cannot reach https://user:hunter2@host.test/v1",
        "GET /v1?api_key=abcdef1234567890 failed",
        "bad key AIzaSyabcdef1234567890",
    ],
)
def test_no_key_nor_credentials_stand_in_a_message(message: str) -> None:
    text = explain(classify(401, {}, openai(message)))
    for secret in ("abcdef1234567890", "hunter2", "7890"):
        assert secret not in text


def test_an_error_object_with_http_200_is_classified_by_its_code() -> None:
    assert isinstance(classify_value({"message": "slow", "code": 429}), RateLimited)
    overloaded = classify_value({"message": "Provider overloaded", "code": 502})
    assert type(overloaded) is Server
    assert overloaded.status == 502
    assert isinstance(
        classify_value("the input length exceeds the context length"), ContextOverflow
    )


@pytest.mark.parametrize(
    "body", ["", "null", "[]", "{}", '{"error": null}', '{"error": []}', "\x00", "[" * 9000]
)
def test_odd_bodies_are_server_errors_without_a_crash(body: str) -> None:
    error = classify(500, {}, body)
    assert type(error) is Server
    assert explain(error).startswith("The server failed (HTTP 500)")
