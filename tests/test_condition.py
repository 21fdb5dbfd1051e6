"""Conditions, as an owner uses them: in automations, with a car that is about something."""

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
from custom_components.vehicle_remote_access.simulator import Vehicle

from .conftest import Home, example_in
from .repository.test_architecture import HOUSE, ROOT

MINUTE: Final = 60
AT_LIMIT: Final = "is_at_charge_limit"

type Doing = Callable[[Vehicle], Any]


def _be_charged(car: Vehicle) -> None:
    car.set_level(car.charging.limit)


BECOMES: Final[dict[str, Doing]] = {
    "is_plugged_in": Vehicle.plug_in,
    "is_charging": Vehicle.plug_in,
    "is_asleep": Vehicle.fall_asleep,
    "is_driving": lambda car: car.drive(miles=100),
    AT_LIMIT: _be_charged,
}


async def _be(home: Home, *doings: Doing) -> None:
    """Do this and that with the first car, and look at it."""
    for doing in doings:
        doing(home.car)
    await home.advance(10)
    await home.poll()


async def _set_up(home: Home, key: str, **options: Any) -> list[Event]:
    """Set up an automation with a condition on what stands in the garage; return what will hold its runs."""
    condition = {"condition": f"{DOMAIN}.{key}", "target": {"area_id": home.put_into_garage()}}
    return await home.automate(
        {"triggers": [], "conditions": {**condition, "options": options}, "actions": []}
    )


async def _passes(home: Home, runs: list[Event]) -> bool:
    """Return whether the automation runs now."""
    before = len(runs)
    data = {"entity_id": "automation.it", "skip_condition": False}
    await home.hass.services.async_call(AUTOMATION, "trigger", data, blocking=True)
    return len(runs) > before


@pytest.mark.parametrize("key", CONDITIONS)
async def test_passes(key: str, home: Home) -> None:
    """A condition passes while it is so, and not before."""
    await _be(home, Vehicle.unplug)
    runs = await _set_up(home, key)
    assert not await _passes(home, runs)
    await _be(home, BECOMES[key])
    assert await _passes(home, runs)


@pytest.mark.parametrize("key", CONDITIONS)
async def test_example(key: str, home: Home) -> None:
    """Whether the example of a condition's page goes on depends on what the car is about."""
    await _be(home, Vehicle.unplug)
    home.put_into_garage()
    runs = await home.automate(example_in(ROOT / "docs" / "conditions" / f"{key}.md"))
    before = await _passes(home, runs)
    await _be(home, BECOMES[key])
    assert await _passes(home, runs) is not before


@pytest.mark.parametrize("behavior", ["any", "all"])
@pytest.mark.parametrize("field", [ChargeState.battery_level, ChargeState.charge_limit_soc])
async def test_limit_not_known(field: Any, behavior: str, home: Home) -> None:
    """A car whose level or limit is not known is not at its limit."""
    runs = await _set_up(home, AT_LIMIT, behavior=behavior)
    home.simulator.faults.remove(field.path)
    await _be(home, _be_charged)
    assert not await _passes(home, runs)


@pytest.mark.parametrize("is_removed", [True, False])
async def test_limit_not_wanted(*, is_removed: bool, home: Home) -> None:
    """A car whose limit the owner does not want to see is not at it."""
    runs = await _set_up(home, AT_LIMIT)
    await _be(home, _be_charged)
    limit = home.entity_id("number", ChargeState.charge_limit_soc.path)
    registry = er.async_get(home.hass)
    if is_removed:
        registry.async_remove(limit)
    else:
        registry.async_update_entity(limit, disabled_by=er.RegistryEntryDisabler.USER)
    await home.idle()
    assert not await _passes(home, runs)


async def test_above_the_limit(home: Home) -> None:
    """A car that was charged beyond its limit elsewhere is at it, and so is one whose limit was lowered."""
    runs = await _set_up(home, AT_LIMIT)
    await home.call("number", "set_value", ChargeState.charge_limit_soc.path, value=60)
    assert await _passes(home, runs)


async def test_another_brand(home: Home) -> None:
    """The plug of another brand in the same garage does not count."""
    await _be(home, Vehicle.unplug)
    plug = home.plug_of_another_brand()
    runs = await _set_up(home, "is_plugged_in")
    home.hass.states.async_set(plug.entity_id, STATE_ON)
    assert not await _passes(home, runs)


async def test_other_entities(home: Home) -> None:
    """Whatever else of the car is in the same state does not count."""
    await _be(home, Vehicle.unplug, Vehicle.enter)
    runs = await _set_up(home, "is_plugged_in")
    assert not await _passes(home, runs)


# Options


@pytest.mark.parametrize("cars", [2])
@pytest.mark.parametrize("key", ["is_plugged_in", AT_LIMIT])
@pytest.mark.parametrize(("behavior", "with_one"), [("any", True), ("all", False)])
async def test_two_cars(key: str, behavior: str, *, with_one: bool, home: Home) -> None:
    """Of two cars, it has to be so of any, or of all."""
    for car in home.simulator.vehicles:
        if car.charging.plugged:
            car.unplug()
        car.set_level(40)
    await home.poll()
    runs = await _set_up(home, key, behavior=behavior)
    assert not await _passes(home, runs)
    await _be(home, BECOMES[key])
    assert await _passes(home, runs) is with_one
    BECOMES[key](home.simulator.vehicles[1])
    await home.poll()
    assert await _passes(home, runs)


async def test_for(home: Home) -> None:
    """What has to have been so for a time passes after it."""
    await _be(home, Vehicle.unplug)
    runs = await _set_up(home, "is_plugged_in", **{"for": "00:02:00"})
    await _be(home, Vehicle.plug_in)
    assert not await _passes(home, runs)
    await home.advance(2 * MINUTE)
    assert await _passes(home, runs)


# In the automation editor


async def _offered(home: Home, device_id: str | None) -> set[str]:
    """Return those of our conditions that the automation editor offers for a device."""
    target = {"device_id": device_id}
    offered = await async_get_conditions_for_target(home.hass, target, expand_group=False)
    return {each.removeprefix(f"{DOMAIN}.") for each in offered if each.startswith(DOMAIN)}


async def test_offered(home: Home) -> None:
    """For a car, all of its conditions are offered."""
    assert await _offered(home, home.device.id) == set(CONDITIONS)


async def test_not_offered(home: Home) -> None:
    """For another brand's car, none of ours are."""
    assert not await _offered(home, home.plug_of_another_brand().device_id)


async def test_shown_live(home: Home) -> None:
    """The editor shows at once, or looks again by itself, whether a car is at its limit."""
    target = {"device_id": home.device.id}
    condition = await common.create_target_condition(
        home.hass, condition=f"{DOMAIN}.{AT_LIMIT}", target=target, behavior="any"
    )
    assert condition.needs_polling


def _fields(key: str) -> dict[str, Any]:
    fields: dict[str, Any] = load_yaml_dict(str(HOUSE / "conditions.yaml"))[key]["fields"]
    return fields


@pytest.mark.parametrize("key", CONDITIONS)
async def test_options(key: str, hass: HomeAssistant) -> None:
    """A condition takes the options that its description names, and no others."""
    with patch.object(common, "_get_yaml_fields", return_value=_fields(key)):
        await common.assert_condition_options_supported(
            hass, f"{DOMAIN}.{key}", None, supports_behavior=True, supports_duration=key != AT_LIMIT
        )


@pytest.mark.parametrize("key", CONDITIONS)
async def test_defaults(key: str, hass: HomeAssistant) -> None:
    """What is left out in YAML is what the automation editor begins with."""
    config = {"condition": f"{DOMAIN}.{key}", "target": {"area_id": "garage"}}
    options = (await async_validate_condition_config(hass, config))["options"]
    assert options == {"behavior": _fields(key)["behavior"]["default"]}


@pytest.mark.skipif(not hasattr(common, "TargetSupport"), reason="This check came with 2026.10.")
def test_targets_are_left_to_home_assistant() -> None:
    """What a target means is decided as for Home Assistant's own conditions; ours only leave things out."""
    standard = dict.fromkeys(CONDITIONS, common.TargetSupport.STANDARD)
    common.assert_conditions_target_support(CONDITIONS, standard)
