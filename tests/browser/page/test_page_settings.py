"""Settings: each field saves itself, a refusal stands under it, and nothing typed is lost."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from app.browser.in_page_model import BYTES, MOST_TOKENS, SAMPLING
from tools.common import ROOT

STATIC = ROOT / "static" / "js"


@pytest.fixture
def settings(stub):
    """The page with the dialog open; every address may be reached."""
    stub.page.get_by_role("button", name="Settings").click()
    expect(stub.page.get_by_role("dialog", name="Settings")).to_be_visible()
    return stub


def type_into(stub, label: str, value: str) -> None:
    field = stub.page.get_by_label(label, exact=True)
    field.fill(value)
    field.press("Tab")


def test_a_refused_value_stays_with_its_reason_until_it_is_mended(settings) -> None:
    dialog = settings.page.get_by_role("dialog", name="Settings")
    reason = "The context size must be a number in digits, like 8192."
    settings.answer("update_settings", {"context_size": reason})
    type_into(settings, "Context size", "8k")
    field = dialog.get_by_label("Context size", exact=True)
    expect(dialog.get_by_role("alert").filter(has_text=reason)).to_be_visible()
    expect(field).to_have_attribute("aria-invalid", "true")
    settings.publish("settings", context_size=4096)
    expect(field).to_have_value("8k")
    settings.answer("update_settings", {})
    type_into(settings, "Context size", "8192")
    assert settings.asked("update_settings", 1)[-1] == [{"context_size": "8192"}]
    expect(dialog.get_by_role("alert").filter(has_text=reason)).to_be_hidden()


def test_closing_and_opening_again_loses_nothing_typed(settings) -> None:
    settings.publish("settings", chat_endpoint="in-page")
    settings.answer("update_settings", {"temperature": "The temperature must be at most 2."})
    type_into(settings, "Temperature", "9")
    settings.page.get_by_role("button", name="Done").click()
    settings.page.get_by_role("button", name="Settings").click()
    expect(settings.page.get_by_label("Temperature", exact=True)).to_have_value("9")


def test_a_new_endpoint_is_saved_with_its_key(settings) -> None:
    page = settings.page
    page.get_by_label("Who answers").select_option("+new")
    page.get_by_label("Kind of server").select_option("openrouter")
    expect(page.get_by_label("Base URL")).to_have_value("https://openrouter.ai/api/v1")
    type_into(settings, "API key", "sk-test")
    type_into(settings, "Base URL", "https://openrouter.ai/api/v1/")
    page.get_by_label("Base URL").press("Enter")
    [patch] = settings.asked("update_settings", 1)[0]
    added = patch["endpoints"][-1]
    assert added["base_url"] == "https://openrouter.ai/api/v1/"
    assert added["name"] == "OpenRouter"
    assert patch["chat_endpoint"] == added["id"]
    assert all(endpoint["kind"] != "in-page" for endpoint in patch["endpoints"])
    assert settings.asked("set_key", 1)[0] == [added["id"], "sk-test"]
    ids = {patch["endpoints"][-1]["id"] for [patch] in settings.asked("update_settings")}
    assert ids == {added["id"]}, "saving twice makes no second endpoint"


TAKES = """() => {
  window.stub.answers.update_settings = (patch) => {
    const before = window.stub.topics.settings;
    window.stub.publish('settings', {...before, ...patch});
    return {};
  };
}"""


def test_a_new_endpoint_never_takes_the_address_of_a_saved_one(settings) -> None:
    page = settings.page
    page.evaluate(TAKES)
    # its own address and name have been drawn more than once
    settings.publish("settings", theme="light")
    page.get_by_label("Who answers").select_option("+new")
    page.get_by_label("Kind of server").select_option("openai")
    for label in ("Base URL", "Name"):
        page.get_by_label(label, exact=True).focus()
        page.get_by_label(label, exact=True).press("Tab")
    expect(page.get_by_label("Base URL")).to_have_value("https://api.openai.com/v1")
    expect(page.get_by_label("Name", exact=True)).to_have_value("OpenAI")
    page.get_by_label("Base URL").press("Enter")
    [patch] = settings.asked("update_settings", 1)[0]
    assert patch["endpoints"][-1]["base_url"] == "https://api.openai.com/v1"
    assert patch["endpoints"][0]["base_url"] == "http://localhost:8080/v1"


def test_a_test_is_of_the_address_that_was_typed_just_before(settings) -> None:
    page = settings.page
    typed = page.url + "v2"
    page.evaluate(TAKES)
    settings.publish("settings", theme="light")
    field = page.get_by_label("Base URL")
    field.fill(typed)
    settings.publish("settings", theme="dark")  # a drawing meanwhile takes nothing back
    page.get_by_role("button", name="Test connection").click()
    assert settings.asked("test_connection", 1) == [["e1"]]
    saved = [patch["endpoints"][0]["base_url"] for [patch] in settings.asked("update_settings")]
    assert saved
    assert set(saved) == {typed}
    expect(field).to_have_value(typed)
    # how it was taken is shown when it comes
    page.get_by_label("Name", exact=True).focus()
    taken = [{"id": "e1", "name": "x", "base_url": typed + "/taken", "kind": "openai"}]
    settings.publish("settings", endpoints=taken)
    expect(field).to_have_value(typed + "/taken")


def test_a_wrong_address_is_refused_under_its_field(settings) -> None:
    reason = "The address must begin with http:// or https://."
    settings.answer("update_settings", {"endpoints": reason})
    type_into(settings, "Base URL", "localhost:11434")
    dialog = settings.page.get_by_role("dialog", name="Settings")
    expect(dialog.get_by_role("alert").filter(has_text=reason)).to_be_visible()
    expect(dialog.get_by_label("Base URL")).to_have_value("localhost:11434")


def test_a_key_that_is_refused_says_why(settings) -> None:
    settings.answer("set_key", "A key cannot hold spaces.")
    type_into(settings, "API key", "a b")
    dialog = settings.page.get_by_role("dialog", name="Settings")
    expect(dialog.get_by_role("alert").filter(has_text="A key cannot hold spaces.")).to_be_visible()
    expect(dialog.get_by_label("API key", exact=True)).to_have_attribute("type", "password")
    dialog.get_by_role("button", name="Show the key").click()
    expect(dialog.get_by_label("API key", exact=True)).to_have_attribute("type", "text")


def test_a_test_tells_its_result_in_place(settings) -> None:
    page = settings.page
    page.evaluate("() => { window.pleatMayConnect ??= () => true; }")
    settings.answer("test_connection", {"ok": False, "text": "The key was refused (401)."})
    # the page's policy knows no endpoint here, so the page's own address stands for one
    settings.publish(
        "settings",
        endpoints=[{"id": "e1", "name": "here", "base_url": page.url + "v1", "kind": "openai"}],
    )
    page.get_by_role("button", name="Test connection").click()
    expect(page.get_by_role("status", name="Result of the test")).to_have_text(
        "The key was refused (401)."
    )
    assert settings.asked("test_connection", 1) == [["e1"]]


KEEP = """() => localStorage.setItem(`${window.pleatStoragePrefix}settings`,
  JSON.stringify({endpoints: window.stub.topics.settings.endpoints}))"""


MOVED = """(reason) => {
  window.stub.answers.update_settings = ({endpoints}) => {
    window.stub.publish('settings', {...window.stub.topics.settings, endpoints, has_key: {}});
    return {endpoints: reason};
  };
}"""


def test_a_key_that_was_typed_never_goes_along_to_another_address(settings) -> None:
    page = settings.page
    type_into(settings, "API key", "sk-first")
    assert settings.asked("set_key", 1) == [["e1", "sk-first"]]
    expect(page.get_by_label("API key", exact=True)).to_have_value("")
    page.evaluate(MOVED, "The address is saved. The key is forgotten: type one for here.")
    type_into(settings, "Base URL", "https://openrouter.ai/api/v1")
    about = page.get_by_role("status", name="About the key")
    expect(about).to_contain_text("The key was for localhost:8080")
    expect(page.get_by_label("Base URL")).not_to_have_attribute("aria-invalid", "true")
    assert settings.asked("set_key", 1) == [["e1", "sk-first"]]


def test_no_reload_cuts_an_answer_off(settings) -> None:
    page = settings.page
    page.evaluate(KEEP)
    settings.publish("busy", state="answering", conversation_id="c1")
    page.evaluate("() => { window.same = true; }")
    page.get_by_role("button", name="Test connection").click()
    result = page.get_by_role("status", name="Result of the test")
    expect(result).to_contain_text("would cut off the answer")
    page.get_by_role("button", name="Done").click()
    notices = page.get_by_role("region", name="Notices")
    expect(notices).to_contain_text("would cut off the answer")
    assert page.evaluate("() => window.same") is True


def test_no_reload_that_would_forget_the_address(settings) -> None:
    page = settings.page
    page.evaluate("() => { window.same = true; }")
    page.get_by_role("button", name="Load list").click()
    result = page.get_by_role("status", name="Result of the test")
    expect(result).to_contain_text("keeps no data")
    assert page.evaluate("() => window.same") is True


def test_a_key_that_was_forgotten_with_its_address_is_said_under_its_field(settings) -> None:
    page = settings.page
    about = page.get_by_role("status", name="About the key")
    expect(about).to_be_hidden()
    moved = [
        {"id": "e1", "name": "x", "base_url": "https://openrouter.ai/api/v1", "kind": "openai"}
    ]
    settings.publish("settings", endpoints=moved, has_key={})
    expect(about).to_contain_text("The key was for localhost:8080")
    expect(about).to_contain_text("openrouter.ai")
    settings.publish("settings", has_key={"e1": True})
    expect(about).to_be_hidden()


def test_a_new_address_is_reached_after_one_reload_that_takes_up_the_test(settings, start) -> None:
    page = settings.page
    page.evaluate(KEEP)
    box = page.locator("#message")
    page.get_by_role("button", name="Done").evaluate("(node) => node.isConnected")
    with page.expect_navigation():
        page.get_by_role("button", name="Test connection").click()
    assert settings.page.evaluate("() => window.stub.asked.length") == 0
    expect(box).to_be_visible()
    page.evaluate(
        "() => { window.stub.topics.settings.endpoints[1].base_url = location.href + 'v1'; }"
    )
    page.evaluate(
        "() => { window.stub.answers.test_connection = {ok: true, text: 'It works: 3 models.'}; }"
    )
    again = start(page)
    expect(page.get_by_role("dialog", name="Settings")).to_be_visible()
    expect(page.get_by_role("status", name="Result of the test")).to_have_text(
        "It works: 3 models."
    )
    assert again.asked("test_connection", 1) == [["e1"]]
    expect(page.get_by_role("button", name="Test connection")).to_be_focused()
    expect(page.get_by_role("status", name="Result of the test")).to_be_in_viewport(ratio=1)


def test_the_reload_for_a_new_address_brings_the_model_in_the_page_back(settings, start) -> None:
    page = settings.page
    page.evaluate(KEEP)
    settings.publish("local_model", state="ready")
    with page.expect_navigation():
        page.get_by_role("button", name="Test connection").click()
    again = start(page)
    assert again.asked("load_local_model", 1) == [[False]]  # loaded, and not chosen
    page.reload()
    assert start(page).asked("load_local_model") == []  # once


def test_no_reload_drops_a_model_that_was_opened_from_a_file_unasked(settings, start) -> None:
    page = settings.page
    page.evaluate(KEEP)
    settings.publish("local_model", state="ready", name="other-1b", from_file=True)
    page.evaluate("() => { window.same = true; }")
    page.get_by_role("button", name="Test connection").click()
    asked = page.get_by_role("dialog", name="Reload the page once?")
    asked.get_by_role("button", name="Cancel").click()
    result = page.get_by_role("status", name="Result of the test")
    expect(result).to_contain_text("Not tried")
    assert page.evaluate("() => window.same") is True
    page.get_by_role("button", name="Test connection").click()
    with page.expect_navigation():
        asked.get_by_role("button", name="Reload").click()
    assert start(page).asked("load_local_model") == []


def test_who_closes_the_settings_finds_them_closed_after_the_reload(settings, start) -> None:
    page = settings.page
    page.evaluate(KEEP)
    with page.expect_navigation():
        page.get_by_role("button", name="Done").click()
    start(page)
    expect(page.get_by_role("dialog", name="Settings")).to_have_count(0)


HERE = """() => {
  const endpoints = [{id: 'e1', name: 'here', base_url: location.href + 'v1', kind: 'openai'}];
  window.stub.patch('settings', {endpoints});
}"""


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 760)])
def test_the_result_of_a_test_is_in_view(settings, width: int, height: int) -> None:
    page = settings.page
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate(HERE)
    settings.settle()
    settings.answer("test_connection", {"ok": False, "text": "The key was refused (401)."})
    button = page.get_by_role("button", name="Test connection")
    button.click()
    result = page.get_by_role("status", name="Result of the test")
    expect(result).to_have_text("The key was refused (401).")
    expect(result).to_be_in_viewport(ratio=1)  # the dialog's body clips what its footer covers
    expect(button).to_be_focused()


def test_who_has_chosen_a_model_is_not_asked_to_choose_one(settings) -> None:
    page = settings.page
    page.evaluate(HERE)
    settings.publish("settings", chat_model="")
    listed = {"ok": True, "text": "Connected: 2 models on offer. Choose one."}
    settings.answer("test_connection", listed)
    page.get_by_role("button", name="Test connection").click()
    result = page.get_by_role("status", name="Result of the test")
    expect(result).to_have_text("Connected: 2 models on offer. Choose one.")
    items = [{"id": "m", "context_size": 0}, {"id": "n", "context_size": 0}]
    settings.publish("models", endpoint_id="e1", state="ready", items=items)
    page.get_by_label("Models of this endpoint").select_option("n")
    expect(result).to_have_text("Connected: 2 models on offer.")


def test_the_kind_of_server_stays_whatever_its_port(stub) -> None:
    page = stub.page
    url = "http://localhost:9999/v1"
    mine = [{"id": "e2", "name": "Ollama", "base_url": url, "kind": "openai"}]
    stub.publish("settings", endpoints=mine, chat_endpoint="e2")
    page.get_by_role("button", name="Settings").click()
    expect(page.get_by_label("Kind of server")).to_have_value("ollama")
    expect(page.get_by_role("dialog", name="Settings")).to_contain_text("OLLAMA_ORIGINS")
    page.get_by_label("Kind of server").select_option("lmstudio")
    [patch] = stub.asked("update_settings", 1)[-1]
    assert patch["endpoints"] == [{**mine[0], "name": "LM Studio"}]


def test_models_of_the_list_can_be_chosen(settings) -> None:
    page = settings.page
    items = [{"id": "small", "context_size": 8192}, {"id": "<b>big</b>", "context_size": None}]
    settings.publish("models", endpoint_id="e1", items=items, state="ready")
    pick = page.get_by_label("Models of this endpoint")
    expect(pick).to_contain_text("small (8,192 tokens)")
    pick.select_option("<b>big</b>")
    assert settings.asked("update_settings", 1)[-1] == [{"chat_model": "<b>big</b>"}]
    settings.publish("models", items=[], state="failed", error="No answer from the server.")
    expect(page.get_by_role("alert").filter(has_text="No answer from the server.")).to_be_visible()


def test_the_only_model_of_a_server_is_chosen_at_once(settings) -> None:
    settings.publish("settings", chat_model="")
    settings.page.get_by_label("Chat model", exact=True).fill("")
    items = [{"id": "alone", "context_size": 4096}]
    settings.publish("models", endpoint_id="e1", items=items, state="ready")
    assert [{"chat_model": "alone"}] in settings.asked("update_settings", 1)


def test_the_numbers_of_the_preset_are_fields(settings) -> None:
    type_into(settings, "Recalled passages", "0")
    assert settings.asked("update_settings", 1) == [[{"recall_tokens": "0"}]]


def test_the_theme_is_drawn_at_once(settings) -> None:
    root = settings.page.locator("html")
    settings.publish("settings", theme="dark")
    expect(root).to_have_attribute("data-theme", "dark")
    settings.publish("settings", theme="system")
    assert root.get_attribute("data-theme") is None


def test_an_export_is_a_file(settings) -> None:
    settings.answer("export_all", json.dumps({"conversations": []}))
    with settings.page.expect_download() as download:
        settings.page.get_by_role("button", name="Export all chats").click()
    name = download.value.suggested_filename
    assert name.startswith("pleat-")
    expect(settings.page.get_by_text(f"All chats are in {name}")).to_be_visible()
    with open(download.value.path(), encoding="utf-8") as file:
        assert json.load(file) == {"conversations": []}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_an_import_reads_the_text_and_shows_the_report(settings, encoding: str) -> None:
    page = settings.page
    report = {"format": "chatgpt", "text": "Imported 2 conversations with 17 messages."}
    settings.answer("import_text", report)
    files = [
        {"name": "chats.json", "mimeType": "application/json", "buffer": "[{}] ü".encode(encoding)}
    ]
    page.get_by_label("File to import").set_input_files(files)
    dialog = page.get_by_role("dialog", name="Import")
    expect(dialog).to_contain_text("17")
    assert settings.asked("import_text", 1) == [["chats.json", "[{}] ü"]]


def test_a_file_is_asked_for_by_one_button_only(settings) -> None:
    dialog = settings.page.get_by_role("dialog", name="Settings")
    settings.publish("settings", chat_endpoint="in-page", chat_model="")
    for shown, picker in (("Import a file", "File to import"), ("Open another GGUF", "GGUF file")):
        expect(dialog.get_by_role("button", name=shown)).to_have_count(1)
        expect(dialog.get_by_label(picker, exact=True)).to_be_hidden()
        expect(dialog.get_by_role("button", name=picker, exact=True)).to_have_count(0)
    with settings.page.expect_file_chooser():
        dialog.get_by_role("button", name="Import a file").click()


def test_a_file_that_is_no_chat_says_so_in_place(settings) -> None:
    settings.answer("import_text", {"error": "This file holds no chat."})
    files = [{"name": "a.json", "mimeType": "application/json", "buffer": b"[]"}]
    settings.page.get_by_label("File to import").set_input_files(files)
    alert = settings.page.get_by_role("alert").filter(has_text="a.json: This file holds no chat.")
    expect(alert).to_be_visible()


def test_deleting_all_chats_asks_first(settings) -> None:
    page = settings.page
    page.get_by_role("button", name="Delete all chats").click()
    page.get_by_role("button", name="Cancel").click()
    assert settings.asked("delete_all") == []
    page.get_by_role("button", name="Delete all chats").click()
    page.get_by_role("dialog", name="Delete all chats?").get_by_role(
        "button", name="Delete all"
    ).click()
    assert settings.asked("delete_all", 1) == [[]]


def test_the_model_in_the_page_is_loaded_with_progress(stub) -> None:
    page = stub.page
    stub.publish("settings", chat_endpoint="in-page", chat_model="")
    page.get_by_role("button", name="Run SmolLM2 135M in this page (98 MB, from this site)").click()
    assert stub.asked("load_local_model", 1) == [[]]
    stub.publish("local_model", state="loading", loaded=49_000_000, total=98_000_000)
    expect(page.get_by_text("Loading 49 MB of 98 MB")).to_be_visible()
    expect(page.get_by_role("progressbar", name="Loading the model")).to_have_js_property(
        "value", 0.5
    )
    stub.publish("local_model", state="failed", error="Not enough memory.")
    expect(page.get_by_text("Not enough memory.")).to_be_visible()
    expect(page.get_by_role("button", name="Try to load the model again")).to_be_visible()
    stub.publish("local_model", state="ready")
    expect(page.get_by_text("answers, in this page")).to_be_visible()


KEEP_MODEL = """async (bytes) => {
  const url = new URL('static/models/SmolLM2-135M-Instruct.Q4_1.gguf', document.baseURI).href;
  const digest = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(url));
  const hex = [...new Uint8Array(digest)].map((b) => b.toString(16).padStart(2, '0')).join('');
  const root = await navigator.storage.getDirectory();
  const folder = await root.getDirectoryHandle('cache', {create: true});
  const name = `${hex}_SmolLM2-135M-Instruct.Q4_1.gguf`;
  const file = await (await folder.getFileHandle(name, {create: true})).createWritable();
  await file.truncate(bytes);
  await file.close();
}"""


@pytest.mark.parametrize(
    ("bytes_kept", "words"), [(BYTES, "98 MB, on this device"), (1000, "98 MB, from this site")]
)
def test_a_model_that_is_kept_already_is_said_to_be_on_this_device(
    page, start, bytes_kept: int, words: str
) -> None:
    page.evaluate(KEEP_MODEL, bytes_kept)
    page.reload()
    stub = start(page)
    stub.publish("settings", chat_endpoint="in-page", chat_model="")
    button = page.get_by_role("button", name="Run SmolLM2 135M in this page").first
    expect(button).to_contain_text(words)


@pytest.mark.parametrize("width", [1280, 390])
def test_the_buttons_of_the_model_in_the_page_stand_apart(stub, width: int) -> None:
    page = stub.page
    page.set_viewport_size({"width": width, "height": 844})
    stub.publish("settings", chat_endpoint="in-page", chat_model="")
    run = page.get_by_role("button", name="Run SmolLM2").bounding_box()
    other = page.get_by_role("button", name="Open another GGUF file…").bounding_box()
    across = other["x"] - (run["x"] + run["width"])
    down = other["y"] - (run["y"] + run["height"])
    assert max(across, down) >= 6


def test_a_model_from_a_file_is_named_with_its_size_and_missed_after_a_reload(settings) -> None:
    page = settings.page
    dialog = page.get_by_role("dialog", name="Settings")
    settings.publish("settings", chat_endpoint="in-page", chat_model="other-1b.Q4")
    expect(dialog).to_contain_text("“other-1b.Q4” was opened from a file")
    with page.expect_file_chooser() as chooser:
        dialog.get_by_role("button", name="Open another GGUF file…").click()
    file = {"name": "other-1b.Q4.gguf", "mimeType": "application/octet-stream", "buffer": b"GGUF"}
    chooser.value.set_files([file])  # type: ignore[list-item]
    assert settings.asked("open_model_file", 1) == [[]]
    ready = {"state": "ready", "name": "other-1b.Q4", "bytes": 812_000_000, "from_file": True}
    settings.publish("local_model", **ready)
    expect(dialog).to_contain_text("other-1b.Q4 (812 MB, from a file) is loaded")
    expect(dialog.get_by_role("button", name="Run SmolLM2 135M")).to_be_visible()


def test_a_long_list_of_models_is_narrowed_by_typing(settings) -> None:
    page = settings.page
    items = [
        {"id": f"maker/model-{n}-{size}", "context_size": 4096}
        for n in range(40)
        for size in ("mini", "large")
    ]
    settings.publish("models", endpoint_id="e1", state="ready", items=items)
    choice = page.get_by_label("Models of this endpoint")
    expect(choice.get_by_role("option")).to_have_count(80)
    page.get_by_label("Narrow the list of models").fill("17 LARGE")
    expect(choice.get_by_role("option")).to_have_count(1)
    choice.select_option("maker/model-17-large")
    assert settings.asked("update_settings", 1)[-1] == [{"chat_model": "maker/model-17-large"}]


def test_an_import_says_how_far_it_is_and_what_it_brought(settings) -> None:
    page = settings.page
    counts = {"found": 3, "imported": 2, "empty": 0, "skipped": 0, "failed": 1}
    reason = {
        "what": "message",
        "outcome": "failed",
        "text": "no text",
        "count": 2,
        "where": ["message 4"],
    }
    report = {
        "format": "pleat",
        "text": "Imported 2 conversations.",
        "conversations": counts,
        "messages": counts,
        "folds": {**counts, "found": 0},
        "reasons": [reason],
    }
    settings.answer("import_text", report)
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Import a file").click()
    file = {"name": "chats.json", "mimeType": "application/json", "buffer": b"[]"}
    chooser.value.set_files([file])  # type: ignore[list-item]
    dialog = page.get_by_role("dialog", name="Import")
    expect(dialog).to_contain_text("Imported 2 conversations.")
    expect(dialog.get_by_role("row", name="Chats 3 2 1")).to_be_visible()
    expect(dialog).to_contain_text("2 messages failed: no text (message 4, …)")


def test_everything_on_the_device_is_deleted_only_after_a_question(settings) -> None:
    page = settings.page
    page.evaluate("() => localStorage.setItem(`${window.pleatStoragePrefix}secrets`, '{}')")
    page.evaluate("() => localStorage.setItem('another', 'stays')")
    page.get_by_role("button", name="Delete everything on this device").click()
    page.get_by_role("dialog", name="Delete everything?").get_by_role(
        "button", name="Cancel"
    ).click()
    assert settings.asked("delete_everything") == []
    page.get_by_role("button", name="Delete everything on this device").click()
    with page.expect_navigation():
        sure = page.get_by_role("dialog", name="Delete everything?")
        sure.get_by_role("button", name="Delete everything").click()
    assert page.evaluate("() => Object.keys(localStorage)") == ["another"]


def test_for_a_model_in_the_page_the_settings_say_what_it_does(settings) -> None:
    dialog = settings.page.get_by_role("dialog", name="Settings")
    who = dialog.get_by_label("Who summarises")
    temperature = dialog.get_by_label("Temperature", exact=True)
    longest = dialog.get_by_label("Longest answer", exact=True)
    expect(who.locator("option:checked")).to_have_text("The chat model")
    expect(temperature).to_have_attribute("placeholder", "The server’s own")
    expect(temperature).to_have_accessible_description("0 to 2; empty for the server’s own.")
    settings.publish("settings", chat_endpoint="in-page", chat_model="SmolLM2-135M-Instruct")
    expect(who.locator("option:checked")).to_have_text("No model (it runs in this page)")
    expect(who).to_have_accessible_description(re.compile("too small to summarise"))
    expect(temperature).to_have_attribute("placeholder", "0.2")
    expect(temperature).to_have_accessible_description(re.compile("empty for 0.2"))
    expect(longest).to_have_accessible_description(re.compile("stops at 384"))
    settings.publish("settings", utility="other", utility_endpoint="e1", utility_model="big")
    expect(who.locator("option:checked")).to_have_text("Another model")
    expect(who).not_to_have_accessible_description(re.compile("too small"))
    settings.publish("settings", utility_endpoint="in-page")
    expect(who).to_have_accessible_description(re.compile("too small to summarise"))


def test_what_is_said_of_the_model_in_the_page_is_what_it_does() -> None:
    said = (STATIC / "settings_dialog.js").read_text(encoding="utf-8")
    assert f"IN_PAGE_TEMPERATURE = {SAMPLING['temperature']};" in said
    assert f"IN_PAGE_ANSWER = {MOST_TOKENS};" in said
