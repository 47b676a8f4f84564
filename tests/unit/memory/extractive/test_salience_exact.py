"""What each kind of word weighs and what makes a unit more or less likely a fact.

The numbers were tuned on conversations with known questions: one that drifts changes summaries.
"""

from __future__ import annotations

from math import log

import pytest

from app.memory.extractive.salience import Rarity, features, plain_words, prior
from app.memory.extractive.split import Unit

NOBODY = frozenset[str]()
# Two words of several pieces, one at the bound of that, the plainest and one between.
RARITY = Rarity(
    ["rarest", "rare", "edge", "plain", "common", "goat"],
    [10**9, 400_000, 251_525, 800, 799, 2175],
)
GOAT = 0.35 + 0.2 * log(2175 / 800)


@pytest.mark.parametrize(
    ("word", "weight"),
    [
        ("common", 0.15),
        ("plain", 0.35),
        ("goat", GOAT),
        ("rare", 0.35 + 0.2 * log(500)),
        ("rarest", 2.0),
        ("unknown", 3.0),
    ],
)
def test_a_word_weighs_by_the_logarithm_of_its_rank_between_bounds(
    word: str, weight: float
) -> None:
    assert RARITY.of(word) == pytest.approx(weight)


def test_a_rank_is_asked_once_for_each_plain_word_with_content() -> None:
    texts = ["The goat and 7 hens, a.b@c.org", "図書館 https://a.io/x Goat Pip"]
    assert plain_words(texts) == ["goat", "hens", "a.b@c.org", "pip"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the goat", {"goat": GOAT}),
        ("Goat", {"goat": GOAT}),  # a capital at the head names nobody
        ("the Goat", {"goat": GOAT * 1.2 + 1.5}),
        ("7 Goat", {"7": 4.0, "goat": GOAT * 1.2 + 1.5}),
        ("図書 Goat", {"図書": 0.7, "goat": GOAT * 1.2 + 1.5}),
        ("gOat", {"goat": GOAT * 1.2 + 1.5}),
        ("goat_", {"goat_": 3.0 * 1.2 + 1.5}),
        # Of two forms the heavier counts.
        ("the Goat goat", {"goat": GOAT * 1.2 + 1.5}),
        ("the goat Goat", {"goat": GOAT * 1.2 + 1.5}),
        ("7 12 123 48213", {"7": 4.0, "12": 4.0, "123": 4.2, "48213": 4.2}),
        (f"{'1' * 23} {'2' * 24}", {"1" * 23: 4.2, "2" * 24: 1.0}),
        ("a.b@c.org and https://a.io/X", {"a.b@c.org": 4.5, "https://a.io/x": 4.5}),
        ("図書館です", {"図書": 0.7, "書館": 0.7, "館で": 0.7, "です": 0.1}),
        ("é of it", {}),
        ("Ada said", {}),
        ("common ada", {"common": 0.15}),
    ],
)
def test_features_are_what_a_text_tells(text: str, expected: dict[str, float]) -> None:
    names = frozenset(["ada"])
    assert features(text, RARITY, names) == pytest.approx(expected)


def test_where_most_words_are_in_pieces_they_weigh_little_over_half() -> None:
    rare = 0.35 + 0.2 * log(500)
    # Two words say nothing about the language, nor do two of four.
    assert features("rare rarest", RARITY, NOBODY) == pytest.approx({"rare": rare, "rarest": 2.0})
    assert features("rare rarest plain goat", RARITY, NOBODY)["rarest"] == 2.0
    found = features("rare rarest plain", RARITY, NOBODY)
    assert found == pytest.approx({"rare": rare * 0.55, "rarest": 1.1, "plain": 0.35 * 0.55})
    found = features("rare rarest plain 7", RARITY, NOBODY)
    assert found["7"] == 4.0  # a number is rare in every language


@pytest.mark.parametrize(("rank", "foreign"), [(251_524, True), (251_000, False)])
def test_a_word_of_one_and_a_half_is_one_in_pieces(rank: int, foreign: bool) -> None:
    rarity = Rarity(["edge", "rarest", "plain"], [rank, 10**9, 800])
    found = features("edge rarest plain", rarity, NOBODY)
    assert found["rarest"] == pytest.approx(1.1 if foreign else 2.0)


def test_in_code_numbers_and_ids_weigh_nearly_nothing() -> None:
    found = features("goat 48213 a1b2c3 a1b2c", RARITY, NOBODY, "code")
    assert found == pytest.approx({"goat": GOAT, "48213": 0.1, "a1b2c3": 0.1, "a1b2c": 3.0})
    assert features("a1b2c3", RARITY, NOBODY) == pytest.approx({"a1b2c3": 3.0})


@pytest.mark.parametrize(
    ("text", "factor"),
    [
        ("A goat sleeps there.", 1.0),
        ("A goat sleeps there?", 0.5),
        ("ヤギは寝ますか。", 0.5),
        ("A goat sleeps there!", 0.85),
        ("A goat sleeps there？", 0.5),
        ("Ein Haus brennt！", 0.85),
        # Decided, said of the other, polite.
        ("A goat must sleep there.", 1.3),
        ("Allergic to goats.", 1.3),
        ("締め切りは金曜日。", 1.3),
        ("Your goat sleeps there.", 0.65),
        ("Your goat must sleep there.", 1.3),  # what is decided is not only said of the other
        ("Sorry for the goat.", 0.6),
        ("ヤギをありがとう。", 0.6),
        # What only points back.
        ("It sleeps there.", 0.7),
        ("That’s the goat.", 0.7),
        ("It", 1.0),
        ("THESE sleep there.", 0.7),
        ("Itself a goat.", 1.0),
        # Of oneself, and told as done.
        ("My goat sleeps there.", 1.15),
        ("私は図書館へ", 1.15),
        ("A goat went there.", 1.25),
        ("A goat jumped there.", 1.25),
        ("A breed.", 1.25),
        ("A seed.", 1.0),
        ("A goat sleeps edgy.", 1.0),
        # About nothing in particular: English, no name, no number, nothing known, five words.
        ("A goat is very useful.", 0.6),
        ("A goat is useful.", 1.0),  # so short is how facts are noted
        ("Goats are useful and calm.", 0.6),
        ("Goats often calm other people.", 1.0),  # no word shows that it is English
        ("Ziegen sind nützlich and calm.", 1.0),
        ("A goat often eats 3 apples.", 1.0),
        ("A goat often eats `hay`.", 1.0),
        ("A goat is out with Ada.", 1.0),
        ("A goat has an e_mail box.", 1.0),
        ('A goat often sings "Hay".', 1.0),
        ("The goat is very useful.", 1.0),
        ("He is a useful goat.", 1.0),
        ("Their goat is very useful.", 1.0),
        ("Theirs is a useful goat.", 0.6),
        ("Sorry for a goat like that.", 0.6 * 0.6),
        ("It sleeps in a barn there.", 0.7 * 0.6),
        ("A goat is what I want.", 1.15),
        ("A goat is what jumped there.", 1.25),
        ("A goat is a deadline now.", 1.3),
        # Factors are multiplied.
        ("I must sell my goat!", 0.85 * 1.3 * 1.15),
        ("Thanks, I jumped!", 0.85 * 0.6 * 1.15 * 1.25),
    ],
)
def test_how_likely_a_unit_is_a_fact(text: str, factor: float) -> None:
    assert prior(Unit(text), "user") == pytest.approx(factor)
    assert prior(Unit(text), "user", answers=True) == pytest.approx(1.3 * factor)


@pytest.mark.parametrize(("kind", "factor"), [("code", 0.6), ("photo", 0.8)])
def test_code_and_photos_have_a_factor_of_their_own(kind: str, factor: float) -> None:
    text = "I must swim."
    assert prior(Unit(text, kind), "user") == factor
