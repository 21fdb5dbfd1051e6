"""The triggers and conditions that the automation editor offers for a car and its entities, and options."""

from contextlib import nullcontext
from typing import Any, Final
from unittest.mock import patch

from homeassistant.components.websocket_api.automation import (
    async_get_conditions_for_target,
    async_get_triggers_for_target,
)
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.condition import async_validate_condition_config
from homeassistant.helpers.trigger import async_validate_trigger_config
from homeassistant.util.yaml import load_yaml_dict
import pytest
from pytest_homeassistant_custom_component.components import common
import voluptuous as vol

from custom_components.vehicle_remote_access.api.records import ChargeState, DriveState, Vehicle, VehicleState
from custom_components.vehicle_remote_access.condition import CONDITIONS
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.trigger import (
    ARRIVAL_TRIGGERS,
    LOG_TRIGGERS,
    PLAN_TRIGGERS,
    TRIGGERS,
)

from .conftest import Home
from .source import INTEGRATION

FINDERS: Final = {"triggers": async_get_triggers_for_target, "conditions": async_get_conditions_for_target}
KEYS: Final = {
    "triggers": {*TRIGGERS, *LOG_TRIGGERS, *PLAN_TRIGGERS, *ARRIVAL_TRIGGERS},
    "conditions": {*CONDITIONS},
}
ARRIVING: Final = {"triggers": "arriving_home", "conditions": "is_arriving_home"}
# Entity → the triggers or conditions that depend on it
ENTITIES: Final = {
    "triggers": {
        ("binary_sensor", ChargeState.conn_charge_cable.path): {"plugged_in", "unplugged"},
        ("binary_sensor", DriveState.shift_state.path): {
            "started_driving",
            "parked",
            "arriving_home",
        },
        ("binary_sensor", f"{VehicleState.locked.path}.left"): {"left_unlocked"},
        ("binary_sensor", f"{VehicleState.fd_window.path}.left"): {"windows_left_open"},
        ("binary_sensor", f"{VehicleState.tpms_soft_warning_fl.path}.any"): {"tire_pressure_low"},
        ("event", "log.drive"): {"drive_ended"},
        ("event", "log.charge"): {"charge_ended"},
        ("sensor", "charging_plan.start"): {"charging_plan_too_late"},
        ("sensor", Vehicle.state.path): {"fell_asleep", "woke_up"},
        ("sensor", ChargeState.charging_state.path): {"charging_completed", "charging_interrupted"},
    },
    "conditions": {
        ("binary_sensor", ChargeState.conn_charge_cable.path): {"is_plugged_in"},
        ("binary_sensor", ChargeState.charging_state.path): {"is_charging"},
        ("binary_sensor", DriveState.shift_state.path): {"is_driving", "is_arriving_home"},
        ("sensor", Vehicle.state.path): {"is_asleep"},
        ("sensor", ChargeState.battery_level.path): {"is_at_charge_limit"},
    },
}

pytestmark = [pytest.mark.parametrize("kind", FINDERS), pytest.mark.parametrize("service", ["tessie"])]


async def _offered(home: Home, kind: str, **target: Any) -> set[str]:
    """Return the triggers or conditions of this integration that are offered for a target."""
    offered = await FINDERS[kind](home.hass, target, expand_group=False)
    return {key.removeprefix(f"{DOMAIN}.") for key in offered if key.startswith(f"{DOMAIN}.")}


async def test_offered_for_a_car(kind: str, home: Home) -> None:
    """The editor offers everything for a car, and nothing for a car of another integration."""
    assert await _offered(home, kind, device_id=home.device.id) == KEYS[kind]
    assert not await _offered(home, kind, device_id=home.plug_of_another_brand().device_id)


async def test_offered_for_an_entity(entity_registry_enabled_by_default: None, kind: str, home: Home) -> None:
    """The editor finds one entity of a car for each of them. It can't count by integration."""
    expected = {home.entity_id(*entity): keys for entity, keys in ENTITIES[kind].items()}
    for entity_id in home.states():
        assert await _offered(home, kind, entity_id=entity_id) == expected.get(entity_id, set()), entity_id
    descriptions = load_yaml_dict(str(INTEGRATION / f"{kind}.yaml"))
    assert not [key for key in KEYS[kind] if "integration" in descriptions[key]["target"]["entity"][0]]


async def test_options_are_the_described_ones(kind: str, home: Home) -> None:
    descriptions = load_yaml_dict(str(INTEGRATION / f"{kind}.yaml"))
    for key in KEYS[kind] - {*LOG_TRIGGERS, *PLAN_TRIGGERS, ARRIVING[kind]}:
        name, fields = f"{DOMAIN}.{key}", descriptions[key]["fields"]
        offers: dict[str, Any] = {"supports_behavior": True, "supports_duration": key != "is_at_charge_limit"}
        config, default = {"target": {"area_id": "garage"}}, {"behavior": fields["behavior"]["default"]}
        with patch.object(common, "_get_yaml_fields", return_value=fields):
            if kind == "triggers":
                await common.assert_trigger_options_supported(home.hass, name, None, **offers)
                (valid,) = await async_validate_trigger_config(home.hass, [{"platform": name, **config}])
                default["for"] = cv.time_period(fields["for"]["default"])
            else:
                await common.assert_condition_options_supported(home.hass, name, None, **offers)
                valid = await async_validate_condition_config(home.hass, {"condition": name, **config})
        assert valid["options"] == default, key


@pytest.mark.parametrize(
    ("minutes", "is_valid"), [(None, True), (1, True), (10, True), (0, False), (11, False)]
)
async def test_minutes_before_the_arrival(
    kind: str, minutes: int | None, *, is_valid: bool, home: Home
) -> None:
    key, options = ARRIVING[kind], {} if minutes is None else {"minutes": minutes}
    described = load_yaml_dict(str(INTEGRATION / f"{kind}.yaml"))[key]["fields"]["minutes"]
    config: Any = {"target": {"area_id": "garage"}, "options": options}
    name = f"{DOMAIN}.{key}"
    with nullcontext() if is_valid else pytest.raises(vol.Invalid):
        if kind == "triggers":
            (valid,) = await async_validate_trigger_config(home.hass, [{"platform": name, **config}])
        else:
            valid = await async_validate_condition_config(home.hass, {"condition": name, **config})
        assert valid["options"]["minutes"] == (minutes or described["default"])
    number, value = described["selector"]["number"], 2 if minutes is None else minutes
    assert (number["min"] <= value <= number["max"]) is is_valid
