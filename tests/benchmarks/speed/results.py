"""The results of the speed benchmark: durations, and ratios of pairs that were measured in turn (A B A B).

Other processes slow a machine down for a while, but both durations of a pair alike.
"""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter, thread_time
from typing import Final, Self

REFRESH_KINDS: Final = {"unchanged": 0, "1 field": 1, "30 fields": 30}
"""The number of changed fields of each car in a refresh."""
COMMAND_KINDS: Final = ("lock", "charge limit")
INTEGRATION, BASELINE, REQUESTS_ONLY = "integration", "baseline", "requests only"
TESSIE, TESSIE_REQUESTS_ONLY = "tessie", "tessie requests only"
SUBJECTS: Final = (INTEGRATION, BASELINE, REQUESTS_ONLY, TESSIE, TESSIE_REQUESTS_ONLY)


@dataclass(frozen=True, slots=True)
class Duration:
    """A duration in microseconds."""

    wall: float
    cpu: float
    """CPU time of this thread."""

    @classmethod
    def now(cls) -> Self:
        """Return the current readings of the clocks."""
        return cls(perf_counter() * 1e6, thread_time() * 1e6)

    def __sub__(self, other: Self) -> Self:
        """Return the difference."""
        return type(self)(self.wall - other.wall, self.cpu - other.cpu)

    def __truediv__(self, divisor: float) -> Self:
        """Return a fraction of it."""
        return type(self)(self.wall / divisor, self.cpu / divisor)


async def measure(action: Callable[[], Awaitable[object]]) -> Duration:
    """Run an action and return its duration."""
    start = Duration.now()
    await action()
    return Duration.now() - start


def medians(durations: Iterable[Duration]) -> Duration:
    """Return the medians of wall and CPU time."""
    all_durations = list(durations)
    return Duration(median(one.wall for one in all_durations), median(one.cpu for one in all_durations))


def median_ratio(durations: Iterable[Duration], others: Iterable[Duration]) -> Duration:
    """Return the medians of the ratios of the pairs."""
    pairs = zip(durations, others, strict=True)
    return medians(Duration(one.wall / other.wall, one.cpu / other.cpu) for one, other in pairs)


type Round = dict[str, list[Duration]]
"""The durations in one round, by subject."""


@dataclass(slots=True)
class Measurement:
    """The durations of one kind of action with a number of cars, next to its baseline."""

    kind: str
    vehicles: int
    rounds: list[Round] = field(default_factory=list, kw_only=True)

    def samples(self, subject: str) -> list[Duration]:
        """Return a subject's durations of all rounds."""
        return [duration for one_round in self.rounds for duration in one_round[subject]]

    def medians(self, subject: str) -> list[Duration]:
        """Return a subject's median duration in each round."""
        return [medians(one_round[subject]) for one_round in self.rounds]

    @property
    def baseline_ratio(self) -> Duration:
        """The integration's time divided by the baseline's."""
        return median_ratio(self.samples(INTEGRATION), self.samples(BASELINE))


@dataclass(slots=True)
class Refresh(Measurement):
    """One kind of refresh of all cars."""

    entities: int
    tessie_entities: int
    requests: int
    """Requests during one refresh."""
    written: int
    """Changed states that were written."""
    written_of_cars: int
    """Changed states that were written, without those that describe the polling."""
    unnecessary: int
    """Unchanged states that were written."""

    @property
    def tessie_ratio(self) -> Duration:
        """The integration's net time divided by tessie's, by rounds. Net is without the requests."""
        # The difference is small: by pairs it would be mostly noise.
        return median_ratio(self._net(INTEGRATION, REQUESTS_ONLY), self._net(TESSIE, TESSIE_REQUESTS_ONLY))

    def _net(self, subject: str, requests: str) -> list[Duration]:
        pairs = zip(self.medians(subject), self.medians(requests), strict=True)
        return [whole - requests for whole, requests in pairs]

    @property
    def tessie_ratio_per_entity(self) -> Duration:
        """The same ratio for the net time per entity."""
        return self.tessie_ratio / (self.entities / self.tessie_entities)

    def growth(self, fewer: Self) -> float:
        """Return one car's time divided by its time among fewer cars, by rounds."""
        ratio = median_ratio(self.medians(INTEGRATION), fewer.medians(INTEGRATION))
        return ratio.wall * fewer.vehicles / self.vehicles


@dataclass(frozen=True, slots=True)
class Startup:
    """The set-up of an integration in a new process."""

    cold: Duration
    """Until the entities are added, without stored data."""
    warm: Duration
    """Until the entities are added, with stored data."""
    requests: int
    """Requests of the first account until its entities are added, with stored data."""
    entities: int
    memory: float
    """KiB per car by which the process grew."""


@dataclass(frozen=True, slots=True)
class Results:
    """All results."""

    refreshes: list[Refresh]
    commands: list[Measurement]
    startups: dict[int, list[tuple[Startup, Startup]]]
    """The integration and the null integration, measured one after the other, by number of cars."""
    loop_lag: dict[tuple[str, int], tuple[float, int]]
    """Milliseconds of the longest iteration and unavailable entities, by event and number of cars."""
    imports: list[tuple[Duration, set[str]]]
    """Durations, and libraries that were imported for the integration only."""
