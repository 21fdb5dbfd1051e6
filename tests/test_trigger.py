"""Triggers, as an owner uses them: in automations, with a car that something happens to."""

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
from custom_components.vehicle_remote_access.simulator import Vehicle
from custom_components.vehicle_remote_access.trigger import TRIGGERS

from .conftest import Home, example_in
from .repository.test_architecture import HOUSE, ROOT

MINUTE: Final = 60
LONG_ENOUGH: Final = 6 * MINUTE

type Doing = Callable[[Vehicle], Any]


def _nothing(car: Vehicle) -> None:
    """Leave the car as it is: parked, locked, awake, with a cable in it that brings nothing."""


def _charge(car: Vehicle) -> None:
    car.charging.start()


def _hesitate_to_charge(car: Vehicle) -> None:
    car.charging.start()
    car.timeline.cancel("charging")


def _be_charged(car: Vehicle) -> None:
    car.set_level(car.charging.limit)


def _drive(car: Vehicle) -> None:
    car.unplug()
    car.drive(miles=100)


def _drive_by_itself(car: Vehicle) -> None:
    car.drive(miles=100)
    car.body.user_present = False


def _reverse(car: Vehicle) -> None:
    car.driving.shift_state = "R"


def _lose_power(car: Vehicle) -> None:
    car.power_supply(on=False)


def _get_power(car: Vehicle) -> None:
    car.power_supply(on=True)


def _go_out_of_reach(car: Vehicle) -> None:
    car.coverage(on=False)


def _come_into_reach(car: Vehicle) -> None:
    car.coverage(on=True)


def _all(*doings: Doing) -> Doing:
    def do(car: Vehicle) -> None:
        for doing in doings:
            doing(car)

    return do


@dataclass(frozen=True)
class Scene:
    """What a car is about, and what happens then."""

    before: Doing
    happens: Doing


SCENES: Final = {
    "plugged_in": Scene(Vehicle.unplug, Vehicle.plug_in),
    "unplugged": Scene(_nothing, Vehicle.unplug),
    "charging_completed": Scene(_charge, _be_charged),
    "charging_interrupted": Scene(_charge, Vehicle.unplug),
    "started_driving": Scene(Vehicle.unplug, lambda car: car.drive(miles=100)),
    "parked": Scene(_drive, Vehicle.stop),
    "fell_asleep": Scene(_nothing, Vehicle.fall_asleep),
    "woke_up": Scene(Vehicle.fall_asleep, Vehicle.wake),
    "left_unlocked": Scene(_nothing, Vehicle.unlock),
}


async def _be(home: Home, *doings: Doing) -> None:
    """Do this and that with the first car, and look at it each time."""
    for doing in doings:
        doing(home.car)
        await home.advance(10)
        await home.poll()


async def _set_up(home: Home, key: str, **options: Any) -> list[Event]:
    """Set up an automation with a trigger for what stands in the garage; return what will hold its runs."""
    trigger = {"trigger": f"{DOMAIN}.{key}", "target": {"area_id": home.put_into_garage()}}
    return await home.automate({"triggers": {**trigger, "options": options}, "actions": []})


def _rests_on(home: Home, key: str) -> str:
    """Return the entity that a trigger with a wait rests on."""
    platform, path = {
        "fell_asleep": ("sensor", CarRecord.state.path),
        "left_unlocked": ("binary_sensor", f"{VehicleState.locked.path}.left"),
    }[key]
    return home.entity_id(platform, path)


# What happens


@pytest.mark.parametrize("key", TRIGGERS)
async def test_example(key: str, home: Home) -> None:
    """What a trigger's page gives as an example runs once when that happens to a car, and not before."""
    await _be(home, SCENES[key].before)
    home.put_into_garage()
    runs = await home.automate(example_in(ROOT / "docs" / "triggers" / f"{key}.md"))
    await home.advance(LONG_ENOUGH, step=30)
    assert not runs
    await _be(home, SCENES[key].happens)
    await home.advance(LONG_ENOUGH, step=30)
    assert len(runs) == 1


@pytest.mark.parametrize(
    ("key", "before", "happens"),
    [
        ("charging_completed", _nothing, _all(_charge, _be_charged)),
        ("charging_completed", _hesitate_to_charge, _be_charged),
        ("charging_interrupted", _charge, lambda car: car.charging.stop()),
        ("charging_interrupted", _charge, _lose_power),
    ],
    ids=["completed unseen", "completed at once", "stopped", "without power"],
)
async def test_happens_too(key: str, before: Doing, happens: Doing, home: Home) -> None:
    """Charging may end in other ways too, and its end be seen without its beginning."""
    await _be(home, before)
    runs = await _set_up(home, key)
    await _be(home, happens)
    assert len(runs) == 1


@pytest.mark.parametrize(
    ("key", "before", "happens"),
    [
        ("charging_completed", _all(Vehicle.unplug, _be_charged), [Vehicle.plug_in]),
        ("charging_completed", _be_charged, [_lose_power, _get_power]),
        ("charging_interrupted", _charge, [_be_charged, _lose_power, Vehicle.unplug]),
        ("charging_interrupted", _hesitate_to_charge, [lambda car: car.charging.stop()]),
        ("started_driving", _drive, [_reverse]),
        ("parked", _drive, [_reverse]),
        ("fell_asleep", _nothing, [_go_out_of_reach, _come_into_reach]),
        ("fell_asleep", _go_out_of_reach, [_all(Vehicle.fall_asleep, _come_into_reach)]),
        ("woke_up", _all(Vehicle.fall_asleep, _go_out_of_reach), [_all(Vehicle.wake, _come_into_reach)]),
        ("left_unlocked", _nothing, [Vehicle.enter]),
        ("left_unlocked", Vehicle.unplug, [_drive_by_itself]),
        ("left_unlocked", _nothing, [Vehicle.unlock, Vehicle.lock]),
    ],
    ids=[
        "plugged in when full",
        "power back when full",
        "no longer needed",
        "not begun",
        "turns",
        "turns",
        "out of reach and back",
        "asleep when back",
        "awake when back",
        "unlocked to get in",
        "unlocked while it drives",
        "unlocked for a moment",
    ],
)
async def test_happens_not(key: str, before: Doing, happens: list[Doing], home: Home) -> None:
    """What only looks like it triggers nothing."""
    await _be(home, before)
    # By then the service has said whether a car that does not answer is out of reach.
    await home.advance(2 * MINUTE)
    runs = await _set_up(home, key)
    await _be(home, *happens)
    await home.advance(LONG_ENOUGH, step=30)
    assert not runs


@pytest.mark.parametrize("happens", [[Vehicle.unlock], [_all(Vehicle.enter, Vehicle.leave)]])
async def test_left_unlocked_for_five_minutes(happens: list[Doing], home: Home) -> None:
    """A car is left unlocked once it has been so for five minutes, even if it fell asleep over it."""
    runs = await _set_up(home, "left_unlocked")
    await _be(home, *happens, Vehicle.fall_asleep)
    await home.advance(4 * MINUTE)
    assert not runs
    await home.advance(MINUTE)
    assert len(runs) == 1


# What does not happen


@pytest.mark.parametrize("key", TRIGGERS)
async def test_restart(key: str, home: Home) -> None:
    """What has happened does not happen again when Home Assistant starts."""
    await _be(home, SCENES[key].before)
    runs = await _set_up(home, key)
    await _be(home, SCENES[key].happens)
    await home.advance(LONG_ENOUGH, step=30)
    assert len(runs) == 1
    await home.restart()
    await home.advance(LONG_ENOUGH, step=30)
    assert len(runs) == 1


@pytest.mark.parametrize("key", TRIGGERS)
async def test_unavailable(key: str, home: Home) -> None:
    """What happened while nobody could know of the car triggers nothing when it is known again."""
    await _be(home, SCENES[key].before)
    runs = await _set_up(home, key)
    home.simulator.faults.answer(502, times=10_000)
    await home.advance(20 * MINUTE, step=60)
    assert set(home.states().values()) >= {"unavailable"}
    SCENES[key].happens(home.car)
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
async def test_unknown(key: str, field: Any, home: Home) -> None:
    """What the car did not say for a while has not happened when it says it again."""
    await _be(home, SCENES[key].before)
    runs = await _set_up(home, key)
    home.simulator.faults.remove(field.path)
    await _be(home, SCENES[key].happens)
    home.simulator.faults.clear()
    await home.poll()
    await home.advance(LONG_ENOUGH, step=30)
    assert not runs


async def test_another_brand(home: Home) -> None:
    """The plug of another brand in the same garage triggers nothing."""
    plug = home.plug_of_another_brand()
    runs = await _set_up(home, "plugged_in")
    home.hass.states.async_set(plug.entity_id, STATE_ON)
    await home.idle()
    assert not runs


async def test_other_entities(home: Home) -> None:
    """Whatever else changes in the same way about the same car triggers nothing."""
    runs = await _set_up(home, "plugged_in")
    await _be(home, Vehicle.unplug, Vehicle.enter, lambda car: car.drive(miles=100))
    assert not runs


# Options and targets


@pytest.mark.parametrize("cars", [2])
@pytest.mark.parametrize(
    ("behavior", "after_one", "after_both"), [("each", 1, 2), ("first", 1, 1), ("all", 0, 1)]
)
async def test_two_cars(behavior: str, after_one: int, after_both: int, home: Home) -> None:
    """Of two cars, each can trigger, or the first of them, or only both together."""
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


@pytest.mark.parametrize(("meanwhile", "expected"), [(_nothing, 1), (Vehicle.plug_in, 0)])
async def test_for(meanwhile: Doing, expected: int, home: Home) -> None:
    """What has to stay so for a time triggers after it, if it did."""
    runs = await _set_up(home, "unplugged", **{"for": "00:02:00"})
    await _be(home, Vehicle.unplug)
    await home.advance(MINUTE)
    await _be(home, meanwhile)
    assert not runs
    await home.advance(MINUTE)
    assert len(runs) == expected


def _target(home: Home, kind: str) -> str:
    """Return what can be chosen to mean the car."""
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
    """A car can be meant by its area, its floor, its label, its device or the entity itself."""
    trigger = {"trigger": f"{DOMAIN}.unplugged", "target": {kind: _target(home, kind)}}
    runs = await home.automate({"triggers": trigger, "actions": []})
    await _be(home, Vehicle.unplug)
    assert len(runs) == 1


# A wait goes on while the car is unavailable


async def _close(home: Home) -> None:
    """Unload the account, as the first half of a reload."""
    await home.hass.config_entries.async_unload(home.entry.entry_id)
    await home.idle()


async def _open(home: Home) -> None:
    """Set the account up, as the second half of a reload."""
    await home.hass.config_entries.async_setup(home.entry.entry_id)
    await home.idle()


OUTAGE: Final = {"for": "00:30:00"}


async def _lose_service(home: Home) -> None:
    """Let the service be down for 40 minutes, so that the cars become unavailable."""
    home.simulator.faults.answer(502, times=10_000)
    await home.advance(40 * MINUTE, step=5 * MINUTE)
    assert home.hass.states.is_state(_rests_on(home, "left_unlocked"), STATE_UNAVAILABLE)


async def _restore_service(home: Home) -> None:
    """Let the service answer again, and read the cars."""
    home.simulator.faults.clear()
    await home.poll()


@pytest.mark.parametrize("options", [{}, {"for": "00:03:00"}], ids=["default", "for"])
@pytest.mark.parametrize("key", ["fell_asleep", "left_unlocked"])
async def test_reload_keeps_wait(key: str, options: dict[str, str], home: Home) -> None:
    """A wait that runs during a reload ends when it would have ended without the reload, and only once."""
    minutes = 3 if options else {"fell_asleep": 2, "left_unlocked": 5}[key]
    runs = await _set_up(home, key, **options)
    await _be(home, SCENES[key].happens)
    await home.advance(MINUTE / 2)
    await home.restart()
    await home.advance((minutes - 1) * MINUTE)
    assert not runs
    await home.advance(MINUTE)
    assert len(runs) == 1
    assert runs[0].data["source"] == f"state of {_rests_on(home, key)}"
    await home.restart()
    await home.advance(LONG_ENOUGH, step=30)
    assert len(runs) == 1


async def test_wait_ends_during_reload(home: Home) -> None:
    """A wait that ends during a reload triggers once the car is back, and not before."""
    runs = await _set_up(home, "left_unlocked")
    await _be(home, Vehicle.unlock)
    await _close(home)
    await home.advance(LONG_ENOUGH, step=30)
    assert not runs
    await _open(home)
    assert len(runs) == 1
    await home.restart()
    await home.advance(LONG_ENOUGH, step=30)
    assert len(runs) == 1


@pytest.mark.parametrize(
    ("meanwhile", "expected"), [(_nothing, 1), (Vehicle.lock, 0)], ids=["still unlocked", "locked"]
)
async def test_wait_ends_during_outage(meanwhile: Doing, expected: int, home: Home) -> None:
    """A wait that ends while the service is down triggers if the car is in the same state afterwards."""
    runs = await _set_up(home, "left_unlocked", **OUTAGE)
    await _be(home, Vehicle.unlock)
    await _lose_service(home)
    meanwhile(home.car)
    assert not runs
    await _restore_service(home)
    assert len(runs) == expected
    await home.advance(40 * MINUTE, step=5 * MINUTE)
    assert len(runs) == expected


async def test_wait_outlasts_outage(home: Home) -> None:
    """A wait that ends after an outage triggers when it would have triggered without the outage."""
    runs = await _set_up(home, "left_unlocked", **{"for": "00:50:00"})
    await _be(home, Vehicle.unlock)
    await _lose_service(home)
    await _restore_service(home)
    await home.advance(9 * MINUTE, step=30)
    assert not runs
    await home.advance(MINUTE)
    assert len(runs) == 1


async def test_wait_is_cancelled_after_reload(home: Home) -> None:
    """A car that is back in another state cancels the wait. The next change starts a full one."""
    runs = await _set_up(home, "left_unlocked")
    await _be(home, Vehicle.unlock)
    await home.advance(3 * MINUTE)
    await _close(home)
    home.car.lock()
    await _open(home)
    await _be(home, _nothing, Vehicle.unlock)
    await home.advance(4 * MINUTE)
    assert not runs
    await home.advance(MINUTE)
    assert len(runs) == 1


async def test_wait_while_unknown(home: Home) -> None:
    """A wait goes on while the car leaves the value out, and triggers only once the value is known."""
    runs = await _set_up(home, "left_unlocked")
    await _be(home, Vehicle.unlock)
    home.simulator.faults.remove(VehicleState.locked.path)
    await home.poll()
    assert home.shown("binary_sensor", f"{VehicleState.locked.path}.left").state == STATE_UNKNOWN
    await home.advance(LONG_ENOUGH, step=30)
    assert not runs
    home.simulator.faults.clear()
    await home.poll()
    assert len(runs) == 1


async def test_reload_starts_no_wait(home: Home) -> None:
    """A car that was unlocked before the automation started triggers nothing after a reload."""
    await _be(home, Vehicle.unlock)
    runs = await _set_up(home, "left_unlocked")
    await home.restart()
    await home.advance(LONG_ENOUGH, step=30)
    assert not runs


async def test_removed_entity_cancels_wait(home: Home) -> None:
    """An entity that is removed while it is unavailable cancels the wait, also if it is added again."""
    runs = await _set_up(home, "left_unlocked")
    await _be(home, Vehicle.unlock)
    await _close(home)
    er.async_get(home.hass).async_remove(_rests_on(home, "left_unlocked"))
    await home.idle()
    await _open(home)
    await home.advance(LONG_ENOUGH, step=30)
    assert not runs


async def test_for_in_templates(home: Home) -> None:
    """An automation can use the time that a change lasted in its templates."""
    lasted = async_capture_events(home.hass, "lasted")
    action = {"event": "lasted", "event_data": {"for": "{{ trigger.for }}"}}
    trigger = {"trigger": f"{DOMAIN}.left_unlocked", "target": {"area_id": home.put_into_garage()}}
    await home.automate({"triggers": trigger, "actions": [action]})
    await _be(home, Vehicle.unlock)
    await home.advance(5 * MINUTE)
    assert [event.data for event in lasted] == [{"for": "0:05:00"}]


async def test_moved_car_cancels_wait(home: Home) -> None:
    """A car that leaves the targeted area cancels the wait."""
    runs = await _set_up(home, "left_unlocked")
    await _be(home, Vehicle.unlock)
    dr.async_get(home.hass).async_update_device(home.device.id, area_id=None)
    await home.advance(LONG_ENOUGH, step=30)
    assert not runs


async def test_stopped_automation_cancels_wait(home: Home) -> None:
    """An automation that is turned off loses its wait, and leaves no listeners behind."""
    runs = await _set_up(home, "left_unlocked")
    await _be(home, Vehicle.unlock)
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
    """Of two cars that are unavailable when a wait ends, each counts as it is afterwards."""
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
    """A second car that is left unlocked while the first is unavailable does not restart the wait."""
    first, second = home.simulator.vehicles
    runs = await _set_up(home, "left_unlocked", behavior="first")
    first.unlock()
    await home.poll()
    await home.advance(3 * MINUTE)
    home.hass.states.async_set(_rests_on(home, "left_unlocked"), STATE_UNAVAILABLE)
    second.unlock()
    await home.poll()
    assert home.hass.states.is_state(_rests_on(home, "left_unlocked"), STATE_UNAVAILABLE)
    assert not runs
    await home.advance(2 * MINUTE)
    assert len(runs) == 1


# In the automation editor


async def _offered(home: Home, device_id: str | None) -> set[str]:
    """Return those of our triggers that the automation editor offers for a device."""
    target = {"device_id": device_id}
    offered = await async_get_triggers_for_target(home.hass, target, expand_group=False)
    return {each.removeprefix(f"{DOMAIN}.") for each in offered if each.startswith(DOMAIN)}


async def test_offered(home: Home) -> None:
    """For a car, all of its triggers are offered."""
    assert await _offered(home, home.device.id) == set(TRIGGERS)


async def test_not_offered(home: Home) -> None:
    """For another brand's car, none of ours are."""
    assert not await _offered(home, home.plug_of_another_brand().device_id)


def _fields(key: str) -> dict[str, Any]:
    fields: dict[str, Any] = load_yaml_dict(str(HOUSE / "triggers.yaml"))[key]["fields"]
    return fields


@pytest.mark.parametrize("key", TRIGGERS)
async def test_options(key: str, hass: HomeAssistant) -> None:
    """A trigger takes the options that its description names, and no others."""
    with patch.object(common, "_get_yaml_fields", return_value=_fields(key)):
        await common.assert_trigger_options_supported(
            hass, f"{DOMAIN}.{key}", None, supports_behavior=True, supports_duration=True
        )


@pytest.mark.parametrize("key", TRIGGERS)
async def test_defaults(key: str, hass: HomeAssistant) -> None:
    """What is left out in YAML is what the automation editor begins with."""
    config = {"platform": f"{DOMAIN}.{key}", "target": {"area_id": "garage"}}
    options = (await async_validate_trigger_config(hass, [config]))[0]["options"]
    default = {name: field["default"] for name, field in _fields(key).items()}
    assert options == {**default, "for": cv.time_period(default["for"])}


@pytest.mark.skipif(not hasattr(common, "TargetSupport"), reason="This check came with 2026.10.")
def test_targets_are_left_to_home_assistant() -> None:
    """What a target means is decided as for Home Assistant's own triggers; ours only leave things out."""
    changes = {key: trigger.change for key, trigger in TRIGGERS.items()}
    common.assert_triggers_target_support(changes, dict.fromkeys(TRIGGERS, common.TargetSupport.STANDARD))
