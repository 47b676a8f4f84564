"""Faults of the summarising model: the chat goes on, nothing is lost, no rubbish becomes memory."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser import scripted_server as scripted
from tests.browser.e2e.chat import Chat, apples, contents
from tests.browser.e2e.conftest import HTTP_ERRORS
from tests.browser.scripted_server import Answer, Gate, Hang, ScriptedServer

# (what the utility model does, whether its words are taken, what must never be in the summary)
REPLIES = {
    "fails": (scripted.broken(), False, "while processing"),
    "asks to slow down": (scripted.rate_limited("1"), False, "Rate limit"),
    "is a web page": (scripted.web_page(200), False, "Bad Gateway"),
    "is cut off": (scripted.cut_stream("- Half a note about"), False, "Half a note"),
    "breaks in mid-stream": (scripted.error_in_stream("- Half a note"), False, "Half a note"),
    "says nothing": (scripted.empty(), False, "nothing at all"),
    "reaches its limit": (Answer("- Half of a note", finish="length"), False, "Half of a note"),
    "is a refusal": (Answer("I'm sorry, but I can't help with that."), False, "help with that"),
    "is an error text": (Answer("Error: upstream timeout"), False, "upstream timeout"),
    "is an answer": (Answer("Sure! How can I help you today?"), False, "Sure!"),
    "is mere reasoning": (Answer("<think>A secret plan without an end"), False, "secret plan"),
    "reasons first": (
        Answer("<think>A secret plan</think>\n- The user grows apples."),
        True,
        "secret plan",
    ),
    "is far too long": (scripted.too_long(), True, "<"),
    "refuses the key": (scripted.unauthorized(), False, "Incorrect API"),
}


def test_whatever_the_summarising_model_does_a_fold_is_sound_and_the_chat_goes_on(
    open_chat: Callable[..., Chat], server: ScriptedServer, watch
) -> None:
    watch.allow_error(HTTP_ERRORS)
    chat = open_chat(context=8192, max_answer_tokens=400)
    chat.exact()
    server.default_chat = Answer("Noted:" + apples(40))
    for number in range(2):
        chat.ask(f"The first facts, part {number}." + apples(40))
    for count, (what, (reply, taken, never)) in enumerate(REPLIES.items(), 1):
        for number in (1, 2):
            chat.ask(
                f"Fact {number} before a reply that {what}: room {count}{number}7." + apples(30)
            )
        asked = len(server.utilities())
        server.utility(reply)
        chat.fold()
        chat.folded(count)
        newest = chat.folds.first
        assert len(server.utilities()) == asked + 1, f"a reply that {what}: one attempt a turn"
        if taken:
            expect(newest).to_contain_text("by scripted-model")
        else:
            expect(newest).to_contain_text("extractive, no model")
            expect(newest).to_contain_text("fallback")
        summary = chat.summary.input_value()
        assert summary.strip(), f"a reply that {what} left no summary"
        assert never not in summary, f"a reply that {what} became memory"
        tokens = chat.memory.locator("#summary-size").inner_text()
        used, limit = (int(x.replace(",", "")) for x in re.findall(r"[\d,]+", tokens)[:2])
        assert used <= limit == 800, f"a reply that {what}: {tokens}"
        chat.accounted()
    chat.ask("Are you still there?")
    sent = "\n".join(contents(server.chats()[-1].json))
    for what, (_, _, never) in REPLIES.items():
        assert never == "<" or never not in sent, f"a reply that {what} was sent on"
    covered = [id for fold in chat.stored("folds") for id in fold["covered"]]
    assert len(covered) == len(set(covered)), "a message was folded twice"


def test_a_failed_summary_in_the_background_costs_the_next_answer_nothing(
    chat: Chat, server: ScriptedServer, watch
) -> None:
    watch.allow_error(HTTP_ERRORS)
    chat.exact()
    server.default_utility = scripted.broken()
    server.default_chat = Answer(apples(70))
    chat.ask("The code of the door is 7719." + apples(70))
    for number in range(2, 9):
        answer = chat.ask(f"Question {number}." + apples(70))
        expect(answer).to_contain_text("apple")
        expect(answer.get_by_role("alert")).to_have_count(0)
    expect(chat.folds.first).to_contain_text("extractive, no model")
    assert len(server.utilities()) <= 3, "three failures in a row: no more calls"
    assert "7719" in chat.summary.input_value()
    chat.accounted()
    expect(chat.questions).to_have_count(8)


def test_never_wait_an_overflowing_question_is_answered_at_once_and_the_model_comes_later(
    chat: Chat, server: ScriptedServer
) -> None:
    chat.exact()
    gate = Gate()
    server.default_utility = Answer(gate, "- The late summary of the model.")
    server.default_chat = Answer(apples(60))
    chat.ask("My boat is called Hvezda." + apples(60))
    for number in range(2, 5):
        chat.ask(f"Question {number}." + apples(60))
    chat.ask("A long one." + apples(350))  # over the budget: answered while no summary is there
    assert not any("late summary" in text for text in contents(server.chats()[-1].json))
    assert "Hvezda" in "\n".join(contents(server.chats()[-1].json))
    expect(chat.folds.first).to_contain_text("extractive, no model")
    chat.accounted()
    (provisional,) = chat.stored("folds")
    assert gate.reached.wait(60), "the model was not asked for a better summary"
    gate.open()
    expect(chat.summary).to_have_value(re.compile("late summary of the model"))
    expect(chat.folds.first).to_contain_text("by scripted-model")
    chat.accounted()
    late = next(fold for fold in chat.stored("folds") if fold["id"] != provisional["id"])
    for name in ("boundary", "parent_id", "covered"):
        assert late[name] == provisional[name], "it stands for the provisional fold"


def test_a_fold_that_hangs_can_be_stopped_and_costs_nothing(
    open_chat: Callable[..., Chat], server: ScriptedServer
) -> None:
    chat = open_chat(context=8192)
    hang = Hang()
    server.utility(hang)
    for number in range(5):
        chat.ask(f"Fact {number}." + apples(40))
    chat.memory.get_by_role("button", name="Summarize & continue").click()
    assert hang.gate.reached.wait(60)
    chat.stop()
    assert server.utilities()[0].gone.wait(60), "the call went on"
    chat.folded(0)
    chat.ask("Go on.")
    assert len(contents(server.chats()[-1].json)) == 12
    chat.fold()
    chat.folded(1)
    expect(chat.folds.first).to_contain_text("by scripted-model")


def test_a_preset_that_waits_can_be_skipped_and_the_answer_comes(
    open_chat: Callable[..., Chat], server: ScriptedServer
) -> None:
    chat = open_chat(preset="dost")
    chat.exact()
    hang = Hang()
    server.utility(hang)
    server.default_chat = Answer(apples(60))
    for number in range(4):
        chat.ask(f"Fact {number}: shelf {number}55." + apples(60))
    chat.send("A question that is over the budget." + apples(300))
    assert hang.gate.reached.wait(60)
    expect(chat.status).to_have_text("Folding earlier messages")
    chat.page.get_by_role("button", name="Skip folding").click()
    expect(chat.answers).to_have_count(5)
    chat.idle()
    expect(chat.errors).to_have_count(0)
    assert contents(server.chats()[-1].json)[-1].startswith("A question that is over")
    chat.accounted()
