"""Finds the vehicle that an action or the dashboard names, if the user may use it."""

from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from homeassistant.auth.models import User
from homeassistant.const import ATTR_DEVICE_ID
from homeassistant.core import Context, HomeAssistant, ServiceCall, ServiceResponse
from homeassistant.exceptions import ServiceValidationError, Unauthorized
from homeassistant.helpers import config_validation as cv, device_registry as dr, entity_registry as er
from homeassistant.helpers.service import async_get_config_entry
import voluptuous as vol

from .const import DOMAIN
from .coordinator import VehicleConfigEntry
from .vehicle.coordinator import VehicleCoordinator

type VehicleAction = Callable[[VehicleCoordinator, ServiceCall], Coroutine[Any, Any, ServiceResponse]]
type VehicleActions = Mapping[str, tuple[VehicleAction, vol.Schema]]


def vehicle_schema(fields: Mapping[vol.Marker, Any] | None = None, *checks: Any) -> vol.Schema:
    return vol.Schema(vol.All({vol.Required(ATTR_DEVICE_ID): cv.string, **(fields or {})}, *checks))


async def find_vehicle(
    hass: HomeAssistant, device_id: str, context: Context, policy: str
) -> VehicleCoordinator:
    """Return the coordinator of a device.

    Raises Unauthorized unless the user has POLICY_READ or POLICY_CONTROL for all its enabled entities. A call
    without a user, for example from an automation, always has it.
    """
    devices = dr.async_get(hass)
    for entry in hass.config_entries.async_entries(DOMAIN):
        for subentry in entry.subentries.values():
            identifier = (DOMAIN, str(subentry.unique_id))
            device = devices.async_get_device_by_identifier(identifier, entry.entry_id)
            if device is None or device.id != device_id:
                continue
            if not await may_use(hass, device.id, context, policy):
                raise Unauthorized(context=context, permission=policy)
            loaded: VehicleConfigEntry = async_get_config_entry(hass, DOMAIN, entry.entry_id)
            if (coordinator := loaded.runtime_data.vehicles.get(subentry.subentry_id)) is not None:
                return coordinator
    raise ServiceValidationError(translation_domain=DOMAIN, translation_key="not_a_vehicle")


async def may_use(hass: HomeAssistant, device_id: str, context: Context, policy: str) -> bool:
    if context.user_id is None:
        return True
    user = await hass.auth.async_get_user(context.user_id)
    return user is not None and has_permission(hass, device_id, user, policy)


def has_permission(hass: HomeAssistant, device_id: str, user: User, policy: str) -> bool:
    """Return whether a user has the permission for all enabled entities of the car."""
    if user.permissions.access_all_entities(policy):
        return True
    registered = er.async_entries_for_device(er.async_get(hass), device_id)
    entity_ids = [entity.entity_id for entity in registered if entity.platform == DOMAIN]
    allowed = [user.permissions.check_entity(entity_id, policy) for entity_id in entity_ids]
    return bool(allowed) and all(allowed)
