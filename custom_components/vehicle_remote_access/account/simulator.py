"""The simulator of a simulated account, which is imported only for these accounts."""

from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any

from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers.importlib import async_import_module
from homeassistant.util import dt as dt_util

from ..const import CONF_SEED, CONF_VEHICLES

if TYPE_CHECKING:
    # Imported at run time only for simulated accounts.
    from ..simulator import Simulator


async def import_simulator(hass: HomeAssistant) -> ModuleType:
    return await async_import_module(hass, f"{__package__.rpartition('.')[0]}.simulator")


async def create_simulator(
    hass: HomeAssistant, settings: Mapping[str, Any], stored: Any = None, began: float | None = None
) -> Simulator:
    """Return the simulator of an account. `stored`: its state. `began`: where its clock stands still."""
    module = await import_simulator(hass)
    simulator: Simulator = module.Simulator(
        vehicles=int(settings[CONF_VEHICLES]),
        seed=int(settings[CONF_SEED]),
        clock=module.Clock() if began is None else module.ManualClock(began),
        home=module.Home.at(hass.config.latitude, hass.config.longitude, dt_util.get_default_time_zone()),
        routine=True,
        stored=stored,
    )
    return simulator


def tariff_entity_id(settings: Mapping[str, Any]) -> str:
    """Return the entity id that the price sensor of a simulator with these settings will have."""
    return f"{Platform.SENSOR}.simulated_electricity_price_{int(settings[CONF_SEED]) + 1}"
