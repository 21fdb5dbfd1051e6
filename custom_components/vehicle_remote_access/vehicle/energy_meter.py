"""What was charged: the car counts each session anew, a meter counts for ever."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final, Self

from ..api.records import ChargeState, Vehicle
from ..api.value_types import FLAG, KILOWATT_HOURS, MOMENT, ODOMETER

# A counter that falls by less than this share has been corrected, and not begun anew.
_CORRECTION: Final = 0.1
_MOVED: Final = 0.1
# The car names the time to go in quarters of an hour, rounded up.
_STEP: Final = timedelta(hours=0.25)


@dataclass(frozen=True, slots=True, kw_only=True)
class Meter:
    """What the car's counter of a session came to, and what all sessions came to together."""

    added: float | None = None
    """kWh of the session, as last read."""
    lifetime: float = 0.0
    """kWh since the car is known here. Never falls."""
    session_began: datetime | None = None
    """When the counter was first seen to begin anew."""
    was_unplugged: bool = False
    """Whether the cable has been out since the counter came to rest: if it moves, it is another session's."""
    is_doubted: bool = False
    """Whether the counter fell when it was last read, and nothing else told of another session."""
    odometer: float | None = None
    """Miles at which the counter came to rest; None while it moves."""

    def after(self, vehicle: Vehicle, now: datetime) -> Self:
        """Return the meter after a read of the car."""
        charge = vehicle.charge_state
        # One that was only stopped may go on, and be unplugged, while nobody looks.
        is_at_rest = charge.charging_state in ("complete", "disconnected")
        meter = self._counting(vehicle, charge.timestamp or now)
        was_unplugged = meter.was_unplugged or charge.is_plugged_in is False
        odometer = vehicle.vehicle_state.odometer if is_at_rest else None
        if was_unplugged is meter.was_unplugged and odometer == meter.odometer:
            return meter
        return replace(meter, was_unplugged=was_unplugged, odometer=odometer)

    def _counting(self, vehicle: Vehicle, now: datetime) -> Self:
        added = vehicle.charge_state.charge_energy_added
        has_moved = self._has_moved(vehicle)
        was_unplugged = self.was_unplugged or has_moved
        # Without a cable, the counter only settles on what the last session came to.
        is_another = was_unplugged and (has_moved or vehicle.charge_state.is_plugged_in is not False)
        if added is None or added == self.added:
            is_doubted = self.is_doubted and added is None
            if was_unplugged is self.was_unplugged and is_doubted is self.is_doubted:
                return self
            return replace(self, was_unplugged=was_unplugged, is_doubted=is_doubted)
        if self.added is None:
            # What was charged before the car was known here is nobody's to count.
            return replace(self, added=added)
        has_fallen = added < self.added * (1 - _CORRECTION)
        if is_another or (has_fallen and self.is_doubted):
            return replace(
                self,
                added=added,
                lifetime=self.lifetime + added,
                session_began=now,
                was_unplugged=False,
                is_doubted=False,
            )
        if has_fallen:
            # A single wrong figure would make all that came before it count twice.
            return replace(self, is_doubted=True)
        more = max(0.0, added - self.added)
        return replace(self, added=self.added + more, lifetime=self.lifetime + more, is_doubted=False)

    def _has_moved(self, vehicle: Vehicle) -> bool:
        """Whether the car has been driven, which no car is with a cable in it."""
        odometer = vehicle.vehicle_state.odometer
        return self.odometer is not None and odometer is not None and odometer > self.odometer + _MOVED

    def as_json(self) -> dict[str, Any]:
        """Return what has to be remembered."""
        began = self.session_began
        return {**asdict(self), "session_began": None if began is None else began.timestamp()}

    @classmethod
    def from_json(cls, kept: Any) -> Self:
        """Return the meter as it was remembered, or a new one."""
        if not isinstance(kept, Mapping):
            return cls()
        return cls(
            added=KILOWATT_HOURS.read(kept.get("added")),
            lifetime=KILOWATT_HOURS.read(kept.get("lifetime")) or 0.0,
            session_began=MOMENT.read(kept.get("session_began")),
            was_unplugged=FLAG.read(kept.get("was_unplugged")) or False,
            is_doubted=FLAG.read(kept.get("is_doubted")) or False,
            odometer=ODOMETER.read(kept.get("odometer")),
        )


def charge_finish(charge: ChargeState, expected: datetime | None) -> datetime | None:
    """Return when charging will have come to its limit, or None while the car does not charge.

    What was `expected` until now holds while the car's own figure allows it.
    """
    if charge.charging_state != "charging" or not charge.time_to_full_charge or charge.timestamp is None:
        return None
    latest = charge.timestamp + timedelta(hours=charge.time_to_full_charge)
    return expected if expected is not None and latest - _STEP <= expected <= latest else latest
