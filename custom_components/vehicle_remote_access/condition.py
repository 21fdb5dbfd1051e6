"""Conditions: what a car is about, as its owner would say it.

Home Assistant may still change what a condition is made of, which is known here and nowhere else.
"""

from typing import Final, override

from homeassistant.const import CONF_OPTIONS, CONF_TARGET, STATE_ON, Platform
from homeassistant.core import HomeAssistant, State
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.automation import DomainSpec
from homeassistant.helpers.condition import (
    ATTR_BEHAVIOR,
    BEHAVIOR_ALL,
    BEHAVIOR_ANY,
    Condition,
    EntityConditionBase,
    EntityStateConditionBase,
)
import voluptuous as vol

from .api.records import ChargeState, DriveState, Vehicle
from .entity import shown_beside, those_showing


class VehicleCondition(EntityConditionBase):
    """What is so as long as a car shows it at a path."""

    _path: str

    @override
    def entity_filter(self, entities: set[str]) -> set[str]:
        """Leave out what shows anything else: the same area may have a plug of another brand."""
        return those_showing(self._hass, self._path, super().entity_filter(entities))


def _is(platform: Platform, path: str, state: str) -> type[Condition]:
    """Return the condition for a state."""

    class Is(VehicleCondition, EntityStateConditionBase):
        """The state."""

        _domain_specs = {platform: DomainSpec()}  # noqa: RUF012 - nobody writes to it
        _path = path
        _states = {state}  # noqa: RUF012

    return Is


class IsAtChargeLimit(VehicleCondition):
    """Whether the battery has what the owner wants in it."""

    _domain_specs = {Platform.SENSOR: DomainSpec()}  # noqa: RUF012
    _path = ChargeState.battery_level.path
    # For how long it has been so only the battery could tell, and it is also so when the limit is lowered.
    _schema = vol.Schema(
        {
            vol.Required(CONF_TARGET): cv.TARGET_FIELDS,
            vol.Required(CONF_OPTIONS, default={}): {
                vol.Required(ATTR_BEHAVIOR, default=BEHAVIOR_ANY): vol.In([BEHAVIOR_ANY, BEHAVIOR_ALL])
            },
        }
    )

    @property
    @override
    def needs_polling(self) -> bool:
        """Return that it may become so without a change of the battery."""
        return True

    @override
    def _should_include(self, _state: State) -> bool:
        """Return that a car whose level is not known counts, as one that is below its limit."""
        return True

    @override
    def is_valid_state(self, entity_state: State) -> bool:
        """Return whether the level has reached the limit. What is not known has not."""
        limit = shown_beside(
            self._hass, entity_state.entity_id, Platform.NUMBER, ChargeState.charge_limit_soc.path
        )
        try:
            return limit is not None and float(entity_state.state) >= float(limit.state)
        except ValueError:
            return False


CONDITIONS: Final[dict[str, type[Condition]]] = {
    "is_plugged_in": _is(Platform.BINARY_SENSOR, ChargeState.conn_charge_cable.path, STATE_ON),
    "is_charging": _is(Platform.BINARY_SENSOR, ChargeState.charging_state.path, STATE_ON),
    "is_asleep": _is(Platform.SENSOR, Vehicle.state.path, "asleep"),
    "is_driving": _is(Platform.BINARY_SENSOR, DriveState.shift_state.path, STATE_ON),
    "is_at_charge_limit": IsAtChargeLimit,
}


async def async_get_conditions(hass: HomeAssistant) -> dict[str, type[Condition]]:
    """Return the conditions."""
    return CONDITIONS
