"""The boot: the page starts by itself, asks nobody else, and says so when it cannot start."""

from __future__ import annotations

import re
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.browser.conftest import Watch, wait_until_booted
from tools import files, serve, site
from tools.common import ROOT

POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; "
    "style-src 'self'; connect-src 'self' blob: http: https:; img-src 'self' data: blob:; "
    "manifest-src 'self'; base-uri 'none'; form-action 'none'"
)
FAILED = "html[data-boot=failed]"


def directives(policy: str) -> dict[str, set[str]]:
    """A policy as its directives, each with its sources, order left out."""
    found = (part.split() for part in policy.split(";"))
    return {name: set(sources) for name, *sources in found}


def test_the_page_boots_under_its_policy_without_errors(app: Page) -> None:
    policies = app.locator("meta[http-equiv='Content-Security-Policy']")
    assert directives(policies.first.get_attribute("content") or "") == directives(POLICY)
    expect(app.locator("#boot")).to_be_hidden()
    expect(app.locator("#boot-error")).to_be_hidden()


def test_pyscripts_own_package_is_not_compiled_at_the_boot(app: Page) -> None:
    marks = "performance.getEntriesByName('pleat:pyscript compiled').length"
    assert app.evaluate(marks) == 1


def test_faults_of_foreign_scripts_are_not_told_as_ours(app: Page) -> None:
    told = app.evaluate(
        """() => {
          const told = [];
          addEventListener('pleat:error', ({detail}) => told.push(detail.text));
          for (const init of [
            {message: 'ResizeObserver loop completed with undelivered notifications.'},
            {message: 'x is null', filename: 'moz-extension://1/content.js', error: Error('x')},
            {message: 'y is null', filename: 'https://elsewhere.test/a.js'},
            {message: 'Script error.'},
            {message: 'ours', filename: `${location.origin}/static/js/bus.js`},
          ]) dispatchEvent(new ErrorEvent('error', init));
          return told;
        }"""
    )
    assert told == ["ours"]


def test_the_policy_forbids_eval(app: Page, watch: Watch) -> None:
    watch.allow_error("unsafe-eval|EvalError")
    # in a timer: code that the driver itself evaluates is let through
    blocked = """() => new Promise((done) => setTimeout(() => {
      try { done(Function('return 1')()); } catch (error) { done(error.name); }
    }))"""
    assert app.evaluate(blocked) == "EvalError"


CONNECT = """async (url) => {
  const blocked = new Promise((done) => addEventListener(
    'securitypolicyviolation', (e) => done('blocked: ' + e.effectiveDirective), {once: true}));
  return Promise.race([blocked, fetch(url, {mode: 'no-cors'}).then(() => 'sent', () => blocked)]);
}"""


@pytest.fixture
def other_origin() -> Iterator[str]:
    with serve.serving({"/": (ROOT / "static" / "js", None)}) as origin:
        yield origin


def test_only_endpoints_in_the_settings_can_be_reached(
    open_app: Callable[..., Page], watch: Watch, other_origin: str
) -> None:
    watch.allow_host(other_origin)
    watch.allow_error("Content Security Policy|Failed to fetch|Fetch API cannot load")
    page = open_app()
    assert page.evaluate(CONNECT, f"{other_origin}/csp.js") == "blocked: connect-src"
    assert page.evaluate("(url) => window.pleatMayConnect(url)", other_origin) is False

    settings = {"endpoints": [{"base_url": f"{other_origin}/v1"}]}
    page.evaluate("(x) => localStorage.setItem('pleat.settings', JSON.stringify(x))", settings)
    page.reload()
    assert page.evaluate(CONNECT, f"{other_origin}/csp.js") == "sent"
    assert page.evaluate("(url) => window.pleatMayConnect(url)", other_origin) is True


@pytest.mark.parametrize(
    "stored", ["", "{", "null", "[]", '{"endpoints": 3}', '{"endpoints": [null, {"base_url": 7}]}']
)
def test_broken_settings_allow_no_connection_and_stop_no_script(
    open_app: Callable[..., Page], watch: Watch, other_origin: str, stored: str
) -> None:
    page = open_app(storage={"pleat.settings": stored}, wait=False)
    assert page.evaluate("(url) => window.pleatMayConnect(url)", other_origin) is False


def test_source_and_built_site_both_boot(
    fresh_context: BrowserContext, open_app: Callable[..., Page], watch: Watch
) -> None:
    both = {"/source/": (ROOT, serve.SITE), "/built/": (site.build_if_stale(), None)}
    with serve.serving(both) as origin:
        watch.allow_host(origin)
        page = open_app(context=fresh_context, wait=False)
        for prefix in both:
            page.goto(f"{origin}{prefix}")
            wait_until_booted(page)


def test_the_download_is_shown_in_bytes(
    fresh_context: BrowserContext, open_app: Callable[..., Page]
) -> None:
    fresh_context.add_init_script(
        """addEventListener('DOMContentLoaded', () => {
          window.bootTexts = [];
          const label = document.getElementById('boot-text');
          new MutationObserver(() => window.bootTexts.push(label.textContent))
            .observe(label, {childList: true, characterData: true, subtree: true});
        })"""
    )
    page = open_app(context=fresh_context)
    texts = page.evaluate("window.bootTexts")
    assert any(re.fullmatch(r"Downloading Python: \d+\.\d of 12\.\d MB", text) for text in texts)


@pytest.mark.parametrize(
    "missing",
    ["core-*.js", "pyodide.asm.wasm", "python_stdlib_pyc.zip", "pyodide.asm.mjs", "pyscript.toml"],
)
def test_a_missing_part_is_told_with_details_and_reload(
    fresh_context: BrowserContext, open_app: Callable[..., Page], watch: Watch, missing: str
) -> None:
    watch.allow_error("")
    pattern = f"**/{missing}"
    fresh_context.route(pattern, lambda route: route.fulfill(status=404, body="gone"))
    page = open_app(context=fresh_context, wait=False)
    expect(page.locator(FAILED)).to_be_attached(timeout=60_000)
    alert = page.locator("#boot-error")
    expect(alert).to_be_visible()
    expect(page.locator("#boot-error-details")).not_to_be_empty()

    fresh_context.unroute(pattern)
    page.locator("#boot-reload").click()
    expect(page.locator("html")).not_to_have_attribute("data-boot", "failed")
    wait_until_booted(page)


def test_an_exception_of_the_program_is_told(
    fresh_context: BrowserContext, open_app: Callable[..., Page], watch: Watch
) -> None:
    watch.allow_error("no such thing")

    def broken(route: Route) -> None:
        route.fulfill(body='raise RuntimeError("no such thing")', content_type="text/plain")

    fresh_context.route("**/app/main.py", broken)
    page = open_app(context=fresh_context, wait=False)
    expect(page.locator(FAILED)).to_be_attached(timeout=60_000)
    expect(page.locator("#boot-error-details")).to_contain_text("RuntimeError: no such thing")


def test_a_boot_that_hangs_is_told(
    fresh_context: BrowserContext, open_app: Callable[..., Page], watch: Watch
) -> None:
    held: list[Route] = []
    fresh_context.route("**/pyodide.asm.wasm", lambda route: held.append(route))
    page = fresh_context.new_page()
    watch.attach(page)
    page.clock.install()
    page.goto("./")
    expect(page.locator("html")).to_have_attribute("data-boot", "starting")
    expect(page.locator("#boot-progress")).to_be_attached()
    page.clock.fast_forward(61_000)
    expect(page.locator(FAILED)).to_be_attached()
    for route in held:
        route.abort()
    watch.allow_error("ERR_FAILED|Failed to fetch|wasm")
    page.close()


def status(url: str) -> int:
    """The HTTP status that a GET of this address gets."""
    try:
        with urllib.request.urlopen(url) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_only_the_sites_own_files_are_served() -> None:
    with serve.serving({"/x/": (ROOT, serve.SITE)}) as origin:
        assert status(f"{origin}/x/") == 200
        assert status(f"{origin}/x/pyscript.toml") == 200
        for path in ("/", "/x/Makefile", "/x/.git/config", "/x/static/../Makefile", "/x/tools/"):
            assert status(f"{origin}{path}") == 404


def test_the_built_site_is_complete_and_names_no_other_host() -> None:
    built = site.build_if_stale()
    assert "app.zip" in (built / "pyscript.toml").read_text("utf-8")
    assert (built / "static" / "vendor" / "THIRD_PARTY.txt").is_file()
    with zipfile.ZipFile(built / site.APP_ZIP) as archive:
        compiled = set(archive.namelist())
    sources = {f"{name}c" for name in files.modules()} | {"app/main.pyc"}
    assert compiled == sources
