"""A value that contradicts its answer, or the answer before, is held back until the third read."""

from typing import Any, Final

from homeassistant.setup import async_setup_component
import pytest

from custom_components.vehicle_remote_access.api.records import Vehicle
from custom_components.vehicle_remote_access.diagnostics import async_get_config_entry_diagnostics
from custom_components.vehicle_remote_access.vehicle.plausibility import Plausibility

from ..conftest import HOUR, Home
from .answers import CHARGES, UNPLUGGED, answer
from .nights import read_wrong

LEVEL: Final = ("sensor", "charge_state.battery_level")


async def _charge(home: Home) -> None:
    car = home.car
    await home.hass.config.async_update(latitude=car.home.latitude, longitude=car.home.longitude)
    await async_setup_component(home.hass, "zone", {})
    car.set_level(30)
    car.charging.start()
    await home.poll()
    await home.advance(HOUR, step=30)


async def test_diagnostics_say_what_is_held_back_and_the_third_read_shows_it(home: Home) -> None:
    await _charge(home)
    path, shown = "charge_state.battery_level", home.shown(*LEVEL).state
    home.simulator.faults.corrupt(path, 7)
    for expected, held_back in ((shown, [path]), (shown, [path]), ("7", [])):
        home.skip(20)
        await home.poll()
        (car,) = (await async_get_config_entry_diagnostics(home.hass, home.entry))["vehicles"]
        assert (home.shown(*LEVEL).state, car["held_back"]) == (expected, held_back)


async def test_restart_shows_what_was_shown(home: Home) -> None:
    await _charge(home)
    shown = home.shown(*LEVEL).state
    await read_wrong(home, {"charge_state.battery_level": 0})
    await home.unload()
    await home.load()
    assert home.shown(*LEVEL).state == shown


DRIVES: Final[dict[str, Any]] = {**UNPLUGGED, "shift_state": "D", "speed": 30, "is_user_present": True}


@pytest.mark.parametrize(
    ("before", "now", "held_back"),
    [
        # What is true is shown at once.
        ({}, CHARGES, []),
        ({}, UNPLUGGED, []),
        (CHARGES, UNPLUGGED, []),
        (UNPLUGGED, DRIVES, []),
        (UNPLUGGED, DRIVES | {"speed": 0}, []),
        ({}, DRIVES | {"odometer": 1004.0, "latitude": 48.05}, []),
        (DRIVES, {"odometer": 1004.0, "latitude": 48.05}, []),
        (CHARGES, {"charging_state": "Complete", "battery_level": 80, "battery_range": 240}, []),
        (CHARGES, CHARGES | {"charging_state": "Complete", "charge_limit_soc": 50}, []),
        ({}, {"battery_level": 20, "battery_range": 61}, []),
        ({}, {"charge_energy_added": 0.1, "charge_miles_added_rated": 0.5}, []),
        (CHARGES, CHARGES | {"charger_power": 3, "charger_phases": 1}, []),
        (CHARGES, CHARGES | {"charger_power": 5, "charger_actual_current": 8}, []),
        # What the rest of the answer contradicts is not.
        (CHARGES, CHARGES | {"charging_state": "Stopped"}, ["charging_state"]),
        (CHARGES, CHARGES | {"charging_state": "Complete"}, ["charging_state"]),
        (CHARGES, CHARGES | {"charging_state": "Disconnected"}, ["charging_state"]),
        ({}, {"charging_state": "Disconnected"}, ["charging_state"]),
        (UNPLUGGED, UNPLUGGED | {"charging_state": "Charging"}, ["charging_state"]),
        (UNPLUGGED, UNPLUGGED | {"charging_state": "Stopped"}, ["charging_state"]),
        ({}, {"shift_state": "D"}, ["shift_state"]),
        (UNPLUGGED, UNPLUGGED | {"shift_state": "D"}, ["shift_state"]),
        (DRIVES, DRIVES | {"shift_state": None}, ["shift_state"]),
        ({}, {"speed": 60}, ["speed"]),
        ({}, {"battery_range": 0}, ["battery_range"]),
        ({}, {"charge_miles_added_rated": 500}, ["charge_miles_added_rated"]),
        (CHARGES, CHARGES | {"charger_power": 0}, ["charger_power"]),
        (CHARGES, CHARGES | {"charger_actual_current": 0}, ["charger_actual_current"]),
        (CHARGES, CHARGES | {"fast_charger_present": True}, ["fast_charger_present"]),
        ({}, {"latitude": 48.05}, ["latitude"]),
        ({}, {"latitude": 0, "longitude": 0}, ["latitude", "longitude"]),
        ({}, {"battery_level": 0}, ["battery_level"]),
        (CHARGES, CHARGES | UNPLUGGED | {"charge_port_door_open": True}, ["charging_state"]),
        (CHARGES, CHARGES | {"charge_energy_added": 0}, ["charge_energy_added"]),
        (CHARGES, CHARGES | {"charge_energy_added": 500}, ["charge_energy_added"]),
    ],
)
def test_rules(before: dict[str, Any], now: dict[str, Any], held_back: list[str]) -> None:
    state, first = Plausibility(), Vehicle.parse(answer(**before))
    _, state = state.after(first, first, (), float)
    shown, state = state.after(Vehicle.parse(answer(**now)), first, (), float)
    assert {each.name for each in state.held} >= set(held_back)
    assert bool(state.held) is bool(held_back)
    for each in state.held:
        assert each.get(shown) == each.get(first)
