"""The media player (media_info)."""

from dataclasses import dataclass
from typing import Final, NamedTuple

from custom_components.vehicle_remote_access.simulator.car.timeline import Timeline
from custom_components.vehicle_remote_access.simulator.persistence import Persistent

HIGHEST_VOLUME: Final = 10.333333
VOLUME_STEP: Final = 0.333333
TRACK_SECONDS: Final = 240.0


class Track(NamedTuple):
    """A track of the only playlist."""

    title: str
    artist: str
    album: str


TRACKS: Final = (
    Track("Open Road", "The Odometers", "First Service"),
    Track("Range Remaining", "The Odometers", "First Service"),
    Track("Regenerate", "Kilowatt", "Live at the Charger"),
)


@dataclass
class Media(Persistent):
    """A player that repeats its playlist. It pauses only when someone pauses it."""

    _timeline: Timeline
    started: float
    """The moment at which the playlist would have started without any pause."""
    paused_at: float | None = None
    volume: float = 2.0

    @property
    def is_paused(self) -> bool:
        return self.paused_at is not None

    @property
    def track(self) -> Track:
        return TRACKS[self._index % len(TRACKS)]

    @property
    def elapsed(self) -> float:
        return self._played % TRACK_SECONDS

    def toggle(self) -> None:
        if self.paused_at is None:
            self.paused_at = self._timeline.now
        else:
            self.started += self._timeline.now - self.paused_at
            self.paused_at = None

    def skip(self, tracks: int) -> None:
        self.started += self._played - (self._index + tracks) % len(TRACKS) * TRACK_SECONDS

    @property
    def _played(self) -> float:
        return (self._timeline.now if self.paused_at is None else self.paused_at) - self.started

    @property
    def _index(self) -> int:
        return int(self._played // TRACK_SECONDS)
