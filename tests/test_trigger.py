"""Triggers in automations: what fires them, their options and targets, and waits that survive outages."""

from collections.abc import Callable, Mapping
from typing import Any, Final
from unittest.mock import patch

from homeassistant.components.automation.const import DOMAIN as AUTOMATION
from homeassistant.components.websocket_api.automation import async_get_triggers_for_target
from homeassistant.const import SERVICE_TURN_OFF, SERVICE_TURN_ON, STATE_ON, STATE_UNAVAILABLE, STATE_UNKNOWN
from homeassistant.core import Event, HomeAssistant
from homeassistant.helpers import config_validation as cv, device_registry as dr, entity_registry as er
from homeassistant.helpers.trigger import async_validate_trigger_config
from homeassistant.util.yaml import load_yaml_dict
import pytest
from pytest_homeassistant_custom_component.common import async_capture_events
from pytest_homeassistant_custom_component.components import common

from custom_components.vehicle_remote_access.api.records import (
    ChargeState,
    DriveState,
    Vehicle as CarRecord,
    VehicleState,
)
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.simulator import SimulatedVehicle
from custom_components.vehicle_remote_access.trigger import LOG_TRIGGERS, TRIGGERS

from .conftest import Home, example_in
from .source import INTEGRATION, ROOT

MINUTE: Final = 60
LONG_ENOUGH: Final = 6 * MINUTE

# What can happen to a car, which is parked, locked, awake, and plugged in without charging at first
ACTIONS: Final[Mapping[str, Callable[[SimulatedVehicle], Any]]] = {
    "nothing": lambda _: None,
    "unplug": SimulatedVehicle.unplug,
    "plug in": SimulatedVehicle.plug_in,
    "charge": lambda car: car.charging.start(),
    "stay at starting": lambda car: car.timeline.cancel("charging"),
    "complete": lambda car: car.set_level(car.charging.limit),
    "show the limit": lambda car: setattr(car.charging, "level", car.charging.limit - 0.4),
    "stop charging": lambda car: car.charging.stop(),
    "lose power": lambda car: car.power_supply(on=False),
    "regain power": lambda car: car.power_supply(on=True),
    "drive": lambda car: car.drive(miles=100),
    "reverse": lambda car: setattr(car.driving, "shift_state", "R"),
    "park": SimulatedVehicle.stop,
    "enter": SimulatedVehicle.enter,
    "leave": SimulatedVehicle.leave,
    "lose driver": lambda car: setattr(car.body, "user_present", False),
    "lock": SimulatedVehicle.lock,
    "unlock": SimulatedVehicle.unlock,
    "fall asleep": SimulatedVehicle.fall_asleep,
    "wake up": SimulatedVehicle.wake,
    "lose coverage": lambda car: car.coverage(on=False),
    "regain coverage": lambda car: car.coverage(on=True),
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
    "drive_ended": ("unplug + drive", "park"),
    "charge_ended": ("charge", "complete"),
}
# Entity → the triggers that depend on it
ENTITIES: Final = {
    ("binary_sensor", ChargeState.conn_charge_cable.path): {"plugged_in", "unplugged"},
    ("binary_sensor", DriveState.shift_state.path): {"started_driving", "parked"},
    ("binary_sensor", f"{VehicleState.locked.path}.left"): {"left_unlocked"},
    ("event", "log.drive"): {"drive_ended"},
    ("event", "log.charge"): {"charge_ended"},
    ("sensor", CarRecord.state.path): {"fell_asleep", "woke_up"},
    ("sensor", ChargeState.charging_state.path): {"charging_completed", "charging_interrupted"},
}


def _do(car: SimulatedVehicle, actions: str) -> None:
    for action in actions.split(" + "):
        ACTIONS[action](car)


async def _run(home: Home, changes: str) -> None:
    """Run changes of the first car, and poll after each of them."""
    for actions in changes.split(", "):
        _do(home.car, actions)
        await home.advance(10)
        await home.poll()


async def _set_up(home: Home, key: str, **options: Any) -> list[Event]:
    """Set up an automation with a trigger for the garage. Return a list that will contain its runs."""
    trigger = {"trigger": f"{DOMAIN}.{key}", "target": {"area_id": home.put_into_garage()}}
    return await home.automate({"triggers": {**trigger, "options": options}, "actions": []})


async def _watch(home: Home) -> list[str]:
    """Set up an automation with all triggers. Return a list that will contain those that fired."""
    fired: list[str] = []
    home.hass.bus.async_listen("fired", lambda event: fired.append(event.data["key"]))
    target = {"area_id": home.put_into_garage()}
    triggers = [{"trigger": f"{DOMAIN}.{key}", "id": key, "target": target} for key in TRIGGERS]
    action = {"event": "fired", "event_data": {"key": "{{ trigger.id }}"}}
    await home.automate({"mode": "queued", "triggers": triggers, "actions": action})
    return fired


def _trigger_entity(home: Home, key: str) -> str:
    """Return the entity that a trigger with a wait depends on."""
    if key == "fell_asleep":
        return home.entity_id("sensor", CarRecord.state.path)
    return home.entity_id("binary_sensor", f"{VehicleState.locked.path}.left")


async def _lose_service(home: Home) -> None:
    """Let the service fail for 40 minutes, so that the cars become unavailable."""
    home.simulator.faults.answer(502, times=10_000)
    await home.advance(40 * MINUTE, step=5 * MINUTE)
    assert home.hass.states.is_state(_trigger_entity(home, "left_unlocked"), STATE_UNAVAILABLE)


async def _restore_service(home: Home) -> None:
    """Let the service respond again, and read the cars."""
    home.simulator.faults.clear()
    await home.poll()


# Changes


@pytest.mark.parametrize("key", [*TRIGGERS, *LOG_TRIGGERS])
async def test_example(key: str, home: Home) -> None:
    """The documented example of a trigger runs once after the change, and not before or after a restart."""
    before, change = EXAMPLES[key]
    await _run(home, before)
    home.put_into_garage()
    runs = await home.automate(example_in(ROOT / "docs" / "triggers" / f"{key}.md"))
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
async def test_changes(before: str, changes: str, expected: str, home: Home) -> None:
    """A change fires only its own triggers."""
    await _run(home, before)
    # Until then, the integration knows whether a car that does not respond is offline.
    await home.advance(2 * MINUTE, step=30)
    fired = await _watch(home)
    await _run(home, changes)
    await home.advance(LONG_ENOUGH, step=60)
    assert sorted(fired) == expected.split()


async def test_left_unlocked_for_five_minutes(home: Home) -> None:
    """The trigger fires after five minutes, even if the car fell asleep. Templates can use `for`."""
    events = async_capture_events(home.hass, "duration")
    action = {"event": "duration", "event_data": {"for": "{{ trigger.for }}"}}
    trigger = {"trigger": f"{DOMAIN}.left_unlocked", "target": {"area_id": home.put_into_garage()}}
    await home.automate({"triggers": trigger, "actions": [action]})
    await _run(home, "unlock, fall asleep")
    await home.advance(4 * MINUTE, step=10)
    assert not events
    await home.advance(MINUTE)
    assert [event.data for event in events] == [{"for": "0:05:00"}]


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
async def test_unseen_change(before: str, unknown: Any, change: str, home: Home) -> None:
    """A change while the car is unavailable, or while the value is unknown, fires no trigger afterwards."""
    await _run(home, before)
    fired = await _watch(home)
    if unknown is None:
        await _lose_service(home)
        _do(home.car, change)
    else:
        home.simulator.faults.remove(unknown.path)
        await _run(home, change)
    await _restore_service(home)
    await home.advance(LONG_ENOUGH, step=60)
    assert not fired


async def test_another_brand(home: Home) -> None:
    """The plug sensor of another integration in the same area does not fire the trigger."""
    plug = home.plug_of_another_brand()
    fired = await _watch(home)
    home.hass.states.async_set(plug.entity_id, STATE_ON)
    await home.idle()
    assert not fired


# Options and targets


@pytest.mark.parametrize("cars", [2])
@pytest.mark.parametrize(
    ("behavior", "after_one", "after_both"), [("each", 1, 2), ("first", 1, 1), ("all", 0, 1)]
)
async def test_two_cars(behavior: str, after_one: int, after_both: int, home: Home) -> None:
    """With two cars, the trigger fires for each car, for the first car, or only for both."""
    first, second = home.simulator.vehicles
    for car in (first, second):
        if car.charging.plugged:
            car.unplug()
    await home.poll()
    runs = await _set_up(home, "plugged_in", behavior=behavior)
    first.plug_in()
    await home.poll()
    assert len(runs) == after_one
    second.plug_in()
    await home.poll()
    assert len(runs) == after_both


@pytest.mark.parametrize(("meanwhile", "expected"), [("nothing", 1), ("plug in", 0)])
async def test_for(meanwhile: str, expected: int, home: Home) -> None:
    """With `for`, the trigger fires after this time, unless the state changed meanwhile."""
    runs = await _set_up(home, "unplugged", **{"for": "00:02:00"})
    await _run(home, "unplug")
    await home.advance(MINUTE)
    await _run(home, meanwhile)
    assert not runs
    await home.advance(MINUTE)
    assert len(runs) == expected


@pytest.mark.parametrize(("meanwhile", "expected"), [("nothing", 1), ("unplug", 0)])
async def test_stop_at_the_shown_limit_for(meanwhile: str, expected: int, home: Home) -> None:
    """A car that was stopped at its limit is complete until it is unplugged."""
    await _run(home, "charge")
    runs = await _set_up(home, "charging_completed", **{"for": "00:02:00"})
    await _run(home, "show the limit + stop charging")
    await home.advance(MINUTE)
    await _run(home, meanwhile)
    assert not runs
    await home.advance(MINUTE)
    assert len(runs) == expected


# Waits continue while the car is unavailable


async def _unload(home: Home) -> None:
    await home.hass.config_entries.async_unload(home.entry.entry_id)
    await home.idle()


async def _load(home: Home) -> None:
    await home.hass.config_entries.async_setup(home.entry.entry_id)
    await home.idle()


@pytest.mark.parametrize(
    ("key", "options", "minutes"), [("fell_asleep", {}, 2), ("left_unlocked", {"for": "00:03:00"}, 3)]
)
async def test_reload_keeps_wait(key: str, options: dict[str, str], minutes: int, home: Home) -> None:
    """A reload does not change when a wait ends. The trigger fires once."""
    runs = await _set_up(home, key, **options)
    await _run(home, EXAMPLES[key][1])
    await home.advance(MINUTE / 2)
    await home.restart()
    await home.advance((minutes - 1) * MINUTE)
    assert not runs
    await home.advance(MINUTE)
    assert len(runs) == 1
    assert runs[0].data["source"] == f"state of {_trigger_entity(home, key)}"
    await home.restart()
    await home.advance(LONG_ENOUGH, step=60)
    assert len(runs) == 1


async def test_reload_after_a_stop_at_the_shown_limit(home: Home) -> None:
    """While the account is not loaded, a car that was stopped at its limit stays complete."""
    await _run(home, "charge")
    runs = await _set_up(home, "charging_completed", **{"for": "00:02:00"})
    await _run(home, "show the limit + stop charging")
    await home.restart()
    await home.advance(MINUTE)
    assert not runs
    await home.advance(MINUTE)
    assert len(runs) == 1


async def test_wait_is_cancelled_after_reload(home: Home) -> None:
    """If the state differs after a reload, the wait is canceled. The next change starts a new wait."""
    runs = await _set_up(home, "left_unlocked")
    await _run(home, "unlock")
    await home.advance(3 * MINUTE)
    await _unload(home)
    home.car.lock()
    await _load(home)
    await _run(home, "nothing, unlock")
    await home.advance(4 * MINUTE)
    assert not runs
    await home.advance(MINUTE)
    assert len(runs) == 1


async def test_wait_while_unknown(home: Home) -> None:
    """A wait continues while the value is unknown. The trigger fires once the value is known."""
    runs = await _set_up(home, "left_unlocked")
    await _run(home, "unlock")
    home.simulator.faults.remove(VehicleState.locked.path)
    await home.poll()
    assert home.shown("binary_sensor", f"{VehicleState.locked.path}.left").state == STATE_UNKNOWN
    await home.advance(LONG_ENOUGH, step=60)
    assert not runs
    await _restore_service(home)
    assert len(runs) == 1


async def test_removed_entity_cancels_wait(home: Home) -> None:
    """Removing an unavailable entity cancels the wait, even if the entity is added again."""
    runs = await _set_up(home, "left_unlocked")
    await _run(home, "unlock")
    await _unload(home)
    er.async_get(home.hass).async_remove(_trigger_entity(home, "left_unlocked"))
    await home.idle()
    await _load(home)
    await home.advance(LONG_ENOUGH, step=60)
    assert not runs


async def test_moved_car_cancels_wait(home: Home) -> None:
    """Moving the car out of the targeted area cancels the wait. So does turning the automation off."""
    runs = await _set_up(home, "left_unlocked")
    await _run(home, "unlock")
    dr.async_get(home.hass).async_update_device(home.device.id, area_id=None)
    await home.advance(LONG_ENOUGH, step=60)
    assert not runs
    home.put_into_garage()
    await _run(home, "lock, unlock")
    listeners = home.hass.bus.async_listeners()
    for service in (SERVICE_TURN_OFF, SERVICE_TURN_ON):
        data = {"entity_id": "automation.it"}
        await home.hass.services.async_call(AUTOMATION, service, data, blocking=True)
    assert home.hass.bus.async_listeners() == listeners
    await home.advance(LONG_ENOUGH, step=60)
    assert not runs


@pytest.mark.parametrize("cars", [2])
@pytest.mark.parametrize(
    ("behavior", "unlocked", "locked", "expected"),
    [
        ("each", [0, 1], [], 2),
        ("each", [0, 1], [0], 1),
        ("first", [1], [], 1),
        ("first", [0, 1], [0], 1),
        ("first", [0, 1], [0, 1], 0),
        ("all", [0, 1], [], 1),
        ("all", [0, 1], [0], 0),
    ],
)
async def test_two_cars_during_outage(
    behavior: str, unlocked: list[int], locked: list[int], expected: int, home: Home
) -> None:
    """If a wait ends while two cars are unavailable, their states afterwards decide, once."""
    runs = await _set_up(home, "left_unlocked", behavior=behavior, **{"for": "00:30:00"})
    for index in unlocked:
        home.simulator.vehicles[index].unlock()
        await home.poll()
    await _lose_service(home)
    for index in locked:
        home.simulator.vehicles[index].lock()
    assert not runs
    await _restore_service(home)
    assert len(runs) == expected
    await home.advance(40 * MINUTE, step=5 * MINUTE)
    assert len(runs) == expected


@pytest.mark.parametrize("cars", [2])
async def test_first_of_two_cars_keeps_its_wait(home: Home) -> None:
    """A second car that is unlocked while the first one is unavailable does not restart the wait."""
    first, second = home.simulator.vehicles
    runs = await _set_up(home, "left_unlocked", behavior="first")
    first.unlock()
    await home.poll()
    await home.advance(3 * MINUTE)
    home.hass.states.async_set(_trigger_entity(home, "left_unlocked"), STATE_UNAVAILABLE)
    second.unlock()
    await home.poll()
    assert home.hass.states.is_state(_trigger_entity(home, "left_unlocked"), STATE_UNAVAILABLE)
    assert not runs
    await home.advance(2 * MINUTE)
    assert len(runs) == 1


# Automation editor


async def test_triggers_are_offered(home: Home) -> None:
    """The editor offers all triggers for a car, and none for a car of another integration."""
    for device_id, keys in (
        (home.device.id, {*TRIGGERS, *LOG_TRIGGERS}),
        (home.plug_of_another_brand().device_id, set()),
    ):
        target = {"device_id": device_id}
        offered = await async_get_triggers_for_target(home.hass, target, expand_group=False)
        assert {each for each in offered if each.startswith(DOMAIN)} == {f"{DOMAIN}.{key}" for key in keys}


async def test_entity_of_each_trigger(entity_registry_enabled_by_default: None, home: Home) -> None:
    """The editor finds one entity of a car for each trigger. It can't count by integration."""
    expected = {home.entity_id(*entity): keys for entity, keys in ENTITIES.items()}
    for entity_id in home.states():
        offered = await async_get_triggers_for_target(home.hass, {"entity_id": entity_id}, expand_group=False)
        keys = {f"{DOMAIN}.{key}" for key in expected.get(entity_id, ())}
        assert {each for each in offered if each.startswith(DOMAIN)} == keys, entity_id
    descriptions = load_yaml_dict(str(INTEGRATION / "triggers.yaml"))
    assert not [key for key in TRIGGERS if "integration" in descriptions[key]["target"]["entity"][0]]


async def test_options(hass: HomeAssistant, enable_custom_integrations: None) -> None:
    """A trigger accepts exactly the options in its description, with the same defaults."""
    descriptions = load_yaml_dict(str(INTEGRATION / "triggers.yaml"))
    for key in TRIGGERS:
        name, fields = f"{DOMAIN}.{key}", descriptions[key]["fields"]
        with patch.object(common, "_get_yaml_fields", return_value=fields):
            await common.assert_trigger_options_supported(
                hass, name, None, supports_behavior=True, supports_duration=True
            )
        config = {"platform": name, "target": {"area_id": "garage"}}
        options = (await async_validate_trigger_config(hass, [config]))[0]["options"]
        default = {name: field["default"] for name, field in fields.items()}
        assert options == {**default, "for": cv.time_period(default["for"])}, key


@pytest.mark.skipif(not hasattr(common, "TargetSupport"), reason="This check is new in 2026.10.")
def test_targets_are_resolved_by_home_assistant() -> None:
    """Home Assistant resolves the targets. The triggers only filter the entities."""
    changes = {key: trigger.change for key, trigger in TRIGGERS.items()}
    common.assert_triggers_target_support(changes, dict.fromkeys(TRIGGERS, common.TargetSupport.STANDARD))
