"""What a fold is made of, how it is divided and asked for, and its bounds, to the token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from app.conversation.message import Message
from app.memory.cutting import cut_middle
from app.memory.folding import (
    Folded,
    Material,
    chunk_room,
    from_reply,
    gather,
    portions,
    reply_room,
    request,
    split,
    without_model,
)
from app.memory.prompts import FOLD_SYSTEM, fold_request, quote
from app.memory.tokens import Counter
from tests.support.chats import apples, chat
from tests.support.words import WordTokenizer

COUNTER = Counter(WordTokenizer())
NOTES = Folded("Ada has 3 hens.", ("a",), "model")  # 5 tokens


def test_a_summary_is_at_most_what_it_replaces() -> None:
    messages = chat(apples(10), apples(20))
    found = gather(NOTES, messages, 100, COUNTER)
    # 5 of the notes, 30 of the messages and 4 for each of them.
    assert (found.tokens_in, found.tokens_new, found.cap) == (43, 30, 43)
    assert (found.previous, found.previous_sources) == ("Ada has 3 hens.", ("a",))
    assert found.messages == tuple(messages)
    assert gather(NOTES, messages, 42, COUNTER).cap == 42
    assert gather(None, messages, 100, COUNTER).tokens_in == 38
    assert gather(None, [], 100, COUNTER).cap == 1


@pytest.mark.parametrize(("count", "method"), [(49, "verbatim"), (50, "extractive")])
def test_under_fifty_tokens_are_kept_word_for_word(count: int, method: str) -> None:
    material = gather(None, chat(apples(count)), 100, COUNTER)
    assert material.is_small is (method == "verbatim")
    assert without_model(material, COUNTER).method == method


def test_portions_are_closed_at_six_thousand_tokens_where_there_are_over_twice_as_many() -> None:
    messages = chat(*[apples(996)] * 12)  # 1,000 tokens each, as sent
    assert portions(messages, COUNTER) == [messages]
    more = chat(*[apples(996)] * 13)
    assert portions(more, COUNTER) == [more[:6], more[6:12], more[12:]]


@pytest.mark.parametrize(("count", "sizes"), [(99, [6, 7]), (100, [6, 6, 1])])
def test_under_a_hundred_tokens_are_no_portion_of_their_own(count: int, sizes: list[int]) -> None:
    messages = chat(*[apples(996)] * 12, apples(count - 4))
    found = portions(messages, COUNTER)
    assert [len(part) for part in found] == sizes
    assert [message for part in found for message in part] == messages


@pytest.mark.parametrize(
    ("context", "limit", "room"),
    [
        (4096, 1, 16),
        (4096, 12, 16),
        (4096, 14, 17),
        (4096, 100, 125),
        (8191, 100, 125),
        (8192, 100, 125 + 1024),  # an eighth of a large context, for reasoning
        (16_384, 100, 125 + 2048),
        (65_536, 100, 125 + 2048),
    ],
)
def test_a_reply_may_run_a_quarter_over_and_reason_where_there_is_room(
    context: int, limit: int, room: int
) -> None:
    assert reply_room(context, limit) == room


@pytest.mark.parametrize(
    ("context", "limit", "previous", "beside"),
    [
        (4096, 300, "", 3072 - 300),  # three quarters of the context, less the notes
        (4096, 300, apples(299), 3072 - 300),
        (4096, 300, apples(400), 3072 - 400),  # notes of a time with a higher limit
        (1024, 300, "", 1024 - 375 - 16 - 300),  # the reply's room is more than a quarter
    ],
)
def test_the_room_for_messages_is_what_reply_notes_and_instructions_leave(
    context: int, limit: int, previous: str, beside: int
) -> None:
    fixed = COUNTER.text(FOLD_SYSTEM) + 90  # the instructions and the frames
    assert chunk_room(context, limit, previous, COUNTER) == beside - fixed


def turns(*sizes: int) -> list[list[Message]]:
    """Turns of so many messages. Each is six tokens as quoted: User, :, >, a word, two breaks."""
    return [chat(*["apple"] * size, prefix=f"t{number}-") for number, size in enumerate(sizes)]


def divided(room: int, *sizes: int) -> list[tuple[list[str], bool]]:
    """The ids of each chunk's messages, and whether it ends a turn."""
    chunks = split(turns(*sizes), room, COUNTER)
    return [([message.id for message in chunk], ends) for chunk, ends in chunks]


def test_whole_turns_share_a_chunk_while_they_fit() -> None:
    first = (["t0-1", "t0-2", "t1-1", "t1-2"], True)
    assert divided(24, 2, 2, 2, 2) == [first, (["t2-1", "t2-2", "t3-1", "t3-2"], True)]
    assert divided(23, 2, 2, 2, 2) == [([f"t{n}-1", f"t{n}-2"], True) for n in range(4)]
    assert divided(24, 2, 2) == [first]
    assert divided(24) == []


def test_a_turn_larger_than_the_room_is_divided_between_its_messages() -> None:
    assert divided(12, 4) == [(["t0-1", "t0-2"], False), (["t0-3", "t0-4"], True)]
    assert divided(11, 2) == [(["t0-1"], False), (["t0-2"], True)]
    assert divided(11, 4) == [([f"t0-{n}"], n == 4) for n in (1, 2, 3, 4)]
    assert divided(5, 2) == [(["t0-1"], False), (["t0-2"], True)]  # a message stays whole


def test_what_comes_behind_a_large_turn_begins_a_chunk() -> None:
    large = [([f"t0-{n}" for n in (1, 2, 3, 4)], False), (["t0-5"], True)]
    assert divided(24, 5, 2, 2) == [*large, (["t1-1", "t1-2", "t2-1", "t2-2"], True)]
    large = [(["t0-1", "t0-2", "t0-3"], False), (["t0-4"], True)]
    assert divided(23, 4, 2, 2) == [*large, (["t1-1", "t1-2"], True), (["t2-1", "t2-2"], True)]
    assert divided(24, 2, 5)[0] == (["t0-1", "t0-2"], True)


def asked(text: str, room: int) -> str:
    """The user's part of the request that folds one message of that text."""
    material = gather(None, chat(text), 300, COUNTER)
    return request(material, room, COUNTER)[1].content


def wanted(text: str, shown: str) -> str:
    """That request where ``shown`` is quoted of the message."""
    message = chat(text)[0]
    cap = gather(None, [message], 300, COUNTER).cap
    return fold_request("", [quote(message, shown)], cap)[1].content


def test_a_message_that_fits_the_room_as_quoted_is_not_cut() -> None:
    # Four tokens for "User:" and the mark of the quote.
    assert asked(apples(96), 100) == wanted(apples(96), apples(96))
    assert asked(apples(97), 100) == wanted(apples(97), cut_middle(apples(97), 84, COUNTER))


def test_a_message_of_many_lines_is_cut_again_for_the_marks_of_its_quote() -> None:
    # Each line costs a mark besides: the first cut is too large as quoted, the next is not.
    text = "\n".join(["apple"] * 300)
    first = cut_middle(text, 64, COUNTER)
    assert COUNTER.text(quote(chat(text)[0], first)) > 80
    assert asked(text, 80) == wanted(text, cut_middle(first, 44, COUNTER))


REPLY = "Ada has 3 hens."  # 5 tokens
SAID = "Ada has 3 hens. " * 4 + "Her number is 4471. " + "They are fine and well as ever. " * 4


def capped(cap: int, text: str = SAID) -> Material:
    """The material of a fold whose summary may hold so many tokens."""
    return replace(gather(None, chat(text), 300, COUNTER), cap=cap)


def test_a_detail_that_the_reply_lost_is_added_where_it_fits() -> None:
    # The detail is a line of seven tokens, behind a break.
    found = from_reply(REPLY, "stop", capped(13), COUNTER)
    assert found == Folded(
        f"{REPLY}\nUser: Her number is 4471.", (None, "m1"), "model+details", "", 13
    )
    assert from_reply(REPLY, "stop", capped(12), COUNTER) == Folded(REPLY, (None,), "model", "", 5)


class Breaks(WordTokenizer):
    """A line break is three tokens."""

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text."""
        counts = super().count_many(texts)
        return [count + 2 * text.count("\n") for count, text in zip(counts, texts, strict=True)]


@pytest.mark.parametrize(("cap", "tokens"), [(15, 15), (14, 5), (13, 5)])
def test_reply_and_details_are_counted_together(cap: int, tokens: int) -> None:
    found = from_reply(REPLY, "stop", capped(cap), Counter(Breaks()))
    assert found.tokens_out == tokens


def test_a_reply_that_just_fits_is_not_trimmed() -> None:
    reply = "Ada has 3 hens.\nHer number is 4471."
    assert from_reply(reply, "stop", capped(11), COUNTER) == Folded(
        reply, (None, None), "model", "", 11
    )
    found = from_reply(reply, "stop", capped(10), COUNTER)
    assert found.text in reply.split("\n") and found.note == "trimmed from 11 to 10 tokens"


def test_a_summary_that_is_too_long_loses_whole_lines() -> None:
    messages = chat("Ada has three hens.", "Bob has two dogs.", "Cid has one cat.")
    lines = ["User: Ada has three hens.", "Assistant: Bob has two dogs.", "User: Cid has one cat."]
    # Seven tokens each, and one for each break.
    whole = gather(None, messages, 300, COUNTER)
    found = without_model(replace(whole, cap=23), COUNTER)
    assert (found.text, found.sources) == ("\n".join(lines), ("m1", "m2", "m3"))
    less = without_model(replace(whole, cap=22), COUNTER)
    assert len(less.sources) == 2 and set(less.text.split("\n")) < set(lines)


class Capitals(WordTokenizer):
    """Each letter is a token, and a capital is three."""

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text."""
        return [len(text) + 2 * sum(char.isupper() for char in text) for text in texts]


def test_where_no_line_fits_the_beginning_of_what_there_is_stays() -> None:
    counter = Counter(Capitals())
    messages = chat("ok then")
    # Of "User: ok then" not even the first letter is within two tokens.
    found = without_model(gather(None, messages, 2, counter), counter)
    assert found == Folded("ok", (None,), "verbatim", "", 2)
    notes = Folded("hens\nare here", (None, None), "model")
    material = replace(gather(notes, chat("Ada has hens " * 9), 300, counter), cap=2)
    assert from_reply("Ada has hens", "stop", material, counter).text == "he"
