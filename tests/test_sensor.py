"""Sensors and binary sensors of cars and accounts."""

from datetime import datetime, timedelta
from typing import Any, Final

from homeassistant.core import State
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.util import dt as dt_util
import pytest

from custom_components.vehicle_remote_access.api.fields import BINARY_SENSOR, SENSOR, Field
from custom_components.vehicle_remote_access.api.records import FIELDS
from custom_components.vehicle_remote_access.const import DOMAIN

from .conftest import Home

PLUG: Final = "charge_state.conn_charge_cable"
FINISH: Final = "charge_state.time_to_full_charge"
WATTS: Final = "charge_state.charger_power.computed"
ADDED: Final = "charge_state.charge_energy_added"
LIFETIME: Final = f"{ADDED}.lifetime"
SHOWN: Final = [field for field in FIELDS if field.shown_as in (SENSOR, BINARY_SENSOR)]


async def test_enabled_entities_have_a_value(home: Home) -> None:
    """All entities of an awake car have a value, except times of charging that does not run."""
    unknown = {
        entity_id
        for entity_id, state in home.states().items()
        if state in ("unknown", "unavailable") and not entity_id.startswith("button.")
    }
    assert unknown == {
        home.entity_id("sensor", "charge_state.scheduled_charging_start_time"),
        home.entity_id("sensor", "charge_state.time_to_full_charge"),
    }


async def test_scheduled_charging(home: Home) -> None:
    """A car with scheduled charging shows the start time, and that charging is pending."""
    home.car.schedule_charging(2)
    await home.poll()
    start = dt_util.parse_datetime(home.shown("sensor", "charge_state.scheduled_charging_start_time").state)
    assert start is not None
    assert abs(start - dt_util.utcnow() - timedelta(hours=2)) < timedelta(minutes=1)
    assert home.shown("binary_sensor", "charge_state.scheduled_charging_pending").state == "on"


@pytest.mark.parametrize("field", SHOWN, ids=lambda field: field.path)
async def test_invalid_field_affects_only_its_entities(
    field: Field[Any], entity_registry_enabled_by_default: None, home: Home
) -> None:
    """A field of the wrong type changes only the entities that show it."""
    before = home.states()
    home.simulator.faults.corrupt(field.path, {"not": "a value"})
    await home.poll()
    after = home.states()
    changed = {entity_id for entity_id in before if before[entity_id] != after[entity_id]}
    polling_sensors = {home.entity_id("sensor", path) for path in ("polling_mode", "next_read")}
    assert changed <= home.shown_by(field) | polling_sensors


@pytest.mark.parametrize(
    ("cable", "charging_state", "shown"),
    [
        ("SAE", "Charging", "on"),
        ("IEC", None, "on"),
        ("<invalid>", "Disconnected", "off"),
        ("A new kind of plug", "Stopped", "on"),
        (None, "Complete", "on"),
        (None, "Disconnected", "off"),
        (None, None, "unknown"),
    ],
)
async def test_plug(home: Home, cable: str | None, charging_state: str | None, shown: str) -> None:
    """The plug sensor uses the cable type. If it is missing, it uses the charging state."""
    home.simulator.faults.corrupt("charge_state.conn_charge_cable", cable)
    home.simulator.faults.corrupt("charge_state.charging_state", charging_state)
    await home.poll()
    assert home.shown("binary_sensor", PLUG).state == shown


async def test_any_door_is_open(home: Home) -> None:
    """The sensor for all doors is on if one door is open."""
    home.car.open("pr")
    await home.poll()
    assert home.shown("binary_sensor", "vehicle_state.df.any").state == "on"
    assert home.shown("binary_sensor", "vehicle_state.pr").state == "on"
    assert home.shown("binary_sensor", "vehicle_state.df").state == "off"


async def test_any_door_with_an_unknown_door(home: Home) -> None:
    """With an unknown door, the sensor for all doors is on if another door is open, and unknown otherwise."""
    home.simulator.faults.remove("vehicle_state.df")
    await home.poll()
    assert home.shown("binary_sensor", "vehicle_state.df.any").state == "unknown"
    home.car.open("pr")
    await home.poll()
    assert home.shown("binary_sensor", "vehicle_state.df.any").state == "on"


async def test_undocumented_state_is_unknown(home: Home) -> None:
    """An undocumented state is shown as unknown and is not an error."""
    home.simulator.faults.corrupt("charge_state.charging_state", "Levitating")
    await home.poll()
    assert home.shown("sensor", "charge_state.charging_state").state == "unknown"


async def test_long_text_is_truncated(entity_registry_enabled_by_default: None, home: Home) -> None:
    """A text that is too long for a state is truncated."""
    home.simulator.faults.corrupt("option_codes", "AB12," * 100)
    await home.poll()
    assert len(home.shown("sensor", "option_codes").state) == 255


# Charging finish


def _finish(home: Home) -> datetime | None:
    return dt_util.parse_datetime(home.shown("sensor", FINISH).state)


async def test_charge_finish_is_stable(home: Home) -> None:
    """While the car charges as predicted, the finish time converges to the actual one in few steps."""
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


@pytest.mark.parametrize("state", ["Starting", "Stopped", "Complete", "Disconnected", "NoPower", None])
async def test_no_charge_finish_unless_charging(home: Home, state: str | None) -> None:
    """The finish time is unknown if the car does not charge, even if it reports a remaining time."""
    home.simulator.faults.corrupt("charge_state.charging_state", state)
    home.simulator.faults.corrupt("charge_state.time_to_full_charge", 1.5)
    await home.poll()
    assert home.shown("sensor", FINISH).state == "unknown"


@pytest.mark.parametrize("hours", [0, None, "soon"])
async def test_unknown_charge_finish(home: Home, hours: Any) -> None:
    """The finish time is unknown if the car charges without a valid remaining time."""
    home.simulator.faults.corrupt("charge_state.charging_state", "Charging")
    home.simulator.faults.corrupt("charge_state.time_to_full_charge", hours)
    await home.poll()
    assert home.shown("sensor", FINISH).state == "unknown"


async def test_charge_finish_follows_a_new_prediction(home: Home) -> None:
    """The finish time changes if the car reports a very different remaining time."""
    home.simulator.faults.corrupt("charge_state.charging_state", "Charging")
    home.simulator.faults.corrupt("charge_state.time_to_full_charge", 1.5)
    await home.poll()
    first = _finish(home)
    home.simulator.faults.corrupt("charge_state.time_to_full_charge", 4)
    await home.poll()
    second = _finish(home)
    assert first is not None
    assert second is not None
    assert second - first == timedelta(hours=2.5)


# Power and energy


@pytest.mark.parametrize(
    ("volts", "amperes", "phases", "kilowatts", "watts"),
    [
        (243, 39, 1, 9, "9477"),
        (230, 16, 3, 11, "11040"),
        # Here the car reports a wrong number of phases.
        (230, 16, 2, 11, "11040"),
        (230, 16, None, 11, "11040"),
        (230, 16, 3, None, "11040"),
        (120, 12, 1, 1, "1440"),
        (240, 1, 1, 0, "240"),
        (230, 1, 3, 0, "690"),
        (0, 0, None, 0, "0"),
        (None, 16, 3, 11, "unknown"),
        (230, None, 3, 11, "unknown"),
        (230, 16, None, None, "unknown"),
    ],
)
async def test_charging_power(
    entity_registry_enabled_by_default: None,
    home: Home,
    volts: int | None,
    amperes: int | None,
    phases: int | None,
    kilowatts: int | None,
    watts: str,
) -> None:
    """Power is computed from voltage, current and phases: more precise than the car's integer kW."""
    for name, value in (
        ("charger_voltage", volts),
        ("charger_actual_current", amperes),
        ("charger_phases", phases),
        ("charger_power", kilowatts),
    ):
        home.simulator.faults.corrupt(f"charge_state.{name}", value)
    await home.poll()
    shown = home.shown("sensor", WATTS).state
    assert (shown if shown == "unknown" else f"{float(shown):.0f}") == watts


async def test_power_of_a_fast_charger(entity_registry_enabled_by_default: None, home: Home) -> None:
    """With a fast charger, the power is the reported kW: the current bypasses the on-board charger."""
    home.simulator.faults.corrupt("charge_state.fast_charger_present", value=True)
    home.simulator.faults.corrupt("charge_state.charger_power", 118)
    await home.poll()
    assert float(home.shown("sensor", WATTS).state) == 118_000


async def test_energy_of_two_sessions(home: Home) -> None:
    """The added energy resets at the start of a session. The total energy keeps increasing."""
    await home.call("switch", "turn_on", "charge_state.charging_state")
    await home.advance(1800, step=60)
    added = float(home.shown("sensor", ADDED).state)
    assert added > 3
    assert "last_reset" not in home.shown("sensor", ADDED).attributes
    home.car.unplug()
    await home.poll()
    home.car.plug_in()
    await home.poll()
    start = dt_util.utcnow()
    await home.advance(1800, step=60)
    last_reset = dt_util.parse_datetime(home.shown("sensor", ADDED).attributes["last_reset"])
    assert last_reset is not None
    assert abs(last_reset - start) < timedelta(minutes=2)
    second = float(home.shown("sensor", ADDED).state)
    assert float(home.shown("sensor", LIFETIME).state) == pytest.approx(added + second, abs=0.3)


async def test_older_response_adds_no_energy(home: Home) -> None:
    """A response that is older than the known data does not count energy twice."""
    for added, timestamp in ((5, 2_000_000_000_000), (10, 2_000_000_060_000), (5, 2_000_000_000_000)):
        home.simulator.faults.corrupt(ADDED, added)
        home.simulator.faults.corrupt("charge_state.timestamp", timestamp)
        await home.poll()
    home.simulator.faults.corrupt("charge_state.timestamp", 2_000_000_120_000)
    home.simulator.faults.corrupt(ADDED, 10.2)
    await home.poll()
    assert float(home.shown("sensor", LIFETIME).state) == pytest.approx(10.2)


async def test_added_range_resets_with_added_energy(
    entity_registry_enabled_by_default: None, home: Home
) -> None:
    """The added range and the added energy have the same reset time."""
    home.car.unplug()
    await home.poll()
    home.car.plug_in()
    home.simulator.faults.corrupt(ADDED, 1.5)
    await home.poll()
    resets = {
        home.shown("sensor", f"charge_state.{name}").attributes["last_reset"]
        for name in ("charge_energy_added", "charge_miles_added_rated", "charge_miles_added_ideal")
    }
    assert len(resets) == 1


# Polling and commands


async def test_polling_mode(entity_registry_enabled_by_default: None, home: Home) -> None:
    """The polling mode and the time of the next read are shown. A sleeping car has no next read."""
    await home.advance(400, step=20)
    assert home.shown("sensor", "polling_mode").state == "quiet"
    due = dt_util.parse_datetime(home.shown("sensor", "next_read").state)
    assert due is not None
    assert due > dt_util.utcnow()
    home.car.fall_asleep()
    await home.advance(65)
    assert home.shown("sensor", "polling_mode").state == "asleep"
    assert home.shown("sensor", "next_read").state == "unknown"


async def test_next_read_after_a_failure(entity_registry_enabled_by_default: None, home: Home) -> None:
    """After a failed read, the time of the next read is in the future."""
    home.simulator.faults.answer(502, times=4, only="/vehicle_data")
    await home.advance(200)
    due = dt_util.parse_datetime(home.shown("sensor", "next_read").state)
    assert due is not None
    assert due > dt_util.utcnow()


async def test_last_command_not_needed(entity_registry_enabled_by_default: None, home: Home) -> None:
    """A command to close a closed trunk has the result `not_needed`."""
    await home.call("cover", "close_cover", "vehicle_state.rt")
    shown = home.shown("sensor", "last_command")
    assert (shown.state, shown.attributes["result"]) == ("actuate_trunk", "not_needed")


async def test_last_command(entity_registry_enabled_by_default: None, home: Home) -> None:
    """The last command is shown with its result."""
    assert home.shown("sensor", "last_command").state == "unknown"
    await home.call("lock", "unlock", "vehicle_state.locked")
    shown = home.shown("sensor", "last_command")
    assert (shown.state, shown.attributes["result"]) == ("door_unlock", "accepted")
    home.car.unplug()
    with pytest.raises(HomeAssistantError):
        await home.call("switch", "turn_on", "charge_state.charging_state")
    shown = home.shown("sensor", "last_command")
    assert (shown.state, shown.attributes["result"]) == ("charge_start", "refused")


# The account


def _account_state(home: Home, platform: str, key: str) -> State:
    unique_id = f"{home.entry.entry_id}-{key}"
    entity_id = er.async_get(home.hass).async_get_entity_id(platform, DOMAIN, unique_id)
    assert entity_id is not None
    state = home.hass.states.get(entity_id)
    assert state is not None
    return state


async def test_service_reachable(home: Home) -> None:
    """The sensor is off while the service does not respond, and on again afterwards."""
    assert _account_state(home, "binary_sensor", "service_reachable").state == "on"
    # One for the live read, one for the list request that follows it
    home.simulator.faults.answer(503, times=2)
    await home.advance(65)
    assert _account_state(home, "binary_sensor", "service_reachable").state == "off"
    await home.advance(65)
    assert _account_state(home, "binary_sensor", "service_reachable").state == "on"


async def test_service_unreachable_after_another_failure(home: Home) -> None:
    """A failure that makes the service unreachable is shown, even if another failure preceded it."""
    home.simulator.switches.forbid = "not today"
    await home.advance(65)
    assert _account_state(home, "binary_sensor", "service_reachable").state == "on"
    home.simulator.faults.answer(503, times=5)
    await home.advance(65)
    assert _account_state(home, "binary_sensor", "service_reachable").state == "off"


async def test_refusing_service_is_reachable(home: Home) -> None:
    """A service that refuses requests is reachable."""
    home.simulator.switches.rate_limit = 1
    await home.advance(65)
    assert _account_state(home, "binary_sensor", "service_reachable").state == "on"


async def test_requests_today(entity_registry_enabled_by_default: None, home: Home) -> None:
    """All requests of the day are counted, including commands."""
    before = int(_account_state(home, "sensor", "requests_today").state)
    home.simulator.requests.clear()
    await home.call("button", "press", "flash_lights")
    await home.advance(130)
    assert int(_account_state(home, "sensor", "requests_today").state) == before + len(home.requests())


@pytest.mark.parametrize("cars", [2])
async def test_account_has_a_device(home: Home) -> None:
    """The account is a service device, and the cars are connected through it."""
    devices = dr.async_entries_for_config_entry(dr.async_get(home.hass), home.entry.entry_id)
    (account,) = (device for device in devices if device.entry_type is dr.DeviceEntryType.SERVICE)
    assert {device.via_device_id for device in devices if device is not account} == {account.id}
