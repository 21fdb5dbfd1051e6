"""Whether the plan or a person decides on the charge of a car that is plugged in. Times are Unix seconds."""

from dataclasses import dataclass, replace
from typing import Final, Self

from ..api.records import CHARGING_STATES, Vehicle
from ..util.positions import was_driven
from ..util.stored import Stored

# A car starts to charge by itself when it is plugged in. This is seen some time later. Some cars also start
# again by themselves after they were stopped.
_AUTOMATIC_FOR: Final = 120.0
NO_POWER: Final = "no_power"
_COMPLETE: Final = "complete"


@dataclass(frozen=True, kw_only=True)
class ChargingSession(Stored):
    """What happened since the car was plugged in."""

    plugged_at: float | None = None
    """When the car was first seen plugged in."""
    odometer: float | None = None
    """Miles, when the car was plugged in. If it is more now, the car was unplugged in the meantime."""
    state: str | None = None
    """The charging state that was last seen."""
    limit: float | None = None
    """The limit in percent when `state` was first seen."""
    has_slept: bool = False
    """Whether the car slept since `state` was seen. Then a charge has ended without being seen."""
    speed: float | None = None
    """The kWh per hour that reached the battery when the car charged last."""
    is_scheduled: bool = False
    """Whether the car waited for its own schedule when `state` was seen."""
    asked: bool | None = None
    """What the plan asked for last: to charge or not; None if it has not asked yet."""
    is_for_surplus: bool = False
    """Whether the car charges only because of surplus power, or did until the plan asked it to stop."""
    stopped_at: float | None = None
    """When the car was first seen not charging after the plan asked it to stop."""
    is_manual: bool = False
    """Whether a person started or stopped the charge. Then the plan leaves it alone."""
    amps: float | None = None
    """The current that the plan has set; None if it is that of a person."""
    usual_amps: float | None = None
    """The current that a person had set before."""
    is_amps_seen: bool = False
    """Whether the car has shown the current since the plan has set it."""

    def restarted(self) -> Self:
        """Return the session after the plan was turned on. A car that was not moved charges as fast."""
        return replace(self._unplugged(), odometer=self.odometer, speed=self.speed)

    def _unplugged(self) -> Self:
        """Return a session of an unplugged car. The current of a person is still to be restored."""
        return type(self)(amps=self.amps, usual_amps=self.usual_amps, is_amps_seen=self.is_amps_seen)

    def current_of_person(self, reported: float | None) -> float | None:
        """Return the current that a person has set. `reported`: what the car shows now; None if unknown."""
        return reported if self.usual_amps is None else self.usual_amps

    def with_amps(self, amps: float, reported: float) -> Self:
        """Return the session after the plan has set a current. `reported`: the current before."""
        return replace(self, amps=amps, usual_amps=self.current_of_person(reported), is_amps_seen=False)

    def with_usual_amps(self) -> Self:
        return replace(self, amps=None, usual_amps=None, is_amps_seen=False)

    def _with_seen_amps(self, shown: float | None) -> Self:
        """Return the session after the car has shown its current, which a person can have changed."""
        if self.amps is None or shown is None:
            return self
        # A car can round what it gets, so its first answer counts.
        is_of_plan = shown != self.usual_amps and (shown == self.amps or not self.is_amps_seen)
        return replace(self, amps=shown, is_amps_seen=True) if is_of_plan else self.with_usual_amps()

    def observed(self, now: float, vehicle: Vehicle, *, is_at_home: bool = True) -> Self:
        """Return the session after a live read that shows the effects of all commands."""
        # A car has a current of its own for each place.
        shown = vehicle.charge_state.charge_current_request if is_at_home else None
        session = self._with_seen_amps(shown) if vehicle.charge_state.is_plugged_in else self
        return session._with_seen_state(now, vehicle)  # noqa: SLF001 - of the same class

    def _with_seen_state(self, now: float, vehicle: Vehicle) -> Self:
        charge, odometer = vehicle.charge_state, vehicle.vehicle_state.odometer
        state, limit = charge.charging_state, charge.charge_limit_soc
        is_scheduled = bool(charge.scheduled_charging_pending)
        if not charge.is_plugged_in:
            return self._unplugged()
        is_driven = was_driven(odometer, self.odometer)
        if self.plugged_at is None or is_driven:
            new = replace(self._unplugged(), plugged_at=now, odometer=odometer, state=state, limit=limit)
            return replace(new, is_scheduled=is_scheduled, speed=None if is_driven else self.speed)
        if state is None:
            return self
        stopped_at = None if self.asked else self.stopped_at
        if self.asked is False and stopped_at is None and state not in CHARGING_STATES:
            stopped_at = now
        seen = replace(self, stopped_at=stopped_at, has_slept=False, is_scheduled=is_scheduled)
        if state == self.state:
            return seen
        is_manual = self.is_manual or not self._is_explained(state, limit, now)
        return replace(seen, state=state, limit=limit, is_manual=is_manual)

    def _is_explained(self, state: str, limit: float | None, now: float) -> bool:
        """Return whether the car, its power supply or the plan has changed the state."""
        is_charging = state in CHARGING_STATES
        if is_charging is (self.state in CHARGING_STATES):
            return True
        if not is_charging:
            return self.asked is False or state in (NO_POWER, _COMPLETE) or self.has_slept
        since = self.plugged_at if self.asked is None else self.stopped_at
        if self.is_scheduled or (since is not None and now - since < _AUTOMATIC_FOR):
            return True
        # The plan starts no car that is complete. It goes on by itself when its limit is raised.
        return limit != self.limit if self.state == _COMPLETE else bool(self.asked) or self.state == NO_POWER

    def by_person(self, *, charge: bool, was_needed: bool, is_planned: bool) -> Self:
        """Return the session after a person has asked the car to charge, or to stop.

        That is a decision only if the car, or the plan (`is_planned`), does something else now.
        """
        # If the car says that there was nothing to stop, the state that was seen is old.
        is_charging = self.state in CHARGING_STATES and not self.has_slept and (charge or was_needed)
        is_decision = was_needed if charge is not is_charging else charge is not is_planned
        return replace(self, is_manual=True) if is_decision else self
