"""Storage that is corrupt, absent, forbidden or full: the page works, says what is not saved."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.e2e.chat import Chat, apples, contents
from tests.browser.e2e.conftest import settings_for
from tests.browser.scripted_server import Answer, ScriptedServer

NO_INDEXEDDB = "Object.defineProperty(window, 'indexedDB', {value: undefined});"
NO_OPENING = """IDBFactory.prototype.open = () => {
  throw new DOMException('The operation is insecure.', 'SecurityError'); };"""
FAILED_OPENING = """const open = IDBFactory.prototype.open;
IDBFactory.prototype.open = function (...all) {
  const request = {addEventListener(name, handler) {
    if (name === 'error') setTimeout(() => handler(new Event('error')));
  }, removeEventListener() {}, error: new DOMException('broken', 'UnknownError'), result: null};
  return request;
};"""
NO_LOCAL_STORAGE = """Object.defineProperty(window, 'localStorage', {get() {
  throw new DOMException('Access is denied.', 'SecurityError'); }});"""
FULL = """window.full = true;
const refuse = () => { throw new DOMException('no room', 'QuotaExceededError'); };
const put = IDBObjectStore.prototype.put;
IDBObjectStore.prototype.put = function (...all) {
  return window.full ? refuse() : put.apply(this, all); };
const set = Storage.prototype.setItem;
Storage.prototype.setItem = function (...all) {
  return window.full && this === window.localStorage ? refuse() : set.apply(this, all); };"""


@pytest.fixture
def open_crippled(
    fresh_context: BrowserContext, open_app: Callable[..., Page], server: ScriptedServer
) -> Iterator[Callable[[str], Chat]]:
    """Boots a page, connected to the server, in which a script has run before anything else."""

    def open_one(script: str) -> Chat:
        Chat(open_app(context=fresh_context, wait=False, storage={
            "pleat.settings": settings_for(server.base_url)}))  # fmt: skip
        fresh_context.add_init_script(script)
        return Chat(open_app(context=fresh_context))

    yield open_one


def not_saved(chat: Chat, said: str) -> None:
    """It is said, beside the title and as a notice, and an export is offered that works."""
    expect(chat.notices).to_contain_text(said)
    expect(chat.page.locator("#saved-state")).to_be_visible()
    with chat.page.expect_download() as started:
        chat.notices.get_by_role("button", name="Export now").click()
    text = started.value.path().read_text()
    assert "Is this kept?" in text


@pytest.mark.parametrize("script", [NO_INDEXEDDB, NO_OPENING, FAILED_OPENING])
def test_without_indexeddb_one_can_talk_and_fold_and_is_told_to_export(
    open_crippled: Callable[[str], Chat], server: ScriptedServer, script: str
) -> None:
    chat = open_crippled(script)
    chat.exact()
    server.default_chat = Answer("Noted." + apples(60))
    chat.ask("Is this kept?" + apples(60))
    not_saved(chat, "keeps no data")
    for number in range(5):
        chat.ask(f"Fact {number}." + apples(60))
    expect(chat.summary).not_to_have_value("")
    chat.accounted()
    chat.ask("Go on.")
    assert chat.summary.input_value().split("\n")[0] in contents(server.chats()[-1].json)[0]
    expect(chat.errors).to_have_count(0)


def test_with_localstorage_forbidden_the_page_works_for_as_long_as_it_is_open(
    open_crippled: Callable[[str], Chat],
) -> None:
    chat = open_crippled(NO_LOCAL_STORAGE)
    chat.send("Is this kept?")
    expect(chat.questions).to_contain_text(["Is this kept?"])
    not_saved(chat, "keeps no data")
    dialog = chat.settings()
    chat.type_setting(dialog, "Context size", "1024")
    chat.close(dialog)
    expect(chat.meter).to_have_attribute("aria-valuemax", "1024")
    chat.page.reload()
    expect(chat.questions).to_contain_text(["Is this kept?"])  # transcripts are elsewhere


def test_a_full_storage_is_said_and_what_waited_is_stored_when_there_is_room_again(
    open_crippled: Callable[[str], Chat], server: ScriptedServer
) -> None:
    chat = open_crippled(FULL)
    chat.ask("Is this kept?")
    not_saved(chat, "storage is full")
    chat.ask("And this?")
    assert contents(server.chats()[-1].json)[1:] == [
        "Is this kept?", "Scripted answer.", "And this?",
    ]  # fmt: skip
    chat.page.evaluate("() => { window.full = false; }")
    chat.ask("Now?")
    expect(chat.notices).not_to_contain_text("storage is full")
    expect(chat.page.locator("#saved-state")).to_be_hidden()
    chat.until_stored("messages", "Is this kept?")
    assert len(chat.stored("messages")) == 6


def test_corrupt_values_are_set_aside_said_once_and_cost_nothing_else(
    open_chat: Callable[..., Chat], server: ScriptedServer
) -> None:
    chat = open_chat(context=8192)
    server.default_utility = Answer("- The true summary.")
    for number in range(5):
        chat.ask(f"Fact {number}." + apples(40))
    chat.fold()
    summary = chat.summary.input_value()
    assert "true summary" in summary
    good = chat.value("pleat.settings")
    values: list[Any] = ["{", "null", "[]", '{"revision": "x"}', '"text"', "\u0000", "{" * 5000]
    for broken in values:
        keys = chat.page.evaluate(
            """(broken) => { const keys = Object.keys(localStorage).filter((key) =>
                 key.startsWith('pleat.') && key !== 'pleat.settings' && !key.includes('corrupt'));
               for (const key of keys) localStorage.setItem(key, broken); return keys; }""",
            broken,
        )
        assert any(key.startswith("pleat.summary.") for key in keys)
        chat.page.reload()
        expect(chat.questions).to_have_count(5)
        expect(chat.summary).to_have_value(summary)  # the ledger is the truth
        chat.accounted()
    record = json.loads(chat.summary_record() or "{}")
    assert record["summary"] == summary

    for broken in ("{", '{"schema": 99, "endpoints": 3, "context_sizes": [1], "preset": "evil"}'):
        chat.page.evaluate("(x) => localStorage.setItem('pleat.settings', x)", broken)
        chat.page.reload()
        expect(chat.questions).to_have_count(5)
        kept = chat.page.evaluate(
            "() => Object.entries(localStorage).filter(([k]) => k.startsWith('pleat.settings'))"
        )
        assert any(broken in value for key, value in kept), "broken settings were destroyed"
        dialog = chat.settings()
        expect(dialog).to_be_visible()
        chat.close(dialog)
    chat.page.evaluate("(x) => localStorage.setItem('pleat.settings', x)", good)
    chat.page.reload()
    expect(chat.questions).to_have_count(5)
    chat.ask("Go on.")
    assert "true summary" in contents(server.chats()[-1].json)[0]


def test_corrupt_records_are_set_aside_and_the_rest_of_the_chat_is_there(
    open_chat: Callable[..., Chat], server: ScriptedServer
) -> None:
    chat = open_chat(context=8192)
    for number in range(5):
        chat.ask(f"Fact {number}." + apples(40))
    chat.fold()
    chat.page.evaluate(
        """() => new Promise((done, failed) => {
          const opening = indexedDB.open('pleat');
          opening.onsuccess = () => {
            const db = opening.result;
            const tx = db.transaction(['conversations', 'messages', 'folds'], 'readwrite');
            const spoil = (store, change) => {
              const asked = tx.objectStore(store).getAll();
              asked.onsuccess = () => {
                const one = asked.result[0];
                tx.objectStore(store).put(change(one));
              };
            };
            spoil('folds', (one) => ({id: one.id, conversation_id: one.conversation_id, text: 7}));
            spoil('conversations', (one) => ({id: one.id, schema: 'x'}));
            tx.objectStore('messages').put({id: 'odd', conversation_id: 3, parts: 'none'});
            tx.oncomplete = () => { db.close(); done(); };
            tx.onerror = () => failed(tx.error);
          };
        })"""
    )
    chat.page.reload()
    expect(chat.questions).to_have_count(5)
    expect(chat.notices).to_contain_text("could not be read")
    chat.accounted()
    chat.ask("Go on.")
    sent = "\n".join(contents(server.chats()[-1].json))
    for number in range(5):
        assert f"Fact {number}." in sent, "a spoilt fold must not hide messages"
    assert chat.stored("aside"), "what cannot be read is kept aside"


def test_storage_cleared_under_the_page_loses_nothing_of_the_open_chat(
    chat: Chat, server: ScriptedServer
) -> None:
    chat.ask("Is this kept?")
    chat.page.evaluate(
        """() => new Promise((done) => {
          const opening = indexedDB.open('pleat');
          opening.onsuccess = () => {
            const db = opening.result;
            const names = [...db.objectStoreNames];
            const tx = db.transaction(names, 'readwrite');
            for (const name of names) tx.objectStore(name).clear();
            tx.oncomplete = () => { db.close(); done(); };
          };
        })"""
    )
    chat.ask("And this?")
    assert len(contents(server.chats()[-1].json)) == 4
    chat.until_stored("messages", "And this?")
    chat.page.reload()
    expect(chat.questions).to_contain_text(["Is this kept?", "And this?"])
