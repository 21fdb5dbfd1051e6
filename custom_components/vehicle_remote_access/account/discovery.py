"""The cars of an account, before they are its vehicles: which there are, and which of them is meant."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Self

from homeassistant.config_entries import ConfigSubentryData
from homeassistant.const import CONF_ID, CONF_NAME
from homeassistant.core import HomeAssistant, callback

from ..api.client import Client
from ..api.errors import NotFoundError
from ..api.records import Vehicle
from ..const import CONF_VIN, DOMAIN, SUBENTRY_VEHICLE
from ..device_info import name_of


@dataclass(frozen=True)
class Car:
    """A vehicle of an account, known well enough to be added."""

    number: str
    vin: str
    name: str

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Self | None:
        """Return the car of a vehicle record, or None if the record does not say which car it is."""
        vehicle = Vehicle.parse(record)
        if vehicle.number is None or vehicle.vin is None:
            return None
        return cls(vehicle.number, vehicle.vin, name_of(vehicle))

    @property
    def data(self) -> dict[str, str]:
        """What a subentry keeps."""
        return {CONF_ID: self.number, CONF_VIN: self.vin, CONF_NAME: self.name}

    @property
    def subentry(self) -> ConfigSubentryData:
        """The vehicle that it becomes."""
        return ConfigSubentryData(
            data=self.data, subentry_type=SUBENTRY_VEHICLE, title=self.name, unique_id=self.vin
        )


async def list_cars(client: Client) -> list[Car] | None:
    """Return the account's cars, or None where the service does not list them, or not which they are."""
    try:
        records = await client.vehicles()
    except NotFoundError:
        return None
    cars = [car for record in records if (car := Car.of(record)) is not None]
    return cars if cars or not records else None


async def find_car(client: Client, number: str) -> Car | None:
    """Return the car with this id: from its record, else from a live read.

    Raises AsleepError where only a car that is awake can tell.
    """
    is_known = False
    for ask in (client.vehicle, client.vehicle_data, client.data):
        try:
            car = Car.of(await ask(number))
        except NotFoundError:
            continue
        if car is not None:
            return car
        is_known = True
    if not is_known:
        raise NotFoundError
    return None


async def cars_among(client: Client, numbers: Iterable[str]) -> list[Car] | None:
    """Return those of these cars that the service knows, from its records; None if it has no records."""
    cars: list[Car] = []
    for number in numbers:
        with suppress(NotFoundError):
            if car := Car.of(await client.vehicle(number)):
                cars.append(car)
    return cars or None


@callback
def vins_taken(hass: HomeAssistant) -> set[str | None]:
    """Return the VINs of all accounts: Home Assistant itself compares within one."""
    return {
        subentry.unique_id
        for entry in hass.config_entries.async_entries(DOMAIN)
        for subentry in entry.subentries.values()
    }
