"""What a newer statement is to an older one: another matter, maybe newer, or in its place."""

from __future__ import annotations

import pytest

from app.memory.recall import RecallIndex, ages, passages
from app.memory.recall.rivals import _beside, _is_terse, rivals
from app.memory.recall.statements import Said, facts
from tests.support.words import WordTokenizer

WORDS = WordTokenizer()


def said(text: str) -> Said:
    """What somebody said, of which nothing is asked."""
    return Said(text, "User", frozenset(), facts(text))


# The question, the older and the newer statement of one speaker.
SURE = [
    ("房租是多少？", "房租是每月900元。", "房租涨到每月950元。"),
    ("What is my gym?", "My gym is crowded now.", "My gym is noisy now."),
    ("Am I vegetarian?", "I am vegetarian.", "I am not vegetarian any more."),
    ("Who is my boss?", "My boss is Anna.", "My boss is Will now."),
]
PERHAPS = [
    ("私はどこに住んでいますか？", "私は今は京都に住んでいます。", "私は東京に住んでいます。"),
    ("Tabs or spaces?", "Use tabs.", "Use spaces instead."),
    ("Wer ist mein Chef?", "Mein Chef hat Pläne verschoben.", "Mein Chef hat jetzt viel Arbeit."),
    ("When is the exam?", "The exam is in hall 7 now.", "The exam is on 3 June."),
    (
        "Where was my mother born?",
        "My mother was born in Graz.",
        "My mother moved to Linz when she was ten.",
    ),
    ("Where do I live?", "I moved to Brno.", "The concert was moved to 7 July."),
    ("我的医生是谁？", "我的医生是王大夫。", "我的医生现在很忙。"),
    (
        "Who is my tutor?",
        "FYI, my tutor is ill now.",
        "My tutor raised her prices to 30 euros an hour.",
    ),
]
NEVER = [
    ("Where do I live?", "I live in Prague.", "My brother lives in Brno now."),
    ("Where do I live?", "Ana lives in Spain.", "I live in Prague."),
    (
        "Which database do I use for the shop project?",
        "I use Postgres for the shop project.",
        "I switched to SQLite for the blog project.",
    ),
    (
        "What is the rent of our flat in Brno?",
        "The rent is 950 euros now.",
        "The rent of our flat in Brno is 900 euros.",
    ),
    ("What do I drink?", "I drink oat milk.", "I switched my coffee machine to a Jura."),
    ("When is the meeting?", "The meeting is at 9.", "The meeting is on Friday, not Monday."),
]


@pytest.mark.parametrize(
    ("told", "want"),
    [
        *((told, [(0, 1, True)]) for told in SURE),
        *((told, [(0, 1, False)]) for told in PERHAPS),
        *((told, []) for told in NEVER),
    ],
)
def test_what_a_newer_statement_is_to_an_older_one(
    told: tuple[str, str, str], want: list[tuple[int, int, bool]], monkeypatch: pytest.MonkeyPatch
) -> None:
    question, *lines = told
    found: list[list[tuple[int, int, bool]]] = []

    def judged(*args: object) -> list[tuple[int, int, bool]]:
        found.append(rivals(*args))  # type: ignore[arg-type]
        return found[-1]

    monkeypatch.setattr(ages, "rivals", judged)
    index = RecallIndex()
    texts = {f"m{n}": ("User", text, "") for n, text in enumerate(lines)}
    for id, (speaker, text, _) in texts.items():
        index.add(id, text, speaker)
    passages(index, texts, question, (), 300, WORDS)
    assert found == [want]


def test_only_a_question_about_a_person_spares_one_who_is_somewhere() -> None:
    texts = ["My tutor is Dana.", "My tutor is in Spain now."]
    given = texts, ["User"] * 2, [frozenset(["tutor"])] * 2, [True] * 2
    assert rivals(*given) == [(0, 1, True)]
    assert rivals(*given, {}, True) == [(0, 1, False)]


def test_each_text_has_a_speaker_and_its_terms() -> None:
    with pytest.raises(ValueError, match="zip"):
        rivals(["The port is 80."], [], [frozenset()], [True])
    with pytest.raises(ValueError, match="zip"):
        rivals(["The port is 80."], ["User"], [], [True])


@pytest.mark.parametrize("asked", [("port", ""), ("", "port"), ("", "")])
def test_what_replaces_another_does_so_whatever_is_asked(asked: tuple[str, str]) -> None:
    texts = ["Our office is in Prague.", "Our office moved from Prague to Brno."]
    terms = [frozenset([term] if term else []) for term in asked]
    assert rivals(texts, ["User"] * 2, terms, [True] * 2) == [(0, 1, False)]


def test_a_newer_value_may_come_with_one_word_of_its_own() -> None:
    old = said("The rent of our flat in Brno is 900 euros.")
    assert _is_terse(said("The rent is 950 euros now."), old)
    assert _is_terse(said("Landlord: the rent is 950 euros now."), old)
    assert not _is_terse(said("Landlord: the sauna rent is 950 euros now."), old)
    assert not _is_terse(said("The rent is 900 euros now."), old)
    assert not _is_terse(said("The rent is 950 euros."), old)
    # A name takes a name's place with no word of its own.
    boss = said("My boss at the shop is Anna.")
    assert _is_terse(said("My boss is Dana now."), boss)
    assert not _is_terse(said("My boss for tennis is Dana now."), boss)


def test_no_word_stands_beside_another_across_a_change() -> None:
    assert _beside("The lamp moved upstairs.", {}) == frozenset()
    assert _beside("The lamp moved upstairs.", {"move": "live"}) == {
        ("lamp", 1, "live"),
        ("live", -1, "lamp"),
        ("live", 1, "upstair"),
        ("upstair", -1, "live"),
    }


@pytest.mark.parametrize("between", ["the", "8080", "again", "Monday", "now"])
def test_what_tells_nothing_of_a_thing_stands_between_no_two_words(between: str) -> None:
    assert ("lamp", 1, "upstair") in _beside(f"Lamp {between} upstairs.", {})
