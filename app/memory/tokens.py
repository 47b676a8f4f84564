"""Counting: each message once, by the tokenizer port, with the overhead that a request adds.

Counts are those of gpt-tokenizer's o200k_base (or cl100k_base); other models' tokenizers are
met by a learned factor (see ``budget.Limits``), which scales the context, never the counts.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Sequence
from typing import Protocol, cast

from app.conversation.message import Message, digest, sendable_text

MESSAGE_OVERHEAD = 4  # tokens that a chat template adds for each message
PROMPT_OVERHEAD = 3  # tokens that open the answer
RARE = 200_000  # rank_many's unit for a word that is no single token


class Tokenizer(Protocol):
    """Port: counts texts and ranks words. ``exact`` is False for the estimate."""

    @property
    def exact(self) -> bool:
        """Whether counts are the tokenizer's own."""
        ...

    def count_many(self, texts: Sequence[str]) -> Sequence[int]:
        """Tokens of each text; special tokens count as plain text; never raises."""
        ...

    def rank_many(self, words: Sequence[str]) -> Sequence[int]:
        """The BPE id of " word" where it is one token (small = common), else RARE x pieces."""
        ...


class Estimate:
    """A guess from characters, never under one token for a CJK character, used while loading."""

    exact = False

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Estimated tokens of each text."""
        return [estimate(text) for text in texts]

    def rank_many(self, words: Sequence[str]) -> list[int]:
        """Longer words are rarer; anything with a digit inside is rarest. Capitals do not count."""
        return [
            RARE if any(c.isdigit() for c in word) else min(RARE - 1, 400 * len(word) * len(word))
            for word in words
        ]


# Shares of a token, in 1/48, so that sums stay whole: on the high side of what o200k_base needs.
_LETTER, _CAPITAL, _DIGIT, _SYMBOL, _SPACE = 14, 26, 32, 28, 6
_ACCENTED, _ALPHABETS = 44, 30  # Latin beyond ASCII; Cyrillic, Arabic, Hebrew, Indic
_WIDE = 48  # one token: Chinese, Japanese, Korean, symbols
_RARE_SIGN = 160  # emoji, rare Chinese, old scripts, private use, halves of a pair


def estimate(text: str) -> int:
    """Estimated tokens of ``text``, rounded up, without a tokenizer."""
    tally = Tally(text)  # by character: a million of them take some milliseconds
    return -(-sum(_share(char) * count for char, count in tally.items()) // 48)


def _share(char: str) -> int:
    code = ord(char)
    if code < 0x80:
        if char == " ":
            return _SPACE
        if char.isalpha():
            return _CAPITAL if char.isupper() else _LETTER
        return _DIGIT if char.isdigit() else _SYMBOL
    if code < 0x250 or 0x1E00 <= code < 0x1F00:
        return _ACCENTED
    if code < 0x1100 or 0x1200 <= code < 0x2000:
        return _ALPHABETS
    return _WIDE if code < 0xD800 or 0xF900 <= code < 0x10000 else _RARE_SIGN


def content_text(content: object) -> str:
    """The text of a message's content as APIs have it: a text, a list of parts, or nothing.

    An image is ``[image]``, whatever its data; what is no text and no part is left out.
    """
    if isinstance(content, str):
        return content
    if not isinstance(content, list | tuple):
        return ""
    pieces: list[str] = []
    for part in cast(Sequence[object], content):
        if isinstance(part, str):
            pieces.append(part)
        elif isinstance(part, dict):
            fields = cast(dict[str, object], part)
            if "image" in str(fields.get("type")):
                pieces.append("[image]")
            else:
                text = fields.get("text")
                pieces.append(text if isinstance(text, str) else "")
    return "\n\n".join(piece for piece in pieces if piece)


class Counter:
    """Counts texts and messages; a message's count is cached by its id and content."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._texts: dict[str, int] = {}  # by text: system prompts, summaries, questions
        self._messages: dict[str, tuple[Message, str, int]] = {}

    @property
    def exact(self) -> bool:
        """Whether the counts are the tokenizer's own."""
        return self._tokenizer.exact

    @property
    def tokenizer(self) -> Tokenizer:
        """The port behind the counter (the summariser's lexicon)."""
        return self._tokenizer

    def use(self, tokenizer: Tokenizer) -> None:
        """Change the tokenizer (the exact one has loaded); forgets what the old one counted."""
        self._tokenizer = tokenizer
        self._texts.clear()
        self._messages.clear()

    def text(self, text: str) -> int:
        """Tokens of a text."""
        return self.texts((text,))[0]

    def content(self, content: object) -> int:
        """Tokens of a message's content as APIs have it (see ``content_text``)."""
        return self.text(content_text(content))

    def texts(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, counted in one call where they are not known yet."""
        fresh = [text for text in dict.fromkeys(texts) if text and text not in self._texts]
        if fresh:
            if len(self._texts) > 4096:
                self._texts.clear()
                fresh = [text for text in dict.fromkeys(texts) if text]
            for text, count in zip(fresh, self._tokenizer.count_many(fresh), strict=True):
                self._texts[text] = int(count)
        return [self._texts[text] if text else 0 for text in texts]

    def messages(self, messages: Sequence[Message]) -> list[tuple[str, int]]:
        """Content digest and tokens of each message as sent, its overhead included."""
        fresh: list[Message] = []
        for message in messages:
            known = self._messages.get(message.id)
            if known is None or (known[0] is not message and known[0] != message):
                fresh.append(message)
        if fresh:
            counts = self._tokenizer.count_many([sendable_text(m) for m in fresh])
            for message, count in zip(fresh, counts, strict=True):
                self._messages[message.id] = (
                    message,
                    digest(message),
                    int(count) + MESSAGE_OVERHEAD,
                )
        return [self._messages[m.id][1:] for m in messages]

    def message(self, message: Message) -> int:
        """Tokens of one message as sent, its overhead included."""
        return self.messages((message,))[0][1]
