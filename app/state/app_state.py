"""All that the page shows, as topics with plain JSON-able values, and nothing that it does not.

The shapes are those of docs/architecture.md; the session publishes, the view subscribes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.state.notices import Notices
from app.state.pubsub import Topic

Value = dict[str, Any]

IDLE: Value = {
    "state": "idle",
    "conversation_id": None,
    "can_skip": False,
    "done": 0,
    "total": 0,
}
NO_STREAM: Value = {"message_id": None, "text": "", "reasoning": ""}
NO_THREAD: Value = {
    "conversation_id": None,
    "title": "",
    "messages": [],
    "boundary_id": None,
    "folded_count": 0,
}
NO_MODELS: Value = {"endpoint_id": None, "items": [], "state": "idle", "error": ""}
NO_IMPORT: Value = {"state": "idle", "done": 0, "total": 0}
NO_LOCAL_MODEL: Value = {
    "state": "absent",
    "name": "",
    "bytes": 0,
    "loaded": 0,
    "total": 0,
    "error": "",
    "from_file": False,
    "bundled": "",
}


class AppState:
    """One topic each. ``on_error`` is told what a subscriber raised."""

    def __init__(self, on_error: Callable[[Exception], None] | None = None) -> None:
        def topic(value: Value) -> Topic[Value]:
            return Topic(value, on_error)

        self.conversations = topic({"items": [], "query": "", "undo": None})
        self.thread = topic(NO_THREAD)
        self.stream = topic(NO_STREAM)
        self.busy = topic(IDLE)
        self.memory = topic({})
        self.settings = topic({})
        self.models = topic(NO_MODELS)
        self.local_model = topic(NO_LOCAL_MODEL)
        self.importing = topic(NO_IMPORT)
        self.storage = topic({"saved": True, "text": ""})
        self.notify = Notices(on_error)
        self.notices = self.notify.topic
