"""Branches, and the memory by hand: each path has its own, and a person can undo all of it."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.e2e.chat import Chat, apples, contents
from tests.browser.scripted_server import Answer, ScriptedServer


def test_edit_and_regenerate_make_versions_and_each_branch_sends_its_own_words(
    chat: Chat, server: ScriptedServer
) -> None:
    server.chat(Answer("One."), Answer("Two."), Answer("Three."))
    chat.ask("Count.")
    for text, place in (("Two.", "2/2"), ("Three.", "3/3")):
        chat.act(chat.answers.last, "Regenerate")
        expect(chat.answers.last).to_contain_text(text)
        chat.idle()
        expect(chat.answers.last).to_contain_text(place)
    assert all(contents(r.json)[-1] == "Count." for r in server.chats())
    chat.act(chat.answers.last, "Previous version")
    expect(chat.answers.last).to_contain_text("Two.")
    expect(chat.answers.last).to_contain_text("2/3")
    chat.ask("Go on.")
    assert contents(server.chats()[-1].json)[1:] == ["Count.", "Two.", "Go on."]
    chat.act(chat.answers.first, "Next version")
    expect(chat.questions).to_have_count(1)
    expect(chat.answers.last).to_contain_text("Three.")

    chat.edit(chat.questions.first, "Count backwards.")
    expect(chat.questions.first).to_contain_text("Count backwards.")
    expect(chat.questions.first).to_contain_text("2/2")
    chat.idle()
    assert contents(server.chats()[-1].json)[1:] == ["Count backwards."]
    chat.act(chat.questions.first, "Previous version")
    expect(chat.questions.first).to_contain_text("Count.")
    chat.page.reload()
    expect(chat.questions.first).to_contain_text(re.compile("Count"))
    expect(chat.questions.first).to_contain_text("/2")
    assert len(chat.stored("messages")) == 8

    chat.page.get_by_role("button", name="Continue this answer").last.click()
    expect(chat.answers.last).to_contain_text("Scripted answer.")
    chat.idle()
    assert contents(server.chats()[-1].json)[-1].startswith("Continue exactly")


def folded_chat(open_chat: Callable[..., Chat], server: ScriptedServer) -> Chat:
    """A chat of six turns, the oldest four folded by hand into "- The first summary."."""
    chat = open_chat(context=8192)
    chat.exact()
    server.default_utility = Answer("- The first summary.")
    for number in range(1, 7):
        chat.ask(f"Question {number}, shelf {number}0{number}." + apples(30))
    chat.fold()
    chat.folded(1)
    expect(chat.summary).to_have_value(re.compile("The first summary"))
    return chat


def test_a_branch_that_leaves_the_folded_part_has_not_its_memory(
    open_chat: Callable[..., Chat], server: ScriptedServer
) -> None:
    chat = folded_chat(open_chat, server)
    summary = chat.summary.input_value()
    chat.edit(chat.questions.nth(4), "Another fifth question." + apples(30))
    expect(chat.questions).to_have_count(5)
    chat.idle()
    expect(chat.summary).to_have_value(summary)  # shared up to the fork
    chat.edit(chat.questions.nth(1), "Another second question." + apples(30))
    expect(chat.questions).to_have_count(2)
    chat.idle()
    expect(chat.summary).to_have_value("")
    sent = contents(server.chats()[-1].json)
    assert "summary" not in sent[0]
    assert sent[1].startswith("Question 1")
    chat.accounted()
    chat.act(chat.questions.nth(1), "Previous version")
    expect(chat.summary).to_have_value(summary)
    assert len(server.utilities()) == 1, "a branch switch folded"
    chat.accounted()


def test_undo_rebuild_and_edit_of_the_summary_hold_and_survive_a_reload(
    open_chat: Callable[..., Chat], server: ScriptedServer
) -> None:
    chat = folded_chat(open_chat, server)
    chat.memory.get_by_role("button", name="Edit", exact=True).click()
    chat.summary.fill("By hand: the cat is called Mourek.")
    chat.memory.get_by_role("button", name="Save", exact=True).click()
    chat.folded(2)
    expect(chat.folds.first).to_contain_text("edited by hand")
    chat.page.reload()
    expect(chat.summary).to_have_value("By hand: the cat is called Mourek.")
    chat.ask("What is the cat's name?")
    assert "Mourek" in contents(server.chats()[-1].json)[0]

    chat.memory.get_by_role("button", name="Undo fold").click()
    expect(chat.summary).to_have_value(re.compile("The first summary"))
    server.utility(Answer("- Rebuilt from the originals."))
    chat.memory.get_by_role("button", name="Rebuild").click()
    expect(chat.summary).to_have_value(re.compile("Rebuilt from the originals"))
    rebuilt = "\n".join(contents(server.utilities()[-1].json))
    assert "first summary" not in rebuilt, "a rebuild reads the messages, not the summary"
    assert "Question 1" in rebuilt
    chat.idle()
    chat.memory.get_by_role("button", name="Undo fold").click()
    expect(chat.summary).not_to_have_value(re.compile("Rebuilt"))
    chat.accounted()

    chat.memory.get_by_role("button", name="Edit", exact=True).click()
    chat.summary.fill("word " * 3000)
    chat.memory.get_by_role("button", name="Save", exact=True).click()
    expect(chat.memory.get_by_role("alert")).to_contain_text("the limit is")
    chat.memory.get_by_role("button", name="Cancel").click()
    chat.accounted()


def test_pinned_turns_stay_word_for_word_and_excluded_ones_are_never_sent(
    open_chat: Callable[..., Chat], server: ScriptedServer
) -> None:
    chat = open_chat(context=8192)
    chat.exact()
    server.default_chat = Answer("Noted." + apples(20))
    chat.ask("Pinned: the alarm code is 5571." + apples(20))
    chat.ask("Secret: the present is a bicycle." + apples(20))
    chat.act(chat.questions.nth(0), "Pin this turn: always word for word")
    expect(chat.questions.nth(0)).to_contain_text("Pinned")
    chat.act(chat.questions.nth(1), "Leave this turn out")
    expect(chat.questions.nth(1)).to_contain_text("Left out")
    for number in range(3, 8):
        chat.ask(f"Question {number}." + apples(30))
    chat.fold()
    chat.folded(1)
    chat.ask("What do you know?")
    sent = contents(server.chats()[-1].json)
    assert sum("the alarm code is 5571" in text for text in sent) == 1
    assert sent[1].startswith("Pinned: the alarm code is 5571.")
    for request in server.requests[-3:]:
        assert b"bicycle" not in request.body
    assert not any(b"5571" in request.body for request in server.utilities())
    chat.accounted()
    expect(chat.memory).to_contain_text("2 left out")
    chat.act(chat.questions.nth(1), "Take this turn in again")
    chat.accounted()
    chat.ask("And now?")
    assert any("bicycle" in text for text in contents(server.chats()[-1].json))


def test_deleting_a_message_takes_it_out_of_memory_and_of_every_later_request(
    open_chat: Callable[..., Chat], server: ScriptedServer
) -> None:
    chat = open_chat(context=8192)
    chat.exact()
    server.default_utility = Answer("- The user is called Quentin.")
    for number in range(1, 7):
        chat.ask(f"Question {number}: I am Quentin." + apples(30))
    chat.fold()
    chat.folded(1)
    for text in ("Question 1", "Question 2"):
        chat.act(chat.questions.filter(has_text=text), "Delete message")
        chat.page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
        expect(chat.questions.filter(has_text=text)).to_have_count(0)
    expect(chat.summary).to_have_value("")
    chat.accounted()
    chat.ask("Who am I?")
    sent = "\n".join(contents(server.chats()[-1].json))
    assert "Question 1" not in sent
    assert "- The user is called" not in sent
    assert "Question 3" in sent


def test_presets_are_switched_in_a_living_chat_without_losing_or_folding_again(
    open_chat: Callable[..., Chat], server: ScriptedServer
) -> None:
    chat = folded_chat(open_chat, server)
    summary = chat.summary.input_value()
    calls = len(server.utilities())
    for preset in ("minisearch", "dost", "switchboard", "pleat"):
        chat.memory.get_by_role("combobox", name="Way of folding").select_option(preset)
        expect(chat.summary).to_have_value(summary)
        chat.ask(f"Still there under {preset}?")
        assert "The first summary" in contents(server.chats()[-1].json)[0]
        chat.accounted()
    assert len(server.utilities()) == calls, "switching folded again"
    chat.folded(1)
    chat.page.reload()
    expect(chat.summary).to_have_value(summary)


def test_scripts_can_get_update_fold_and_follow_the_memory(
    open_chat: Callable[..., Chat], server: ScriptedServer, watch
) -> None:
    watch.allow_error("a listener of mine")
    chat = open_chat(context=8192)
    page = chat.page
    assert page.evaluate("() => window.pleat.memory.get()") is None
    assert page.evaluate("async () => (await window.pleat.memory.fold()).status") == "nothing"
    page.evaluate(
        """() => { window.heard = [];
          window.pleat.memory.subscribe(() => { throw new Error('a listener of mine'); });
          window.unfollow = window.pleat.memory.subscribe(
            (now, before) => window.heard.push([now?.summary ?? null, before?.summary ?? null]));
        }"""
    )
    for number in range(5):
        chat.ask(f"Fact {number}." + apples(40))
    result = page.evaluate("() => window.pleat.memory.fold()")
    assert result["status"] == "folded"
    memory = page.evaluate("() => window.pleat.memory.get()")
    assert memory["fold_id"] == result["fold_id"]
    assert "scripted summary" in memory["summary"]
    assert set(memory) >= {
        "conversation_id", "fold_id", "summary", "last_summarized_message_id", "revision",
    }  # fmt: skip
    assert page.evaluate("() => window.pleat.memory.update('Set by a script.')")["status"] == (
        "folded"
    )
    expect(chat.summary).to_have_value("Set by a script.")
    heard = page.evaluate("() => { window.unfollow(); window.unfollow(); return window.heard; }")
    assert heard[0][1] is None
    assert heard[-1][0] == "Set by a script."
    refused = page.evaluate("() => window.pleat.memory.update('  ')")
    assert refused["status"] == "nothing"
    assert refused["reason"]
    chat.ask("What was set?")
    assert "Set by a script." in contents(server.chats()[-1].json)[0]
    chat.new()
    expect(chat.summary).to_have_value("")
    assert page.evaluate("() => window.pleat.memory.get()") is None
    assert page.evaluate("() => window.heard.length") == len(heard)
