"""Sensors and binary sensors."""

from datetime import datetime, timedelta
from typing import Any, Final

from homeassistant.core import State
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.util import dt as dt_util
import pytest

from custom_components.vehicle_remote_access.api.fields import BINARY, SENSOR, Field
from custom_components.vehicle_remote_access.api.records import FIELDS
from custom_components.vehicle_remote_access.const import DOMAIN

from .conftest import Home

PLUG: Final = "charge_state.conn_charge_cable"
FINISH: Final = "charge_state.time_to_full_charge"
WATTS: Final = "charge_state.charger_power.computed"
ADDED: Final = "charge_state.charge_energy_added"
LIFETIME: Final = f"{ADDED}.lifetime"
SHOWN: Final = [field for field in FIELDS if field.place in (SENSOR, BINARY)]


async def test_every_enabled_entity_knows_something(home: Home) -> None:
    """On a car that is awake, what is enabled by default has a value, but for what has no value just now."""
    unknown = {
        entity
        for entity, state in home.states().items()
        if state in ("unknown", "unavailable") and not entity.startswith("button.")
    }
    assert unknown == {
        home.entity_id("sensor", "charge_state.scheduled_charging_start_time"),
        home.entity_id("sensor", "charge_state.time_to_full_charge"),
    }


async def test_scheduled_charging(home: Home) -> None:
    """A car that waits for its time to charge says when that is."""
    home.car.schedule_charging(2)
    await home.poll()
    begins = dt_util.parse_datetime(home.shown("sensor", "charge_state.scheduled_charging_start_time").state)
    assert begins is not None
    assert abs(begins - dt_util.utcnow() - timedelta(hours=2)) < timedelta(minutes=1)
    assert home.shown("binary_sensor", "charge_state.scheduled_charging_pending").state == "on"


@pytest.mark.parametrize("field", SHOWN, ids=lambda field: field.path)
async def test_bad_field_only_loses_itself(
    field: Field[Any], entity_registry_enabled_by_default: None, home: Home
) -> None:
    """A field of the wrong type leaves every entity that does not show it as it was."""
    before = home.states()
    home.simulator.faults.corrupt(field.path, {"not": "a value"})
    await home.poll()
    after = home.states()
    changed = {entity for entity in before if before[entity] != after[entity]}
    when_it_is_read = {home.entity_id("sensor", path) for path in ("polling_mode", "next_read")}
    assert changed <= home.shown_by(field) | when_it_is_read


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
    """The plug is known by its cable, or else by what charging says."""
    home.simulator.faults.corrupt("charge_state.conn_charge_cable", cable)
    home.simulator.faults.corrupt("charge_state.charging_state", charging_state)
    await home.poll()
    assert home.shown("binary_sensor", PLUG).state == shown


async def test_any_door(home: Home) -> None:
    """One open door is enough."""
    home.car.open("pr")
    await home.poll()
    assert home.shown("binary_sensor", "vehicle_state.df.any").state == "on"
    assert home.shown("binary_sensor", "vehicle_state.pr").state == "on"
    assert home.shown("binary_sensor", "vehicle_state.df").state == "off"


async def test_unknown_door_is_not_a_closed_one(home: Home) -> None:
    """As long as one door is not known, nobody can say that none is open; that one is open, they can."""
    home.simulator.faults.remove("vehicle_state.df")
    await home.poll()
    assert home.shown("binary_sensor", "vehicle_state.df.any").state == "unknown"
    home.car.open("pr")
    await home.poll()
    assert home.shown("binary_sensor", "vehicle_state.df.any").state == "on"


async def test_unknown_word_is_unknown(home: Home) -> None:
    """A state that nobody has heard of is unknown, not an error."""
    home.simulator.faults.corrupt("charge_state.charging_state", "Levitating")
    await home.poll()
    assert home.shown("sensor", "charge_state.charging_state").state == "unknown"


async def test_long_text_is_cut(entity_registry_enabled_by_default: None, home: Home) -> None:
    """A text beyond what Home Assistant keeps is cut."""
    home.simulator.faults.corrupt("option_codes", "AB12," * 100)
    await home.poll()
    assert len(home.shown("sensor", "option_codes").state) == 255


# When charging will be finished


def _finish(home: Home) -> datetime | None:
    return dt_util.parse_datetime(home.shown("sensor", FINISH).state)


async def test_charge_finish_stays_put(home: Home) -> None:
    """While the car charges as it said it would, the shown end moves to the true one and nowhere else."""
    await home.call("switch", "turn_on", "charge_state.charging_state")
    await home.advance(60)
    first = _finish(home)
    assert first is not None
    shown = []
    while (end := _finish(home)) is not None:
        shown.append(end)
        await home.advance(60, step=60)
    done = dt_util.utcnow()
    # The car names quarters of an hour, and the first of them was up to one too late.
    assert len(set(shown)) <= 3
    assert abs(shown[-1] - done) < timedelta(minutes=3)
    assert first - shown[-1] < timedelta(minutes=15)


@pytest.mark.parametrize("state", ["Starting", "Stopped", "Complete", "Disconnected", "NoPower", None])
async def test_no_charge_finish_unless_charging(home: Home, state: str | None) -> None:
    """A car that does not charge has no end of charging, whatever figure is left from before."""
    home.simulator.faults.corrupt("charge_state.charging_state", state)
    home.simulator.faults.corrupt("charge_state.time_to_full_charge", 1.5)
    await home.poll()
    assert home.shown("sensor", FINISH).state == "unknown"


@pytest.mark.parametrize("hours", [0, None, "soon"])
async def test_charge_finish_not_known(home: Home, hours: Any) -> None:
    """A car that charges and does not say for how long has no end of charging."""
    home.simulator.faults.corrupt("charge_state.charging_state", "Charging")
    home.simulator.faults.corrupt("charge_state.time_to_full_charge", hours)
    await home.poll()
    assert home.shown("sensor", FINISH).state == "unknown"


async def test_charge_finish_follows_a_new_limit(home: Home) -> None:
    """When the car itself names another end, that one is shown."""
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
        # The car is wrong about its phases.
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
    """Volts, amperes and phases tell the power more finely than the car's whole kW."""
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
    """A fast charger passes by the car's own charger, so its whole kW are all there is."""
    home.simulator.faults.corrupt("charge_state.fast_charger_present", value=True)
    home.simulator.faults.corrupt("charge_state.charger_power", 118)
    await home.poll()
    assert float(home.shown("sensor", WATTS).state) == 118_000


async def test_energy_of_a_session(home: Home) -> None:
    """What a session added says when the session began, and what was charged in total goes on."""
    await home.call("switch", "turn_on", "charge_state.charging_state")
    await home.advance(1800, step=60)
    added = float(home.shown("sensor", ADDED).state)
    assert added > 3
    assert "last_reset" not in home.shown("sensor", ADDED).attributes
    home.car.unplug()
    await home.poll()
    home.car.plug_in()
    await home.poll()
    began = dt_util.utcnow()
    await home.advance(1800, step=60)
    last_reset = dt_util.parse_datetime(home.shown("sensor", ADDED).attributes["last_reset"])
    assert last_reset is not None
    assert abs(last_reset - began) < timedelta(minutes=2)
    second = float(home.shown("sensor", ADDED).state)
    assert float(home.shown("sensor", LIFETIME).state) == pytest.approx(added + second, abs=0.3)


async def test_answer_that_is_older(home: Home) -> None:
    """An answer that is older than what is known counts no energy twice."""
    for added, timestamp in ((5, 2_000_000_000_000), (10, 2_000_000_060_000), (5, 2_000_000_000_000)):
        home.simulator.faults.corrupt(ADDED, added)
        home.simulator.faults.corrupt("charge_state.timestamp", timestamp)
        await home.poll()
    home.simulator.faults.corrupt("charge_state.timestamp", 2_000_000_120_000)
    home.simulator.faults.corrupt(ADDED, 10.2)
    await home.poll()
    assert float(home.shown("sensor", LIFETIME).state) == pytest.approx(10.2)


async def test_range_added_counts_with_the_energy(
    entity_registry_enabled_by_default: None, home: Home
) -> None:
    """The range that a session added began when its energy did."""
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


# What is about the asking


async def test_polling_mode(entity_registry_enabled_by_default: None, home: Home) -> None:
    """What the car is about is shown in words, and when it is read next."""
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
    """After a car could not be read, the next read is not due before it is tried again."""
    home.simulator.faults.answer(502, times=4, only="/vehicle_data")
    await home.advance(200)
    due = dt_util.parse_datetime(home.shown("sensor", "next_read").state)
    assert due is not None
    assert due > dt_util.utcnow()


async def test_command_that_was_not_needed(entity_registry_enabled_by_default: None, home: Home) -> None:
    """A lid that stands as it should is not moved, and that is what became of the command."""
    await home.call("cover", "close_cover", "vehicle_state.rt")
    shown = home.shown("sensor", "last_command")
    assert (shown.state, shown.attributes["result"]) == ("actuate_trunk", "not_needed")


async def test_last_command(entity_registry_enabled_by_default: None, home: Home) -> None:
    """The last command is shown with what became of it."""
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


def _of_account(home: Home, platform: str, what: str) -> State:
    unique_id = f"{home.entry.entry_id}-{what}"
    entity_id = er.async_get(home.hass).async_get_entity_id(platform, DOMAIN, unique_id)
    assert entity_id is not None
    state = home.hass.states.get(entity_id)
    assert state is not None
    return state


async def test_service_reachable(home: Home) -> None:
    """Whether the service answers is shown, also while it does not."""
    assert _of_account(home, "binary_sensor", "service_reachable").state == "on"
    # The car's own read, and the question to the service that follows on it
    home.simulator.faults.answer(503, times=2)
    await home.advance(65)
    assert _of_account(home, "binary_sensor", "service_reachable").state == "off"
    await home.advance(65)
    assert _of_account(home, "binary_sensor", "service_reachable").state == "on"


async def test_second_failure_in_a_row(home: Home) -> None:
    """What a failure says is shown also after another one."""
    home.simulator.switches.forbid = "not today"
    await home.advance(65)
    assert _of_account(home, "binary_sensor", "service_reachable").state == "on"
    home.simulator.faults.answer(503, times=5)
    await home.advance(65)
    assert _of_account(home, "binary_sensor", "service_reachable").state == "off"


async def test_service_that_says_no_is_reachable(home: Home) -> None:
    """A service that refuses to answer is there."""
    home.simulator.switches.rate_limit = 1
    await home.advance(65)
    assert _of_account(home, "binary_sensor", "service_reachable").state == "on"


async def test_requests_today(entity_registry_enabled_by_default: None, home: Home) -> None:
    """Each request of the day is counted, those of commands too."""
    before = int(_of_account(home, "sensor", "requests_today").state)
    home.simulator.requests.clear()
    await home.call("button", "press", "flash_lights")
    await home.advance(130)
    assert int(_of_account(home, "sensor", "requests_today").state) == before + len(home.requests())


@pytest.mark.parametrize("cars", [2])
async def test_account_is_a_device_of_its_own(home: Home) -> None:
    """The account has its own page, and each car says that it is reached through it."""
    devices = dr.async_entries_for_config_entry(dr.async_get(home.hass), home.entry.entry_id)
    (account,) = (device for device in devices if device.entry_type is dr.DeviceEntryType.SERVICE)
    assert {device.via_device_id for device in devices if device is not account} == {account.id}
