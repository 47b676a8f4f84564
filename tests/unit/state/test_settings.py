"""Settings: what people type and what storage holds never breaks anything."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.state import settings as s
from app.state import settings_input as typed
from app.state.fields import Bounded, Refused, real_number, whole_number

CONTEXTS: list[tuple[Any, int]] = [
    (0, 4096),
    (None, 4096),
    ("", 4096),
    ("8192", 8192),
    ("8k", 4096),
    (-1, 4096),
    ("NaN", 4096),
    (math.nan, 4096),
    (4096.5, 4096),
    (1e12, 10_000_000),
    (True, 4096),
    ([], 4096),
    ({"a": 1}, 4096),
    (10**400, 10_000_000),
]


@pytest.mark.parametrize(("stored", "size"), CONTEXTS)
def test_any_stored_context_size_gives_a_positive_whole_number(stored: Any, size: int) -> None:
    record = {
        "endpoints": [{"id": "e", "base_url": "http://localhost:1/v1"}],
        "chat_endpoint": "e",
        "chat_model": "m",
        "context_sizes": {"e": {"m": stored}},
    }
    settings, _ = typed.from_record(record)
    assert settings.context_size() == size
    assert type(settings.context_size()) is int


@pytest.mark.parametrize("given_size", ["8k", "-5", "0", "nan", True, "1e9999", [1]])
def test_a_context_size_that_is_none_is_refused_with_a_message(given_size: Any) -> None:
    before = s.Settings().with_context_size("in-page", "", 1024)
    after, refused = typed.patched(before, {"context_size": given_size, "theme": "dark"})
    assert refused["context_size"]
    assert after.context_size() in (1024, 10_000_000)
    assert after.theme == "dark"


def test_a_context_size_beyond_the_bounds_is_the_bound_and_is_said() -> None:
    after, refused = typed.patched(s.Settings(), {"context_size": "100"})
    assert after.context_size() == 512
    assert "512" in refused["context_size"]


def test_a_number_beyond_its_bounds_is_the_bound_and_is_said() -> None:
    typed_in = {"summary_limit": 999_999, "recall_tokens": -1, "max_answer_tokens": 10**9}
    after, refused = typed.patched(s.Settings(), typed_in)
    assert s.policy(after).summary_limit == 8000
    assert "at most 8,000" in refused["summary_limit"]
    assert s.policy(after).recall_tokens == 0
    assert "at least 0" in refused["recall_tokens"]
    assert after.max_answer_tokens == 1_000_000
    assert "at most 1,000,000" in refused["max_answer_tokens"]
    again, refused = typed.patched(after, {"memory": {"dost": {"summary_limit": 1}}})
    assert s.policy(again, "dost").summary_limit == 50
    assert "at least 50" in refused["memory"]
    stored, problems = typed.from_record({"memory": {"pleat": {"summary_limit": 10**6}}})
    assert s.policy(stored).summary_limit == 8000
    assert problems == {}


@pytest.mark.parametrize(
    ("address", "word"),
    [
        ("localhost:11434/v1", "http"),
        ("ftp://host/v1", "http"),
        ("http://", "host"),
        ("", "address"),
        ("https://user:pw@host.test/v1", "password"),
        ("http://ho st/v1", "space"),
        (None, "address"),
        (17, "address"),
    ],
)
def test_an_address_that_cannot_be_one_is_refused_with_a_message(address: Any, word: str) -> None:
    endpoints = [{"id": "a", "name": "A", "base_url": address}]
    after, refused = typed.patched(s.Settings(), {"endpoints": endpoints})
    assert word in refused["endpoints"]
    assert after == s.Settings()
    assert "pw" not in refused["endpoints"]


def test_one_bad_stored_entry_does_not_cost_the_others() -> None:
    record = {
        "endpoints": [
            {"id": "a", "base_url": "https://a.test/v1/"},
            {"id": "b", "base_url": "nonsense"},
            "no endpoint",
            {"id": "a", "base_url": "https://twice.test"},
        ],
        "chat_endpoint": "a",
        "chat_model": "m",
        "theme": 7,
        "temperature": "hot",
        "memory": {"pleat": {"recall_tokens": "abc", "summary_limit": "500"}, "none": 1},
        "unknown": {"of": "a newer program"},
    }
    settings, problems = typed.from_record(record)
    assert [each.base_url for each in settings.endpoints] == ["", "https://a.test/v1"]
    assert settings.chat_endpoint == "a"
    assert settings.theme == "system"
    assert s.policy(settings).summary_limit == 500
    assert s.policy(settings).recall_tokens == 300
    assert {"endpoints", "theme", "temperature", "memory"} <= problems.keys()


def test_settings_survive_storage() -> None:
    settings, refused = typed.patched(
        s.Settings(),
        {
            "endpoints": [{"id": "a", "name": "A", "base_url": "https://a.test/v1"}],
            "chat_endpoint": "a",
            "chat_model": "m",
            "context_size": "8192",
            "temperature": "0.5",
            "summary_limit": 400,
            "preset": "dost",
        },
    )
    assert refused == {}
    settings = settings.with_factor(1.25, settings.chat_endpoint, settings.chat_model)
    again, problems = typed.from_record(json.loads(json.dumps(s.to_record(settings))))
    assert problems == {}
    assert again == settings
    assert again.factor() == 1.25


def test_when_its_endpoint_is_removed_the_page_is_the_endpoint_again() -> None:
    settings, _ = typed.patched(
        s.Settings(),
        {"endpoints": [{"id": "a", "base_url": "https://a.test"}], "chat_endpoint": "a"},
    )
    settings, refused = typed.patched(settings, {"endpoints": []})
    assert refused == {}
    assert settings.chat_endpoint == s.IN_PAGE
    assert typed.patched(settings, {"chat_endpoint": "gone"})[1]
    assert typed.patched(settings, {"nonsense": 1})[1]


def test_named_settings_are_those_of_the_chosen_preset() -> None:
    _, refused = typed.patched(s.Settings(), {"summary_trigger_tokens": 500})
    assert refused
    settings, refused = typed.patched(
        s.Settings(), {"preset": "dost", "summary_trigger_tokens": 500}
    )
    assert refused == {}
    shown = s.shown(settings, {"in-page": False})
    fields = {each["name"]: each["value"] for each in shown["memory_fields"]}
    assert fields["summary_trigger_tokens"] == 500
    assert shown["preset"] == "dost"


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)


@given(
    st.dictionaries(st.sampled_from([*typed.FIELDS, *typed.NAMED, "context_size", "x"]), anything)
)
def test_no_patch_and_no_stored_record_ever_raises(patch: dict[str, Any]) -> None:
    settings, refused = typed.patched(s.Settings(), patch)
    assert all(isinstance(text, str) and text for text in refused.values())
    assert settings.context_size() >= 512
    again, _ = typed.from_record(patch)
    json.dumps(s.shown(again, {}))


@given(anything)
def test_numbers_are_numbers_or_refused(value: Any) -> None:
    try:
        assert 1 <= whole_number(value, least=1, most=100, what="It") <= 100
    except Bounded as bounded:
        assert bounded.taken in (1, 100)
    except Refused as refused:
        assert str(refused)
    try:
        assert math.isfinite(real_number(value, least=0, most=2, what="It"))
    except Refused as refused:
        assert str(refused)
