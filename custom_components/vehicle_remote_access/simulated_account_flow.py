"""The steps of the config flow that add a simulated account, with or without the past of its cars."""

from abc import abstractmethod
import asyncio
from collections.abc import Mapping, Sequence
from itertools import count
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from homeassistant.config_entries import ConfigFlow, ConfigFlowResult
from homeassistant.helpers.importlib import async_import_module

from .account.discovery import DiscoveredVehicle, configured_vins, fetch_vehicles
from .const import (
    CONF_KEEP_POSITIONS,
    CONF_SEED,
    CONF_SIMULATOR,
    CONF_WITH_PAST,
    DOMAIN,
)
from .schemas import SIMULATOR_SCHEMA
from .subentry_flow import VehicleByIdFlow

if TYPE_CHECKING:
    # Imported at run time only for simulated accounts.
    from .simulated_past import Past


class SimulatedAccountFlow(VehicleByIdFlow[ConfigFlowResult], ConfigFlow):
    """Adds a simulated account."""

    _data: dict[str, Any]
    """The data of the account, as far as it is known."""
    _vehicles: list[DiscoveredVehicle]
    """The vehicles of the account."""
    _past: asyncio.Task[Past] | None = None
    """Creates the past of simulated vehicles."""

    @abstractmethod
    def _create_account(
        self,
        vehicles: Sequence[DiscoveredVehicle],
        entered: Mapping[str, Any],
        vehicle_options: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    ) -> ConfigFlowResult:
        """Create the account with the entered options. `vehicle_options`: those of vehicles, by VIN."""

    async def async_step_simulator(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask for the number of simulated cars."""
        if user_input is None:
            return self._show(CONF_SIMULATOR, SIMULATOR_SCHEMA)
        with_past = user_input.pop(CONF_WITH_PAST)
        self._entered = {CONF_KEEP_POSITIONS: user_input.pop(CONF_KEEP_POSITIONS)}
        configured = configured_vins(self.hass)
        seeds = count()
        while True:
            self._data = {CONF_SIMULATOR: {**user_input, CONF_SEED: next(seeds)}}
            self._vehicles = await fetch_vehicles(self.hass, self._data) or []
            # Each seed has other cars. The cars of two accounts must differ.
            if configured.isdisjoint(vehicle.vin for vehicle in self._vehicles):
                break
        return await (self.async_step_past() if with_past else self.async_step_simulated_account())

    async def async_step_past(self, _user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Show the progress of creating the past of simulated cars."""
        if self._past is None:
            # Imported only for simulated accounts
            module = await async_import_module(self.hass, f"{__package__}.simulated_past")
            self._past = self.hass.async_create_background_task(
                module.async_create_past(
                    self.hass,
                    self._data[CONF_SIMULATOR],
                    self.async_update_progress,
                    keep_positions=self._entered[CONF_KEEP_POSITIONS],
                ),
                f"{DOMAIN} past",
            )
        if not self._past.done():
            return self.async_show_progress(step_id="past", progress_action="past", progress_task=self._past)
        return self.async_show_progress_done(next_step_id="simulated_account")

    async def async_step_simulated_account(
        self, _user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Create the simulated account."""
        past = None if self._past is None else await self._past
        if not configured_vins(self.hass).isdisjoint(vehicle.vin for vehicle in self._vehicles):
            # Another flow added them in the meantime.
            return self.async_abort(reason="already_configured")
        if past is None:
            return self._create_account(self._vehicles, self._entered)
        past.hand_over(self.hass, self._data[CONF_SIMULATOR])
        return self._create_account(self._vehicles, self._entered, past.options)
