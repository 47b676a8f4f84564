"""Says, in one place and once, what is not saved and what could not be read."""

from __future__ import annotations

from app.state.app_state import AppState

TEXTS = {
    "quota": (
        "The browser's storage is full: what comes now is kept only until this page closes. "
        "Export your chats, or delete some to free space."
    ),
    "unavailable": (
        "The browser keeps no data for this page (private mode, or blocked): what comes now is "
        "kept only until this page closes. Export what you want to keep."
    ),
}
CORRUPT = "Some stored data could not be read. It was set aside, and nothing was deleted."
NEWER = (
    "Some stored data was made by a newer Pleat. It stays as it is and is not shown here: "
    "reload the page to get the newest version."
)


class StorageStatus:
    """The ``storage`` topic, and the notices about storage."""

    def __init__(self, state: AppState) -> None:
        self._state = state
        self._records = ""  # why records are not saved, "" when they are
        self._values = ""

    def records_saved(self, saved: bool, why: str) -> None:
        """IndexedDB takes (or refuses) what is written."""
        self._records = "" if saved else why
        self._publish()

    def values_unsaved(self, why: str) -> None:
        """localStorage refuses."""
        if not self._values:
            self._values = why
            self._publish()

    def values_saved(self) -> None:
        """localStorage has taken what it had refused."""
        if self._values:
            self._values = ""
            self._publish()

    def corrupt(self, _key: str) -> None:
        """A stored value was set aside."""
        self._state.notify.say(CORRUPT, "warning", once=True)

    def unread(self, why: str) -> None:
        """A record cannot be read: "newer" or "corrupt"."""
        self._state.notify.say(NEWER if why == "newer" else CORRUPT, "warning", once=True)

    def say(self, text: str) -> None:
        """Any other plain word about storage."""
        self._state.notify.say(text, "warning")

    def _publish(self) -> None:
        why = self._records or self._values
        before = self._state.storage.get()
        if not why:
            self._state.storage.publish({"saved": True, "text": ""})
            for text in TEXTS.values():
                self._state.notify.withdraw(text)
            return
        text = TEXTS.get(why, TEXTS["unavailable"])
        if before != {"saved": False, "text": text}:
            self._state.storage.publish({"saved": False, "text": text})
            action = {"label": "Export now", "intent": "export_all"}
            self._state.notify.say(text, "error", action=action)
