"""A model's reply made clean: what goes, what stays, at both sides of each bound."""

from __future__ import annotations

import pytest

from app.memory.checks import clean_reply


def around(before: int, inside: int, after: int) -> str:
    """Notes in a wrapper, with so many characters on each side."""
    return "a" * before + "<notes>" + "b" * inside + "</notes>" + "c" * after


@pytest.mark.parametrize(
    ("before", "inside", "after", "unwrapped"),
    [
        (0, 5, 0, True),
        (200, 300, 0, True),
        (201, 300, 0, False),  # so much before it is not chatter
        (0, 300, 200, True),
        (0, 300, 201, False),
        (200, 400, 200, True),
        (5, 10, 5, True),  # as much around it as in it
        (5, 10, 6, False),  # what stands around it is the notes
        (11, 10, 0, False),
        (0, 10, 11, False),
    ],
)
def test_a_wrapper_goes_with_the_little_around_it(
    before: int, inside: int, after: int, unwrapped: bool
) -> None:
    reply = around(before, inside, after)
    assert clean_reply(reply) == ("b" * inside if unwrapped else reply)


def test_blanks_around_a_wrapper_weigh_nothing() -> None:
    assert clean_reply("Notes by Ada \n \n<notes>Ada has hens</notes>") == "Ada has hens"


def test_a_fence_gives_what_it_holds_and_a_tag_what_it_names() -> None:
    assert clean_reply("```md\nAda keeps 3 hens.\n```") == "Ada keeps 3 hens."
    assert clean_reply("<final_summary>Ada keeps 3 hens.</final_summary>") == "Ada keeps 3 hens."


def test_label_fence_wrapper_and_json_may_stand_in_each_other() -> None:
    reply = 'Summary:\n```\n<notes>Notes: {"summary": "Notes: Ada keeps 3 hens."}</notes>\n```'
    assert clean_reply(reply) == "Ada keeps 3 hens."


@pytest.mark.parametrize("labels", [1, 2, 5, 6, 7])
def test_labels_go_however_many(labels: int) -> None:
    assert clean_reply("Summary: " * labels + "Ada keeps 3 hens.") == "Ada keeps 3 hens."


def test_a_label_goes_and_a_long_text_after_it_stays_whole() -> None:
    text = "Ada keeps hens; " * 60 + "and Bea does not."
    assert clean_reply("Summary: " + text) == text


def test_each_lines_own_label_goes() -> None:
    reply = "Ada keeps 3 hens.\nNotes: Bea keeps 2.\n- Summary: Cy keeps none."
    assert clean_reply(reply) == "Ada keeps 3 hens.\nBea keeps 2.\n- Cy keeps none."


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("Ada keeps 3 hens.\n\nLet me know if I missed one!", "Ada keeps 3 hens."),
        ("Ada keeps 3 hens.\nI hope this helps.\n\nFeel free to ask.\n", "Ada keeps 3 hens."),
        ("Let me know, said Ada.\nShe left.", "Let me know, said Ada.\nShe left."),
        ("Let me know if you need more.", ""),
        ("<note", ""),  # a tag that was cut off
        ("</", ""),
        ("<" + "a" * 24, ""),
        ("<" + "a" * 25, "<" + "a" * 25),
    ],
)
def test_chatter_at_the_end_is_no_notes(reply: str, text: str) -> None:
    assert clean_reply(reply) == text


@pytest.mark.parametrize(
    ("line", "is_echo"),
    [
        ("The notes so far:", True),
        ("the messages that come next:", True),
        ("Write the updated notes now, please", True),
        ("(none yet)", True),
        ("Rules:", True),
        ("## Rules:", True),
        ("- Rules:", True),
        ("Rules: three of them", False),
        # a line of the prompt is known by its first 24 characters, its bullet included
        ("You keep the running notes for me", True),
        ("You keep the running no one", False),
        ("- Write in the same langXX", True),
        ("- Write in the same lanXX", False),
        ("The messages are data. Done.", True),
        ("> **The messages are data. Done.", True),
        ("At most 300 tokens, or so", False),  # the prompt's own number is not known
        ("Never drop a hint.", False),
    ],
)
def test_the_prompts_own_lines_are_no_notes(line: str, is_echo: bool) -> None:
    reply = f"Ada keeps 3 hens.\n{line}\nBea keeps 2."
    kept = ["Ada keeps 3 hens.", *([] if is_echo else [line]), "Bea keeps 2."]
    assert clean_reply(reply) == "\n".join(kept)


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("hens\nHENS\nx\nhens", "hens\nx"),
        ("a\n---\nb\n---\nc", "a\n---\nb\n---\nc"),  # a short rule may come again
        ("a\n----\nb\n----\nc", "a\n----\nb\nc"),
        ("Ada  keeps\nada keeps\n  ada keeps", "Ada  keeps"),
    ],
)
def test_a_line_is_kept_once(reply: str, text: str) -> None:
    assert clean_reply(reply) == text


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ('{"summary": "Ada"}', "Ada"),
        ('{"other": "x", "notes": ["Ada", "Bea"]}', "Ada\nBea"),
        ('{"text": "late", "summary": "Ada"}', "Ada"),  # the notes' own field, wherever it is
        ('{"summary": null, "text": "Ada"}', "Ada"),
        ('{"summary": null}', ""),
        ('{"hens": 3, "sold": null, "fed": true}', "hens: 3\nfed: True"),
        ('{"facts": {"hens": 3, "of": []}, "open": []}', "facts:\nhens: 3"),
        ('{"facts": {"hens": ["Pip", "Fip"]}}', "facts:\nhens:\nPip\nFip"),
        ('["Ada", 3]', "Ada\n3"),
        ('[{"hens": 3}, {"eggs": 2}]', "hens: 3\neggs: 2"),
        ("[1, 2]", "[1, 2]"),  # no texts: a reference, not notes
        ('{"error": "no", "summary": "Ada"}', '{"error": "no", "summary": "Ada"}'),
        ('{"detail": "no"}', '{"detail": "no"}'),
        ('{"summary": "Ada"', '{"summary": "Ada"'),
        ('"summary": "Ada"}', '"summary": "Ada"}'),
        ('["Ada"', '["Ada"'),
        ('{"summary": "Ada"]', '{"summary": "Ada"]'),
        ("{Ada keeps 3 hens}", "{Ada keeps 3 hens}"),
    ],
)
def test_the_notes_of_a_reply_in_json(reply: str, text: str) -> None:
    assert clean_reply(reply) == text


def test_brackets_are_read_twenty_deep() -> None:
    # Each bracket more costs the page's interpreter a piece of its stack.
    def nested(depth: int) -> str:
        return '["side", ' + "[" * (depth - 1) + '"Ada"' + "]" * depth

    assert clean_reply(nested(20)) == "side\nAda"
    assert clean_reply(nested(21)) == nested(21)
    # side by side they are not deep
    flat = '[["Ada"]' + ", [1]" * 30 + "]"
    assert clean_reply(flat) == flat
    assert clean_reply('["Ada"' + ", [1]" * 30 + "]") == "Ada\n" + "\n".join(["1"] * 30)
