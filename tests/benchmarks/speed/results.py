"""The results of the speed benchmark, its goals and its report.

Durations that are compared were measured in turn (A B A B), because other processes slow a machine down for
a while. The net time is small, so its ratios are those of rounds: those of pairs would be mostly noise.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter, thread_time
from typing import Final, NamedTuple, Self

from ..common.report import Goal, table
from .imports import Imports

REFRESH_KINDS: Final = {"unchanged": 0, "8 fields": 8, "30 fields": 30}
"""The number of changed fields of each car in a refresh."""
INTEGRATION, REQUESTS_ONLY = "integration", "requests only"
WITHOUT_STATES = "without states"
"""The integration, without what Home Assistant does to write the states of entities."""
TESSIE, TESSIE_REQUESTS_ONLY = "tessie", "tessie requests only"

type Round = dict[str, list[Duration]]
"""The durations in one round, by subject."""
type Startup = dict[str, float]
"""The figures of the set-up of an integration in a new process."""


@dataclass(frozen=True, slots=True)
class Duration:
    """A duration in microseconds: wall time, and CPU time of this thread."""

    wall: float
    cpu: float

    @classmethod
    def now(cls) -> Self:
        return cls(perf_counter() * 1e6, thread_time() * 1e6)

    def __sub__(self, other: Self) -> Self:
        return type(self)(self.wall - other.wall, self.cpu - other.cpu)

    def __truediv__(self, divisor: float) -> Self:
        return type(self)(self.wall / divisor, self.cpu / divisor)

    def text(self, digits: int) -> str:
        return f"{self.wall:.{digits}f}, {self.cpu:.{digits}f}"


async def measure(action: Callable[[], Awaitable[object]]) -> Duration:
    start = Duration.now()
    await action()
    return Duration.now() - start


def medians(durations: Iterable[Duration]) -> Duration:
    all_durations = list(durations)
    return Duration(median(one.wall for one in all_durations), median(one.cpu for one in all_durations))


@dataclass(slots=True)
class Refresh:
    """The durations of one kind of refresh with a number of cars."""

    kind: str
    vehicles: int
    every_entity: bool
    entities: float
    """The integration's entities for each one of `tessie`."""
    rounds: list[Round] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"{self.kind}, {self.vehicles}, {ENTITIES[self.every_entity]}"

    @property
    def tessie_ratio(self) -> Duration:
        """The integration's net time divided by that of `tessie`. Net is without the requests."""
        net, of_tessie = self._net(INTEGRATION, REQUESTS_ONLY), self._net(TESSIE, TESSIE_REQUESTS_ONLY)
        pairs = zip(net, of_tessie, strict=True)
        return medians(Duration(own.wall / tessie.wall, own.cpu / tessie.cpu) for own, tessie in pairs)

    @property
    def own_share(self) -> Duration:
        """The share of the net time that is not the writing of states by Home Assistant."""
        own, whole = self._net(WITHOUT_STATES, REQUESTS_ONLY), self._net(INTEGRATION, REQUESTS_ONLY)
        return medians(Duration(a.wall / b.wall, a.cpu / b.cpu) for a, b in zip(own, whole, strict=True))

    def _net(self, subject: str, requests: str) -> list[Duration]:
        return [medians(each[subject]) - medians(each[requests]) for each in self.rounds]

    @property
    def tessie_ratio_per_entity(self) -> Duration:
        return self.tessie_ratio / self.entities

    def row(self) -> Iterator[str]:
        yield from (self.kind, f"{self.vehicles}", ENTITIES[self.every_entity])
        for subject in self.rounds[0]:
            durations = [duration for each in self.rounds for duration in each[subject]]
            yield (medians(durations) / self.vehicles).text(0)
        yield self.tessie_ratio.text(2)
        yield self.tessie_ratio_per_entity.text(2)
        yield self.own_share.text(2)


class Setup(NamedTuple):
    vehicles: int
    every_entity: bool
    integration: str


class Results(NamedTuple):
    refreshes: list[Refresh]
    startups: dict[Setup, list[Startup]]
    imports: Mapping[str, Imports] | None
    """By the name of the integration."""


ENTITIES: Final = {True: "every", False: "default"}
_MOST_OF_TESSIE: Final = {"unchanged": 0.6, "8 fields": 0.8, "30 fields": 1.0}
_ENOUGH: Final = 10
"""The memory of fewer cars is small in comparison with the blocks that the process allocates."""
_INTRODUCTION: Final = """# How fast the integration is

Home Assistant polls cars that all drive, with every entity enabled, in real time. The service is an aiohttp
server on another core. It sends the same record, or a record with changed fields, always with new timestamps.
Before each refresh all clocks advance by a minute.

Objects from the set-up are excluded from garbage collection. Measurements that are compared alternate,
because other processes slow the machine down. Figures are medians. Times are in microseconds, wall time
first, then CPU time. Ratios are calculated round by round; goals apply to wall time.
"""
_REFRESHES: Final = """## A refresh

Times are per car. *tessie* is Home Assistant's own integration of that name. It gets the same data. *Requests
only* is the work that any integration must do, in the same process with the same session: the same request
for each car, and orjson. *Net time* is the time above requests only. *Without states* is without what Home
Assistant does to write the states of entities, and *own* is the share of the net time that remains then.
"""
_STARTUPS: Final = """## Startup

Milliseconds until the entities are added: cold without stored data, warm with stored data and this number of
requests. Each measurement runs in its own process, in which another car was set up and removed before. Memory
is in KiB per entity. *Default* is with the entities that are enabled by default, as owners have it.
"""
_IMPORT: Final = """## Import

Milliseconds to import all modules, after Home Assistant's default imports, and the libraries that only this
integration imports.
"""


def judge(results: Results) -> Iterator[Goal]:
    for row in results.refreshes:
        yield Goal(
            f"of tessie's net time, {row.kind}", row.name, row.tessie_ratio.wall, _MOST_OF_TESSIE[row.kind]
        )
    for setup, startups in results.startups.items():
        if setup.integration == INTEGRATION and setup.every_entity and setup.vehicles >= _ENOUGH:
            pairs = zip(startups, results.startups[setup._replace(integration=TESSIE)], strict=True)
            memory = median(own["memory"] / tessie["memory"] for own, tessie in pairs)
            yield Goal("of tessie's memory per entity", f"{setup.vehicles}", memory, 1.15)
    if results.imports:
        own, tessie = results.imports[INTEGRATION], results.imports[TESSIE]
        yield Goal("of tessie's time to import", "import", own.milliseconds / tessie.milliseconds, 1.5)
        yield Goal("libraries imported", "import", len(own.libraries), 0)


def sections(results: Results) -> Iterator[str]:
    yield _INTRODUCTION
    yield _REFRESHES
    subjects = results.refreshes[0].rounds[0]
    yield table(
        ["refresh", "vehicles", "entities", *subjects, "of tessie's net time", "per entity", "own"],
        (row.row() for row in results.refreshes),
    )
    yield _STARTUPS
    titles = ("entities", "cold", "warm", "requests", "memory")
    yield table(
        ["vehicles", "integration", *titles],
        (
            (
                f"{setup.vehicles}",
                setup.integration if setup.every_entity else f"{setup.integration}, default",
                *(f"{median(one[title] for one in startups):.4g}" for title in titles),
            )
            for setup, startups in results.startups.items()
        ),
    )
    if results.imports:
        yield _IMPORT
        yield table(
            ["integration", "ms", "libraries"],
            (
                (name, f"{each.milliseconds:.0f}", ", ".join(sorted(each.libraries)))
                for name, each in results.imports.items()
            ),
        )
