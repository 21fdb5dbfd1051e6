"""Token refresh of an account: the tokens of a config entry, and the newer ones that replaced them."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_ACCESS_TOKEN, CONF_CLIENT_ID
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.aiohttp_client import async_get_clientsession

from ..api.token_refresher import TokenRefresher, Tokens
from ..api.value_types import NUMBER
from ..const import CONF_REFRESH_TOKEN, CONF_TOKEN_REFRESH, CONF_TOKEN_URL
from .storage import DataStore

_ENTERED: Final = "entered"
_ENTERED_ACCESS_TOKEN: Final = "entered_access_token"  # noqa: S105 - a key, not a token
_REFRESH_AT: Final = "refresh_at"


@callback
def create_refresher(
    hass: HomeAssistant,
    data: Mapping[str, Any],
    tokens: Tokens | None = None,
    save: Callable[[Tokens], Awaitable[None]] | None = None,
) -> TokenRefresher:
    """Return the token refresh of an account with this data.

    `tokens`: newer tokens than those in the data. `save`: stores new tokens before they are used.
    """
    settings = data[CONF_TOKEN_REFRESH]
    entered = Tokens(
        access_token=data[CONF_ACCESS_TOKEN],
        refresh_token=settings[CONF_REFRESH_TOKEN],
        refresh_at=settings.get(_REFRESH_AT),
    )
    return TokenRefresher(
        async_get_clientsession(hass),
        tokens or entered,
        token_url=settings[CONF_TOKEN_URL],
        client_id=settings.get(CONF_CLIENT_ID, ""),
        save=save,
        create_task=hass.async_create_task,
    )


def with_tokens(data: Mapping[str, Any], tokens: Tokens) -> dict[str, Any]:
    """Return the data of an account with these tokens."""
    settings = {
        **data[CONF_TOKEN_REFRESH],
        CONF_REFRESH_TOKEN: tokens.refresh_token,
        _REFRESH_AT: tokens.refresh_at,
    }
    return {**data, CONF_ACCESS_TOKEN: tokens.access_token, CONF_TOKEN_REFRESH: settings}


class TokenStore:
    """The newest tokens of an account in a file of their own, which is written before they are used.

    Home Assistant writes config entries some time after they change.
    """

    def __init__(self, hass: HomeAssistant, entry: ConfigEntry[Any]) -> None:
        self._hass = hass
        self._data = entry.data
        self._tokens: Tokens | None = None
        self.store = DataStore(hass, tokens_file(entry.entry_id), self._data_to_store)

    async def open(self) -> TokenRefresher | None:
        """Return the token refresh of the account, with the newest tokens, or None without token refresh."""
        if CONF_TOKEN_REFRESH not in self._data:
            return None
        self._tokens = self._newest(await self.store.restore())
        return create_refresher(self._hass, self._data, self._tokens, self._save)

    def _newest(self, stored: Mapping[str, Any]) -> Tokens | None:
        """Return the stored tokens, unless the user has entered others since."""
        access_token, refresh_token = stored.get(CONF_ACCESS_TOKEN), stored.get(CONF_REFRESH_TOKEN)
        if not isinstance(access_token, str) or not isinstance(refresh_token, str):
            return None
        if stored.get(_ENTERED) != self._entered:
            return None
        refresh_at = NUMBER.read(stored.get(_REFRESH_AT))
        entered: str = self._data[CONF_ACCESS_TOKEN]
        if stored.get(_ENTERED_ACCESS_TOKEN) != entered:
            # The user has entered another access token, and kept the refresh token.
            access_token, refresh_at = entered, None
        return Tokens(access_token=access_token, refresh_token=refresh_token, refresh_at=refresh_at)

    @property
    def _entered(self) -> str:
        """The refresh token that the user entered, from which all others were obtained."""
        entered: str = self._data[CONF_TOKEN_REFRESH][CONF_REFRESH_TOKEN]
        return entered

    async def _save(self, tokens: Tokens) -> None:
        self._tokens = tokens
        await self.store.save()

    def _data_to_store(self) -> dict[str, Any]:
        if (tokens := self._tokens) is None:
            return {}
        return {
            _ENTERED: self._entered,
            _ENTERED_ACCESS_TOKEN: self._data[CONF_ACCESS_TOKEN],
            CONF_ACCESS_TOKEN: tokens.access_token,
            CONF_REFRESH_TOKEN: tokens.refresh_token,
            _REFRESH_AT: tokens.refresh_at,
        }


def tokens_file(entry_id: str) -> str:
    return f"{entry_id}_tokens"
