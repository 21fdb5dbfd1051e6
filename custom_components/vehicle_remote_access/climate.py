"""Climate: the cabin, and its overheat protection."""

from abc import abstractmethod
from functools import partial
from typing import Any, Final, override

from homeassistant.components.climate import ClimateEntity
from homeassistant.components.climate.const import ATTR_HVAC_MODE, ClimateEntityFeature, HVACAction, HVACMode
from homeassistant.const import ATTR_TEMPERATURE, UnitOfTemperature

from .api import commands
from .api.fields import Field
from .api.records import ClimateState, VehicleConfig
from .entity import VehicleControl, VehicleEntityDescription, async_setup_vehicle_platform
from .entity_descriptions import rounded_state

PARALLEL_UPDATES = 0

_TEMPERATURE: Final = commands.SET_TEMPS.parameter("driver_temp")
_STEP: Final = 0.5
_ON_OFF: Final = ClimateEntityFeature.TURN_ON | ClimateEntityFeature.TURN_OFF

CABIN: Final = VehicleEntityDescription(
    key=ClimateState.key,
    fields=(
        ClimateState.is_climate_on,
        ClimateState.is_preconditioning,
        ClimateState.inside_temp,
        ClimateState.driver_temp_setting,
        ClimateState.passenger_temp_setting,
        ClimateState.climate_keeper_mode,
        *filter(None, _TEMPERATURE.bounds or ()),
    ),
)
OVERHEAT_PROTECTION: Final = VehicleEntityDescription(
    fields=(
        ClimateState.cabin_overheat_protection,
        ClimateState.cop_activation_temperature,
        ClimateState.inside_temp,
        ClimateState.supports_fan_only_cabin_overheat_protection,
        VehicleConfig.cop_user_set_temp_supported,
    ),
    command=commands.SET_CABIN_OVERHEAT_PROTECTION,
    entity_registry_enabled_default=False,
)
_KEEPER_MODES: Final = dict(
    zip(("off", "keep", "dog", "camp"), ClimateState.climate_keeper_mode.value_type.options, strict=True)
)
"""The states of the climate keeper by the presets, in the order of their numbers in the command."""
_OVERHEAT_MODES: Final = {"off": HVACMode.OFF, "on": HVACMode.COOL, "fan_only": HVACMode.FAN_ONLY}
_OVERHEAT_LEVELS: Final = {"low": 30, "medium": 35, "high": 40}
"""In °C, in the order of their numbers in the command."""


class _Climate(VehicleControl, ClimateEntity):
    """A climate entity whose current temperature is that of the cabin."""

    _attr_native_temperature_unit = _attr_temperature_unit = UnitOfTemperature.CELSIUS
    _target: float | None = None
    """The target temperature in °C."""

    @property
    def native_current_temperature(self) -> float | None:
        return rounded_state(self.vehicle.climate_state.inside_temp, ClimateState.inside_temp.value_type)

    @property
    def native_target_temperature(self) -> float | None:
        return self._target

    # Home Assistant before 2026.11 reads these names. Where both exist, it reads the native ones.
    current_temperature = native_current_temperature
    target_temperature = native_target_temperature

    @override
    async def async_set_temperature(self, **kwargs: Any) -> None:
        if (temperature := kwargs.get(ATTR_TEMPERATURE)) is not None:
            await self._set_target(temperature)
        if (mode := kwargs.get(ATTR_HVAC_MODE)) is not None:
            await self.async_set_hvac_mode(mode)

    @abstractmethod
    async def _set_target(self, temperature: float) -> None:
        """Set the target temperature in °C."""


class Cabin(_Climate):
    """The climate control of the cabin. The car itself chooses between heating and cooling."""

    _attr_hvac_modes = [HVACMode.OFF, HVACMode.HEAT_COOL]  # noqa: RUF012 - declared so by the base class
    _attr_preset_modes = list(_KEEPER_MODES)  # noqa: RUF012
    _attr_target_temperature_step = _STEP

    @override
    def _update_attributes(self) -> None:
        self._has_presets = self.coordinator.provider.type.has(commands.SET_CLIMATE_KEEPER_MODE)
        self._attr_supported_features = _ON_OFF | ClimateEntityFeature.TARGET_TEMPERATURE
        if self._has_presets:
            self._attr_supported_features |= ClimateEntityFeature.PRESET_MODE
        self._attr_min_temp, self._attr_max_temp = _TEMPERATURE.limits(self.vehicle)
        climate = self.vehicle.climate_state
        self._target = climate.driver_temp_setting
        self._attr_hvac_action = _hvac_action(climate)
        modes = {True: HVACMode.HEAT_COOL, False: HVACMode.OFF, None: None}
        self._attr_hvac_mode = modes[climate.is_climate_on]
        presets = {state: preset for preset, state in _KEEPER_MODES.items()}
        self._attr_preset_mode = presets.get(climate.climate_keeper_mode or "")

    @override
    async def async_set_hvac_mode(self, hvac_mode: HVACMode) -> None:
        if hvac_mode is not HVACMode.OFF:
            await self.async_send(commands.AUTO_CONDITIONING_START)
            return
        # The command also ends the climate keeper.
        expected = {ClimateState.climate_keeper_mode: "off"} if self._has_presets else None
        await self.async_send(commands.AUTO_CONDITIONING_STOP, expected)

    @override
    async def async_set_preset_mode(self, preset_mode: str) -> None:
        """Set the climate keeper, which keeps climate control on while nobody is in the car."""
        expected: dict[Field[Any], Any] = {ClimateState.climate_keeper_mode: _KEEPER_MODES[preset_mode]}
        number = list(_KEEPER_MODES).index(preset_mode)
        if preset_mode != "off":
            expected[ClimateState.is_climate_on] = True
        await self.async_send(commands.SET_CLIMATE_KEEPER_MODE, expected, climate_keeper_mode=number)

    @override
    async def _set_target(self, temperature: float) -> None:
        """Set the driver's side, and the passenger's unless it was set to another temperature."""
        pending_value = self.coordinator.commands.pending_value
        driver = pending_value(ClimateState.driver_temp_setting)
        passenger = pending_value(ClimateState.passenger_temp_setting)
        values = {"passenger_temp": temperature} if passenger in (None, driver) else {}
        await self.async_send(commands.SET_TEMPS, driver_temp=temperature, **values)


class OverheatProtection(_Climate):
    """The cabin overheat protection, which cools or vents a hot cabin while the car is parked."""

    _attr_min_temp = min(_OVERHEAT_LEVELS.values())
    _attr_max_temp = max(_OVERHEAT_LEVELS.values())
    _attr_target_temperature_step = 5

    @override
    def _update_attributes(self) -> None:
        climate = self.vehicle.climate_state
        self._target = _OVERHEAT_LEVELS.get(climate.cop_activation_temperature or "")
        self._attr_hvac_mode = _OVERHEAT_MODES.get(climate.cabin_overheat_protection or "")
        can_vent = climate.supports_fan_only_cabin_overheat_protection is not False
        self._attr_hvac_modes = [
            mode for mode in _OVERHEAT_MODES.values() if can_vent or mode is not HVACMode.FAN_ONLY
        ]
        self._attr_supported_features = _ON_OFF
        if self.vehicle.vehicle_config.cop_user_set_temp_supported:
            self._attr_supported_features |= ClimateEntityFeature.TARGET_TEMPERATURE

    @override
    async def async_set_hvac_mode(self, hvac_mode: HVACMode) -> None:
        modes = {mode: state for state, mode in _OVERHEAT_MODES.items()}
        await self.async_send(
            commands.SET_CABIN_OVERHEAT_PROTECTION,
            {ClimateState.cabin_overheat_protection: modes[hvac_mode]},
            on=hvac_mode is not HVACMode.OFF,
            fan_only=hvac_mode is HVACMode.FAN_ONLY,
        )

    @override
    async def _set_target(self, temperature: float) -> None:
        """Set the closest of the three temperatures that the car knows."""
        level = min(_OVERHEAT_LEVELS, key=lambda level: abs(_OVERHEAT_LEVELS[level] - temperature))
        expected = {ClimateState.cop_activation_temperature: level}
        await self.async_send(commands.SET_COP_TEMP, expected, cop_temp=list(_OVERHEAT_LEVELS).index(level))


def _hvac_action(climate: ClimateState) -> HVACAction | None:
    """Return the action, from the difference between the current and the target temperature."""
    if not climate.is_climate_on:
        return None if climate.is_climate_on is None else HVACAction.OFF
    current, target = climate.inside_temp, climate.driver_temp_setting
    if current is None or target is None:
        return None
    if abs(current - target) < _STEP:
        return HVACAction.IDLE
    if current > target:
        return HVACAction.COOLING
    return HVACAction.PREHEATING if climate.is_preconditioning else HVACAction.HEATING


async_setup_entry = partial(
    async_setup_vehicle_platform, descriptions={Cabin: [CABIN], OverheatProtection: [OVERHEAT_PROTECTION]}
)
