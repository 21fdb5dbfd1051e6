"""What the owner of an application at the Tesla Fleet API does outside Home Assistant, checked by itself.

The sources are in docs/services.md.
"""

import base64
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

import aiohttp
from homeassistant.const import CONF_ACCESS_TOKEN
from homeassistant.core import HomeAssistant
from homeassistant.helpers.aiohttp_client import async_get_clientsession
import orjson
from yarl import URL

from ..api.commands import Endpoint
from ..api.errors import ServiceError
from ..api.response import read_body
from ..api.service_types import APPLICATION_KEY, FLEET_STATUS, REGISTER_APPLICATION
from ..const import CONF_APPLICATION_DOMAIN, CONF_BASE_URL, CONF_COMMAND_URL
from ..util.stored import DAMAGED
from ..util.stored_values import read_mapping
from .certificate import certificate_to_accept
from .discovery import fetch_vehicles, find_base_url
from .oauth import ApplicationImplementation
from .provider import Provider, service_type_of

CHECKS: Final = ("key", "registered", "permissions", "car", "proxy")
PUBLIC_KEY_PATH: Final = "/.well-known/appspecific/com.tesla.3p.public-key.pem"
_TIMEOUT: Final = aiohttp.ClientTimeout(total=15)
# Bytes of a point of a P-256 key, at the end of the key's DER form
_POINT: Final = 65
# Scopes that a token does not list
_NOT_LISTED: Final = frozenset({"openid", "offline_access"})


class Checklist:
    """The checks of one account. An application that is not registered is registered."""

    def __init__(
        self, hass: HomeAssistant, data: Mapping[str, Any], client: ApplicationImplementation
    ) -> None:
        """`data`: of the account, with a new access token."""
        self._hass = hass
        self._data = dict(data)
        self._client = client
        self._key: str | None = None
        self.results: dict[str, bool | None] = dict.fromkeys(CHECKS)
        """Whether each check is passed; None if that is unknown."""
        self.base_url: str | None = None
        """The address of the account's region; None if it is unknown."""

    async def run(self) -> None:
        self._key = await self._hosted_key()
        self.base_url = await self._find_region()
        self.results |= {
            "key": self._key is not None,
            "registered": self.base_url is not None and await self._is_registered(self.base_url),
            "permissions": self._has_permissions(),
        }
        if self.base_url is not None:
            self._data[CONF_BASE_URL] = self.base_url
            await self._check_commands()

    async def _hosted_key(self) -> str | None:
        """Return the public key that the domain serves, in the form in which Tesla reports it."""
        url = self._data[CONF_APPLICATION_DOMAIN] + PUBLIC_KEY_PATH
        session = async_get_clientsession(self._hass)
        with suppress(aiohttp.ClientError, TimeoutError, ServiceError, IndexError, ValueError):
            async with session.get(url, timeout=_TIMEOUT) as response:
                response.raise_for_status()
                lines = (await read_body(response)).decode().split("-----")
            point = base64.b64decode(lines[lines.index("BEGIN PUBLIC KEY") + 1])[-_POINT:]
            return point.hex() if len(point) == _POINT else None
        return None

    async def _find_region(self) -> str | None:
        """Return the base URL of the account's region. If no region answers, register and ask again."""
        with suppress(ServiceError):
            return await find_base_url(self._hass, self._data)
        for base_url in service_type_of(self._data).base_urls:
            await self._request_as_application(base_url, REGISTER_APPLICATION)
        with suppress(ServiceError):
            return await find_base_url(self._hass, self._data)
        return None

    async def _is_registered(self, base_url: str) -> bool:
        """Return whether the application is registered with the key that its domain serves."""
        for endpoint in (APPLICATION_KEY, REGISTER_APPLICATION) if self._key else ():
            answer = await self._request_as_application(base_url, endpoint)
            if str(answer.get("public_key")).lower() == self._key:
                return True
        return False

    async def _request_as_application(self, base_url: str, endpoint: Endpoint) -> Mapping[str, Any]:
        """Return a region's answer to a request of the application itself, or nothing."""
        with suppress(aiohttp.ClientError, TimeoutError, ServiceError, *DAMAGED):
            token = await self._client.application_token(base_url)
            own = {**self._data, CONF_BASE_URL: base_url, CONF_ACCESS_TOKEN: token}
            domain = URL(self._data[CONF_APPLICATION_DOMAIN]).raw_authority
            return read_mapping(await Provider(self._hass, own).request(endpoint, domain=domain))
        return {}

    def _has_permissions(self) -> bool | None:
        """Return whether the owner granted all permissions that were asked for."""
        with suppress(*DAMAGED):
            # A JSON web token (RFC 7519)
            _, claims, _ = self._data[CONF_ACCESS_TOKEN].split(".")
            granted = orjson.loads(base64.urlsafe_b64decode(f"{claims}=="))["scp"]
            return self._client.scopes - _NOT_LISTED <= {*map(str, granted)}
        return None

    async def _check_commands(self) -> None:
        """Check whether cars that need signed commands accept the key, and whether the proxy is reachable."""
        with suppress(ServiceError):
            vins = [vehicle.vin for vehicle in await fetch_vehicles(self._hass, self._data) or ()]
            status = await Provider(self._hass, self._data).request(FLEET_STATUS, payload={"vins": vins})
            about, unpaired = (read_mapping(status).get(name) for name in ("vehicle_info", "unpaired_vins"))
            need = {vin for vin in vins if _needs_signature(read_mapping(read_mapping(about).get(vin)))}
            self.results["car"] = need.isdisjoint(unpaired if isinstance(unpaired, list) else ())
            self.results["proxy"] = not need or await self._is_proxy_reachable()

    async def _is_proxy_reachable(self) -> bool:
        with suppress(ServiceError, KeyError):
            await certificate_to_accept(self._data[CONF_COMMAND_URL])
            return True
        return False


def _needs_signature(about: Mapping[str, Any]) -> bool:
    return about.get("vehicle_command_protocol_required") is not False
