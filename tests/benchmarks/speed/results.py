"""The results of the speed benchmark, its goals and its report.

Ratios are those of pairs that were measured in turn (A B A B): other processes slow a machine down for a
while, but both durations of a pair alike.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter, thread_time
from typing import Final, Self

from ..common.report import Goal, table

REFRESH_KINDS: Final = {"unchanged": 0, "1 field": 1, "30 fields": 30}
"""The number of changed fields of each car in a refresh."""
COMMAND_KINDS: Final = ("lock", "charge limit")
INTEGRATION, BASELINE, REQUESTS_ONLY = "integration", "baseline", "requests only"
TESSIE, TESSIE_REQUESTS_ONLY = "tessie", "tessie requests only"
SUBJECTS: Final = (INTEGRATION, BASELINE, REQUESTS_ONLY, TESSIE, TESSIE_REQUESTS_ONLY)

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


def median_ratio(durations: Iterable[Duration], others: Iterable[Duration]) -> Duration:
    """Return the medians of the ratios of the pairs."""
    pairs = zip(durations, others, strict=True)
    return medians(Duration(one.wall / other.wall, one.cpu / other.cpu) for one, other in pairs)


@dataclass(slots=True)
class Measurement:
    """The durations of one kind of refresh or command with a number of cars, next to its baseline."""

    kind: str
    vehicles: int
    counts: dict[str, int] = field(default_factory=dict)
    """Figures of a refresh that do not depend on the time."""
    rounds: list[Round] = field(default_factory=list)

    def samples(self, subject: str) -> list[Duration]:
        return [duration for one_round in self.rounds for duration in one_round[subject]]

    def medians(self, subject: str) -> list[Duration]:
        return [medians(one_round[subject]) for one_round in self.rounds]

    @property
    def baseline_ratio(self) -> Duration:
        """The integration's time divided by the baseline's."""
        return median_ratio(self.samples(INTEGRATION), self.samples(BASELINE))

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
        return self.tessie_ratio / (self.counts["entities"] / self.counts["of tessie"])

    def growth(self, fewer: Self) -> float:
        """Return one car's time divided by its time among fewer cars, by rounds."""
        ratio = median_ratio(self.medians(INTEGRATION), fewer.medians(INTEGRATION))
        return ratio.wall * fewer.vehicles / self.vehicles


@dataclass(frozen=True, slots=True)
class Results:
    """All results."""

    refreshes: list[Measurement]
    commands: list[Measurement]
    startups: dict[tuple[int, str], list[Startup]]
    """By number of cars and integration."""
    loop_lag: dict[tuple[str, int], float]
    """Milliseconds of the longest iteration, by kind of refresh and number of cars."""
    imports: tuple[float, set[str]] | None
    """Milliseconds of the import, and libraries that were imported for the integration only."""


_FEW, _MANY = 10, 1000
"""Numbers of cars. One of many cars must not cost more than one of few. The loop lag goal is for few cars."""

_INTRODUCTION: Final = """# How fast the integration is

Home Assistant polls cars that all drive, with every entity enabled, in real time. An account has at most 50
cars, because a config entry may have at most 10,000 entities. The service is an aiohttp server on another
core. It sends the same record, or a record with changed fields, always with new timestamps. Before each
refresh all clocks advance by a minute.

Objects from the set-up are excluded from garbage collection. Measurements that are compared alternate,
because other processes slow the machine down. Figures are medians. Times are in microseconds, wall time
first, then CPU time. Ratios are calculated pair by pair or round by round; goals apply to wall time.
"""
_REFRESHES: Final = """## A refresh

Times are per car. The *baseline* is the work that any integration must do, in the same process with the same
session: the same request for each car, orjson, and a state write for each changed state. *Requests only* is
the baseline without the state writes. *tessie* is Home Assistant's own integration of that name. It gets the
same data, and has its own *requests only*. *Net time* is the time above requests only.
"""
_EFFECTS: Final = "*Unnecessary* are writes of unchanged states.\n"
_COMMANDS: Final = """## A command

From the service call to the new state, for one car that is online. The baseline is a service that does
nothing, one request and one state write.
"""
_STARTUPS: Final = """## Startup

Milliseconds until the entities are added: cold without stored data, warm with stored data and this number of
requests of an account. Each measurement runs in its own process, in which another car was set up and removed
before. Memory is in KiB per car.
"""
_LOOP_LAG: Final = """## The event loop

How long a refresh of all cars at once holds the event loop, in milliseconds: the longest time from one poll
for I/O to the next, without the garbage collector.
"""
_IMPORT: Final = """## Import

After Home Assistant's default imports, all modules of the integration take {:.0f} ms to import, and require
{}.
"""

_REFRESH_GOALS: Final[Sequence[tuple[str, float, Callable[[Measurement], float], str]]] = (
    ("times baseline, unchanged", 1.3, lambda row: row.baseline_ratio.wall, "unchanged"),
    ("times baseline, 30 fields", 2, lambda row: row.baseline_ratio.wall, "30 fields"),
    ("of tessie's net time", 0.5, lambda row: row.tessie_ratio.wall, ""),
    ("of tessie's net time per entity", 0.5, lambda row: row.tessie_ratio_per_entity.wall, ""),
    ("entities of tessie per entity", 1, lambda row: row.counts["of tessie"] / row.counts["entities"], ""),
    ("requests per car", 1, lambda row: row.counts["requests"] / row.vehicles, ""),
    ("unchanged states written", 0, lambda row: row.counts["unnecessary"], ""),
    (
        "states written that don't describe the polling",
        0,
        lambda row: row.counts["not of the polling"],
        "unchanged",
    ),
)
"""Name, maximum, figure, and the kind of refresh to which a goal applies; empty for all."""


def judge(results: Results) -> Iterator[Goal]:
    for name, maximum, figure, kind in _REFRESH_GOALS:
        rows = (row for row in results.refreshes if kind in ("", row.kind))
        yield from (Goal(name, _at(row), figure(row), maximum) for row in rows)
    few, many = ([row for row in results.refreshes if row.vehicles == size] for size in (_FEW, _MANY))
    for row, fewer in zip(many, few, strict=False):
        yield Goal(f"times the time per car of {_FEW} cars", _at(row), row.growth(fewer), 1.2)
    for command in results.commands:
        yield Goal("times baseline, a command", _at(command), command.baseline_ratio.wall, 1.5)
    for (vehicles, integration), startups in results.startups.items():
        if integration == TESSIE:
            continue
        requests = max(startup["requests"] for startup in startups)
        yield Goal("requests of an account before its entities are added", f"{vehicles}", requests, 1)
        # The memory of few cars is small in comparison with the blocks that the process allocates.
        if vehicles >= _FEW:
            pairs = zip(startups, results.startups[vehicles, TESSIE], strict=True)
            memory = median(own["memory"] - tessie["memory"] for own, tessie in pairs)
            yield Goal("KiB per car more than tessie", f"{vehicles}", memory, 400)
    if lag := results.loop_lag.get(("30 fields", _FEW)):
        yield Goal("ms in one iteration of the event loop", f"30 fields, {_FEW}", lag, 20)
    if results.imports:
        milliseconds, libraries = results.imports
        yield Goal("ms to import", "import", milliseconds, 100)
        yield Goal("libraries imported", "import", len(libraries), 0)


def sections(results: Results) -> Iterator[str]:
    yield _INTRODUCTION
    yield _REFRESHES
    ratios = ("times baseline", "of tessie's net time", "per entity")
    yield table(["refresh", "vehicles", *SUBJECTS, *ratios], map(_refresh_row, results.refreshes))
    yield _EFFECTS
    yield table(
        ["refresh", "vehicles", *results.refreshes[0].counts],
        (map(str, (row.kind, row.vehicles, *row.counts.values())) for row in results.refreshes),
    )
    yield _COMMANDS
    subjects = (INTEGRATION, BASELINE)
    yield table(
        ["command", "vehicles", *subjects, "times baseline"],
        (
            (
                row.kind,
                f"{row.vehicles}",
                *(medians(row.samples(subject)).text(0) for subject in subjects),
                row.baseline_ratio.text(2),
            )
            for row in results.commands
        ),
    )
    yield _STARTUPS
    titles = ("entities", "cold", "warm", "requests", "memory")
    yield table(
        ["vehicles", "integration", *titles],
        (
            (f"{vehicles}", name, *(f"{median(one[title] for one in startups):.0f}" for title in titles))
            for (vehicles, name), startups in results.startups.items()
        ),
    )
    yield _LOOP_LAG
    yield table(
        ["refresh", "vehicles", "iteration"],
        ((kind, f"{vehicles}", f"{lag:.1f}") for (kind, vehicles), lag in results.loop_lag.items()),
    )
    if results.imports:
        milliseconds, libraries = results.imports
        yield _IMPORT.format(milliseconds, ", ".join(sorted(libraries)) or "no other library")


def _refresh_row(row: Measurement) -> Iterator[str]:
    yield from (row.kind, f"{row.vehicles}")
    for subject in SUBJECTS:
        yield (medians(row.samples(subject)) / row.vehicles).text(0)
    for ratio in (row.baseline_ratio, row.tessie_ratio, row.tessie_ratio_per_entity):
        yield ratio.text(2)


def _at(row: Measurement) -> str:
    return f"{row.kind}, {row.vehicles}"
