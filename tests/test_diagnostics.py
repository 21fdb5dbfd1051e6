"""Test the diagnostics."""

from collections.abc import Mapping
from copy import deepcopy
import json
from typing import Any, Final

from homeassistant.components.diagnostics import REDACTED
from homeassistant.helpers import device_registry as dr
import pytest

from custom_components.vehicle_remote_access.api.fields import Field
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


async def _account_report(home: Home) -> dict[str, Any]:
    return await async_get_config_entry_diagnostics(home.hass, home.entry)


async def _response(home: Home, **values: Any) -> dict[str, Any]:
    """Return the response in the report after the service sends these values. `__` is a dot in a path."""
    for path, value in values.items():
        home.simulator.faults.corrupt(path.replace("__", "."), value)
    await home.poll()
    (vehicle,) = (await _account_report(home))["vehicles"]
    response: dict[str, Any] = vehicle["response"]
    return response


def _value(response: Mapping[str, Any], path: str) -> Any:
    value: Any = response
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
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
    }
    home.simulator.faults.corrupt(
        "vehicle_state.car_version", f"seen at {drive_state['latitude']} by {home.car.vin}"
    )
    home.simulator.faults.corrupt("vehicle_state.active_route_latitude", drive_state["latitude"])
    await home.poll()
    report = json.dumps(await _account_report(home))
    assert not [secret for secret in secrets if secret in report]


async def test_habits_have_no_locations(home: Home) -> None:
    """The report contains the learned habits without their locations."""
    drive_state = home.coordinator.raw["drive_state"]
    await home.advance(120)
    home.car.unplug()
    home.car.drive(2)
    await home.advance(300)
    (vehicle,) = (await _account_report(home))["vehicles"]
    assert vehicle["watch"]["habits"]["stays"][0]["lasted"] > 0
    report = json.dumps(vehicle)
    assert not [name for name in ("latitude", "longitude") if f"{drive_state[name]:.2f}" in report]


@pytest.mark.parametrize(
    "field", [field for field in FIELDS if not field.private], ids=lambda field: field.path
)
async def test_other_fields_are_unchanged(field: Field[Any], home: Home) -> None:
    """Every field that is not private has the value that the service sent."""
    (vehicle,) = (await _account_report(home))["vehicles"]
    assert _value(vehicle["response"], field.path) == _value(home.coordinator.raw, field.path)


@pytest.mark.parametrize(
    "path",
    [
        "active_route_destination",
        "drive_state.active_route_destination",
        "vehicle_state.wifi_ssid",
        "vehicle_state.software_update.destination",
    ],
)
async def test_unknown_text_is_redacted(home: Home, path: str) -> None:
    """The report contains the name, type, and length of an unknown text field, but not its text."""
    response = await _response(home, **{path: ADDRESS})
    assert _value(response, path) == REDACTED_ADDRESS
    assert ADDRESS not in json.dumps(response)


@pytest.mark.parametrize(
    ("text", "shown"), [("", "text, 0 characters"), ("x", "text, 1 character"), ("12", "text, 2 characters")]
)
async def test_length_of_unknown_text(home: Home, text: str, shown: str) -> None:
    """The report contains the length of an unknown text, however short it is."""
    response = await _response(home, drive_state__destination=text)
    assert response["drive_state"]["destination"] == f"{REDACTED} ({shown})"


@pytest.mark.parametrize("value", [True, False, None])
async def test_unknown_booleans_and_null_are_shown(home: Home, value: Any) -> None:
    """The report contains unknown booleans and null as the service sent them."""
    response = await _response(home, charge_state__flux_capacitor=value)
    assert response["charge_state"]["flux_capacitor"] is value


@pytest.mark.parametrize("number", [0, -7, 90, 99_999, -99_999, 40.0, 180.5, -223.75, 99_999.5])
async def test_unknown_numbers_are_shown(home: Home, number: float) -> None:
    """The report contains unknown numbers that can't be a coordinate, a phone number, or an ID."""
    response = await _response(home, charge_state__flux_capacitor=number)
    assert response["charge_state"]["flux_capacitor"] == number


@pytest.mark.parametrize(
    "number",
    [
        1.21,
        37.394847,
        -122.150389,
        179.5,
        -179.5,
        37_394_847,
        -122_150_389,
        100_000,
        -100_000,
        100_000.5,
        1e300,
    ],
)
async def test_unknown_numbers_that_could_be_private_are_redacted(home: Home, number: float) -> None:
    """Unknown numbers that could be a coordinate, a phone number, or an ID are redacted."""
    response = await _response(home, charge_state__flux_capacitor=number)
    assert response["charge_state"]["flux_capacitor"] == REDACTED_NUMBER


@pytest.mark.parametrize(
    "path", ["car_version", "drive_state.car_version", "vehicle_state.state", "drive_state.media_state"]
)
async def test_known_name_in_wrong_record_is_unknown(home: Home, path: str) -> None:
    """A field is unknown if its name is known only in another record."""
    response = await _response(home, **{path: ADDRESS})
    assert _value(response, path) == REDACTED_ADDRESS


async def test_known_record_in_wrong_record_is_unknown(home: Home) -> None:
    """The fields of a record are unknown if the record is inside the wrong record."""
    response = await _response(home, drive_state__vehicle_config={"car_type": ADDRESS})
    assert response["drive_state"]["vehicle_config"] == {"car_type": REDACTED_ADDRESS}


@pytest.mark.parametrize("path", ["drive_state", "vehicle_state.software_update"])
async def test_plain_value_instead_of_record_is_unknown(home: Home, path: str) -> None:
    """A text is unknown if the service sends it in the place of a record."""
    response = await _response(home, **{path: ADDRESS})
    assert _value(response, path) == REDACTED_ADDRESS


async def test_list_instead_of_record_is_unknown(home: Home) -> None:
    """The content of a list is unknown if the service sends it in the place of a record."""
    response = await _response(home, vehicle_config=[{"car_type": ADDRESS}, ADDRESS, 3])
    assert response["vehicle_config"] == [{"car_type": REDACTED_ADDRESS}, REDACTED_ADDRESS, 3]


async def test_unknown_objects_and_lists_are_redacted_recursively(home: Home) -> None:
    """The rules for unknown fields apply at every depth of an unknown object."""
    route = {
        "stops": [{"exit": {"name": ADDRESS}, "points": [[37.394847, -122.150389]], "delay": 5}, ADDRESS],
        "is_active": True,
        "error": None,
    }
    response = await _response(home, drive_state__route=route)
    assert response["drive_state"]["route"] == {
        "stops": [
            {
                "exit": {"name": REDACTED_ADDRESS},
                "points": [[REDACTED_NUMBER, REDACTED_NUMBER]],
                "delay": 5,
            },
            REDACTED_ADDRESS,
        ],
        "is_active": True,
        "error": None,
    }


@pytest.mark.parametrize("value", [{"label": ADDRESS, "level": 5}, [ADDRESS, 5], [[ADDRESS], 37.394847]])
async def test_object_or_list_in_known_field_is_unknown(home: Home, value: Any) -> None:
    """The content of a known field is unknown if it is an object or a list."""
    response = await _response(home, vehicle_state__car_version=value)
    shown = json.dumps(response["vehicle_state"]["car_version"])
    assert REDACTED_ADDRESS in shown
    assert ADDRESS not in shown
    assert "37.39" not in shown


@pytest.mark.parametrize("value", [ADDRESS, 1.21, -5_000_000, True])
async def test_known_fields_are_unchanged(home: Home, value: Any) -> None:
    """A known field has the value that the service sent, even if the value is invalid."""
    response = await _response(home, charge_state__battery_level=value)
    assert response["charge_state"]["battery_level"] == value


async def test_names_that_look_like_data_are_redacted(home: Home) -> None:
    """The names in an unknown object are redacted unless they look like field names."""
    networks = {"Smith Family": 1, "5 GHz": 2, "signal_2": 3, "Smith": {"is_home": True}, "12": 4, "lat-1": 5}
    response = await _response(home, vehicle_state__networks=networks)
    assert response["vehicle_state"]["networks"] == {
        f"{REDACTED} (name 1)": 1,
        f"{REDACTED} (name 2)": 2,
        "signal_2": 3,
        f"{REDACTED} (name 4)": {"is_home": True},
        f"{REDACTED} (name 5)": 4,
        f"{REDACTED} (name 6)": 5,
    }


async def test_names_that_look_like_data_are_redacted_in_records(home: Home) -> None:
    """The names of unknown fields in a known record follow the same rule."""
    response = await _response(home, **{"drive_state.Smith Family": True})
    assert "Smith" not in json.dumps(response)


async def test_secret_in_name_is_redacted(home: Home) -> None:
    """A name that contains a secret is redacted, even if it looks like a field name."""
    home.simulator.faults.corrupt("vehicle_state.vehicle_name", "thunderbolt")
    response = await _response(home, vehicle_state__paired={"thunderbolt_key": True})
    assert response["vehicle_state"]["paired"] == {f"{REDACTED} (name 1)": True}


@pytest.mark.parametrize(
    "path", ["drive_state.postal_code", "drive_state.zip", "drive_state.house_number", "destinationLatitude"]
)
async def test_small_numbers_of_location_are_redacted(home: Home, path: str) -> None:
    """A small number is redacted if its name says that it is part of a location."""
    response = await _response(home, **{path: 12_345})
    assert "12345" not in json.dumps(response)


async def test_private_fields_of_unknown_objects_are_redacted(home: Home) -> None:
    """A private name is redacted at every depth, even if its value would otherwise be shown."""
    unknown = {"vin": "short", "stop": {"latitude": 37, "Home_Longitude": -122, "token": None}}
    response = await _response(home, vehicle_state__unknown=unknown)
    assert response["vehicle_state"]["unknown"] == {
        "vin": REDACTED,
        "stop": {"latitude": REDACTED, f"{REDACTED} (name 2)": REDACTED, "token": None},
    }


async def test_redaction_does_not_change_data(home: Home) -> None:
    """The report is a copy: redaction does not change the coordinator's data."""
    await _response(home, drive_state__route={"to": ADDRESS, "stops": [{"at": ADDRESS}]})
    before = deepcopy(home.coordinator.raw)
    await _account_report(home)
    assert home.coordinator.raw == before
    assert before["drive_state"]["route"]["to"] == ADDRESS


async def test_device_report_redacts_unknown_text(home: Home) -> None:
    """The report of a device follows the same rules as the report of the account."""
    await _response(home, drive_state__active_route_destination=ADDRESS)
    (vehicle,) = (await async_get_device_diagnostics(home.hass, home.entry, home.device))["vehicles"]
    assert vehicle["response"]["drive_state"]["active_route_destination"] == REDACTED_ADDRESS


async def test_report_can_be_parsed(home: Home) -> None:
    """The response in the report can be parsed, and has the same values as the original one."""
    (vehicle,) = (await _account_report(home))["vehicles"]
    parsed = Vehicle.parse(vehicle["response"])
    changed = {field for field in parsed.changed_since(home.coordinator.data) if not field.private}
    assert not changed


@pytest.mark.parametrize("cars", [2])
async def test_device_report_contains_one_car(home: Home) -> None:
    """The report of a device contains only that car."""
    devices = dr.async_entries_for_config_entry(dr.async_get(home.hass), home.entry.entry_id)
    report = await async_get_device_diagnostics(home.hass, home.entry, devices[1])
    (vehicle,) = report["vehicles"]
    car = next(car for car in home.simulator.vehicles if car.vin == devices[1].serial_number)
    assert vehicle["response"]["vehicle_state"]["odometer"] == pytest.approx(car.driving.odometer)


async def test_car_that_was_never_awake(empty_home: Home) -> None:
    """The report of a car that has been asleep since setup contains its data from the vehicle list."""
    empty_home.car.fall_asleep()
    await empty_home.set_up()
    (vehicle,) = (await _account_report(empty_home))["vehicles"]
    assert vehicle["mode"] == "asleep"
    assert vehicle["response"]["state"] == "asleep"


@pytest.mark.parametrize("cars", [2])
async def test_account_device_report(home: Home) -> None:
    """The report of the account's device is the report of the account."""
    identifier = (DOMAIN, home.entry.entry_id)
    device = dr.async_get(home.hass).async_get_device_by_identifier(identifier, home.entry.entry_id)
    assert device is not None
    report = await async_get_device_diagnostics(home.hass, home.entry, device)
    assert len(report["vehicles"]) == 2
    assert report == await _account_report(home)
