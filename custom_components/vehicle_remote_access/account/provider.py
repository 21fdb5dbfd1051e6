"""The provider of an account: sends its requests, knows which endpoints work, and translates its errors."""

import asyncio
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from homeassistant.config_entries import ConfigEntry, ConfigEntryState
from homeassistant.const import CONF_ACCESS_TOKEN
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ConfigEntryAuthFailed, HomeAssistantError, ServiceValidationError
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.update_coordinator import UpdateFailed
from yarl import URL

from .. import const
from ..api import errors
from ..api.client import Client, CommandAddress
from ..api.commands import DATA_REQUESTS, VEHICLE_DATA
from ..api.records import ChargeState
from ..api.service_types import (
    ADD_SIGNALS,
    OTHER,
    REFRESH,
    SERVICE_TYPES,
    STREAMED_SIGNALS,
    ServiceType,
)
from ..api.token_refresher import TokenRefresher, Tokens
from ..util.stored_values import read_mapping
from .simulator import create_simulator, import_simulator
from .token_store import create_refresher

if TYPE_CHECKING:
    # Imported at run time only for simulated accounts.
    from ..simulator import Simulator


# A failing service can return 404. An endpoint counts as missing after this many 404s without a success.
_MISSING_AFTER: Final = 3


def translate_error(error: errors.ServiceError, error_type: type[HomeAssistantError]) -> HomeAssistantError:
    """Return an error of a provider as one of Home Assistant's, with its translation."""
    translation: dict[str, Any] = {
        "translation_domain": const.DOMAIN,
        "translation_key": error.translation_key,
        "translation_placeholders": dict(error.placeholders),
    }
    if isinstance(error, errors.InvalidValueError | errors.MissingEndpointError):
        return ServiceValidationError(**translation)
    if error.is_final and error_type is UpdateFailed:
        return ConfigEntryAuthFailed(**translation)
    return error_type(**translation)


@contextmanager
def translate_errors(hass: HomeAssistant, entry: ConfigEntry[Any]) -> Iterator[None]:
    """Raise a provider's errors as HomeAssistantError. Start reauthentication if the token is refused."""
    try:
        yield
    except errors.ServiceError as error:
        # A request can outlast its account.
        if error.is_final and entry.state is ConfigEntryState.LOADED:
            entry.async_start_reauth(hass)
        # A service without a name has that of its account.
        is_nameless = isinstance(error, errors.MissingEndpointError) and not error.detail
        shown = errors.MissingEndpointError(entry.title) if is_nameless else error
        raise translate_error(shown, HomeAssistantError) from None


def service_type_of(data: Mapping[str, Any]) -> ServiceType:
    """Return the service of an account with this data. A simulated account has none."""
    return SERVICE_TYPES.get(data.get(const.CONF_SERVICE, OTHER.key), OTHER)


def command_address_of(data: Mapping[str, Any]) -> CommandAddress | None:
    """Return the address for commands of an account with this data, if it has its own."""
    if (url := data.get(const.CONF_COMMAND_URL)) is None:
        return None
    certificate = data.get(const.CONF_COMMAND_CERTIFICATE)
    return CommandAddress(url, bytes.fromhex(certificate) if certificate else None)


def stream_url_of(data: Mapping[str, Any]) -> URL | None:
    """Return where the service of an account with this data streams live data, None if nowhere."""
    service_type, base_url = service_type_of(data), data.get(const.CONF_BASE_URL, "")
    if (stream := service_type.stream) is None:
        return None
    if url := data.get(const.CONF_STREAM_URL):
        return URL(url)
    usual = stream.url.format(base_url=base_url)
    # Another base URL can be that of any service, whose token the usual stream would not accept.
    return URL(usual) if base_url in service_type.base_urls or usual.startswith(base_url) else None


async def open_provider(
    hass: HomeAssistant, data: Mapping[str, Any], stored: Any = None, refresher: TokenRefresher | None = None
) -> Provider:
    """Return the provider of an account, with a started simulator if it has one. `stored`: its state."""
    if (settings := data.get(const.CONF_SIMULATOR)) is None:
        return Provider(hass, data, refresher)
    simulator = await create_simulator(hass, settings, stored)
    url = await simulator.start()
    address: dict[str, Any] = {const.CONF_BASE_URL: url, CONF_ACCESS_TOKEN: simulator.token}
    if settings.get(const.CONF_TOKEN_EXPIRES):
        module = await import_simulator(hass)
        simulator.switches.token_lifetime = module.USUAL_TOKEN_LIFETIME
        urls = {const.CONF_TOKEN_URL: url + module.TOKEN_PATH}
        address[const.CONF_TOKEN_REFRESH] = {**urls, const.CONF_REFRESH_TOKEN: simulator.tokens.refresh_token}
        refresher = create_refresher(hass, address)
    return Provider(hass, address, refresher, simulator)


class Provider(Client):
    """A client that knows which endpoints for reading vehicles work. At first, all are assumed to work."""

    def __init__(
        self,
        hass: HomeAssistant,
        data: Mapping[str, Any],
        refresher: TokenRefresher | None = None,
        simulator: Simulator | None = None,
    ) -> None:
        """Use an account's data. Without a `refresher`, the token is never refreshed."""
        session = async_get_clientsession(hass)
        super().__init__(
            session,
            data[const.CONF_BASE_URL],
            refresher or TokenRefresher(session, Tokens(access_token=data[CONF_ACCESS_TOKEN])),
            service_type_of(data),
            command_address_of(data),
        )
        self.simulator = simulator
        self._is_location_refused = False
        self._reads: list[Callable[..., Any]] = [self.vehicle_data, self.data, self.data_requests]
        """The requests of live data that are supported, in order of preference."""
        self._worked: set[Hashable] = set()
        """The requests that have succeeded. For them, a 404 is an error."""
        self._not_found = Counter[Hashable]()
        """The number of 404s to each of the other requests."""
        self.has_list = True
        """Whether the service lists the account's vehicles."""
        self.has_records = True
        """Whether the service returns one vehicle's record without asking the vehicle."""
        self.reports_states = True
        """Whether the service reports which vehicles are awake without asking them."""
        self.requests_per_read = 1

    def named_places(self, vin: str, names: Mapping[str, str]) -> Mapping[str, tuple[float, float]]:
        """Return where the owner of a simulated car often drives, by the names of the places."""
        cars = self.simulator.vehicles if self.simulator else ()
        return next((car.named_places(names) for car in cars if car.vin == vin), {})

    @property
    def list_has_worked(self) -> bool:
        """Whether the service has listed the vehicles, so that a missing vehicle is not in the account."""
        return self.vehicles in self._worked

    def _is_supported(self, request: Hashable) -> bool:
        """Return whether the service has what a request asks for. Assumed until proven wrong."""
        return request in self._worked or self._not_found[request] < _MISSING_AFTER

    def _count_not_found(self, *requests: Hashable) -> None:
        self._not_found.update(requests)
        self._reads = [request for request in self._reads if self._is_supported(request)]
        self.has_list = self._is_supported(self.vehicles)
        self.has_records = self._is_supported(self.vehicle)
        self.reports_states = self.has_list or self.has_records
        self.requests_per_read = len(DATA_REQUESTS) if self._reads == [self.data_requests] else 1

    async def records(self, path_ids: Mapping[str, str]) -> dict[str, dict[str, Any]]:
        """Return the vehicles' records by VIN and by id. Empty if the service has none.

        They come from the list, else from a request for each vehicle (`path_ids`, by VIN). Raises an error of
        the latter only if none succeeds, or if the service refuses the token or limits requests.
        """
        if self.has_list:
            try:
                records = await self.vehicles()
            except errors.NotFoundError:
                if self.list_has_worked:
                    raise
                self._count_not_found(self.vehicles)
            else:
                self._worked.add(self.vehicles)
                return {str(key): each for each in records for key in (each.get("vin"), each.get("id"))}
        if not self.has_records:
            return {}
        results = await asyncio.gather(*map(self._record_or_error, path_ids.values()))
        found = {vin: each for vin, each in zip(path_ids, results, strict=True) if isinstance(each, dict)}
        failures = [each for each in results if isinstance(each, errors.ServiceError)]
        if failures and not found:
            raise failures[0]
        return found

    async def record(self, path_id: str) -> dict[str, Any] | None:
        """Return a vehicle's record, or None. Raises only if the token is refused or requests are limited."""
        if not self.has_records:
            return None
        result = await self._record_or_error(path_id)
        return None if isinstance(result, errors.ServiceError) else result

    async def _record_or_error(self, path_id: str) -> dict[str, Any] | errors.ServiceError | None:
        """Return a vehicle's record, None if there is none, or an error that may be only this vehicle's."""
        try:
            record = await self.vehicle(path_id)
        except errors.AuthenticationError, errors.RateLimitedError:
            raise
        except errors.NotFoundError:
            self._count_not_found(self.vehicle)
            return None
        except errors.ServiceError as error:
            # The live read reports errors of the vehicle.
            return None if error.issue_scope == "vehicle" else error
        self._worked.add(self.vehicle)
        return record

    async def stream_signals(self, path_id: str, names: Iterable[str]) -> None:
        """Let the service stream these signals of a vehicle in addition to those that it streams now."""
        try:
            streamed = read_mapping((await self.request(STREAMED_SIGNALS, path_id)).get("fields"))
        except errors.NotFoundError:
            streamed = {}
        if missing := sorted({*names} - streamed.keys()):
            # Without an interval, the service uses its own.
            await self.request(ADD_SIGNALS, path_id, fields=dict.fromkeys(missing))

    async def refresh(self, path_id: str) -> dict[str, Any]:
        """Let a service with a cache read the vehicle. Return the data if the answer has it, or nothing."""
        if not self._is_supported(REFRESH):
            return {}
        answer: Any = None
        try:
            # Any successful answer will do. Its form is not documented.
            with suppress(errors.MalformedResponseError):
                answer = await self.request(REFRESH, path_id)
        except errors.InvalidRequestError, errors.NotFoundError, errors.PermissionDeniedError:
            # What the cache has is better than nothing.
            self._count_not_found(REFRESH)
            return {}
        self._worked.add(REFRESH)
        if not isinstance(answer, dict) or ChargeState.key not in answer:
            return {}
        # Otherwise, the request that follows counts.
        self.live_read_count += 1
        self._count_billed(VEHICLE_DATA)
        return answer

    async def read(self, path_id: str, *, with_location: bool = True) -> dict[str, Any]:
        """Return a vehicle's live data from the best endpoint. Some services can leave out the location."""
        if self.type.can_omit_location:
            return await self._read_with_endpoints(path_id, with_location=with_location)
        missing: list[Callable[..., Any]] = []
        for request in self._reads:
            try:
                data: dict[str, Any] = await request(path_id)
            except errors.NotFoundError:
                if request in self._worked:
                    raise
                missing.append(request)
                continue
            if missing:
                # If no endpoint works, the vehicle is missing, not the endpoints.
                self._count_not_found(*missing)
            self._worked.add(request)
            return data
        raise errors.NotFoundError

    async def _read_with_endpoints(self, path_id: str, *, with_location: bool) -> dict[str, Any]:
        """Return a vehicle's live data. If the token may not read the location, leave it out from then on."""
        if not with_location or self._is_location_refused:
            return await self.vehicle_data(path_id, with_location=False)
        try:
            return await self.vehicle_data(path_id)
        except errors.PermissionDeniedError:
            data = await self.vehicle_data(path_id, with_location=False)
        self._is_location_refused = True
        return data
