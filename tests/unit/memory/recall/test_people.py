"""Who a sentence tells of, where a question asks about oneself."""

from __future__ import annotations

import pytest

from app.memory.recall.people import tells_of_another


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Where do I live?", "My brother lives in Brno now."),
        ("Where do we live?", "Our parents live in Split."),
        ("What is my blood type?", "My brother's blood type is 0."),
        ("What is my blood type?", "My brother’s blood type is 0."),
        ("What am I allergic to?", "My colleague is allergic to cats now."),
        ("What do I like to drink?", "My sister likes to drink red wine."),
        ("When is my birthday?", "My wife's birthday is on 9 June."),
        ("Which doctor do I see?", "My mother sees Dr. Berg."),
        ("Wo wohne ich?", "Mein Bruder wohnt in Hamburg."),
        ("Wann habe ich Geburtstag?", "Meine Schwester hat am 9. Juni Geburtstag."),
        ("Kde bydlím?", "Moje sestra bydlí v Praze."),
        ("Kdy mám narozeniny?", "Můj bratr má 9. června narozeniny."),
        ("내 생일은 언제야?", "엄마 생일은 5월 4일이야."),
    ],
)
def test_somebody_else_does_or_has_what_is_asked_for(question: str, text: str) -> None:
    assert tells_of_another(question)(text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Where do I live?", "I live with my brother in Brno."),
        ("What is my pay?", "My boss raised my pay to 5,000."),  # does something else with it
        ("Where does my brother live?", "My brother lives in Brno now."),
        ("Where does Anna live?", "My sister lives in Graz."),  # may be Anna
        ("Who lives in Rome?", "My brother lives in Rome."),
        ("Where do I live?", "Now that he is back, my brother lives here."),  # not about him alone
        ("Where do I live?", "My brother"),
        ("Where do I live?", ""),
        ("", "My brother lives in Brno."),
    ],
)
def test_else_it_may_be_an_answer(question: str, text: str) -> None:
    assert not tells_of_another(question)(text)
