"""Triggers: what happens to a car, as its owner would say it.

Each is a change of one entity from a known state to another. A car that becomes available, or a start of Home
Assistant, is not a change. Home Assistant may still change how triggers are built. Only this module depends
on that.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, override

from homeassistant.const import (
    ATTR_ENTITY_ID,
    CONF_FOR,
    CONF_OPTIONS,
    STATE_OFF,
    STATE_ON,
    STATE_UNAVAILABLE,
    STATE_UNKNOWN,
    Platform,
)
from homeassistant.core import CALLBACK_TYPE, Context, HomeAssistant, State, callback
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.automation import DomainSpec
from homeassistant.helpers.event import async_call_later
from homeassistant.helpers.target import (
    TargetStateChangedData,
    async_track_target_selector_state_change_event,
)
from homeassistant.helpers.trigger import (
    ATTR_BEHAVIOR,
    BEHAVIOR_EACH,
    BEHAVIOR_FIRST,
    ENTITY_STATE_TRIGGER_SCHEMA_WITH_BEHAVIOR,
    EntityTransitionTriggerBase,
    Trigger,
    TriggerActionRunner,
    TriggerConfig,
    TriggerNotTriggeredReporter,
)
from homeassistant.helpers.typing import ConfigType
import voluptuous as vol

from .api.records import ChargeState, DriveState, Vehicle, VehicleState
from .entity import those_showing

AT_ONCE: Final = timedelta(0)
# A car that does not answer is taken for asleep until the service says that it is out of reach.
CONFIRMED: Final = timedelta(minutes=2)
# Who carries the shopping in comes back for the rest of it.
UNLOADED: Final = timedelta(minutes=5)

NOT_KNOWN: Final = frozenset({STATE_UNAVAILABLE, STATE_UNKNOWN})


class VehicleTrigger(EntityTransitionTriggerBase):
    """A change of what a car shows at a path."""

    _path: str

    @override
    def entity_filter(self, entities: set[str]) -> set[str]:
        """Leave out what shows anything else: the same area may have a plug of another brand."""
        return those_showing(self._hass, self._path, super().entity_filter(entities))


@dataclass
class Wait:
    """A change that has not lasted long enough yet."""

    run: Callable[[], object]
    stop_timer: CALLBACK_TYPE
    known: dict[str, State] = field(default_factory=dict)
    """The last known states of the cars that the wait depends on."""
    is_over: bool = False


class LastingTrigger(Trigger):
    """A change that has to last for some time. The wait goes on while a car is unavailable or unknown.

    Home Assistant's own wait is cancelled by an unavailable entity, and so by every reload of the account.
    Its trigger therefore only detects the change.
    """

    change: type[VehicleTrigger]

    @classmethod
    @override
    async def async_validate_config(cls, hass: HomeAssistant, config: ConfigType) -> ConfigType:
        """Validate the configuration."""
        return await cls.change.async_validate_config(hass, config)

    def __init__(self, hass: HomeAssistant, config: TriggerConfig) -> None:
        """Prepare the detection of the change, without a wait."""
        super().__init__(hass, config)
        options = config.options or {}
        self._change = self.change(hass, replace(config, options={**options, CONF_FOR: AT_ONCE}))
        self._target = config.target or {}
        self._duration: timedelta = options[CONF_FOR]
        self._behavior: str = options[ATTR_BEHAVIOR]
        self._states: dict[str, State | None] = {}
        # By entity if each car triggers, otherwise one wait for all cars.
        self._waits: dict[str, Wait] = {}

    @override
    async def async_attach_runner(
        self, run_action: TriggerActionRunner, did_not_trigger: TriggerNotTriggeredReporter | None = None
    ) -> CALLBACK_TYPE:
        """Run the action for each change that lasts."""
        if not self._duration:
            return await self._change.async_attach_runner(run_action, did_not_trigger)
        stop_states = await async_track_target_selector_state_change_event(
            self._hass, self._target, self._on_state, self._change.entity_filter, self._on_target
        )
        stop_changes = await self._change.async_attach_runner(
            partial(self._begin, run_action), did_not_trigger
        )

        @callback
        def stop() -> None:
            stop_changes()
            stop_states()
            while self._waits:
                self._waits.popitem()[1].stop_timer()

        return stop

    @callback
    def _begin(
        self,
        run_action: TriggerActionRunner,
        extra_trigger_payload: dict[str, Any],
        description: str,
        context: Context | None = None,
    ) -> Any:
        """Start a wait. One that is running began earlier, with a car that is unavailable now, and stays."""
        payload = {**extra_trigger_payload, CONF_FOR: self._duration}
        entity_id = payload[ATTR_ENTITY_ID]
        key = entity_id if self._behavior == BEHAVIOR_EACH else self._behavior
        if key not in self._waits:
            run = partial(run_action, payload, description, context)
            stop_timer = async_call_later(self._hass, self._duration, partial(self._end, key))
            self._waits[key] = wait = Wait(run, stop_timer)
            self._states[entity_id] = payload["to_state"]
            self._review(key, wait)

    @callback
    def _end(self, key: str, _now: datetime) -> None:
        wait = self._waits[key]
        wait.is_over = True
        self._review(key, wait)

    @callback
    def _on_state(self, data: TargetStateChangedData) -> None:
        self._on_target(set(), set(), data.targeted_entity_states)

    @callback
    def _on_target(self, _added: set[str], _removed: set[str], states: Mapping[str, State | None]) -> None:
        self._states = dict(states)
        for key, wait in tuple(self._waits.items()):
            self._review(key, wait)

    def _review(self, key: str, wait: Wait) -> None:
        """Cancel a wait if its change does not last. Run the action once the wait is over."""
        wait.known = {
            entity_id: wait.known.get(entity_id, state) if state.state in NOT_KNOWN else state
            for entity_id, state in self._states.items()
            if state is not None and key in (entity_id, self._behavior)
        }
        matches, cars = self._change.count_matches(wait.known, wait.known)
        needed = 1 if self._behavior == BEHAVIOR_FIRST else cars
        if not 0 < needed <= matches:
            self._waits.pop(key, None)
            wait.stop_timer()
        # The second count leaves out the cars that are unavailable now.
        elif wait.is_over and self._change.count_matches(wait.known, self._states)[0] >= needed:
            self._waits.pop(key, None)
            wait.run()


def _change(
    platform: Platform,
    path: str,
    *,
    before: set[str | bool],
    after: set[str | bool],
    lasting: timedelta = AT_ONCE,
) -> type[LastingTrigger]:
    """Return the trigger for a change. `lasting`: how long it has to stay so, unless the owner says."""
    options = {vol.Optional(CONF_FOR, default=lasting): cv.positive_time_period}

    class Change(VehicleTrigger):
        """The change."""

        _domain_specs = {platform: DomainSpec()}  # noqa: RUF012 - nobody writes to it
        _path = path
        _from_states = before
        _to_states = after
        _schema = ENTITY_STATE_TRIGGER_SCHEMA_WITH_BEHAVIOR.extend(
            {vol.Required(CONF_OPTIONS, default={}): options}
        )

    class LastingChange(LastingTrigger):
        """The change, once it has lasted."""

        change = Change

    return LastingChange


_PLUG: Final = (Platform.BINARY_SENSOR, ChargeState.conn_charge_cable.path)
_CHARGING: Final = (Platform.SENSOR, ChargeState.charging_state.path)
_DRIVING: Final = (Platform.BINARY_SENSOR, DriveState.shift_state.path)
_LEFT_UNLOCKED: Final = (Platform.BINARY_SENSOR, f"{VehicleState.locked.path}.left")
_STATE: Final = (Platform.SENSOR, Vehicle.state.path)

TRIGGERS: Final[dict[str, type[LastingTrigger]]] = {
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
    return dict(TRIGGERS)
