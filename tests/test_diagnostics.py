"""Diagnostics: what the report contains, and what is redacted. And the page of system information."""

from collections.abc import Mapping
from dataclasses import replace
import json
from typing import Any, Final

from homeassistant.components.diagnostics import REDACTED
from homeassistant.helpers import device_registry as dr
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import get_system_health_info

from custom_components.vehicle_remote_access.account.storage import remove_stores
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.diagnostics import (
    async_get_config_entry_diagnostics,
    async_get_device_diagnostics,
)
from custom_components.vehicle_remote_access.simulator.http.car_records import full_record

from .api.raw_records import found_in
from .conftest import LIST, Home
from .source import ENGLISH

ADDRESS: Final = "12 Main Street"
REDACTED_TEXT: Final = f"{REDACTED} (str)"

# Path of a field that the service sends → its value, and what the report contains instead
UNKNOWN_FIELDS: Final[Mapping[str, tuple[Any, Any]]] = {
    "destination": (ADDRESS, REDACTED_TEXT),
    "vehicle_state.software_update.destination": (ADDRESS, REDACTED_TEXT),
    "drive_state.zip": (12_345, f"{REDACTED} (int)"),
    "drive_state.north": (37.394847, f"{REDACTED} (float)"),
    "drive_state.has_stop": (True, True),
    "drive_state.mode": ("StartAt", "StartAt"),
    "drive_state.floor": ("12", REDACTED_TEXT),
    "drive_state.error": (None, None),
    # A name that is known only in another record, and a value in the place of a record or list
    "drive_state.car_version": (ADDRESS, REDACTED_TEXT),
    "drive_state.vehicle_config": ({"car_type": ADDRESS}, {"car_type": REDACTED_TEXT}),
    "gui_settings": (ADDRESS, REDACTED_TEXT),
    "vehicle_config": ([{"car_type": ADDRESS}], f"{REDACTED} (list)"),
    "vehicle_state.api_version": ([ADDRESS], f"{REDACTED} (list)"),
    "vehicle_state.car_version": ({"label": ADDRESS}, {"label": REDACTED_TEXT}),
    # Names that do not look like field names, and one that contains the name of the car
    "vehicle_state.networks": (
        {"Smith Family": None, "signal_2": None, "Smith": {"inner": {"name": ADDRESS}}, "12": None},
        {
            f"{REDACTED} (name 1)": None,
            "signal_2": None,
            f"{REDACTED} (name 3)": {"inner": {"name": REDACTED_TEXT}},
            f"{REDACTED} (name 4)": None,
        },
    ),
    "vehicle_state.paired": ({"thunderbolt_key": None}, {f"{REDACTED} (name 1)": None}),
    # The name of a private field
    "vehicle_state.unknown": (
        {"vin": "short", "stop": {"latitude": 37}},
        {"vin": REDACTED, "stop": {"latitude": REDACTED}},
    ),
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


async def test_private_data_is_redacted(home: Home) -> None:
    """The report contains no VIN, name, or location, even in fields that usually hold none.

    `test_every_field` tests the fields that usually hold private data.
    """
    latitude = home.coordinator.known.merged.raw["drive_state"]["latitude"]
    response = await _response(
        home,
        {
            "vehicle_state.car_version": f"seen at {latitude} by {home.car.vin}",
            "vehicle_state.active_route_latitude": latitude,
            "destinationLatitude": 54_321,
            "drive_state.Smith Family": True,
        },
    )
    assert "seen at" in response["vehicle_state"]["car_version"]
    report = json.dumps(await _report(home))
    assert not [secret for secret in (home.car.vin, str(latitude), "Smith", "54321") if secret in report]


async def test_learned_habits_have_no_locations(home: Home) -> None:
    drive_state = home.coordinator.known.merged.raw["drive_state"]
    await home.advance(120)
    home.car.unplug()
    home.car.drive(2)
    await home.advance(300)
    (vehicle,) = (await _report(home))["vehicles"]
    assert vehicle["watch"]["habits"]["stays"][0]["lasted"] > 0
    report = json.dumps(vehicle)
    assert not [name for name in ("latitude", "longitude") if f"{drive_state[name]:.2f}" in report]


async def test_report_has_only_the_names_types_and_known_words_of_unknown_fields(home: Home) -> None:
    sent = {path: value for path, (value, _) in UNKNOWN_FIELDS.items()}
    response = await _response(home, {"vehicle_state.vehicle_name": "thunderbolt", **sent})
    expected = {path: shown for path, (_, shown) in UNKNOWN_FIELDS.items()}
    assert {path: found_in(response, path) for path in sent} == expected
    assert ADDRESS not in json.dumps(response)
    # Redaction does not change the coordinator's data.
    assert {path: found_in(dict(home.coordinator.known.merged.raw), path) for path in sent} == sent


async def test_invalid_values_of_known_fields_are_unchanged(home: Home) -> None:
    sent = {
        "charge_state.battery_level": ADDRESS,
        "charge_state.charge_limit_soc": 1.21,
        "charge_state.charger_voltage": -5_000_000,
        "charge_state.charger_power": True,
    }
    response = await _response(home, sent)
    assert {path: found_in(response, path) for path in sent} == sent


@pytest.mark.parametrize("cars", [2])
async def test_report_of_a_car_has_only_that_car_and_the_report_of_the_account_has_all(home: Home) -> None:
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
        assert drive_state["active_route_destination"] == REDACTED
    account = devices[None]
    assert await async_get_device_diagnostics(home.hass, home.entry, account) == whole


async def test_report_of_a_car_that_was_never_awake_has_its_data_from_the_list(empty_home: Home) -> None:
    empty_home.car.fall_asleep()
    await empty_home.set_up()
    (vehicle,) = (await _report(empty_home))["vehicles"]
    assert (vehicle["mode"], vehicle["response"]["state"]) == ("asleep", "asleep")
    assert vehicle["reason"] == "the list shows when it is online again"


async def test_report_of_an_account_that_is_not_loaded_says_why(home: Home) -> None:
    await home.unload()
    await remove_stores(home.hass, *home.entry.subentries)
    home.simulator.faults.answer(500, body={"error": f"{home.car.name} is broken"}, times=100)
    await home.run_until_complete(home.load())
    report = await async_get_config_entry_diagnostics(home.hass, home.entry)
    assert report["account"] == {
        "service": "other",
        "is_simulated": False,
        "options": {"interval": 60},
        "state": "setup_retry",
        "reason": f"The service is failing. Try again later. Details: {REDACTED} is broken",
    }
    assert await async_get_device_diagnostics(home.hass, home.entry, home.device) == report


async def test_no_report_has_the_token_refresh_that_the_owner_entered(home: Home) -> None:
    settings = {"token_url": "https://auth.example.com/secret-path", "refresh_token": "the-refresh-token"}
    data = {**home.entry.data, "token_refresh": settings}
    home.hass.config_entries.async_update_entry(home.entry, data=data)
    await home.idle()
    text = f"refused: {', '.join(settings.values())}"
    response = await _response(home, {"vehicle_state.car_version": text})
    assert response["vehicle_state"]["car_version"] == f"refused: {REDACTED}, {REDACTED}"
    await home.unload()
    object.__setattr__(home.entry, "reason", text)
    report = await async_get_config_entry_diagnostics(home.hass, home.entry)
    assert report["account"]["reason"] == f"refused: {REDACTED}, {REDACTED}"


async def test_report_has_no_id_of_the_car_that_changed_and_no_car_that_is_not_added(home: Home) -> None:
    old_id, other_vin = home.coordinator.known.path_id, "5YJ3E1EA9LF000042"
    home.car.identity = replace(home.car.identity, id=99_887_766)
    record = {**full_record(home.car), "id_s": "99887766"}
    home.simulator.faults.serve("GET", LIST, {"response": [record, {"id": 1, "vin": other_vin}]})
    await home.advance(65)
    text = f"once {old_id}, now {home.coordinator.known.path_id}, beside {other_vin}"
    response = await _response(home, {"vehicle_state.car_version": text})
    shown = f"once {REDACTED}, now {REDACTED}, beside {REDACTED}"
    assert response["vehicle_state"]["car_version"] == shown


# The integration's section of the system information page


@pytest.mark.parametrize("cars", [2])
async def test_system_information_has_translated_figures_and_sends_no_requests(home: Home) -> None:
    assert await async_setup_component(home.hass, "system_health", {})
    home.simulator.vehicles[1].fall_asleep()
    await home.advance(60)
    request_count = len(home.requests())
    info = await get_system_health_info(home.hass, DOMAIN)
    figures = {"accounts": 1, "services": "1/1", "vehicles": 2, "asleep": 1}
    assert info == {**figures, "requests_today": home.entry.runtime_data.requests.today}
    assert len(home.requests()) == request_count
    # An account without an address for commands does not show its state.
    assert info.keys() | {"command_urls"} == ENGLISH["system_health"]["info"].keys()
    await home.simulator.stop()
    await home.advance(120)
    assert (await get_system_health_info(home.hass, DOMAIN))["services"] == "0/1"
    await home.leave()
    figures = {"accounts": 1, "services": "0/0", "vehicles": 0, "asleep": 0, "requests_today": 0}
    assert await get_system_health_info(home.hass, DOMAIN) == figures
