"""What became of an answer: "I sold the Skoda" is news for whoever asks what I drive."""

from __future__ import annotations

import pytest

from app.memory.recall import RecallIndex, passages
from app.memory.recall.ages import Ages
from app.memory.recall.endings import COMMON, given_up, is_answered_anew, things
from app.memory.recall.people import is_of_another
from app.memory.recall.pieces import Piece
from app.memory.recall.questions import is_about_what_is
from app.memory.recall.statements import Said, facts
from tests.support.words import WordTokenizer

WORDS = WordTokenizer()

FILLER = ("The weather was quite grey.", "I baked some bread.", "I watched a film about whales.")


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("I sold the Skoda and bought a Tesla.", {"skod"}),
        ("I traded in my Pixel for a Fairphone.", {"pixel", "fairphon"}),
        ("We left Siemens.", {"siem"}),
        ("We left Siemens at six.", set()),
        ("I left home.", set()),
        ("I returned the Pixel.", {"pixel"}),
        ("I returned to Prague.", set()),
        ("I stopped taking metformin because it made me sick.", {"metformin"}),
        ("I broke up with Anna; Petra is nice.", {"anna"}),
        ("We switched from Vim to Helix.", {"vim", "helix"}),
        ("Yesterday it rained, but I sold the blue old rusty Skoda.", {"blue", "old", "rust"}),
        ("I cancelled Monday.", set()),
        ("I did not sell it. I never sold the Skoda.", set()),
        ("I almost sold the Skoda.", set()),
        ("If I sold the Skoda, would I be sad?", set()),
        ("I haven't cancelled the Astoria.", set()),
        ("My brother sold his Skoda.", set()),
        ("Have you sold the Skoda?", set()),
        ("Ich habe den Golf verkauft und ein Rad gekauft.", {"golf"}),
        ("Ich habe den Golf nicht verkauft.", set()),
        ("Prodal jsem Octavia a koupil Teslu.", {"octavi"}),
        ("J'ai vendu la Clio.", {"clio"}),
        ("Vendí el Seat.", {"seat"}),
        ("我把丰田卖了。", {"丰田", "把丰", "我把"}),
        ("我卖了丰田。", {"丰田", "我"}),
        ("我没卖丰田。", set()),
        ("The Skoda is blue.", set()),
    ],
)
def test_what_somebody_gave_up(text: str, want: set[str]) -> None:
    found = given_up(text)
    if not want:
        assert found == frozenset()
    else:
        assert found and found <= want


def quoted(question: str, said: list[str], room: int) -> list[str]:
    """The texts that are quoted, without the speaker; filler stands between what was said."""
    index = RecallIndex()
    texts: dict[str, tuple[str, str, str]] = {}
    for line in [line for each in said for line in (each, *FILLER)]:
        id = f"m{len(texts)}"
        index.add(id, line, "User")
        texts[id] = ("User", line, "")
    found = passages(index, texts, question, (), room, WORDS)
    return [each.text.partition(": ")[2] for each in found]


# The question, and in time order what was said about it; the last is what is true now.
TOLD = [
    ("What do I drive?", ["I drive a Skoda.", "I sold the Skoda and bought a Tesla."]),
    ("What phone do I have?", ["My phone is a Pixel 6.", "I traded my Pixel for a Nokia."]),
    ("Where do I work?", ["I work at Siemens.", "I left Siemens and joined Bosch."]),
    ("Where do I work?", ["I work at Siemens.", "I quit Siemens in March."]),
    ("Which hotel did we choose?", ["Our hotel is the Astoria.", "We cancelled the Astoria."]),
    ("Which instrument do I play?", ["I play the violin.", "I gave up the violin."]),
    ("What is my medication?", ["My medication is metformin.", "I stopped taking metformin."]),
    ("Who is my girlfriend?", ["My girlfriend is Anna.", "I broke up with Anna."]),
    ("Was für ein Auto fahre ich?", ["Ich fahre einen Golf.", "Ich habe den Golf verkauft."]),
    ("Quelle voiture ai-je ?", ["J'ai une voiture, une Clio.", "J'ai vendu la Clio."]),
    ("Jaké mám auto?", ["Mám auto Octavia.", "Prodal jsem Octavia."]),
    ("¿Qué coche tengo?", ["Tengo un coche, un Seat.", "Vendí el Seat."]),
    (
        "What do I drive?",
        [
            "I drive a Skoda.",
            "I sold the Skoda and bought a Tesla.",
            "I sold the Tesla and got a bike.",
        ],
    ),
]


@pytest.mark.parametrize(("question", "said"), TOLD)
def test_what_became_of_an_answer_is_found_and_stands_last(question: str, said: list[str]) -> None:
    for room in (40, 100):
        assert quoted(question, said, room)[-1] == said[-1]


@pytest.mark.parametrize(("question", "said"), TOLD)
def test_with_little_room_it_stands_alone(question: str, said: list[str]) -> None:
    assert quoted(question, said, 12) == [said[-1]]


@pytest.mark.parametrize(
    ("question", "old", "later"),
    [
        ("What do I drive?", "I drive a Skoda.", "My brother sold his Skoda."),
        ("What do I drive?", "I drive a Skoda.", "I almost sold the Skoda."),
        ("What do I drive?", "I drive a Skoda.", "I never sold the Skoda."),
        ("What do I drive?", "I drive a Skoda.", "Should I have sold the Skoda?"),
        ("Where do I work?", "I work at Siemens.", "I left Siemens at six today."),
        ("Which instrument do I play?", "I play the violin.", "I left the violin at home."),
        ("Who services my car?", "Novak services my Skoda car.", "I sold the piano."),
        ("Welches Tier habe ich?", "Ich habe ein Tier, einen Hund.", "Ich habe den Golf verkauft."),
        ("Which garage repairs my Skoda?", "Garage Novak repairs my Skoda.", "I sold the keys."),
        ("How many kids do I have?", "I have two kids and a Skoda.", "I sold the Skoda."),
        ("Where did I live in 2019?", "In 2019 I lived in Prague.", "I moved from Prague to Brno."),
        ("What editor do I use?", "I use the Helix editor.", "My boss switched from Helix to Vi."),
    ],
)
def test_what_gives_up_nothing_takes_nobodys_place(question: str, old: str, later: str) -> None:
    for room in (12, 40, 100):
        assert quoted(question, [old, later], room)[-1] == old


def test_one_thing_of_several_is_no_sure_end() -> None:
    pets = said("I have pets, a dog called Rex and a cat called Tom.", "pet")
    assert is_answered_anew(pets, said("I gave away Rex.")) is False
    assert is_answered_anew(pets, said("I gave away Rex and Tom.")) is False  # one part, one thing
    assert is_answered_anew(pets, said("I gave away the horse.")) is None
    assert is_answered_anew(said("I play the violin.", "play"), said("I quit the violin.")) is True
    assert (
        is_answered_anew(said("I drink tea, cocoa, juice.", "drink"), said("I gave up tea."))
        is False
    )


def test_only_who_said_it_gives_it_up() -> None:
    old = said("I drive a Skoda.", "driv")
    assert is_answered_anew(old, said("I sold the Skoda.")) is True
    assert is_answered_anew(old, said("I sold the Skoda.", speaker="Ada")) is None


def test_what_was_given_up_before_is_no_answer() -> None:
    old = said("I sold the Skoda and bought a Tesla.")
    assert is_answered_anew(old, said("I sold the Tesla.")) is True
    assert is_answered_anew(old, said("I sold the Skoda.")) is None


def said(text: str, *asked: str, speaker: str = "User") -> Said:
    return Said(text, speaker, frozenset(asked), facts(text))


def test_things_are_what_is_not_asked_with() -> None:
    assert things(said("I drive a Skoda 120.", "driv")) == {"skod", "120"}


@pytest.mark.parametrize(
    ("question", "want"),
    [
        ("What do I drive?", True),
        ("Was für ein Auto fahre ich?", True),
        ("Which hotel did we choose?", True),
        ("Which hotel did we finally pick?", True),
        ("What did I drive?", False),
        ("What was my car?", False),
        ("How many cars do I have?", False),
        ("What did I use to drive before?", False),
        ("Kde jsem byla?", False),
        ("Which car did I drive last year?", False),
    ],
)
def test_whether_a_question_is_about_what_is(question: str, want: bool) -> None:
    assert is_about_what_is(question) is want


def test_who_a_statement_begins_with() -> None:
    assert is_of_another("My brother’s car is sold.")
    assert is_of_another("Brother sold it.")
    assert not is_of_another("I sold my brother's car.")
    assert not is_of_another("")


def searched(*lines: str, question: str = "What do I drive?") -> tuple[Ages, dict[str, str]]:
    index = RecallIndex()
    texts = {f"m{n}": line for n, line in enumerate(lines)}
    for id, line in texts.items():
        index.add(id, line, "User")
    wanted = index.query(question)
    words = {term: index.weight(term) for term in ("driv", "skod")}
    pieces = [Piece("m0", 0, lines[0], 1.0, 5, words, said=lines[0])]
    return Ages(index, pieces, wanted, question), texts


def test_news_are_looked_for_behind_the_answer() -> None:
    lines = ("I drive a Skoda.", "I sold the Skoda.", "The Skoda is blue.", "I sold the piano.")
    found, texts = searched(*lines)
    assert found.news(lambda id: texts[id]) == {"m1": "m0"}
    found, texts = searched(*lines, question="What did I drive?")
    assert found.news(lambda id: texts[id]) == {}


def test_a_thing_that_everybody_speaks_of_is_not_followed() -> None:
    lines = ("I drive a Skoda.", "I sold the Skoda.")
    found, texts = searched(*lines, *["The Skoda is blue."] * (COMMON - 2))
    assert found.news(lambda id: texts[id]) == {"m1": "m0"}
    found, texts = searched(*lines, *["The Skoda is blue."] * (COMMON - 1))
    assert found.news(lambda id: texts[id]) == {}


def test_messages_behind_another_with_a_word() -> None:
    index = RecallIndex()
    for n, text in enumerate(("red", "blue", "red", "red")):
        index.add(f"m{n}", text)
    assert index.later("red", "m0", 3) == ["m2", "m3"]
    assert index.later("red", "m2", 3) == ["m3"]
    assert index.later("red", "m0", 2) == []
    assert index.later("green", "m0", 9) == []
    index.remove("m2")
    assert index.later("red", "m0", 2) == ["m3"]


def test_what_may_not_be_recalled_is_not_followed() -> None:
    index = RecallIndex()
    texts = {"m0": ("User", "I drive a Skoda.", ""), "m1": ("User", "I sold the Skoda.", "")}
    for id, (speaker, text, _) in texts.items():
        index.add(id, text, speaker)
    found = passages(index, texts, "What do I drive?", (), 90, WORDS, lambda id: id == "m0")
    assert [each.id for each in found] == ["m0"]
    del texts["m1"]
    found = passages(index, texts, "What do I drive?", (), 90, WORDS)
    assert [each.id for each in found] == ["m0"]
