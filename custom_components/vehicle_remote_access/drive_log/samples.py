"""Samples: what the looks during drives and charges showed, to draw curves. No clock, no Home Assistant."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, Self, cast

from .drive_log import Changes, DriveLog
from .entries import Charge, ChargeSample, Drive, DriveSample, Observation, from_table, to_table

LARGEST: Final = 120
"""The most samples that are kept of a drive or a charge."""
# A second is short enough to find the samples of a drive. A meter is exact enough for a track.
_POSITION_DIGITS: Final = 5
_KINDS: Final = ("speed", "power")

type Sample = DriveSample | ChargeSample


@dataclass(slots=True, kw_only=True)
class Samples:
    """Samples of drives and charges, by their moments. No record refers to them: the time finds them."""

    drives: dict[float, DriveSample] = field(default_factory=dict)
    charges: dict[float, ChargeSample] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Return whether there is any sample."""
        return bool(self.drives or self.charges)

    def add(self, look: Observation, book: DriveLog) -> None:
        """Add what a look at a car that drives or charges shows."""
        # The times of records are rounded, too.
        at = round(look.at)
        if look.is_driving:
            self.drives[at] = DriveSample(
                at,
                speed=_rounded(look.speed, 1),
                power=_rounded(look.drive_power, 1),
                level=look.level,
                latitude=_rounded(look.latitude, _POSITION_DIGITS),
                longitude=_rounded(look.longitude, _POSITION_DIGITS),
            )
        charge = book.charge_tracker.open
        if look.is_charging and charge is not None:
            price = _rounded(book.prices.mean(look.at, look.at, is_away=charge.is_paid_away), 5)
            if charge.is_paid_away:
                # While the place was unknown, they had the price at home.
                wrong = [sample for sample in self.charges.values() if sample.price != price]
                self.charges |= {sample.at: sample._replace(price=price, cost=None) for sample in wrong}
            self.charges[at] = ChargeSample(
                at,
                power=_rounded(look.power, 2),
                level=look.level,
                price=price,
                # Without a price, the cost of a charge that has just started is 0 instead of unknown.
                cost=None if price is None else _rounded(charge.total_cost(book.prices, look.at), 3),
            )

    def merge(self, other: Samples) -> None:
        """Add all samples of others."""
        self.drives |= other.drives
        self.charges |= other.charges

    def of(self, record: Drive | Charge) -> list[Sample]:
        """Return the samples of a drive or a charge, oldest first."""
        samples = self.drives if isinstance(record, Drive) else self.charges
        return sorted(sample for at, sample in samples.items() if record.start <= at <= record.end)

    def delete(self, record: Drive | Charge) -> bool:
        """Delete the samples of a drive or a charge. Return whether there were any."""
        samples = self.drives if isinstance(record, Drive) else self.charges
        found = self.of(record)
        for sample in found:
            del samples[sample.at]
        return bool(found)

    def finish(self, book: DriveLog, changes: Changes) -> Self:
        """Remove the samples of what has ended, and return some of them, enough to draw curves.

        The samples of a drive that turned out to be none are deleted.
        """
        finished = type(self)()
        ended: list[Drive | Charge] = [*changes.drives_ended, *changes.charges_ended]
        for record in ended:
            finished.merge(of(thinned(self.of(record))))
            self.delete(record)
        if book.drive_tracker.open is None:
            self.drives.clear()
        if book.charge_tracker.open is None:
            self.charges.clear()
        return finished

    def by_month(self) -> dict[str, Samples]:
        """Return the samples of each month."""
        months: dict[str, Samples] = {}
        samples: list[Sample] = [*self.drives.values(), *self.charges.values()]
        for sample in samples:
            months.setdefault(month_of(sample.at), Samples()).merge(of([sample]))
        return months

    # Storage

    def as_json(self) -> dict[str, Any]:
        """Return the samples, to be stored."""
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


def of(samples: Iterable[Sample]) -> Samples:
    """Return a collection of some samples."""
    collected = Samples()
    for sample in samples:
        if isinstance(sample, DriveSample):
            collected.drives[sample.at] = sample
        else:
            collected.charges[sample.at] = sample
    return collected


def thinned(samples: Sequence[Sample]) -> list[Sample]:
    """Return at most `LARGEST` samples: some at equal distances, and those with the extreme values."""
    if len(samples) <= LARGEST:
        return list(samples)
    extremes = {
        extreme(known, key=lambda sample: cast("float", getattr(sample, name)))
        for name in _KINDS
        if (known := [sample for sample in samples if getattr(sample, name, None) is not None])
        for extreme in (min, max)
    }
    last, count = len(samples) - 1, LARGEST - len(extremes)
    spread = {samples[round(index * last / (count - 1))] for index in range(count)}
    return sorted(spread | extremes)


def month_of(at: float) -> str:
    """Return the month of a moment in UTC, for example 2026_11."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y_%m")


def months_of(record: Drive | Charge) -> list[str]:
    """Return the months in which a drive or a charge can have samples."""
    days = range(int(record.start), int(record.end), 86_400)
    return sorted({month_of(at) for at in (*days, record.end)})


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
