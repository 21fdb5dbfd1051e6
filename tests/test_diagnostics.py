"""Diagnostics: what the report contains, and what is redacted."""

from collections.abc import Mapping
import json
from typing import Any, Final

from homeassistant.components.diagnostics import REDACTED
from homeassistant.helpers import device_registry as dr
import pytest

from custom_components.vehicle_remote_access.api.records import FIELDS, Vehicle
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.diagnostics import (
    async_get_config_entry_diagnostics,
    async_get_device_diagnostics,
)

from .conftest import TOKEN, Home

ADDRESS: Final = "12 Main Street"
REDACTED_ADDRESS: Final = f"{REDACTED} (text, 14 characters)"
REDACTED_NUMBER: Final = f"{REDACTED} (number)"

# Path of a field that the service sends → its value, and what the report contains instead
UNKNOWN_FIELDS: Final[Mapping[str, tuple[Any, Any]]] = {
    # Text
    "active_route_destination": (ADDRESS, REDACTED_ADDRESS),
    "vehicle_state.software_update.destination": (ADDRESS, REDACTED_ADDRESS),
    "drive_state.empty": ("", f"{REDACTED} (text, 0 characters)"),
    "drive_state.short": ("x", f"{REDACTED} (text, 1 character)"),
    # A name that is known only in another record, and a value in the place of a record or list
    "drive_state.car_version": (ADDRESS, REDACTED_ADDRESS),
    "drive_state.vehicle_config": ({"car_type": ADDRESS}, {"car_type": REDACTED_ADDRESS}),
    "gui_settings": (ADDRESS, REDACTED_ADDRESS),
    "vehicle_config": ([{"car_type": ADDRESS}, 3], [{"car_type": REDACTED_ADDRESS}, 3]),
    "vehicle_state.api_version": ([[ADDRESS], 37.394847], [[REDACTED_ADDRESS], REDACTED_NUMBER]),
    "vehicle_state.car_version": ({"label": ADDRESS}, {"label": REDACTED_ADDRESS}),
    # Every depth
    "drive_state.route": (
        {"stops": [{"exit": {"name": ADDRESS}, "points": [[37.394847]], "delay": 5}, ADDRESS], "error": None},
        {
            "stops": [
                {"exit": {"name": REDACTED_ADDRESS}, "points": [[REDACTED_NUMBER]], "delay": 5},
                REDACTED_ADDRESS,
            ],
            "error": None,
        },
    ),
    # Names that do not look like field names, and one that contains the name of the car
    "vehicle_state.networks": (
        {"Smith Family": 1, "signal_2": 2, "Smith": {"is_home": True}, "12": 4, "lat-1": 5},
        {
            f"{REDACTED} (name 1)": 1,
            "signal_2": 2,
            f"{REDACTED} (name 3)": {"is_home": True},
            f"{REDACTED} (name 4)": 4,
            f"{REDACTED} (name 5)": 5,
        },
    ),
    "vehicle_state.paired": ({"thunderbolt_key": True}, {f"{REDACTED} (name 1)": True}),
    # Names that say that the value is private
    "vehicle_state.unknown": (
        {"vin": "short", "stop": {"latitude": 37, "Home_Longitude": -122, "token": None}},
        {"vin": REDACTED, "stop": {"latitude": REDACTED, f"{REDACTED} (name 2)": REDACTED, "token": None}},
    ),
    "drive_state.postal_code": (12_345, REDACTED),
    "drive_state.zip": (12_345, REDACTED),
    "drive_state.house_number": (12_345, REDACTED),
}


async def _report(home: Home) -> dict[str, Any]:
    """Return the report of the account, after reading the cars."""
    await home.poll()
    return await async_get_config_entry_diagnostics(home.hass, home.entry)


async def _response(home: Home, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the response in the report if the service sends these values."""
    for path, value in values.items():
        home.simulator.faults.corrupt(path, value)
    (vehicle,) = (await _report(home))["vehicles"]
    response: dict[str, Any] = vehicle["response"]
    return response


def _value(response: Mapping[str, Any], path: str) -> Any:
    value: Any = response
    for name in path.split("."):
        value = value.get(name, "missing") if isinstance(value, Mapping) else "missing"
    return value


async def test_private_data_is_redacted(home: Home) -> None:
    """The report contains no token, VIN, ID, name, or location, even in fields that usually hold none."""
    drive_state = home.coordinator.raw["drive_state"]
    secrets = {
        TOKEN,
        home.car.vin,
        str(home.car.id),
        str(home.car.vehicle_id),
        *home.coordinator.raw["tokens"],
        str(drive_state["latitude"]),
        str(drive_state["longitude"]),
        "Smith",
        "54321",
    }
    response = await _response(
        home,
        {
            "vehicle_state.car_version": f"seen at {drive_state['latitude']} by {home.car.vin}",
            "vehicle_state.active_route_latitude": drive_state["latitude"],
            "destinationLatitude": 54_321,
            "drive_state.Smith Family": True,
        },
    )
    assert "seen at" in response["vehicle_state"]["car_version"]
    report = json.dumps(await _report(home))
    assert not [secret for secret in secrets if secret in report]


async def test_habits_have_no_locations(home: Home) -> None:
    """The report contains the learned habits without their locations."""
    drive_state = home.coordinator.raw["drive_state"]
    await home.advance(120)
    home.car.unplug()
    home.car.drive(2)
    await home.advance(300)
    (vehicle,) = (await _report(home))["vehicles"]
    assert vehicle["watch"]["habits"]["stays"][0]["lasted"] > 0
    report = json.dumps(vehicle)
    assert not [name for name in ("latitude", "longitude") if f"{drive_state[name]:.2f}" in report]


async def test_other_fields_are_unchanged(home: Home) -> None:
    """Every field that is not private has the value that the service sent, and can be parsed."""
    response = await _response(home, {})
    paths = [field.path for field in FIELDS if not field.private]
    shown = {path: _value(response, path) for path in paths}
    assert shown == {path: _value(home.coordinator.raw, path) for path in paths}
    changed = Vehicle.parse(response).changed_since(home.coordinator.data)
    assert {field for field in changed if not field.private} == set()


async def test_unknown_fields_are_redacted(home: Home) -> None:
    """The report contains the names, types, and lengths of unknown fields, but nothing private."""
    sent = {path: value for path, (value, _) in UNKNOWN_FIELDS.items()}
    response = await _response(home, {"vehicle_state.vehicle_name": "thunderbolt", **sent})
    assert {path: _value(response, path) for path in sent} == {
        path: shown for path, (_, shown) in UNKNOWN_FIELDS.items()
    }
    assert ADDRESS not in json.dumps(response)
    # Redaction does not change the coordinator's data.
    assert {path: _value(home.coordinator.raw, path) for path in sent} == sent


async def test_unknown_numbers(home: Home) -> None:
    """Unknown numbers that could be a coordinate, a phone number, or an ID are redacted. Others are shown."""
    harmless = (0, -7, 90, 99_999, -99_999, 40.0, 180.5, -223.75, 99_999.5, True, False, None)
    suspicious = (1.21, 37.394847, 179.5, -179.5, 100_000, -100_000, 100_000.5, 1e300)
    sent = {f"charge_state.number_{index}": number for index, number in enumerate(harmless + suspicious)}
    shown = (await _response(home, sent))["charge_state"]
    expected = [*harmless, *[REDACTED_NUMBER] * len(suspicious)]
    assert [shown[f"number_{index}"] for index in range(len(sent))] == expected


async def test_invalid_values_of_known_fields_are_unchanged(home: Home) -> None:
    """A known field has the value that the service sent, even if the value is invalid."""
    sent = {
        "charge_state.battery_level": ADDRESS,
        "charge_state.charge_limit_soc": 1.21,
        "charge_state.charger_voltage": -5_000_000,
        "charge_state.charger_power": True,
    }
    response = await _response(home, sent)
    assert {path: _value(response, path) for path in sent} == sent


@pytest.mark.parametrize("cars", [2])
async def test_device_report_contains_one_car(home: Home) -> None:
    """The report of a car's device contains only that car, redacted. The account's device has them all."""
    home.simulator.faults.corrupt("drive_state.active_route_destination", ADDRESS)
    whole = await _report(home)
    assert len(whole["vehicles"]) == 2
    devices = {
        device.serial_number: device
        for device in dr.async_entries_for_config_entry(dr.async_get(home.hass), home.entry.entry_id)
    }
    for index, car in enumerate(home.simulator.vehicles):
        report = await async_get_device_diagnostics(home.hass, home.entry, devices[car.vin])
        assert report == {"vehicles": [whole["vehicles"][index]]}
        drive_state = report["vehicles"][0]["response"]["drive_state"]
        assert drive_state["active_route_destination"] == REDACTED_ADDRESS
    identifier = (DOMAIN, home.entry.entry_id)
    account = dr.async_get(home.hass).async_get_device_by_identifier(identifier, home.entry.entry_id)
    assert account is not None
    assert await async_get_device_diagnostics(home.hass, home.entry, account) == whole


async def test_car_that_was_never_awake(empty_home: Home) -> None:
    """The report of a car that has been asleep since setup contains its data from the vehicle list."""
    empty_home.car.fall_asleep()
    await empty_home.set_up()
    (vehicle,) = (await _report(empty_home))["vehicles"]
    assert (vehicle["mode"], vehicle["response"]["state"]) == ("asleep", "asleep")
