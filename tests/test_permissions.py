"""Permissions of Home Assistant users for the actions."""

from collections.abc import Mapping
from typing import Any, Final

from homeassistant.auth.const import GROUP_ID_ADMIN, GROUP_ID_READ_ONLY, GROUP_ID_USER
from homeassistant.auth.models import Group, User
from homeassistant.auth.permissions.models import PermissionLookup
from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import Unauthorized, UnknownUser
from homeassistant.helpers import device_registry as dr, entity_registry as er
import pytest

from custom_components.vehicle_remote_access.const import DOMAIN

from .conftest import Home

CONTROL: Final[Mapping[str, dict[str, Any]]] = {
    "remote_start_drive": {"password": "simulated"},
    "set_temps": {"driver_temp": 20},
    "set_valet_mode": {"on": True, "password": "0420"},
    "speed_limit_activate": {"pin": "0420"},
    "speed_limit_deactivate": {"pin": "0420"},
    "speed_limit_clear_pin": {"pin": "0420"},
    "sun_roof_control": {"state": "vent"},
    "upcoming_calendar_entries": {"calendar_data": {}},
}
READ: Final[Mapping[str, dict[str, Any]]] = {
    "get_vehicle_data": {},
    "get_service_data": {},
    "get_mobile_enabled": {},
}
ACCOUNT: Final[Mapping[str, dict[str, Any]]] = {
    "get_vehicle_subscriptions": {"device_type": "ios"},
    "set_vehicle_subscriptions": {"payload": {}},
    "get_notification_preferences": {"device_type": "ios"},
    "set_notification_preferences": {"payload": {}},
    "confirm_notifications": {"payload": {}},
}


@pytest.fixture(autouse=True)
async def owner(hass: HomeAssistant) -> User:
    """The owner of Home Assistant: its first user, with all permissions."""
    return await hass.auth.async_create_user("Owner", group_ids=[GROUP_ID_ADMIN])


async def _user(home: Home, group: str) -> User:
    return await home.hass.auth.async_create_user("Guest", group_ids=[group])


async def _limited_user(home: Home, policy: Mapping[str, Any]) -> User:
    """Return a user with only the permissions of a policy."""
    user = await home.hass.auth.async_create_user("Guest")
    # The user store of the tests was created before the registries.
    user.perm_lookup = PermissionLookup(er.async_get(home.hass), dr.async_get(home.hass))
    user.groups = [Group(name="Limited", policy=dict(policy))]
    user.invalidate_cache()
    return user


async def _act(home: Home, user: User | None, action: str, data: Mapping[str, Any]) -> None:
    """Use an action as a user, or without a user."""
    context = Context(user_id=user.id if user else None)
    target = {"config_entry_id": home.entry.entry_id} if action in ACCOUNT else {"device_id": home.device.id}
    returns = action in READ or action.startswith("get_")
    await home.hass.services.async_call(
        DOMAIN, action, {**target, **data}, blocking=True, return_response=returns, context=context
    )


@pytest.mark.parametrize(("action", "data"), [*CONTROL.items(), *ACCOUNT.items()])
async def test_read_only_user_cannot_control(home: Home, action: str, data: dict[str, Any]) -> None:
    """A user with read-only access cannot use actions that control a car or the account."""
    user = await _user(home, GROUP_ID_READ_ONLY)
    home.simulator.requests.clear()
    with pytest.raises(Unauthorized):
        await _act(home, user, action, data)
    assert not home.requests()


@pytest.mark.parametrize(("action", "data"), READ.items())
async def test_read_only_user_can_read(home: Home, action: str, data: dict[str, Any]) -> None:
    """A user with read-only access can use actions that read a car."""
    await _act(home, await _user(home, GROUP_ID_READ_ONLY), action, data)


@pytest.mark.parametrize(("action", "data"), READ.items())
async def test_read_needs_permission(home: Home, action: str, data: dict[str, Any]) -> None:
    """A user without access to the car cannot read it with an action."""
    user = await _limited_user(home, {"entities": {"domains": {"light": True}}})
    home.simulator.requests.clear()
    with pytest.raises(Unauthorized):
        await _act(home, user, action, data)
    assert not home.requests()


@pytest.mark.parametrize("group", [GROUP_ID_USER, GROUP_ID_ADMIN])
async def test_user_can_control(home: Home, group: str) -> None:
    """A user with control of all entities can use actions that control a car."""
    await _act(home, await _user(home, group), "set_temps", {"driver_temp": 20})
    assert len(home.requests("/set_temps")) == 1


@pytest.mark.parametrize("group", [GROUP_ID_USER, GROUP_ID_READ_ONLY])
@pytest.mark.parametrize(("action", "data"), ACCOUNT.items())
async def test_account_is_for_administrators(
    home: Home, group: str, action: str, data: dict[str, Any]
) -> None:
    """Only administrators can use the actions of the account."""
    user = await _user(home, group)
    home.simulator.requests.clear()
    with pytest.raises(Unauthorized):
        await _act(home, user, action, data)
    assert not home.requests()


async def test_administrator_uses_the_account(home: Home) -> None:
    """An administrator can use the actions of the account."""
    await _act(home, await _user(home, GROUP_ID_ADMIN), "confirm_notifications", {"payload": {}})
    assert len(home.requests("/notification_confirmations")) == 1


@pytest.mark.parametrize(
    ("action", "data"), [("set_temps", {"driver_temp": 20}), ("confirm_notifications", {"payload": {}})]
)
async def test_call_without_a_user(home: Home, action: str, data: dict[str, Any]) -> None:
    """Calls without a user, for example from automations, can use all actions."""
    home.simulator.requests.clear()
    await _act(home, None, action, data)
    assert len(home.requests()) == 1


async def test_unknown_user(home: Home) -> None:
    """A call of a deleted user is refused."""
    user = await _user(home, GROUP_ID_ADMIN)
    await home.hass.auth.async_remove_user(user)
    with pytest.raises(UnknownUser):
        await _act(home, user, "set_temps", {"driver_temp": 20})


@pytest.mark.parametrize("cars", [2])
async def test_permission_for_one_car(home: Home) -> None:
    """A user with control of one car's device can control that car, and no other car."""
    user = await _limited_user(home, {"entities": {"device_ids": {home.device.id: True}}})
    await _act(home, user, "set_temps", {"driver_temp": 20})
    home.simulator.vehicles.reverse()
    with pytest.raises(Unauthorized):
        await _act(home, user, "set_temps", {"driver_temp": 20})
    assert len(home.requests("/set_temps")) == 1


async def test_permission_for_one_entity(home: Home) -> None:
    """Control of a single entity of the car does not allow actions on the car."""
    lock = home.entity_id("lock", "vehicle_state.locked")
    user = await _limited_user(home, {"entities": {"entity_ids": {lock: True}}})
    with pytest.raises(Unauthorized):
        await _act(home, user, "set_valet_mode", {"on": True})
    assert not home.requests("/command/")


async def test_helper_of_another_integration(home: Home) -> None:
    """A helper that another integration adds to the car's device needs no permission."""
    registry = er.async_get(home.hass)
    entities = er.async_entries_for_device(registry, home.device.id)
    user = await _limited_user(
        home, {"entities": {"entity_ids": {entity.entity_id: True for entity in entities}}}
    )
    registry.async_get_or_create("sensor", "utility_meter", "helper", device_id=home.device.id)
    await _act(home, user, "set_temps", {"driver_temp": 20})
    assert len(home.requests("/set_temps")) == 1


async def test_car_without_entities(home: Home) -> None:
    """A car without entities can be controlled only by users with control of all entities."""
    user = await _limited_user(home, {"entities": {"device_ids": {home.device.id: True}}})
    device = home.device
    registry = er.async_get(home.hass)
    for entity in er.async_entries_for_device(registry, device.id, include_disabled_entities=True):
        registry.async_remove(entity.entity_id)
    with pytest.raises(Unauthorized):
        await _act(home, user, "set_temps", {"driver_temp": 20})
