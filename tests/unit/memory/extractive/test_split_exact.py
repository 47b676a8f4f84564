"""Where a message is cut into units, at both sides of each bound."""

from __future__ import annotations

import pytest

from app.memory.extractive.split import Unit, is_code, trim, units

ADA = frozenset(["ada"])


def texts(message: str, names: frozenset[str] = frozenset()) -> list[str]:
    return [unit.text for unit in units(message, names)]


OF_200, OF_70, C = "a" * 199 + ",", "b" * 69 + ",", "c" * 150


def words(count: int, word: str = "ab") -> str:
    return " ".join([word] * count)


# Blocks: what stands on a line of its own, and what is joined to the line before.


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        # A wrapped line goes on in lower case; one that begins a sentence does not.
        ("We met in the\nold town hall.", ["We met in the old town hall."]),
        ("I know.\nWe met in the\nold town hall.", ["I know.", "We met in the old town hall."]),
        ("We met in the\nOld town hall.", ["We met in the", "Old town hall."]),
        ("We met there.\nand then we left.", ["We met there.", "and then we left."]),
        ("We met there\n\nand then we left.", ["We met there and then we left."]),
        ("A heading:\nthe text below it.", ["A heading:", "the text below it."]),
        ("# A heading\nSome text.", ["A heading", "Some text."]),
        ("> quoted by me", ["quoted by me"]),
        ("Above\n-----\n=====\nBelow", ["Above", "Below"]),
        ("| Crop | Bed |\n|------|-----|\n| Kale | 4 |", ["Crop | Bed", "Kale | 4"]),
        # Only a row that is closed at both ends is one of a table.
        ("| Crop", ["| Crop"]),
        ("Crop |", ["Crop |"]),
        ("| Crop | Bed |\nbelow it", ["Crop | Bed below it"]),
    ],
)
def test_lines_are_joined_only_where_one_goes_on(message: str, expected: list[str]) -> None:
    assert texts(message) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("- apricots", ["apricots"]),
        ("- apricots\n* mustard\n3. almonds\nd) oats", ["apricots; mustard; almonds; oats"]),
        ("To buy:\n- apricots\n- mustard", ["To buy: apricots; mustard"]),
        ("Hello.\n\nTo buy:\n- apricots", ["To buy: apricots"]),
        ("买：\n- 苹果", ["买： 苹果"]),
        ("We need:\nFood.\n- apricots\n- mustard", ["We need:", "Food.", "apricots; mustard"]),
        ("To buy\n- apricots", ["To buy", "apricots"]),
        ("- apricots\n\n- mustard", ["apricots; mustard"]),
        ("- apricots\n---\n- mustard", ["apricots", "mustard"]),
        ("- apricots\nThe end.\n- mustard", ["apricots", "The end.", "mustard"]),
        # A line behind a list is no part of its last item, even in lower case.
        ("- apricots\nthe end\n- mustard", ["apricots", "the end", "mustard"]),
        ("- apricots\n| a | b |\n- mustard", ["apricots", "a | b", "mustard"]),
        ("- apricots\n```\nabcd\n```\n- mustard", ["apricots", "abcd", "mustard"]),
        # An item that is only a courtesy says nothing.
        ("- Thanks!", []),
    ],
)
def test_items_of_a_list_stay_together(message: str, expected: list[str]) -> None:
    assert texts(message) == expected


def test_an_item_is_joined_while_the_two_have_under_160_characters() -> None:
    first = "a" * 79
    assert texts(f"- {first}\n- {'b' * 79}") == [f"{first}; {'b' * 79}"]
    assert texts(f"- {first}\n- {'b' * 80}") == [first, "b" * 80]


def test_an_item_is_joined_to_a_lead_in_of_under_120_characters() -> None:
    short, long = "a" * 118 + ":", "a" * 119 + ":"
    assert texts(f"{short}\n- {'b' * 50}") == [f"{short} {'b' * 50}"]
    assert texts(f"{long}\n- {'b' * 50}") == [long, "b" * 50]


def test_a_long_item_below_an_item_that_leads_in_is_clean_text() -> None:
    assert texts(f"- Fruit:\n- {'b' * 170}") == [f"Fruit: {'b' * 170}"]


def test_a_list_is_not_cut_at_its_semicolons() -> None:
    item = "we plant kale in the first bed; we plant oats in the second one"
    assert units(f"- {item}") == (Unit(item, "list"),)
    assert len(units(item)) == 2


@pytest.mark.parametrize("fence", ["```", "~~~"])
def test_what_is_fenced_is_code_and_what_follows_is_not(fence: str) -> None:
    message = f"Look:\n{fence}python\nx  =  12\n{fence}\nand it works."
    assert units(message) == (
        Unit("Look:"),
        Unit("x = 12", "code"),
        Unit("and it works."),
    )


def test_a_code_line_of_three_characters_or_of_marks_alone_says_nothing() -> None:
    assert texts("```\nend\nelse\n------\n\n```") == ["else"]


def test_code_is_not_joined_or_taken_for_a_list() -> None:
    assert texts("```\n- item one\nlower case\n| a | b |\n```") == [
        "- item one",
        "lower case",
        "| a | b |",
    ]


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("[photo: a photo of a red goat]", "[photo: a red goat]"),
        ("[Image]", "[image]"),
        ("[file: plan.pdf]", "[file: plan.pdf]"),
    ],
)
def test_a_photo_is_a_unit_of_its_own(message: str, shown: str) -> None:
    assert units(f"Here it is {message} as you asked.") == (
        Unit("Here it is"),
        Unit(shown, "photo"),
        Unit("as you asked."),
    )


def test_the_text_between_two_photos_is_said_once() -> None:
    assert texts("Here [image] and there [image] it stands.") == [
        *("Here", "[image]", "and there", "[image]", "it stands."),
    ]


def test_of_a_huge_message_head_and_end_are_looked_at() -> None:
    head, end = " " * 19_998 + "ab", "cd" + " " * 19_998
    assert texts(head + end) == ["abcd"]
    assert texts(head + "x" + end) == ["ab cd"]


# Sentences and clauses.


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("I came. I saw.", ["I came.", "I saw."]),
        ("Am 4. Mai habe ich frei. Sonst nie.", ["Am 4. Mai habe ich frei.", "Sonst nie."]),
        ("Das war im 19. Jahrhundert.", ["Das war im 19. Jahrhundert."]),
        ("Můj bratr má 9. června narozeniny.", ["Můj bratr má 9. června narozeniny."]),
        ("Přijel 5. Říjen byl teplý.", ["Přijel 5. Říjen byl teplý."]),  # may be a date
        ("Он приехал 5. мая. Потом уехал.", ["Он приехал 5. мая.", "Потом уехал."]),
        ("We scored 3. Then we left.", ["We scored 3.", "Then we left."]),
        ("I am 35. I am tall.", ["I am 35.", "I am tall."]),
        ("Es la Dra. Vega. Ve a Prof. Ruiz.", ["Es la Dra. Vega.", "Ve a Prof. Ruiz."]),
        ("Ask Dr. Novak. He said J. Smith knows.", ["Ask Dr. Novak.", "He said J. Smith knows."]),
        ("It is open e.g. Mondays.", ["It is open e.g. Mondays."]),
        ("It costs 3.50 today! Really? yes.", ["It costs 3.50 today!", "Really? yes."]),
        ("会議は三時です。場所は図書館です。", ["会議は三時です。", "場所は図書館です。"]),
        ("Ada! I keep hens.", ["I keep hens."]),
        ("I keep hens. Ada?", ["I keep hens."]),
        ("I keep hens. Bo?", ["I keep hens.", "Bo?"]),
    ],
)  # fmt: skip
def test_sentences_stand_alone_and_a_bare_call_is_dropped(
    message: str, expected: list[str]
) -> None:
    assert texts(message, ADA) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        # Eight words stay whole; of nine each side keeps enough to say something.
        ("We like our garden; hens like it.", 1),
        ("We like our garden; hens like it very much.", 2),
        ("We like our big garden; hens like it.", 1),
        ("We like our own big garden; hens like it.", 2),
        # The first part has at least four words, the rest at least three.
        ("We like hens; they live in our big garden.", 1),
        ("We two like hens; they live in our big garden.", 2),
        ("We like our own very big garden; hens too.", 1),
        ("We like our own very big garden; hens do too.", 2),
    ],
)
def test_a_clause_is_cut_off_only_from_a_long_sentence(message: str, expected: int) -> None:
    assert len(units(message)) == expected


def test_what_stood_between_two_clauses_is_kept() -> None:
    one, two, three = units("We like our garden a lot; my hens like it too, and it goes on well.")
    assert (one.text, one.glue, one.hangs) == ("We like our garden a lot", "", False)
    assert (two.text, two.glue, two.hangs) == ("my hens like it too", "; ", False)
    assert (three.text, three.glue, three.hangs) == ("and it goes on well.", ", ", False)


@pytest.mark.parametrize(
    "message",
    [
        # What a condition, a reason or a limit says is said of the rest, too.
        "If we like our old garden; then hens like it very much.",
        "We pack these things: the red tent and ropes; the big lamp and oil.",
        "We like our garden (it is big; hens like it very much).",
        'She said "we like our garden; hens like it very much".',
        "I like the garden a lot, which is not what she likes.",
        "I like the garden a lot, which cost me 300 euros then.",
        "I will come when you like, just as we did then.",
    ],
)
def test_no_cut_changes_what_is_said(message: str) -> None:
    assert texts(message) == [message]


def test_a_part_that_hangs_is_left_off_only_from_the_part_before() -> None:
    assert units("I like the garden a lot, which makes me happy each day") == (
        Unit("I like the garden a lot"),
        Unit("which makes me happy each day", "prose", ", ", True),
    )
    assert texts('We said "yes" to our plan; hens like it very much.') == [
        'We said "yes" to our plan',
        "hens like it very much.",
    ]
    # A colon or an odd bracket behind the cut is no reason against it.
    assert texts("We like our garden a lot; this is why: hens (and bees).") == [
        "We like our garden a lot",
        "this is why: hens (and bees).",
    ]


# Long pieces.


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (words(46), [words(46)]),
        (words(47), [words(46), "ab"]),
        # Cut at commas: as many parts as have under 35 words.
        (", ".join([words(5)] * 10), [", ".join([words(5)] * 6) + ",", ", ".join([words(5)] * 4)]),
        (f"{words(32)}, ab, {words(12)}", [f"{words(32)}, ab, {words(12)}"]),
        (f"{words(33)}, ab, {words(13)}", [f"{words(33)}, ab,", words(13)]),
        (f"{words(34)}, ab, {words(12)}", [f"{words(34)},", f"ab, {words(12)}"]),
        # A text without a space: 360 characters are a piece, more are cut at 180.
        ("a" * 360, ["a" * 360]),
        ("a" * 361, ["a" * 180, "a" * 181]),
        ("a" * 359 + ",bbbbb", ["a" * 359 + ",", "bbbbb"]),
        ("a" * 360 + ",bbbbb", ["a" * 180, "a" * 180 + ",bbbbb"]),
        # Parts are joined up to 270 characters.
        (f"{OF_200}{OF_70}{C}", [f"{OF_200}{OF_70}", C]),
        (f"{OF_200}b{OF_70}{C}", [OF_200, f"b{OF_70}{C}"]),
        (f"{OF_200}{'b' * 160}", [f"{OF_200}{'b' * 160}"]),
        # A space within the first 225 characters is a better place than the 180th.
        ("a" * 224 + " " + "b" * 200, ["a" * 224, "b" * 200]),
        ("a" * 225 + " " + "b" * 200, ["a" * 180, "a" * 45 + " " + "b" * 200]),
        ("a " + "b" * 400, ["a", "b" * 180, "b" * 220]),
        ("," * 400, ["," * 180, "," * 220]),
    ],
)  # fmt: skip
def test_what_is_too_long_is_cut_at_commas_then_anywhere(message: str, expected: list[str]) -> None:
    assert texts(message) == expected
    assert texts(f"```\n{message}\n```") == expected or message.startswith(",")


def test_the_pieces_of_a_sentence_are_glued_by_a_space() -> None:
    assert [unit.glue for unit in units(words(47))] == ["", " "]
    assert [unit.hangs for unit in units(words(47))] == [False, False]


# Code without a fence.


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("f(x)", False),
        ("f(x)[0", True),
        ("x = (1", True),
        ("a <b> c", False),
        ("x = 1", False),
        ("f(x)[0].", False),
        ("f(x)[0]!", False),
        ("f(x)[0]?", False),
        ("f(x)[0]。", False),
    ],
)
def test_three_marks_make_code_or_two_with_a_sign_of_equality(line: str, expected: bool) -> None:
    assert is_code(line) is expected
    assert units(line)[0].kind == ("code" if expected else "prose")


# Filler at the edges.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Oh, thanks a lot! I keep hens.", "I keep hens."),
        ("No, I keep hens.", "No, I keep hens."),
        ("Ada, I keep hens.", "I keep hens."),
        ("hey Ada, I keep hens.", "I keep hens."),
        ("Bo, I keep hens.", "Bo, I keep hens."),
        ("I keep three hens, lol", "I keep three hens."),
        ("I keep three hens! lol", "I keep three hens!"),
        (f"I keep {words(12)}, lol", f"I keep {words(12)}."),
        ("I keep three hens \U0001f600\U0001f600", "I keep three hens."),
        # What is left must have more than twelve characters.
        ("My hens sleep, lol", "My hens sleep."),
        ("My hens eat., lol", "My hens eat., lol"),
        ("My hens sing, lol", "My hens sing, lol"),
        ("lol", "lol"),
        ("", ""),
        # Three rounds are made: a fourth call is what the speaker says.
        ("Ada, wow, Ada, wow, Ada, I keep hens.", "I keep hens."),
        ("Ada, wow, Ada, wow, Ada, wow, Ada, I keep hens.", "wow, Ada, I keep hens."),
    ],
)
def test_filler_at_the_edges_is_left_out(text: str, expected: str) -> None:
    assert trim(text, ADA) == expected


@pytest.mark.parametrize(
    "whole",
    [
        # A phrase that waits for its subject is no clause, with what stands before it or not.
        "In my free time at home, I read long novels about the sea.",
        "And with all of this noise, we sleep in the old barn now.",
        "On the road to the sea, it rained on all of the tents.",
        "Speaking of new things here, I went to a choir in town.",
        # Neither is one that a day in brackets has made long.
        "Last Friday (23 June 2023), I went to a workshop on the sea.",
        # A list is not cut before its last.
        "We usually watch old movies, hike, and have game nights at my place.",
        "I looked into local politics, talking to leaders, and getting to know the streets.",
        "Whenever I hear this old song, I think about the paths that I took.",
    ],
)
def test_what_does_not_stand_alone_is_not_cut_off(whole: str) -> None:
    assert texts(whole) == [whole]


@pytest.mark.parametrize(
    ("whole", "parts"),
    [
        (
            "We all made our own pots, it was fun and calming for us.",
            ["We all made our own pots", "it was fun and calming for us."],
        ),
        (
            "I went up to the mountains, and slept in the old hut there.",
            ["I went up to the mountains", "and slept in the old hut there."],
        ),
        (
            "The tent is on the hill, on which it rained all of the week.",
            ["The tent is on the hill, on which it rained all of the week."],
        ),
    ],
)
def test_what_stands_alone_may_be_cut_off(whole: str, parts: list[str]) -> None:
    assert texts(whole) == parts


@pytest.mark.parametrize("call", ["Hey Ada, ", "hey Ada, ", "Hi Ada! ", "Thanks, Ada, ", "Ada, "])
def test_a_greeting_of_a_speaker_is_left_out(call: str) -> None:
    ada = frozenset(["ada"])
    assert [u.text for u in units(call + "The pots are in the shed.", ada)] == [
        "The pots are in the shed."
    ]
    assert next(u.text for u in units("Hey Bob, the pots are in it.", ada)).startswith("Hey Bob")


@pytest.mark.parametrize(
    "sentence",
    [
        "We ship on Monday, as long as the tests pass on all the machines.",
        "She said the wedding is in June, which is false as we later learned.",
        "The feature is enabled for everyone, with the EU excluded for legal reasons.",
        "All endpoints need a token, with the health check being exempt from this rule.",
        "The budget covers flights and hotels, with the exception of Berlin which is paid for.",
        "I can eat cheese, yoghurt and kefir, just cream is a problem for me.",
        "I was vegetarian all my life, which changed after the operation last year.",
        "The backup runs every night – failing silently since the disk is full.",
        "I promised to stop smoking and I started again in the spring of last year.",
        "The shop on the corner sells fresh bread and it lacks any kind of milk.",
        "Should we use Kafka for events and we keep Redis for the cache only?",
        "Jo, that is my wife, is allergic to nuts.",
    ],
)
def test_what_limits_or_takes_back_a_statement_stays_with_it(sentence: str) -> None:
    assert [unit.text for unit in units(sentence)] == [sentence]
