"""Counting: any text, each message once; the estimate is never far below."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.conversation.message import Message, Part, is_sendable
from app.memory.tokens import MESSAGE_OVERHEAD, Counter, Estimate, content_text, estimate
from tests.support.chats import Bench, chat
from tests.support.cpython_tokenizer import CPythonTokenizer
from tests.support.words import WordTokenizer
from tests.unit.run import run

SPECIAL = "What does <|endoftext|> do? And <|im_start|>user\nhi<|im_end|>? <|fim_prefix|>"


def test_special_tokens_are_plain_text() -> None:
    counter = Counter(CPythonTokenizer())
    assert counter.text(SPECIAL) > 20
    bench = Bench(tokenizer=CPythonTokenizer())
    prepared = run(bench.engine.prepare(bench.open(chat(SPECIAL))))
    assert prepared.messages[-1].content == SPECIAL


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        ("", ""),
        ("hi", "hi"),
        ([], ""),
        (["a", "b"], "a\n\nb"),
        (
            [{"type": "text", "text": "what?"}, {"type": "image_url", "image_url": {}}],
            "what?\n\n[image]",
        ),
        ([{"type": "text", "text": None}, {"type": "text"}, None, 3], ""),
        ({"type": "text"}, ""),
        (17, ""),
    ],
)
def test_any_content_of_an_api_is_a_text(content: object, text: str) -> None:
    assert content_text(content) == text
    assert Counter(WordTokenizer()).content(content) >= 0


def test_an_image_costs_a_constant_and_its_data_never_reaches_the_tokenizer() -> None:
    tokenizer = WordTokenizer()
    counter = Counter(tokenizer)
    data = "data:image/png;base64," + "A" * 200_000
    parts = (Part("text", "what is this?"), Part("image", data=data, media_type="image/png"))
    message = Message("m", "c", None, "user", parts)
    assert counter.message(message) < 100
    assert all("base64" not in text for text in tokenizer.counted)
    content = [{"type": "image_url", "image_url": {"url": data}}]
    assert counter.content(content) < 100


def test_a_message_is_counted_once_until_it_changes() -> None:
    tokenizer = WordTokenizer()
    counter = Counter(tokenizer)
    message = chat("one two three")[0]
    assert counter.message(message) == counter.message(replace(message)) == 3 + MESSAGE_OVERHEAD
    assert len(tokenizer.counted) == 1
    longer = replace(message, parts=(Part("text", "one two three four"),))
    assert counter.message(longer) == 4 + MESSAGE_OVERHEAD
    counter.use(WordTokenizer())
    assert counter.message(longer) == 4 + MESSAGE_OVERHEAD


def test_the_cache_of_texts_stays_small_and_right() -> None:
    counter = Counter(WordTokenizer())
    for n in range(5000):
        assert counter.texts([f"a {n}", "same old text"]) == [2, 3]


def test_an_empty_message_is_not_sent() -> None:
    assert not is_sendable(Message("m", "c", None, "assistant", ()))
    assert Counter(WordTokenizer()).message(Message("m", "c", None, "user", ())) == MESSAGE_OVERHEAD


@pytest.mark.parametrize(
    "char", ["字", "の", "カ", "한", "ᄒ", "𠀀", "，", "ｶ", "🎉", "\ud800", "\ue000"]
)
def test_the_estimate_is_never_under_one_token_for_a_cjk_character(char: str) -> None:
    for count in (1, 7, 100):
        assert estimate(char * count) >= count


@pytest.mark.parametrize(
    "text", ["a" * 1_000_000, "字" * 50_000, "👩‍👩‍👧‍👦" * 10_000, " " * 1_000_000]
)
def test_a_huge_text_is_estimated_at_once(text: str) -> None:
    assert 0 < estimate(text) <= 4 * len(text)


def test_the_estimate_stands_in_while_the_tokenizer_loads() -> None:
    bench = Bench(tokenizer=Estimate())
    messages = chat("明日の午後三時に図書館の前で待ち合わせましょう。", "Ano.", "سنلتقي غدا", "Ok")
    view = bench.engine.view(bench.open(messages))
    assert view["exact"] is False
    bench.counter.use(WordTokenizer())
    assert bench.engine.view(bench.open(messages))["exact"] is True
    assert (
        Estimate().rank_many(["a", "extraordinary"])[0] < Estimate().rank_many(["extraordinary"])[0]
    )
    assert Estimate().rank_many(["x9"]) == [200_000]
