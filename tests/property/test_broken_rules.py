"""Each rule of memory, broken once on purpose: the check that guards it must notice.

One story is told to two tabs: it passes as it is, and fails, at the check of the broken rule, with
each single fault put into the program.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from app.memory import folding, payload, plan
from app.memory.breaker import Breaker
from app.memory.commit import Committer
from app.memory.extractive import Line
from app.memory.flights import Flights
from app.memory.ledger import Fold
from app.memory.path import ActivePath
from app.state.desk import Desk
from app.state.memory_store import MemoryStore
from app.state.open_conversation import OpenConversation
from app.state.ports import Change, Changed
from tests.property.machine.world import Page, World

Broken = Callable[[pytest.MonkeyPatch], None]


class Story:
    """Tells it: each sentence is one intent, after which the rules are checked."""

    def __init__(self) -> None:
        self.world = World()
        self.one, self.two = self.world.tabs

    def do(self, page: Page, work: Any) -> None:
        """One intent of the page."""
        self.world.start(page, work)
        self.world.check()

    def talk(self, page: Page, rounds: int, sentences: int = 4) -> None:
        """Some turns."""
        for _ in range(rounds):
            self.world.chances += 1
            self.do(page, page.session.send(self.world.text(sentences)))

    def rest(self) -> None:
        """All ends."""
        self.world.quiesce()
        self.world.check()

    def says(self, kind: str) -> None:
        """What the summariser says from now on."""
        for page in self.world.tabs:
            page.summariser.next = kind

    def new_chat(self, rounds: int, size: int = 600) -> None:
        """Another conversation, in both tabs."""
        self.do(self.one, self.one.session.update_settings({"context_size": size}))
        self.do(self.one, self.one.session.new_conversation())
        self.talk(self.one, rounds)
        self.do(self.two, self.two.session.open_conversation(self.one.id))
        self.rest()

    def told(self) -> None:
        """The whole story."""
        for chapter in (
            self.a_long_talk,
            self.a_message_is_deleted_under_the_memory,
            self.a_fold_is_overtaken_by_a_deletion,
            self.a_replacement_comes_late,
            self.a_chat_is_deleted_in_the_middle_of_a_fold,
            self.the_summariser_talks_without_end,
            self.the_summariser_fails,
        ):
            chapter()

    def a_long_talk(self) -> None:
        """Folds by the model, and such as are made at once."""
        self.new_chat(8)
        self.talk(self.one, 1, 30)
        for page in (self.one, self.two):
            page.utility = None
        self.talk(self.one, 6)
        for page in (self.one, self.two):
            page.utility = page.summariser  # type: ignore[assignment]
        self.rest()

    def a_message_is_deleted_under_the_memory(self) -> None:
        """What was covered changes: the summary does not count any more."""
        shown = self.one.shown
        assert shown is not None
        self.do(self.one, self.one.session.delete_message(shown.path()[1].id))
        self.talk(self.one, 1)
        self.rest()

    def a_fold_is_overtaken_by_a_deletion(self) -> None:
        """A fold waits for its model while the other tab takes out what it reads."""
        self.new_chat(6, 2048)
        self.says("held")
        self.do(self.one, self.one.session.summarize_and_continue())
        shown = self.two.shown
        assert shown is not None and self.world.holding.gates
        self.do(self.two, self.two.session.delete_message(shown.path()[0].id))
        self.rest()
        self.says("echo")

    def a_replacement_comes_late(self) -> None:
        """A question overflows while the model still writes what shall replace the fold before."""
        self.new_chat(4)
        self.says("held")
        self.talk(self.one, 8)
        self.rest()
        self.says("echo")

    def a_chat_is_deleted_in_the_middle_of_a_fold(self) -> None:
        """Nothing is written for it any more."""
        self.new_chat(6, 2048)
        self.says("held")
        self.do(self.one, self.one.session.summarize_and_continue())
        channels = self.world.browser.area.channels
        channels.remove(self.one.channel)  # it does not hear of the deletion
        try:
            self.do(self.two, self.two.session.delete_conversation(self.two.id))
            self.rest()
        finally:
            channels.append(self.one.channel)
        self.says("echo")

    def the_summariser_talks_without_end(self) -> None:
        """Its words are cut to the limit."""
        self.new_chat(6, 2048)
        self.says("endless")
        self.do(self.one, self.one.session.summarize_and_continue())
        self.says("echo")

    def the_summariser_fails(self) -> None:
        """Again and again; nobody asks it any more, and the answers come."""
        self.new_chat(4)
        self.says("server")
        self.talk(self.one, 12, 6)
        self.rest()


def test_the_story_passes_where_nothing_is_broken() -> None:
    story = Story()
    try:
        story.told()
    finally:
        story.world.end()


def budget_ignored(patch: pytest.MonkeyPatch) -> None:
    """Rule 1."""
    patch.setattr("app.memory.budget.BUDGET_SHARE", 1.0)


def question_turned_round(patch: pytest.MonkeyPatch) -> None:
    """Rule 2: the same letters, another text."""
    told = payload.question_text
    patch.setattr(payload, "question_text", lambda text, quoted: told(text[::-1], quoted))


def window_off_by_one(patch: pytest.MonkeyPatch) -> None:
    """Rule 3: the first message of the window is neither sent nor folded."""
    start = plan.window_start
    patch.setattr(
        plan, "window_start", lambda path, current: start(path, current) + (current is not None)
    )


def folded_again(patch: pytest.MonkeyPatch) -> None:
    """Rule 4: a fold is given what its ancestors cover."""
    select = ActivePath.select

    def all_of_it(self: ActivePath, state: Any, start: int, end: int) -> Any:
        return select(self, state, 0 if state == "eligible" else start, end)

    patch.setattr(ActivePath, "select", all_of_it)


def cap_not_applied(patch: pytest.MonkeyPatch) -> None:
    """Rule 5."""
    finish = folding._finish

    def uncapped(lines: Any, material: Any, *given: Any) -> Any:
        return finish([*lines, *lines], replace(material, cap=10_000), *given)

    patch.setattr(folding, "_finish", uncapped)


def swap_without_compare(patch: pytest.MonkeyPatch) -> None:
    """Rule 6: a fold is written though the conversation has changed."""
    commit = Committer.commit

    async def careless(self: Any, memory: Any, fold: Fold, read: Any) -> Any:
        now = await self._store.counters(memory.id)
        if now is not None:
            memory.conversation = replace(memory.conversation, structure=now[0])
        return await commit(self, memory, fold, read)

    patch.setattr(Committer, "commit", careless)


def tombstone_ignored(patch: pytest.MonkeyPatch) -> None:
    """Rule 6: a fold of a deleted conversation is written."""
    apply = MemoryStore.apply_now

    def blind(self: MemoryStore, change: Change) -> Changed:
        return apply(self, replace(change, revive=change.revive or bool(change.put.get("folds"))))

    patch.setattr(MemoryStore, "apply_now", blind)
    commit = Committer.commit

    async def careless(self: Any, memory: Any, fold: Fold, read: Any) -> Any:
        if await self._store.counters(memory.id) is not None:
            return await commit(self, memory, fold, read)
        known = memory.conversation
        await self._store.commit_fold(fold, structure=known.structure, commit=known.commit)
        return None

    patch.setattr(Committer, "commit", careless)


def late_replacement_kept(patch: pytest.MonkeyPatch) -> None:
    """Rule 7: the fold in flight goes on, and is written over what was built meanwhile."""
    patch.setattr(Flights, "abort", lambda self, id: False)
    patch.setattr(Committer, "_still", lambda self, memory, fold, read: True)


def breaker_ignored(patch: pytest.MonkeyPatch) -> None:
    """Rule 8: the model is asked however often it has failed."""
    patch.setattr(Breaker, "why_not", lambda self, now: "")


def never_idle(patch: pytest.MonkeyPatch) -> None:
    """Rule 8: a busy state does not end."""
    show = Desk.show_busy

    def busy(self: Desk, opened: OpenConversation, state: str, *more: Any) -> None:
        show(self, opened, "folding" if state == "idle" != opened.state else state, *more)

    patch.setattr(Desk, "show_busy", busy)


def validity_ignored(patch: pytest.MonkeyPatch) -> None:
    """Rule 9: a summary counts though what it covers has changed."""
    patch.setattr(ActivePath, "chain", lambda self, index: "same")


def summary_of_another_chat(patch: pytest.MonkeyPatch) -> None:
    """Rule 9: the summary of one chat is sent in the next."""
    texts: list[str] = []
    build = payload.build

    def mixed(path: ActivePath, current: Fold | None, *given: Any) -> Any:
        if current is not None:
            texts.append(current.text)
            current = replace(current, text=texts[0])
        return build(path, current, *given)

    patch.setattr("app.memory.prepare.build", mixed)


def negation_dropped(patch: pytest.MonkeyPatch) -> None:
    """Rule 10: "does not eat" becomes "does eat"."""
    summarise = folding.summarise

    def careless(*given: Any) -> Sequence[Line]:
        return [replace(x, text=x.text.replace(" not", "")) for x in summarise(*given)]

    patch.setattr(folding, "summarise", careless)


@pytest.mark.parametrize(
    ("broken", "check"),
    [
        (budget_ignored, "check_budget"),
        (question_turned_round, "check_question"),
        (window_off_by_one, "check_coverage"),
        (folded_again, "check_once"),
        (cap_not_applied, "check_bounded"),
        (swap_without_compare, "check_commit"),
        (tombstone_ignored, "check_lived"),
        (late_replacement_kept, "check_current_was_read"),
        (breaker_ignored, "check_breaker"),
        (never_idle, "check_idle"),
        (validity_ignored, "check_current"),
        (summary_of_another_chat, "check_right"),
        (negation_dropped, "check_meaning"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_broken_rule_is_noticed(
    broken: Broken, check: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken(monkeypatch)
    story = Story()
    try:
        with pytest.raises(AssertionError) as noticed:
            story.told()
    finally:
        monkeypatch.undo()
        story.world.end()
    assert check in {frame.name for frame in traceback.extract_tb(noticed.value.__traceback__)}
