"""Sensors and binary sensors of cars and accounts."""

from contextlib import nullcontext
from datetime import datetime, timedelta
from typing import Any, Final

from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import device_registry as dr
from homeassistant.util import dt as dt_util
import pytest

from custom_components.vehicle_remote_access.api.records import Vehicle
from custom_components.vehicle_remote_access.binary_sensor import DERIVED_BINARY_SENSORS
from custom_components.vehicle_remote_access.vehicle.charging import charging_power

from .conftest import Home
from .field_places import report

pytestmark = pytest.mark.usefixtures("entity_registry_enabled_by_default")

PLUG: Final = "charge_state.conn_charge_cable"
FINISH: Final = "charge_state.time_to_full_charge"
ADDED: Final = "charge_state.charge_energy_added"
LIFETIME: Final = f"{ADDED}.lifetime"
LATCH: Final = "charge_state.charge_port_latch"
ANY_DOOR: Final = "vehicle_state.df.any"
LEFT: Final = "vehicle_state.locked.left"
PARKED: Final = {"drive_state": {"shift_state": "P"}}


def _body(doors: dict[str, Any], **body: Any) -> dict[str, Any]:
    return {"vehicle_state": {**dict.fromkeys(("df", "dr", "pf", "pr", "ft", "rt"), 0), **doors, **body}}


@pytest.mark.parametrize(
    ("key", "raw", "is_on"),
    [
        # The plug sensor uses the charging state. If it is missing, it uses the cable type.
        (PLUG, {"charge_state": {"conn_charge_cable": "SAE", "charging_state": "Disconnected"}}, False),
        (PLUG, {"charge_state": {"conn_charge_cable": "<invalid>", "charging_state": "Stopped"}}, True),
        (PLUG, {"charge_state": {"conn_charge_cable": "<invalid>"}}, False),
        (PLUG, {"charge_state": {"conn_charge_cable": "SAE"}}, True),
        (PLUG, {"charge_state": {"conn_charge_cable": "A new kind"}}, None),
        (PLUG, {"charge_state": {"charging_state": "Complete"}}, True),
        (PLUG, {"charge_state": {"charging_state": "Disconnected"}}, False),
        (PLUG, {}, None),
        (LATCH, {"charge_state": {"charge_port_latch": "Engaged"}}, False),
        (LATCH, {"charge_state": {"charge_port_latch": "Disengaged"}}, True),
        (LATCH, {"charge_state": {"charge_port_latch": "Blocking"}}, None),
        (ANY_DOOR, _body({}), False),
        (ANY_DOOR, _body({"pr": 1}), True),
        (ANY_DOOR, _body({"df": None}), None),
        (ANY_DOOR, _body({"df": None, "pr": 1}), True),
        (LEFT, {**_body({}, locked=False, is_user_present=False), **PARKED}, True),
        (LEFT, {**_body({}, locked=True, is_user_present=None), **PARKED}, False),
        (LEFT, {**_body({}, locked=False, is_user_present=True), **PARKED}, False),
        (LEFT, {**_body({}, locked=False, is_user_present=None), **PARKED}, None),
        (
            LEFT,
            {**_body({}, locked=False, is_user_present=False), "drive_state": {"shift_state": "D"}},
            False,
        ),
    ],
)
def test_derived_binary_sensor(key: str, raw: dict[str, Any], is_on: bool | None) -> None:  # noqa: FBT001
    """A binary sensor that is derived from several fields is unknown if they leave it open."""
    (is_on_fn,) = (each.is_on_fn for each in DERIVED_BINARY_SENSORS if each.key == key)
    assert is_on_fn(Vehicle.parse(raw)) is is_on


# Charging finish


def _finish(home: Home) -> datetime | None:
    return dt_util.parse_datetime(home.shown("sensor", FINISH).state)


async def test_charge_finish_converges_in_few_steps(home: Home) -> None:
    await home.call("switch", "turn_on", "charge_state.charging_state")
    await home.advance(60)
    first = _finish(home)
    assert first is not None
    shown = []
    while (end := _finish(home)) is not None:
        shown.append(end)
        await home.advance(60, step=60)
    finished = dt_util.utcnow()
    # The car reports quarters of an hour, so the first prediction can be up to 15 minutes late.
    assert len(set(shown)) <= 3
    assert abs(shown[-1] - finished) < timedelta(minutes=3)
    assert first - shown[-1] < timedelta(minutes=15)


async def test_charge_finish_is_unknown_without_a_charge_or_a_remaining_time(home: Home) -> None:
    others = [(state, 1.5) for state in ("Starting", "Stopped", "Complete", "Disconnected", "NoPower", None)]
    for state, hours in (*others, ("Charging", 0), ("Charging", None), ("Charging", "soon")):
        await report(home, {"charge_state.charging_state": state, FINISH: hours})
        assert home.shown("sensor", FINISH).state == "unknown", (state, hours)


async def test_charge_finish_follows_a_very_different_remaining_time(home: Home) -> None:
    shown = []
    for hours in (1.5, 4):
        await report(home, {"charge_state.charging_state": "Charging", FINISH: hours})
        shown.append(_finish(home))
    first, second = shown
    assert first is not None
    assert second is not None
    assert second - first == timedelta(hours=2.5)


# Power and energy


@pytest.mark.parametrize(
    ("values", "watts"),
    [
        ((243, 39, 1, 9), 9477),
        ((230, 16, 3, 11), 11040),
        # Here the car reports a wrong number of phases.
        ((230, 16, 2, 11), 11040),
        ((230, 16, None, 11), 11040),
        ((230, 16, 3, None), 11040),
        ((120, 12, 1, 1), 1440),
        ((240, 1, 1, 0), 240),
        ((230, 1, 3, 0), 690),
        ((0, 0, None, 0), 0),
        ((None, 16, 3, 11), None),
        ((230, None, 3, 11), None),
        ((230, 16, None, None), None),
    ],
)
def test_power_is_computed_from_voltage_current_and_phases(values: Any, watts: int | None) -> None:
    names = ("charger_voltage", "charger_actual_current", "charger_phases", "charger_power")
    charge, kilowatts = dict(zip(names, values, strict=True)), values[-1]
    assert charging_power(Vehicle.parse({"charge_state": charge}).charge_state) == watts
    # With a fast charger, the current bypasses the on-board charger.
    fast = Vehicle.parse({"charge_state": {**charge, "fast_charger_present": True}})
    assert charging_power(fast.charge_state) == (None if kilowatts is None else kilowatts * 1000)


async def test_added_energy_restarts_with_a_session_and_the_total_keeps_increasing(home: Home) -> None:
    await home.call("switch", "turn_on", "charge_state.charging_state")
    await home.advance(1800, step=60)
    await home.poll()
    added = float(home.shown("sensor", ADDED).state)
    assert added > 3
    assert "last_reset" not in home.shown("sensor", "charge_state.charge_miles_added_rated").attributes
    home.car.unplug()
    await home.poll()
    home.car.plug_in()
    await home.poll()
    start = dt_util.utcnow()
    await home.advance(1800, step=60)
    (reset,) = {
        home.shown("sensor", f"charge_state.{name}").attributes["last_reset"]
        for name in ("charge_miles_added_rated", "charge_miles_added_ideal")
    }
    last_reset = dt_util.parse_datetime(reset, raise_on_error=True)
    assert abs(last_reset - start) < timedelta(minutes=2)
    second = float(home.shown("sensor", ADDED).state)
    assert float(home.shown("sensor", LIFETIME).state) == pytest.approx(added + second, abs=0.3)


@pytest.mark.parametrize("service", ["other", "tessie"])
async def test_energy_dashboard_offers_only_the_energy_charged_at_home(home: Home) -> None:
    """It offers each sensor with the device class energy and a sum. Two of a car would count twice."""
    offered = [
        state.entity_id
        for state in home.hass.states.async_all("sensor")
        if state.attributes.get("device_class") == "energy"
        and str(state.attributes.get("state_class")).startswith("total")
    ]
    assert offered == [home.entity_id("sensor", "log.energy_charged_home")]


# Polling and commands


def _next_read(home: Home) -> datetime:
    return datetime.fromisoformat(home.shown("sensor", "next_read").state)


async def test_mode_and_next_read_are_shown_and_a_sleeping_car_has_no_next_read(home: Home) -> None:
    await home.advance(400, step=20)
    assert home.shown("sensor", "polling_mode").state == "quiet"
    assert _next_read(home) > dt_util.utcnow()
    home.car.fall_asleep()
    await home.advance(65)
    assert home.shown("sensor", "polling_mode").state == "asleep"
    assert home.shown("sensor", "next_read").state == "unknown"


async def test_next_read_is_in_the_future_after_a_failed_read(home: Home) -> None:
    home.simulator.faults.answer(502, times=4, only="/vehicle_data")
    await home.advance(200)
    assert _next_read(home) > dt_util.utcnow()


async def test_last_command_is_shown_with_its_result(home: Home) -> None:
    assert home.shown("sensor", "last_command").state == "unknown"
    home.car.unplug()
    for platform, action, path, command, result in (
        ("lock", "unlock", "vehicle_state.locked", "door_unlock", "accepted"),
        ("switch", "turn_on", "charge_state.charging_state", "charge_start", "refused"),
        ("cover", "close_cover", "vehicle_state.rt", "actuate_trunk", "not_needed"),
    ):
        with pytest.raises(HomeAssistantError) if result == "refused" else nullcontext():
            await home.call(platform, action, path)
        shown = home.shown("sensor", "last_command")
        assert (shown.state, shown.attributes["result"]) == (command, result)


# The account


async def test_service_that_answers_is_reachable_even_if_it_refuses(home: Home) -> None:
    """While it does not work, attributes have the reason and the time."""
    for status, shown, reason in (
        (200, "on", None), (503, "off", "service_down"), (403, "on", "permission_denied"),
    ):  # fmt: skip
        home.simulator.faults.clear()
        if status != 200:
            home.simulator.faults.answer(status, times=9)
        await home.advance(65)
        reachable = home.shown("binary_sensor", "service_reachable", home.entry.entry_id)
        assert (reachable.state, reachable.attributes.get("reason")) == (shown, reason), status
        assert ("since" in reachable.attributes) is (reason is not None)
    home.simulator.faults.clear()
    await home.advance(600)
    reachable = home.shown("binary_sensor", "service_reachable", home.entry.entry_id)
    assert {"reason", "since"}.isdisjoint(reachable.attributes)


async def test_all_requests_of_the_day_are_counted_also_commands(home: Home) -> None:
    counter = ("sensor", "requests_today", home.entry.entry_id)
    before = int(home.shown(*counter).state)
    home.simulator.requests.clear()
    await home.call("button", "press", "flash_lights")
    await home.advance(130)
    assert int(home.shown(*counter).state) == before + len(home.requests())


@pytest.mark.parametrize("cars", [2])
async def test_cars_are_connected_through_the_device_of_the_account(home: Home) -> None:
    devices = dr.async_entries_for_config_entry(dr.async_get(home.hass), home.entry.entry_id)
    (account,) = (device for device in devices if device.entry_type is dr.DeviceEntryType.SERVICE)
    assert {device.via_device_id for device in devices if device is not account} == {account.id}
