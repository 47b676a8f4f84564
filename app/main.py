"""The composition root: builds the adapters, wires them, draws the page. Nothing else.

Whatever fails before the page is drawn ends in ``window.pleatFailed`` (the error screen);
afterwards faults are reported to the page as the event ``pleat:error``.
"""

from __future__ import annotations

import asyncio
import sys
import traceback
from typing import Any

import js
from pyodide.ffi import JsException, to_js
from pyscript.js_modules import edge  # pyright: ignore[reportMissingImports]

from app.browser.api import offer
from app.browser.channel import TabChannel
from app.browser.clock import RandomIds, SystemClock
from app.browser.in_page_model import InPageModel
from app.browser.indexeddb import IndexedDb
from app.browser.lifecycle import before_hiding
from app.browser.local_model import PageModel
from app.browser.locks import make_locks
from app.browser.storage import LocalStorage
from app.browser.tokenizer import GptTokenizer, encoding_for
from app.browser.transport import FetchTransport, page_is_https
from app.memory.engine import MemoryEngine
from app.memory.tokens import Counter, Estimate
from app.models.usage import CallLog
from app.session import Session
from app.state.app_state import AppState
from app.state.local_values import LocalValues
from app.state.model_source import SettingsModels
from app.state.repository import Repository
from app.state.safe_store import SafeStore
from app.state.settings_store import SettingsStore
from app.state.storage_status import StorageStatus
from app.state.summary_mirror import SummaryMirror
from app.view.page import Page

READY_AFTER = 500  # milliseconds after the page is drawn: what it loads blocks for a moment


def report(error: BaseException) -> None:
    """A fault of the program: to the console in full, to the page as a line."""
    text = "".join(traceback.format_exception(error))
    print(text, file=sys.stderr)
    detail = to_js({"detail": {"text": f"{type(error).__name__}: {error}"}}, **_OBJECTS)
    js.window.dispatchEvent(js.CustomEvent.new("pleat:error", detail))


_OBJECTS: dict[str, Any] = {"dict_converter": js.Object.fromEntries}


def build() -> tuple[Session, AppState, Counter, MemoryEngine]:
    """Everything, wired."""
    clock, ids, locks = SystemClock(), RandomIds(), make_locks(edge.locks)
    state = AppState(report)
    status = StorageStatus(state)
    values = LocalValues(
        LocalStorage(),
        clock,
        on_unsaved=status.values_unsaved,
        on_corrupt=status.corrupt,
        on_saved=status.values_saved,
    )
    settings = SettingsStore(values, status.say, lambda: status.unread("newer"))
    store = SafeStore(IndexedDb(edge.indexeddb), status.records_saved)
    repository = Repository(store, clock, status.unread)
    counter = Counter(Estimate())
    local = PageModel(InPageModel(edge.in_page_model), edge.picked_file)
    models = SettingsModels(
        settings=lambda: session.current_settings(),
        key=settings.key,
        transport=FetchTransport(edge.batches),
        log=CallLog(
            lambda usage: session.used(usage), ids.new, clock.now, clock.elapsed, counter.text
        ),
        local=local,
        may_connect=lambda url: bool(js.window.pleatMayConnect(url)),
        page_is_https=page_is_https(),
    )
    engine = MemoryEngine(
        folds=repository,
        counter=counter,
        clock=clock,
        ids=ids,
        locks=locks,
        roles=models.roles,
        usage=lambda usage: session.used(usage),
        committed=lambda memory, fold: session.fold_committed(memory, fold),
        report=report,
    )
    session = Session(
        state=state,
        repository=repository,
        values=values,
        settings=settings,
        engine=engine,
        models=models,
        mirror=SummaryMirror(values),
        channel=TabChannel(),
        clock=clock,
        ids=ids,
        locks=locks,
        local=local,
        report=report,
        retry_storage=store.retry,
    )
    return session, state, counter, engine


async def make_ready(session: Session, counter: Counter, engine: MemoryEngine) -> None:
    """Load what the first answer needs and the first picture did not: the engine, the tokenizer."""
    await asyncio.sleep(READY_AFTER / 1000)
    engine.warm()
    await use_tokenizer(session, counter)


async def use_tokenizer(session: Session, counter: Counter) -> None:
    """Count exactly from now on, in the encoding of the chosen model."""
    encoding = ""

    async def fit() -> None:
        nonlocal encoding
        wanted = encoding_for(session.current_settings().chat_model)
        if wanted == encoding:
            return
        encoding = wanted
        try:
            counter.use(await GptTokenizer.load(edge.tokenizer, wanted))
        except JsException as error:
            encoding = ""
            report(error)
        else:
            session.tokenizer_ready()

    await fit()
    session.state.settings.subscribe(lambda *_: session.spawn(fit()))


async def main() -> None:
    """Start; never raises."""
    try:
        session, state, counter, engine = build()
        await session.start()
        Page(session, state).open()
        offer(edge.memory_api, session)
        before_hiding(session.leaving)
        js.window.pleatReady()
        session.spawn(make_ready(session, counter, engine))
    except BaseException as error:
        js.window.pleatFailed("".join(traceback.format_exception(error)))


running = {asyncio.ensure_future(main())}  # a task that nobody holds may be collected
