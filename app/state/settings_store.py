"""Settings and keys in localStorage: ``pleat.settings`` and, on their own, ``pleat.secrets``.

A newer program's settings are left as they are: this one then has its own (at first the defaults)
until the page closes, and says so.
"""

from __future__ import annotations

from collections.abc import Callable

from app.state.local_values import ASIDE, LocalValues
from app.state.records import is_newer
from app.state.settings import Settings, to_record
from app.state.settings_input import from_record

SETTINGS_KEY = "pleat.settings"
SECRETS_KEY = "pleat.secrets"


class SettingsStore:
    """Loads and saves the settings; ``say`` is told in plain words what could not be used.

    ``on_newer`` is told when what is stored is of a newer program.
    """

    def __init__(
        self,
        values: LocalValues,
        say: Callable[[str], None],
        on_newer: Callable[[], None] = lambda: None,
    ) -> None:
        self._values = values
        self._say = say
        self._on_newer = on_newer

    def load(self, before: Settings | None = None) -> Settings:
        """The stored settings; defaults for what is missing or corrupt.

        ``before`` (None: the defaults) when they are of a newer program.
        """
        record = self._values.read(SETTINGS_KEY)
        if record is None:
            return Settings()
        if is_newer(record):
            self._on_newer()
            return before or Settings()
        settings, problems = from_record(record)
        for name, message in problems.items():
            self._say(f"A stored setting could not be used ({name}): {message}")
        return settings

    def save(self, settings: Settings) -> bool:
        """Store; False when storage refused, or holds those of a newer program.

        They then hold until the page closes.
        """
        if is_newer(self._values.parse(self._values.text(SETTINGS_KEY) or "") or {}):
            return False
        return self._values.write(SETTINGS_KEY, to_record(settings))

    def keys(self) -> dict[str, str]:
        """The API keys by endpoint id."""
        record = self._values.read(SECRETS_KEY) or {}
        return {id: key for id, key in record.items() if isinstance(key, str) and key}

    def key(self, endpoint_id: str) -> str:
        """One endpoint's key, "" when there is none."""
        return self.keys().get(endpoint_id, "")

    def set_key(self, endpoint_id: str, key: str) -> bool:
        """Store a key, or remove it when it is "".

        What was set aside of keys that could not be read is forgotten with it.
        """
        keys = self.keys()
        for aside in self._values.keys(SECRETS_KEY + ASIDE):
            self._values.set_text(aside, None)
        if key:
            keys[endpoint_id] = key
        else:
            keys.pop(endpoint_id, None)
        return self._values.write(SECRETS_KEY, dict(keys))

    def keep_only(self, endpoint_ids: set[str]) -> None:
        """Forget the keys of endpoints that are gone."""
        keys = self.keys()
        kept = {id: key for id, key in keys.items() if id in endpoint_ids}
        if kept != keys:
            self._values.write(SECRETS_KEY, dict(kept))
