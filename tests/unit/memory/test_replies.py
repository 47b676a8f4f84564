"""What a model's reply becomes: notes, cleaned; or a rejection with its reason."""

from __future__ import annotations

import pytest

from app.memory.checks import clean_reply, problem

ADA = "Ada keeps 3 hens."
GIVEN = "User: Ada keeps 3 hens in her garden.\nAssistant: How nice!"


@pytest.mark.parametrize(
    "reply",
    [
        "<think>She likes hens, maybe.</think>\nAda keeps 3 hens.",
        "Ada keeps 4 hens.</think>Ada keeps 3 hens.",
        "<thinking>x</thinking><summary>Ada keeps 3 hens.</summary>",
        "<think>a<think>b</think>c</think>Ada keeps 3 hens.",
        "<THINK foo='1'>a</THINK>Ada keeps 3 hens.",
        "<think>a</think><think>b</think>Ada keeps 3 hens.",
        "<reasoning>\n1. hens\n</reasoning>\n\nAda keeps 3 hens.",
        "<thought>one</think>Ada keeps 3 hens.",
        "<seed:think>x</seed:think>Ada keeps 3 hens.",
        "[THINK]x[/THINK]Ada keeps 3 hens.",
        "◁think▷x◁/think▷Ada keeps 3 hens.",
        "<|begin_of_thought|>x<|end_of_thought|>Ada keeps 3 hens.",
        "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>"
        "Ada keeps 3 hens.<|return|>",
        "```thinking\nhm\n```\nAda keeps 3 hens.",
        "Ada keeps 3 hens.\n<think>\nshall I go on",
        "Summary: Ada keeps 3 hens.",
        "Summary: Summary: Summary: Ada keeps 3 hens.",
        "**Updated Summary:**\n\nAda keeps 3 hens.",
        "## Summary\nAda keeps 3 hens.",
        "Conversation context: Ada keeps 3 hens.",
        "Summary of the conversation so far: Ada keeps 3 hens.",
        "Here is the updated summary: Ada keeps 3 hens.",
        "Here are the notes, as requested: Ada keeps 3 hens.",
        "Shrnutí: Ada keeps 3 hens.",
        "要約：Ada keeps 3 hens.",
        "Zusammenfassung:\nAda keeps 3 hens.",
        "Sure! Here is the updated summary:\n\n```markdown\nAda keeps 3 hens.\n```\n"
        "Let me know if you need more.",
        "```\nAda keeps 3 hens.\n```",
        "```text\nAda keeps 3 hens.",
        "<notes>\nAda keeps 3 hens.\n</notes>",
        "<notes>Ada keeps 3 hens.",
        '{"summary": "Ada keeps 3 hens."}',
        '```json\n{"summary": ["Ada keeps 3 hens."]}\n```',
        '["Ada keeps 3 hens."]',
        "Ada keeps 3 hens.\nAda keeps 3 hens.\n\nada  keeps 3 hens.",
        "Ada keeps 3 hens.<|im_end|>",
        "Ada keeps 3 hens.</s>",
        "\u202eAda\x00 keeps\x07 3 hens.\U000e0041",
        "The notes so far:\n<notes>\nAda keeps 3 hens.\n</notes>\nWrite the updated notes now, in",
        "You keep the running notes of a conversation. You are given the notes.\nRules:\n"
        '- Never drop a "not", "never", "unless".\nAda keeps 3 hens.',
    ],
)
def test_what_surrounds_the_notes_is_taken_away(reply: str) -> None:
    assert clean_reply(reply) == ADA
    assert problem(clean_reply(reply), GIVEN) == ""


@pytest.mark.parametrize(
    "reply",
    [
        "The user asked how `<think>` tags work.",
        "Explains '<think>' and '</think>' tags.",
        "- Uses `</think>` as a closer\n- Ada wrote it",
        "Ada's template opens with <think> and her parser wants </think>.",
        "Ada: I cannot eat nuts.",
        "The summary: a report that Ada wrote.",
        "# Facts\nAda keeps 3 hens.\n# Open tasks\nFeed them.",
        "עדה מגדלת 3 תרנגולות.",
        "She said: “sorry”.",
        "S1",
    ],
)
def test_plain_notes_stay_whole(reply: str) -> None:
    assert clean_reply(reply) == reply
    assert problem(reply, reply) == ""


@pytest.mark.parametrize(
    "reply",
    [
        "*" * 10_000,
        "#" * 10_000,
        " " * 10_000 + "x",
        "-" * 10_000,
        "_" * 10_000,
        ">" * 10_000,
        "* " * 5000,
        "Summary" * 2000,
    ],
    ids=["stars", "hashes", "blanks", "dashes", "underscores", "quotes", "bullets", "labels"],
)
@pytest.mark.parametrize("end", ["", "\nAda keeps 3 hens."])
def test_a_reply_that_loops_on_a_mark_is_read_to_its_end(reply: str, end: str) -> None:
    # A pattern that goes back over the run never comes to its end, and the page is frozen.
    cleaned = clean_reply(reply + end)
    assert len(cleaned) <= len(reply + end)
    assert cleaned.endswith(end.strip())


def test_a_label_of_usual_length_is_still_taken_away() -> None:
    assert clean_reply("**Summary:**\n- a") == "- a"


def test_fields_of_a_reply_in_json_become_headings() -> None:
    reply = '{"facts": ["Ada keeps 3 hens.", "Pip is one."], "decisions": [], "place": "Brno"}'
    assert clean_reply(reply) == "facts:\nAda keeps 3 hens.\nPip is one.\nplace: Brno"


def test_json_that_is_too_deep_is_never_parsed() -> None:
    deep = "[" * 5000 + '"x"' + "]" * 5000
    assert problem(clean_reply(deep), GIVEN) != ""


@pytest.mark.parametrize(
    "reply",
    [
        "",
        " \n\t",
        "\u200b\ufeff",
        "\u2060\u00ad\u200d",
        "...",
        "---",
        "None",
        "N/A",
        "(none yet)",
        "null",
        "[]",
        "{}",
        '""',
        "Summary:",
        "```\n```",
        "<summary></summary>",
        "<think>Still thinking about hens and the",
        "<think>",
        "<think",
        "<thin",
        "<|channel|>analysis<|message|>still thinking",
        "[THINK]still thinking",
        "<think>a</think>",
        "<think>a</think",
    ],
)
def test_nothing_is_no_summary(reply: str) -> None:
    assert problem(clean_reply(reply), GIVEN) != ""


@pytest.mark.parametrize(
    "reply",
    [
        "Error",
        "Error: upstream timeout",
        '{"error":{"message":"upstream timeout"}}',
        '{"detail": "Not Found"}',
        "<html>502 Bad Gateway</html>",
        "<!DOCTYPE html><title>Just a moment...</title>",
        "502 Bad Gateway",
        "HTTP 503 Service Unavailable",
        "Internal Server Error",
        "upstream connect error or disconnect/reset before headers",
        "no healthy upstream",
        "Rate limit reached for requests",
        "You exceeded your current quota, please check your plan.",
        "TypeError: Failed to fetch",
        "Traceback (most recent call last):",
        "This model's maximum context length is 4096 tokens.",
        "The model `gpt-9` does not exist",
        "Invalid API key",
        '{"summary": "Ada keeps',
    ],
)
def test_an_error_is_no_summary(reply: str) -> None:
    assert problem(clean_reply(reply), GIVEN) != ""


@pytest.mark.parametrize(
    "reply",
    [
        "I'm sorry, but I can't help with that.",
        "I’m sorry, I cannot summarise this.",
        "Sorry, I can't assist with that request.",
        "As an AI language model, I have no memory of this.",
        "I am unable to provide a summary of this conversation. " + "Policy forbids it. " * 40,
        "Omlouvám se, ale s tím nemohu pomoci.",
        "Es tut mir leid, das kann ich nicht.",
        "Lo siento, no puedo ayudar con eso.",
        "Je suis désolé, mais je ne peux pas.",
        "Przepraszam, nie mogę tego zrobić.",
        "Извините, я не могу помочь.",
        "申し訳ありませんが、お手伝いできません。",
        "抱歉,我无法协助。",
        "죄송하지만 도와드릴 수 없습니다.",
        "آسف، لا يمكنني المساعدة.",
        "מצטער, אני לא יכול לעזור.",
        "Beklager, det kan jeg ikke.",
        "Üzgünüm, yardımcı olamam.",
    ],
)
def test_a_refusal_is_no_summary(reply: str) -> None:
    assert "refusal" in problem(clean_reply(reply), GIVEN)


@pytest.mark.parametrize(
    "reply",
    [
        "Sure! Hens need a dry coop and fresh water every day.",
        "Great question! Hens lay most in spring.",
        "Hello! How can I help you today?",
        "Natürlich! Hühner brauchen Wasser.",
        "もちろん、鶏には水が必要です。",
        "```python\ndef hens():\n    return 3\n```",
    ],
)
def test_an_answer_is_no_summary(reply: str) -> None:
    assert problem(clean_reply(reply), GIVEN) != ""


def test_code_that_was_talked_about_may_be_in_the_notes() -> None:
    code = "```python\ndef hens():\n    return 3\n```"
    assert problem(clean_reply("Ada wrote:\n" + code), GIVEN + "\n" + code) == ""


def test_a_long_reply_about_something_else_is_no_summary() -> None:
    words = " ".join(f"planet{n} orbit{n} comet{n}" for n in range(30))
    assert problem(clean_reply(words), GIVEN) != ""


@pytest.mark.parametrize(
    ("given", "reply", "wrong"),
    [
        (
            "Jmenuji se Bořek a pěstuji švestky. Také mám zahradu, která není velká, ale byla"
            " levná, protože je to jen kousek země. Když bylo teplo, byl jsem tam.",
            "The user has a garden and it was cheap, but it is not large. They grow plums there.",
            True,
        ),
        (
            "明日の午後三時に図書館の前で待ち合わせましょう。雨が降ったら駅の喫茶店で待っています。"
            "傘を忘れないでください。",
            "They meet at three in front of the library.",
            True,
        ),
        (
            "明日の午後三時に図書館の前で待ち合わせましょう。雨が降ったら駅の喫茶店で待っています。"
            "傘を忘れないでください。",
            "明天下午三点在图书馆门口见面,如果下雨就在车站的咖啡馆等,不要忘记带雨伞。",
            True,
        ),
        (
            "ניפגש מחר בשלוש אחר הצהריים ליד הספרייה הישנה, ואם ירד גשם נחכה בבית הקפה.",
            "They meet tomorrow at three near the old library.",
            True,
        ),
        (
            "ניפגש מחר בשלוש אחר הצהריים ליד הספרייה הישנה, ואם ירד גשם נחכה בבית הקפה.",
            "ניפגשים מחר בשלוש ליד הספרייה הישנה",
            False,
        ),
        ("Ласточка пролетела над крышей и ещё раз сделала круг над двором.", "iPhone 15", False),
        ("hi", "Ada keeps 3 hens in the garden and they lay eggs for her.", False),
    ],
)
def test_notes_in_another_language_are_rejected(given: str, reply: str, wrong: bool) -> None:
    assert bool(problem(clean_reply(reply), given)) is wrong


@pytest.mark.parametrize("finish", ["length", "content_filter"])
def test_a_cut_off_reply_is_no_summary(finish: str) -> None:
    assert problem(ADA, GIVEN, finish) != ""


def test_an_error_that_was_talked_about_is_a_fact() -> None:
    talk = "Error: ENOENT, the file is missing. It happens at boot."
    assert problem(clean_reply("Error: ENOENT happens at boot."), talk) == ""
