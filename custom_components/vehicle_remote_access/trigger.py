"""Triggers for events of a car, for example plugged in or parked.

Most are a change of one entity from one known state to another. A car that becomes available, or a start of
Home Assistant, is not a change.

Home Assistant's API for triggers may still change. Only this module depends on it.
"""

from datetime import timedelta
from typing import Any, Final, override

from homeassistant.const import CONF_FOR, CONF_OPTIONS, STATE_OFF, STATE_ON, STATE_UNAVAILABLE, Platform
from homeassistant.core import CALLBACK_TYPE, Context, HomeAssistant, State, callback
from homeassistant.helpers import config_validation as cv, trigger
from homeassistant.helpers.automation import DomainSpec
import voluptuous as vol

from .api.records import ChargeState, DriveState, Vehicle, VehicleState
from .charging_plan.planner import Reason
from .drive_log.manager import log_units
from .drive_log.view import ENDED
from .entity import PathFilter, vehicle_of
from .polling.modes import ONLINE, Mode
from .vehicle.arrival_watch import CONF_MINUTES, MINUTES, ArrivalListener, add_arrival_listener

_NO_DURATION: Final = timedelta(0)
# A car that does not answer counts as asleep until the service reports it as offline.
_ASLEEP_FOR: Final = timedelta(minutes=2)
# While carrying things inside, a driver leaves the car unlocked or vented for some minutes.
_LEFT_FOR: Final = timedelta(minutes=5)
# Of the spending limit
_NEAR_LIMIT: Final = 0.8
# The charging states after charging ended early
_CHARGE_ENDS: Final[set[str | bool]] = {"stopped", "no_power", "disconnected"}
_CHARGING: Final = ChargeState.charging_state.path
_STATE: Final = Vehicle.state.path


class TransitionTrigger(PathFilter, trigger.EntityTransitionTriggerBase):
    """A change from one state to another, which may have to last for a duration."""


class ChargingTrigger(TransitionTrigger):
    """A change of the charging state. A car that was stopped at its limit has completed charging."""

    @override
    def _get_tracked_value(self, state: State) -> str | None:
        """Return the state. If charging ended at the limit, return complete, or None without a charger."""
        if state.state not in _CHARGE_ENDS:
            return state.state
        vehicle = vehicle_of(self._hass, state.entity_id)
        if vehicle is None or not vehicle.charge_state.is_at_limit:
            return state.state
        return "complete" if state.state == "stopped" else None

    @override
    def is_valid_transition(self, from_state: State, to_state: State) -> bool:
        # A full car may try to charge, and then wait for its scheduled time.
        if to_state.state in _CHARGE_ENDS and from_state.state != "charging":
            return False
        # The level and the limit are those of the new state.
        return from_state.state != to_state.state and from_state.state in self._from_states


def _trigger(
    path: str,
    platform: Platform = Platform.SENSOR,
    *,
    base: type[TransitionTrigger] = TransitionTrigger,
    from_states: set[str | bool],
    to_states: set[str | bool],
    duration: timedelta = _NO_DURATION,
) -> type[TransitionTrigger]:
    """Return the trigger for a change. `duration`: the default of its option `for`."""
    options = {vol.Optional(CONF_FOR, default=duration): cv.positive_time_period}

    class Change(base):  # type: ignore[misc, valid-type]  # mypy knows no dynamic base class
        """A change between these states."""

        _domain_specs = {platform: DomainSpec()}  # noqa: RUF012 - declared so by the base class
        _path = path
        _from_states = from_states
        _to_states = to_states
        _schema = trigger.ENTITY_STATE_TRIGGER_SCHEMA_WITH_BEHAVIOR.extend(
            {vol.Required(CONF_OPTIONS, default={}): options}
        )

    return Change


def _turned(state: str, path: str, duration: timedelta = _NO_DURATION) -> type[TransitionTrigger]:
    before = STATE_OFF if state == STATE_ON else STATE_ON
    return _trigger(path, Platform.BINARY_SENSOR, from_states={before}, to_states={state}, duration=duration)


class LogTrigger(PathFilter, trigger.StatelessEntityTriggerBase):
    """The end of a drive or a charge, with its record."""

    _domain_specs = {Platform.EVENT: DomainSpec(value_source="event_type")}  # noqa: RUF012

    @override
    def is_valid_state(self, state: State, report_not_triggered: trigger.NotTriggeredReasonReporter) -> bool:
        return bool(self._get_tracked_value(state) == ENDED)

    @override
    async def async_attach_runner(
        self,
        run_action: trigger.TriggerActionRunner,
        did_not_trigger: trigger.TriggerNotTriggeredReporter | None = None,
    ) -> CALLBACK_TYPE:
        @callback
        def run_with_record(
            extra_trigger_payload: dict[str, Any], description: str, context: Context | None = None
        ) -> Any:
            record = dict(extra_trigger_payload["to_state"].attributes)
            payload = {**extra_trigger_payload, "units": log_units(self._hass).names, "record": record}
            return run_action(payload, description, context)

        return await super().async_attach_runner(run_with_record, did_not_trigger)


class DriveEnded(LogTrigger):
    """The end of a drive."""

    _path = "log.drive"


class ChargeEnded(LogTrigger):
    """The end of a charge."""

    _path = "log.charge"


class ChargingPlanTooLate(PathFilter, trigger.EntityTransitionTriggerBase):
    """The charging plan finds that there is not enough time to reach the charge limit."""

    _domain_specs = {Platform.SENSOR: DomainSpec(value_source="reason")}  # noqa: RUF012
    _path = "charging_plan.start"
    # Without a plan, its start is unknown.
    _excluded_from_states = frozenset({STATE_UNAVAILABLE})
    _from_states = {*Reason} - {Reason.TOO_LATE}
    _to_states = {Reason.TOO_LATE}  # noqa: RUF012


class ArrivingHome(PathFilter, trigger.StatelessEntityTriggerBase):
    """The car will be home in some minutes. Without its position, this is unknown."""

    _domain_specs = {Platform.BINARY_SENSOR: DomainSpec()}  # noqa: RUF012
    _path = DriveState.shift_state.path
    _schema = trigger.ENTITY_STATE_TRIGGER_SCHEMA.extend({vol.Required(CONF_OPTIONS, default={}): MINUTES})

    @override
    async def async_attach_runner(
        self,
        run_action: trigger.TriggerActionRunner,
        did_not_trigger: trigger.TriggerNotTriggeredReporter | None = None,
    ) -> CALLBACK_TYPE:
        minutes = self._options[CONF_MINUTES]

        def fire(entity_id: str) -> None:
            run_action({"entity_id": entity_id}, f"{entity_id} is home in {minutes} minutes")

        return add_arrival_listener(self._hass, ArrivalListener(minutes * 60, self.targeted, fire))


class SpendingNearLimit(PathFilter, trigger.EntityTransitionTriggerBase):
    """The requests of this month have reached 80% of the spending limit."""

    _domain_specs = {Platform.SENSOR: DomainSpec()}  # noqa: RUF012
    _path = "spent_this_month"
    _primary_entities_only = False
    _from_states = {False}  # noqa: RUF012
    _to_states = {True}  # noqa: RUF012

    @override
    def _get_tracked_value(self, state: State) -> bool | None:
        """Return whether the limit is near, None without a limit or without a state."""
        limit: float | None = state.attributes.get("limit")
        if not limit or state.state in self._excluded_states:
            return None
        return float(state.state) >= _NEAR_LIMIT * limit


TRIGGERS: Final[dict[str, type[TransitionTrigger]]] = {
    "plugged_in": _turned(STATE_ON, ChargeState.conn_charge_cable.path),
    "unplugged": _turned(STATE_OFF, ChargeState.conn_charge_cable.path),
    # Not from disconnected and no_power: a full car reports complete without having charged. From stopped,
    # because a car with a schedule may have charged between two reads.
    "charging_completed": _trigger(
        _CHARGING,
        base=ChargingTrigger,
        from_states={"starting", "charging", "stopped"},
        to_states={"complete"},
    ),
    # Not from starting: a car may try to charge, and then wait for its scheduled time.
    "charging_interrupted": _trigger(
        _CHARGING, base=ChargingTrigger, from_states={"charging"}, to_states=_CHARGE_ENDS
    ),
    "started_driving": _turned(STATE_ON, DriveState.shift_state.path),
    "parked": _turned(STATE_OFF, DriveState.shift_state.path),
    # Not from or to offline: an offline car may be asleep or awake.
    "fell_asleep": _trigger(_STATE, from_states={ONLINE}, to_states={Mode.ASLEEP}, duration=_ASLEEP_FOR),
    "woke_up": _trigger(_STATE, from_states={Mode.ASLEEP}, to_states={ONLINE}),
    "left_unlocked": _turned(STATE_ON, f"{VehicleState.locked.path}.left", _LEFT_FOR),
    "windows_left_open": _turned(STATE_ON, f"{VehicleState.fd_window.path}.left", _LEFT_FOR),
    "tire_pressure_low": _turned(STATE_ON, f"{VehicleState.tpms_soft_warning_fl.path}.any"),
}
LOG_TRIGGERS: Final[dict[str, type[LogTrigger]]] = {"drive_ended": DriveEnded, "charge_ended": ChargeEnded}
PLAN_TRIGGERS: Final = {"charging_plan_too_late": ChargingPlanTooLate}
ARRIVAL_TRIGGERS: Final = {"arriving_home": ArrivingHome}
ACCOUNT_TRIGGERS: Final = {"spending_near_limit": SpendingNearLimit}


async def async_get_triggers(hass: HomeAssistant) -> dict[str, type[trigger.Trigger]]:
    return {**TRIGGERS, **LOG_TRIGGERS, **PLAN_TRIGGERS, **ARRIVAL_TRIGGERS, **ACCOUNT_TRIGGERS}
