"""The page in a real browser: served under a sub-path, watched for every request and error.

`app` is a booted page in the session's warm context, its storage emptied before; `fresh_context`
is a new context (cold cache, own storage); `open_app` boots further pages, with storage of your
choice. A test that provokes errors allows them: `watch.allow_error(pattern)`; one that uses an
endpoint names it: `watch.allow_host(url)`. The site under test is the repository itself, or
dist/ where PLEAT_SITE=dist. `page.wait_for_function` needs eval, which the page's policy forbids:
use locators and `expect`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    BrowserType,
    ConsoleMessage,
    Page,
    Request,
    expect,
)

from tools import browser as chromium
from tools import serve
from tools.common import ROOT

BOOT_LIMIT_MS = 120_000
PATIENCE_MS = 60_000  # for any state that is waited for: the machine may be busy
RESULTS = ROOT / "test-results"
SCREENSHOTS = RESULTS / "screenshots"
LONGEST = ("test_in_pyodide.py", "test_e2e_reload_anywhere.py", "test_e2e_models.py")
"""Run first, so that no worker is left alone with one of them at the end."""
TOGETHER = {"test_e2e_models.py": "models"}
"""Files whose tests run in one worker, one after the other: each loads a real model."""
ENDED = "html[data-boot=ready], html[data-boot=failed]"
EMPTY_STORAGE = """async () => {
  localStorage.clear();
  sessionStorage.clear();
  for (const {name} of await indexedDB.databases()) {
    await new Promise((done) => {
      const request = indexedDB.deleteDatabase(name);
      request.onsuccess = request.onerror = request.onblocked = done;
    });
  }
}"""


class Watch:
    """What the pages of one test did that no page should: asked other hosts, or reported errors."""

    def __init__(self, site_url: str) -> None:
        self.site_url = site_url
        self.outside: list[str] = []
        self.errors: list[str] = []
        self._hosts: list[str] = [site_url, "data:", "blob:"]
        self._patterns: list[str] = []

    def allow_host(self, url: str) -> None:
        """Requests to this URL's origin are meant."""
        match = re.match(r"https?://[^/]+", url)
        self._hosts.append(f"{match[0]}/" if match else url)

    def allow_error(self, pattern: str) -> None:
        """Errors that match this regular expression are provoked by the test."""
        self._patterns.append(pattern)

    def attach(self, page: Page) -> None:
        """Watch a page from now on."""
        page.on("request", self._on_request)
        page.on("pageerror", lambda error: self.errors.append(f"page error: {error}"))
        page.on("console", self._on_console)

    def _on_request(self, request: Request) -> None:
        self.outside.append(request.url)

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            where = message.location.get("url", "")
            if where.endswith("/favicon.ico"):
                return  # asked for by the browser itself while the test prepares the storage
            self.errors.append(f"console error: {message.text} ({where})")

    def check(self) -> None:
        """Fail on the first kind of trouble that was not allowed."""
        outside = [url for url in self.outside if not url.startswith(tuple(self._hosts))]
        assert outside == [], "the page asked another host"
        errors = [e for e in self.errors if not any(re.search(p, e) for p in self._patterns)]
        assert errors == [], "the page reported errors"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The longest tests first, and which of them never run side by side."""
    order = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: order.get(item.path.name, len(order)))
    for item in items:
        if item.path.name in TOGETHER and config.pluginmanager.hasplugin("xdist"):
            item.add_marker(pytest.mark.xdist_group(TOGETHER[item.path.name]))


def pytest_sessionstart(session: pytest.Session) -> None:
    """Results of earlier runs go once, before any worker begins."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        shutil.rmtree(RESULTS, ignore_errors=True)


@pytest.fixture(scope="session", autouse=True)
def delete_output_dir() -> None:
    """In place of the plugin's, which would delete what another worker has just written."""


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    return {
        **browser_type_launch_args,
        "executable_path": chromium.executable(),
        "args": chromium.flags(),
    }


@pytest.fixture(scope="session", autouse=True)
def patience() -> None:
    """The same patience in every test, whichever ran before it in this process."""
    expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="session")
def site_folder() -> tuple[Path, tuple[str, ...] | None]:
    """The folder under test, and which names of it are the site."""
    if os.environ.get("PLEAT_SITE", "root") == "dist":
        from tools import site

        return site.build_if_stale(), None
    return ROOT, serve.SITE


@pytest.fixture(scope="session")
def site_url(site_folder: tuple[Path, tuple[str, ...] | None]) -> Iterator[str]:
    """The page's address: a sub-path of a host that sets no headers."""
    with serve.serving({"/pleat/": site_folder}) as origin:
        yield f"{origin}/pleat/"


@pytest.fixture(scope="session")
def base_url(site_url: str) -> str:
    """What page.goto("./") is relative to, in every context."""
    return site_url


@pytest.fixture(scope="session")
def warm_context(
    browser_type: BrowserType,
    browser_type_launch_args: dict[str, Any],
    browser_context_args: dict[str, Any],
) -> Iterator[BrowserContext]:
    """One context for the whole session: what it downloaded and compiled stays warm.

    It is a browser with a profile, as everyone's is: only there is compiled WebAssembly kept.
    """
    options = {**browser_type_launch_args, **browser_context_args}
    with tempfile.TemporaryDirectory(
        prefix="pleat-profile-", ignore_cleanup_errors=True
    ) as profile:
        context = browser_type.launch_persistent_context(profile, **options)
        yield context
        context.close()


@pytest.fixture
def fresh_context(
    browser: Browser, browser_context_args: dict[str, Any]
) -> Iterator[BrowserContext]:
    """A context of the test's own: empty storage, cold cache, several tabs if wanted."""
    context = browser.new_context(**browser_context_args)
    yield context
    context.close()


@pytest.fixture
def watch(site_url: str) -> Iterator[Watch]:
    """Watches the test's pages; checked when the test is over."""
    watcher = Watch(site_url)
    yield watcher
    watcher.check()


def _load(page: Page, storage: dict[str, Any] | None, empty: bool) -> None:
    """Prepare the storage of the page's origin, then load the page."""
    if empty or storage:
        page.goto("./static/js/csp.js")  # the same origin, without the page's program
        if empty:
            page.evaluate(EMPTY_STORAGE)
        for key, value in (storage or {}).items():
            text = value if isinstance(value, str) else json.dumps(value)
            page.evaluate("([key, text]) => localStorage.setItem(key, text)", [key, text])
    page.goto("./")


def wait_until_booted(page: Page) -> None:
    """Wait until the boot has ended, and fail with its own words when it failed."""
    page.locator(ENDED).wait_for(state="attached", timeout=BOOT_LIMIT_MS)
    if page.locator("html").get_attribute("data-boot") == "failed":
        pytest.fail(f"the boot failed: {page.locator('#boot-error').text_content()}")


@pytest.fixture
def open_app(warm_context: BrowserContext, watch: Watch) -> Iterator[Callable[..., Page]]:
    """Boots a page. `storage` is put into localStorage before (values that are no text as JSON).

    Without `context` it opens in the warm one with emptied storage; in a context that is given,
    storage is left as it is unless `empty` says otherwise. `wait=False` returns before the boot.
    """
    opened: list[Page] = []

    def new_page(context: BrowserContext) -> Page:
        page = context.new_page()
        opened.append(page)
        watch.attach(page)
        return page

    def open_one(
        *,
        context: BrowserContext | None = None,
        storage: dict[str, Any] | None = None,
        empty: bool | None = None,
        wait: bool = True,
    ) -> Page:
        where = context or warm_context
        wipe = context is None if empty is None else empty
        crashes: list[Page] = []
        page = new_page(where)
        page.on("crash", lambda crashed: crashes.append(crashed))
        try:
            _load(page, storage, wipe)
            if wait:
                wait_until_booted(page)
        except Exception:
            # a renderer that crashes while booting has been seen about once in 200 boots
            if not crashes:
                raise
            page = new_page(where)
            _load(page, storage, wipe)
            if wait:
                wait_until_booted(page)
        return page

    yield open_one
    for page in opened:
        page.close()


@pytest.fixture
def app(open_app: Callable[..., Page]) -> Page:
    """The page, booted, with empty storage."""
    return open_app()


@pytest.fixture
def screenshot() -> Callable[[Page, str], Path]:
    """Keeps a picture of the page in an ignored folder, for people to look at."""

    def keep(page: Page, name: str) -> Path:
        path = SCREENSHOTS / f"{name}.png"
        page.screenshot(path=path, animations="disabled")
        return path

    return keep


@pytest.fixture(scope="session")
def llama_servers() -> Iterator[Callable[[int], str]]:
    """llama.cpp's real server with the page's own model; one for each context size (in tokens).

    Gives the base URL (http://127.0.0.1:PORT/v1). Its words and its speed are not to be asserted.
    """
    running: dict[int, tuple[subprocess.Popen[str], str]] = {}

    def start(context: int) -> str:
        if context not in running:
            process = subprocess.Popen(
                [sys.executable, "-m", "tools.llama_server", "--context", str(context)],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            assert process.stdout is not None
            line = next((x for x in process.stdout if x.startswith("http://127.0.0.1:")), "")
            running[context] = process, line.strip()
            assert line, "llama.cpp's server did not start"
        return running[context][1]

    yield start
    for process, _ in running.values():
        process.kill()
        process.communicate()


@pytest.fixture(scope="session")
def llama_server(llama_servers: Callable[[int], str]) -> str:
    """The base URL of a real server with a context of 1024 tokens."""
    return llama_servers(1024)
