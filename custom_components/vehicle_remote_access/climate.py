"""Climate: the cabin."""

from functools import partial
from typing import Any, Final, override

from homeassistant.components.climate import ClimateEntity
from homeassistant.components.climate.const import ClimateEntityFeature, HVACAction, HVACMode
from homeassistant.const import ATTR_TEMPERATURE, UnitOfTemperature

from .api.commands import AUTO_CONDITIONING_START, AUTO_CONDITIONING_STOP, SET_TEMPS
from .api.records import ClimateState
from .entity import VehicleEntity, VehicleEntityDescription, async_setup_vehicle_platform

PARALLEL_UPDATES = 0

_TEMPERATURE: Final = SET_TEMPS.parameter("driver_temp")
_STEP: Final = 0.5

CABIN: Final = VehicleEntityDescription(
    key=ClimateState.key,
    fields=(
        ClimateState.is_climate_on,
        ClimateState.is_preconditioning,
        ClimateState.inside_temp,
        ClimateState.driver_temp_setting,
        ClimateState.passenger_temp_setting,
        *(_TEMPERATURE.bounds or ()),
    ),
)


class Cabin(VehicleEntity, ClimateEntity):
    """The climate control of the cabin. The car itself chooses between heating and cooling."""

    _attr_hvac_modes = [HVACMode.OFF, HVACMode.HEAT_COOL]  # noqa: RUF012 - declared so by the base class
    _attr_supported_features = (
        ClimateEntityFeature.TARGET_TEMPERATURE | ClimateEntityFeature.TURN_ON | ClimateEntityFeature.TURN_OFF
    )
    _attr_target_temperature_step = _STEP
    _attr_native_temperature_unit = _attr_temperature_unit = UnitOfTemperature.CELSIUS

    @override
    def _update_attributes(self) -> None:
        self._attr_min_temp, self._attr_max_temp = _TEMPERATURE.limits(self.vehicle)
        self._attr_hvac_action = _action(self.vehicle.climate_state)
        is_on = self.vehicle.climate_state.is_climate_on
        self._attr_hvac_mode = {True: HVACMode.HEAT_COOL, False: HVACMode.OFF, None: None}[is_on]

    @property
    def native_current_temperature(self) -> float | None:
        return self.vehicle.climate_state.inside_temp

    @property
    def native_target_temperature(self) -> float | None:
        """Return the temperature setting of the driver's side, in °C."""
        return self.vehicle.climate_state.driver_temp_setting

    # Home Assistant before 2026.11 reads these names. Where both exist, it reads the native ones.
    current_temperature = native_current_temperature
    target_temperature = native_target_temperature

    @override
    async def async_turn_on(self) -> None:
        await self.coordinator.commands.async_send(AUTO_CONDITIONING_START)

    @override
    async def async_turn_off(self) -> None:
        await self.coordinator.commands.async_send(AUTO_CONDITIONING_STOP)

    @override
    async def async_set_hvac_mode(self, hvac_mode: HVACMode) -> None:
        await (self.async_turn_off() if hvac_mode is HVACMode.OFF else self.async_turn_on())

    @override
    async def async_set_temperature(self, **kwargs: Any) -> None:
        """Set the driver's side, the passenger's unless it was set to another temperature, and the mode."""
        if (temperature := kwargs.get(ATTR_TEMPERATURE)) is not None:
            commands = self.coordinator.commands
            driver = commands.pending_value(ClimateState.driver_temp_setting)
            passenger = commands.pending_value(ClimateState.passenger_temp_setting)
            values = {"passenger_temp": temperature} if passenger in (None, driver) else {}
            await commands.async_send(SET_TEMPS, driver_temp=temperature, **values)
        if (mode := kwargs.get("hvac_mode")) is not None:
            await self.async_set_hvac_mode(mode)


def _action(climate: ClimateState) -> HVACAction | None:
    """Return the action, from the difference between the current and the target temperature."""
    if climate.is_climate_on is None:
        return None
    if not climate.is_climate_on:
        return HVACAction.OFF
    current, target = climate.inside_temp, climate.driver_temp_setting
    if current is None or target is None:
        return None
    if abs(current - target) < _STEP:
        return HVACAction.IDLE
    if current > target:
        return HVACAction.COOLING
    return HVACAction.PREHEATING if climate.is_preconditioning else HVACAction.HEATING


async_setup_entry = partial(async_setup_vehicle_platform, descriptions={Cabin: [CABIN]})
