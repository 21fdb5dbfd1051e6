"""Samples: what was observed during drives and charges, to draw curves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, Self, cast

from .drive_log import Changes, DriveLog
from .entries import Charge, ChargeSample, Drive, DriveSample, Observation, from_table, rounded, to_table

MOST_SAMPLES: Final = 120
"""The most samples that are kept of a drive or a charge."""
# A second is short enough to find the samples of a drive. A meter is exact enough for a track.
_POSITION_DIGITS: Final = 5
_KINDS: Final = ("speed", "power")

type Sample = DriveSample | ChargeSample


@dataclass(slots=True, kw_only=True)
class Samples:
    """Samples of drives and charges, by their moments. No entry refers to them: the time finds them."""

    drives: dict[float, DriveSample] = field(default_factory=dict)
    charges: dict[float, ChargeSample] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.drives or self.charges)

    def add(self, observation: Observation, log: DriveLog) -> bool:
        """Add what an observation of a car that drives or charges shows. Return whether it does."""
        # The times of entries are rounded, too.
        at = round(observation.at)
        if observation.is_driving:
            self.drives[at] = DriveSample(
                at,
                speed=rounded(observation.speed, 1),
                power=rounded(observation.drive_power, 1),
                level=observation.level,
                latitude=rounded(observation.latitude, _POSITION_DIGITS),
                longitude=rounded(observation.longitude, _POSITION_DIGITS),
            )
        charge = log.charge_tracker.open
        if observation.is_charging and charge is not None:
            price = rounded(log.prices.mean(observation.at, observation.at, is_away=charge.is_paid_away), 5)
            if charge.is_paid_away:
                # While the place was unknown, they had the price at home.
                wrong = [sample for sample in self.charges.values() if sample.price != price]
                self.charges |= {sample.at: sample._replace(price=price, cost=None) for sample in wrong}
            self.charges[at] = ChargeSample(
                at,
                power=rounded(observation.power, 2),
                level=observation.level,
                price=price,
                # Without a price, the cost of a charge that has just started is 0 instead of unknown.
                cost=None if price is None else rounded(charge.total_cost(log.prices, observation.at), 3),
            )
        return observation.is_driving or observation.is_charging

    def merge(self, other: Samples) -> None:
        self.drives |= other.drives
        self.charges |= other.charges

    def by_time(self, entry: Drive | Charge) -> dict[float, Any]:
        return self.drives if isinstance(entry, Drive) else self.charges

    def of(self, entry: Drive | Charge) -> list[Sample]:
        """Return the samples of a drive or a charge, oldest first."""
        samples = self.by_time(entry)
        return sorted(sample for at, sample in samples.items() if entry.start <= at <= entry.end)

    def delete(self, entry: Drive | Charge) -> bool:
        """Delete the samples of a drive or a charge. Return whether there were any."""
        found = self.of(entry)
        for sample in found:
            del self.by_time(entry)[sample.at]
        return bool(found)

    def finish(self, log: DriveLog, changes: Changes) -> Self:
        """Remove the samples of what has ended, and return some of them, enough to draw curves.

        The samples of a drive that turned out to be none are deleted.
        """
        finished = type(self)()
        for entry in changes.ended:
            kept = {sample.at: sample for sample in thinned(self.of(entry))}
            self.delete(entry)
            finished.by_time(entry).update(kept)
        if log.drive_tracker.open is None:
            self.drives.clear()
        if log.charge_tracker.open is None:
            self.charges.clear()
        return finished

    def by_month(self) -> dict[str, Samples]:
        months: dict[str, Samples] = {}
        for at, drive_sample in self.drives.items():
            months.setdefault(month_of(at), Samples()).drives[at] = drive_sample
        for at, charge_sample in self.charges.items():
            months.setdefault(month_of(at), Samples()).charges[at] = charge_sample
        return months

    def as_json(self) -> dict[str, Any]:
        # These keys are format version 1. A new version must still read them.
        return {
            "drives": to_table(DriveSample, self.drives.values()),
            "charges": to_table(ChargeSample, self.charges.values()),
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Return stored samples. Raises ValueError, TypeError or KeyError if they are damaged."""
        drives = from_table(DriveSample, stored["drives"])
        charges = from_table(ChargeSample, stored["charges"])
        return cls(
            drives={sample.at: sample for sample in drives},
            charges={sample.at: sample for sample in charges},
        )


def thinned(samples: Sequence[Sample]) -> list[Sample]:
    """Return at most `MOST_SAMPLES` samples: some at equal distances, and those with the extreme values."""
    if len(samples) <= MOST_SAMPLES:
        return list(samples)
    extremes = {
        extreme(known, key=lambda sample: cast("float", getattr(sample, name)))
        for name in _KINDS
        if (known := [sample for sample in samples if getattr(sample, name, None) is not None])
        for extreme in (min, max)
    }
    last, count = len(samples) - 1, MOST_SAMPLES - len(extremes)
    spread = {samples[round(index * last / (count - 1))] for index in range(count)}
    return sorted(spread | extremes)


def month_of(at: float) -> str:
    """Return the month of a moment in UTC, for example 2026_11."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y_%m")


def months_of(entry: Drive | Charge) -> list[str]:
    """Return the months in which a drive or a charge can have samples."""
    days = range(int(entry.start), int(entry.end), 86_400)
    return sorted({month_of(at) for at in (*days, entry.end)})
