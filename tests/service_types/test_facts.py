"""What the car says is checked against what else it says: answers of real cars, and what is shown."""

from collections.abc import Mapping
from typing import Any, Final

from freezegun.api import FrozenDateTimeFactory
from homeassistant.helpers import entity_registry as er
import pytest

from custom_components.vehicle_remote_access.const import DOMAIN

from ..conftest import Home
from ..field_places import report
from .conftest import each_service

CHARGE: Final = "charge_state."
CLIMATE: Final = "climate_state."
DRIVE: Final = "drive_state."
BODY: Final = "vehicle_state."
MEDIA: Final = "vehicle_state.media_info."
GONE: Final = object()
"""The car does not report the field."""
UPDATE: Final = "update|vehicle_state.software_update"
ARRIVAL: Final = ("minutes_to_arrival", "miles_to_arrival", "energy_at_arrival", "traffic_minutes_delay")
ROUTE: Final = {
    "device_tracker|drive_state.active_route": "unknown",
    **{f"sensor|drive_state.active_route_{name}": "unknown" for name in ARRIVAL},
}
NO_POWER: Final = {f"{CHARGE}charger_{key}": None for key in ("power", "actual_current", "voltage", "phases")}
POWER: Final = tuple(f"sensor|{CHARGE}charger_{key}" for key in ("power", "actual_current", "power.computed"))
WHEEL: Final = "select|climate_state.steering_wheel_heat_level"
TIRES: Final = tuple(f"tpms_pressure_{tire}" for tire in ("fl", "fr", "rl", "rr"))
PLUG: Final = "binary_sensor|charge_state.conn_charge_cable"
CABLE: Final = "sensor|charge_state.conn_charge_cable"
PLAYING: Final = ("title", "artist", "album", "station", "source", "duration", "elapsed")
INSTALLING: Final = {
    f"{BODY}car_version": "2026.20.1 0f1e2d3c",
    f"{BODY}software_update.status": "installing",
    f"{BODY}software_update.install_perc": 100,
}
OVERHEAT: Final = "climate|climate_state.cabin_overheat_protection@hvac_modes"

# A fact → what the car reports, and the state or the attribute of entities
FACTS: Final[Mapping[str, tuple[Mapping[str, Any], Mapping[str, Any]]]] = {
    "a car whose charge has stopped is plugged in, also while its charger sleeps": (
        {f"{CHARGE}charging_state": "Stopped", f"{CHARGE}conn_charge_cable": "<invalid>"},
        {PLUG: "on", CABLE: "unknown"},
    ),
    "without a charging state, the cable decides": (
        {f"{CHARGE}charging_state": None, f"{CHARGE}conn_charge_cable": "<invalid>"},
        {PLUG: "off", CABLE: "none"},
    ),
    "a car that does not charge draws nothing": (
        {f"{CHARGE}charging_state": "Disconnected", **NO_POWER},
        dict.fromkeys(POWER, "0"),
    ),
    "the power of a car that charges is unknown": (
        {f"{CHARGE}charging_state": "Charging", **NO_POWER},
        dict.fromkeys(POWER, "unknown"),
    ),
    "coordinates and a delay are no route": (
        {
            f"{DRIVE}active_route_latitude": 30.2,
            f"{DRIVE}active_route_longitude": -97.6,
            f"{DRIVE}active_route_traffic_minutes_delay": 0.0,
        },
        ROUTE,
    ),
    "zeros without a destination are no route": (
        {f"{DRIVE}active_route_{name}": 0 for name in ARRIVAL},
        ROUTE,
    ),
    "an update that is installed is no update": (
        {**INSTALLING, f"{BODY}software_update.version": "2026.20.1"},
        {UPDATE: "off", f"{UPDATE}@in_progress": False, f"sensor|{BODY}software_update.status": "none"},
    ),
    "an update to another version is in progress": (
        {**INSTALLING, f"{BODY}software_update.version": "2026.26"},
        {UPDATE: "on", f"{UPDATE}@in_progress": True, f"sensor|{BODY}software_update.status": "installing"},
    ),
    **{
        f"a steering wheel on level {level} is on {shown}": (
            {f"{CLIMATE}steering_wheel_heat_level": level},
            {WHEEL: shown},
        )
        for level, shown in ((0, "off"), (1, "low"), (2, "high"), (3, "high"), (4, "high"))
    },
    "a seat on level 4 is on the highest": (
        {f"{CLIMATE}seat_heater_left": 4},
        {f"select|{CLIMATE}seat_heater_left": "high"},
    ),
    "a sensor of a tire that has not reported has no pressure": (
        {f"{BODY}{tire}": 0.0 for tire in TIRES},
        {f"sensor|{BODY}{tire}": "unknown" for tire in TIRES},
    ),
    "overheat protection has only the modes of the car": (
        {f"{CLIMATE}supports_fan_only_cabin_overheat_protection": False},
        {OVERHEAT: ["off", "cool"]},
    ),
    "overheat protection has all modes otherwise": (
        {f"{CLIMATE}supports_fan_only_cabin_overheat_protection": GONE},
        {OVERHEAT: ["off", "cool", "fan_only"]},
    ),
    "an unknown status of the media player is not off": (
        {f"{MEDIA}media_playback_status": "Rewinding"},
        {"media_player|vehicle_state.media_info": "unknown"},
    ),
    "a radio has neither a duration nor a position": (
        {
            f"{MEDIA}media_playback_status": "Playing",
            f"{MEDIA}now_playing_duration": 0,
            f"{MEDIA}now_playing_elapsed": 0,
        },
        {
            "media_player|vehicle_state.media_info@media_duration": None,
            "media_player|vehicle_state.media_info@media_position": None,
        },
    ),
    "the media player is off if the car reports only the volume": (
        {f"{MEDIA}media_playback_status": GONE, **{f"{MEDIA}now_playing_{name}": GONE for name in PLAYING}},
        {"media_player|vehicle_state.media_info": "off"},
    ),
    "autopark can be disabled": (
        {f"{BODY}autopark_state_v2": "disabled", f"{BODY}autopark_state_v3": "ready"},
        {f"sensor|{BODY}autopark_state_v2": "disabled", f"sensor|{BODY}autopark_state_v3": "ready"},
    ),
    "a car without a dashcam does not say that it doesn't record": (
        {f"{BODY}dashcam_state": "<invalid>"},
        {f"binary_sensor|{BODY}dashcam_state": "unknown"},
    ),
    "a scheduled departure has a time": (
        {f"{CHARGE}scheduled_charging_mode": "DepartBy", f"{CHARGE}scheduled_departure_time": 1_777_900_000},
        {f"sensor|{CHARGE}scheduled_departure_time": "2026-05-04T13:06:40+00:00"},
    ),
    "the time of an earlier departure is no departure": (
        {f"{CHARGE}scheduled_charging_mode": "Off", f"{CHARGE}scheduled_departure_time": 1_777_900_000},
        {f"sensor|{CHARGE}scheduled_departure_time": "unknown"},
    ),
}


def _shown(home: Home, entity: str) -> Any:
    """Return the state of an entity, or an attribute after the sign @."""
    name, _, attribute = entity.partition("@")
    platform, _, path = name.partition("|")
    state = home.shown(platform, path)
    return state.attributes.get(attribute) if attribute else state.state


@each_service("tesla_fleet")
@pytest.mark.usefixtures("entity_registry_enabled_by_default")
async def test_fact_follows_from_all_that_the_car_says(home: Home, freezer: FrozenDateTimeFactory) -> None:
    wrong = {}
    for fact, (reported, expected) in FACTS.items():
        home.simulator.faults.clear()
        # The coordinator ignores records with an older timestamp.
        freezer.tick(2)
        for path in (path for path, value in reported.items() if value is GONE):
            home.simulator.faults.remove(path)
        await report(home, {path: value for path, value in reported.items() if value is not GONE})
        shown = {entity: _shown(home, entity) for entity in expected}
        if shown != expected:
            wrong[fact] = shown
    assert not wrong


@each_service("tesla_fleet")
@pytest.mark.usefixtures("entity_registry_enabled_by_default")
async def test_rare_field_with_a_value_that_cannot_be_read_has_an_entity(empty_home: Home) -> None:
    """The value is unknown, but the car has what the entity shows."""
    home = empty_home
    reported = {
        f"{CLIMATE}steering_wheel_heat_level": ("select", "warm"),
        f"{BODY}autopark_state_v2": ("sensor", "a new state"),
        f"{BODY}tpms_pressure_fl": ("sensor", 0.0),
    }
    for path, (_, value) in reported.items():
        home.simulator.faults.corrupt(path, value)
    await home.set_up()
    assert {home.shown(platform, path).state for path, (platform, _) in reported.items()} == {"unknown"}


@each_service("tesla_fleet")
async def test_entity_of_a_rare_field_stays_once_it_is_registered(empty_home: Home) -> None:
    """Earlier versions have registered it for each car. An update removes nothing that an owner may use."""
    home, entities = empty_home, er.async_get(empty_home.hass)
    paths = (f"{BODY}sentry_mode", f"{CLIMATE}steering_wheel_heater")
    for path in paths:
        home.simulator.faults.remove(path)
    await home.set_up()
    sentry, wheel = (f"{home.car.vin}-{path}" for path in paths)
    assert not [each for each in home.entities() if each.unique_id in (sentry, wheel)]
    registered = entities.async_get_or_create("switch", DOMAIN, sentry, config_entry=home.entry)
    await home.restart()
    state = home.hass.states.get(registered.entity_id)
    assert state is not None
    assert (state.state, state.attributes.get("restored")) == ("unknown", None)
    assert entities.async_get_entity_id("switch", DOMAIN, wheel) is None
