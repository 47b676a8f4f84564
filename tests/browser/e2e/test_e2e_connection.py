"""Test connection: each fault has its own words, and a good endpoint is usable at once."""

from __future__ import annotations

import json
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser import scripted_server as scripted
from tests.browser.e2e.chat import Chat
from tests.browser.e2e.conftest import HTTP_ERRORS
from tests.browser.scripted_server import Hang, ScriptedServer, Status


def test_test_connection_names_the_likely_cause_of_each_failure(
    chat: Chat, server: ScriptedServer, watch
) -> None:
    watch.allow_error(HTTP_ERRORS + "|CORS policy")
    dialog = chat.settings()
    button = dialog.get_by_role("button", name="Test connection")
    result = dialog.get_by_role("status", name="Result of the test")

    def test(said: str) -> None:
        button.click()
        expect(result).to_contain_text(said)
        expect(button).to_be_enabled()

    test("scripted-model answers")
    for script, said in (
        (scripted.unauthorized(), "refused the API key (HTTP 401)"),
        (scripted.rate_limited("9"), "Try again in 9 seconds"),
        (scripted.error(429, "You exceeded your quota", code="insufficient_quota"), "no credit"),
        (scripted.broken(), "The server failed (HTTP 500)"),
        (scripted.web_page(200), "web page instead of JSON"),
        (scripted.error(404, "no such model", code="model_not_found"), "does not have this model"),
        (Status(200, {"object": "nothing"}), "no OpenAI-compatible API"),
    ):
        server.chat(script)
        test(said)
    server.models_script = scripted.unauthorized()
    test("refused the API key (HTTP 401)")
    server.models_script = scripted.web_page(200)
    test("web page instead of JSON")
    server.models_script = None
    server.cors = False
    test("CORS")
    server.cors = True
    server.models = [{"id": "another-model"}]
    server.chat(scripted.error(404, "no such model", code="model_not_found"))
    test("not in the server's list (another-model)")
    test("scripted-model answers")


def test_a_new_endpoint_is_set_up_tested_and_talked_to_with_the_page_alone(
    open_app: Callable[..., Page], server: ScriptedServer, watch
) -> None:
    server.key = "sk-e2e-secret-key"
    chat = Chat(open_app())
    chat.page.get_by_role("button", name="Connect an endpoint").click()
    dialog = chat.page.get_by_role("dialog", name="Settings")
    dialog.get_by_label("Kind of server").select_option(label="Another server")
    for typed, problem in (
        ("127.0.0.1:1234/v1", "must begin with http:// or https://"),
        ("http://me:secret@127.0.0.1/v1", "user name or password"),
        ("http://", "names no host"),
    ):
        field = chat.type_setting(dialog, "Base URL", typed)
        expect(dialog).to_contain_text(problem)
        expect(field).to_have_value(typed)  # what was typed stays
    chat.type_setting(dialog, "Base URL", server.base_url)
    chat.type_setting(dialog, "API key", "sk with spaces in it")
    expect(dialog).to_contain_text("The key has a space")
    chat.type_setting(dialog, "API key", f"  {server.key}  ")
    expect(dialog).not_to_contain_text("The key has a space")
    dialog.get_by_role("button", name="Test connection").click()
    # the page reloads once, so that its policy lets the address in, and takes the test up again
    result = dialog.get_by_role("status", name="Result of the test")
    expect(result).to_contain_text("1 model on offer")
    dialog.get_by_label("Models of this endpoint").select_option("scripted-model")
    expect(dialog.get_by_label("Context size", exact=True)).to_have_value("4096")
    chat.close(dialog)
    expect(chat.ask("Hello?")).to_contain_text("Scripted answer.")
    stored = json.loads(chat.value("pleat.settings") or "{}")
    assert server.key not in json.dumps(stored), "the key is in the settings"
    sent = server.chats()[-1]
    assert sent.headers["authorization"] == f"Bearer {server.key}"
    assert server.key not in chat.page.content()


def test_a_test_that_hangs_leaves_the_settings_usable(
    chat: Chat, server: ScriptedServer, watch
) -> None:
    watch.allow_error(HTTP_ERRORS)  # the connection is closed in the end
    hang = Hang()
    server.models_script = hang
    dialog = chat.settings()
    dialog.get_by_role("button", name="Test connection").click()
    assert hang.gate.reached.wait(60)
    chat.type_setting(dialog, "Longest answer", "77")
    chat.close(dialog)
    server.models_script = None
    expect(chat.ask("Still there?")).to_contain_text("Scripted answer.")
    assert server.chats()[-1].json["max_tokens"] == 77
    hang.gate.open()
