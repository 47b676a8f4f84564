"""What is counted, exactly: the estimate character by character, and each text only once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.conversation.message import Message, Part, digest
from app.memory.tokens import Counter, Estimate, content_text, estimate
from tests.support.chats import chat
from tests.support.words import WordTokenizer

# Tokens of 48 of each character, with the characters at both ends of each block.
OF_48 = [
    ("a", 14),
    ("z", 14),
    ("A", 26),
    ("Z", 26),
    ("0", 32),
    ("9", 32),
    ("!", 28),
    ("\n", 28),
    ("\x7f", 28),
    (" ", 6),
    ("\x80", 44),
    ("é", 44),
    ("\u024f", 44),
    ("\u0250", 30),
    ("Ж", 30),
    ("\u10ff", 30),
    ("\u1100", 48),  # Korean, in parts
    ("\u11ff", 48),
    ("\u1200", 30),
    ("\u1dff", 30),
    ("\u1e00", 44),  # Vietnamese
    ("\u1eff", 44),
    ("\u1f00", 30),
    ("\u1fff", 30),
    ("\u2000", 48),
    ("字", 48),
    ("\ud7ff", 48),
    ("\ud800", 160),
    ("\uf8ff", 160),
    ("\uf900", 48),
    ("\uffff", 48),
    ("\U00010000", 160),
    ("🎉", 160),
]


@pytest.mark.parametrize(("char", "tokens"), OF_48)
def test_each_kind_of_character_has_its_share_of_a_token(char: str, tokens: int) -> None:
    assert estimate(char * 48) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("aaa", 1),  # 42/48
        ("aaaa", 2),  # 56/48
        ("aA0", 2),  # 72/48
        ("aA0! ", 3),  # 106/48
        (" " * 8, 1),
        (" " * 9, 2),
        ("字", 1),
        ("字 ", 2),
        ("🎉", 4),
        ("🎉🎉🎉", 10),
    ],
)
def test_shares_are_summed_and_rounded_up_once(text: str, tokens: int) -> None:
    assert estimate(text) == tokens
    assert Estimate().count_many([text, "aaaa"]) == [tokens, 2]


@pytest.mark.parametrize(
    ("word", "rank"),
    [
        ("a", 400),
        ("ab", 1_600),
        ("abc", 3_600),
        ("a" * 22, 193_600),
        ("a" * 23, 199_999),  # as rare as a word of one token can be
        ("a1", 200_000),  # rarer than that: no single token
        ("4711", 200_000),
    ],
)
def test_a_word_is_the_rarer_the_longer_and_a_number_is_rarest(word: str, rank: int) -> None:
    assert Estimate().rank_many([word]) == [rank]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (("a", "", "b"), "a\n\nb"),
        ([{"type": "input_image", "text": "not this"}], "[image]"),
        ([{"type": "input_text", "text": "hi"}], "hi"),
        ([{"text": "hi"}, {"text": 7}, "", 7, {"text": "ho"}], "hi\n\nho"),
        (b"hi", ""),
    ],
)
def test_the_content_of_a_message_is_its_texts_and_a_mark_for_each_image(
    content: object, text: str
) -> None:
    assert content_text(content) == text


def test_content_is_counted_as_its_text() -> None:
    counter = Counter(WordTokenizer())
    assert counter.content("one two") == 2
    assert counter.content(["one", {"type": "image"}]) == 5  # one, a break, and [image]
    assert counter.content(None) == 0


def test_a_message_costs_four_tokens_more_than_its_text() -> None:
    message = chat("one two three")[0]
    counter = Counter(WordTokenizer())
    assert counter.message(message) == 7
    assert counter.messages([message, message]) == [(digest(message), 7)] * 2


def test_texts_of_one_call_are_counted_once_and_the_empty_one_never() -> None:
    tokenizer = WordTokenizer()
    counter = Counter(tokenizer)
    assert counter.texts(["a b", "", "c", "a b"]) == [2, 0, 1, 2]
    assert counter.text("") == 0 and counter.text("c") == 1 and counter.texts([]) == []
    assert tokenizer.counted == ["a b", "c"]


def test_what_another_tokenizer_counted_is_forgotten() -> None:
    counter, words = Counter(Estimate()), WordTokenizer()
    message = Message("m", "c", None, "user", (Part("text", "a b c"),))
    assert (counter.exact, counter.text("a b c"), counter.message(message)) == (False, 2, 6)
    counter.use(words)
    assert (counter.exact, counter.text("a b c"), counter.message(message)) == (True, 3, 7)
    assert counter.tokenizer is words


def test_a_message_of_the_same_id_is_counted_anew_only_when_it_differs() -> None:
    tokenizer = WordTokenizer()
    counter = Counter(tokenizer)
    message = chat("one two")[0]
    same, other = replace(message), replace(message, parts=(Part("text", "three"),))
    assert [counter.message(each) for each in (message, same, other, message)] == [6, 6, 5, 6]
    assert tokenizer.counted == ["one two", "three", "one two"]


def test_the_cache_of_texts_is_emptied_when_it_holds_more_than_4096() -> None:
    tokenizer = WordTokenizer()
    counter = Counter(tokenizer)
    counter.texts([str(n) for n in range(4096)])
    assert counter.texts(["0", "one more"]) == [1, 2]  # 4096 are not too many
    assert tokenizer.counted[4096:] == ["one more"]
    assert counter.texts(["0", "", "another one"]) == [1, 0, 2]  # 4097 are
    assert tokenizer.counted[4097:] == ["0", "another one"]
    counter.text("1")
    assert tokenizer.counted[4099:] == ["1"]
