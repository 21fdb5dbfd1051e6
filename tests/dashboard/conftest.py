"""Fixtures of the tests of the dashboard: the web interface, and the permissions of its user."""

from collections.abc import Callable

from homeassistant.auth.models import Group
from homeassistant.auth.permissions.models import PermissionLookup
from homeassistant.core import HomeAssistant
from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockUser

type SetGroup = Callable[[Group | None], None]


@pytest.fixture
async def web(hass: HomeAssistant) -> None:
    assert await async_setup_component(hass, "frontend", {})


@pytest.fixture
def set_group(hass: HomeAssistant, hass_admin_user: MockUser) -> SetGroup:
    """Return what changes the user's group. None: one that may see no car."""

    def change(group: Group | None) -> None:
        hass_admin_user.perm_lookup = PermissionLookup(er.async_get(hass), dr.async_get(hass))
        hass_admin_user.groups = [
            group or Group(name="Limited", policy={"entities": {"domains": {"light": True}}})
        ]
        hass_admin_user.invalidate_cache()

    return change
