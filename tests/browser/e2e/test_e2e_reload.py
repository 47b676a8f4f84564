"""Reload at any moment: what was said and what was folded is there, and nothing is done twice."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.e2e.chat import Chat, apples, contents, roles
from tests.browser.scripted_server import Answer, Gate, ScriptedServer


def once(chat: Chat) -> None:
    """No message is covered by two folds of a lineage."""
    folds = {fold["id"]: fold for fold in chat.stored("folds")}
    for fold in folds.values():  # a provisional fold and the model's are siblings
        covered: list[str] = []
        entry = fold
        while entry is not None:
            covered += entry["covered"]
            entry = folds.get(entry["parent_id"])
        assert len(covered) == len(set(covered)), "a message was folded twice"


def due(chat: Chat) -> bool:
    """Whether a call for a summary follows the answer that has just come."""
    newest = max(chat.stored("folds"), key=lambda fold: fold["commit"], default=None)
    used, whole = (int(chat.meter.get_attribute(f"aria-value{x}") or 0) for x in ("now", "max"))
    return used > 0.67 * whole or (newest is not None and newest["provisional"])


def test_a_reload_in_mid_stream_keeps_the_question_and_the_part_as_stopped(
    chat: Chat, server: ScriptedServer
) -> None:
    gate = Gate()
    server.chat(Answer("The first half", gate, " and the second."))
    chat.send("Tell me all.")
    expect(chat.answers.last).to_contain_text("The first half")
    chat.page.reload()
    expect(chat.questions).to_contain_text(["Tell me all."])
    expect(chat.answers).to_contain_text(["The first half"])
    expect(chat.answers.last.get_by_role("alert")).to_contain_text("page was closed")
    chat.idle()
    assert server.chats()[0].gone.wait(60)
    assert [m["status"] for m in chat.stored("messages")].count("streaming") == 0
    server.chat(Answer("All of it."))
    chat.answers.last.get_by_role("button", name="Retry").click()
    expect(chat.answers.last).to_contain_text("All of it.")
    chat.idle()
    assert roles(server.chats()[-1].json) == ["system", "user"]


def test_a_reload_before_the_first_word_keeps_the_question(
    chat: Chat, server: ScriptedServer
) -> None:
    gate = Gate()
    server.chat(Answer(gate, "Too late."))
    chat.send("Are you there?")
    assert gate.reached.wait(60)
    chat.page.reload()
    expect(chat.questions).to_contain_text(["Are you there?"])
    chat.idle()
    chat.ask("Once more: are you there?")
    assert server.chats()[-1].json["messages"][-1]["content"].endswith("Once more: are you there?")


def test_a_reload_in_mid_fold_loses_nothing_and_folds_nothing_twice(
    chat: Chat, server: ScriptedServer
) -> None:
    chat.exact()
    server.default_chat = Answer(apples(70))
    gates = before_words, between_words, after_words = Gate(), Gate(), Gate()
    server.utility(
        Answer(before_words, "- Lost."),
        Answer("- Also", between_words, " lost."),
        Answer("- Lost at the very end.", after_words),
    )
    server.default_utility = Answer("- The cellar key hangs behind the clock.")
    chat.ask("The cellar key hangs behind the clock." + apples(70))
    number = 1
    for gate in gates:
        while number < 16:
            number += 1
            chat.ask(f"Question {number}." + apples(70))
            if due(chat):  # its call comes now: nothing more is asked while it is on its way
                break
        assert gate.reached.wait(60), "no fold began"
        commits = len(chat.stored("folds"))
        chat.page.reload()
        expect(chat.questions).to_have_count(number)
        chat.idle()
        folds = chat.stored("folds")
        assert not any("lost" in fold["text"].lower() for fold in folds), "a fold without an end"
        assert len(folds) == commits, "a fold without an end was committed"
        chat.exact()
    number += 1
    chat.ask(f"Question {number}." + apples(70))
    # The model's text, which takes the place of a provisional one: nothing is on its way now.
    expect(chat.summary).to_have_value(re.compile("^- The cellar key hangs behind the clock"))
    chat.idle()
    chat.accounted()
    once(chat)
    summary, record = chat.summary.input_value(), chat.summary_record()
    assert record is not None
    calls, folds = len(server.utilities()), len(chat.stored("folds"))
    chat.page.reload()
    expect(chat.summary).to_have_value(summary)
    expect(chat.questions).to_have_count(number)
    chat.exact()
    chat.idle()
    assert chat.summary_record() == record
    assert len(server.utilities()) == calls, "a reload folded again"
    assert len(chat.stored("folds")) == folds
    chat.ask("Where does the key hang?")
    assert "behind the clock" in "\n".join(contents(server.chats()[-1].json))


def test_a_better_summary_that_a_reload_cut_off_comes_once_the_page_is_quiet(
    chat: Chat, server: ScriptedServer
) -> None:
    chat.exact()
    gate = Gate()
    server.utility(Answer(gate, "- Lost."))
    server.default_utility = Answer("- The boat is called Hvezda.")
    server.default_chat = Answer(apples(60))
    chat.ask("My boat is called Hvezda." + apples(60))
    for number in range(2, 5):
        chat.ask(f"Question {number}." + apples(60))
    chat.ask("A long one." + apples(350))  # folded at once, without a model
    assert gate.reached.wait(60), "the model was not asked for a better summary"
    (provisional,) = chat.stored("folds")
    chat.page.reload()
    expect(chat.questions).to_have_count(5)
    expect(chat.folds.first).to_contain_text("extractive, no model")
    expect(chat.folds.first).to_contain_text("by scripted-model")  # nothing is asked meanwhile
    expect(chat.summary).to_have_value(re.compile("^- The boat is called Hvezda"))
    late = next(fold for fold in chat.stored("folds") if fold["id"] != provisional["id"])
    assert late["boundary"] == provisional["boundary"]
    chat.accounted()
    once(chat)


def test_two_chats_that_begin_with_the_same_words_share_no_memory(
    open_chat: Callable[..., Chat], server: ScriptedServer
) -> None:
    chat = open_chat(context=8192)
    server.default_chat = Answer(apples(60))
    server.default_utility = Answer("- The password is Zebrafink.")
    chat.ask("Hello, let us talk.")
    chat.ask("The password is Zebrafink." + apples(60))
    for number in range(4):
        chat.ask(f"Question {number}." + apples(60))
    chat.fold()
    expect(chat.summary).to_have_value(re.compile("The password is Zebrafink"))
    chat.new()
    expect(chat.summary).to_have_value("")
    server.forget()
    server.default_utility = Answer("- Another talk.")
    chat.ask("Hello, let us talk.")
    for number in range(5):
        chat.ask(f"What is the password? {number}" + apples(60))
    chat.fold()
    chat.ask("What is the password?")
    assert server.requests
    assert not any(b"Zebrafink" in request.body for request in server.requests)
    assert "Zebrafink" not in chat.summary.input_value()
    chat.conversations.get_by_role("button", name="Hello, let us talk.", exact=True).last.click()
    expect(chat.summary).to_have_value(re.compile("The password is Zebrafink"))


def test_a_draft_survives_a_reload_and_stays_with_its_chat(
    open_chat: Callable[..., Chat], server: ScriptedServer
) -> None:
    chat = open_chat()
    chat.ask("One chat")
    chat.box.fill("half a thought")
    chat.until_value("pleat.draft.", "half a thought")
    chat.page.reload()
    expect(chat.box).to_have_value("half a thought")
    chat.new()
    expect(chat.box).to_have_value("")
    chat.open("One chat")
    expect(chat.box).to_have_value("half a thought")
