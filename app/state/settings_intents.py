"""What a person sets: the settings, keys, the models on offer, the model inside the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.memory.budget import read_size
from app.models.endpoint import EndpointError, normal_key
from app.models.errors import ModelError
from app.state.desk import Desk
from app.state.library import Library
from app.state.local_loading import LocalLoading
from app.state.ports import LocalModel
from app.state.settings import IN_PAGE, Settings, same_but_looks, shown
from app.state.settings_input import patched
from app.state.settings_store import SECRETS_KEY, SETTINGS_KEY, SettingsStore

KEY_FORGOTTEN = (
    "The address is saved. The key was for {} alone and is forgotten: type one for here."
)


class SettingsIntents:
    """The part of the session's intents that are about settings and models."""

    _desk: Desk
    _library: Library
    _store: SettingsStore
    _local: LocalModel | None
    _loading: LocalLoading | None
    _loading_models: int

    async def update_settings(self, patch: Mapping[str, Any]) -> dict[str, str]:
        """Take what can be taken; a plain message for each field that was refused."""
        before = self._desk.settings
        settings, refused = patched(before, patch)
        if settings != before:
            moved = self._moved(before, settings)
            if moved:  # no key ever goes to another server than it was given for
                refused.setdefault("endpoints", moved)
            self._change_settings(settings)
        if not same_but_looks(settings, before):
            self._store.keep_only({each.id for each in settings.endpoints})
            self._desk.engine.settings_changed()
            self._rebuild_memories()
            if self._loading is not None:
                self._desk.spawn(self._loading.fit())
        return refused

    def _moved(self, before: Settings, after: Settings) -> str:
        """Forget the keys of endpoints that are on another server now; a word on it, or ""."""
        said = ""
        keys = self._store.keys()
        for endpoint in before.endpoints:
            new = after.endpoint(endpoint.id)
            if endpoint.id not in keys or new is None:
                continue
            if origin(new.base_url) != origin(endpoint.base_url):
                self._store.set_key(endpoint.id, "")
                said = KEY_FORGOTTEN.format(origin(endpoint.base_url))
        return said

    def _change_settings(self, settings: Settings) -> None:
        self._desk.settings = settings
        self._store.save(settings)
        self._publish_settings()

    async def set_key(self, endpoint_id: str, key: str) -> str:
        """Store or (with "") forget a key; why it was not taken, "" when it was."""
        if self._desk.settings.endpoint(endpoint_id) is None:
            return "There is no such endpoint."
        try:
            key = normal_key(key)
        except EndpointError as error:
            return str(error)
        self._store.set_key(endpoint_id, key)
        self._desk.engine.settings_changed()
        self._publish_settings()
        return ""

    async def load_models(self, endpoint_id: str) -> None:
        """Fetch what an endpoint offers; context sizes that it states are taken over."""
        self._loading_models += 1
        ticket = self._loading_models
        value: dict[str, Any] = {"endpoint_id": endpoint_id, "items": [], "error": ""}
        self._desk.state.models.publish({**value, "state": "loading"})
        try:
            found = await self._desk.models.list_models(endpoint_id)
        except ModelError as error:
            value.update(state="failed", error=str(error))
        else:
            items = [{"id": each.id, "context_size": each.context_size} for each in found]
            value.update(state="ready", items=items)
            settings = self._desk.settings
            for each in found:
                size, _ = read_size(each.context_size or None)
                known = settings.context_sizes.get(endpoint_id, {})
                if each.context_size and each.id not in known:
                    settings = settings.with_context_size(endpoint_id, each.id, size)
            if settings != self._desk.settings:
                self._change_settings(settings)
                self._rebuild_memories()
        if ticket == self._loading_models:
            self._desk.state.models.publish(value)

    async def test_connection(self, endpoint_id: str) -> dict[str, Any]:
        """Whether the endpoint works, and the likely cause when not."""
        result = await self._desk.models.test_connection(endpoint_id)
        return {"ok": result.ok, "text": result.text}

    async def load_local_model(self, choose: bool = True) -> None:
        """Load the model that runs inside the page, and let it answer.

        ``choose`` False: only load it, as it was before a reload; who answers stays.
        """
        local, loading = self._local, self._loading
        if local is None or loading is None or not local.bundled:
            return
        if choose:
            await self._use(from_file=False)
        elif local.ready is None and not loading.running:
            await loading.load()

    async def open_model_file(self) -> None:
        """The same with the file that was picked last (the page's script holds it)."""
        if self._local is not None and self._local.picked:
            await self._use(from_file=True)

    async def _use(self, *, from_file: bool) -> None:
        local, loading = self._local, self._loading
        if local is None or loading is None or loading.running:
            return
        if await loading.load(from_file=from_file):
            await self.update_settings({"chat_endpoint": IN_PAGE, "chat_model": local.name})

    def _publish_settings(self) -> None:
        settings = self._desk.settings
        keys = self._store.keys()
        has_key = {each.id: each.id in keys for each in settings.endpoints}
        self._desk.state.settings.publish(shown(settings, has_key))

    def _rebuild_memories(self) -> None:
        """Counts, sizes or rules are others now. What answers or folds goes on with its own."""
        for opened in self._library.opened():
            opened.memory = opened.request = None
        if self._desk.shown is not None:
            self._desk.show_thread(self._desk.shown)
            self._desk.show_memory(self._desk.shown)

    def _heard_value(self, key: str, text: str | None) -> None:
        """Another tab changed the settings or a key."""
        if key == SETTINGS_KEY:
            before, self._desk.settings = self._desk.settings, self._store.load(self._desk.settings)
            if not same_but_looks(self._desk.settings, before):
                self._desk.engine.settings_changed()
                self._rebuild_memories()
        if key in (SETTINGS_KEY, SECRETS_KEY):
            self._publish_settings()


def origin(base_url: str) -> str:
    """Scheme, host and port of a base URL (as ``normal_base_url`` gives it)."""
    return "/".join(base_url.split("/", 3)[:3])
