"""Triggers in automations: what fires them, and their options and targets."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from homeassistant.const import STATE_ON, STATE_UNAVAILABLE
from homeassistant.core import callback
import pytest

from custom_components.vehicle_remote_access.api.records import ChargeState, DriveState, VehicleState
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.trigger import LOG_TRIGGERS, TRIGGERS
from simulator_console.fleet_car import FleetCar

from .conftest import MINUTE, Home, examples_in

LONG_ENOUGH: Final = 6 * MINUTE

# What can happen to a car, which is parked, locked, awake, and plugged in without charging at first
ACTIONS: Final[Mapping[str, Callable[[FleetCar], Any]]] = {
    "nothing": lambda _: None,
    "unplug": FleetCar.unplug,
    "plug in": FleetCar.plug_in,
    "charge": lambda car: car.charging.start(),
    "stay at starting": lambda car: car.timeline.cancel("charging"),
    "complete": lambda car: car.set_level(car.charging.limit),
    "show the limit": lambda car: setattr(car.charging, "level", car.charging.limit - 0.4),
    "stop charging": lambda car: car.charging.stop(),
    "lose power": lambda car: car.power_supply(on=False),
    "regain power": lambda car: car.power_supply(on=True),
    "drive": lambda car: car.drive(miles=100),
    "reverse": lambda car: setattr(car.driving, "shift_state", "R"),
    "park": FleetCar.stop,
    "enter": FleetCar.enter,
    "leave": FleetCar.leave,
    "lose driver": lambda car: setattr(car.body, "user_present", False),
    "lock": FleetCar.lock,
    "unlock": FleetCar.unlock,
    "fall asleep": FleetCar.fall_asleep,
    "wake up": FleetCar.wake,
    "lose coverage": lambda car: car.coverage(on=False),
    "regain coverage": lambda car: car.coverage(on=True),
    "open a window": lambda car: car.open_window("rd"),
    "deflate a tire": lambda car: car.set_tire_pressure("fl", 1.5),
}
# Trigger → how to prepare a car, and the change that fires the trigger
EXAMPLES: Final = {
    "plugged_in": ("unplug", "plug in"),
    "unplugged": ("nothing", "unplug"),
    "charging_completed": ("charge", "complete"),
    "charging_interrupted": ("charge", "unplug"),
    "started_driving": ("unplug", "drive"),
    "parked": ("unplug + drive", "park"),
    "fell_asleep": ("nothing", "fall asleep"),
    "woke_up": ("fall asleep", "wake up"),
    "left_unlocked": ("nothing", "unlock"),
    "windows_left_open": ("nothing", "open a window"),
    "tire_pressure_low": ("nothing", "deflate a tire"),
    "drive_ended": ("unplug + drive", "park"),
    "charge_ended": ("charge", "complete"),
}
LEFT_UNLOCKED: Final = ("binary_sensor", f"{VehicleState.locked.path}.left")


def _do(car: FleetCar, actions: str) -> None:
    for action in actions.split(" + "):
        ACTIONS[action](car)


async def _run(home: Home, changes: str) -> None:
    """Run changes of the first car, and poll after each of them."""
    for actions in changes.split(", "):
        _do(home.fleet_car, actions)
        await home.advance(10)
        await home.poll()


async def _watch(home: Home) -> list[str]:
    """Set up an automation with all triggers. Return a list that will contain those that fired."""
    fired: list[str] = []
    home.hass.bus.async_listen("fired", callback(lambda event: fired.append(event.data["key"])))
    target = {"area_id": home.put_into_garage()}
    triggers = [{"trigger": f"{DOMAIN}.{key}", "id": key, "target": target} for key in TRIGGERS]
    action = {"event": "fired", "event_data": {"key": "{{ trigger.id }}"}}
    await home.automate({"mode": "queued", "triggers": triggers, "actions": action})
    return fired


# Changes


# Only services of today report windows and tires.
FLEET_KEYS: Final = ("windows_left_open", "tire_pressure_low")


@pytest.mark.parametrize(
    ("key", "service"),
    [(key, "tessie" if key in FLEET_KEYS else "other") for key in (*TRIGGERS, *LOG_TRIGGERS)],
)
async def test_documented_example_runs_once_after_the_change(key: str, home: Home) -> None:
    before, change = EXAMPLES[key]
    await _run(home, before)
    home.put_into_garage()
    runs = await home.automate(examples_in(f"triggers/{key}.md")[0])
    await home.advance(LONG_ENOUGH, step=60)
    assert not runs
    await _run(home, change)
    await home.advance(LONG_ENOUGH, step=60)
    assert len(runs) == 1
    await home.restart()
    await home.advance(LONG_ENOUGH, step=60)
    assert len(runs) == 1


@pytest.mark.parametrize(
    ("before", "changes", "expected"),
    [
        ("charge", "unplug", "charging_interrupted unplugged"),
        ("charge", "stop charging", "charging_interrupted"),
        ("charge", "lose power", "charging_interrupted"),
        ("charge", "complete, lose power, unplug", "charging_completed unplugged"),
        ("nothing", "charge + complete", "charging_completed"),
        ("charge + stay at starting", "complete", "charging_completed"),
        ("charge + stay at starting", "stop charging", ""),
        ("charge", "show the limit, stop charging", "charging_completed"),
        ("charge", "show the limit + stop charging", "charging_completed"),
        ("charge", "show the limit, lose power", ""),
        ("charge", "show the limit, unplug", "unplugged"),
        ("charge + stay at starting + show the limit", "stop charging", ""),
        ("unplug + complete", "plug in", "plugged_in"),
        ("complete", "lose power, regain power", ""),
        ("unplug", "drive, reverse", "started_driving"),
        ("unplug", "drive + lose driver", "started_driving"),
        ("nothing", "lose coverage, regain coverage", ""),
        ("lose coverage", "fall asleep + regain coverage", ""),
        ("fall asleep + lose coverage", "wake up + regain coverage", ""),
        ("nothing", "fall asleep, wake up", "woke_up"),
        ("nothing", "enter", ""),
        ("nothing", "enter + leave", "left_unlocked"),
        ("nothing", "unlock, lock", ""),
    ],
)
async def test_change_fires_only_its_triggers(before: str, changes: str, expected: str, home: Home) -> None:
    await _run(home, before)
    # Until then, the integration knows whether a car that does not respond is offline.
    await home.advance(2 * MINUTE, step=30)
    fired = await _watch(home)
    await _run(home, changes)
    await home.advance(LONG_ENOUGH, step=60)
    assert sorted(fired) == expected.split()


@pytest.mark.parametrize(
    ("before", "unknown", "change"),
    [
        ("charge", None, "unplug + unlock"),
        ("charge", None, "complete"),
        ("unplug", None, "drive"),
        ("unplug + drive", None, "park + plug in"),
        ("nothing", None, "fall asleep"),
        ("fall asleep", None, "wake up"),
        ("charge", ChargeState.charging_state, "complete"),
        ("unplug", DriveState.shift_state, "drive"),
        ("nothing", VehicleState.locked, "unlock"),
        ("nothing", VehicleState.is_user_present, "unlock"),
    ],
)
async def test_unseen_change_fires_nothing(before: str, unknown: Any, change: str, home: Home) -> None:
    """A change while the car is unavailable, or while the value is unknown, fires no trigger afterwards."""
    await _run(home, before)
    fired = await _watch(home)
    if unknown is None:
        home.simulator.faults.answer(502, times=10_000)
        await home.advance(40 * MINUTE, step=5 * MINUTE)
        assert home.shown(*LEFT_UNLOCKED).state == STATE_UNAVAILABLE
        _do(home.fleet_car, change)
    else:
        home.simulator.faults.remove(unknown.path)
        await _run(home, change)
    home.simulator.faults.clear()
    await home.poll()
    await home.advance(LONG_ENOUGH, step=60)
    assert not fired


async def test_plug_of_another_integration_fires_nothing(home: Home) -> None:
    plug = home.plug_of_another_brand()
    fired = await _watch(home)
    home.hass.states.async_set(plug.entity_id, STATE_ON)
    await home.idle()
    assert not fired


# Options and targets


@pytest.mark.parametrize(
    ("key", "before", "change", "meanwhile", "expected"),
    [
        ("left_unlocked", "nothing", "unlock, fall asleep", "nothing", 1),
        # A car that was stopped at its limit is complete until it is unplugged.
        ("charging_completed", "charge", "show the limit + stop charging", "nothing", 1),
        ("charging_completed", "charge", "show the limit + stop charging", "unplug", 0),
    ],
)
async def test_for(key: str, before: str, change: str, meanwhile: str, expected: int, home: Home) -> None:
    """With `for`, the trigger fires after this time, unless the state changed meanwhile."""
    await _run(home, before)
    trigger = {"trigger": f"{DOMAIN}.{key}", "target": {"area_id": home.put_into_garage()}}
    runs = await home.automate({"triggers": {**trigger, "options": {"for": "00:02:00"}}, "actions": []})
    await _run(home, change)
    await home.advance(MINUTE)
    await _run(home, meanwhile)
    assert not runs
    await home.advance(MINUTE)
    assert len(runs) == expected
