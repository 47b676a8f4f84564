"""What a message scores, to the digit, and who is taken for its speaker.

The names of trees are the words here: each is its own stem and none is spelt like another.
"""

from __future__ import annotations

from math import log

import pytest

from app.memory.recall.index import Hit, RecallIndex


def index(*texts: str, name: str = "") -> RecallIndex:
    """Messages m0, m1… of one speaker."""
    made = RecallIndex()
    for number, text in enumerate(texts):
        made.add(f"m{number}", text, name)
    return made


def scores(made: RecallIndex, query: str, **options: object) -> dict[str, float]:
    return {hit.id: hit.score for hit in made.search(query, **options)}  # type: ignore[arg-type]


def bm25(weight: float, count: float, length: int, average: float) -> float:
    """The published formula, with k1 = 0.9 and b = 0.3."""
    return weight * count * 1.9 / (count + 0.9 * (0.7 + 0.3 * length / average))


FOUR = ("alder birch", "cedar", "hazel", "larch")


def test_a_rare_word_weighs_more() -> None:
    made = index("alder birch", "alder", "alder cedar")
    assert made.weight("birch") == pytest.approx(log(1 + 2.5 / 1.5))
    assert made.weight("alder") == pytest.approx(log(1 + 0.5 / 3.5))
    assert made.weight("walnut") == pytest.approx(log(1 + 3.5 / 0.5))


def test_a_message_scores_by_bm25_and_lends_to_two_neighbours_on_each_side() -> None:
    best = bm25(log(1 + 3.5 / 1.5), 1, 2, 5 / 4)
    assert best == pytest.approx(1.10938, abs=1e-5)
    found = index(*FOUR).search("alder")
    assert [hit.id for hit in found] == ["m0", "m1", "m2"]
    assert [hit.score for hit in found] == pytest.approx([best, 0.3 * best, 0.15 * best])
    best = bm25(log(1 + 3.5 / 1.5), 1, 1, 5 / 4)
    assert scores(index(*FOUR), "hazel") == pytest.approx(
        {"m2": best, "m1": 0.3 * best, "m3": 0.3 * best, "m0": 0.15 * best}
    )


def test_a_word_said_twice_counts_more_but_not_double() -> None:
    made = index("alder alder", *FOUR[1:])
    assert scores(made, "alder")["m0"] == pytest.approx(bm25(log(1 + 3.5 / 1.5), 2, 2, 5 / 4))


def test_what_several_words_give_and_what_neighbours_lend_is_added() -> None:
    made = index(*FOUR)
    alder, cedar = (scores(made, word) for word in ("alder", "cedar"))
    both = scores(made, "alder and cedar")
    assert both == pytest.approx(
        {"m0": alder["m0"] + cedar["m0"], "m1": alder["m1"] + cedar["m1"]}
        | {"m2": alder["m2"] + cedar["m2"], "m3": cedar["m3"]}
    )


def test_messages_without_words_count_as_one_word_long_on_average() -> None:
    made = index("alder", "it was", "and so")
    assert scores(made, "alder")["m0"] == pytest.approx(bm25(log(1 + 2.5 / 1.5), 1, 1, 1.0))


def test_the_answer_to_a_question_gets_half_of_its_score() -> None:
    for asked in ("alder?", "alder？", "alder? [photo: a tree] look"):
        made = index("cedar", asked, "hazel", "larch")
        found = scores(made, "alder")
        assert made.asks("m1") and not made.asks("m2")
        assert found["m2"] == pytest.approx(0.5 * found["m1"])
        assert found["m0"] == pytest.approx(0.3 * found["m1"])
        assert found["m3"] == pytest.approx(0.15 * found["m1"])


def test_a_removed_message_neither_scores_nor_counts_nor_gets_a_share() -> None:
    made = index("birch", *FOUR)
    made.add("m5", "alder", "Ada")
    made.remove("m0")
    made.remove("m5")
    made.remove("m5")
    assert len(made) == 4
    assert made.speakers() == frozenset()
    found = scores(made, "alder")
    assert set(found) == {"m1", "m2", "m3"}
    assert found["m1"] == pytest.approx(scores(index(*FOUR), "alder")["m0"])
    assert made.query("birch") == {"birch": 1.0}
    made.remove("m1")
    assert made.query("birch alder") == {}


def test_a_neighbour_that_says_nothing_gets_its_share() -> None:
    assert set(scores(index("it was", "alder"), "alder")) == {"m0", "m1"}


def test_a_day_counts_half_and_makes_no_message_longer() -> None:
    made = RecallIndex()
    made.add("m0", "alder", day="2023-05-08")
    for number, text in enumerate(FOUR[1:], 1):
        made.add(f"m{number}", text, day="2023-06-02")
    assert scores(made, "may")["m0"] == pytest.approx(bm25(log(1 + 3.5 / 1.5), 0.5, 1, 1.0))
    made = index("may alder", *FOUR[1:])
    made.add("m4", "larch may", day="8 May 2023")
    assert scores(made, "may")["m4"] == pytest.approx(bm25(log(1 + 3.5 / 2.5), 1.5, 2, 7 / 5))


def test_a_day_is_the_headers_else_the_given_one_else_that_of_the_message_before() -> None:
    made = RecallIndex()
    made.add("m0", "alder")
    made.add("m1", "[9:00 am on 8 May, 2023] alder", day="2023-06-02")
    made.add("m2", "alder")
    made.add("m3", "alder", day="2023-06-02")
    assert [made.day(f"m{i}") for i in range(4)] == ["", "8 May 2023", "8 May 2023", "2 June 2023"]


def test_an_id_that_is_there_is_left_alone() -> None:
    made = index(*FOUR)
    made.add("m1", "walnut")
    assert (len(made), made.position("m1"), made.position("m3")) == (4, 1, 3)
    assert made.search("walnut") == []
    assert "m1" in made and "m4" not in made


# Who said it.


def test_a_name_that_most_messages_of_a_role_begin_with_is_the_speakers() -> None:
    made = index("Ada: alder", "Ada: birch", "cedar", name="user")
    made.add("m3", "hazel", "assistant")
    assert [made.speaker(f"m{i}") for i in range(4)] == ["Ada", "Ada", "user", "assistant"]
    assert made.speakers() == {"ada", "user", "assistant"}
    assert made.body("m0", "Ada: alder") == "alder"
    assert made.body("m2", "[8 May 2023] cedar") == "cedar"


@pytest.mark.parametrize(
    "texts",
    [
        ("Ada: alder",),  # once is not often
        ("Ada: alder", "Ada: birch", "cedar", "hazel"),  # half is not most
    ],
)
def test_a_name_that_is_not_on_most_messages_is_text(texts: tuple[str, ...]) -> None:
    made = index(*texts, name="user")
    assert made.speaker("m0") == "user"
    assert made.speakers() == {"user"}
    assert made.body("m0", "Ada: alder") == "Ada: alder"
    assert "ada" in made.query("Ada")


def test_with_the_messages_go_the_names_on_them() -> None:
    made = index("Ada: alder", "Ada: birch", "Ada: cedar", name="user")
    made.remove("m0")
    assert made.speaker("m1") == "Ada"
    made.remove("m1")
    assert made.speaker("m2") == "user"


def test_three_of_five_are_most() -> None:
    made = index("Ada: alder", "Ada: birch", "Ada: cedar", "hazel", "larch", name="user")
    assert made.speaker("m0") == "Ada"


def test_a_speakers_name_is_no_word_to_look_for() -> None:
    made = index("alder asks ada", name="Ada")
    assert made.query("Ada alder", ["Ada asks"]) == pytest.approx({"alder": 1.0, "ask": 0.8})


def test_who_is_called_by_name_scores_a_third_more() -> None:
    def made(second: str) -> RecallIndex:
        index = RecallIndex()
        index.add("m0", "alder", "Ada Novak")
        index.add("m1", "cedar", second)
        return index

    plain = scores(made("Bo"), "alder")
    for query in ("Ada alder", "Ada's alder", "NOVAK alder"):
        found = scores(made("Bo"), query)
        assert found["m0"] == pytest.approx(1.35 * plain["m0"])
        assert found["m1"] == pytest.approx(plain["m1"])
    assert scores(made("Novak"), "Novak alder")["m1"] == pytest.approx(1.35 * plain["m1"])


# What is looked for.


def test_a_misspelt_word_stands_for_the_nearest_one_with_less_weight() -> None:
    made = index("walnuts chestnut harbour")
    assert made.query("chestnut") == {"chestnut": 1.0}
    assert made.query("chestnat") == {"chestnut": 0.7}
    assert made.query("chestnat chestnut") == {"chestnut": 1.0}


@pytest.mark.parametrize(
    ("word", "known", "near"),
    [
        ("harbor", "harbour", True),  # 4 pairs of 5 and of 6: 8/11
        ("abcf", "abcfd", False),  # four letters are too few
        ("abcfd", "abcf", True),  # 3 pairs of 4 and of 3: 6/7; four letters to be found are enough
        ("abcdf", "abc", False),
        ("abcdefg", "abcdefghk", True),  # two letters more
        ("abcdefgh", "abcdefghklm", False),  # three
        ("abcdefghklm", "abcdefgh", False),
        ("abcdef1", "abcdef2", False),  # numbers are never misspelt
        ("xarbor", "harbour", False),  # another first letter
        ("abcxyz", "abcxklz", False),  # 3 pairs of 5 and of 6: 6/11
        ("abcdxf", "abcdzf", False),  # 3 pairs of 5 and of 5: 0.6
        ("abcdefg", "abcdexk", True),  # 4 pairs of 6 and of 6: 2/3
    ],
)
def test_nearest_is_what_shares_two_thirds_of_the_letter_pairs(
    word: str, known: str, near: bool
) -> None:
    found = index(known).query(word)
    assert found == ({known: 0.7} if near else {})


def test_the_nearest_of_several_is_taken() -> None:
    assert index("harborxk harborx").query("harborz") == {"harborx": 0.7}
    assert index("harborx harbork").query("harborz") == {"harborx": 0.7}


def test_the_last_turns_count_less_the_further_back_they_are() -> None:
    made = index("alder", "birch", "cedar")
    # A question that says nothing leans on them; a repeated word keeps the nearer turn's weight.
    assert made.query("and then?", ["alder birch", "birch", "cedar"]) == pytest.approx(
        {"cedar": 0.8, "birch": 0.4, "alder": 0.8 / 3}
    )
    assert made.query("cedar", ["cedar walnut"]) == {"cedar": 1.0}


def test_a_question_that_says_enough_hardly_leans_on_the_last_turns() -> None:
    # One of 36 messages: log(1 + 35.5 / 1.5) = 3.2 for each word.
    made = index("alder birch", "cedar", *["hazel"] * 34)
    assert made.query("alder", ["cedar"])["cedar"] == 0.8
    assert made.query("alder birch", ["cedar"])["cedar"] == 0.1


def test_the_question_says_enough_from_a_weight_of_four() -> None:
    def share(others: int) -> float:
        return index("alder", *["cedar"] * others).query("alder", ["cedar"])["cedar"]

    # log(1 + 80.5 / 1.5) = 4.001 with 81 messages, log(1 + 79.5 / 1.5) = 3.989 with 80
    assert (share(79), share(80)) == (0.8, 0.1)


# How many.


def test_so_many_hits_and_only_of_those_that_are_allowed() -> None:
    made = index(*["alder cedar"] * 25)
    assert len(made.search("alder")) == 20
    assert len(made.search("alder", limit=2)) == 2
    found = made.search("alder", allowed=lambda id: id in {"m3", "m24"}, limit=5)
    assert {hit.id for hit in found} == {"m3", "m24"}
    assert RecallIndex().search("alder") == []


def test_of_equal_scores_the_later_comes_first() -> None:
    made = index("alder", "cedar", "alder")
    assert [hit.id for hit in made.search("alder")] == ["m2", "m0", "m1"]
    assert isinstance(made.search("alder")[0], Hit)


@pytest.mark.parametrize(("limit", "most"), [(1, 200), (50, 200), (51, 204)])
def test_the_best_two_hundred_are_looked_at_or_four_for_each_hit(limit: int, most: int) -> None:
    made = index("alder", "it", "it", "alder", "it", "it", *["alder"] * (most - 1))
    for id, seen in (("m3", True), ("m0", False)):
        assert bool(made.search("alder", allowed=lambda i, id=id: i == id, limit=limit)) is seen  # type: ignore[misc]
