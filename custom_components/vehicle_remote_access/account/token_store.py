"""Token refresh of an account: the tokens of a config entry, and the newer ones that replaced them."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_ACCESS_TOKEN, CONF_CLIENT_ID
from homeassistant.core import HomeAssistant
from homeassistant.helpers.aiohttp_client import async_get_clientsession

from ..api.token_refresher import TokenRefresher, Tokens
from ..api.value_types import NUMBER
from ..const import CONF_REFRESH_TOKEN, CONF_TOKEN_REFRESH, CONF_TOKEN_URL
from .storage import DataStore

_ENTERED: Final = "entered"
_ENTERED_ACCESS_TOKEN: Final = "entered_access_token"  # noqa: S105 - a key, not a token
_REFRESH_AT: Final = "refresh_at"


def create_refresher(
    hass: HomeAssistant,
    data: Mapping[str, Any],
    tokens: Tokens | None = None,
    save: Callable[[Tokens], Awaitable[None]] | None = None,
) -> TokenRefresher:
    """Return a token refresh. `tokens`: newer than those of the data. `save`: stores new ones before use."""
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
    settings = {
        **data[CONF_TOKEN_REFRESH],
        CONF_REFRESH_TOKEN: tokens.refresh_token,
        _REFRESH_AT: tokens.refresh_at,
    }
    return {**data, CONF_ACCESS_TOKEN: tokens.access_token, CONF_TOKEN_REFRESH: settings}


async def restore_refresher(hass: HomeAssistant, entry: ConfigEntry[Any]) -> TokenRefresher | None:
    """Return the token refresh with the newest tokens, which have a file of their own, or None."""
    # The closing save must not take these tokens for successors of those that the user enters later.
    data = entry.data
    if CONF_TOKEN_REFRESH not in data:
        return None
    newest: Tokens | None = None

    def data_to_store() -> dict[str, Any]:
        tokens = newest or refresher.tokens
        return {
            **_entered(data),
            CONF_ACCESS_TOKEN: tokens.access_token,
            CONF_REFRESH_TOKEN: tokens.refresh_token,
            _REFRESH_AT: tokens.refresh_at,
        }

    async def save(tokens: Tokens) -> None:
        nonlocal newest
        newest = tokens
        await store.save()

    store = DataStore(hass, tokens_file(entry.entry_id), data_to_store)
    newest = _newest(await store.restore(), data)
    refresher = create_refresher(hass, data, newest, save)
    entry.async_on_unload(store.close)
    entry.async_on_unload(refresher.close)
    return refresher


def _newest(stored: Mapping[str, Any], data: Mapping[str, Any]) -> Tokens | None:
    """Return the stored tokens, unless the user has entered another refresh token since."""
    access_token, refresh_token = stored.get(CONF_ACCESS_TOKEN), stored.get(CONF_REFRESH_TOKEN)
    entered = _entered(data)
    if not isinstance(access_token, str) or not isinstance(refresh_token, str):
        return None
    if stored.get(_ENTERED) != entered[_ENTERED]:
        return None
    refresh_at = NUMBER.read(stored.get(_REFRESH_AT))
    if stored.get(_ENTERED_ACCESS_TOKEN) != entered[_ENTERED_ACCESS_TOKEN]:
        # The user has entered another access token, and kept the refresh token.
        access_token, refresh_at = entered[_ENTERED_ACCESS_TOKEN], None
    return Tokens(access_token=access_token, refresh_token=refresh_token, refresh_at=refresh_at)


def _entered(data: Mapping[str, Any]) -> dict[str, str]:
    """Return the tokens that the user entered, from which all others were obtained."""
    return {
        _ENTERED: data[CONF_TOKEN_REFRESH][CONF_REFRESH_TOKEN],
        _ENTERED_ACCESS_TOKEN: data[CONF_ACCESS_TOKEN],
    }


def tokens_file(entry_id: str) -> str:
    return f"{entry_id}_tokens"
