"""Faults of the chat model: said where they happen, never sent back to a model, mended by Retry."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser import scripted_server as scripted
from tests.browser.e2e.chat import Chat, apples, contents, roles
from tests.browser.e2e.conftest import HTTP_ERRORS
from tests.browser.scripted_server import Answer, Gate, Hang, ScriptedServer, Status, Usage

REFUSALS = {
    "a wrong key": (scripted.unauthorized(), "refused the API key (HTTP 401)"),
    "too many requests": (scripted.rate_limited("7"), "Try again in 7 seconds"),
    "a broken server": (scripted.broken(), "The server failed (HTTP 500)"),
    "a proxy's page": (scripted.web_page(502), "web page instead of JSON"),
    "a page with status 200": (scripted.web_page(200), "web page instead of JSON"),
    "an error in the stream": (scripted.error_in_stream(), "Provider overloaded"),
    "no word at all": (scripted.empty(), "answered nothing"),
    "other JSON": (Status(200, {"hello": 1}), "no OpenAI-compatible API"),
}


def test_each_refusal_is_said_in_place_and_retry_asks_the_same_question_once(
    chat: Chat, server: ScriptedServer, watch
) -> None:
    watch.allow_error(HTTP_ERRORS)
    asked: list[str] = []
    for name, (fault, said) in REFUSALS.items():
        question = f"What about {name}?"
        asked.append(question)
        server.chat(fault)
        chat.ask(question)
        expect(chat.errors.last).to_contain_text(said)
        expect(chat.status).to_have_text("The answer failed")
        server.chat(Answer(f"Recovered from {name}."))
        chat.errors.last.get_by_role("button", name="Retry").click()
        expect(chat.answers.last).to_contain_text(f"Recovered from {name}.")
        chat.idle()
        expect(chat.errors).to_have_count(0)
        body = server.chats()[-1].json
        assert [x for x in contents(body) if x.endswith(question)] == [contents(body)[-1]]
        assert not any(said in text for text in contents(body)), f"{name}: an error was sent"
        assert roles(body) == ["system", *["user", "assistant"] * (len(asked) - 1), "user"]
    expect(chat.questions).to_have_count(len(asked))
    expect(chat.answers).to_have_count(len(asked))
    chat.page.reload()
    expect(chat.questions).to_contain_text(asked)
    expect(chat.errors).to_have_count(0)


def test_a_server_that_lets_no_page_in_is_named_with_the_likely_cause(
    chat: Chat, server: ScriptedServer, watch
) -> None:
    watch.allow_error("CORS policy|" + HTTP_ERRORS)
    server.cors = False
    chat.ask("Anyone there?")
    expect(chat.errors).to_contain_text("CORS")
    server.cors = True
    chat.errors.get_by_role("button", name="Retry").click()
    expect(chat.answers.last).to_contain_text("Scripted answer.")
    chat.idle()
    expect(chat.questions).to_have_count(1)


def test_a_broken_off_answer_keeps_its_text_is_marked_and_can_be_asked_again(
    chat: Chat, server: ScriptedServer, watch
) -> None:
    watch.allow_error(HTTP_ERRORS + "|ERR_INCOMPLETE_CHUNKED_ENCODING")
    endings = {
        "ends": (scripted.cut_stream("Part one"), "broke off"),
        "fails": (scripted.error_in_stream("Part two", message="Provider on fire"), "on fire"),
    }
    for ending, (answer, said) in endings.items():
        server.chat(answer)
        chat.ask(f"A stream that {ending}?")
        expect(chat.answers.last).to_contain_text("Part ")
        expect(chat.errors.last).to_contain_text(said)
        server.chat(Answer(f"Whole {ending}."))
        chat.errors.last.get_by_role("button", name="Retry").click()
        expect(chat.answers.last).to_contain_text(f"Whole {ending}.")
        chat.idle()
        expect(chat.answers.last).to_contain_text("2/2")  # the part is kept beside it
        body = server.chats()[-1].json
        assert contents(body)[-1] == f"A stream that {ending}?"
        assert not any("Part" in text for text in contents(body))
    gate = Gate()
    server.chat(scripted.cut_stream("Part three", gate, broken=True))
    chat.send("A stream that breaks?")
    expect(chat.answers.last).to_contain_text("Part three")
    gate.open()
    expect(chat.errors.last).to_be_visible()
    chat.idle()
    expect(chat.answers.last).to_contain_text("Part three")
    chat.page.reload()
    expect(chat.answers.last).to_contain_text("Part three")
    expect(chat.errors.last.get_by_role("button", name="Retry")).to_be_visible()


def test_stop_and_escape_end_any_wait_and_keep_what_came(
    chat: Chat, server: ScriptedServer
) -> None:
    hang = Hang()
    server.chat(hang)
    chat.send("Do you hang?")
    assert hang.gate.reached.wait(60)
    chat.stop()
    assert server.chats()[0].gone.wait(60), "the request went on"
    expect(chat.errors).to_have_count(0)

    gate = Gate()
    server.chat(Answer("Kept so far", gate, "never seen"))
    chat.send("Will you be stopped?")
    expect(chat.answers.last).to_contain_text("Kept so far")
    chat.page.keyboard.press("Escape")
    chat.idle()
    assert server.chats()[1].gone.wait(60), "the stream went on"
    expect(chat.answers.last).to_contain_text("Stopped")
    chat.ask("Go on.")
    sent = contents(server.chats()[-1].json)
    assert sent[1:] == ["Do you hang?", "Will you be stopped?", "Kept so far", "Go on."] or sent[
        1:
    ] == ["Do you hang?\n\nWill you be stopped?", "Kept so far", "Go on."]


def test_refused_parameters_are_left_out_and_remembered(
    open_chat: Callable[..., Chat], server: ScriptedServer, watch
) -> None:
    watch.allow_error(HTTP_ERRORS)
    server.refused_fields = ("max_tokens", "temperature", "stream_options")
    chat = open_chat(temperature=0.5)
    expect(chat.ask("First?")).to_contain_text("Scripted answer.")
    assert len(server.chats()) == 4
    last = server.chats()[-1].json
    assert "max_completion_tokens" in last
    assert not set(server.refused_fields) & set(last)
    chat.ask("Second?")
    assert len(server.chats()) == 5, "what was learned was forgotten"


def test_a_context_that_is_set_too_large_is_learned_and_the_question_asked_again_once(
    open_chat: Callable[..., Chat], server: ScriptedServer, watch
) -> None:
    watch.allow_error(HTTP_ERRORS)
    chat = open_chat(context=8192)
    chat.exact()
    server.default_chat = Answer(apples(120))
    for number in range(4):
        chat.ask(f"Fact {number}: the code is {number}{number}42." + apples(120))
    before = len(server.chats())
    server.chat(scripted.overflow(1024, 1180))
    expect(chat.ask("Does it fit?")).not_to_contain_text("longer than")
    assert len(server.chats()) == before + 2
    expect(chat.meter).to_have_attribute("aria-valuemax", "1024")
    expect(chat.notices).to_contain_text("1024")
    assert contents(server.chats()[-1].json)[-1].endswith("Does it fit?")
    expect(chat.questions).to_have_count(5)
    chat.accounted()

    server.chat(scripted.overflow(1024, 1180), scripted.overflow(1024, 1180))
    chat.ask("And if it never fits?")
    expect(chat.errors.last).to_contain_text("longer than the model takes")
    asked = [r for r in server.chats() if contents(r.json)[-1].endswith("And if it never fits?")]
    assert len(asked) <= 2, "an overflow is tried again once, not for ever"
    chat.page.reload()
    expect(chat.questions).to_have_count(6)
    dialog = chat.settings()
    expect(dialog.get_by_label("Context size", exact=True)).to_have_value(
        re.compile("^(1024|512)$")
    )


def test_a_server_that_cuts_prompts_silently_is_found_out_and_the_factor_is_learned(
    open_chat: Callable[..., Chat], server: ScriptedServer
) -> None:
    chat = open_chat(context=4096)
    chat.exact()
    server.chat(Answer("Yes.", usage=Usage(60, 2)))
    chat.ask("Do you read all of this?" + apples(400))
    expect(chat.notices).to_contain_text("cuts the prompt silently")
    server.chat(Answer("Yes.", usage=Usage(1700, 2)))
    chat.ask("And this?" + apples(400))
    expect(chat.memory).to_contain_text(re.compile(r"Corrected by ×1\.\d"))
    chat.page.reload()
    expect(chat.memory).to_contain_text(re.compile(r"Corrected by ×1\.\d"))
