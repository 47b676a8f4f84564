"""A conversation as Markdown, for people."""

from __future__ import annotations

from app.conversation.formats import markdown
from app.conversation.message import Message, Part, user_message
from app.conversation.tree import Conversation


def test_the_open_path_is_readable() -> None:
    path = [
        user_message("u", "c", None, "How hot?"),
        Message(
            "a",
            "c",
            "u",
            "assistant",
            (
                Part("reasoning", "hm"),
                Part("text", "75 °C."),
                Part("tool_call", "{}", "weigh"),
                Part("tool_result", "a\n```\nb", "weigh"),
                Part("image", "", "leaf.png", "image/png", "data:image/png;base64,AAAA"),
                Part("file", "", "a.pdf"),
            ),
            status="stopped",
            model="m-1",
        ),
        Message("b", "c", "a", "assistant", (), status="failed", error="The key was refused."),
        Message("n", "c", "b", "system", (Part("text", "Rain."),), hidden=True, name="Narrator"),
    ]
    text = markdown.write(Conversation("c", " Tea\nplan ", system_prompt="Be brief."), path)
    assert text == (
        "# Tea plan\n\n"
        "**System prompt**\n\n```\nBe brief.\n```\n\n"
        "## You\n\nHow hot?\n\n"
        "## Assistant (m-1)\n\n"
        "<details><summary>Reasoning</summary>\n\nhm\n\n</details>\n\n"
        "75 °C.\n\n"
        "*Tool call: weigh*\n\n```\n{}\n```\n\n"
        "*Tool result: weigh*\n\n````\na\n```\nb\n````\n\n"
        "[image: leaf.png]\n\n"
        "[file: a.pdf]\n\n"
        "*Stopped*\n\n"
        "## Assistant\n\n*Failed: The key was refused.*\n\n"
        "## Narrator (hidden)\n\nRain.\n"
    )


def test_an_empty_conversation_has_a_heading_still() -> None:
    assert markdown.write(Conversation("c"), []) == "# Conversation\n"
