"""What is true now: quoted behind what was true before, and never left out for it."""

from __future__ import annotations

import pytest

from app.memory.recall import RecallIndex, passages
from app.memory.recall.rivals import rivals
from tests.support.words import WordTokenizer

WORDS = WordTokenizer()

FILLER = (
    "The weather was quite grey this week.",
    "I baked some bread with seeds.",
    "I watched a film about whales.",
    "The neighbours painted their fence green.",
)

# The question, and in time order what was said about it.
TOLD = [
    ("Which port do we use?", ["The port is 8080.", "The port is 9090 now."]),
    ("What is the wifi password?", ["The wifi password is tulip22.", "It is now wifi rose77."]),
    (
        "What is my favourite colour?",
        ["My favourite colour is blue.", "Favourite colour is green."],
    ),
    ("When is the deadline?", ["The deadline is 3 May.", "The deadline is 10 May."]),
    ("When is the deadline?", ["Deadline: 3 May.", "Deadline: 10 May.", "Deadline: 17 May."]),
    ("Am I vegetarian?", ["I am vegetarian.", "I am not vegetarian any more."]),
    ("Where do I live?", ["I live in Prague.", "I moved to Brno.", "I moved to Vienna."]),
    ("Where do I live?", ["I live in Prague.", "I live in Brno now.", "I live in Prague again."]),
    ("Which database do we use?", ["We use PostgreSQL.", "We switched our database to SQLite."]),
    ("Tabs or spaces?", ["Use tabs.", "Use spaces instead."]),
    ("Wie ist mein Passwort?", ["Mein Passwort ist tulpe.", "Mein Passwort ist jetzt rose."]),
    ("Jaký je rozpočet?", ["Rozpočet je 300 eur.", "Rozpočet je nově 500 eur."]),
    ("Какой бюджет?", ["Бюджет 300 евро.", "Бюджет теперь 500 евро."]),
    (
        "私はどこに住んでいますか？",
        [
            "私は東京に住んでいます。",
            "私は今は大阪に住んでいます。",
            "私は今は京都に住んでいます。",
        ],
    ),
]
UNSAID = [TOLD[2]]  # neither a word nor a number tells that the first is no longer true


def quoted(question: str, said: list[str], room: int, *, who: str = "User") -> list[str]:
    """The texts that are quoted, without the speaker; filler stands between what was said.

    ``who`` said each of them, or one name for each, parted by spaces.
    """
    index = RecallIndex()
    texts: dict[str, tuple[str, str, str]] = {}
    names = who.split() * len(said)
    for name, each in zip(names, said, strict=False):
        for speaker, line in ((name, each), *(("User", text) for text in FILLER)):
            id = f"m{len(texts)}"
            index.add(id, line, speaker)
            texts[id] = (speaker, line, "")
    found = passages(index, texts, question, (), room, WORDS)
    return [each.text.partition(": ")[2] for each in found]


@pytest.mark.parametrize(("question", "said"), TOLD)
def test_what_is_true_now_stands_last(question: str, said: list[str]) -> None:
    found = quoted(question, said, 300)
    assert [text for text in found if text in said] == said
    assert found[-1] == said[-1]


@pytest.mark.parametrize(("question", "said"), [told for told in TOLD if told not in UNSAID])
@pytest.mark.parametrize("room", range(8, 60, 4))
def test_no_room_is_too_small_for_what_is_true_now(
    question: str, said: list[str], room: int
) -> None:
    known = [text for text in quoted(question, said, room) if text in said]
    assert not known or known[-1] == said[-1]


def test_an_echo_of_an_old_value_is_old_too() -> None:
    said = [
        "The budget for the trip is 300 euros, is that enough?",
        "The budget for the trip, 300 euros, is enough for Lisbon.",
        "The budget for the trip is 500 euros now.",
    ]
    assert (
        quoted("What is the budget for the trip?", said, 300, who="User Bot User")[-1] == said[-1]
    )


def pairs(*texts: str, speakers: str = "", asked: str = "port") -> list[tuple[int, int, bool]]:
    who = list(speakers or "a" * len(texts))
    terms = [frozenset({asked} if asked in text.lower() else ()) for text in texts]
    return rivals(texts, who, terms)


def test_what_has_nothing_to_do_with_the_question_is_left_alone() -> None:
    assert pairs("The host is tulip.", "The host is rose now.") == []
    assert pairs("The port is tulip.", "The host is rose instead.") == []


def test_surely_replaced_is_what_one_speaker_says_of_a_change() -> None:
    assert pairs("The port is tulip.", "The port is rose now.") == [(0, 1, True)]
    assert pairs("The port is tulip.", "The port is tulip again.") == [(0, 1, True)]
    assert pairs("My port: 1.", "My port: 2.") == [(0, 1, True)]
    assert pairs("My big port is tulip.", "My big port is rose.") == [(0, 1, False)]


def test_two_speakers_differ_in_numbers_or_not_at_all() -> None:
    assert pairs("The port is tulip.", "The port is rose now.", speakers="ab") == []
    assert pairs("My port: 1.", "My port: 2.", speakers="ab") == [(0, 1, False)]
    assert pairs("The port is tulip.", "We moved the port.", speakers="ab") == []


def test_a_change_needs_no_other_word_in_common() -> None:
    assert pairs("Our port was Oslo by the sea.", "We moved port things inland.") == [(0, 1, True)]
    assert pairs("Our port was Oslo by the sea.", "A port lies there inland.") == []


def test_a_repetition_and_a_question_replace_nothing() -> None:
    assert pairs("The port is tulip.", "The port is tulip.") == []
    assert pairs("The port is tulip.", "Is the port rose now?") == []
    assert pairs("Is the port tulip?", "The port is rose now.") == []


def test_half_of_the_shorter_ones_words_is_not_enough() -> None:
    assert pairs("Port tulip.", "Port rose.") == []
    assert pairs("Port tulip red.", "Port tulip blue.") == [(0, 1, False)]
