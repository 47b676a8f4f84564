"""Old lines and new messages in one shape: label, day, units."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from app.memory.extractive.records import Record, records
from app.memory.extractive.split import Unit
from app.memory.extractive.types import Line, Source

MAY_8 = 1_683_547_200_000
UNITS = (
    Unit("I swim in the lake"),
    Unit("and I row.", glue=", "),
    Unit("It rains?"),
    Unit("Fine", glue=" - "),
)


def of(units: Sequence[Unit]) -> list[str]:
    return [unit.text for unit in units]


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ([0], "I swim in the lake"),
        ([1], "I row."),  # the "and" tied it to what is not there
        ([0, 1], "I swim in the lake, and I row."),  # what stood between the two
        ([0, 2], "I swim in the lake; It rains?"),
        ([1, 2], "I row. It rains?"),
        ([0, 3], "I swim in the lake; Fine"),  # what it hung on is not there
        ([2, 3], "It rains? - Fine"),
        ([1, 3], "I row. Fine"),
        ([0, 1, 2, 3], "I swim in the lake, and I row. It rains? - Fine"),
    ],
)
def test_a_line_joins_its_units_as_they_stood(chosen: list[int], expected: str) -> None:
    assert Record("m", "", "user", "", UNITS).text(chosen, dated=False) == expected
    assert Record("m", "Ada", "user", "", UNITS).text(chosen, dated=False) == f"Ada: {expected}"


def test_a_line_has_its_day_when_wanted_unless_a_date_stands_in_it() -> None:
    record = Record(
        "m", "Ada", "user", "8 May 2023", [Unit("I swam."), Unit("I row (7 May 2023).")]
    )
    assert record.text([0], dated=True) == "[8 May 2023] Ada: I swam."
    assert record.text([0], dated=False) == "Ada: I swam."
    assert record.text([1], dated=True) == "Ada: I row (7 May 2023)."
    assert Record("m", "Ada", "user", "", [Unit("I swam.")]).text([0], dated=True) == "Ada: I swam."
    assert Record("m", "", "user", "8 May", [Unit("I swam.")]).text([0], True) == "[8 May] I swam."


def test_an_old_line_of_ours_is_read_back() -> None:
    line = Line("[8 May 2023] Ada: I swim in the lake. I row.", "m1")
    (record,) = records([line], [])
    assert (record.source, record.label, record.day) == ("m1", "Ada", "8 May 2023")
    assert of(record.units) == ["I swim in the lake.", "I row."]
    assert record.old and not record.opaque and not record.answers
    (record,) = records([Line("Ada: I swim.", "m1")], [])
    assert (record.label, record.day, record.opaque) == ("Ada", "", False)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (Line("Ada:  I swim. I row.", None), "Ada: I swim. I row."),  # a model wrote it
        (Line("I swim.\nI row.", "m1"), "I swim. I row."),
    ],
)
def test_an_old_line_that_is_not_of_our_form_is_one_unit(line: Line, text: str) -> None:
    (record,) = records([line, Line("  ", None)], [])
    assert (of(record.units), record.label, record.day) == ([text], "", "")
    assert record.old and record.opaque


def test_old_lines_come_before_the_messages() -> None:
    made = records([Line("Ada: I row.", "m1")], [Source("m2", "user", "Ada", "I swim.")])
    assert [record.source for record in made] == ["m1", "m2"]
    new = made[1]
    assert (new.label, new.role, new.day, of(new.units)) == ("Ada", "user", "", ["I swim."])
    assert not new.old and not new.opaque


def test_one_message_is_enough_for_a_name_that_an_old_line_has() -> None:
    item = Source("m2", "user", "", "Ada: I swim.")
    assert records([Line("Ada: I row.", "m1")], [item])[1].label == "Ada"
    assert records([Line("Ada: I row.", None)], [item])[1].label == "User"
    assert records([], [item])[0].label == "User"


def test_a_speaker_who_is_called_by_any_part_of_the_name_is_no_news() -> None:
    items = [
        Source(f"m{i}", "user", "", f"Ada Novak: I {verb}.") for i, verb in ((1, "run"), (2, "row"))
    ]
    reply = Source("m3", "assistant", "", "Novak, I swim. Ada!")
    assert of(records([], [*items, reply])[2].units) == ["I swim."]


def test_a_day_is_that_of_the_message_else_of_the_one_before() -> None:
    made = records(
        [],
        [
            Source("m1", "user", "", "I row."),
            Source("m2", "user", "", "I swam yesterday.", MAY_8),
            Source("m3", "user", "", "I ski."),
            Source("m4", "user", "", "[2 June 2023] I run.", MAY_8),
            Source("m5", "user", "", "I fly."),
        ],
    )
    assert [record.day for record in made] == [
        *("", "8 May 2023", "8 May 2023", "2 June 2023", "2 June 2023"),
    ]
    assert of(made[1].units) == ["I swam yesterday (7 May 2023)."]
    assert of(made[3].units) == ["I run."]


def test_only_prose_gets_the_date_of_its_words() -> None:
    text = "I swam yesterday.\n- swam yesterday\n```\nswam yesterday\n```"
    (record,) = records([], [Source("m1", "user", "", text, MAY_8)])
    assert of(record.units) == [
        "I swam yesterday (7 May 2023).",
        "swam yesterday",
        "swam yesterday",
    ]
    assert [unit.kind for unit in record.units] == ["prose", "list", "code"]


def test_a_unit_that_gets_a_date_keeps_what_binds_it() -> None:
    text = "We like our garden a lot, and I was there yesterday with them."
    (record,) = records([], [Source("m1", "user", "", text, MAY_8)])
    assert record.units[1] == Unit(
        "and I was there yesterday (7 May 2023) with them.", "prose", ", "
    )


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Do you swim?", True),
        ("泳ぎますか？", True),
        ("Do you swim? [photo: a lake]", True),
        ("Do you swim? I do.", False),
        ("I swim.", False),
    ],
)
def test_what_follows_a_question_answers_it(question: str, answers: bool) -> None:
    items = [Source("m1", "user", "", question), Source("m2", "assistant", "", "Every day.")]
    first, second = records([], items)
    assert (first.answers, second.answers) == (False, answers)


def test_a_message_that_says_nothing_has_no_record_but_ends_the_question() -> None:
    texts = ("Do you swim?", "Thanks!", "Every day.")
    items = [Source(f"m{i}", "user", "", text) for i, text in enumerate(texts)]
    first, last = records([], items)
    assert (first.source, last.source, last.answers) == ("m0", "m2", False)


@pytest.mark.parametrize("text", ["A: =", "Ada: ---", "Ada: **", "[8 May 2023] Ada: | |"])
def test_an_old_line_of_marks_alone_stays_whole(text: str) -> None:
    (record,) = records([Line(text, "m1")], [])
    assert record.text(range(len(record.units)), dated=True) == text
