"""What owners enter in the forms of the config flows, and how it is stored."""

from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any

from homeassistant.const import CONF_ACCESS_TOKEN
from yarl import URL

from .account.service import service_type_of
from .api.service_types import ServiceType
from .const import (
    CONF_ADDRESSES,
    CONF_BASE_URL,
    CONF_COMMAND_CERTIFICATE,
    CONF_COMMAND_URL,
    CONF_REFRESH_TOKEN,
    CONF_SERVICE,
    CONF_TOKEN_REFRESH,
    CONF_TOKEN_URL,
)
from .device_info import VIN_LENGTH


class InvalidInputError(ValueError):
    """A value of a form can't be used."""

    def __init__(self, **errors: str) -> None:
        """Create the error with the errors by field."""
        super().__init__()
        self.errors = errors


def is_path_id(text: str, service_type: ServiceType) -> bool:
    """Return whether a text can identify a vehicle in paths: its id, or its VIN for some services."""
    is_vin = service_type.uses_vin and len(text) == VIN_LENGTH and text.isalnum()
    return text.isascii() and (text.isdecimal() or is_vin)


def is_this_host(url: URL) -> bool:
    """Return whether a URL points to this machine."""
    if url.host == "localhost":
        return True
    try:
        return ip_address(url.host or "").is_loopback
    except ValueError:
        return False


def insecure_urls(data: Mapping[str, Any]) -> dict[str, URL]:
    """Return the addresses, by field, to which a token would be sent over a network without encryption."""
    urls = {key: URL(data[key]) for key in (CONF_BASE_URL, CONF_COMMAND_URL) if key in data}
    return {key: url for key, url in urls.items() if url.scheme == "http" and not is_this_host(url)}


def address_field(service_type: ServiceType) -> str:
    """Return the field for errors of the base URL. Sections can't show errors."""
    return "base" if service_type.base_urls else CONF_BASE_URL


def parse_base_url(text: str, key: str = "invalid_url", field: str = "base") -> str:
    """Return the URL to which request paths are appended. The default scheme is https.

    Raises InvalidInputError with the key for the field.
    """
    text = text.strip()
    try:
        url = URL(text if "://" in text else f"https://{text}")
        path = url.path.rstrip("/").removesuffix("/api/1")
        base_url = URL.build(scheme=url.scheme, host=url.host or "", port=url.explicit_port, path=path)
    except ValueError:
        raise InvalidInputError(**{field: key}) from None
    # A user name or password in the URL would appear in logs.
    if url.scheme not in ("http", "https") or not url.host or url.user or url.password or url.query_string:
        raise InvalidInputError(**{field: key})
    return str(base_url).rstrip("/")


def _parse_token_url(text: str) -> str:
    """Return the URL for token refreshes. It must be encrypted, unless it is on this machine."""
    try:
        url = URL(text)
    except ValueError:
        raise InvalidInputError(base="invalid_token_url") from None
    is_safe = url.scheme == "https" or (url.scheme == "http" and is_this_host(url))
    if not is_safe or not url.host or url.user or url.password:
        raise InvalidInputError(base="invalid_token_url")
    return str(url)


def parse_tokens(
    user_input: Mapping[str, Any], service_type: ServiceType, stored: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the access token, and the token refresh if one was entered. Raises InvalidInputError.

    `stored`: the account's token refresh. Without another refresh token, its own is kept, but only for the
    same token URL, because it must not be sent anywhere else.
    """
    tokens = {CONF_ACCESS_TOKEN: user_input[CONF_ACCESS_TOKEN].strip()}
    fields = user_input.get(CONF_TOKEN_REFRESH, {})
    entered = {name: text.strip() for name, text in fields.items() if text.strip()}
    # The form suggests the service's token URL.
    if not entered or (not stored and entered == {CONF_TOKEN_URL: service_type.refresh_url}):
        return tokens
    if stored and entered.get(CONF_TOKEN_URL) == stored[CONF_TOKEN_URL]:
        entered = {CONF_REFRESH_TOKEN: stored[CONF_REFRESH_TOKEN], **entered}
    if not {CONF_TOKEN_URL, CONF_REFRESH_TOKEN} <= entered.keys():
        raise InvalidInputError(base="token_refresh_incomplete")
    entered[CONF_TOKEN_URL] = _parse_token_url(entered[CONF_TOKEN_URL])
    return {**tokens, CONF_TOKEN_REFRESH: entered}


def parse_account(
    user_input: Mapping[str, Any], service_type: ServiceType, stored: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the data of an account. Raises InvalidInputError.

    `stored`: the data until now. Its refresh token is kept if none is entered, and the accepted certificate
    with the address for commands. Without a base URL, the service's own is used, which is found later if it
    has several.
    """
    tokens = parse_tokens(user_input, service_type, stored.get(CONF_TOKEN_REFRESH))
    data = {CONF_SERVICE: service_type.key, **tokens}
    addresses = {**user_input.get(CONF_ADDRESSES, {}), **user_input}
    if (url := addresses.get(CONF_BASE_URL)) or not service_type.base_urls:
        data[CONF_BASE_URL] = parse_base_url(url or "", field=address_field(service_type))
    elif len(service_type.base_urls) == 1:
        (data[CONF_BASE_URL],) = service_type.base_urls
    if url := addresses.get(CONF_COMMAND_URL):
        data[CONF_COMMAND_URL] = parse_base_url(url, "invalid_command_url")
        if data[CONF_COMMAND_URL] == stored.get(CONF_COMMAND_URL) and CONF_COMMAND_CERTIFICATE in stored:
            data[CONF_COMMAND_CERTIFICATE] = stored[CONF_COMMAND_CERTIFICATE]
    return data


def account_form_values(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the form for an account's data. An address of the service itself is left out."""
    service_type = service_type_of(data)
    values = {CONF_SERVICE: service_type.key, **data}
    if service_type.refresh_url:
        values.setdefault(CONF_TOKEN_REFRESH, {CONF_TOKEN_URL: service_type.refresh_url})
    if service_type.base_urls:
        urls = {key: data[key] for key in (CONF_BASE_URL, CONF_COMMAND_URL) if key in data}
        values[CONF_ADDRESSES] = {key: url for key, url in urls.items() if url not in service_type.base_urls}
    return values


def without_tokens(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that a form may suggest."""
    return {
        name: without_tokens(value) if isinstance(value, Mapping) else value
        for name, value in values.items()
        if name not in (CONF_ACCESS_TOKEN, CONF_REFRESH_TOKEN)
    }
