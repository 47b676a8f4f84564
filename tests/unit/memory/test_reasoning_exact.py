"""Reasoning leaves a reply under whatever tags it came; what is said about tags stays."""

from __future__ import annotations

import pytest

from app.memory.reasoning import strip_reasoning

PAIRS = [
    ("[THINK]", "[/THINK]"),
    ("[REASONING]", "[/REASONING]"),
    ("◁think▷", "◁/think▷"),
    ("<|think|>", "<|/think|>"),
    ("<|thinking|>", "<|/thinking|>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|reasoning|>", "<|/reasoning|>"),
    ("```thinking", "```"),
    ("```think", "```"),
    ("```reasoning", "```"),
    ("```thought", "```"),
    ("<think>", "</think>"),
    ("<analysis lang='en'>", "</analysis>"),
]


@pytest.mark.parametrize(("opener", "closer"), PAIRS)
def test_a_closed_block_leaves_and_nothing_else(opener: str, closer: str) -> None:
    assert strip_reasoning(f"{opener}\nhm\n{closer}\nHens.") == "\nHens."
    assert strip_reasoning(f" \n{opener}\nhm\n{closer}\nHens.") == "\nHens."


@pytest.mark.parametrize(("opener", "closer"), PAIRS)
def test_a_block_that_never_ends_leaves_nothing(opener: str, closer: str) -> None:
    assert strip_reasoning(f"{opener}\nhm, hens") == ""


@pytest.mark.parametrize(("opener", "closer"), [pair for pair in PAIRS if pair[1] != "```"])
def test_a_template_may_have_opened_the_block_before_the_reply_began(
    opener: str, closer: str
) -> None:
    assert strip_reasoning(f"hm{closer}Hens.") == "Hens."
    assert strip_reasoning(f"hm{closer}oh{closer}Hens.") == "Hens."


@pytest.mark.parametrize(
    "reply",
    [
        "Ada keeps:\n```\n3 hens\n```\n2 cats",  # a closer of some blocks, a fence here
        "It has [THINK] and [/THINK] for this.",
        "Ada writes <think>x</think> here.",
        "Ada writes <think> here.",
        'The tag "</think>" closes it.',
        "The tag '</think>' closes it.",
        "The tag “</think>” closes it.",
        "The tag ‘</think>’ closes it.",
        "The tag «</think>» closes it.",
        "The tag (</think>) closes it.",
        "The tag `</think>` closes it.",
        "`a </think> b` is code.",
        "Write `a </think> b` here.",
        "`a` and `b </think>` are code.",
    ],
)
def test_tags_in_prose_stay(reply: str) -> None:
    assert strip_reasoning(reply) == reply


@pytest.mark.parametrize(
    ("reply", "left"),
    [
        ("</think>) Hens.", ") Hens."),  # no mark before it
        ("hm (</think>", ""),  # no mark behind it
        ("hm (</think>Hens.", "Hens."),
        ("hm</think>) Hens.", ") Hens."),
        ("`a` hm</think>Hens.", "Hens."),  # the code has ended
        ("One ` alone.\nhm</think>Hens.", "Hens."),  # code does not go on over lines
        ("hm</think>Hens.\nOne ` alone.", "Hens.\nOne ` alone."),
    ],
)
def test_a_closer_is_quoted_only_between_two_marks_or_in_code(reply: str, left: str) -> None:
    assert strip_reasoning(reply) == left


def test_the_last_final_message_is_the_reply_up_to_its_end() -> None:
    final, end = "<|channel|>final<|message|>", "<|end|><|start|>assistant"
    assert strip_reasoning(f"{final}Draft.{end}{final}Hens.<|return|>") == "Hens."
    assert strip_reasoning(f"{final}Hens.<|end|>and<|end|>more") == "Hens."
    assert strip_reasoning("<|begin_of_solution|>Hens.<|end_of_solution|>Bye") == "Hens."
    assert strip_reasoning("<|START_RESPONSE|>Hens.<|END_RESPONSE|>") == "Hens."
    assert strip_reasoning("analysisHm, hens.assistantfinalHens.") == "Hens."


@pytest.mark.parametrize("start", ["", "<|start|>assistant"])
def test_channels_without_a_final_message_hold_nothing(start: str) -> None:
    assert strip_reasoning(f"{start}<|channel|>analysis<|message|>hm, hens") == ""


@pytest.mark.parametrize("reply", ["<think", "  < thinking ", "hm</think", "hm</ think "])
def test_a_reply_that_is_cut_off_inside_a_tag_leaves_nothing(reply: str) -> None:
    assert strip_reasoning(reply) == ""


@pytest.mark.parametrize(
    ("reply", "left"),
    [
        ("<think>a</think><think>b</think><plan>c</plan>Hens.", "Hens."),
        ("<think>a<think>b</think>c</think>Hens.", "Hens."),
        ("<think>a<think>b</think>c</think>\nSay <think>x</think>.", "\nSay <think>x</think>."),
        # The block ends with its own closer, not with one that prose has later.
        ("<think>a</think>\nSay <think>b</think> now.", "\nSay <think>b</think> now."),
        # More were opened than closed: the last closer ends them all.
        ("<think>a<think>b</think>c<think>d</think>Hens.", "Hens."),
        ("<thought>one</think>Hens.", "Hens."),
        ("<thought>one</think>\nSay <plan>b</plan> now.", "\nSay <plan>b</plan> now."),
    ],
)
def test_a_block_at_the_start_ends_where_it_is_closed(reply: str, left: str) -> None:
    assert strip_reasoning(reply) == left


@pytest.mark.parametrize(
    ("reply", "left"),
    [
        ("Hens.\n<think>sure?</think>\nCats.", "Hens.\n\nCats."),
        ("Hens.\n  <think>sure?</think>\nCats.", "Hens.\n  \nCats."),
        ("Hens.\n<think>a<think>b</think></think>\nCats.", "Hens.\n\nCats."),
        ("Hens.\n<THINK>sure?</think>\nCats.", "Hens.\n\nCats."),
        ("hm</plan>Hens.\n<think>sure?</think>\nCats.", "Hens.\n\nCats."),
        ("hm</think>Say <think> now.", "Say <think> now."),  # an opener behind the closer
        ("Hens.\n<think>\nshall I go on", "Hens.\n"),
        ("Hens.\n<think>", "Hens.\n"),
    ],
)
def test_a_block_further_down_leaves_when_it_stands_on_its_own(reply: str, left: str) -> None:
    assert strip_reasoning(reply) == left


def test_eight_blocks_under_eight_names_leave() -> None:
    blocks = "".join(f"\n<{letter}_think>hm</{letter}_think>" for letter in "abcdefgh")
    assert strip_reasoning(f"Hens.{blocks}\nCats.") == "Hens." + "\n" * 9 + "Cats."
