"""The energy that was charged. The car's counter restarts with each session, the meter never does."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Self

from ..api.records import Vehicle
from ..util.immutable import replace
from ..util.local_time import HOUR
from ..util.positions import was_driven
from ..util.stored import Stored

# If the counter falls by a smaller share, the car corrected it. Otherwise it restarted.
_CORRECTION: Final = 0.1
_MOVED: Final = 0.1
# kW. No charger is faster: with alternating current, and a fast charger.
_FASTEST: Final = {False: 22.0, True: 400.0}


def has_restarted(energy: float, before: float) -> bool:
    """Return whether a counter has restarted at 0 since an earlier value."""
    return energy < before * (1 - _CORRECTION)


@dataclass(frozen=True, kw_only=True)
class EnergyMeter(Stored):
    """The car's counter of a session, and the total of all sessions."""

    added: float | None = None
    """kWh of the session: the highest value read."""
    lifetime: float = 0.0
    """kWh since the car was added. Never falls."""
    session_began: float | None = None
    """When the counter last restarted; None before that."""
    was_unplugged: bool = False
    """Whether the cable was unplugged since the counter stopped. If it rises again, a new session began."""
    is_doubted: bool = False
    """Whether the counter fell in the last read without another sign of a new session."""
    odometer: float | None = None
    """Odometer in miles when the counter stopped; None while the counter rises."""
    read_at: float | None = None

    @property
    def total(self) -> float | None:
        """The kWh since the car was added, None if the car has never reported its counter."""
        return None if self.added is None else self.lifetime

    def updated(self, vehicle: Vehicle, now: datetime) -> Self:
        charge = vehicle.charge_state
        now = charge.timestamp or now
        meter = self._with_counter(vehicle, now)
        # A stopped session may continue, and end, between two reads.
        is_at_rest = charge.charging_state in ("complete", "disconnected")
        return replace(
            meter,
            was_unplugged=meter.was_unplugged or charge.is_plugged_in is False,
            odometer=vehicle.vehicle_state.odometer if is_at_rest else None,
            read_at=now.timestamp(),
        )

    def _with_counter(self, vehicle: Vehicle, now: datetime) -> Self:
        charge = vehicle.charge_state
        added = charge.charge_energy_added
        # Without being unplugged, the car can't be driven.
        is_driven = was_driven(vehicle.vehicle_state.odometer, self.odometer, _MOVED)
        was_unplugged = self.was_unplugged or is_driven
        if added in (None, self.added):
            return replace(self, was_unplugged=was_unplugged, is_doubted=self.is_doubted and added is None)
        if self.added is None:
            # Energy that was charged before the car was added does not count.
            return replace(self, added=added)
        # Without a cable, the counter only settles on the last session's total.
        is_new_session = was_unplugged and (is_driven or charge.is_plugged_in is not False)
        has_fallen = has_restarted(added, self.added)
        if is_new_session and not has_fallen:
            # A counter that only rose is that of a new session if there was time to charge all of it.
            is_fast = is_driven or bool(charge.fast_charger_present)
            hours = (now.timestamp() - (self.read_at or 0.0)) / HOUR
            had_time = added <= _FASTEST[is_fast] * hours
            is_new_session = was_unplugged = had_time
        if is_new_session or (has_fallen and self.is_doubted):
            return replace(
                self,
                added=added,
                lifetime=self.lifetime + added,
                session_began=now.timestamp(),
                was_unplugged=False,
                is_doubted=False,
            )
        if has_fallen:
            # A single wrong value would count the session twice.
            return replace(self, is_doubted=True)
        added = max(added, self.added)
        lifetime = self.lifetime + (added - self.added)
        return replace(self, added=added, lifetime=lifetime, was_unplugged=was_unplugged, is_doubted=False)
