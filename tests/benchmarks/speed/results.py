"""The results of the speed benchmark."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Final, Self

from .loop_lag import LoopLag
from .timing import Duration, median_duration, median_ratio

REFRESH_KINDS: Final = {"unchanged": 0, "1 field": 1, "30 fields": 30}
"""The number of changed fields of each car in a refresh."""
LOCK: Final = "lock"
CHARGE_LIMIT: Final = "charge limit"
"""Commands."""
INTEGRATION, BASELINE, REQUESTS_ONLY = "integration", "baseline", "requests only"
TESSIE, TESSIE_REQUESTS_ONLY = "tessie", "tessie requests only"
NULL_INTEGRATION: Final = "null integration"
"""Subjects of the measurements."""
_POLLING_ENTITIES: Final = frozenset(
    {
        "sensor charge_state.timestamp",
        "sensor drive_state.gps_as_of",
        "sensor next_read",
        "sensor requests_today",
        "sensor asleep_today",
    }
)
"""Entities that describe the polling itself and change with each read."""

type Round = dict[str, list[Duration]]
"""The durations in one round, by subject."""


@dataclass(frozen=True, slots=True)
class RefreshEffects:
    """What a refresh of all cars requests and writes."""

    requested_paths: list[str]
    changed: dict[str, int]
    """The number of changed states that were written, by platform and path."""
    reported: dict[str, int]
    """The number of unchanged states that were written, by platform and path."""

    @property
    def unnecessary_writes(self) -> int:
        """The number of unchanged states that were written."""
        return sum(self.reported.values())

    @property
    def changed_car_states(self) -> int:
        """The number of changed states that were written, without those that describe the polling."""
        return sum(count for path, count in self.changed.items() if path not in _POLLING_ENTITIES)


@dataclass(frozen=True, slots=True)
class Measurement:
    """The durations of one kind of action with a number of cars, next to its baseline."""

    kind: str
    vehicles: int
    rounds: list[Round] = field(default_factory=list, kw_only=True)

    @property
    def samples(self) -> Round:
        """The durations of all rounds."""
        return {
            subject: [duration for one_round in self.rounds for duration in one_round[subject]]
            for subject in self.rounds[0]
        }

    @property
    def baseline_ratio(self) -> Duration:
        """The integration's time divided by the baseline's."""
        samples = self.samples
        return median_ratio(samples[INTEGRATION], samples[BASELINE])

    @property
    def vehicles_per_action(self) -> int:
        """The number of cars in one action."""
        return 1

    def per_vehicle(self, subject: str) -> Duration:
        """Return a subject's median duration for one car."""
        return median_duration(self.samples[subject]) / self.vehicles_per_action

    def growth(self, fewer: Self, subject: str, minus: str = "") -> float:
        """Return one car's time divided by its time in a measurement with fewer cars, by rounds.

        `minus`: the subject whose time is subtracted.
        """

        def wall(one_round: Round) -> float:
            subtracted = median_duration(one_round[minus]).wall if minus else 0.0
            return median_duration(one_round[subject]).wall - subtracted

        pairs = zip(self.rounds, fewer.rounds, strict=True)
        ratio = median(wall(here) / wall(there) for here, there in pairs)
        return ratio * fewer.vehicles_per_action / self.vehicles_per_action


@dataclass(frozen=True, slots=True)
class Refresh(Measurement):
    """One kind of refresh of all cars."""

    entities: dict[str, int]
    """The number of entities with a state, by subject."""
    effects: RefreshEffects

    @property
    def vehicles_per_action(self) -> int:
        """The number of cars in one refresh."""
        return self.vehicles

    @property
    def tessie_ratio(self) -> Duration:
        """The integration's net time divided by tessie's, by rounds. Net is without the requests."""
        # The difference is small: by pairs it would be mostly noise.
        rounds = [
            {subject: median_duration(durations) for subject, durations in one_round.items()}
            for one_round in self.rounds
        ]
        net = [medians[INTEGRATION] - medians[REQUESTS_ONLY] for medians in rounds]
        return median_ratio(net, [medians[TESSIE] - medians[TESSIE_REQUESTS_ONLY] for medians in rounds])

    @property
    def tessie_ratio_per_entity(self) -> Duration:
        """The same ratio for the net time per entity."""
        return self.tessie_ratio / (self.entities[INTEGRATION] / self.entities[TESSIE])


@dataclass(frozen=True, slots=True)
class Startup:
    """The set-up of an integration in a new process."""

    entities: int
    cold: Duration
    """Until the entities are added, without stored data."""
    cold_requests: int
    """Requests of the first account until its entities are added."""
    warm: Duration
    """Until the entities are added, with stored data."""
    warm_requests: int
    """Requests of the first account until its entities are added, with stored data."""
    memory: float
    """KiB by which the process grew."""


@dataclass(frozen=True, slots=True)
class StartupPairs:
    """Pairs of the integration and the null integration, measured in two processes one after the other."""

    vehicles: int
    pairs: list[tuple[Startup, Startup]]

    @property
    def cold_ratio(self) -> Duration:
        """The integration's time divided by the null integration's, without stored data."""
        return median_ratio([own.cold for own, _ in self.pairs], [null.cold for _, null in self.pairs])

    @property
    def warm_ratio(self) -> Duration:
        """The integration's time divided by the null integration's, with stored data."""
        return median_ratio([own.warm for own, _ in self.pairs], [null.warm for _, null in self.pairs])

    @property
    def additional_memory(self) -> float:
        """KiB per car that the integration takes more than the null integration."""
        return median((own.memory - null.memory) / self.vehicles for own, null in self.pairs)

    @property
    def warm_requests(self) -> int:
        """Requests of an account until its entities are added, with stored data."""
        return max(own.warm_requests for own, _ in self.pairs)

    def startups(self, subject: str) -> Sequence[Startup]:
        """Return the startups of the integration or of the null integration."""
        return [own if subject == INTEGRATION else null for own, null in self.pairs]


@dataclass(frozen=True, slots=True)
class LagSample:
    """The loop lag of an event that was measured once."""

    lag: LoopLag
    unavailable: int
    """Unavailable entities of the integration after the event."""


@dataclass(frozen=True, slots=True)
class EventLag:
    """The loop lag of an event that affects a number of cars."""

    event: str
    vehicles: int
    samples: list[LagSample]

    @property
    def iteration(self) -> float:
        """Median milliseconds of the longest iteration."""
        return median(sample.lag.iteration for sample in self.samples)

    @property
    def callback(self) -> float:
        """Median milliseconds of the longest callback."""
        return median(sample.lag.callback for sample in self.samples)

    @property
    def worst(self) -> LoopLag:
        """The lag with the longest callback."""
        return max((sample.lag for sample in self.samples), key=lambda lag: lag.callback)

    @property
    def garbage_collection(self) -> float:
        """Milliseconds of the garbage collector's longest run."""
        return max(sample.lag.garbage_collection for sample in self.samples)

    @property
    def unavailable(self) -> int:
        """Unavailable entities of the integration after the event."""
        return max(sample.unavailable for sample in self.samples)


@dataclass(frozen=True, slots=True)
class ImportResult:
    """An import of the integration."""

    duration: Duration
    libraries: list[str]
    """Libraries that were imported for the integration only."""


@dataclass(frozen=True, slots=True)
class Results:
    """All results."""

    refreshes: list[Refresh]
    commands: list[Measurement]
    startups: list[StartupPairs]
    loop_lag: list[EventLag]
    imports: list[ImportResult]

    @property
    def import_duration(self) -> Duration:
        """The median duration of an import."""
        return median_duration(result.duration for result in self.imports)

    @property
    def libraries(self) -> list[str]:
        """Libraries that were imported for the integration only."""
        return sorted({library for result in self.imports for library in result.libraries})
