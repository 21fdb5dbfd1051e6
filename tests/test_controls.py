"""Buttons, climate, numbers, the sunroof, the tracker and the update of a car.

`test_snapshots` has all states of parked cars.
"""

from typing import Any, Final

from homeassistant.exceptions import HomeAssistantError
import pytest

from custom_components.vehicle_remote_access.simulator.faults.faults import ResponseFault

from .conftest import Home
from .field_places import report

CLIMATE: Final = "climate_state"
DRIVE: Final = "drive_state"
POSITION: Final = ("native_latitude", "native_longitude", "latitude", "longitude")
PASSENGER: Final = "climate_state.passenger_temp_setting"
SPEED: Final = "vehicle_state.speed_limit_mode.current_limit_mph"
MAX_SPEED: Final = "vehicle_state.speed_limit_mode.max_limit_mph"
ROOF: Final = "vehicle_state.sun_roof_percent_open"
UPDATE: Final = "vehicle_state.software_update"


# Buttons


@pytest.mark.parametrize("seconds", [65, 0], ids=["known to be asleep", "asleep since the last poll"])
async def test_wake_up_waits_until_the_car_is_awake_and_sends_nothing_else(home: Home, seconds: int) -> None:
    home.car.fall_asleep()
    await home.advance(seconds)
    assert await home.gather(home.call("button", "press", "wake_up")) == [None]
    assert home.car.state == "online"
    assert home.shown("sensor", "state").state == "online"
    assert len(home.requests("/wake_up")) == 1
    assert not home.requests("/command/")


async def test_wake_up_ends_the_backoff_of_failed_reads(home: Home) -> None:
    home.car.unplug()
    home.car.drive(60)
    fault = home.simulator.faults.inject(ResponseFault(status=500, only="/vehicle_data"), times=1000)
    await home.advance(10 * 60, step=10)
    home.simulator.faults.withdraw(fault)
    assert home.shown("sensor", "polling_mode").state == "backing_off"
    await home.call("button", "press", "wake_up")
    await home.advance(15)
    assert home.shown("sensor", "polling_mode").state == "driving"


async def test_failed_refresh_is_an_error_and_the_last_values_stay(home: Home) -> None:
    home.simulator.faults.answer(500, only="/vehicle_data")
    with pytest.raises(HomeAssistantError, match="The service is failing"):
        await home.call("button", "press", "refresh")
    assert home.shown("sensor", "charge_state.battery_level").state == "72"


# Climate


async def test_temperature_is_set_on_both_sides_unless_they_differ(home: Home) -> None:
    await home.call("climate", "set_temperature", CLIMATE, temperature=23.5)
    assert home.shown("climate", CLIMATE).attributes["temperature"] == 23.5
    await home.call("number", "set_value", PASSENGER, value=25)
    await home.call("climate", "set_temperature", CLIMATE, temperature=20, hvac_mode="heat_cool")
    assert home.shown("climate", CLIMATE).attributes["temperature"] == 20
    assert home.car.cabin.on
    assert home.queries("set_temps") == [
        {"driver_temp": "23.5", "passenger_temp": "23.5"},
        {"driver_temp": "23.5", "passenger_temp": "25.0"},
        {"driver_temp": "20.0", "passenger_temp": "25.0"},
    ]


async def test_action_depends_on_the_temperature_inside(home: Home) -> None:
    await home.call("climate", "turn_on", CLIMATE)
    for inside_temp, is_preconditioning, action in (
        (5.0, True, "preheating"),
        (5.0, False, "heating"),
        (21.0, False, "idle"),
        (21.5, True, "cooling"),
        (40.0, True, "cooling"),
        (None, True, None),
    ):
        values = {"is_preconditioning": is_preconditioning, "inside_temp": inside_temp}
        await report(home, {f"{CLIMATE}.{name}": value for name, value in values.items()})
        assert home.shown("climate", CLIMATE).attributes.get("hvac_action") == action


async def test_climate_is_unknown_if_the_car_does_not_report_it(home: Home) -> None:
    await report(home, {f"{CLIMATE}.is_climate_on": None})
    assert home.shown("climate", CLIMATE).state == "unknown"
    assert home.shown("climate", CLIMATE).attributes.get("hvac_action") is None


# Numbers


async def test_both_sides_get_the_passengers_temperature_if_the_drivers_is_unknown(home: Home) -> None:
    home.simulator.faults.remove("climate_state.driver_temp_setting")
    await home.poll()
    await home.call("number", "set_value", PASSENGER, value=22)
    assert home.queries("set_temps") == [{"driver_temp": "22.0", "passenger_temp": "22.0"}]


async def test_metric_home_sees_and_sets_the_speed_limit_in_kilometers(home: Home) -> None:
    home.simulator.faults.corrupt("vehicle_state.speed_limit_mode.min_limit_mph", 55)
    home.simulator.faults.corrupt(MAX_SPEED, 70)
    await home.poll()
    shown = home.shown("number", SPEED)
    assert shown.attributes["unit_of_measurement"] == "km/h"
    assert (shown.attributes["min"], shown.attributes["max"]) == (88.0, 113.0)
    await home.call("number", "set_value", SPEED, value=100)
    assert home.queries("speed_limit_set_limit") == [{"limit_mph": "62"}]


# The sunroof


async def test_sunroof_shows_its_movement_and_its_position(home: Home) -> None:
    for service, data, movement, state, position in (
        ("open_cover", {}, "opening", "open", 100),
        ("set_cover_position", {"position": 40}, "closing", "open", 40),
        ("close_cover", {}, "closing", "closed", 0),
        # A closed sunroof does not show as opening after a close command.
        ("close_cover", {}, "closed", "closed", 0),
    ):
        await home.call("cover", service, ROOF, **data)
        assert home.shown("cover", ROOF).state == movement
        await home.advance(4)
        assert home.shown("cover", ROOF).state == movement
        await home.advance(12)
        shown = home.shown("cover", ROOF)
        assert (shown.state, shown.attributes["current_position"]) == (state, position)


async def test_state_of_a_sunroof_without_a_position_is_the_reported_one_or_unknown(home: Home) -> None:
    for state, shown in (
        ("closed", "closed"),
        ("vent", "open"),
        ("open", "open"),
        ("moving", "unknown"),
        ("unknown", "unknown"),
    ):
        await report(home, {ROOF: None, "vehicle_state.sun_roof_state": state})
        assert home.shown("cover", ROOF).state == shown, state


async def test_sunroof_that_a_button_moves_is_not_closing(home: Home) -> None:
    await home.call("cover", "open_cover", ROOF)
    await home.advance(20)
    await home.call("cover", "set_cover_position", ROOF, position=15)
    await home.advance(20)
    await home.call("button", "press", "sun_roof_control.comfort")
    assert home.shown("cover", ROOF).state == "open"
    await home.advance(20)
    assert home.shown("cover", ROOF).attributes["current_position"] == 80


async def test_sunroof_that_opens_is_not_closing_after_a_refused_command_to_close_it(home: Home) -> None:
    await home.call("cover", "set_cover_position", ROOF, position=15)
    await home.advance(20)
    await home.call("button", "press", "sun_roof_control.comfort")
    refusal = {"response": {"result": False, "reason": "not_allowed"}}
    home.simulator.faults.answer(200, body=refusal, times=2, only="/sun_roof_control")
    with pytest.raises(HomeAssistantError, match="not_allowed"):
        await home.call("cover", "close_cover", ROOF)
    await report(home, {ROOF: 40})
    assert home.shown("cover", ROOF).state == "open"


# The position


def _coordinates(home: Home) -> tuple[Any, Any]:
    attributes = home.shown("device_tracker", DRIVE).attributes
    return attributes.get("latitude"), attributes.get("longitude")


async def test_coordinates(home: Home) -> None:
    """The native coordinates are shown if they are supported, WGS and complete, or the others incomplete."""
    native, other = (1.5, 2.5), (3.5, 4.5)
    for supported, native_type, missing, expected in (
        (1, "wgs", (), native),
        (0, "wgs", (), other),
        (1, "gcj", (), other),
        (None, None, (), other),
        (1, "wgs", ("native_latitude", "native_longitude"), other),
        (1, "wgs", ("native_longitude",), other),
        (1, "wgs", ("latitude", "longitude"), native),
        (0, "wgs", ("latitude",), native),
    ):
        reported = {
            "native_location_supported": supported,
            "native_type": native_type,
            **dict(zip(POSITION, (*native, *other), strict=True)),
            **dict.fromkeys(missing),
        }
        await report(home, {f"{DRIVE}.{name}": value for name, value in reported.items()})
        assert _coordinates(home) == expected, (supported, native_type, missing)


async def test_last_coordinates_stay_if_the_car_reports_none(home: Home) -> None:
    before = _coordinates(home)
    assert None not in before
    await report(home, {f"{DRIVE}.{name}": None for name in POSITION})
    assert _coordinates(home) == before


async def test_position_is_unknown_until_the_car_reports_it(empty_home: Home) -> None:
    empty_home.car.fall_asleep()
    await empty_home.set_up()
    assert empty_home.shown("device_tracker", DRIVE).state == "unknown"
    assert _coordinates(empty_home) == (None, None)


# The update


async def test_update_is_shown_as_pending_because_the_number_of_its_version_is_not_documented(
    home: Home,
) -> None:
    home.simulator.faults.corrupt(f"{UPDATE}.version", "2030.1")
    for status in ("available", "scheduled", "downloading", "downloading_wifi_wait", "installing"):
        await report(home, {f"{UPDATE}.status": status})
        shown = home.shown("update", UPDATE)
        assert shown.state == "on"
        assert shown.attributes["latest_version"] == "pending"
        assert shown.attributes["in_progress"] is (status == "installing")


async def test_state_is_unknown_without_the_status_or_the_installed_version(home: Home) -> None:
    for path in (f"{UPDATE}.status", UPDATE, "vehicle_state.car_version"):
        assert home.shown("update", UPDATE).state == "off"
        home.simulator.faults.remove(path)
        await home.poll()
        assert home.shown("update", UPDATE).state == "unknown", path
        home.simulator.faults.clear()
        await home.poll()
