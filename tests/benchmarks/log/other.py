"""What TeslaMate's published rules make of the same observations, for comparison.

A drive lasts from the first observation in gear to the first one that is not. A charge lasts as long as the
car reports that it charges. Nothing is added for the time between.
"""

from dataclasses import dataclass, replace

from custom_components.vehicle_remote_access.drive_log.entries import Observation


@dataclass(frozen=True)
class Seen:
    """A drive or a charge."""

    start: float
    end: float
    low: float
    high: float

    @property
    def amount(self) -> float:
        return self.high - self.low


def drives(observations: list[tuple[Observation, float | None]]) -> list[Seen]:
    """Return the drives. Shorter ones than ten meters are left out."""
    found = _phases([(each.at, each.is_driving, each.odometer) for each, _ in observations])
    return [each for each in found if each.amount > 0.00621]


def charges(observations: list[tuple[Observation, float | None]]) -> list[Seen]:
    """Return the charges, by the car's counter of the session."""
    return _phases([(each.at, each.is_charging, added) for each, added in observations])


def _phases(observations: list[tuple[float, bool, float | None]]) -> list[Seen]:
    found: list[Seen] = []
    was_active = False
    for at, is_active, amount in observations:
        value = amount or 0.0
        if is_active and not was_active:
            found.append(Seen(at, at, value, value))
        elif was_active:
            found[-1] = replace(found[-1], end=at, high=max(value, found[-1].high))
        was_active = is_active
    return found
