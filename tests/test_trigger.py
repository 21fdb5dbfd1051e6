"""Triggers in automations: what fires them, their options and targets, and waits that survive outages."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final
from unittest.mock import patch

from homeassistant.components.automation.const import DOMAIN as AUTOMATION
from homeassistant.components.websocket_api.automation import async_get_triggers_for_target
from homeassistant.const import SERVICE_TURN_OFF, SERVICE_TURN_ON, STATE_ON, STATE_UNAVAILABLE, STATE_UNKNOWN
from homeassistant.core import Event, HomeAssistant
from homeassistant.helpers import (
    area_registry as ar,
    config_validation as cv,
    device_registry as dr,
    entity_registry as er,
    floor_registry as fr,
    label_registry as lr,
)
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
from custom_components.vehicle_remote_access.trigger import TRIGGERS

from .conftest import Home, example_in
from .repository.test_architecture import INTEGRATION, ROOT

MINUTE: Final = 60
LONG_ENOUGH: Final = 6 * MINUTE

type CarAction = Callable[[SimulatedVehicle], Any]


def _nothing(car: SimulatedVehicle) -> None:
    """Leave the car parked, locked, awake, and plugged in without charging."""


def _charge(car: SimulatedVehicle) -> None:
    car.charging.start()


def _prepare_to_charge(car: SimulatedVehicle) -> None:
    car.charging.start()
    car.timeline.cancel("charging")


def _complete_charging(car: SimulatedVehicle) -> None:
    car.set_level(car.charging.limit)


def _drive(car: SimulatedVehicle) -> None:
    car.unplug()
    car.drive(miles=100)


def _drive_without_driver(car: SimulatedVehicle) -> None:
    car.drive(miles=100)
    car.body.user_present = False


def _reverse(car: SimulatedVehicle) -> None:
    car.driving.shift_state = "R"


def _lose_power(car: SimulatedVehicle) -> None:
    car.power_supply(on=False)


def _restore_power(car: SimulatedVehicle) -> None:
    car.power_supply(on=True)


def _lose_coverage(car: SimulatedVehicle) -> None:
    car.coverage(on=False)


def _regain_coverage(car: SimulatedVehicle) -> None:
    car.coverage(on=True)


def _all(*actions: CarAction) -> CarAction:
    def run(car: SimulatedVehicle) -> None:
        for action in actions:
            action(car)

    return run


@dataclass(frozen=True)
class Scenario:
    """How to prepare a car, and the change that fires the trigger."""

    before: CarAction
    change: CarAction


SCENARIOS: Final = {
    "plugged_in": Scenario(SimulatedVehicle.unplug, SimulatedVehicle.plug_in),
    "unplugged": Scenario(_nothing, SimulatedVehicle.unplug),
    "charging_completed": Scenario(_charge, _complete_charging),
    "charging_interrupted": Scenario(_charge, SimulatedVehicle.unplug),
    "started_driving": Scenario(SimulatedVehicle.unplug, lambda car: car.drive(miles=100)),
    "parked": Scenario(_drive, SimulatedVehicle.stop),
    "fell_asleep": Scenario(_nothing, SimulatedVehicle.fall_asleep),
    "woke_up": Scenario(SimulatedVehicle.fall_asleep, SimulatedVehicle.wake),
    "left_unlocked": Scenario(_nothing, SimulatedVehicle.unlock),
}


async def _run(home: Home, *actions: CarAction) -> None:
    """Run actions on the first car, and poll after each of them."""
    for action in actions:
        action(home.car)
        await home.advance(10)
        await home.poll()


async def _set_up(home: Home, key: str, **options: Any) -> list[Event]:
    """Set up an automation with a trigger for the garage. Return a list that will contain its runs."""
    trigger = {"trigger": f"{DOMAIN}.{key}", "target": {"area_id": home.put_into_garage()}}
    return await home.automate({"triggers": {**trigger, "options": options}, "actions": []})


def _trigger_entity(home: Home, key: str) -> str:
    """Return the entity that a trigger with a wait depends on."""
    platform, path = {
        "fell_asleep": ("sensor", CarRecord.state.path),
        "left_unlocked": ("binary_sensor", f"{VehicleState.locked.path}.left"),
    }[key]
    return home.entity_id(platform, path)


# Changes that fire triggers


@pytest.mark.parametrize("key", TRIGGERS)
async def test_example(key: str, home: Home) -> None:
    """The documented example of a trigger runs once after the change, and not before."""
    await _run(home, SCENARIOS[key].before)
    home.put_into_garage()
    runs = await home.automate(example_in(ROOT / "docs" / "triggers" / f"{key}.md"))
    await home.advance(LONG_ENOUGH, step=30)
    assert not runs
    await _run(home, SCENARIOS[key].change)
    await home.advance(LONG_ENOUGH, step=30)
    assert len(runs) == 1


@pytest.mark.parametrize(
    ("key", "before", "change"),
    [
        ("charging_completed", _nothing, _all(_charge, _complete_charging)),
        ("charging_completed", _prepare_to_charge, _complete_charging),
        ("charging_interrupted", _charge, lambda car: car.charging.stop()),
        ("charging_interrupted", _charge, _lose_power),
    ],
    ids=["completed between polls", "completed immediately", "stopped", "without power"],
)
async def test_other_ends_of_charging(key: str, before: CarAction, change: CarAction, home: Home) -> None:
    """The triggers for the end of charging fire in other cases too, even if its start was not seen."""
    await _run(home, before)
    runs = await _set_up(home, key)
    await _run(home, change)
    assert len(runs) == 1


@pytest.mark.parametrize(
    ("key", "before", "changes"),
    [
        ("charging_completed", _all(SimulatedVehicle.unplug, _complete_charging), [SimulatedVehicle.plug_in]),
        ("charging_completed", _complete_charging, [_lose_power, _restore_power]),
        ("charging_interrupted", _charge, [_complete_charging, _lose_power, SimulatedVehicle.unplug]),
        ("charging_interrupted", _prepare_to_charge, [lambda car: car.charging.stop()]),
        ("started_driving", _drive, [_reverse]),
        ("parked", _drive, [_reverse]),
        ("fell_asleep", _nothing, [_lose_coverage, _regain_coverage]),
        ("fell_asleep", _lose_coverage, [_all(SimulatedVehicle.fall_asleep, _regain_coverage)]),
        (
            "woke_up",
            _all(SimulatedVehicle.fall_asleep, _lose_coverage),
            [_all(SimulatedVehicle.wake, _regain_coverage)],
        ),
        ("left_unlocked", _nothing, [SimulatedVehicle.enter]),
        ("left_unlocked", SimulatedVehicle.unplug, [_drive_without_driver]),
        ("left_unlocked", _nothing, [SimulatedVehicle.unlock, SimulatedVehicle.lock]),
    ],
    ids=[
        "plugged in when full",
        "power back when full",
        "unplugged when full",
        "charging not started",
        "started to reverse",
        "not parked in reverse",
        "coverage lost and regained",
        "asleep when coverage returns",
        "awake when coverage returns",
        "driver present",
        "driving",
        "unlocked briefly",
    ],
)
async def test_similar_changes(key: str, before: CarAction, changes: list[CarAction], home: Home) -> None:
    """Similar changes do not fire the trigger."""
    await _run(home, before)
    # Until then, the integration knows whether a car that does not respond is offline.
    await home.advance(2 * MINUTE)
    runs = await _set_up(home, key)
    await _run(home, *changes)
    await home.advance(LONG_ENOUGH, step=30)
    assert not runs


@pytest.mark.parametrize(
    "changes", [[SimulatedVehicle.unlock], [_all(SimulatedVehicle.enter, SimulatedVehicle.leave)]]
)
async def test_left_unlocked_for_five_minutes(changes: list[CarAction], home: Home) -> None:
    """The trigger fires after five minutes, even if the car fell asleep meanwhile."""
    runs = await _set_up(home, "left_unlocked")
    await _run(home, *changes, SimulatedVehicle.fall_asleep)
    await home.advance(4 * MINUTE)
    assert not runs
    await home.advance(MINUTE)
    assert len(runs) == 1


# Changes that do not fire triggers


@pytest.mark.parametrize("key", TRIGGERS)
async def test_restart(key: str, home: Home) -> None:
    """A restart does not fire the trigger again."""
    await _run(home, SCENARIOS[key].before)
    runs = await _set_up(home, key)
    await _run(home, SCENARIOS[key].change)
    await home.advance(LONG_ENOUGH, step=30)
    assert len(runs) == 1
    await home.restart()
    await home.advance(LONG_ENOUGH, step=30)
    assert len(runs) == 1


@pytest.mark.parametrize("key", TRIGGERS)
async def test_change_while_unavailable(key: str, home: Home) -> None:
    """A change while the car was unavailable does not fire the trigger when the car is available again."""
    await _run(home, SCENARIOS[key].before)
    runs = await _set_up(home, key)
    home.simulator.faults.answer(502, times=10_000)
    await home.advance(20 * MINUTE, step=60)
    assert set(home.states().values()) >= {"unavailable"}
    SCENARIOS[key].change(home.car)
    home.simulator.faults.clear()
    await home.poll()
    await home.advance(LONG_ENOUGH, step=30)
    assert not runs


@pytest.mark.parametrize(
    ("key", "field"),
    [
        ("charging_completed", ChargeState.charging_state),
        ("started_driving", DriveState.shift_state),
        ("left_unlocked", VehicleState.locked),
        ("left_unlocked", VehicleState.is_user_present),
    ],
)
async def test_change_while_unknown(key: str, field: Any, home: Home) -> None:
    """A change while the value was unknown does not fire the trigger when the value is known again."""
    await _run(home, SCENARIOS[key].before)
    runs = await _set_up(home, key)
    home.simulator.faults.remove(field.path)
    await _run(home, SCENARIOS[key].change)
    home.simulator.faults.clear()
    await home.poll()
    await home.advance(LONG_ENOUGH, step=30)
    assert not runs


async def test_another_brand(home: Home) -> None:
    """The plug sensor of another integration in the same area does not fire the trigger."""
    plug = home.plug_of_another_brand()
    runs = await _set_up(home, "plugged_in")
    home.hass.states.async_set(plug.entity_id, STATE_ON)
    await home.idle()
    assert not runs


async def test_other_entities(home: Home) -> None:
    """Changes of other entities of the same car do not fire the trigger."""
    runs = await _set_up(home, "plugged_in")
    await _run(home, SimulatedVehicle.unplug, SimulatedVehicle.enter, lambda car: car.drive(miles=100))
    assert not runs


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


@pytest.mark.parametrize(("meanwhile", "expected"), [(_nothing, 1), (SimulatedVehicle.plug_in, 0)])
async def test_for(meanwhile: CarAction, expected: int, home: Home) -> None:
    """With `for`, the trigger fires after this time, unless the state changed meanwhile."""
    runs = await _set_up(home, "unplugged", **{"for": "00:02:00"})
    await _run(home, SimulatedVehicle.unplug)
    await home.advance(MINUTE)
    await _run(home, meanwhile)
    assert not runs
    await home.advance(MINUTE)
    assert len(runs) == expected


def _target(home: Home, kind: str) -> str:
    """Return a target of this kind that includes the car."""
    garage = home.put_into_garage()
    if kind == "floor_id":
        floor = fr.async_get(home.hass).async_create("Below").floor_id
        ar.async_get(home.hass).async_update(garage, floor_id=floor)
        return floor
    if kind == "label_id":
        label = lr.async_get(home.hass).async_create("Cars").label_id
        dr.async_get(home.hass).async_update_device(home.device.id, labels={label})
        return label
    entity_id = home.entity_id("binary_sensor", ChargeState.conn_charge_cable.path)
    return {"area_id": garage, "device_id": home.device.id, "entity_id": entity_id}[kind]


@pytest.mark.parametrize("kind", ["area_id", "device_id", "entity_id", "floor_id", "label_id"])
async def test_target(kind: str, home: Home) -> None:
    """A trigger can target a car by area, device, entity, floor or label."""
    trigger = {"trigger": f"{DOMAIN}.unplugged", "target": {kind: _target(home, kind)}}
    runs = await home.automate({"triggers": trigger, "actions": []})
    await _run(home, SimulatedVehicle.unplug)
    assert len(runs) == 1


# Waits continue while the car is unavailable


async def _unload(home: Home) -> None:
    """Unload the account, as the first half of a reload."""
    await home.hass.config_entries.async_unload(home.entry.entry_id)
    await home.idle()


async def _load(home: Home) -> None:
    """Set the account up, as the second half of a reload."""
    await home.hass.config_entries.async_setup(home.entry.entry_id)
    await home.idle()


OUTAGE: Final = {"for": "00:30:00"}


async def _lose_service(home: Home) -> None:
    """Let the service fail for 40 minutes, so that the cars become unavailable."""
    home.simulator.faults.answer(502, times=10_000)
    await home.advance(40 * MINUTE, step=5 * MINUTE)
    assert home.hass.states.is_state(_trigger_entity(home, "left_unlocked"), STATE_UNAVAILABLE)


async def _restore_service(home: Home) -> None:
    """Let the service respond again, and read the cars."""
    home.simulator.faults.clear()
    await home.poll()


@pytest.mark.parametrize("options", [{}, {"for": "00:03:00"}], ids=["default", "for"])
@pytest.mark.parametrize("key", ["fell_asleep", "left_unlocked"])
async def test_reload_keeps_wait(key: str, options: dict[str, str], home: Home) -> None:
    """A reload does not change when a wait ends. The trigger fires once."""
    minutes = 3 if options else {"fell_asleep": 2, "left_unlocked": 5}[key]
    runs = await _set_up(home, key, **options)
    await _run(home, SCENARIOS[key].change)
    await home.advance(MINUTE / 2)
    await home.restart()
    await home.advance((minutes - 1) * MINUTE)
    assert not runs
    await home.advance(MINUTE)
    assert len(runs) == 1
    assert runs[0].data["source"] == f"state of {_trigger_entity(home, key)}"
    await home.restart()
    await home.advance(LONG_ENOUGH, step=30)
    assert len(runs) == 1


async def test_wait_ends_during_reload(home: Home) -> None:
    """If a wait ends during a reload, the trigger fires once the car is available again."""
    runs = await _set_up(home, "left_unlocked")
    await _run(home, SimulatedVehicle.unlock)
    await _unload(home)
    await home.advance(LONG_ENOUGH, step=30)
    assert not runs
    await _load(home)
    assert len(runs) == 1
    await home.restart()
    await home.advance(LONG_ENOUGH, step=30)
    assert len(runs) == 1


@pytest.mark.parametrize(
    ("meanwhile", "expected"), [(_nothing, 1), (SimulatedVehicle.lock, 0)], ids=["still unlocked", "locked"]
)
async def test_wait_ends_during_outage(meanwhile: CarAction, expected: int, home: Home) -> None:
    """If a wait ends while the service is down, the trigger fires if the state is the same afterwards."""
    runs = await _set_up(home, "left_unlocked", **OUTAGE)
    await _run(home, SimulatedVehicle.unlock)
    await _lose_service(home)
    meanwhile(home.car)
    assert not runs
    await _restore_service(home)
    assert len(runs) == expected
    await home.advance(40 * MINUTE, step=5 * MINUTE)
    assert len(runs) == expected


async def test_wait_outlasts_outage(home: Home) -> None:
    """An outage does not change when a wait ends."""
    runs = await _set_up(home, "left_unlocked", **{"for": "00:50:00"})
    await _run(home, SimulatedVehicle.unlock)
    await _lose_service(home)
    await _restore_service(home)
    await home.advance(9 * MINUTE, step=30)
    assert not runs
    await home.advance(MINUTE)
    assert len(runs) == 1


async def test_wait_is_cancelled_after_reload(home: Home) -> None:
    """If the state differs after a reload, the wait is canceled. The next change starts a new wait."""
    runs = await _set_up(home, "left_unlocked")
    await _run(home, SimulatedVehicle.unlock)
    await home.advance(3 * MINUTE)
    await _unload(home)
    home.car.lock()
    await _load(home)
    await _run(home, _nothing, SimulatedVehicle.unlock)
    await home.advance(4 * MINUTE)
    assert not runs
    await home.advance(MINUTE)
    assert len(runs) == 1


async def test_wait_while_unknown(home: Home) -> None:
    """A wait continues while the value is unknown. The trigger fires once the value is known."""
    runs = await _set_up(home, "left_unlocked")
    await _run(home, SimulatedVehicle.unlock)
    home.simulator.faults.remove(VehicleState.locked.path)
    await home.poll()
    assert home.shown("binary_sensor", f"{VehicleState.locked.path}.left").state == STATE_UNKNOWN
    await home.advance(LONG_ENOUGH, step=30)
    assert not runs
    home.simulator.faults.clear()
    await home.poll()
    assert len(runs) == 1


async def test_reload_starts_no_wait(home: Home) -> None:
    """A reload does not start a wait for a car that was unlocked before the automation started."""
    await _run(home, SimulatedVehicle.unlock)
    runs = await _set_up(home, "left_unlocked")
    await home.restart()
    await home.advance(LONG_ENOUGH, step=30)
    assert not runs


async def test_removed_entity_cancels_wait(home: Home) -> None:
    """Removing an unavailable entity cancels the wait, even if the entity is added again."""
    runs = await _set_up(home, "left_unlocked")
    await _run(home, SimulatedVehicle.unlock)
    await _unload(home)
    er.async_get(home.hass).async_remove(_trigger_entity(home, "left_unlocked"))
    await home.idle()
    await _load(home)
    await home.advance(LONG_ENOUGH, step=30)
    assert not runs


async def test_for_in_templates(home: Home) -> None:
    """Templates of an automation can use the duration of the state."""
    events = async_capture_events(home.hass, "duration")
    action = {"event": "duration", "event_data": {"for": "{{ trigger.for }}"}}
    trigger = {"trigger": f"{DOMAIN}.left_unlocked", "target": {"area_id": home.put_into_garage()}}
    await home.automate({"triggers": trigger, "actions": [action]})
    await _run(home, SimulatedVehicle.unlock)
    await home.advance(5 * MINUTE)
    assert [event.data for event in events] == [{"for": "0:05:00"}]


async def test_moved_car_cancels_wait(home: Home) -> None:
    """Moving the car's device out of the targeted area cancels the wait."""
    runs = await _set_up(home, "left_unlocked")
    await _run(home, SimulatedVehicle.unlock)
    dr.async_get(home.hass).async_update_device(home.device.id, area_id=None)
    await home.advance(LONG_ENOUGH, step=30)
    assert not runs


async def test_stopped_automation_cancels_wait(home: Home) -> None:
    """Turning an automation off cancels its wait, and turning it on again adds no more listeners."""
    runs = await _set_up(home, "left_unlocked")
    await _run(home, SimulatedVehicle.unlock)
    listeners = home.hass.bus.async_listeners()
    for service in (SERVICE_TURN_OFF, SERVICE_TURN_ON):
        await home.hass.services.async_call(
            AUTOMATION, service, {"entity_id": "automation.it"}, blocking=True
        )
    assert home.hass.bus.async_listeners() == listeners
    await home.advance(LONG_ENOUGH, step=30)
    assert not runs


@pytest.mark.parametrize("cars", [2])
@pytest.mark.parametrize(
    ("behavior", "unlocked", "locked", "expected"),
    [
        ("each", [0, 1], [], 2),
        ("each", [0, 1], [0], 1),
        ("first", [0], [], 1),
        ("first", [1], [], 1),
        ("first", [0, 1], [0], 1),
        ("first", [0, 1], [0, 1], 0),
        ("all", [0, 1], [], 1),
        ("all", [0, 1], [0], 0),
        ("all", [0, 1], [1], 0),
    ],
)
async def test_two_cars_during_outage(
    behavior: str, unlocked: list[int], locked: list[int], expected: int, home: Home
) -> None:
    """If a wait ends while two cars are unavailable, their states afterwards decide."""
    vehicles = home.simulator.vehicles
    runs = await _set_up(home, "left_unlocked", behavior=behavior, **OUTAGE)
    for index in unlocked:
        vehicles[index].unlock()
        await home.poll()
    await _lose_service(home)
    for index in locked:
        vehicles[index].lock()
    assert not runs
    await _restore_service(home)
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


async def _offered(home: Home, device_id: str | None) -> set[str]:
    """Return the integration's triggers that the automation editor offers for a device."""
    target = {"device_id": device_id}
    triggers = await async_get_triggers_for_target(home.hass, target, expand_group=False)
    return {trigger.removeprefix(f"{DOMAIN}.") for trigger in triggers if trigger.startswith(DOMAIN)}


async def test_triggers_are_offered_for_a_car(home: Home) -> None:
    """The editor offers all triggers for a car."""
    assert await _offered(home, home.device.id) == set(TRIGGERS)


async def test_triggers_are_not_offered_for_another_brand(home: Home) -> None:
    """The editor offers none of the triggers for a car of another integration."""
    assert not await _offered(home, home.plug_of_another_brand().device_id)


def _fields(key: str) -> dict[str, Any]:
    fields: dict[str, Any] = load_yaml_dict(str(INTEGRATION / "triggers.yaml"))[key]["fields"]
    return fields


@pytest.mark.parametrize("key", TRIGGERS)
async def test_options(key: str, hass: HomeAssistant) -> None:
    """A trigger accepts the options in its description, and no others."""
    with patch.object(common, "_get_yaml_fields", return_value=_fields(key)):
        await common.assert_trigger_options_supported(
            hass, f"{DOMAIN}.{key}", None, supports_behavior=True, supports_duration=True
        )


@pytest.mark.parametrize("key", TRIGGERS)
async def test_defaults(key: str, hass: HomeAssistant) -> None:
    """Missing options have the same defaults in YAML and in the automation editor."""
    config = {"platform": f"{DOMAIN}.{key}", "target": {"area_id": "garage"}}
    options = (await async_validate_trigger_config(hass, [config]))[0]["options"]
    default = {name: field["default"] for name, field in _fields(key).items()}
    assert options == {**default, "for": cv.time_period(default["for"])}


@pytest.mark.skipif(not hasattr(common, "TargetSupport"), reason="This check is new in 2026.10.")
def test_targets_are_resolved_by_home_assistant() -> None:
    """Home Assistant resolves the targets. The triggers only filter the entities."""
    changes = {key: trigger.change for key, trigger in TRIGGERS.items()}
    common.assert_triggers_target_support(changes, dict.fromkeys(TRIGGERS, common.TargetSupport.STANDARD))
