"""Commands of entities: what is sent to the car, and that the state changes at once and stays."""

from typing import Any, Final

from .conftest import Home

CHARGING: Final = "charge_state.charging_state"
CLIMATE: Final = "climate_state"
LIMIT: Final = "charge_state.charge_limit_soc"
LOCK: Final = "vehicle_state.locked"
TRUNK: Final = "vehicle_state.rt"
FRUNK: Final = "vehicle_state.ft"
VALET: Final = "vehicle_state.valet_mode"
HEAT: Final = {"hvac_mode": "heat_cool"}
OFF: Final = {"hvac_mode": "off"}

# Platform, path, action with its data, command with its values, and the new state
STEPS: Final[list[tuple[str, str, str, dict[str, Any], str, dict[str, str], str]]] = [
    ("lock", LOCK, "unlock", {}, "door_unlock", {}, "unlocked"),
    ("lock", LOCK, "lock", {}, "door_lock", {}, "locked"),
    ("climate", CLIMATE, "turn_on", {}, "auto_conditioning_start", {}, "heat_cool"),
    ("climate", CLIMATE, "turn_off", {}, "auto_conditioning_stop", {}, "off"),
    ("climate", CLIMATE, "set_hvac_mode", HEAT, "auto_conditioning_start", {}, "heat_cool"),
    ("climate", CLIMATE, "set_hvac_mode", OFF, "auto_conditioning_stop", {}, "off"),
    ("switch", CHARGING, "turn_on", {}, "charge_start", {}, "on"),
    ("switch", CHARGING, "turn_off", {}, "charge_stop", {}, "off"),
    ("switch", VALET, "turn_on", {}, "set_valet_mode", {"on": "true"}, "on"),
    ("switch", VALET, "turn_off", {}, "set_valet_mode", {"on": "false"}, "off"),
    ("cover", TRUNK, "open_cover", {}, "actuate_trunk", {"which_trunk": "rear"}, "open"),
    ("cover", TRUNK, "close_cover", {}, "actuate_trunk", {"which_trunk": "rear"}, "closed"),
    ("cover", FRUNK, "open_cover", {}, "actuate_trunk", {"which_trunk": "front"}, "open"),
    ("number", LIMIT, "set_value", {"value": 90}, "set_charge_limit", {"percent": "90"}, "90"),
    # Setting the same limit again is not an error.
    ("number", LIMIT, "set_value", {"value": 90}, "set_charge_limit", {"percent": "90"}, "90"),
    ("number", LIMIT, "set_value", {"value": 80}, "set_charge_limit", {"percent": "80"}, "80"),
]


async def test_commands(home: Home) -> None:
    """An action sends its command once. The new state is shown at once, and confirmed by the car."""
    for step in STEPS:
        platform, path, action, data, command, values, state = step
        home.simulator.requests.clear()
        await home.call(platform, action, path, **data)
        assert home.queries(command) == [values], step
        assert home.shown(platform, path).state == state, step
        await home.advance(5)
        await home.poll()
        assert home.shown(platform, path).state == state, step


async def test_charging_states(home: Home) -> None:
    """A car that starts to charge is charging after some seconds. Turning the switch off stops it."""
    await home.call("switch", "turn_on", CHARGING)
    await home.advance(20)
    assert home.shown("sensor", CHARGING).state == "charging"
    assert home.shown("binary_sensor", CHARGING).state == "on"
    await home.call("switch", "turn_off", CHARGING)
    await home.advance(5)
    assert home.shown("sensor", CHARGING).state == "stopped"
