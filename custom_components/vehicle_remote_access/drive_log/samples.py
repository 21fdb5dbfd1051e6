"""Samples: what was observed during drives and charges, to draw curves."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from operator import attrgetter
from typing import Any, Final, Self

from .drive_log import Changes, DriveLog
from .entries import (
    Charge,
    ChargeSample,
    Drive,
    DriveSample,
    Observation,
    from_table,
    rounded,
    to_table,
    without_position,
)

type Sample = DriveSample | ChargeSample

MOST_SAMPLES: Final = 120
"""The most samples that are kept of a drive or a charge."""
# A second is short enough to find the samples of a drive. A meter is exact enough for a track.
_POSITION_DIGITS: Final = 5
_CURVES: Final = ("speed", "power")
# These names are format version 1. A new version must still read them.
_TYPES: Final[Mapping[str, type[Sample]]] = {"drives": DriveSample, "charges": ChargeSample}


class Samples:
    """Samples of drives and charges. No entry refers to them: the time finds them."""

    def __init__(self) -> None:
        self._by_type: dict[type, dict[float, Any]] = {sample_type: {} for sample_type in _TYPES.values()}

    def __bool__(self) -> bool:
        return any(self._by_type.values())

    def __iter__(self) -> Iterator[Sample]:
        return chain.from_iterable(samples.values() for samples in self._by_type.values())

    def put(self, samples: Iterable[Sample]) -> None:
        for sample in samples:
            self._by_type[type(sample)][sample.at] = sample

    def of_type[S: Sample](self, sample_type: type[S]) -> list[S]:
        return list(self._by_type[sample_type].values())

    def add(self, observation: Observation, log: DriveLog) -> bool:
        """Add what an observation shows of a drive or a charge. Return whether the car drives or charges."""
        # The times of entries are rounded, too.
        at = round(observation.at)
        if observation.is_driving:
            speed, power = rounded(observation.speed, 1), rounded(observation.drive_power, 1)
            latitude = rounded(observation.latitude, _POSITION_DIGITS)
            longitude = rounded(observation.longitude, _POSITION_DIGITS)
            self.put([DriveSample(at, speed, power, observation.level, latitude, longitude)])
        charge = log.charge_tracker.open
        if charge is not None and observation.is_charging:
            price = rounded(charge.price(log.prices, observation.at), 5)
            if charge.is_paid_away:
                # While the place was unknown, they had the price at home.
                wrong = [sample for sample in self.of_type(ChargeSample) if sample.price != price]
                self.put(sample._replace(price=price, cost=None) for sample in wrong)
            # Without a price, the cost of a charge that has just started is 0 instead of unknown.
            cost = None if price is None else rounded(charge.total_cost(log.prices, observation.at), 3)
            power = rounded(observation.power, 2)
            self.put([ChargeSample(at, power=power, level=observation.level, price=price, cost=cost)])
        return observation.is_driving or observation.is_charging

    def during(self, entry: Drive | Charge) -> list[Sample]:
        """Return the samples of a drive or a charge, oldest first."""
        sample_type: type[Sample] = DriveSample if isinstance(entry, Drive) else ChargeSample
        return sorted(sample for sample in self.of_type(sample_type) if entry.start <= sample.at <= entry.end)

    def of_drives(self, drives: Iterable[Drive]) -> dict[str, list[DriveSample]]:
        """Return the samples of many drives by their ids, oldest first."""
        samples = sorted(self.of_type(DriveSample))
        times = [sample.at for sample in samples]
        return {
            drive.id: samples[bisect_left(times, drive.start) : bisect_right(times, drive.end)]
            for drive in drives
        }

    def forget_positions(self) -> None:
        self.put([without_position(sample) for sample in self.of_type(DriveSample)])

    def remove(self, samples: Sequence[Sample]) -> Sequence[Sample]:
        for sample in samples:
            self._by_type[type(sample)].pop(sample.at, None)
        return samples

    def finish(self, log: DriveLog, changes: Changes) -> Samples:
        """Remove the samples of entries that have ended. Return enough of them to draw curves."""
        finished = Samples()
        for entry in changes.ended:
            finished.put(thinned(self.remove(self.during(entry))))
        # A drive can turn out to be none.
        if log.drive_tracker.open is None:
            self._by_type[DriveSample].clear()
        if log.charge_tracker.open is None:
            self._by_type[ChargeSample].clear()
        return finished

    def by_month(self) -> Mapping[str, Samples]:
        months: defaultdict[str, Samples] = defaultdict(Samples)
        for sample in self:
            months[month_of(sample.at)].put([sample])
        return months

    def as_json(self) -> dict[str, Any]:
        return {kind: to_table(each, self.of_type(each)) for kind, each in _TYPES.items()}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Return stored samples. Raises ValueError, TypeError or KeyError if they are damaged."""
        samples = cls()
        for kind, sample_type in _TYPES.items():
            samples.put(from_table(sample_type, stored[kind]))
        return samples


def thinned(samples: Sequence[Sample]) -> list[Sample]:
    """Return at most `MOST_SAMPLES` samples: some at equal distances, and those with the extreme values."""
    if len(samples) <= MOST_SAMPLES:
        return list(samples)
    extremes: set[Sample] = set()
    for name in _CURVES:
        curve = [sample for sample in samples if getattr(sample, name, None) is not None]
        if curve:
            extremes |= {extreme(curve, key=attrgetter(name)) for extreme in (min, max)}
    last, count = len(samples) - 1, MOST_SAMPLES - len(extremes)
    spread = {samples[round(index * last / (count - 1))] for index in range(count)}
    return sorted(spread | extremes)


def month_of(at: float) -> str:
    """Return the month of a moment in UTC, for example 2026_11."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y_%m")


def months_of(entry: Drive | Charge) -> list[str]:
    days = range(int(entry.start), int(entry.end), 86_400)
    return sorted({month_of(at) for at in (*days, entry.end)})
