"""Talking: what is asked is sent, what is answered is kept, and Stop stops."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.e2e.chat import Chat, apples, contents, roles
from tests.browser.scripted_server import Answer, Gate, ScriptedServer


def test_an_answer_streams_and_everything_is_there_after_a_reload(
    chat: Chat, server: ScriptedServer
) -> None:
    gate = Gate()
    server.chat(Answer("Half of ", gate, "the answer."))
    chat.send("What is it?")
    expect(chat.answers.last).to_contain_text("Half of")
    expect(chat.status).to_have_text("Generating")
    gate.open()
    expect(chat.answers.last).to_contain_text("Half of the answer.")
    chat.idle()
    body = server.chats()[0].json
    assert roles(body) == ["system", "user"]
    assert contents(body)[-1] == "What is it?"
    assert body["stream"] is True
    assert set(server.chats()[0].headers) & {"x-api-key", "openai-organization"} == set()
    chat.page.reload()
    expect(chat.questions).to_contain_text(["What is it?"])
    expect(chat.answers).to_contain_text(["Half of the answer."])
    expect(chat.page.get_by_role("heading", level=1)).to_have_text("What is it?")
    chat.ask("And then?")
    assert roles(server.chats()[1].json) == ["system", "user", "assistant", "user"]


def test_a_chat_that_outgrows_its_context_is_folded_once_and_goes_on(
    chat: Chat, server: ScriptedServer
) -> None:
    chat.exact()
    server.default_chat = Answer(apples(70))
    chat.ask("My locker code is 48213." + apples(70))
    for number in range(2, 6):
        chat.ask(f"Question {number}." + apples(70))
    expect(chat.summary).to_have_value(re.compile("scripted summary"))
    chat.accounted()
    expect(chat.log.get_by_role("button", name="folded into the summary")).to_have_count(1)
    folds = server.utilities()
    assert len(folds) >= 1
    chat.ask("What was my locker code?")
    sent = contents(server.chats()[-1].json)
    assert "scripted summary" in sent[0]
    assert sent[-1].endswith("What was my locker code?")
    assert "48213" in "\n".join(sent)  # by the detail guard or by recall
    expect(chat.questions).to_have_count(6)  # the transcript is whole
