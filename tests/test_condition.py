"""Test the conditions in automations."""

from collections.abc import Callable
from typing import Any, Final
from unittest.mock import patch

from homeassistant.components.automation.const import DOMAIN as AUTOMATION
from homeassistant.components.websocket_api.automation import async_get_conditions_for_target
from homeassistant.const import STATE_ON
from homeassistant.core import Event, HomeAssistant
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.condition import async_validate_condition_config
from homeassistant.util.yaml import load_yaml_dict
import pytest
from pytest_homeassistant_custom_component.components import common

from custom_components.vehicle_remote_access.api.records import ChargeState
from custom_components.vehicle_remote_access.condition import CONDITIONS
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.simulator import SimulatedVehicle

from .conftest import Home, example_in
from .repository.test_architecture import INTEGRATION, ROOT

MINUTE: Final = 60
AT_LIMIT: Final = "is_at_charge_limit"

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


async def _set_up(home: Home, key: str, **options: Any) -> list[Event]:
    """Set up an automation with a condition for the cars in the garage. Return the list of its runs."""
    condition = {"condition": f"{DOMAIN}.{key}", "target": {"area_id": home.put_into_garage()}}
    return await home.automate(
        {"triggers": [], "conditions": {**condition, "options": options}, "actions": []}
    )


async def _passes(home: Home, runs: list[Event]) -> bool:
    """Trigger the automation and return whether its condition passes."""
    before = len(runs)
    data = {"entity_id": "automation.it", "skip_condition": False}
    await home.hass.services.async_call(AUTOMATION, "trigger", data, blocking=True)
    return len(runs) > before


@pytest.mark.parametrize("key", CONDITIONS)
async def test_passes(key: str, home: Home) -> None:
    """A condition passes only while it is true."""
    await _do(home, SimulatedVehicle.unplug)
    runs = await _set_up(home, key)
    assert not await _passes(home, runs)
    await _do(home, MAKES_TRUE[key])
    assert await _passes(home, runs)


@pytest.mark.parametrize("key", CONDITIONS)
async def test_example(key: str, home: Home) -> None:
    """The example in each condition's documentation depends on the state of the car."""
    await _do(home, SimulatedVehicle.unplug)
    home.put_into_garage()
    runs = await home.automate(example_in(ROOT / "docs" / "conditions" / f"{key}.md"))
    before = await _passes(home, runs)
    await _do(home, MAKES_TRUE[key])
    assert await _passes(home, runs) is not before


@pytest.mark.parametrize("behavior", ["any", "all"])
@pytest.mark.parametrize("field", [ChargeState.battery_level, ChargeState.charge_limit_soc])
async def test_unknown_limit(field: Any, behavior: str, home: Home) -> None:
    """A car is not at its limit if its battery level or its limit is unknown."""
    runs = await _set_up(home, AT_LIMIT, behavior=behavior)
    home.simulator.faults.remove(field.path)
    await _do(home, _charge_to_limit)
    assert not await _passes(home, runs)


@pytest.mark.parametrize("is_removed", [True, False])
async def test_no_limit_entity(*, is_removed: bool, home: Home) -> None:
    """A car is not at its limit if the entity of the limit is removed or disabled."""
    runs = await _set_up(home, AT_LIMIT)
    await _do(home, _charge_to_limit)
    limit = home.entity_id("number", ChargeState.charge_limit_soc.path)
    registry = er.async_get(home.hass)
    if is_removed:
        registry.async_remove(limit)
    else:
        registry.async_update_entity(limit, disabled_by=er.RegistryEntryDisabler.USER)
    await home.idle()
    assert not await _passes(home, runs)


async def test_above_limit(home: Home) -> None:
    """A car whose battery level is above its limit is at its limit."""
    runs = await _set_up(home, AT_LIMIT)
    await home.call("number", "set_value", ChargeState.charge_limit_soc.path, value=60)
    assert await _passes(home, runs)


async def test_another_brand(home: Home) -> None:
    """A car of another brand in the same area does not count."""
    await _do(home, SimulatedVehicle.unplug)
    plug = home.plug_of_another_brand()
    runs = await _set_up(home, "is_plugged_in")
    home.hass.states.async_set(plug.entity_id, STATE_ON)
    assert not await _passes(home, runs)


async def test_other_entities(home: Home) -> None:
    """Other entities of the car that have the same state do not count."""
    await _do(home, SimulatedVehicle.unplug, SimulatedVehicle.enter)
    runs = await _set_up(home, "is_plugged_in")
    assert not await _passes(home, runs)


# Options


@pytest.mark.parametrize("cars", [2])
@pytest.mark.parametrize("key", ["is_plugged_in", AT_LIMIT])
@pytest.mark.parametrize(("behavior", "passes_with_one"), [("any", True), ("all", False)])
async def test_two_cars(key: str, behavior: str, *, passes_with_one: bool, home: Home) -> None:
    """With two cars, the condition passes for any of them or only for all of them."""
    for car in home.simulator.vehicles:
        if car.charging.plugged:
            car.unplug()
        car.set_level(40)
    await home.poll()
    runs = await _set_up(home, key, behavior=behavior)
    assert not await _passes(home, runs)
    await _do(home, MAKES_TRUE[key])
    assert await _passes(home, runs) is passes_with_one
    MAKES_TRUE[key](home.simulator.vehicles[1])
    await home.poll()
    assert await _passes(home, runs)


async def test_duration(home: Home) -> None:
    """A condition with a duration passes once it has been true for that duration."""
    await _do(home, SimulatedVehicle.unplug)
    runs = await _set_up(home, "is_plugged_in", **{"for": "00:02:00"})
    await _do(home, SimulatedVehicle.plug_in)
    assert not await _passes(home, runs)
    await home.advance(2 * MINUTE)
    assert await _passes(home, runs)


# In the automation editor


async def _offered(home: Home, device_id: str | None) -> set[str]:
    """Return the integration's conditions that the automation editor offers for a device."""
    target = {"device_id": device_id}
    offered = await async_get_conditions_for_target(home.hass, target, expand_group=False)
    return {condition.removeprefix(f"{DOMAIN}.") for condition in offered if condition.startswith(DOMAIN)}


async def test_offered(home: Home) -> None:
    """The editor offers all conditions for a car."""
    assert await _offered(home, home.device.id) == set(CONDITIONS)


async def test_not_offered_for_another_brand(home: Home) -> None:
    """The editor offers no condition for a car of another brand."""
    assert not await _offered(home, home.plug_of_another_brand().device_id)


async def test_live_result(home: Home) -> None:
    """The editor polls the condition, so its live result stays current."""
    target = {"device_id": home.device.id}
    condition = await common.create_target_condition(
        home.hass, condition=f"{DOMAIN}.{AT_LIMIT}", target=target, behavior="any"
    )
    assert condition.needs_polling


def _fields(key: str) -> dict[str, Any]:
    fields: dict[str, Any] = load_yaml_dict(str(INTEGRATION / "conditions.yaml"))[key]["fields"]
    return fields


@pytest.mark.parametrize("key", CONDITIONS)
async def test_options(key: str, hass: HomeAssistant) -> None:
    """A condition accepts exactly the options in its description."""
    with patch.object(common, "_get_yaml_fields", return_value=_fields(key)):
        await common.assert_condition_options_supported(
            hass, f"{DOMAIN}.{key}", None, supports_behavior=True, supports_duration=key != AT_LIMIT
        )


@pytest.mark.parametrize("key", CONDITIONS)
async def test_defaults(key: str, hass: HomeAssistant) -> None:
    """The defaults in YAML are the defaults in the automation editor."""
    config = {"condition": f"{DOMAIN}.{key}", "target": {"area_id": "garage"}}
    options = (await async_validate_condition_config(hass, config))["options"]
    assert options == {"behavior": _fields(key)["behavior"]["default"]}


@pytest.mark.skipif(not hasattr(common, "TargetSupport"), reason="Requires Home Assistant 2026.10.")
def test_standard_targets() -> None:
    """The conditions select their targets the same way as Home Assistant's own conditions."""
    standard = dict.fromkeys(CONDITIONS, common.TargetSupport.STANDARD)
    common.assert_conditions_target_support(CONDITIONS, standard)
