"""The names of places: the zones of Home Assistant."""

from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from typing import Any, Final, NamedTuple

from ..util.immutable import replace
from ..util.positions import METERS_PER_DEGREE, degrees_between
from ..util.stored import Stored
from .entries import LOCATION, Charge, Drive, Entries, Observation

_PLACE_RADIUS: Final = 300.0


class Zone(NamedTuple):
    """A zone of Home Assistant."""

    name: str
    latitude: float
    longitude: float
    radius: float
    """Meters."""
    is_passive: bool = False
    is_home: bool = False


class Zones:
    """The zones at one moment. A user can change them, so the names that they give are not stored."""

    def __init__(self, zones: Iterable[Zone] = ()) -> None:
        self.all = tuple(zones)

    def with_places(self, places: Mapping[str, tuple[float, float]]) -> Zones:
        """Return these zones and places that have a name without a zone. `places`: positions by name."""
        if not places:
            return self
        return Zones([*self.all, *(Zone(name, *at, _PLACE_RADIUS) for name, at in places.items())])

    @cached_property
    def home(self) -> str | None:
        """The name of the home zone."""
        return next((zone.name for zone in self.all if zone.is_home), None)

    def is_home(self, place: str | None) -> bool:
        return place is not None and place == self.home

    def is_charge_at_home(self, charge: Charge) -> bool:
        """Return whether a charge was at home, also if the home had another name."""
        zone = self.containing(charge.latitude, charge.longitude)
        return self.is_home(charge.place) or (zone is not None and zone.is_home)

    def containing(self, latitude: float | None, longitude: float | None) -> Zone | None:
        """Return the smallest zone that contains a position. A passive one counts where there is no other."""
        return None if latitude is None or longitude is None else _containing(self.all, latitude, longitude)

    def located(self, observation: Observation) -> Observation:
        if observation.latitude is None or observation.longitude is None:
            return replace(observation, place=None, is_home=None)
        zone = self.containing(observation.latitude, observation.longitude)
        return replace(observation, place=zone and zone.name, is_home=zone is not None and zone.is_home)

    def named(self, entries: Entries) -> Entries:
        """Return the entries with the names of the zones in which they are. A stored name stays."""
        drives = [self._named(drive, "start_", "end_") for drive in entries.drives]
        # A car is parked where its drive ended.
        ends = {drive.end: drive.end_place for drive in drives if drive.end_place is not None}
        stays = [stay._replace(place=stay.place or ends.get(stay.start)) for stay in entries.stays]
        return Entries(drives, [self._named(charge, "") for charge in entries.charges], stays)

    def named_open[S: Stored](self, stored: S) -> S:
        """Return a tracker with the names of the zones, also in what is open. A stored name stays."""
        inner = {
            name: self.named_open(value) for name, value in vars(stored).items() if isinstance(value, Stored)
        }
        prefixes = [name.removesuffix("place") for name in vars(stored) if name.endswith("place")]
        return replace(stored, **inner, **self._names(stored, prefixes))  # type: ignore[type-var]

    def _named[E: (Drive, Charge)](self, entry: E, *prefixes: str) -> E:
        names: dict[str, Any] = self._names(entry, prefixes)
        return entry._replace(**names) if names else entry

    def _names(self, located: Any, prefixes: Iterable[str]) -> dict[str, str]:
        """Return the places that have no stored name, but a position in a zone."""
        names: dict[str, str] = {}
        for prefix in prefixes:
            place, *position = (getattr(located, prefix + name) for name in LOCATION)
            if place is None and (zone := self.containing(*position)) is not None:
                names[f"{prefix}place"] = zone.name
        return names


# For the positions of the drives of some years
@lru_cache(10_000)
def _containing(zones: tuple[Zone, ...], latitude: float, longitude: float) -> Zone | None:
    found = []
    for zone in zones:
        degrees = degrees_between((latitude, longitude), (zone.latitude, zone.longitude))
        distance = degrees * METERS_PER_DEGREE
        if distance < zone.radius:
            found.append((zone.is_passive, zone.radius, distance, zone))
    return min(found)[-1] if found else None
