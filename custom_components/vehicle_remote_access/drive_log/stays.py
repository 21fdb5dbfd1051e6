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
        seconds = max(0.0, observation.at - self.at)
        stay = replace(self, at=observation.at, is_asleep=observation.is_asleep)
        if self.is_asleep:
            stay = replace(stay, asleep=self.asleep + seconds)
        if observation.is_asleep:
            return stay
        reasons = {*self.reasons.split(), *observation.reasons}
        lost = self._lost(observation)
        return replace(
            stay,
            **observation.known("level", "range", "energy"),
            lost=self.lost if lost is None else (self.lost or 0.0) + lost,
            reasons=" ".join(sorted(reasons)),
        )

    def _lost(self, observation: Observation) -> float | None:
        """Return the percent lost since the last observation. The range is more exact than the level."""
        if (
            observation.is_charging
            or (observation.energy or 0.0) > (self.energy or 0.0)
            or observation.level is None
            or self.level is None
        ):
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
            asleep=round(min(self.asleep, max(0.0, end - self.start)) / _HOUR, 2),
            awake_reasons=self.reasons,
        )
