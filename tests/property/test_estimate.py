"""The estimate stands in for the tokenizer: sane on prose and code, low on no CJK text."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.memory.tokens import estimate
from tests.support.cpython_tokenizer import CPythonTokenizer

ROOT = Path(__file__).resolve().parents[2]
PROSE = {
    "English": "The swallow flew over the yellow roof, circled once more, and was gone.",
    "German": "Die Schwalbe flog über das gelbe Dach, drehte noch eine Runde und war fort.",
    "Czech": "Vlaštovka přeletěla nad žlutou střechou a ještě jednou zakroužila nad dvorem.",
    "Russian": "Ласточка пролетела над жёлтой крышей и ещё раз сделала круг над двором.",
    "Greek": "Θα συναντηθούμε αύριο στις τρεις μπροστά στην παλιά βιβλιοθήκη.",
    "Arabic": "سنلتقي غدا أمام المكتبة القديمة ثم نذهب معا إلى السوق لشراء الخبز والتمر.",
    "Hebrew": "ניפגש מחר בשלוש אחר הצהריים ליד הספרייה הישנה, ואם ירד גשם נחכה בבית הקפה.",
    "Hindi": "हम कल दोपहर तीन बजे पुराने पुस्तकालय के सामने मिलेंगे।",
    "Thai": "พรุ่งนี้เจอกันหน้าห้องสมุดตอนบ่ายสามโมง",
    "Vietnamese": "Chúng ta sẽ gặp nhau lúc ba giờ chiều mai trước thư viện cũ.",
    "Japanese": "明日の午後三時に図書館の前で待ち合わせましょう。雨なら喫茶店で待っています。",
    "Chinese": "我们明天下午三点在图书馆门口见面。如果下雨，就在车站的咖啡馆等。",
    "Korean": "내일 오후 세 시에 도서관 앞에서 만나요. 비가 오면 역 앞 카페에서 기다릴게요.",
    "numbers": "On 2026-05-08 at 14:30 she paid 1,250.75 EUR for order #4711-B, 12 % less.",
    "emoji": "👩‍👩‍👧‍👦🎉😀☀️✨",
}


@lru_cache(maxsize=1)
def real() -> CPythonTokenizer:
    return CPythonTokenizer()


@pytest.mark.parametrize("language", PROSE)
def test_prose_is_estimated_between_nine_tenths_and_double(language: str) -> None:
    text = PROSE[language]
    assert 0.9 <= estimate(text) / real().count_many([text])[0] <= 2.1


@pytest.mark.parametrize("name", ["app/memory/plan.py", "static/js/boot.js", "pyproject.toml"])
def test_code_is_estimated_between_nine_tenths_and_half_as_much_again(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert 0.9 <= estimate(text) / real().count_many([text])[0] <= 1.5


WORDS = [word for text in PROSE.values() for word in text.split()]
PHRASES = [
    " ".join(words[at : at + 4])
    for words in (text.split() for text in PROSE.values())
    for at in range(max(1, len(words) - 3))
]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(PHRASES)))
def test_any_mix_of_phrases_is_estimated_within_a_factor(phrases: list[str]) -> None:
    text = " ".join(phrases)
    exact = real().count_many([text])[0]
    assert 0.7 * exact - 3 <= estimate(text) <= 2.5 * exact + 3


@pytest.mark.parametrize("word", sorted(set(WORDS)))
def test_a_word_said_again_and_again_is_estimated_within_a_wider_one(word: str) -> None:
    # "a" is one token for one letter, some Arabic words are one token for seven.
    text = " ".join([word] * 30)
    assert 0.43 <= estimate(text) / real().count_many([text])[0] <= 4.3


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(min_codepoint=0x3040, max_codepoint=0x9FFF)), st.text())
def test_cjk_characters_cost_at_least_one_token_each(cjk: str, other: str) -> None:
    assert estimate(cjk) >= len(cjk)
    assert estimate(cjk + other) >= len(cjk)
    assert estimate(other) >= (1 if other else 0)
