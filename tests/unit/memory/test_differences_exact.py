"""The ledger's differences, line by line, as a person would mark them by hand."""

from __future__ import annotations

import pytest

from app.memory.differences import MAX_LINES, differences


def marked(older: str, newer: str) -> str:
    """The differences of two texts whose lines are given as words: = same, - gone, + new."""
    signs = {"same": "=", "gone": "-", "new": "+"}
    found = differences(older.replace(" ", "\n"), newer.replace(" ", "\n"))
    return " ".join(signs[each.change] + each.text for each in found)


@pytest.mark.parametrize(
    ("older", "newer", "expected"),
    [
        ("", "", ""),
        ("", "a", "+a"),
        ("a", "", "-a"),
        ("a b c", "a b c", "=a =b =c"),
        ("a b c", "a c", "=a -b =c"),
        ("a c", "a b c", "=a +b =c"),
        ("a b c d e", "a c d x e", "=a -b =c =d +x =e"),
        ("a b", "b a", "-a =b +a"),
        ("a a", "a", "=a -a"),
        ("a", "a a", "=a +a"),
        ("p a q", "r a s", "-p +r =a -q +s"),
        # The longest that both have in common stays, not the first.
        ("p a b c q", "r c a b s", "-p +r +c =a =b -c -q +s"),
        (
            "p a b c w x y z q",
            "r w x y z a b c s",
            "-p -a -b -c +r =w =x =y =z -q +a +b +c +s",
        ),
        ("p w x y z a b c q", "r a b c w x y z s", "-p +r +a +b +c =w =x =y =z -a -b -c -q +s"),
        ("p a x b y c q", "r a u b v c s", "-p +r =a -x +u =b -y +v =c -q +s"),
        ("a a b a", "b a a c", "-a -a =b =a +a +c"),
        ("p a", "a q", "-p =a +q"),
        ("a b", "b a a", "-a =b +a +a"),  # one line stands for one
    ],
)
def test_the_longest_common_lines_stay_and_lines_that_went_stand_first(
    older: str, newer: str, expected: str
) -> None:
    assert marked(older, newer) == expected


def words(name: str, count: int) -> str:
    """So many lines that stand nowhere else."""
    return " ".join(f"{name}{n}" for n in range(count))


def test_between_what_both_begin_and_end_with_many_lines_are_taken_as_replaced() -> None:
    before, after = "h1 h2 h3", "t1 t2 t3"
    many = words("x", MAX_LINES + 1)
    kept = "=h1 =h2 =h3 {} =t1 =t2 =t3"
    gone = " ".join(f"-{line}" for line in many.split())
    new = " ".join(f"+{line}" for line in many.split())
    long, short = f"{before} {many} {after}", f"{before} new {after}"
    assert marked(long, short) == kept.format(f"{gone} +new")
    assert marked(short, long) == kept.format(f"-new {new}")


def test_four_hundred_lines_are_compared_and_one_more_is_not() -> None:
    few = "u c v"  # of which the long text has ``c``, in its middle
    most = words("x", 200) + " c " + words("y", 199)
    for older, newer in ((most, few), (few, most)):
        assert marked(older, newer).split().count("=c") == 1
    over = most + " y"
    for older, newer in ((over, few), (few, over)):
        assert "=" not in marked(older, newer)
