"""Conditions in automations: when they pass, their options and targets, and the automation editor."""

from collections.abc import Callable
from typing import Any, Final

from homeassistant.components.automation.const import DOMAIN as AUTOMATION
from homeassistant.const import STATE_ON
from homeassistant.core import Event
import pytest
from pytest_homeassistant_custom_component.common import async_capture_events
from pytest_homeassistant_custom_component.components import common

from custom_components.vehicle_remote_access.api.fields import Field
from custom_components.vehicle_remote_access.api.records import ChargeState
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.simulator import SimulatedVehicle

from .conftest import MINUTE, Home, examples_in

AT_LIMIT: Final = "is_at_charge_limit"
LIMIT: Final = ("number", ChargeState.charge_limit_soc.path)

type CarAction = Callable[[SimulatedVehicle], Any]


def _charge_to_limit(car: SimulatedVehicle) -> None:
    car.set_level(car.charging.limit)


MAKES_TRUE: Final[dict[str, CarAction]] = {
    "is_plugged_in": SimulatedVehicle.plug_in,
    "is_charging": SimulatedVehicle.plug_in,
    "is_asleep": SimulatedVehicle.fall_asleep,
    "is_driving": lambda car: car.drive(miles=100),
    AT_LIMIT: _charge_to_limit,
}


async def _do(home: Home, *actions: CarAction) -> None:
    """Perform the actions on the first car, then read the car."""
    for action in actions:
        action(home.car)
    await home.advance(10)
    await home.poll()


async def _set_up(home: Home, *keys: str, **options: Any) -> list[Event]:
    """Set up an automation that fires an event for each of these conditions, or of all, that is true."""
    target = {"area_id": home.put_into_garage()}
    actions = [
        {
            "if": {"condition": f"{DOMAIN}.{key}", "target": target, "options": options},
            "then": {"event": "passed", "event_data": {"key": key}},
        }
        for key in keys or MAKES_TRUE
    ]
    await home.automate({"triggers": [], "actions": actions})
    events: list[Event] = async_capture_events(home.hass, "passed")
    return events


async def _true(home: Home, events: list[Event]) -> set[str]:
    """Run the automation. Return the conditions that are true, by the new events."""
    events.clear()
    data = {"entity_id": "automation.it", "skip_condition": False}
    await home.hass.services.async_call(AUTOMATION, "trigger", data, blocking=True)
    await home.idle()
    return {event.data.get("key", "") for event in events}


async def test_condition_passes_only_while_it_is_true(home: Home) -> None:
    await _do(home, SimulatedVehicle.unplug, SimulatedVehicle.enter)
    # A car of another brand in the same area does not count.
    plug = home.plug_of_another_brand()
    events = await _set_up(home)
    home.hass.states.async_set(plug.entity_id, STATE_ON)
    assert await _true(home, events) == set()
    await _do(home, MAKES_TRUE["is_driving"])
    assert await _true(home, events) == {"is_driving"}
    await _do(home, SimulatedVehicle.stop, SimulatedVehicle.plug_in)
    assert await _true(home, events) == {"is_plugged_in", "is_charging"}
    await home.call(LIMIT[0], "set_value", LIMIT[1], value=60)  # The battery level is 72 %.
    await _do(home)
    assert await _true(home, events) == {"is_plugged_in", AT_LIMIT}
    await _do(home, SimulatedVehicle.unplug, _charge_to_limit, SimulatedVehicle.leave)
    assert await _true(home, events) == {AT_LIMIT}
    await _do(home, SimulatedVehicle.fall_asleep)
    assert await _true(home, events) == {"is_asleep", AT_LIMIT}


@pytest.mark.parametrize("key", MAKES_TRUE)
async def test_documented_example_depends_on_the_state_of_the_car(key: str, home: Home) -> None:
    await _do(home, SimulatedVehicle.unplug)
    home.put_into_garage()
    runs = await home.automate(examples_in(f"conditions/{key}.md")[0])
    passed = bool(await _true(home, runs))
    await _do(home, MAKES_TRUE[key])
    assert bool(await _true(home, runs)) is not passed


@pytest.mark.parametrize("missing", [ChargeState.battery_level, ChargeState.charge_limit_soc])
async def test_car_is_not_at_its_limit_if_level_or_limit_is_unknown(missing: Field[int], home: Home) -> None:
    events = await _set_up(home, AT_LIMIT, behavior="all")
    home.simulator.faults.remove(missing.path)
    await _do(home, _charge_to_limit)
    assert await _true(home, events) == set()


async def test_unavailable_car_is_not_at_its_limit(home: Home) -> None:
    await _do(home, _charge_to_limit)
    events = await _set_up(home, AT_LIMIT)
    assert await _true(home, events) == {AT_LIMIT}
    home.simulator.faults.answer(502, times=10_000)
    await home.advance(40 * MINUTE, step=5 * MINUTE)
    assert await _true(home, events) == set()


# Options


@pytest.mark.parametrize("cars", [2])
@pytest.mark.parametrize(("behavior", "passes_with_one"), [("any", True), ("all", False)])
async def test_two_cars(behavior: str, *, passes_with_one: bool, home: Home) -> None:
    """A condition for two cars is true for any of them or only for all of them."""
    for car in home.simulator.vehicles:
        if car.charging.plugged:
            car.unplug()
        car.set_level(40)
    await home.poll()
    keys = {"is_plugged_in", AT_LIMIT}
    events = await _set_up(home, *keys, behavior=behavior)
    results = [await _true(home, events)]
    for car in home.simulator.vehicles:
        _charge_to_limit(car)
        car.plug_in()
        await home.poll()
        results.append(await _true(home, events))
    assert results == [set(), keys if passes_with_one else set(), keys]


# In the automation editor


async def test_editor_polls_the_condition(home: Home) -> None:
    of_car = {"condition": f"{DOMAIN}.{AT_LIMIT}", "target": {"device_id": home.device.id}}
    condition = await common.create_target_condition(home.hass, **of_car, behavior="any")
    assert condition.needs_polling
