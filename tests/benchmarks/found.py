"""What the benchmark of speed finds."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Final, Self

from .pairs import Took, times, usual
from .turns import Turns

KINDS: Final = {"unchanged": 0, "1 field": 1, "30 fields": 30}
"""Refreshes, and how many fields of each car are others in them."""
LOCK: Final = "lock"
CHARGE_LIMIT: Final = "charge limit"
"""Commands."""
OURS, FLOOR, BARE, TESSIE, TESSIE_BARE = "ours", "floor", "bare", "tessie", "tessie bare"
_OF_THE_READING: Final = frozenset(
    {
        "sensor charge_state.timestamp",
        "sensor drive_state.gps_as_of",
        "sensor next_read",
        "sensor requests_today",
        "sensor asleep_today",
    }
)
"""The entities whose subject is the reading itself: they show something new of each read."""

type Round = dict[str, list[Took]]
"""What each took in turn, by who it was."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a refresh of all cars does, besides taking time."""

    asked: list[str]
    """The paths that the service was asked for."""
    changed: dict[str, int]
    """How often states were written that are new, by platform and path."""
    reported: dict[str, int]
    """Likewise those that were as they were."""

    @property
    def needless(self) -> int:
        """How many states were written although they were as they were."""
        return sum(self.reported.values())

    @property
    def news(self) -> int:
        """How many states were new, but for those that say something of the reading itself."""
        return sum(written for path, written in self.changed.items() if path not in _OF_THE_READING)


@dataclass(frozen=True, slots=True)
class Measured:
    """Something that was measured again and again among so many cars, and beside it its floor."""

    kind: str
    vehicles: int
    rounds: list[Round] = field(default_factory=list, kw_only=True)

    @property
    def together(self) -> Round:
        """All rounds as one."""
        return {who: [took for each in self.rounds for took in each[who]] for who in self.rounds[0]}

    @property
    def times_floor(self) -> Took:
        """How many times the floor it takes."""
        found = self.together
        return times(found[OURS], found[FLOOR])

    @property
    def cars(self) -> int:
        """How many it is done to at once."""
        return 1

    def each(self, who: str) -> Took:
        """Return the usual microseconds for one car."""
        took = usual(self.together[who])
        return Took(took.wall / self.cars, took.processor / self.cars)

    def growth(self, fewer: Self, who: str, beyond: str = "") -> float:
        """Return how many times as much one car takes here as among fewer, round by round.

        `beyond`: in whose place; only what it takes more than that one.
        """

        def took(found: Round) -> float:
            return usual(found[who]).wall - (usual(found[beyond]).wall if beyond else 0.0)

        pairs = zip(self.rounds, fewer.rounds, strict=True)
        return median(took(here) / took(there) for here, there in pairs) * fewer.cars / self.cars


@dataclass(frozen=True, slots=True)
class Refresh(Measured):
    """One kind of refresh, of all cars."""

    entities: dict[str, int]
    """Those with a state, by whose they are."""
    facts: Facts

    @property
    def cars(self) -> int:
        """How many are refreshed at once."""
        return self.vehicles

    @property
    def of_tessie(self) -> Took:
        """Which share of the time that tessie takes it takes, each beyond its own bare read, by rounds."""
        # Of single pairs, so small a difference would be mostly chance.
        rounds = [{who: usual(took) for who, took in each.items()} for each in self.rounds]
        ours = [each[OURS] - each[BARE] for each in rounds]
        return times(ours, [each[TESSIE] - each[TESSIE_BARE] for each in rounds])

    @property
    def of_tessie_by_entity(self) -> Took:
        """The same for each entity that is there."""
        whole, more = self.of_tessie, self.entities[OURS] / self.entities[TESSIE]
        return Took(whole.wall / more, whole.processor / more)


@dataclass(frozen=True, slots=True)
class Beginning:
    """How an integration with so many cars begins in a fresh process."""

    entities: int
    cold: Took
    """Until the entities are there, with nothing remembered."""
    asked: int
    """Requests of the first account until its own are there."""
    warm: Took
    """Until they are there again, with all remembered."""
    asked_again: int
    """Requests of the first account until then."""
    memory: float
    """KiB that the process holds more than before."""


@dataclass(frozen=True, slots=True)
class Beginnings:
    """Ours and the bare entities, each pair in two processes one after the other."""

    vehicles: int
    pairs: list[tuple[Beginning, Beginning]]

    @property
    def cold(self) -> Took:
        """How many times what bare entities take ours take with nothing remembered."""
        return times([ours.cold for ours, _ in self.pairs], [bare.cold for _, bare in self.pairs])

    @property
    def warm(self) -> Took:
        """Likewise with all remembered."""
        return times([ours.warm for ours, _ in self.pairs], [bare.warm for _, bare in self.pairs])

    @property
    def memory(self) -> float:
        """KiB for each car that ours hold more than bare entities."""
        return median((ours.memory - bare.memory) / self.vehicles for ours, bare in self.pairs)

    @property
    def asked_again(self) -> int:
        """Requests of an account until its entities are there, with all remembered."""
        return max(ours.asked_again for ours, _ in self.pairs)

    def of(self, who: str) -> Sequence[Beginning]:
        """Return those of ours, or of the bare entities."""
        return [ours if who == OURS else bare for ours, bare in self.pairs]


@dataclass(frozen=True, slots=True)
class Held:
    """For how long something held the loop once."""

    turns: Turns
    unavailable: int
    """Entities of ours that show nothing after it."""


@dataclass(frozen=True, slots=True)
class Holding:
    """For how long something that happens to so many cars holds the loop, each time that it happens."""

    what: str
    vehicles: int
    times: list[Held]

    @property
    def turn(self) -> float:
        """Milliseconds of the longest turn, usually."""
        return median(each.turns.turn for each in self.times)

    @property
    def callback(self) -> float:
        """Milliseconds of the longest single thing, usually."""
        return median(each.turns.callback for each in self.times)

    @property
    def worst(self) -> Turns:
        """That with the longest of all single things."""
        return max((each.turns for each in self.times), key=lambda turns: turns.callback)

    @property
    def collecting(self) -> float:
        """Milliseconds of the garbage collector's longest run."""
        return max(each.turns.collecting for each in self.times)

    @property
    def unavailable(self) -> int:
        """Entities of ours that show nothing after it."""
        return max(each.unavailable for each in self.times)


@dataclass(frozen=True, slots=True)
class Imported:
    """An import of the integration."""

    took: Took
    libraries: list[str]
    """Others than Home Assistant's that were imported for it."""


@dataclass(frozen=True, slots=True)
class Found:
    """All that was measured."""

    refreshes: list[Refresh]
    commands: list[Measured]
    beginnings: list[Beginnings]
    holdings: list[Holding]
    imports: list[Imported]

    @property
    def imported(self) -> Took:
        """What an import usually takes."""
        return usual(each.took for each in self.imports)

    @property
    def libraries(self) -> list[str]:
        """What is imported for it besides."""
        return sorted({library for each in self.imports for library in each.libraries})
