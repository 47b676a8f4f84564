"""The models that the settings name, made from endpoints, keys and the transport port."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.models.catalog import ModelInfo
from app.models.connection import Connection, test_connection
from app.models.endpoint import EndpointError
from app.models.errors import ModelError
from app.models.openai_compatible import Endpoint, OpenAICompatible
from app.models.parameters import Quirks
from app.models.port import ChatModel, WireMessage
from app.models.roles import Assigned, Roles
from app.models.transport import Transport
from app.models.usage import CallLog, LoggedModel
from app.state.ports import LocalModel
from app.state.settings import IN_PAGE, Settings


class NotChosen(ModelError):
    """No model is chosen, loaded or reachable yet; the text says what to do."""

    kind = "not_chosen"

    def __str__(self) -> str:
        """The text as it was given."""
        return self.detail


class SettingsModels:
    """A ``ModelSource`` over the current settings.

    ``may_connect`` tells whether the page's policy lets it reach an address before a reload.
    """

    def __init__(
        self,
        *,
        settings: Callable[[], Settings],
        key: Callable[[str], str],
        transport: Transport,
        log: CallLog,
        local: LocalModel | None = None,
        may_connect: Callable[[str], bool] = lambda _: True,
        page_is_https: bool = False,
    ) -> None:
        self._settings = settings
        self._key = key
        self._transport = transport
        self._log = log
        self._local = local
        self._may_connect = may_connect
        self._page_is_https = page_is_https
        self._quirks: dict[str, dict[str, Quirks]] = {}

    def chat(self, conversation_id: str, saved: int = 0) -> ChatModel:
        """The model that answers, its calls logged. Raises ``NotChosen``."""
        settings = self._settings()
        model = self._model(settings.chat_endpoint, settings.chat_model)
        return LoggedModel(model, self._log, conversation_id, "chat", saved=saved)

    def can_read_ahead(self) -> bool:
        """Whether the model inside the page answers, and is loaded."""
        chosen = self._settings().chat_endpoint == IN_PAGE
        return chosen and self._local is not None and self._local.ready is not None

    async def read_ahead(self, messages: Sequence[WireMessage]) -> None:
        """Let the model inside the page read the beginning of the next request."""
        if self._local is not None and self.can_read_ahead():
            await self._local.prefill(messages)

    def roles(self) -> Roles:
        """Chat and utility as the settings have them; the in-page model is weak."""
        settings = self._settings()
        chat = self._assigned(settings.chat_endpoint, settings.chat_model)
        if settings.utility == "none":
            return Roles(chat and Assigned(chat.model, chat.context_size, weak=True))
        if settings.utility == "other":
            return Roles(chat, self._assigned(settings.utility_endpoint, settings.utility_model))
        return Roles(chat)

    async def list_models(self, endpoint_id: str) -> Sequence[ModelInfo]:
        """What the endpoint offers. Raises ``ModelError``."""
        if endpoint_id == IN_PAGE:
            local = self._local
            names = [] if local is None else [local.bundled, local.picked]
            return [ModelInfo(name) for name in names if name]
        return await self._endpoint(endpoint_id).list_models()

    async def test_connection(self, endpoint_id: str) -> Connection:
        """Whether it works, and the likely cause in plain words when not."""
        settings = self._settings()
        try:
            if endpoint_id == IN_PAGE:
                self._model(IN_PAGE, "")
                return Connection(True, "The model is loaded and runs in this page.")
            endpoint = self._endpoint(endpoint_id)
        except ModelError as error:
            return Connection(False, str(error), error.kind)
        chosen = settings.chat_endpoint == endpoint_id
        return await test_connection(endpoint, settings.chat_model if chosen else "")

    def _assigned(self, endpoint_id: str, model: str) -> Assigned | None:
        try:
            found = self._model(endpoint_id, model)
        except ModelError:
            return None
        size = self._settings().context_size(endpoint_id, model)
        return Assigned(found, size, weak=endpoint_id == IN_PAGE)

    def _model(self, endpoint_id: str, model: str) -> ChatModel:
        if endpoint_id == IN_PAGE:
            ready = None if self._local is None else self._local.ready
            if ready is None and self._local is not None and model not in ("", self._local.bundled):
                raise NotChosen(
                    f"“{model}” was opened from a file, and a reload forgets files. Open it again "
                    "in Settings, or run the model that comes with this page."
                )
            if ready is None:
                raise NotChosen(
                    "No model is loaded yet. Load the one that runs in this page, or choose an "
                    "endpoint in Settings."
                )
            return ready
        if not model:
            raise NotChosen("Choose a model in Settings.")
        return OpenAICompatible(self._endpoint(endpoint_id), model)

    def _endpoint(self, endpoint_id: str) -> Endpoint:
        known = self._settings().endpoint(endpoint_id)
        if known is None:
            raise NotChosen("Choose an endpoint in Settings.")
        if not self._may_connect(known.base_url):
            raise NotChosen("This address is new: reload the page once, then it can be reached.")
        quirks = self._quirks.setdefault(f"{endpoint_id} {known.base_url}", {})
        try:
            return Endpoint(
                known.base_url,
                self._transport,
                key=self._key(endpoint_id),
                page_is_https=self._page_is_https,
                quirks=quirks,
            )
        except EndpointError as error:
            raise NotChosen(str(error)) from error
