"""What people type as address and key is made regular, or refused with the reason."""

from __future__ import annotations

import pytest

from app.models.endpoint import (
    EndpointError,
    is_loopback,
    is_mixed_content,
    normal_base_url,
    normal_key,
)


@pytest.mark.parametrize(
    ("typed", "url"),
    [
        ("http://localhost:11434/v1", "http://localhost:11434/v1"),
        ("http://localhost:11434", "http://localhost:11434"),
        (" https://api.test/v1/ \n", "https://api.test/v1"),
        ("https://api.test/v1//", "https://api.test/v1"),
        ("https://api.test/v1/chat/completions", "https://api.test/v1"),
        ("https://api.test/v1/chat/completions/", "https://api.test/v1"),
        ("https://api.test/v1/models", "https://api.test/v1"),
        ("HTTPS://API.test/Path/v1", "https://api.test/Path/v1"),
        ("http://[::1]:8080/v1", "http://[::1]:8080/v1"),
        ("https://host.test", "https://host.test"),
    ],
)
def test_an_address_is_made_regular(typed: str, url: str) -> None:
    assert normal_base_url(typed) == url
    assert normal_base_url(url) == url


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "Give the address"),
        ("localhost:11434/v1", "begin with http"),
        ("api.test/v1", "begin with http"),
        ("ftp://host.test", "begin with http"),
        ("javascript://alert(1)", "begin with http"),
        ("https://user:pw@host.test/v1", "user name or password"),
        ("https://host.test/v1 x", "space"),
        ("https://host.test/v1?api-version=1", "before any"),
        ("https://host.test/v1#x", "before any"),
        ("https://", "no host"),
        ("https://:80/v1", "no host"),
        ("https://host:port/v1", "port"),
        ("https://host:0/v1", "port"),
        ("https://host:99999/v1", "port"),
        ("https://host:/v1", "port"),
        ("https://a\u200bb.test", "space"),
        ("https://host:80:90/v1", "port"),
    ],
)
def test_a_faulty_address_gets_a_reason_without_repeating_secrets(typed: str, said: str) -> None:
    with pytest.raises(EndpointError, match=said) as caught:
        normal_base_url(typed)
    assert "pw" not in str(caught.value)


@pytest.mark.parametrize(
    ("typed", "key"), [("", ""), (" sk-abc \n", "sk-abc"), ("a.b-c_d", "a.b-c_d")]
)
def test_a_key_loses_only_the_blanks_around_it(typed: str, key: str) -> None:
    assert normal_key(typed) == key


@pytest.mark.parametrize(
    "typed",
    ["sk abc", "sk-a\nbc", "sk-\u2026abc", "“sk-abc”", "sk-a\u200bbc", "Bearer sk-abc", "s\x00k"],
)
def test_a_faulty_key_is_refused_without_repeating_it(typed: str) -> None:
    with pytest.raises(EndpointError) as caught:
        normal_key(typed)
    assert "abc" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "loopback"),
    [
        ("http://localhost:1234/v1", True),
        ("http://127.0.0.1/v1", True),
        ("http://127.8.8.8:80", True),
        ("http://[::1]:8080/v1", True),
        ("http://app.localhost/v1", True),
        ("http://192.168.0.2/v1", False),
        ("http://localhost.evil.test/v1", False),
        ("http://127.0.0.1.evil.test/v1", False),
    ],
)
def test_only_http_to_another_machine_is_mixed_content(url: str, loopback: bool) -> None:
    assert is_loopback(url) is loopback
    assert is_mixed_content(url, page_is_https=True) is not loopback
    assert not is_mixed_content(url, page_is_https=False)
    assert not is_mixed_content(url.replace("http:", "https:"), page_is_https=True)
