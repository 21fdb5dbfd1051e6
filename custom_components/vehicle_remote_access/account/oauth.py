"""The clients with which owners sign in at a service in their browser, by Home Assistant's own OAuth flow."""

import asyncio
from collections.abc import Mapping
from typing import Any, Final, Self, override

import aiohttp
from homeassistant.components.application_credentials import (
    AuthImplementation,
    AuthorizationServer,
    ClientCredential,
)
from homeassistant.const import CONF_CLIENT_ID, __version__
from homeassistant.core import HomeAssistant
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.config_entry_oauth2_flow import (
    LocalOAuth2Implementation,
    LocalOAuth2ImplementationWithPkce,
)

from ..api.service_types import SignIn
from ..api.value_types import TEXT
from ..const import CONF_TOKEN_URL, DOMAIN
from ..util.stored_values import read_mapping

_TIMEOUT: Final = aiohttp.ClientTimeout(total=15)


class _Implementation(LocalOAuth2Implementation):
    """An implementation for answers without a lifetime, which Home Assistant would log with their tokens."""

    @override
    async def async_resolve_external_data(self, external_data: Any) -> dict[str, Any]:
        return {"expires_in": 0, **read_mapping(await super().async_resolve_external_data(external_data))}


class ApplicationImplementation(_Implementation, AuthImplementation):
    """The client of an application that the owner has created. Home Assistant keeps its ID and secret."""

    def __init__(
        self, hass: HomeAssistant, auth_domain: str, credential: ClientCredential, sign_in: SignIn
    ) -> None:
        self.scopes = frozenset(sign_in.scopes.split())
        self._audience = sign_in.audience
        server = AuthorizationServer(sign_in.authorize_url, sign_in.token_url)
        super().__init__(hass, auth_domain, credential, server)

    @property
    @override
    def extra_authorize_data(self) -> dict[str, Any]:
        # Asks again for permissions that were not granted before.
        scopes = " ".join(sorted(self.scopes))
        return {"scope": scopes, "prompt": "login", "prompt_missing_scopes": "true"}

    @property
    @override
    def extra_token_resolve_data(self) -> dict[str, Any]:
        return {"audience": self._audience}

    async def application_token(self, audience: str) -> str:
        """Return an access token of the application itself, for one region. Raises ClientError."""
        form = {"grant_type": "client_credentials", "scope": "openid", "audience": audience}
        async with asyncio.timeout(_TIMEOUT.total):
            return str((await self._token_request(form)).get("access_token"))


class RegisteredImplementation(_Implementation, LocalOAuth2ImplementationWithPkce):
    """A client that Home Assistant has registered at the service by itself (RFC 7591)."""

    @classmethod
    async def create(cls, hass: HomeAssistant, sign_in: SignIn, stored: Mapping[str, Any]) -> Self:
        """Return the client of a stored token refresh, or a new one. Raises ClientError or ValueError."""
        is_known = stored.get(CONF_TOKEN_URL) == sign_in.token_url and CONF_CLIENT_ID in stored
        client_id = stored[CONF_CLIENT_ID] if is_known else await cls._register(hass, sign_in)
        return cls(hass, DOMAIN, client_id, sign_in.authorize_url, sign_in.token_url)

    @staticmethod
    async def _register(hass: HomeAssistant, sign_in: SignIn) -> str:
        """Return the ID of a new client. Raises ClientError or ValueError."""
        client = {"client_name": "Home Assistant", "software_id": DOMAIN, "software_version": __version__}
        session = async_get_clientsession(hass)
        async with session.post(sign_in.register_url, json=client, timeout=_TIMEOUT) as response:
            response.raise_for_status()
            answer = await response.json()
        if (client_id := TEXT.read(read_mapping(answer).get(CONF_CLIENT_ID))) is None:
            raise ValueError
        return client_id

    @property
    @override
    def extra_authorize_data(self) -> dict[str, Any]:
        # The service lists its clients by these names.
        return super().extra_authorize_data | {"name": self.hass.config.location_name}

    @property
    @override
    def extra_token_resolve_data(self) -> dict[str, Any]:
        return super().extra_token_resolve_data | {"name": self.hass.config.location_name}
