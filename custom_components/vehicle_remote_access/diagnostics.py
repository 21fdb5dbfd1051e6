"""What a person can send to someone who helps: everything that was read, without who and where."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from homeassistant.components.diagnostics import REDACTED
from homeassistant.const import CONF_ACCESS_TOKEN
from homeassistant.core import HomeAssistant
from homeassistant.helpers.device_registry import DeviceEntry

from .api.records import FIELDS
from .api.secrets import Secrets
from .const import CONF_BASE_URL, DOMAIN
from .coordinator import Account, VehicleConfigEntry, VehicleCoordinator
from .device import simulation_of

# A place is private under any name, and a newer service may have more of them.
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
)
_PRIVATE: Final = frozenset({field.name for field in FIELDS if field.private} | {CONF_ACCESS_TOKEN})
_NOT_PRIVATE: Final = frozenset(field.name for field in FIELDS if not field.private)
# Shorter values stand by chance in others: they are redacted by their key alone.
_SHORTEST_SECRET: Final = 6


async def async_get_config_entry_diagnostics(
    hass: HomeAssistant, entry: VehicleConfigEntry
) -> dict[str, Any]:
    """Return what is known of an account and its cars."""
    account = entry.runtime_data
    return _redacted(
        account,
        {
            "account": {
                "has_list": account.connection.has_list,
                "has_records": account.connection.has_records,
                "is_simulated": account.connection.simulator is not None,
                "is_reachable": account.is_reachable,
                "requests_today": account.requests_today,
            },
            "vehicles": [_vehicle(vehicle) for vehicle in account.vehicles.values()],
        },
    )


async def async_get_device_diagnostics(
    hass: HomeAssistant, entry: VehicleConfigEntry, device: DeviceEntry
) -> dict[str, Any]:
    """Return what is known of one car; from the account's own device, of all."""
    account = entry.runtime_data
    if (DOMAIN, entry.entry_id) in device.identifiers:
        return await async_get_config_entry_diagnostics(hass, entry)
    vehicles = [
        _vehicle(vehicle)
        for vehicle in account.vehicles.values()
        if device.identifiers & {(DOMAIN, vehicle.vin), simulation_of(vehicle.vin)}
    ]
    return _redacted(account, {"vehicles": vehicles})


def _vehicle(vehicle: VehicleCoordinator) -> dict[str, Any]:
    plan = vehicle.plan
    return {
        "is_available": vehicle.is_available,
        "last_update_success": vehicle.last_update_success,
        "mode": plan.mode,
        "read_at": plan.read_at,
        "meter": vehicle.meter.as_json(),
        "watch": vehicle.watch.as_json(),
        # The service's own words, so that the answer can be served again.
        "response": dict(vehicle.raw),
    }


def _redacted(account: Account, report: dict[str, Any]) -> dict[str, Any]:
    """Take out who and where: by key, and every secret value wherever else it stands."""
    data = account.config_entry.data
    secrets = {str(data.get(CONF_ACCESS_TOKEN, "")), str(data.get(CONF_BASE_URL, ""))}
    for vehicle in account.vehicles.values():
        secrets |= {vehicle.vin, vehicle.number, vehicle.title, *_private_values(vehicle.raw)}
    known = Secrets((secret for secret in secrets if len(secret) >= _SHORTEST_SECRET), REDACTED)
    return {key: _clean(value, known) for key, value in report.items()}


def _is_private(key: str) -> bool:
    return key in _PRIVATE or (key not in _NOT_PRIVATE and any(word in key for word in _PRIVATE_WORDS))


def _private_values(value: Any, *, found: bool = False) -> Iterator[str]:
    """Yield the text of everything that stands under a private key."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _private_values(inner, found=found or _is_private(key))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _private_values(inner, found=found)
    elif found and value is not None and not isinstance(value, bool):
        yield str(value)


def _clean(value: Any, secrets: Secrets) -> Any:
    if isinstance(value, Mapping):
        return {
            key: REDACTED if inner is not None and _is_private(key) else _clean(inner, secrets)
            for key, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [_clean(inner, secrets) for inner in value]
    if isinstance(value, str):
        return secrets.concealed(value)
    return REDACTED if secrets.stand_in(str(value)) else value
