"""The Memory panel: what the model holds, said in figures and words; nothing half-typed is lost."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

ACCOUNT = {
    "system": 12, "summary": 200, "recall": 100, "pins": 0, "window": 600, "question": 20,
    "overhead": 8, "total": 940, "answer": 1024,
}  # fmt: skip


def fold(id: str, commit: int, **more: Any) -> dict[str, Any]:
    return {
        "id": id, "parent_id": None, "commit": commit, "trigger": "auto", "model": "scripted",
        "method": "model", "used_fallback": False, "tokens_in": 1200, "tokens_out": 180,
        "count": 2, "duration_ms": 5, "created_at": 0, "state": "lineage", "covered": ["1", "2"],
        "text": "User: the locker hint is blue.\nNo cedar.", "sources": ["1", None], **more,
    }  # fmt: skip


FOLDS = [fold("f1", 1), fold("f2", 2, state="current", method="extractive", trigger="overflow")]
SUMMARY = {"text": "The hint is blue.", "tokens": 6, "limit": 800, "fold_id": "f2", "stale": False}


@pytest.fixture
def memory(stub, message):
    messages = [message("1", "user", "hint"), message("2", "assistant", "ok")]
    stub.publish("thread", conversation_id="m1", messages=messages)
    stub.publish(
        "memory",
        conversation_id="m1",
        account=ACCOUNT,
        folds=FOLDS,
        summary=SUMMARY,
        can_fold=True,
        why_not="",
    )
    return stub


def test_the_gauge_says_its_figures(memory) -> None:
    meter = memory.page.get_by_role("meter", name="Context used")
    expect(meter).to_have_attribute("aria-valuenow", "940")
    expect(meter).to_have_attribute("aria-valuemax", "4096")
    expect(meter).to_have_attribute(
        "aria-valuetext", "940 of 4,096 tokens; a prompt may hold 3,072"
    )
    region = memory.page.get_by_role("region", name="Memory")
    rows = ("Summary, with its frame200", "Newest turns600", "Free2,132")
    for text in (*rows, "Room for the answer1,024"):
        expect(region.locator(".legend")).to_contain_text(text)
    memory.publish("memory", exact=False)
    expect(region).to_contain_text("Estimated while the tokenizer loads.")


def test_the_coverage_line_adds_up_in_words(memory) -> None:
    coverage = {
        "word_for_word": 3,
        "summarised": 9,
        "excluded": 2,
        "unsendable": 1,
        "unaccounted": 0,
    }
    memory.publish("memory", coverage=coverage)
    line = "3 word for word, 9 summarised, 2 left out, 1 not sendable, 0 unaccounted"
    expect(memory.page.get_by_text(line, exact=True)).to_be_visible()


def test_the_summary_is_read_edited_and_saved(memory) -> None:
    page = memory.page
    box = page.get_by_role("textbox", name="Summary")
    expect(box).to_have_value("The hint is blue.")
    expect(box).not_to_be_editable()
    memory.answer("edit_summary", {"status": "folded", "fold_id": "f3", "reason": ""})
    page.get_by_role("region", name="Memory").get_by_role("button", name="Edit").click()
    box.fill("The hint is green.")
    memory.publish("memory", can_fold=False)  # the topic moves on while one types
    expect(box).to_have_value("The hint is green.")
    page.get_by_role("region", name="Memory").get_by_role("button", name="Save").click()
    assert memory.asked("edit_summary", 1) == [["The hint is green.", "f2"]]
    expect(box).not_to_be_editable()


def test_a_refused_summary_stays_with_its_reason(memory) -> None:
    page = memory.page
    memory.answer("edit_summary", {"status": "refused", "reason": "900 tokens are over the 800."})
    page.get_by_role("region", name="Memory").get_by_role("button", name="Edit").click()
    page.get_by_role("textbox", name="Summary").fill("too long")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert").filter(has_text="900 tokens are over")).to_be_visible()
    expect(page.get_by_role("textbox", name="Summary")).to_have_value("too long")
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("textbox", name="Summary")).to_have_value("The hint is blue.")


def test_a_fold_that_comes_while_one_writes_is_shown_before_it_is_written_over(memory) -> None:
    page = memory.page
    panel = page.get_by_role("region", name="Memory")
    panel.get_by_role("button", name="Edit").click()
    box = page.get_by_role("textbox", name="Summary")
    box.fill("The hint is green.")
    newer = {**SUMMARY, "fold_id": "f3", "text": "The hint is blue. The locker is 12."}
    memory.publish("memory", folds=[*FOLDS, fold("f3", 3, state="current")], summary=newer)
    shown = panel.get_by_role("status", name="Newer summary")
    expect(shown).to_contain_text("The locker is 12.")
    memory.answer("edit_summary", {"status": "refused", "reason": "The memory changed meanwhile."})
    panel.get_by_role("button", name="Save").click()
    alert = panel.get_by_role("alert").filter(has_text="The memory changed meanwhile.")
    expect(alert).to_be_visible()
    expect(box).to_have_value("The hint is green.")
    memory.answer("edit_summary", {"status": "folded", "fold_id": "f4", "reason": ""})
    panel.get_by_role("button", name="Save").click()
    expect(shown).to_be_hidden()
    assert [fold_id for _, fold_id in memory.asked("edit_summary")] == ["f2", "f3"]


def test_fold_undo_and_rebuild_ask_their_intents(memory) -> None:
    page = memory.page
    page.get_by_role("button", name="Summarize & continue").click()
    page.get_by_role("button", name="Undo fold").click()
    page.get_by_role("button", name="Rebuild").click()
    for intent in ("summarize_and_continue", "undo_fold", "rebuild"):
        assert memory.asked(intent) == [[]]


def test_a_fold_that_is_not_possible_says_why(memory) -> None:
    memory.publish("memory", can_fold=False, why_not="Nothing to fold: the last 2 turns stay.")
    button = memory.page.get_by_role("button", name="Summarize & continue")
    expect(button).to_be_disabled()
    expect(button).to_have_accessible_description("Nothing to fold: the last 2 turns stay.")
    memory.publish("memory", can_fold=True, why_not="")
    memory.publish("busy", state="answering")
    expect(button).to_be_disabled()
    memory.publish("busy", state="idle")
    expect(button).to_be_enabled()


def test_the_reason_stands_apart_from_the_button(memory) -> None:
    memory.publish("memory", can_fold=False, why_not="Nothing to fold.")
    button = memory.page.get_by_role("button", name="Summarize & continue").bounding_box()
    reason = memory.page.get_by_text("Nothing to fold.", exact=True).bounding_box()
    assert reason["y"] - (button["y"] + button["height"]) >= 6


def test_the_folds_are_listed_newest_first_and_lead_to_messages(memory) -> None:
    page = memory.page
    rows = page.get_by_role("list", name="Folds").get_by_role("listitem")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("Current")
    expect(rows.first).to_contain_text("extractive, no model")
    expect(rows.first).to_contain_text("Before an answer")
    expect(rows.first).to_contain_text("1,200 → 180 tokens")
    rows.first.get_by_role("button").click()
    dialog = page.get_by_role("dialog", name="One fold")
    expect(dialog).to_contain_text("2 messages went in")
    dialog.get_by_role("button", name="User: the locker hint is blue.").click()
    expect(dialog).to_have_count(0)
    expect(page.locator("[data-id='1']")).to_be_focused()


def test_a_new_fold_is_announced_once(memory) -> None:
    announcer = memory.page.locator("#announcer")
    expect(announcer).to_have_text("")
    newer = [*FOLDS, fold("f3", 3, state="current")]
    memory.publish("memory", folds=newer, summary={**SUMMARY, "fold_id": "f3"})
    expect(announcer).to_have_text("Conversation summarised")
    expect(announcer).to_have_attribute("aria-live", "polite")


def test_the_better_text_of_the_same_fold_is_no_second_announcement(memory) -> None:
    first = fold("f3", 3, state="current", parent_id="f2", provisional=True, covered=["3"])
    memory.publish("memory", folds=[*FOLDS, first], summary={**SUMMARY, "fold_id": "f3"})
    expect(memory.page.get_by_role("status", name="Status")).to_have_text("Conversation summarised")
    announcer = memory.page.locator("#announcer")
    announcer.evaluate("(node) => { node.textContent = ''; }")
    better = fold("f4", 4, state="current", parent_id="f2", covered=["3"])
    memory.publish("memory", folds=[*FOLDS, first, better], summary={**SUMMARY, "fold_id": "f4"})
    expect(announcer).to_have_text("")


def test_while_a_fold_runs_it_says_how_far_it_is_and_can_be_stopped(memory) -> None:
    page = memory.page
    memory.publish("memory", can_fold=True, why_not="")
    memory.publish("busy", state="folding", done=120, total=900)
    panel = page.get_by_role("region", name="Memory")
    expect(panel).to_contain_text("Folded 120 of 900 messages")
    status = page.get_by_role("status", name="Status")
    expect(status).to_have_text("Folding earlier messages: 120 of 900")
    panel.get_by_role("button", name="Stop folding").click()
    assert memory.asked("stop", 1) == [[]]
    memory.publish("busy", state="idle", done=0, total=0)
    expect(panel.get_by_role("button", name="Stop folding")).to_have_count(0)


def test_a_fold_shows_what_it_changed(memory) -> None:
    page = memory.page
    lines = [
        {"change": "same", "text": "Kept."},
        {"change": "gone", "text": "Old."},
        {"change": "new", "text": "New."},
    ]
    memory.answer("fold_history", lines)
    memory.publish("memory", folds=[*FOLDS, fold("f3", 3, state="current", parent_id="f2")])
    page.get_by_role("list", name="Folds").get_by_role("button").first.click()
    dialog = page.get_by_role("dialog", name="One fold")
    expect(dialog).to_contain_text("Gone: Old.")
    expect(dialog).to_contain_text("New: New.")
    expect(dialog).to_contain_text("1 line stayed as it was.")
    assert memory.asked("fold_history", 1) == [["f3"]]


def test_opening_another_chat_with_folds_is_no_announcement(memory) -> None:
    newer = [*FOLDS, fold("f3", 3, state="current")]
    summary = {**SUMMARY, "fold_id": "f3"}
    memory.publish("memory", conversation_id="m2", folds=newer, summary=summary)
    expect(memory.page.locator("#announcer")).to_have_text("")


def test_what_the_model_sees_is_the_exact_request(memory) -> None:
    view = {
        "messages": [
            {"role": "system", "kind": "system", "content": "Be brief.", "ids": [], "tokens": 5},
            {
                "role": "user",
                "kind": "question",
                "content": "  the\n\nquestion ",
                "ids": ["1"],
                "tokens": 7,
            },
        ],
        "wire": [
            {"role": "system", "content": "Be brief.\n\n<summary>\nx\n</summary>"},
            {"role": "user", "content": "  the\n\nquestion "},
        ],
        "tokens": 15,
        "states": [
            {"id": "1", "state": "folded", "reason": "in the summary"},
            {"id": "2", "state": "excluded", "reason": "you excluded its turn"},
            {"id": "3", "state": "unsendable", "reason": "it failed"},
        ],
    }
    memory.answer("request_view", view)
    memory.page.get_by_role("button", name="What the model sees").click()
    dialog = memory.page.get_by_role("dialog", name="What the model sees")
    expect(dialog).to_contain_text("2 messages, 15 tokens")
    assert dialog.locator("pre").all_text_contents() == [one["content"] for one in view["wire"]]
    legend = dialog.get_by_role("list", name="Parts of the request")
    expect(legend.get_by_role("listitem")).to_have_text(
        ["System prompt 5 tokens", "The question 7 tokens", "Message overhead 3 tokens"]
    )
    said = ["In the summary", "Not sent: you excluded its turn", "Not sent: it failed"]
    expect(dialog.locator(".state-reason")).to_have_text(said)
    expect(dialog).not_to_contain_text("message box")


def test_what_the_model_sees_says_that_the_message_in_the_box_is_not_in_it(memory) -> None:
    memory.page.locator("#message").fill("Not sent yet")
    memory.page.get_by_role("button", name="What the model sees").click()
    dialog = memory.page.get_by_role("dialog", name="What the model sees")
    expect(dialog).to_contain_text("What stands in the message box is not in it yet.")


def test_the_way_of_folding_is_chosen_and_usage_is_told(memory) -> None:
    region = memory.page.get_by_role("region", name="Memory")
    region.get_by_role("combobox", name="Way of folding").select_option("dost")
    assert memory.asked("update_settings", 1) == [[{"preset": "dost"}]]
    memory.publish(
        "memory",
        usage={
            "chat": {"tokens_in": 5000, "tokens_out": 700},
            "folding_cost": 1380,
            "folding_saved": 4120,
        },
    )
    for text in (
        "Answers5,000 in, 700 out",
        "Folding cost1,380 tokens",
        "Folding saved4,120 tokens",
    ):
        expect(region.locator(".usage")).to_contain_text(text)


def test_a_chat_without_memory_yet_draws_an_empty_panel(stub) -> None:
    stub.page.evaluate("() => stub.publish('memory', {})")
    stub.settle()
    expect(stub.page.get_by_role("region", name="Memory")).to_be_visible()
    expect(stub.page.get_by_role("textbox", name="Summary")).to_have_value("")


def test_the_request_button_stands_apart_from_the_note_above_it(memory) -> None:
    memory.publish("memory", exact=False, coverage=None)
    note = memory.page.get_by_text("Estimated while the tokenizer loads.").bounding_box()
    button = memory.page.get_by_role("button", name="What the model sees").bounding_box()
    assert button["y"] - (note["y"] + note["height"]) >= 6


def test_what_folding_saved_is_said_once_there_is_a_number(memory) -> None:
    usage = memory.page.get_by_role("region", name="Memory").locator(".usage")
    memory.publish("memory", usage={"folding_cost": 0, "folding_saved": 0})
    expect(usage).to_contain_text("Folding savedCounted with the next answer")
    expect(usage).to_contain_text("Folding costNothing so far")
    expect(usage).not_to_contain_text("0 tokens")
    memory.publish("memory", usage={"folding_cost": 0, "folding_saved": 310})
    expect(usage).to_contain_text("Folding saved310 tokens")
    memory.publish("memory", folds=[], summary={**SUMMARY, "text": "", "fold_id": None}, usage={})
    expect(usage).not_to_contain_text("Folding")


def test_the_two_sizes_of_the_summary_are_both_named(memory) -> None:
    region = memory.page.get_by_role("region", name="Memory")
    memory.publish(
        "memory", summary={**SUMMARY, "tokens": 379}, account={**ACCOUNT, "summary": 404}
    )
    expect(region.locator("#summary-size")).to_have_text(
        "379 of 800 tokens; 404 in the prompt, with its frame"
    )
    expect(region.locator(".legend")).to_contain_text("Summary, with its frame404")


# How each part of the gauge is painted: its pattern without the colours, and how light it is.
PAINTED = """() => {
  const canvas = Object.assign(document.createElement('canvas'), {width: 1, height: 1})
    .getContext('2d', {willReadFrequently: true});
  const light = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((v) => v / 255)
      .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
      .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  };
  return [...document.querySelectorAll('.gauge-bar .segment')].map((node) => {
    const style = getComputedStyle(node);
    const pattern = style.backgroundImage.replace(/(rgba?|color)\\([^)]*\\)/g, '');
    return [node.className, pattern, light(style.backgroundColor)];
  });
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_two_parts_of_the_gauge_are_told_apart_by_shade_alone(memory, scheme: str) -> None:
    memory.page.emulate_media(color_scheme=scheme)
    painted = memory.page.evaluate(PAINTED)
    assert len(painted) == 9
    for index, (name, pattern, light) in enumerate(painted):
        for other, its_pattern, its_light in painted[:index]:
            if pattern == its_pattern:  # both plain: then clearly lighter or darker (WCAG 1.4.11)
                ratio = (max(light, its_light) + 0.05) / (min(light, its_light) + 0.05)
                assert pattern == "none", f"{name} is patterned as {other}"
                assert ratio >= 3, f"{name} against {other}: {ratio:.2f}"
