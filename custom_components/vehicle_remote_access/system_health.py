"""What the page *System information* says of all accounts together. Nothing is asked for it."""

from typing import Any

from homeassistant.components.system_health import SystemHealthRegistration
from homeassistant.core import HomeAssistant, callback

from .const import DOMAIN
from .coordinator import Account
from .polling.policy import Mode


@callback
def async_register(hass: HomeAssistant, register: SystemHealthRegistration) -> None:
    """Register what is said."""
    register.async_register_info(_info)


async def _info(hass: HomeAssistant) -> dict[str, Any]:
    """Return figures of what is loaded; neither addresses nor names."""
    accounts: list[Account] = [
        entry.runtime_data for entry in hass.config_entries.async_loaded_entries(DOMAIN)
    ]
    vehicles = [vehicle for account in accounts for vehicle in account.vehicles.values()]
    return {
        "accounts": len(hass.config_entries.async_entries(DOMAIN)),
        "services": f"{sum(account.is_reachable is True for account in accounts)}/{len(accounts)}",
        "vehicles": len(vehicles),
        "asleep": sum(vehicle.plan.mode is Mode.ASLEEP for vehicle in vehicles),
        "requests_today": sum(account.requests_today for account in accounts),
    }
