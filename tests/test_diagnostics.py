"""What a person can send to someone who helps."""

import json
from typing import Any

from homeassistant.helpers import device_registry as dr
import pytest

from custom_components.vehicle_remote_access.api.field import Field
from custom_components.vehicle_remote_access.api.records import FIELDS, Vehicle
from custom_components.vehicle_remote_access.diagnostics import (
    async_get_config_entry_diagnostics,
    async_get_device_diagnostics,
)

from .conftest import TOKEN, Home


async def _of_account(home: Home) -> dict[str, Any]:
    return await async_get_config_entry_diagnostics(home.hass, home.entry)


def _value(response: dict[str, Any], path: str) -> Any:
    found: Any = response
    for step in path.split("."):
        found = found.get(step) if isinstance(found, dict) else None
    return found


async def test_nobody_and_nowhere(home: Home) -> None:
    """No token, VIN, id, name or place stands in the report, wherever the service has put it."""
    place = home.coordinator.raw["drive_state"]
    secrets = {
        TOKEN,
        home.car.vin,
        str(home.car.id),
        str(home.car.vehicle_id),
        *home.coordinator.raw["tokens"],
        str(place["latitude"]),
        str(place["longitude"]),
    }
    home.simulator.faults.corrupt(
        "vehicle_state.car_version", f"seen at {place['latitude']} by {home.car.vin}"
    )
    home.simulator.faults.corrupt("vehicle_state.active_route_latitude", place["latitude"])
    await home.poll()
    report = json.dumps(await _of_account(home))
    assert not [secret for secret in secrets if secret in report]


async def test_habits_without_places(home: Home) -> None:
    """What was learned of the car is in the report, where it stood is not."""
    place = home.coordinator.raw["drive_state"]
    await home.advance(120)
    home.car.unplug()
    home.car.drive(2)
    await home.advance(300)
    (vehicle,) = (await _of_account(home))["vehicles"]
    assert vehicle["watch"]["habits"]["stays"][0]["lasted"] > 0
    report = json.dumps(vehicle)
    assert not [name for name in ("latitude", "longitude") if f"{place[name]:.2f}" in report]


@pytest.mark.parametrize(
    "field", [field for field in FIELDS if not field.private], ids=lambda field: field.path
)
async def test_everything_else_is_there(field: Field[Any], home: Home) -> None:
    """Every field that is not private stands in the report as the service sent it."""
    (vehicle,) = (await _of_account(home))["vehicles"]
    assert _value(vehicle["response"], field.path) == _value(home.coordinator.raw, field.path)


async def test_unknown_fields_are_there(home: Home) -> None:
    """What nobody here has heard of is in the report too."""
    home.simulator.faults.corrupt("charge_state.flux_capacitor", 1.21)
    await home.poll()
    (vehicle,) = (await _of_account(home))["vehicles"]
    assert vehicle["response"]["charge_state"]["flux_capacitor"] == 1.21


async def test_report_can_be_replayed(home: Home) -> None:
    """The report holds the service's answer as it was, so that it can be served again."""
    (vehicle,) = (await _of_account(home))["vehicles"]
    again = Vehicle.parse(vehicle["response"])
    differing = {field for field in again.changed_since(home.coordinator.data) if not field.private}
    assert not differing


@pytest.mark.parametrize("cars", [2])
async def test_one_car(home: Home) -> None:
    """The report of a device is about that car alone."""
    devices = dr.async_entries_for_config_entry(dr.async_get(home.hass), home.entry.entry_id)
    report = await async_get_device_diagnostics(home.hass, home.entry, devices[1])
    (vehicle,) = report["vehicles"]
    car = next(each for each in home.simulator.vehicles if each.vin == devices[1].serial_number)
    assert vehicle["response"]["vehicle_state"]["odometer"] == pytest.approx(car.driving.odometer)


async def test_car_that_was_never_read(empty_home: Home) -> None:
    """The report of a car that sleeps since the start says what the list says."""
    empty_home.car.fall_asleep()
    await empty_home.set_up()
    (vehicle,) = (await _of_account(empty_home))["vehicles"]
    assert vehicle["mode"] == "asleep"
    assert vehicle["response"]["state"] == "asleep"
