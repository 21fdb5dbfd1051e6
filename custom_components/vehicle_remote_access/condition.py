"""Conditions for the state of a car, for example charging or asleep.

Home Assistant's API for conditions may still change. Only this module depends on it.
"""

from typing import Any, Final, override

from homeassistant.const import CONF_OPTIONS, CONF_TARGET, STATE_ON, STATE_UNAVAILABLE, Platform
from homeassistant.core import HomeAssistant, State
from homeassistant.helpers import condition, config_validation as cv
from homeassistant.helpers.automation import DomainSpec
import voluptuous as vol

from .api.records import ChargeState, DriveState, Vehicle
from .entity import PathFilter, coordinator_of, vehicle_of
from .polling.modes import Mode
from .vehicle.arrival_watch import CONF_MINUTES, MINUTES, ArrivalListener, add_arrival_listener

_BEHAVIOR: Final = {
    vol.Required(condition.ATTR_BEHAVIOR, default=condition.BEHAVIOR_ANY): vol.In(
        (condition.BEHAVIOR_ANY, condition.BEHAVIOR_ALL)
    )
}


def _schema_of(options: dict[Any, Any]) -> vol.Schema:
    return vol.Schema(
        {vol.Required(CONF_TARGET): cv.TARGET_FIELDS, vol.Required(CONF_OPTIONS, default={}): options}
    )


def _state_condition(platform: Platform, path: str, state: str) -> type[condition.Condition]:
    class StateCondition(PathFilter, condition.EntityStateConditionBase):
        """All or any of the entities have the state."""

        _domain_specs = {platform: DomainSpec()}  # noqa: RUF012 - declared so by the base class
        _path = path
        _states = {state}  # noqa: RUF012

    return StateCondition


class IsAtChargeLimit(PathFilter, condition.EntityConditionBase):
    """The battery level has reached the charge limit."""

    _domain_specs = {Platform.SENSOR: DomainSpec()}  # noqa: RUF012
    _path = ChargeState.battery_level.path
    # Without the option `for`: the battery's last change does not tell how long the condition has been true,
    # because the limit may have been lowered later.
    _schema = _schema_of(_BEHAVIOR)

    needs_polling = True
    """The result may also change with the limit, which is another entity."""

    @override
    def _should_include(self, _state: State) -> bool:
        """Return True: a car with an unknown level counts as below its limit."""
        return True

    @override
    def is_valid_state(self, entity_state: State) -> bool:
        if entity_state.state == STATE_UNAVAILABLE:
            return False
        vehicle = vehicle_of(self._hass, entity_state.entity_id)
        return vehicle is not None and vehicle.charge_state.is_at_limit


class IsArrivingHome(PathFilter, condition.EntityConditionBase):
    """The car will be home within some minutes."""

    _domain_specs = {Platform.BINARY_SENSOR: DomainSpec()}  # noqa: RUF012
    _path = DriveState.shift_state.path
    needs_polling = True
    _schema = _schema_of({**_BEHAVIOR, **MINUTES})

    def __init__(self, hass: HomeAssistant, config: condition.ConditionConfig) -> None:
        super().__init__(hass, config)
        self._seconds = 60 * (config.options or {})[CONF_MINUTES]

    @override
    async def _async_setup(self) -> None:
        """Let the car be read more often on its way home."""
        await super()._async_setup()
        self._on_unload.append(
            add_arrival_listener(self._hass, ArrivalListener(self._seconds, self.targeted))
        )

    @override
    def is_valid_state(self, entity_state: State) -> bool:
        coordinator = coordinator_of(self._hass, entity_state.entity_id)
        left = None if coordinator is None else coordinator.arrival.seconds_left()
        return left is not None and left <= self._seconds


CONDITIONS: Final[dict[str, type[condition.Condition]]] = {
    "is_plugged_in": _state_condition(Platform.BINARY_SENSOR, ChargeState.conn_charge_cable.path, STATE_ON),
    "is_charging": _state_condition(Platform.BINARY_SENSOR, ChargeState.charging_state.path, STATE_ON),
    "is_asleep": _state_condition(Platform.SENSOR, Vehicle.state.path, Mode.ASLEEP),
    "is_driving": _state_condition(Platform.BINARY_SENSOR, DriveState.shift_state.path, STATE_ON),
    "is_at_charge_limit": IsAtChargeLimit,
    "is_arriving_home": IsArrivingHome,
}


async def async_get_conditions(hass: HomeAssistant) -> dict[str, type[condition.Condition]]:
    return CONDITIONS
