"""The steps of the config flow that choose the vehicles of a new account, or simulate an account."""

import asyncio
from collections.abc import Mapping, Sequence
from itertools import count
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, override

from homeassistant.config_entries import ConfigFlowResult
from homeassistant.helpers.config_entry_oauth2_flow import AbstractOAuth2FlowHandler
from homeassistant.helpers.importlib import async_import_module
from yarl import URL

from .. import const
from ..account.discovery import DiscoveredVehicle, configured_vins, fetch_vehicles
from .schemas import SIMULATOR_SCHEMA, InvalidInputError, vehicles_schema
from .vehicle_flow import UserInput, VehicleByIdFlow

if TYPE_CHECKING:
    # Imported at run time only for simulated accounts.
    from ..simulated_account.past import Past


class NewAccountFlow(VehicleByIdFlow[ConfigFlowResult], AbstractOAuth2FlowHandler):
    """Adds an account with its vehicles."""

    _past: asyncio.Task[Past] | None = None
    """Creates the past of simulated vehicles."""

    def __init__(self) -> None:
        super().__init__()
        self._data: dict[str, Any] = {}
        """The data of the account, which the steps complete."""
        self._vehicles: list[DiscoveredVehicle] = []

    @property
    @override
    def _account(self) -> Mapping[str, Any]:
        return self._data

    async def async_step_vehicles(self, user_input: UserInput | None = None) -> ConfigFlowResult:
        """Ask which vehicles to add. Another flow may have added some of them in the meantime."""
        configured = configured_vins(self.hass)
        self._vehicles = [vehicle for vehicle in self._vehicles if vehicle.vin not in configured]
        if not self._vehicles:
            return self.async_abort(reason="already_configured")
        errors = {}
        if user_input is None:
            user_input = await self._energy_dashboard_price()
        else:
            try:
                return self._create_selected(user_input)
            except InvalidInputError as error:
                errors = error.errors
        schema = vehicles_schema(self._vehicles, self._service_type, self.hass.states.async_all())
        return self._show("vehicles", schema, errors, user_input)

    def _create_selected(self, user_input: UserInput) -> ConfigFlowResult:
        """Create the account with the selected vehicles. Raises InvalidInputError."""
        entered = dict(user_input)
        path_ids = entered.pop(const.CONF_VEHICLES)
        selected: dict[str, DiscoveredVehicle] = {}
        for vehicle in self._vehicles:
            if vehicle.path_id in path_ids:
                # A vehicle can be listed with two ids. The first one counts.
                selected.setdefault(vehicle.vin, vehicle)
        if not selected:
            raise InvalidInputError(**{const.CONF_VEHICLES: "no_vehicle_chosen"})
        self._read_price(entered)
        price = {key: entered.pop(key) for key in entered.keys() & {const.CONF_PRICE_ENTITY}}
        return self._create_account([*selected.values()], entered, price)

    async def _energy_dashboard_price(self) -> UserInput:
        """Return the price sensor of the Energy dashboard, if it has one."""
        if "energy" not in self.hass.config.components:
            return {}
        # Homes without the dashboard do not load its libraries.
        energy = await async_import_module(self.hass, "homeassistant.components.energy.data")
        manager = await energy.async_get_manager(self.hass)
        for source in manager.data["energy_sources"] if manager.data else ():
            if source["type"] == "grid" and (price_entity := source.get("entity_energy_price")):
                return {const.CONF_PRICE_ENTITY: price_entity}
        return {}

    async def async_step_vehicle(self, user_input: UserInput | None = None) -> ConfigFlowResult:
        """Ask for the id of a vehicle, because the service does not list them."""
        return self._show_id() if user_input is None else await self._add_by_id(user_input)

    @override
    def _add(self, vehicle: DiscoveredVehicle) -> ConfigFlowResult:
        keep = const.CONF_KEEP_POSITIONS
        return self._create_account([vehicle], {keep: self._entered[keep]})

    def _create_account(
        self,
        vehicles: Sequence[DiscoveredVehicle],
        entered: Mapping[str, Any],
        vehicle_options: Mapping[str, Any] = MappingProxyType({}),
    ) -> ConfigFlowResult:
        """Create the account. `entered`: whether positions are kept, and options, else the usual limit."""
        options = {**self._limits, **entered}
        keep_positions = options.pop(const.CONF_KEEP_POSITIONS)
        return self.async_create_entry(
            title=self._title(),
            data=self._data,
            options=options,
            subentries=[
                vehicle.subentry(self._data, keep_positions=keep_positions, options=vehicle_options).as_dict()
                for vehicle in vehicles
            ],
        )

    @property
    def _limits(self) -> dict[str, float]:
        """The limit to suggest for the service, if it charges for requests."""
        limit = self._service_type.spending_limit
        return {const.CONF_SPENDING_LIMIT: limit} if limit else {}

    def _title(self) -> str:
        """Return the service or host of the account, with a number if another account has the same title."""
        url = self._data.get(const.CONF_BASE_URL)
        name = self._service_type.name or ("Simulator" if url is None else URL(url).host or url)
        taken = {entry.title for entry in self._async_current_entries()}
        titles = (name if number == 1 else f"{name} {number}" for number in count(1))
        return next(title for title in titles if title not in taken)

    async def async_step_simulator(self, user_input: UserInput | None = None) -> ConfigFlowResult:
        if user_input is None:
            return self._show(const.CONF_SIMULATOR, SIMULATOR_SCHEMA)
        with_past = user_input.pop(const.CONF_WITH_PAST)
        self._entered = {const.CONF_KEEP_POSITIONS: user_input.pop(const.CONF_KEEP_POSITIONS)}
        configured = configured_vins(self.hass)
        seeds = count()
        while True:
            self._data = {const.CONF_SIMULATOR: {**user_input, const.CONF_SEED: next(seeds)}}
            self._vehicles = await fetch_vehicles(self.hass, self._data) or []
            # Each seed has other cars. The cars of two accounts must differ.
            if configured.isdisjoint(vehicle.vin for vehicle in self._vehicles):
                break
        return await (self.async_step_past() if with_past else self.async_step_simulated_account())

    async def async_step_past(self, _user_input: UserInput | None = None) -> ConfigFlowResult:
        if self._past is None:
            name = f"{__package__.rpartition('.')[0]}.simulated_account.past"
            module = await async_import_module(self.hass, name)
            self._past = self.hass.async_create_background_task(
                module.async_create_past(
                    self.hass,
                    self._data[const.CONF_SIMULATOR],
                    self.async_update_progress,
                    keep_positions=self._entered[const.CONF_KEEP_POSITIONS],
                ),
                f"{const.DOMAIN} past",
            )
        if not self._past.done():
            return self.async_show_progress(step_id="past", progress_action="past", progress_task=self._past)
        return self.async_show_progress_done(next_step_id="simulated_account")

    async def async_step_simulated_account(self, _user_input: UserInput | None = None) -> ConfigFlowResult:
        past = None if self._past is None else await self._past
        if not configured_vins(self.hass).isdisjoint(vehicle.vin for vehicle in self._vehicles):
            # Another flow added them in the meantime.
            return self.async_abort(reason="already_configured")
        if past is None:
            return self._create_account(self._vehicles, self._entered)
        past.hand_over(self.hass, self._data[const.CONF_SIMULATOR])
        return self._create_account(self._vehicles, self._entered, past.options)
