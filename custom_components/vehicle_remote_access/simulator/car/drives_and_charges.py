"""The truth about a car: every drive and every charge, to compare a client's log with."""

from dataclasses import dataclass, replace
from typing import Final

_MOST: Final = 20_000


@dataclass(slots=True)
class Activity:
    """A drive or a charge. The energies are in kWh."""

    start: float
    end: float
    miles: float = 0.0
    added: float = 0.0
    """What a charge added to the battery."""
    drawn: float = 0.0
    """What the charger drew."""

    @property
    def used(self) -> float:
        """What a drive took from the battery."""
        return -self.added


class History:
    """All drives and charges since the simulator started."""

    def __init__(self) -> None:
        self.drives: list[Activity] = []
        self.charges: list[Activity] = []
        self._is_driving = self._is_charging = False

    def add(self, step: Activity, *, is_driving: bool, is_charging: bool) -> None:
        _add(self.drives, step, is_active=is_driving, is_continued=self._is_driving)
        _add(self.charges, step, is_active=is_charging, is_continued=self._is_charging)
        self._is_driving, self._is_charging = is_driving, is_charging


def _add(activities: list[Activity], step: Activity, *, is_active: bool, is_continued: bool) -> None:
    if not is_active:
        return
    if not is_continued:
        del activities[:-_MOST]
        activities.append(replace(step))
        return
    last = activities[-1]
    last.end = step.end
    last.miles += step.miles
    last.added += step.added
    last.drawn += step.drawn
