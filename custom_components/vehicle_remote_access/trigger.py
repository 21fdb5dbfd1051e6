"""Triggers for events of a car, for example plugged in or parked.

Most are a change of one entity from one known state to another. A car that becomes available, or a start of
Home Assistant, is not a change.

Home Assistant's API for triggers may still change. Only this module depends on it.
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
    CONF_TARGET,
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
from .drive_log.manager import log_units
from .drive_log.view import ENDED
from .entity import entities_for_path, vehicle_of
from .polling.policy import ONLINE, Mode

_NO_DURATION: Final = timedelta(0)
# A car that does not answer counts as asleep until the service reports it as offline.
_ASLEEP_FOR: Final = timedelta(minutes=2)
# While carrying things inside, a driver leaves the car unlocked for some minutes.
_LEFT_UNLOCKED_FOR: Final = timedelta(minutes=5)

_STOPPED: Final = "stopped"
# How charging ends before the car itself has completed it.
_ENDS: Final[set[str | bool]] = {_STOPPED, "no_power", "disconnected"}

_UNKNOWN_STATES: Final = frozenset({STATE_UNAVAILABLE, STATE_UNKNOWN})


class VehicleTrigger(EntityTransitionTriggerBase):
    """A state change of the entities with a path."""

    _path: str

    @override
    def entity_filter(self, entities: set[str]) -> set[str]:
        """Return only entities of this integration with the path. A targeted area may have others."""
        return entities_for_path(self._hass, self._path, super().entity_filter(entities))


class ChargingTrigger(VehicleTrigger):
    """A change of the charging state. A car that was stopped at its limit has completed charging."""

    def __init__(self, hass: HomeAssistant, config: TriggerConfig) -> None:
        super().__init__(hass, config)
        self._at_limit: dict[str, bool] = {}
        """What was last known of each car. A wait continues while the account is reloaded."""

    @override
    def _get_tracked_value(self, state: State) -> str | None:
        """Return the state. For an end at the limit, return complete, or None without a charger."""
        if state.state not in _ENDS:
            return state.state
        vehicle = vehicle_of(self._hass, state.entity_id)
        if vehicle is not None:
            self._at_limit[state.entity_id] = vehicle.charge_state.is_at_limit
        if not self._at_limit.get(state.entity_id):
            return state.state
        return "complete" if state.state == _STOPPED else None

    @override
    def is_valid_transition(self, from_state: State, to_state: State) -> bool:
        # A full car may try to charge, and then wait for its scheduled time.
        if to_state.state in _ENDS and from_state.state != "charging":
            return False
        # The level and the limit are those of the new state.
        return from_state.state != to_state.state and from_state.state in self._from_states


@dataclass
class _Wait:
    """The wait after a change, until the change has lasted for the duration."""

    run_action: Callable[[], object]
    cancel_timer: CALLBACK_TYPE
    last_known: dict[str, State] = field(default_factory=dict)
    """The last known states of the entities that the wait depends on."""
    has_elapsed: bool = False


class DurationTrigger(Trigger):
    """A change that has to last for a duration. The wait continues while a car is unavailable or unknown.

    Home Assistant's own wait is canceled by an unavailable entity, and so by each reload of the account.
    Therefore its trigger is used only to detect the change, without a duration.
    """

    change: type[VehicleTrigger]

    @classmethod
    @override
    async def async_validate_config(cls, hass: HomeAssistant, config: ConfigType) -> ConfigType:
        return await cls.change.async_validate_config(hass, config)

    def __init__(self, hass: HomeAssistant, config: TriggerConfig) -> None:
        super().__init__(hass, config)
        options = config.options or {}
        self._change = self.change(hass, replace(config, options={**options, CONF_FOR: _NO_DURATION}))
        self._target = config.target or {}
        self._duration: timedelta = options[CONF_FOR]
        self._behavior: str = options[ATTR_BEHAVIOR]
        self._states: dict[str, State | None] = {}
        # By entity id if each car triggers on its own. Otherwise one wait for all cars, by the behavior.
        self._waits: dict[str, _Wait] = {}

    @override
    async def async_attach_runner(
        self, run_action: TriggerActionRunner, did_not_trigger: TriggerNotTriggeredReporter | None = None
    ) -> CALLBACK_TYPE:
        """Run the action for each change that lasts for the duration."""
        if not self._duration:
            return await self._change.async_attach_runner(run_action, did_not_trigger)
        stop_states = await async_track_target_selector_state_change_event(
            self._hass, self._target, self._on_state, self._change.entity_filter, self._on_target
        )
        stop_changes = await self._change.async_attach_runner(
            partial(self._start_wait, run_action), did_not_trigger
        )

        @callback
        def stop() -> None:
            stop_changes()
            stop_states()
            while self._waits:
                self._waits.popitem()[1].cancel_timer()

        return stop

    @callback
    def _start_wait(
        self,
        run_action: TriggerActionRunner,
        extra_trigger_payload: dict[str, Any],
        description: str,
        context: Context | None = None,
    ) -> Any:
        """Start a wait, unless one is running for a car that was unavailable in between."""
        payload = {**extra_trigger_payload, CONF_FOR: self._duration}
        entity_id = payload[ATTR_ENTITY_ID]
        key = entity_id if self._behavior == BEHAVIOR_EACH else self._behavior
        if key not in self._waits:
            run = partial(run_action, payload, description, context)
            cancel_timer = async_call_later(self._hass, self._duration, partial(self._on_timer, key))
            self._waits[key] = wait = _Wait(run, cancel_timer)
            self._states[entity_id] = payload["to_state"]
            self._update_wait(key, wait)

    @callback
    def _on_timer(self, key: str, _now: datetime) -> None:
        wait = self._waits[key]
        wait.has_elapsed = True
        self._update_wait(key, wait)

    @callback
    def _on_state(self, data: TargetStateChangedData) -> None:
        self._on_target(set(), set(), data.targeted_entity_states)

    @callback
    def _on_target(self, _added: set[str], _removed: set[str], states: Mapping[str, State | None]) -> None:
        self._states = dict(states)
        for key, wait in tuple(self._waits.items()):
            self._update_wait(key, wait)

    def _update_wait(self, key: str, wait: _Wait) -> None:
        """Cancel the wait if its change did not last. Run the action once the wait has elapsed."""
        wait.last_known = {
            entity_id: wait.last_known.get(entity_id, state) if state.state in _UNKNOWN_STATES else state
            for entity_id, state in self._states.items()
            if state is not None and key in (entity_id, self._behavior)
        }
        matches, entities = self._change.count_matches(wait.last_known, wait.last_known)
        required = 1 if self._behavior == BEHAVIOR_FIRST else entities
        if not 0 < required <= matches:
            self._waits.pop(key, None)
            wait.cancel_timer()
        # This second count leaves out unavailable cars, so the action runs once enough cars are available.
        elif wait.has_elapsed and self._change.count_matches(wait.last_known, self._states)[0] >= required:
            self._waits.pop(key, None)
            wait.run_action()


def _trigger(
    platform: Platform,
    path: str,
    *,
    base: type[VehicleTrigger] = VehicleTrigger,
    from_states: set[str | bool],
    to_states: set[str | bool],
    duration: timedelta = _NO_DURATION,
) -> type[DurationTrigger]:
    """Return the trigger for a change. `duration`: the default of its option `for`."""
    options = {vol.Optional(CONF_FOR, default=duration): cv.positive_time_period}

    class Change(base):  # type: ignore[misc, valid-type]  # mypy knows no dynamic base class
        """The change."""

        _domain_specs = {platform: DomainSpec()}  # noqa: RUF012 - declared so by the base class
        _path = path
        _from_states = from_states
        _to_states = to_states
        _schema = ENTITY_STATE_TRIGGER_SCHEMA_WITH_BEHAVIOR.extend(
            {vol.Required(CONF_OPTIONS, default={}): options}
        )

    class LastingChange(DurationTrigger):
        """The change after it lasted for the duration."""

        change = Change

    return LastingChange


_PLUG: Final = (Platform.BINARY_SENSOR, ChargeState.conn_charge_cable.path)
_CHARGING: Final = (Platform.SENSOR, ChargeState.charging_state.path)
_DRIVING: Final = (Platform.BINARY_SENSOR, DriveState.shift_state.path)
_LEFT_UNLOCKED: Final = (Platform.BINARY_SENSOR, f"{VehicleState.locked.path}.left")
_STATE: Final = (Platform.SENSOR, Vehicle.state.path)


class LogTrigger(Trigger):
    """The end of a drive or a charge, with its record."""

    _path: str
    _schema: Final = vol.Schema(
        {vol.Required(CONF_TARGET): cv.TARGET_FIELDS, vol.Required(CONF_OPTIONS, default={}): {}}
    )

    @classmethod
    @override
    async def async_validate_config(cls, hass: HomeAssistant, config: ConfigType) -> ConfigType:
        validated: ConfigType = cls._schema(config)
        return validated

    def __init__(self, hass: HomeAssistant, config: TriggerConfig) -> None:
        super().__init__(hass, config)
        self._target = config.target or {}

    @override
    async def async_attach_runner(
        self, run_action: TriggerActionRunner, did_not_trigger: TriggerNotTriggeredReporter | None = None
    ) -> CALLBACK_TYPE:
        """Run the action for each record."""

        @callback
        def changed(data: TargetStateChangedData) -> None:
            event = data.state_change_event
            before, after = event.data["old_state"], event.data["new_state"]
            if before is None or after is None or after.attributes.get("event_type") != ENDED:
                return
            # A restart restores the last event.
            if STATE_UNAVAILABLE in (before.state, after.state) or before.state == after.state:
                return
            units = log_units(self._hass).names
            payload = {ATTR_ENTITY_ID: after.entity_id, "to_state": after, "units": units}
            run_action(
                {**payload, "record": dict(after.attributes)}, f"record of {after.entity_id}", event.context
            )

        return await async_track_target_selector_state_change_event(
            self._hass, self._target, changed, partial(entities_for_path, self._hass, self._path)
        )


class DriveEnded(LogTrigger):
    """The end of a drive."""

    _path = "log.drive"


class ChargeEnded(LogTrigger):
    """The end of a charge."""

    _path = "log.charge"


TRIGGERS: Final[dict[str, type[DurationTrigger]]] = {
    "plugged_in": _trigger(*_PLUG, from_states={STATE_OFF}, to_states={STATE_ON}),
    "unplugged": _trigger(*_PLUG, from_states={STATE_ON}, to_states={STATE_OFF}),
    # Not from disconnected and no_power: a full car reports complete without having charged. From stopped,
    # because a car with a schedule may have charged between two reads.
    "charging_completed": _trigger(
        *_CHARGING,
        base=ChargingTrigger,
        from_states={"starting", "charging", "stopped"},
        to_states={"complete"},
    ),
    # Not from starting: a car may try to charge, and then wait for its scheduled time.
    "charging_interrupted": _trigger(
        *_CHARGING, base=ChargingTrigger, from_states={"charging"}, to_states=_ENDS
    ),
    "started_driving": _trigger(*_DRIVING, from_states={STATE_OFF}, to_states={STATE_ON}),
    "parked": _trigger(*_DRIVING, from_states={STATE_ON}, to_states={STATE_OFF}),
    # Not from or to offline: an offline car may be asleep or awake.
    "fell_asleep": _trigger(*_STATE, from_states={ONLINE}, to_states={Mode.ASLEEP}, duration=_ASLEEP_FOR),
    "woke_up": _trigger(*_STATE, from_states={Mode.ASLEEP}, to_states={ONLINE}),
    "left_unlocked": _trigger(
        *_LEFT_UNLOCKED, from_states={STATE_OFF}, to_states={STATE_ON}, duration=_LEFT_UNLOCKED_FOR
    ),
}
LOG_TRIGGERS: Final[dict[str, type[LogTrigger]]] = {"drive_ended": DriveEnded, "charge_ended": ChargeEnded}


async def async_get_triggers(hass: HomeAssistant) -> dict[str, type[Trigger]]:
    """Return the triggers."""
    return {**TRIGGERS, **LOG_TRIGGERS}
