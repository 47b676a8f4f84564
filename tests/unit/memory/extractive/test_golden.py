"""The summaries and passages of short conversations stay word for word as somebody read them.

After a change that is meant: ``python -m tests.unit.memory.extractive.golden``, and read.
"""

from __future__ import annotations

import pytest

from tests.unit.memory.extractive.golden import CHATS, made
from tests.unit.memory.extractive.golden_expected import EXPECTED


@pytest.mark.parametrize("name", CHATS)
def test_a_conversation_is_summarised_and_recalled_as_it_was_read(name: str) -> None:
    assert made(name) == EXPECTED[name]
