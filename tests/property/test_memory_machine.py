"""The rules of memory hold whatever people, tabs, models and storage do, in any order.

A stateful machine drives two whole tabs over one store, holds folds and answers in the middle,
and checks the rules after each step. ``PLEAT_MACHINE=long`` runs it for many minutes.
"""

from __future__ import annotations

import json
import os
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from app.conversation.turns import turns
from tests.property.machine.models import ANSWERS, SUMMARIES
from tests.property.machine.world import Page, World

LENGTH = os.environ.get("PLEAT_MACHINE", "")  # "long" for many minutes, "brief" for mutants
EXAMPLES = {"long": 4000, "brief": 12}.get(LENGTH, 120)
TAB = st.integers(0, 1)
PLACE = st.integers(0, 40)
PRESETS = st.sampled_from(["pleat", "minisearch", "dost", "switchboard"])


class MemoryMachine(RuleBasedStateMachine):
    """Two tabs, one store. Every rule begins an intent and lets all run until all wait."""

    world: World

    @initialize(
        locks=st.booleans(),
        size=st.sampled_from([600, 1024]),
        preset=PRESETS,
        rounds=st.integers(2, 9),
    )
    def begin(self, locks: bool, size: int, preset: str, rounds: int) -> None:
        """Two tabs on one chat with a few turns."""
        self.world = World(locks=locks)
        self._set(0, {"context_size": size, "preset": preset})
        page = self.world.tabs[0]
        self.talk(0, rounds)
        self._do(self.world.tabs[1], self.world.tabs[1].session.open_conversation(page.id))

    def _do(self, page: Page, work: Any) -> None:
        self.world.start(page, work)

    def _set(self, tab: int, patch: dict[str, Any]) -> None:
        page = self.world.tabs[tab]
        self.world.start(page, page.session.update_settings(patch))

    def _message(self, page: Page, place: int, *roles: str) -> str:
        path = [] if page.shown is None else page.shown.path()
        ids = [m.id for m in path if not roles or m.role in roles]
        return ids[place % len(ids)] if ids else "none"

    def _turn(self, page: Page, place: int) -> str:
        found = turns([] if page.shown is None else page.shown.path())
        return found[place % len(found)].id if found else "none"

    # -- talking --------------------------------------------------------------------------

    @rule(tab=TAB, sentences=st.sampled_from([1, 4, 8, 12, 60]), answer=st.sampled_from(ANSWERS))
    def ask(self, tab: int, sentences: int, answer: str) -> None:
        """A question, and an answer that may come, fail, or be held."""
        page = self.world.tabs[tab]
        page.chatter.next = answer
        self.world.chances += 1
        self._do(page, page.session.send(self.world.text(sentences)))

    @rule(tab=TAB, rounds=st.integers(2, 6))
    def talk(self, tab: int, rounds: int) -> None:
        """Several quick turns."""
        page = self.world.tabs[tab]
        for _ in range(rounds):
            self.world.chances += 1
            self._do(page, page.session.send(self.world.text(4)))

    @rule(tab=TAB)
    def stop(self, tab: int) -> None:
        """Stop, and the partial answer stays."""
        page = self.world.tabs[tab]
        self._do(page, page.session.stop())

    @rule(tab=TAB)
    def skip(self, tab: int) -> None:
        """Do not wait for the summariser."""
        page = self.world.tabs[tab]
        self._do(page, page.session.skip())

    @rule(tab=TAB, place=PLACE, sentences=st.sampled_from([1, 20]), held=st.booleans())
    def edit(self, tab: int, place: int, sentences: int, held: bool) -> None:
        """Say it otherwise: a branch."""
        page = self.world.tabs[tab]
        page.chatter.next = "held" if held else "text"
        self.world.chances += 1
        id = self._message(page, place)
        self._do(page, page.session.edit(id, self.world.text(sentences)))

    @rule(tab=TAB, place=PLACE, answer=st.sampled_from(ANSWERS))
    def regenerate(self, tab: int, place: int, answer: str) -> None:
        """Another answer beside this one."""
        page = self.world.tabs[tab]
        page.chatter.next = answer
        self.world.chances += 1
        self._do(page, page.session.regenerate(self._message(page, place)))

    @rule(tab=TAB, place=PLACE)
    def go_on(self, tab: int, place: int) -> None:
        """Continue an answer."""
        page = self.world.tabs[tab]
        self.world.chances += 1
        self._do(page, page.session.continue_answer(self._message(page, place, "assistant")))

    @rule(tab=TAB, place=PLACE)
    def switch_branch(self, tab: int, place: int) -> None:
        """Show another branch."""
        page = self.world.tabs[tab]
        ids = sorted(m.id for m in page.shown.tree) if page.shown else []
        if ids:
            self._do(page, page.session.switch_branch(ids[place % len(ids)]))

    @rule(tab=TAB, place=PLACE)
    def delete_message(self, tab: int, place: int) -> None:
        """Take one message out."""
        page = self.world.tabs[tab]
        self._do(page, page.session.delete_message(self._message(page, place)))

    @rule(tab=TAB, place=PLACE, on=st.booleans())
    def pin(self, tab: int, place: int, on: bool) -> None:
        """Pin or unpin a turn."""
        page = self.world.tabs[tab]
        self._do(page, page.session.pin(self._turn(page, place), on))

    @rule(tab=TAB, place=PLACE, on=st.booleans())
    def exclude(self, tab: int, place: int, on: bool) -> None:
        """Exclude a turn or take it in again."""
        page = self.world.tabs[tab]
        self._do(page, page.session.exclude(self._turn(page, place), on))

    # -- conversations --------------------------------------------------------------------

    @rule(tab=TAB, rounds=st.integers(1, 6))
    def new_chat(self, tab: int, rounds: int) -> None:
        """Begin another conversation."""
        page = self.world.tabs[tab]
        self._do(page, page.session.new_conversation())
        self.talk(tab, rounds)

    @rule(tab=TAB, place=PLACE)
    def open_chat(self, tab: int, place: int) -> None:
        """Show another conversation."""
        page = self.world.tabs[tab]
        ids = [each["id"] for each in page.state.conversations.get()["items"]]
        if ids:
            self._do(page, page.session.open_conversation(ids[place % len(ids)]))

    @rule(tab=TAB)
    def delete_chat(self, tab: int) -> None:
        """Delete what is shown."""
        page = self.world.tabs[tab]
        self._do(page, page.session.delete_conversation(page.id))

    @rule(tab=TAB)
    def undo_delete(self, tab: int) -> None:
        """Bring it back."""
        page = self.world.tabs[tab]
        self._do(page, page.session.undo_delete())

    # -- memory ---------------------------------------------------------------------------

    @rule(tab=TAB)
    def summarise(self, tab: int) -> None:
        """Fold by hand."""
        page = self.world.tabs[tab]
        self._by_hand()
        self._do(page, page.session.summarize_and_continue())

    @rule(tab=TAB, after=st.integers(0, 12), by_model=st.booleans())
    def begin_to_fold(self, tab: int, after: int, by_model: bool) -> None:
        """Fold by hand, and be held in the middle: at the model, or at the store."""
        page = self.world.tabs[tab]
        self._by_hand()
        if by_model:
            page.summariser.next = "held"
        else:
            page.door.shut_after = after
        self._do(page, page.session.summarize_and_continue())

    @rule(tab=TAB, after=st.integers(0, 30), by_model=st.booleans())
    def ask_and_hold(self, tab: int, after: int, by_model: bool) -> None:
        """A long question and answer, so that a fold in the background begins and is held."""
        page = self.world.tabs[tab]
        self.world.chances += 1
        page.chatter.next = "long"
        if by_model:
            page.summariser.next = "held"
        else:
            page.door.shut_after = after
        self._do(page, page.session.send(self.world.text(8)))

    @rule(tab=TAB)
    def undo_fold(self, tab: int) -> None:
        """Undo the last fold."""
        page = self.world.tabs[tab]
        self._do(page, page.session.undo_fold())

    @rule(tab=TAB)
    def rebuild(self, tab: int) -> None:
        """Fold the originals again."""
        page = self.world.tabs[tab]
        self._by_hand()
        self._do(page, page.session.rebuild())

    def _by_hand(self) -> None:
        self.world.chances += 1
        self.world.streak = []

    @rule(tab=TAB, number=st.integers(0, 999))
    def edit_summary(self, tab: int, number: int) -> None:
        """Write the summary by hand."""
        page = self.world.tabs[tab]
        self._do(page, page.session.edit_summary(f"By hand: hq{number}x is settled."))

    @rule(tab=TAB)
    def scan(self, tab: int) -> None:
        """The background scanner looks at all conversations."""
        page = self.world.tabs[tab]
        self.world.chances += 1
        self._do(page, page.scanner.step())

    # -- settings -------------------------------------------------------------------------

    @rule(
        tab=TAB,
        preset=PRESETS,
        window=st.integers(0, 3),
        recall=st.sampled_from([0, 300]),
    )
    def switch_preset(self, tab: int, preset: str, window: int, recall: int) -> None:
        """Another preset in a living conversation."""
        self._by_hand()
        self._set(tab, {"preset": preset})
        named: dict[str, dict[str, Any]] = {
            "pleat": {"window_conversations": window, "recall_tokens": recall},
            "minisearch": {"reserved": 100 * window},
            "dost": {"window_conversations": window, "summary_trigger_tokens": 100 + recall},
            "switchboard": {"window_conversations": window},
        }
        self._set(tab, named[preset])

    @rule(tab=TAB, size=st.sampled_from([512, 600, 1024, 2048, 4096]))
    def change_context(self, tab: int, size: int) -> None:
        """Another context size."""
        self._by_hand()
        self._set(tab, {"context_size": size})

    @rule(tab=TAB, words=st.sampled_from([0, 5, 150, 600]))
    def change_system_prompt(self, tab: int, words: int) -> None:
        """Another system prompt, too."""
        self._by_hand()
        self._set(tab, {"system_prompt": "be brief " * words})

    @rule(on=st.booleans())
    def with_or_without_model(self, on: bool) -> None:
        """There is a summarising model, or none."""
        for page in self.world.tabs:
            page.utility = page.summariser if on else None  # type: ignore[assignment]

    # -- faults, waits, tabs --------------------------------------------------------------

    @rule(kind=st.sampled_from(SUMMARIES))
    def summariser_says(self, kind: str) -> None:
        """From now on the summariser says this, or fails so."""
        for page in self.world.tabs:
            page.summariser.next = kind

    @rule(tab=TAB, after=st.integers(0, 30))
    def hold_store(self, tab: int, after: int) -> None:
        """After some more answers the store answers this tab no more, until it is let."""
        self.world.tabs[tab].door.shut_after = after

    @rule(tab=TAB, number=st.integers(0, 5), times=st.integers(1, 6))
    def let_store(self, tab: int, number: int, times: int) -> None:
        """One answer of the store, or some."""
        for _ in range(times):
            self.world.tabs[tab].door.let(number)
            self.world.settle()

    @rule(tab=TAB)
    def open_store(self, tab: int) -> None:
        """The store answers again."""
        self.world.tabs[tab].door.open()
        self.world.settle()

    @rule()
    def let_models(self) -> None:
        """All that the models were held in goes on."""
        self.world.holding.let()
        self.world.settle()

    @rule(seconds=st.sampled_from([1, 31, 121, 601]))
    def time_passes(self, seconds: int) -> None:
        """Waits run out."""
        self.world.browser.clock.advance(seconds * 1000)
        self.world.settle()

    @rule(tab=TAB)
    def reload(self, tab: int) -> None:
        """The tab is loaded again, whatever it was doing."""
        self.world.reload(tab)

    @rule(
        number=PLACE,
        field=st.sampled_from(["path_digest", "parent_id", "covered", "text"]),
        value=st.sampled_from(["", "00", None, 7]),
    )
    @precondition(lambda self: self.world.store._texts["folds"])
    def corrupt_a_record(self, number: int, field: str, value: Any) -> None:
        """A record of the ledger is damaged in the store, and the tabs are loaded again."""
        texts = self.world.store._texts["folds"]
        id = sorted(texts)[number % len(texts)]
        self.world.corrupted.add(id)
        texts[id] = json.dumps({**json.loads(texts[id]), field: value})
        for tab in (0, 1):
            self.world.reload(tab)

    @rule()
    def rest(self) -> None:
        """All that waits goes on, and comes to an end."""
        self.world.quiesce()

    @invariant()
    def the_rules_hold(self) -> None:
        """All of them, after each step."""
        if hasattr(self, "world"):
            self.world.check()

    def teardown(self) -> None:
        """Everything comes to an end."""
        if hasattr(self, "world"):
            try:
                if not self.world.faults:
                    self.world.quiesce()
                    self.world.check()
            finally:
                self.world.end()


def test_the_rules_hold_whatever_happens_in_whatever_order() -> None:
    profile = settings(
        max_examples=EXAMPLES,
        stateful_step_count=60 if LENGTH == "long" else 40,
        deadline=None,
        derandomize=LENGTH != "long",
        print_blob=True,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate] if LENGTH == "brief" else list(Phase),
        database=None,
    )
    run_state_machine_as_test(MemoryMachine, settings=profile)
