"""The climate of the cabin."""

from typing import Any, Final, override

from homeassistant.components.climate import ClimateEntity
from homeassistant.components.climate.const import ClimateEntityFeature, HVACAction, HVACMode
from homeassistant.const import ATTR_TEMPERATURE, UnitOfTemperature
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .api.commands import AUTO_CONDITIONING_START, AUTO_CONDITIONING_STOP, SET_TEMPS
from .api.records import ClimateState
from .coordinator import VehicleConfigEntry, VehicleCoordinator
from .entity import VehicleEntity, add_to_each_vehicle

PARALLEL_UPDATES = 0

_TEMPERATURE: Final = SET_TEMPS.parameter("driver_temp")


async def async_setup_entry(
    hass: HomeAssistant,
    entry: VehicleConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the climate."""
    add_to_each_vehicle(entry, async_add_entities, lambda vehicle: [Cabin(vehicle)])


class Cabin(VehicleEntity, ClimateEntity):
    """The cabin: on or off, and how warm. Heating or cooling is the car's own choice."""

    _attr_hvac_modes = [HVACMode.OFF, HVACMode.HEAT_COOL]  # noqa: RUF012 - declared so by the base class
    _attr_supported_features = (
        ClimateEntityFeature.TARGET_TEMPERATURE | ClimateEntityFeature.TURN_ON | ClimateEntityFeature.TURN_OFF
    )
    _attr_target_temperature_step = 0.5
    _attr_native_temperature_unit = _attr_temperature_unit = UnitOfTemperature.CELSIUS
    fields = (
        ClimateState.is_climate_on,
        ClimateState.is_preconditioning,
        ClimateState.inside_temp,
        ClimateState.driver_temp_setting,
        ClimateState.passenger_temp_setting,
        *(_TEMPERATURE.bounds or ()),
    )

    def __init__(self, coordinator: VehicleCoordinator) -> None:
        """Show the record of the cabin."""
        super().__init__(coordinator, ClimateState.key)

    @property
    @override
    def hvac_mode(self) -> HVACMode | None:
        """Return whether the climate is on, or None if the car has not said so."""
        match self.vehicle.climate_state.is_climate_on:
            case None:
                return None
            case is_on:
                return HVACMode.HEAT_COOL if is_on else HVACMode.OFF

    @property
    @override
    def hvac_action(self) -> HVACAction | None:
        """Return what the climate does: it moves towards the temperature that is set."""
        climate = self.vehicle.climate_state
        if climate.is_climate_on is None:
            return None
        if not climate.is_climate_on:
            return HVACAction.OFF
        inside, wanted = climate.inside_temp, climate.driver_temp_setting
        if inside is None or wanted is None:
            return None
        if abs(inside - wanted) < self._attr_target_temperature_step:
            return HVACAction.IDLE
        if inside > wanted:
            return HVACAction.COOLING
        return HVACAction.PREHEATING if climate.is_preconditioning else HVACAction.HEATING

    @property
    def native_current_temperature(self) -> float | None:
        """Return the temperature inside."""
        return self.vehicle.climate_state.inside_temp

    @property
    def native_target_temperature(self) -> float | None:
        """Return the temperature that the driver's side is set to."""
        return self.vehicle.climate_state.driver_temp_setting

    # Home Assistant before 2026.11 reads these names. Where both exist, it reads the native ones.
    current_temperature = native_current_temperature
    target_temperature = native_target_temperature

    @property
    @override
    def min_temp(self) -> float:
        """Return the lowest temperature that the car takes; 15 °C if it does not say."""
        return _TEMPERATURE.limits(self.vehicle)[0]

    @property
    @override
    def max_temp(self) -> float:
        """Return the highest temperature that the car takes; 28 °C if it does not say."""
        return _TEMPERATURE.limits(self.vehicle)[1]

    @override
    async def async_turn_on(self) -> None:
        """Start the climate."""
        await self.send(AUTO_CONDITIONING_START)

    @override
    async def async_turn_off(self) -> None:
        """Stop the climate."""
        await self.send(AUTO_CONDITIONING_STOP)

    @override
    async def async_set_hvac_mode(self, hvac_mode: HVACMode) -> None:
        """Start or stop the climate."""
        await (self.async_turn_off() if hvac_mode is HVACMode.OFF else self.async_turn_on())

    @override
    async def async_set_temperature(self, **kwargs: Any) -> None:
        """Set the temperature, and start or stop the climate if that is asked for too.

        The passenger's side goes along, unless it was set apart.
        """
        if (temperature := kwargs.get(ATTR_TEMPERATURE)) is not None:
            driver = self.coordinator.orders.wished(ClimateState.driver_temp_setting)
            goes_along = self.coordinator.orders.wished(ClimateState.passenger_temp_setting) in (None, driver)
            passenger = {"passenger_temp": temperature} if goes_along else {}
            await self.send(SET_TEMPS, driver_temp=temperature, **passenger)
        if (mode := kwargs.get("hvac_mode")) is not None:
            await self.async_set_hvac_mode(mode)
