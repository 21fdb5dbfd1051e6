"""Diagnostics for a bug report: everything the cars reported, without names, places, and secrets."""

from collections.abc import Mapping
import re
from typing import Any, Final

from homeassistant.components.diagnostics import REDACTED, async_redact_data
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.helpers.device_registry import DeviceEntry
from homeassistant.helpers.json import json_bytes
from homeassistant.util.json import json_loads_object

from .account.provider import service_type_of
from .api.fields import Record
from .api.records import FIELDS, Vehicle
from .api.redaction import Secrets
from .api.value_types import snake_case
from .const import CONF_SIMULATOR, DOMAIN
from .coordinator import AccountCoordinator, VehicleConfigEntry
from .device_info import simulation_identifier
from .vehicle.coordinator import VehicleCoordinator

_PRIVATE: Final = frozenset(field.name for field in FIELDS if field.private)
# Shorter values occur in other values by chance. They are redacted by their key alone.
_SHORTEST_SECRET: Final = 6
_KNOWN_STATES: Final = frozenset({word for field in FIELDS for word in field.value_type.options})
_FIELD_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")


async def async_get_config_entry_diagnostics(
    hass: HomeAssistant, entry: VehicleConfigEntry
) -> dict[str, Any]:
    if entry.state is not ConfigEntryState.LOADED:
        return _unloaded(entry)
    account = entry.runtime_data
    secrets = _secrets_of(account)
    return {
        "account": {
            "has_list": account.provider.has_list,
            "has_records": account.provider.has_records,
            "service": account.provider.type.key,
            "is_command_url_reachable": account.provider.is_command_url_reachable,
            "is_simulated": account.provider.simulator is not None,
            "is_reachable": account.is_reachable,
            "requests_today": account.requests.today,
        },
        "vehicles": [_vehicle(coordinator, secrets) for coordinator in account.vehicles.values()],
    }


async def async_get_device_diagnostics(
    hass: HomeAssistant, entry: VehicleConfigEntry, device: DeviceEntry
) -> dict[str, Any]:
    """Return diagnostics of one car, or of all cars for the account's own device."""
    if entry.state is not ConfigEntryState.LOADED or (DOMAIN, entry.entry_id) in device.identifiers:
        return await async_get_config_entry_diagnostics(hass, entry)
    account = entry.runtime_data
    secrets = _secrets_of(account)
    vehicles = [
        _vehicle(coordinator, secrets)
        for coordinator in account.vehicles.values()
        if device.identifiers & {(DOMAIN, coordinator.vin), simulation_identifier(coordinator.vin)}
    ]
    return {"vehicles": vehicles}


def _unloaded(entry: VehicleConfigEntry) -> dict[str, Any]:
    """Return diagnostics of an account that is not loaded, for example because its service is down."""
    vehicles = ([subentry.data, subentry.title] for subentry in entry.subentries.values())
    secrets = Secrets([entry.data, *vehicles], REDACTED, _SHORTEST_SECRET)
    return {
        "account": {
            "service": service_type_of(entry.data).key,
            "is_simulated": CONF_SIMULATOR in entry.data,
            "options": dict(entry.options),
            "state": entry.state.value,
            "reason": entry.reason and secrets.redact(entry.reason),
        },
        "vehicles": [],
    }


def _vehicle(coordinator: VehicleCoordinator, secrets: Secrets) -> dict[str, Any]:
    plan, actor = coordinator.plan, coordinator.charging_actor
    own = {
        "is_available": coordinator.is_available,
        "last_update_success": coordinator.last_update_success,
        "mode": plan.mode,
        "next_read": plan.due_at,
        "reason": plan.reason,
        "meter": coordinator.log.meter.as_json(),
        "watch": coordinator.known.tracker.as_json(),
        "is_pushing": coordinator.pushed.is_active,
        "unknown_signals": coordinator.pushed.signals.unknown_count,
        "held_back": [field.path for field in coordinator.known.merged.plausibility.held],
        "log": coordinator.log_manager.as_diagnostics(),
        "charging_plan": {**actor.as_json(), "reason": actor.plan.reason},
    }
    return {
        # As JSON, because Home Assistant redacts nothing in tuples
        **async_redact_data(json_loads_object(json_bytes(own)), {*_PRIVATE, "place"}),
        # In the format of the service, so that the simulator can serve it
        "response": _clean_record(coordinator.known.merged.raw, Vehicle, secrets),
    }


def _secrets_of(account: AccountCoordinator) -> Secrets:
    secrets: list[Any] = [account.config_entry.data, *account.provider.secrets]
    for coordinator in account.vehicles.values():
        secrets += [coordinator.title, *(field.get(coordinator.data) for field in FIELDS if field.private)]
    return Secrets(secrets, REDACTED, _SHORTEST_SECRET)


def _clean_record(raw: Mapping[str, Any], record: type[Record] | None, secrets: Secrets) -> dict[str, Any]:
    """Redact private fields, and unknown fields that may be. Without a `record`, all fields are unknown."""
    fields = {field.name for field in record.fields} if record else set()
    nested = {inner.name: inner.record for inner in record.nested} if record else {}
    cleaned: dict[str, Any] = {}
    for position, (key, value) in enumerate(raw.items(), start=1):
        # A key that is not a field name is data, for example the name of a person or of a Wi-Fi network.
        is_field_name = key in fields or (_FIELD_NAME.fullmatch(key) and not secrets.is_in(key))
        name = key if is_field_name or key in nested else f"{REDACTED} (name {position})"
        if isinstance(value, Mapping) and key not in _PRIVATE:
            cleaned[name] = _clean_record(value, nested.get(key), secrets)
        else:
            cleaned[name] = _clean(key, value, secrets, is_known=key in fields)
    return cleaned


def _clean(key: str, value: Any, secrets: Secrets, *, is_known: bool) -> Any:
    """Redact a value that is private or unknown, or else the secrets in a text or a number."""
    if value is None:
        return None
    if key in _PRIVATE:
        return REDACTED
    if isinstance(value, list | tuple) or not (is_known or _is_harmless(value)):
        return f"{REDACTED} ({type(value).__name__})"
    if isinstance(value, str):
        return secrets.redact(value)
    return REDACTED if secrets.is_in(str(value)) else value


def _is_harmless(value: Any) -> bool:
    """Return whether a value is a boolean, also as a number, or a state of some known field."""
    return snake_case(value) in _KNOWN_STATES if isinstance(value, str) else value in (0, 1)
