"""The service as an account reaches it: opened, with the doors that it has, its errors in words."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Protocol, TypedDict

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_ACCESS_TOKEN
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import ConfigEntryAuthFailed, HomeAssistantError, ServiceValidationError
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.importlib import async_import_module
from homeassistant.helpers.update_coordinator import UpdateFailed
from homeassistant.util import dt as dt_util

from ..api.client import Client
from ..api.errors import (
    AuthenticationError,
    Concern,
    InvalidValueError,
    NotFoundError,
    RateLimitedError,
    ServiceError,
)
from ..const import CONF_BASE_URL, CONF_SEED, CONF_SIMULATOR, CONF_SPEED, CONF_VEHICLES, DOMAIN

if TYPE_CHECKING:
    # Loaded only for who has a simulated account.
    from ..simulator import Simulator


CONFIRM_TOKEN_AFTER: Final = 5.0
"""Seconds after which a request that was answered 401 is sent again, before the token counts as refused."""


class _Words(TypedDict):
    translation_domain: str
    translation_key: str
    translation_placeholders: dict[str, str]


def translation(error: ServiceError, kind: type[HomeAssistantError]) -> HomeAssistantError:
    """Return what the client raises as Home Assistant's own error, in words for a person."""
    words: _Words = {
        "translation_domain": DOMAIN,
        "translation_key": error.sentence,
        "translation_placeholders": dict(error.placeholders),
    }
    if isinstance(error, InvalidValueError):
        return ServiceValidationError(**words)
    if isinstance(error, AuthenticationError) and error.is_confirmed and kind is UpdateFailed:
        return ConfigEntryAuthFailed(**words)
    if error.pause and kind is UpdateFailed:
        return UpdateFailed(retry_after=error.pause, **words)
    return kind(**words)


class Asker(Protocol):
    """Who asks, as long as anybody wants to know."""

    hass: HomeAssistant

    @property
    def is_over(self) -> bool:
        """Whether nobody wants to know any more."""
        ...


@contextmanager
def asked_by_a_person(asker: Asker, entry: ConfigEntry[Any]) -> Iterator[None]:
    """Raise the client's errors as Home Assistant's, and start reauthentication if the token is refused."""
    try:
        yield
    except ServiceError as error:
        if isinstance(error, AuthenticationError) and error.is_confirmed and not asker.is_over:
            entry.async_start_reauth(asker.hass)
        raise translation(error, HomeAssistantError) from None


@callback
def client_for(hass: HomeAssistant, data: Mapping[str, Any]) -> Client:
    """Return the client for an address and a token."""
    return Client(async_get_clientsession(hass), data[CONF_BASE_URL], data[CONF_ACCESS_TOKEN])


async def open_service(
    hass: HomeAssistant, data: Mapping[str, Any], kept: Any = None
) -> tuple[Client, Simulator | None]:
    """Return the client for an account's data, and for a simulated account the service that it speaks to.

    Simulated cars are at home where Home Assistant is. `kept`: what they were when they were last seen.
    """
    if (settings := data.get(CONF_SIMULATOR)) is None:
        return client_for(hass, data), None
    room = await async_import_module(hass, f"{__package__}.simulator")
    simulator: Simulator = room.Simulator(
        vehicles=int(settings[CONF_VEHICLES]),
        seed=int(settings[CONF_SEED]),
        clock=room.Clock(speed=float(settings[CONF_SPEED])),
        home=room.Place.at(hass.config.latitude, hass.config.longitude, dt_util.get_default_time_zone()),
        alive=True,
        kept=kept,
    )
    address = {CONF_BASE_URL: await simulator.start(), CONF_ACCESS_TOKEN: simulator.token}
    return client_for(hass, address), simulator


class Known(Protocol):
    """A vehicle, as far as the service has to be told which one."""

    vin: str
    number: str


# As often a way may be not found before it is believed to be lacking: services err.
_NOT_FOUND_BORNE: Final = 3


class _Way:
    """A way to ask that a service may lack. What has worked once is there; a 404 is then a failure."""

    def __init__(self) -> None:
        """Believe at first that it is there."""
        self.has_worked = False
        self._not_found = 0

    @property
    def is_there(self) -> bool:
        """Whether it makes sense to ask so."""
        return self.has_worked or self._not_found < _NOT_FOUND_BORNE

    def worked(self) -> None:
        """Know that it is there."""
        self.has_worked = True

    def was_not_found(self) -> None:
        """Count that it was not found."""
        self._not_found += 1


class Connection:
    """A service, and which of its ways to ask for a car it has: found out once per start.

    Every method raises a `ServiceError` and nothing else.
    """

    def __init__(self, client: Client, simulator: Simulator | None) -> None:
        """Believe at first that it has all of them."""
        self.client = client
        self.simulator = simulator
        self._list = _Way()
        self._record = _Way()
        # The best first
        self._reads: tuple[tuple[_Way, Callable[[str], Awaitable[dict[str, Any]]]], ...] = (
            (_Way(), client.vehicle_data),
            (_Way(), client.data),
            (_Way(), client.data_requests),
        )

    @property
    def has_list(self) -> bool:
        """Whether the service lists the account's cars."""
        return self._list.is_there

    @property
    def is_listing(self) -> bool:
        """Whether the service has listed the account's cars, so that what it does not name is not there."""
        return self._list.has_worked

    @property
    def has_records(self) -> bool:
        """Whether the service tells of one car without asking the car."""
        return self._record.is_there

    @property
    def is_probed(self) -> bool:
        """Whether the service tells which cars are awake without asking the cars."""
        return self.has_list or self.has_records

    async def records(self, vehicles: Mapping[str, Known]) -> dict[str, dict[str, Any]]:
        """Return the vehicles' own records by VIN and by id: from the list, else one by one, else none.

        One by one, an error is raised only if no record can be had at all, or if the service refuses the
        token or asks for fewer requests.
        """
        if self.has_list:
            try:
                listed = await self.client.vehicles()
            except NotFoundError:
                if self._list.has_worked:
                    raise
                self._list.was_not_found()
            else:
                self._list.worked()
                return {str(name): each for each in listed for name in (each.get("vin"), each.get("id"))}
        if not self.has_records:
            return {}
        numbers = [vehicle.number for vehicle in vehicles.values()]
        records = await asyncio.gather(*map(self._record_or_error, numbers))
        found = {vin: each for vin, each in zip(vehicles, records, strict=True) if isinstance(each, dict)}
        errors = [each for each in records if isinstance(each, ServiceError)]
        if errors and not found:
            raise errors[0]
        return found

    async def record(self, number: str) -> dict[str, Any] | None:
        """Return a vehicle's own record, which does not touch the car; None if it cannot be had.

        Raises an error only if the service refuses the token or asks for fewer requests.
        """
        found = await self._record_or_error(number)
        return None if isinstance(found, ServiceError) else found

    async def _record_or_error(self, number: str) -> dict[str, Any] | ServiceError | None:
        """Return a vehicle's own record, None if there is none, or the error that may be this car's alone."""
        try:
            record = await self.client.vehicle(number)
        except AuthenticationError, RateLimitedError:
            raise
        except NotFoundError:
            self._record.was_not_found()
            return None
        except ServiceError as error:
            # What only concerns the car is reported by its live read.
            return None if error.needs_a_person is Concern.VEHICLE else error
        self._record.worked()
        return record

    async def read(self, number: str) -> dict[str, Any]:
        """Return all that a car says, by the best kind of read that the service has."""
        tried: list[_Way] = []
        for way, read in self._reads:
            if not way.is_there:
                continue
            try:
                record = await read(number)
            except NotFoundError:
                if way.has_worked:
                    raise
                tried.append(way)
                continue
            # Only beside one that works are the others lacking: a car that is not there has none.
            for each in tried:
                each.was_not_found()
            way.worked()
            return record
        raise NotFoundError
