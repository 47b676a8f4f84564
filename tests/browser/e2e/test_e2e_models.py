"""Real models: the one in the page, and llama.cpp's own server. No word of theirs is asserted."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, Request, expect

from tests.browser.e2e.chat import Chat, contents
from tests.browser.e2e.conftest import HTTP_ERRORS, settings_for
from tests.browser.scripted_server import ScriptedServer

SLOW = 180_000  # milliseconds: a real model on a busy machine
NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"


def test_the_model_inside_the_page_answers_and_nothing_leaves_the_host(
    open_app: Callable[..., Page], watch: Any
) -> None:
    chat = Chat(open_app(storage={"pleat.settings": {"max_answer_tokens": 100}}), SLOW)
    button = chat.page.get_by_role("button", name="SmolLM2 135M").first
    expect(button).to_contain_text("MB")
    button.click()
    expect(chat.log).to_contain_text("answers, in this page")
    said = ""
    for number in range(1, 4):  # so small a model may have nothing to say
        chat.send("Say hello to me.")
        expect(chat.answers).to_have_count(number)
        expect(chat.page.get_by_role("button", name="Send")).to_be_visible()
        said = chat.answers.last.locator(".msg-body").inner_text()
        if said.strip():
            break
    print("the model in the page said:", said)
    assert said.strip()
    chat.send("Tell me a very long story about the sea.")
    expect(chat.page.get_by_role("button", name="Stop", exact=True)).to_be_visible()
    chat.page.get_by_role("button", name="Stop", exact=True).click()
    expect(chat.page.get_by_role("button", name="Send")).to_be_visible()
    expect(chat.status).to_have_text("Stopped")
    assert all(url.startswith((watch.site_url, "blob:", "data:")) for url in watch.outside)
    assert any(url.endswith(".gguf") for url in watch.outside)
    chat.page.reload()
    kept = chat.page.get_by_role("button", name="Run SmolLM2 135M").first
    expect(kept).to_contain_text("98 MB, on this device")
    expect(chat.status).to_have_text("The model loads with your next message.")


def test_a_test_of_a_new_endpoint_leaves_the_model_in_the_page_loaded(
    open_app: Callable[..., Page], server: ScriptedServer
) -> None:
    chat = Chat(open_app(), SLOW)
    chat.page.get_by_role("button", name="SmolLM2 135M").first.click()
    expect(chat.log).to_contain_text("answers, in this page")
    dialog = chat.settings()
    dialog.get_by_label("Who answers").select_option(label="Add an endpoint…")
    dialog.get_by_label("Kind of server").select_option(label="Another server")
    chat.type_setting(dialog, "Base URL", server.base_url)
    dialog.get_by_role("button", name="Test connection").click()
    result = dialog.get_by_role("status", name="Result of the test")
    expect(result).to_contain_text("Connected")  # after the page's one reload
    dialog.get_by_label("Who answers").select_option(label="A model in this page")
    expect(dialog).to_contain_text("is loaded and answers in this page")
    chat.close(dialog)
    expect(chat.status).to_have_text("Ready")


class Recorder:
    """The chat requests that a page sent."""

    def __init__(self, page: Page) -> None:
        self.bodies: list[dict[str, Any]] = []
        page.on("request", self._on_request)

    def _on_request(self, request: Request) -> None:
        if request.method == "POST" and request.url.endswith("/chat/completions"):
            self.bodies.append(json.loads(request.post_data or "{}"))

    @property
    def chats(self) -> list[dict[str, Any]]:
        """Those that ask for answers, not for summaries."""
        return [b for b in self.bodies if "running notes" not in contents(b)[0][:60]]


def test_a_fact_that_was_folded_away_is_in_a_later_request_to_a_real_server(
    open_app: Callable[..., Page], llama_server: str, watch: Any
) -> None:
    watch.allow_host(llama_server)
    settings = settings_for(
        llama_server, model=NAME, context=512, max_answer_tokens=8, utility="none"
    )
    chat = Chat(open_app(storage={"pleat.settings": settings}), SLOW)
    sent = Recorder(chat.page)
    chat.exact()
    chat.ask("My locker code is 48213 and I am allergic to peanuts. Please remember that.")
    number = 1
    while chat.folds.count() == 0 and number < 16:
        number += 1
        chat.ask(
            f"Note {number}: on the walk we saw a heron, two boats and the old mill beside the "
            f"river, and we talked about the weather of last week for {number} minutes. Say yes."
        )
    expect(chat.folds.first).to_be_visible()
    expect(chat.memory).to_contain_text("0 unaccounted")
    answer = chat.ask("What am I allergic to, and what is my locker code?")
    body = sent.chats[-1]
    assert not any(t.startswith("My locker code") for t in contents(body)), "it is not folded"
    assert "48213" in "\n".join(contents(body))
    assert "peanuts" in "\n".join(contents(body))
    print("from memory the model said:", answer.locator(".msg-body").inner_text())
    expect(chat.errors).to_have_count(0)
    expect(chat.memory).to_contain_text("Answers")  # the server's usage is counted
    usage = chat.stored("usage")
    assert all(record["tokens_in"] > 0 for record in usage if record["outcome"] == "ok")

    chat.send("Tell me a long story about the mill.")
    expect(chat.questions.last).to_contain_text("Tell me a long story about the mill.")
    summary = chat.summary.input_value()
    folds = len(chat.stored("folds"))
    chat.page.reload()
    expect(chat.questions.last).to_contain_text("Tell me a long story about the mill.")
    chat.idle()
    expect(chat.summary).to_have_value(summary)
    assert len(chat.stored("folds")) == folds
    chat.accounted()


def test_a_context_larger_than_the_servers_is_learned_and_asked_again_once(
    open_app: Callable[..., Page], llama_server: str, watch: Any
) -> None:
    watch.allow_host(llama_server)
    watch.allow_error(HTTP_ERRORS)
    settings = settings_for(llama_server, model=NAME, context=8192, max_answer_tokens=8)
    chat = Chat(open_app(storage={"pleat.settings": settings}), SLOW)
    sent = Recorder(chat.page)
    chat.exact()
    chat.send("Here is a list. " + "The heron stood beside the old mill. " * 160 + " Say yes.")
    expect(chat.page.get_by_role("button", name="Send")).to_be_visible()
    expect(chat.answers).to_have_count(1)
    chat.idle()
    expect(chat.errors).to_have_count(0)
    assert len(sent.chats) == 2
    assert len(contents(sent.chats[1])[-1]) < len(contents(sent.chats[0])[-1])
    expect(chat.notices).to_contain_text("1024")
    dialog = chat.settings()
    expect(dialog.get_by_label("Context size", exact=True)).to_have_value("1024")
