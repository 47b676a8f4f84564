"""For any messages and questions: within the allowance, only what is allowed, in path order."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from app.memory.recall import RecallIndex, passages
from tests.support.cpython_tokenizer import CPythonTokenizer

LEXICON = CPythonTokenizer()
WORDS = st.sampled_from(
    [
        "hens",
        "Ghent",
        "budget",
        "300",
        "goat",
        "図書館",
        "švestky",
        "yesterday",
        "?",
        ".",
        "\n",
        "Ada:",
    ]
)
TEXT = st.one_of(st.lists(WORDS, min_size=1, max_size=20).map(" ".join), st.text(max_size=40))


@settings(max_examples=120)
@given(st.lists(TEXT, max_size=12), TEXT, TEXT, st.integers(0, 120), st.sets(st.integers(0, 11)))
def test_passages_obey_allowance_permission_and_order(
    said: list[str], question: str, recent: str, allowance: int, banned: set[int]
) -> None:
    index = RecallIndex()
    texts: dict[str, tuple[str, str, str]] = {}
    for i, text in enumerate(said):
        index.add(str(i), text, "Ada")
        texts[str(i)] = ("Ada", text, "")
    found = passages(
        index, texts, question, (recent,), allowance, LEXICON, lambda id: int(id) not in banned
    )
    assert LEXICON.count_many(["\n".join(p.text for p in found)])[0] <= allowance
    places = [int(p.id) for p in found]
    assert len(set(places)) == len(places)
    assert not banned & set(places)
    for place in places:  # an answer directly behind its question
        if index.asks(str(place)) and place + 1 in places:
            assert places.index(place + 1) == places.index(place) + 1


@settings(max_examples=80)
@given(st.lists(TEXT, min_size=1, max_size=10), st.data())
def test_removing_is_as_never_having_added(said: list[str], data: st.DataObject) -> None:
    gone = data.draw(st.integers(0, len(said) - 1))
    index, other = RecallIndex(), RecallIndex()
    for i, text in enumerate(said):
        index.add(str(i), text, "Ada")
    for i in range(len(said)):
        index.remove(str(i))
        assert str(i) not in index
    assert len(index) == 0
    assert index.search(said[gone]) == []
    for i, text in enumerate(said):
        index.add(f"n{i}", text, "Ada")
        other.add(f"n{i}", text, "Ada")
    assert [h.id for h in index.search(said[gone])] == [h.id for h in other.search(said[gone])]
