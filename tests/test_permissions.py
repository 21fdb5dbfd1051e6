"""Permissions of Home Assistant users for the actions."""

from collections.abc import Mapping
from typing import Any, Final

from homeassistant.auth.const import GROUP_ID_ADMIN, GROUP_ID_READ_ONLY, GROUP_ID_USER
from homeassistant.auth.models import User
from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import ServiceValidationError, Unauthorized
from homeassistant.helpers import entity_registry as er
import pytest

from custom_components.vehicle_remote_access.const import DOMAIN

from .conftest import Home
from .user_actions import ACCOUNT_ACTIONS, CAR_ACTIONS, READ_ACTIONS

LOG_CHANGES: Final[Mapping[str, Mapping[str, Any]]] = {
    "update_log_entry": {"id": "drive-1", "tag": "private"},
    "merge_drives": {"ids": ["drive-1", "drive-2"]},
    "delete_log_entry": {"id": "drive-1"},
}
CONTROL: Final = {**CAR_ACTIONS, **READ_ACTIONS, **LOG_CHANGES}
ACTIONS: Final = {**CONTROL, "get_log": {}, **ACCOUNT_ACTIONS}


@pytest.fixture(autouse=True)
async def owner(hass: HomeAssistant) -> User:
    """The owner of Home Assistant: its first user, with all permissions."""
    return await hass.auth.async_create_user("Owner", group_ids=[GROUP_ID_ADMIN])


async def _act(home: Home, user: User | None, action: str) -> None:
    is_of_account = action in ACCOUNT_ACTIONS
    target = {"config_entry_id": home.entry.entry_id} if is_of_account else {"device_id": home.device.id}
    await home.hass.services.async_call(
        DOMAIN,
        action,
        {**target, **ACTIONS[action]},
        blocking=True,
        return_response=action.startswith("get_"),
        context=Context(user_id=user.id if user else None),
    )


async def _allowed(home: Home, user: User | None, *actions: str) -> set[str]:
    """Return which of these actions, or of all, the user can use. The others send no request."""
    allowed = set()
    for action in actions or ACTIONS:
        home.simulator.requests.clear()
        try:
            await _act(home, user, action)
        except Unauthorized:
            assert not home.requests()
            continue
        except ServiceValidationError:
            # The log is empty.
            assert action in LOG_CHANGES
        allowed.add(action)
    return allowed


async def test_groups(home: Home) -> None:
    """Readers can read the log, users can also send requests, others can use all actions."""
    for group, allowed in (
        (GROUP_ID_READ_ONLY, {"get_log"}),
        (GROUP_ID_USER, {"get_log", *CONTROL}),
        (GROUP_ID_ADMIN, {*ACTIONS}),
        (None, {*ACTIONS}),
    ):
        user = await home.hass.auth.async_create_user("Guest", group_ids=[group]) if group else None
        assert await _allowed(home, user) == allowed, group


async def test_deleted_user_is_refused(home: Home) -> None:
    user = await home.hass.auth.async_create_user("Guest", group_ids=[GROUP_ID_ADMIN])
    await home.hass.auth.async_remove_user(user)
    with pytest.raises(Unauthorized):
        await _act(home, user, "set_temps")


@pytest.mark.parametrize("cars", [2])
async def test_control_of_one_car_allows_only_actions_for_it_and_none_without_entities(home: Home) -> None:
    user = await home.limited_user({"device_ids": {home.device.id: True}})
    of_car = {"set_temps", "get_mobile_enabled"}
    assert await _allowed(home, user, *of_car, "confirm_notifications") == of_car
    home.simulator.vehicles.reverse()
    assert await _allowed(home, user, *of_car) == set()
    home.simulator.vehicles.reverse()
    registry = er.async_get(home.hass)
    for entity in er.async_entries_for_device(registry, home.device.id, include_disabled_entities=True):
        registry.async_remove(entity.entity_id)
    assert await _allowed(home, user, *of_car) == set()


async def test_permission_for_entities(home: Home) -> None:
    """Actions need permission for all entities of the car, but not for helpers of other integrations."""
    registry = er.async_get(home.hass)
    lock = home.entity_id("lock", "vehicle_state.locked")
    entities = er.async_entries_for_device(registry, home.device.id)
    one = await home.limited_user({"entity_ids": {lock: True}})
    every = await home.limited_user({"entity_ids": {entity.entity_id: True for entity in entities}})
    registry.async_get_or_create("sensor", "utility_meter", "helper", device_id=home.device.id)
    assert await _allowed(home, one, "set_temps") == set()
    assert await _allowed(home, every, "set_temps") == {"set_temps"}
