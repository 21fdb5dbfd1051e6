"""The vehicles of an account before they are configured."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Self

from homeassistant.config_entries import ConfigSubentry
from homeassistant.const import CONF_ID, CONF_NAME
from homeassistant.core import HomeAssistant

from .. import const
from ..api import errors
from ..api.client import Client
from ..api.records import Vehicle
from ..api.service_types import REGION
from ..device_info import vehicle_name
from .issues import IssueReporter
from .provider import Provider, open_provider, service_type_of
from .simulator import tariff_entity_id


@dataclass(frozen=True)
class DiscoveredVehicle:
    """A vehicle of an account that can be added."""

    path_id: str
    vin: str
    name: str

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self | None:
        """Return the vehicle of a record, or None if the record lacks its id or its VIN."""
        vehicle = Vehicle.parse(record)
        if vehicle.path_id is None or vehicle.vin is None:
            return None
        return cls(vehicle.path_id, vehicle.vin, vehicle_name(vehicle))

    @property
    def identity(self) -> dict[str, str]:
        return {CONF_ID: self.path_id, const.CONF_VIN: self.vin, CONF_NAME: self.name}

    def subentry(
        self,
        account: Mapping[str, Any],
        *,
        keep_positions: bool,
        options: Mapping[str, Any] = MappingProxyType({}),
    ) -> ConfigSubentry:
        """Return the vehicle's subentry. `account`: the data of its account."""
        data = {**self.identity, const.CONF_KEEP_POSITIONS: keep_positions}
        if (settings := account.get(const.CONF_SIMULATOR)) is not None:
            data[const.CONF_PRICE_ENTITY] = tariff_entity_id(settings)
        return ConfigSubentry(
            data=MappingProxyType({**data, **options}),
            subentry_type=const.SUBENTRY_VEHICLE,
            title=self.name,
            unique_id=self.vin,
        )


async def list_vehicles(client: Client) -> list[DiscoveredVehicle] | None:
    """Return the account's vehicles, or None if the service does not list them or leaves out their VINs.

    Only the first record with an id counts. Raises MalformedResponseError if it is not such a service.
    """
    try:
        records = await client.vehicles()
    except errors.NotFoundError as error:
        if not error.is_json:
            await _check_is_service(client)
        return None
    by_id: dict[str, DiscoveredVehicle] = {}
    for record in records:
        if (vehicle := DiscoveredVehicle.from_record(record)) is not None:
            by_id.setdefault(vehicle.path_id, vehicle)
    return [*by_id.values()] if by_id or not records else None


async def fetch_vehicles(hass: HomeAssistant, data: Mapping[str, Any]) -> list[DiscoveredVehicle] | None:
    """Return the vehicles of an account with this data. Otherwise as `list_vehicles`."""
    provider = await open_provider(hass, data)
    try:
        return await list_vehicles(provider)
    finally:
        if provider.simulator is not None:
            await provider.simulator.stop()


async def _check_is_service(client: Client) -> None:
    """Raise MalformedResponseError if a vehicle's path gets the same response as any path of a web server."""
    try:
        await client.vehicle("0")
    except errors.MalformedResponseError:
        raise
    except errors.ServiceError as error:
        # Any other error comes from such a service, which does not know this id.
        if isinstance(error, errors.NotFoundError) and not error.is_json:
            raise errors.MalformedResponseError from error


async def find_base_url(hass: HomeAssistant, data: Mapping[str, Any]) -> str:
    """Return the address of the region that has this account, by asking each. Raises ServiceError."""
    base_urls = service_type_of(data).base_urls
    refusals: list[errors.ServiceError] = []
    for base_url in base_urls:
        try:
            answer = await Provider(hass, {**data, const.CONF_BASE_URL: base_url}).request(REGION)
        except (errors.WrongRegionError, errors.ClientRefusedError) as error:
            # A region refuses an application that is not registered there before it looks for the account.
            refusals.append(error)
            continue
        # The token must not be sent to an address that is not the service's.
        named = answer.get("fleet_api_base_url") if isinstance(answer, dict) else None
        return named if named in base_urls else base_url
    raise next((error for error in refusals if isinstance(error, errors.ClientRefusedError)), refusals[-1])


async def discover_vehicle(client: Client, path_id: str) -> DiscoveredVehicle | None:
    """Return the vehicle with this id, from its record or from a live read. None if its VIN is missing.

    Raises AsleepError if only a live read of a sleeping car could tell, NotFoundError for an unknown id.
    """
    has_record = False
    for request in (client.vehicle, client.vehicle_data, client.data):
        if request != client.vehicle:
            const.LOGGER.debug("A car that is not added yet is read, to learn its VIN")
        with suppress(errors.NotFoundError):
            record = await request(path_id)
            has_record = True
            if vehicle := DiscoveredVehicle.from_record(record):
                return vehicle
    if not has_record:
        raise errors.NotFoundError
    return None


async def discover_vehicles(client: Client, path_ids: Iterable[str]) -> list[DiscoveredVehicle] | None:
    """Return the vehicles with these ids from their records, or None if none was found."""
    vehicles: list[DiscoveredVehicle] = []
    for path_id in path_ids:
        with suppress(errors.NotFoundError):
            if vehicle := DiscoveredVehicle.from_record(await client.vehicle(path_id)):
                vehicles.append(vehicle)
    return vehicles or None


def configured_vins(hass: HomeAssistant) -> set[str]:
    """Return the VINs of all accounts. Home Assistant itself checks unique ids only within one account."""
    return {
        str(subentry.unique_id).upper()
        for entry in hass.config_entries.async_entries(const.DOMAIN)
        for subentry in entry.subentries.values()
    }


class NewVehicleDetector:
    """Detects vehicles that the account got after it was first listed."""

    def __init__(self, hass: HomeAssistant, issues: IssueReporter) -> None:
        self._hass = hass
        self._issues = issues
        self._seen_vins: set[str] | None = None
        """The VINs that are not new, or None before the service listed any."""

    def update(self, records: Mapping[str, Mapping[str, Any]]) -> bool:
        """Report new vehicles of a list, by VIN and by id. Return whether the state to store changed."""
        listed = {vin: record for record in records.values() if (vin := Vehicle.vin.read(record))}
        if self._seen_vins is None and not listed:
            # A configured vehicle was chosen from a list, so an empty list is incomplete.
            return False
        configured = listed.keys() & configured_vins(self._hass)
        seen = (set(listed) if self._seen_vins is None else self._seen_vins) | configured
        has_changed, self._seen_vins = seen != self._seen_vins, seen
        new = (DiscoveredVehicle.from_record(record) for vin, record in listed.items() if vin not in seen)
        self._issues.report_new_vehicles((each.identity for each in new if each is not None), configured)
        return has_changed

    def restore(self, stored: Any) -> None:
        if isinstance(stored, list):
            self._seen_vins = {vin for vin in stored if isinstance(vin, str)}

    def as_json(self) -> list[str] | None:
        return None if self._seen_vins is None else sorted(self._seen_vins)
