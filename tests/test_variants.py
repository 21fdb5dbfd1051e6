"""Entities for cars with different equipment, settings and names, and for a legacy service.

`test_every_field` tests which entities depend on the equipment.
"""

import logging
from typing import Final, Literal

from homeassistant.const import STATE_UNAVAILABLE
from homeassistant.util.unit_system import US_CUSTOMARY_SYSTEM
import pytest

from custom_components.vehicle_remote_access.simulator import Simulator
from custom_components.vehicle_remote_access.simulator.vehicle.equipment import Screen

from .conftest import Home

SEAT: Final = "climate_state.seat_heater"

type Profile = Literal["current-2019", "legacy-2018"]

legacy = pytest.mark.parametrize("profile", ["legacy-2018"])


@pytest.fixture
def cars() -> int:
    """All simulated cars. Each test keeps one of them."""
    return 5


@pytest.fixture
def car_name() -> str:
    """The car of the test: the Model S with the sunroof, unless a parameter names another car."""
    return "Aurora"


@pytest.fixture
def profile() -> Profile:
    """The profile of the service: a current service, unless a parameter names another profile."""
    return "current-2019"


@pytest.fixture
def simulator(simulator: Simulator, car_name: str, profile: Profile) -> Simulator:
    """A service with this profile and only this car, which is awake."""
    simulator.vehicles[:] = [car for car in simulator.vehicles if car.name == car_name]
    simulator.switches.profile = profile
    simulator.vehicles[0].wake()
    return simulator


@pytest.mark.parametrize(
    ("car_name", "profile"),
    [
        ("Pebble", "current-2019"),
        ("Bluebell", "current-2019"),
        ("Juniper", "current-2019"),
        ("Noordster", "legacy-2018"),
    ],
)
async def test_all_entities_of_every_car(
    entity_registry_enabled_by_default: None, home: Home, caplog: pytest.LogCaptureFixture
) -> None:
    """For each car and service, all entities can be enabled and are available, without errors in the log."""
    await home.poll()
    assert STATE_UNAVAILABLE not in home.states().values()
    assert not [
        record.getMessage()
        for record in caplog.records
        if record.levelno >= logging.ERROR
        or (record.levelno >= logging.WARNING and record.name.startswith("custom_components"))
    ]


@pytest.mark.parametrize("car_name", ["Bluebell"])
async def test_names_of_doors_and_seats(entity_registry_enabled_by_default: None, home: Home) -> None:
    """Also with right-hand drive, doors are named after the occupant, and seat heaters after the side."""
    doors = {
        path: home.shown("binary_sensor", f"vehicle_state.{path}").name for path in ("df", "dr", "pf", "pr")
    }
    seats = {path: home.shown("sensor", f"{SEAT}_{path}").name for path in ("left", "right")}
    assert doors | seats == {
        "df": "Bluebell Driver door",
        "dr": "Bluebell Driver rear door",
        "pf": "Bluebell Passenger door",
        "pr": "Bluebell Passenger rear door",
        "left": "Bluebell Left seat heater",
        "right": "Bluebell Right seat heater",
    }


async def test_units(empty_home: Home) -> None:
    """Units follow Home Assistant's settings, not those of the car's display."""
    empty_home.hass.config.units = US_CUSTOMARY_SYSTEM
    empty_home.car.screen = Screen("km/hr", "C", "km/hr", gui_24_hour_time=True)
    empty_home.car.set_temperatures(inside=20.0)
    await empty_home.set_up()
    shown = {}
    for path in ("climate_state.inside_temp", "vehicle_state.odometer"):
        state = empty_home.shown("sensor", path)
        shown[state.attributes["unit_of_measurement"]] = float(state.state)
    assert shown == {"°F": pytest.approx(68, abs=0.01), "mi": pytest.approx(23_164.08, abs=0.01)}


# Names


@pytest.mark.parametrize(
    ("car_name", "empty", "name"),
    [
        ("Aurora", ["display_name"], "Aurora"),
        ("Aurora", ["vehicle_state.vehicle_name"], "Aurora"),
        ("Pebble", ["display_name", "vehicle_state.vehicle_name"], "Model 3 2020"),
    ],
)
async def test_car_without_a_name(empty_home: Home, empty: list[str], name: str) -> None:
    """A car without a name is named after its model and year, and so are its entities."""
    for path in empty:
        empty_home.simulator.faults.corrupt(path, "")
    await empty_home.set_up()
    assert empty_home.device.name == name
    prefix = name.lower().replace(" ", "_")
    assert empty_home.entity_id("lock", "vehicle_state.locked") == f"lock.{prefix}_doors"
    assert empty_home.entity_id("sensor", "charge_state.battery_level") == f"sensor.{prefix}_battery"


# Legacy service


@legacy
@pytest.mark.parametrize("car_name", ["Noordster"])
async def test_legacy_fields(entity_registry_enabled_by_default: None, empty_home: Home) -> None:
    """Fields that only the legacy service has are shown, and fields that it lacks are unknown.

    Seat heaters are on or off, because the service reports no levels.
    """
    for seat, level in (("left", 2), ("rear_center", 1), ("third_row_right", 2)):
        empty_home.car.heat_seat(seat, level)
    await empty_home.set_up()
    expected = {
        f"sensor {SEAT}_left": "on",
        f"sensor {SEAT}_right": "off",
        f"sensor {SEAT}_rear_left": "off",
        f"sensor {SEAT}_rear_center": "on",
        f"sensor {SEAT}_rear_right_back": "medium",
        f"sensor {SEAT}_rear_left_back": "off",
        f"sensor {SEAT}_third_row_right": "unknown",
        "sensor vehicle_state.autopark_state": "not_available",
        "sensor api_version": "unknown",
        "sensor climate_state.climate_keeper_mode": "unknown",
        "sensor vehicle_state.software_update.status": "unknown",
        "binary_sensor vehicle_state.is_user_present": "unknown",
        "binary_sensor vehicle_state.sentry_mode": "unknown",
        "binary_sensor vehicle_state.speed_limit_mode.active": "unknown",
        "number vehicle_state.speed_limit_mode.current_limit_mph": "unknown",
        "update vehicle_state.software_update": "unknown",
    }
    shown = {entity: empty_home.shown(*entity.split(" ", 1)).state for entity in expected}
    assert shown == expected


@legacy
async def test_legacy_service_is_detected(home: Home) -> None:
    """After each start, the newer endpoint is requested three times before it counts as missing."""
    for _ in range(2):
        for _ in range(5):
            await home.poll()
        assert len(home.requests("/vehicle_data")) == 3
        home.simulator.requests.clear()
        await home.restart()
