"""Diagnostics for a bug report: everything the cars reported, without names, places, and secrets."""

from collections.abc import Iterator, Mapping
import re
from typing import Any, Final

from homeassistant.components.diagnostics import REDACTED
from homeassistant.const import CONF_ACCESS_TOKEN
from homeassistant.core import HomeAssistant
from homeassistant.helpers.device_registry import DeviceEntry

from .api.fields import Record
from .api.records import FIELDS, Vehicle
from .api.redaction import Secrets
from .const import CONF_BASE_URL, CONF_COMMAND_URL, DOMAIN
from .coordinator import AccountCoordinator, VehicleConfigEntry
from .device_info import simulation_identifier
from .vehicle.coordinator import VehicleCoordinator

# A newer service may report locations in fields that the table does not know.
_PRIVATE_WORDS: Final = (
    "latitude",
    "longitude",
    "place",
    "token",
    "password",
    "pin_code",
    "email",
    "home_",
    "work_",
    # Parts of an address. They are too short to be redacted by value.
    "house",
    "postal",
    "street",
    "zip",
)
_PRIVATE: Final = frozenset({field.name for field in FIELDS if field.private} | {CONF_ACCESS_TOKEN})
_NOT_PRIVATE: Final = frozenset(field.name for field in FIELDS if not field.private)
# Shorter values occur in other values by chance. They are redacted by their key alone.
_SHORTEST_SECRET: Final = 6
_FIELD_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")
# Degrees of a coordinate
_HALF_TURN: Final = 180
# From this value, a number could be a coordinate in millionths of a degree, a phone number, or an ID.
_LARGE: Final = 100_000


async def async_get_config_entry_diagnostics(
    hass: HomeAssistant, entry: VehicleConfigEntry
) -> dict[str, Any]:
    """Return diagnostics of an account and its cars."""
    account = entry.runtime_data
    secrets = _secrets_of(account)
    return {
        "account": {
            "has_list": account.service.has_list,
            "has_records": account.service.has_records,
            "service": account.service.type.key,
            "is_command_url_reachable": account.service.client.is_command_url_reachable,
            "is_simulated": account.service.simulator is not None,
            "is_reachable": account.is_reachable,
            "requests_today": account.requests.today,
        },
        "vehicles": [_vehicle(coordinator, secrets) for coordinator in account.vehicles.values()],
    }


async def async_get_device_diagnostics(
    hass: HomeAssistant, entry: VehicleConfigEntry, device: DeviceEntry
) -> dict[str, Any]:
    """Return diagnostics of one car, or of all cars for the account's own device."""
    account = entry.runtime_data
    if (DOMAIN, entry.entry_id) in device.identifiers:
        return await async_get_config_entry_diagnostics(hass, entry)
    secrets = _secrets_of(account)
    vehicles = [
        _vehicle(coordinator, secrets)
        for coordinator in account.vehicles.values()
        if device.identifiers & {(DOMAIN, coordinator.vin), simulation_identifier(coordinator.vin)}
    ]
    return {"vehicles": vehicles}


def _vehicle(coordinator: VehicleCoordinator, secrets: Secrets) -> dict[str, Any]:
    plan = coordinator.plan
    own = {
        "is_available": coordinator.is_available,
        "last_update_success": coordinator.last_update_success,
        "mode": plan.mode,
        "read_at": plan.due_at,
        "meter": coordinator.log_manager.meter.as_json(),
        "watch": coordinator.status.tracker.as_json(),
        "log": coordinator.log_manager.as_diagnostics(),
    }
    # The response keeps its format, so that the simulator can serve it.
    return {**_clean(own, secrets), "response": _clean_record(coordinator.raw, Vehicle, secrets)}


def _secrets_of(account: AccountCoordinator) -> Secrets:
    """Return the secret values of an account, to redact them everywhere."""
    data = account.config_entry.data
    urls = {str(data.get(key, "")) for key in (CONF_BASE_URL, CONF_COMMAND_URL)}
    secrets = {*account.service.client.tokens, *urls}
    for coordinator in account.vehicles.values():
        secrets |= {coordinator.vin, coordinator.status.path_id, coordinator.title}
        secrets |= set(_private_values(coordinator.raw))
    return Secrets((secret for secret in secrets if len(secret) >= _SHORTEST_SECRET), REDACTED)


def _is_private(key: str) -> bool:
    name = key.lower()
    return key in _PRIVATE or (key not in _NOT_PRIVATE and any(word in name for word in _PRIVATE_WORDS))


def _private_values(value: Any, *, found: bool = False) -> Iterator[str]:
    """Yield the text of every value under a private key."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _private_values(inner, found=found or _is_private(key))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _private_values(inner, found=found)
    elif found and value is not None and not isinstance(value, bool):
        yield str(value)


def _clean(value: Any, secrets: Secrets) -> Any:
    """Redact private keys, and secrets in texts and numbers."""
    if isinstance(value, Mapping):
        return {
            key: REDACTED if inner is not None and _is_private(key) else _clean(inner, secrets)
            for key, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [_clean(inner, secrets) for inner in value]
    if isinstance(value, str):
        return secrets.redact(value)
    return REDACTED if secrets.is_in(str(value)) else value


def _clean_record(raw: Mapping[str, Any], record: type[Record] | None, secrets: Secrets) -> dict[str, Any]:
    """Redact an object of the response. Without a `record`, all its fields are unknown."""
    fields = {field.name for field in record.fields} if record else set()
    nested = {inner.name: inner.record for inner in record.nested} if record else {}
    cleaned = {}
    for position, (key, value) in enumerate(raw.items(), start=1):
        # A key that is not a field name is data, for example the name of a person or of a Wi-Fi network.
        is_name = key in fields or (_FIELD_NAME.fullmatch(key) and not secrets.is_in(key))
        name = key if is_name or key in nested else f"{REDACTED} (name {position})"
        if value is not None and _is_private(key):
            cleaned[name] = REDACTED
        elif key in fields and not isinstance(value, Mapping | list | tuple):
            cleaned[name] = _clean(value, secrets)
        else:
            cleaned[name] = _clean_unknown(value, nested.get(key), secrets)
    return cleaned


def _clean_unknown(value: Any, record: type[Record] | None, secrets: Secrets) -> Any:
    """Redact a value that is not a known field. `record`: the table's record under its key, if any."""
    if isinstance(value, Mapping):
        return _clean_record(value, record, secrets)
    if isinstance(value, list | tuple):
        return [_clean_unknown(inner, None, secrets) for inner in value]
    if isinstance(value, str):
        unit = "character" if len(value) == 1 else "characters"
        return f"{REDACTED} (text, {len(value)} {unit})"
    if isinstance(value, int | float) and not isinstance(value, bool) and not _is_harmless(value):
        return f"{REDACTED} (number)"
    return _clean(value, secrets)


def _is_harmless(number: float) -> bool:
    """Return whether a number can't be a coordinate, a phone number, or an ID."""
    return abs(number) < _LARGE and (number.is_integer() or abs(number) > _HALF_TURN)
