"""What has not ended: what drives and charges have in common, and the stay of a parked car."""

from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self

from ..util.immutable import replace
from ..util.local_time import HOUR
from ..util.stored import Stored
from .entries import Charge, Drive, Observation, Seen, Stay, without_none

# A start or an end within this time between two observations counts as watched.
WATCHED: Final = 150.0


@dataclass(frozen=True, kw_only=True)
class OpenEntry(Stored):
    """A drive or a charge that has not ended, or was interrupted a short time ago."""

    start: float
    """When the drive or charge was first observed."""
    earliest: float
    """When the car was last observed before the start."""
    stopped_at: float | None = None
    """When the car was first observed after the end; None before that."""
    merged_below: ClassVar[float]
    """An interruption of fewer seconds does not end the drive or charge."""

    @property
    def settles_at(self) -> float | None:
        """When the drive or charge ends without another observation, None if it does not."""
        return None if self.stopped_at is None else self.stopped_at + self.merged_below

    def is_settled(self, now: float) -> bool:
        return self.settles_at is not None and now >= self.settles_at

    def as_entry[E: (Drive, Charge)](
        self,
        entry_type: type[E],
        now: float,
        last: float | None,
        *,
        before: float = 0.0,
        after: float = 0.0,
        total: float,
        **values: Any,
    ) -> E:
        """Return the entry as if it had ended, with its times, and how much of it was watched.

        `last`: when it was last observed, None if it never was. `total`: the seconds that it usually takes.
        `before`, `after`: those before the first observation, and after the last one. For example, at 2
        minutes per mile, a drive of 10 miles that is first seen after 2 miles has a `total` of 1200 and a
        `before` of 240: it starts 240 s earlier, but not before `earliest`. `values`: the other values.
        """
        latest = now if self.stopped_at is None else self.stopped_at
        if last is None:
            # The middle between the two observations is the best guess.
            slack = max(0.0, latest - self.earliest - total) / 2
            start, end = self.earliest + slack, latest - slack
        else:
            start, end = max(self.earliest, self.start - before), min(latest, last + after)
        is_start_known = self.start - self.earliest <= WATCHED
        is_end_known = last is not None and latest - last <= WATCHED
        watched = Seen.LIVE if is_start_known and is_end_known else Seen.PARTLY
        # Values that both have under the same name are copied.
        values = {name: value for name, value in vars(self).items() if name in entry_type._fields} | values
        values |= {
            "start": round(start),
            "end": max(round(start), round(end)),
            "start_earliest": None if is_start_known else round(self.earliest),
            "end_latest": None if is_end_known else round(latest),
            "seen": Seen.AFTERWARDS.value if last is None else watched.value,
        }
        return entry_type(**values)


@dataclass(frozen=True, kw_only=True)
class OpenStay(Stored):
    """The stay since the last drive."""

    id: str
    start: float
    at: float
    """The last observation."""
    place: str | None = None
    level: float | None = None
    range: float | None = None
    energy: float | None = None
    is_asleep: bool = False
    lost: float | None = None
    """Percent of the battery."""
    asleep: float = 0.0
    """Seconds."""
    reasons: str = ""

    def after(self, observation: Observation) -> Self:
        asleep = self.asleep + (max(0.0, observation.at - self.at) if self.is_asleep else 0.0)
        stay = replace(self, at=observation.at, is_asleep=observation.is_asleep, asleep=asleep)
        if observation.is_asleep:
            return stay
        lost = self._lost(observation)
        return replace(
            stay,
            lost=self.lost if lost is None else (self.lost or 0.0) + lost,
            reasons=" ".join(sorted({*self.reasons.split(), *observation.reasons})),
            **without_none(level=observation.level, range=observation.range, energy=observation.energy),
        )

    def _lost(self, observation: Observation) -> float | None:
        """Return the percent lost since the last observation. The range is more exact than the level."""
        is_charged = observation.is_charging or (observation.energy or 0.0) > (self.energy or 0.0)
        if is_charged or observation.level is None or self.level is None:
            return None
        if self.range and observation.range is not None and self.level > 0:
            return (self.range - observation.range) * self.level / self.range
        return self.level - observation.level

    def closed(self, end: float) -> Stay:
        return Stay(
            id=self.id,
            start=round(self.start),
            end=max(round(self.start), round(end)),
            place=self.place,
            battery_lost=None if self.lost is None else round(self.lost, 2),
            asleep=round(min(self.asleep, max(0.0, end - self.start)) / HOUR, 2),
            awake_reasons=self.reasons,
        )
