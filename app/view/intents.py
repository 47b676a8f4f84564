"""Turns what the page asks (JSON text) into a call of one of the session's intents.

Pure Python, so that the rule is tested without a browser: only names on the list are called, and
whatever goes wrong comes back as a plain message instead of an unhandled rejection.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable

from app.state.fields import Refused

INTENTS = frozenset(
    {
        "continue_answer",
        "delete_all",
        "delete_conversation",
        "delete_everything",
        "delete_message",
        "dismiss_notice",
        "draft",
        "edit",
        "edit_summary",
        "exclude",
        "export_all",
        "fold_history",
        "import_text",
        "load_local_model",
        "load_models",
        "new_conversation",
        "open_conversation",
        "open_model_file",
        "pin",
        "rebuild",
        "regenerate",
        "rename_conversation",
        "request_view",
        "retry",
        "retry_storage",
        "search",
        "send",
        "set_draft",
        "set_key",
        "skip",
        "stop",
        "summarize_and_continue",
        "switch_branch",
        "test_connection",
        "undo_delete",
        "undo_fold",
        "update_settings",
    }
)


class Dispatcher:
    """The one door from the page's scripts to the session."""

    def __init__(self, session: object, report: Callable[[BaseException], None]) -> None:
        """`report` is told of every fault, for the console; the page gets a plain message.

        What a person may not do now (`Refused`) is no fault: it is only said.
        """
        self._session = session
        self._report = report

    async def __call__(self, text: str) -> str:
        """Run `{"intent": name, "args": [...]}`; answer `{"ok": ..., "result" | "error": ...}`.

        Never raises: a promise that is rejected across the bridge would reach nobody.
        """
        try:
            result = self._call(text)
            if inspect.isawaitable(result):
                result = await result
            return _answer(result=result)
        except Exception as error:
            return self._failed(error)

    def now(self, text: str) -> str:
        """The same before this returns, for intents that wait for nothing (a page that is left)."""
        try:
            result = self._call(text)
            if inspect.iscoroutine(result):
                result.close()
                return _answer(error="This has to be waited for.")
            return _answer(result=result)
        except Exception as error:
            return self._failed(error)

    def _failed(self, error: Exception) -> str:
        if not isinstance(error, Refused):
            self._report(error)
        return _answer(error=str(error) or type(error).__name__)

    def _call(self, text: str) -> object:
        request = json.loads(text)
        name = request["intent"]
        intent = getattr(self._session, name, None) if name in INTENTS else None
        if not callable(intent):
            raise LookupError(f"This build of Pleat cannot do “{name}”.")
        return intent(*request.get("args", []))


def _answer(*, result: object = None, error: str | None = None) -> str:
    if error is not None:
        return json.dumps({"ok": False, "error": error})
    return json.dumps({"ok": True, "result": result})
