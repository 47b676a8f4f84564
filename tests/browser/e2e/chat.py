"""The page as a person uses it: everything is found by role and name, states are waited for.

A ``Chat`` wraps one booted page. Nothing here knows of Python or of storage, but for ``stored``.
"""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

PATIENCE = 60_000  # milliseconds: the machine may be busy, and no test is about time
IDLE = re.compile(
    "^(Ready|Answer complete|The answer was cut off at its limit|Conversation summarised|Stopped|"
    "The answer failed)$"
)


def apples(tokens: int) -> str:
    """Text of exactly so many tokens."""
    return " apple" * tokens


class Chat:
    """One page, booted."""

    def __init__(self, page: Page, patience: int = PATIENCE) -> None:
        """``patience``: how long a state is waited for, in milliseconds."""
        self.page = page
        page.set_default_timeout(patience)
        expect.set_options(timeout=patience)
        self.box = page.get_by_role("textbox", name="Message")
        self.log = page.get_by_role("log", name="Conversation")
        self.status = page.get_by_role("status", name="Status", exact=True)
        self.memory = page.get_by_role("region", name="Memory")
        self.summary = self.memory.get_by_role("textbox", name="Summary")
        self.meter = self.memory.get_by_role("meter", name="Context used")
        self.folds = self.memory.get_by_role("list", name="Folds").get_by_role("listitem")
        self.conversations = page.get_by_role("list", name="Conversations")
        self.notices = page.get_by_role("region", name="Notices")
        self.messages = self.log.get_by_role("article")
        self.answers = self.log.locator("article.assistant")
        self.questions = self.log.locator("article.user")
        self.errors = self.log.get_by_role("alert")

    # -- talking --------------------------------------------------------------------------

    def send(self, text: str) -> None:
        """Send a message, without waiting for its answer."""
        self.box.fill(text)
        self.page.get_by_role("button", name="Send").click()
        expect(self.box).to_have_value("")

    def ask(self, text: str) -> Locator:
        """Send and wait until it is answered (or failed); the answer."""
        before = self.answers.count()
        self.send(text)
        expect(self.answers).to_have_count(before + 1)
        self.idle()
        return self.answers.last

    def idle(self) -> None:
        """Wait until nothing is being prepared, folded for or answered."""
        expect(self.page.get_by_role("button", name="Send")).to_be_visible()
        expect(self.log).to_have_attribute("aria-busy", "false")
        expect(self.status).to_have_text(IDLE)

    def stop(self) -> None:
        """Press Stop and wait for the end."""
        self.page.get_by_role("button", name="Stop", exact=True).click()
        self.idle()

    def act(self, message: Locator, name: str) -> None:
        """Press one of a message's buttons, by its name."""
        message.hover()
        message.get_by_role("button", name=name).first.click()

    def edit(self, message: Locator, text: str) -> None:
        """Edit a message and save."""
        self.act(message, "Edit")
        message.get_by_role("textbox", name="Edited text").fill(text)
        message.get_by_role("button", name="Save and answer").click()

    def new(self) -> None:
        """Begin another conversation."""
        self.page.get_by_role("button", name="New chat", exact=True).first.click()
        expect(self.messages).to_have_count(0)

    def open(self, title: str) -> None:
        """Open the conversation of that title."""
        self.conversations.get_by_role("button", name=title, exact=True).click()
        expect(self.page.get_by_role("heading", level=1)).to_have_text(title)

    def delete(self, title: str) -> None:
        """Delete the conversation of that title."""
        row = self.conversations.get_by_role("listitem").filter(has_text=title)
        row.hover()
        row.get_by_role("button", name=f"Delete {title}").click()

    # -- memory ---------------------------------------------------------------------------

    def fold(self) -> None:
        """Press "Summarize & continue" and wait until its entry is in the ledger."""
        button = self.memory.get_by_role("button", name="Summarize & continue")
        expect(button).to_be_enabled()
        before = self.page.evaluate("() => window.pleat.memory.get()?.fold_id ?? null")
        button.click()
        self.page.wait_for_function(
            "(id) => (window.pleat.memory.get()?.fold_id ?? null) !== id", arg=before
        )
        self.idle()

    def folded(self, count: int) -> None:
        """Wait until the ledger shows so many entries."""
        expect(self.folds).to_have_count(count)

    def accounted(self) -> None:
        """The coverage has nothing unaccounted."""
        expect(self.memory).to_contain_text("0 unaccounted")

    def exact(self) -> None:
        """Wait until tokens are counted, not estimated."""
        expect(self.meter).to_have_attribute("aria-valuetext", re.compile(r"^\d"))

    # -- settings -------------------------------------------------------------------------

    def settings(self) -> Locator:
        """Open the dialog "Settings"."""
        self.page.get_by_role("button", name="Settings").click()
        dialog = self.page.get_by_role("dialog", name="Settings")
        expect(dialog).to_be_visible()
        return dialog

    def close(self, dialog: Locator) -> None:
        """Close a dialog."""
        dialog.get_by_role("button", name="Close").click()
        expect(dialog).to_have_count(0)

    def type_setting(self, dialog: Locator, label: str, text: str) -> Locator:
        """Type into a field and leave it; the field."""
        field = dialog.get_by_label(label, exact=True)
        field.fill(text)
        field.press("Tab")
        return field

    # -- what lies beneath ----------------------------------------------------------------

    def stored(self, store: str) -> list[dict[str, Any]]:
        """All records of one of the page's stores."""
        return self.page.evaluate(RECORDS, store)

    def until_stored(self, store: str, text: str) -> None:
        """Wait until some record of the store holds this text."""
        found = self.page.evaluate(UNTIL_STORED, [store, text])
        assert found, f"no record of {store} holds “{text}”"

    def until_value(self, key: str, text: str) -> None:
        """Wait until some value of localStorage under a key that begins so holds this text."""
        found = self.page.evaluate(UNTIL_VALUE, [key, text])
        assert found, f"no value under {key} holds “{text}”"

    def value(self, key: str) -> str | None:
        """A text of localStorage."""
        return self.page.evaluate("(key) => localStorage.getItem(key)", key)

    def summary_record(self) -> str | None:
        """The mirrored summary of the newest conversation, as text."""
        return self.page.evaluate(
            """() => Object.entries(localStorage)
              .filter(([key]) => /^pleat\\.summary\\.[0-9a-f]+$/.test(key)).map(([, x]) => x)[0]
              ?? null"""
        )


UNTIL_STORED = """async ([store, text]) => {
  for (let turn = 0; turn < 600; turn += 1) {
    const records = await new Promise((done) => {
      const opening = indexedDB.open('pleat');
      opening.onerror = () => done([]);
      opening.onsuccess = () => {
        const db = opening.result;
        const asked = db.transaction(store).objectStore(store).getAll();
        asked.onsuccess = () => { db.close(); done(asked.result); };
        asked.onerror = () => { db.close(); done([]); };
      };
    });
    if (records.some((one) => JSON.stringify(one).includes(text))) return true;
    await new Promise((done) => setTimeout(done, 100));
  }
  return false;
}"""

UNTIL_VALUE = """async ([key, text]) => {
  for (let turn = 0; turn < 600; turn += 1) {
    for (const [name, value] of Object.entries(localStorage))
      if (name.startsWith(key) && value.includes(text)) return true;
    await new Promise((done) => setTimeout(done, 100));
  }
  return false;
}"""

RECORDS = """(store) => new Promise((done, failed) => {
  const opening = indexedDB.open('pleat');
  opening.onerror = () => failed(opening.error);
  opening.onsuccess = () => {
    const db = opening.result;
    const asked = db.transaction(store).objectStore(store).getAll();
    asked.onsuccess = () => { db.close(); done(asked.result); };
    asked.onerror = () => { db.close(); failed(asked.error); };
  };
})"""


def contents(body: dict[str, Any]) -> list[str]:
    """The texts of a request's messages, in order."""
    return [str(message["content"]) for message in body["messages"]]


def roles(body: dict[str, Any]) -> list[str]:
    """The roles of a request's messages, in order."""
    return [str(message["role"]) for message in body["messages"]]
