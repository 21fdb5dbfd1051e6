"""Stays: what a parked car loses, and how long it sleeps."""

from dataclasses import dataclass, replace
from typing import Self

from .entries import Observation, Stay, Stored

_HOUR = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenStay(Stored):
    """The stay since the last drive."""

    id: str
    start: float
    at: float
    """The last look."""
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

    def after(self, look: Observation) -> Self:
        """Return the stay after a look at the parked car."""
        seconds = max(0.0, look.at - self.at)
        stay = replace(self, at=look.at, is_asleep=look.is_asleep)
        if self.is_asleep:
            stay = replace(stay, asleep=self.asleep + seconds)
        if look.is_asleep:
            return stay
        reasons = {*self.reasons.split(), *look.reasons}
        lost = self._lost(look)
        return replace(
            stay,
            level=self.level if look.level is None else look.level,
            range=self.range if look.range is None else look.range,
            energy=self.energy if look.energy is None else look.energy,
            lost=self.lost if lost is None else (self.lost or 0.0) + lost,
            reasons=" ".join(sorted(reasons)),
        )

    def _lost(self, look: Observation) -> float | None:
        """Return the percent lost since the last look. The range is more exact than the whole percents."""
        if (
            look.is_charging
            or (look.energy or 0.0) > (self.energy or 0.0)
            or look.level is None
            or self.level is None
        ):
            return None
        if self.range and look.range is not None and self.level > 0:
            return (self.range - look.range) * self.level / self.range
        return self.level - look.level

    def closed(self, end: float) -> Stay:
        """Return the record."""
        return Stay(
            id=self.id,
            start=round(self.start),
            end=max(round(self.start), round(end)),
            place=self.place,
            battery_lost=None if self.lost is None else round(self.lost, 2),
            asleep=round(min(self.asleep, max(0.0, end - self.start)) / _HOUR, 2),
            awake_reasons=self.reasons,
        )
