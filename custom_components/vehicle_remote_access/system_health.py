"""System health: totals of all accounts. Sends no requests."""

from typing import Any

from homeassistant.components.system_health import SystemHealthRegistration
from homeassistant.core import HomeAssistant, callback

from .const import DOMAIN
from .coordinator import AccountCoordinator
from .polling.modes import Mode


@callback
def async_register(hass: HomeAssistant, register: SystemHealthRegistration) -> None:
    register.async_register_info(_info)


async def _info(hass: HomeAssistant) -> dict[str, Any]:
    """Return totals of the loaded accounts, without addresses and names."""
    accounts: list[AccountCoordinator] = [
        entry.runtime_data for entry in hass.config_entries.async_loaded_entries(DOMAIN)
    ]
    coordinators = [coordinator for account in accounts for coordinator in account.vehicles.values()]
    # Before the first command, it is unknown whether the command URL works.
    reachable = [account.provider.is_command_url_reachable for account in accounts]
    command_urls = [url for url in reachable if url is not None]
    return {
        "accounts": len(hass.config_entries.async_entries(DOMAIN)),
        "services": f"{sum(account.is_reachable is True for account in accounts)}/{len(accounts)}",
        **({"command_urls": f"{sum(command_urls)}/{len(command_urls)}"} if command_urls else {}),
        "vehicles": len(coordinators),
        "asleep": sum(coordinator.plan.mode is Mode.ASLEEP for coordinator in coordinators),
        "requests_today": sum(account.requests.today for account in accounts),
    }
