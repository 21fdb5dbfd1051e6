"""Triggers: what happens to a car, as its owner would say it.

Each is a change of one entity from a known state to another: nothing happens because Home Assistant starts,
or because a car is heard of again. Home Assistant may still change what a trigger is made of, which is known
here and nowhere else.
"""

from datetime import timedelta
from typing import Final, override

from homeassistant.const import CONF_FOR, CONF_OPTIONS, STATE_OFF, STATE_ON, Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.automation import DomainSpec
from homeassistant.helpers.trigger import (
    ENTITY_STATE_TRIGGER_SCHEMA_WITH_BEHAVIOR,
    EntityTransitionTriggerBase,
    Trigger,
)
import probatio

from .api.records import ChargeState, DriveState, Vehicle, VehicleState
from .entity import those_showing

AT_ONCE: Final = timedelta(0)
# A car that does not answer is taken for asleep until the service says that it is out of reach.
CONFIRMED: Final = timedelta(minutes=2)
# Who carries the shopping in comes back for the rest of it.
UNLOADED: Final = timedelta(minutes=5)


class VehicleTrigger(EntityTransitionTriggerBase):
    """A change of what a car shows at a path."""

    _path: str

    @override
    def entity_filter(self, entities: set[str]) -> set[str]:
        """Leave out what shows anything else: the same area may have a plug of another brand."""
        return those_showing(self._hass, self._path, super().entity_filter(entities))


def _change(
    platform: Platform,
    path: str,
    *,
    before: set[str | bool],
    after: set[str | bool],
    lasting: timedelta = AT_ONCE,
) -> type[VehicleTrigger]:
    """Return the trigger for a change. `lasting`: how long it has to stay so, unless the owner says."""
    options = {probatio.Optional(CONF_FOR, default=lasting): cv.positive_time_period}

    class Change(VehicleTrigger):
        """The change."""

        _domain_specs = {platform: DomainSpec()}  # noqa: RUF012 - nobody writes to it
        _path = path
        _from_states = before
        _to_states = after
        _schema = ENTITY_STATE_TRIGGER_SCHEMA_WITH_BEHAVIOR.extend(
            {probatio.Required(CONF_OPTIONS, default={}): options}
        )

    return Change


_PLUG: Final = (Platform.BINARY_SENSOR, ChargeState.conn_charge_cable.path)
_CHARGING: Final = (Platform.SENSOR, ChargeState.charging_state.path)
_DRIVING: Final = (Platform.BINARY_SENSOR, DriveState.shift_state.path)
_LEFT_UNLOCKED: Final = (Platform.BINARY_SENSOR, f"{VehicleState.locked.path}.left")
_STATE: Final = (Platform.SENSOR, Vehicle.state.path)

TRIGGERS: Final[dict[str, type[Trigger]]] = {
    "plugged_in": _change(*_PLUG, before={STATE_OFF}, after={STATE_ON}),
    "unplugged": _change(*_PLUG, before={STATE_ON}, after={STATE_OFF}),
    # A car that was full when it was plugged in, or when the power came back, has not been charged. One that
    # waited for its time may have been charged unseen.
    "charging_completed": _change(*_CHARGING, before={"starting", "charging", "stopped"}, after={"complete"}),
    # What has not begun to charge cannot be interrupted: a car may try, and then wait for its time.
    "charging_interrupted": _change(
        *_CHARGING, before={"charging"}, after={"stopped", "no_power", "disconnected"}
    ),
    "started_driving": _change(*_DRIVING, before={STATE_OFF}, after={STATE_ON}),
    "parked": _change(*_DRIVING, before={STATE_ON}, after={STATE_OFF}),
    # A car out of reach may sleep or not: to be offline is neither.
    "fell_asleep": _change(*_STATE, before={"online"}, after={"asleep"}, lasting=CONFIRMED),
    "woke_up": _change(*_STATE, before={"asleep"}, after={"online"}),
    "left_unlocked": _change(*_LEFT_UNLOCKED, before={STATE_OFF}, after={STATE_ON}, lasting=UNLOADED),
}


async def async_get_triggers(hass: HomeAssistant) -> dict[str, type[Trigger]]:
    """Return the triggers."""
    return TRIGGERS
