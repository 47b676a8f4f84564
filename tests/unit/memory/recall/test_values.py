"""What a statement says, and whether another gives a value of the same kind in its place."""

from __future__ import annotations

import pytest

from app.memory.recall.statements import Said, facts
from app.memory.recall.values import is_misplaced, is_value


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


@pytest.mark.parametrize(
    ("text", "about", "values", "names"),
    [
        ("The rent is 950 euros now, starting in May.", "rent euro start", "950 may", ""),
        ("Last week we met Bo on Friday.", "met", "friday", "bo"),
        ("The password is tulip22.", "password", "tulip22", ""),
        ("I moved to Brno.", "", "", "brno"),
        ("These days the door is blue.", "door blue", "", ""),
    ],
)
def test_what_a_statement_says(text: str, about: str, values: str, names: str) -> None:
    found = facts(text)
    assert found.about == words(about)
    assert found.values == words(values)
    assert found.names == words(names)
    assert found.all == words(about) | words(names)


@pytest.mark.parametrize(
    ("text", "changes", "change", "ended", "cue"),
    [
        ("The door is blue.", "", False, None, False),
        ("The door is blue now.", "", True, None, True),
        ("The door is blue these days.", "", True, None, True),
        ("The door is blue again.", "", False, None, True),
        ("We switched to Redis.", "switch", True, None, True),
        ("We no longer use Kafka.", "", False, "use kafk", True),
        ("Redis stays, we no longer use Kafka, but it hurts.", "", False, "use kafk", True),
        ("It is on Friday, not Monday.", "", False, "monday", True),
        ("It is not Monday.", "", False, None, False),
        ("We moved, and I no longer run.", "move", True, "run", True),
    ],
)
def test_how_it_tells_of_a_change(
    text: str, changes: str, change: bool, ended: str | None, cue: bool
) -> None:
    found = facts(text)
    assert found.changes == words(changes)
    assert found.change is change
    assert found.ended == (None if ended is None else words(ended))
    assert found.cue is cue


def said(text: str, asked: str = "") -> Said:
    return Said(text, "Ada", words(asked), facts(text))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("The port is 8080.", "The port is 9090 now.", True),
        ("The port is 8080.", "The port is busy now.", False),
        ("The rent is 900.", "The rent is due on the 5th now.", False),
        ("The rent is 900.", "The rent is due in May now.", False),
        ("The rent is 900.", "The rent is 950 now, from May.", True),
        ("The exam is on 3 June.", "The exam is in hall 7 now.", False),
        ("The exam is on 3 June.", "The exam is on 4 July now.", True),
        ("The exam is on June 3.", "The exam has 40 questions now.", False),
        ("The exam is on 3 June.", "The exam moved to hall 7.", True),
        ("The launch is in 2031.", "The launch is in March 2032 now.", True),
        ("The launch is in March.", "The launch is in 2032 now.", True),
        ("My boss is Anna.", "My boss is Petra now.", True),
        ("My boss is Anna.", "My boss is ill now.", False),
        ("My boss is Anna.", "My boss is in Spain now.", False),
        ("My boss is Anna.", "My boss moved to Spain.", True),
        ("My boss is Anna.", "Petra is my boss now.", True),
        ("My boss is Anna.", "Petra is now my boss.", True),
        ("My boss is Anna.", "Lunch is with my boss now.", False),
        ("My boss is Anna.", "Petra is my old boss now.", False),
        ("I live in Prague.", "I live in Brno now.", True),
        ("I live in Prague.", "I live in the Hague now.", True),
        ("Ich wohne in Bonn.", "Ich wohne jetzt im Allgäu.", True),
        ("The wall is red.", "The wall is blue now.", True),
        ("The wall is red.", "The wall is dry and very smooth now.", False),
        ("We moved the wall.", "The wall is blue now.", False),
        ("私の医者は田中先生です。", "私の医者は今は佐藤先生です。", True),
        ("私の医者は田中先生です。", "私の医者は今はとても忙しいです。", False),
        ("我的医生是王大夫。", "我的医生现在是李大夫。", True),
        ("我的医生是王大夫。", "我的医生现在很忙。", False),
    ],
)
def test_a_value_of_the_same_kind(old: str, new: str, expected: bool) -> None:
    assert is_value(said(new, "boss"), said(old, "boss")) is expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("My tutor is Dana Roth.", "My tutor is in Spain now.", True),
        ("My tutor is Dana Roth.", "My tutor is Eva now.", False),
        ("My tutor is Dana Roth.", "My tutor is Eva in Spain now.", False),
        ("My tutor is Dana Roth.", "My tutor moved to Spain.", False),
        ("My tutor is Dana Roth.", "My tutor is ill now.", False),
        ("My tutor works for Dana.", "My tutor works in Spain now.", False),
        ("My tutor is the Dana.", "My tutor is in the Alps now.", True),
    ],
)
def test_somebody_who_is_somewhere_has_no_other_name(old: str, new: str, expected: bool) -> None:
    assert is_misplaced(said(new), said(old)) is expected
