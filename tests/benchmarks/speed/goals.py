"""The goals of the speed benchmark."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from .results import INTEGRATION, TESSIE, EventLag, Measurement, Refresh, Results, StartupPairs

_FEW, _MANY = 10, 1000
"""The number of cars for the loop lag, and the number in which a car must not cost more."""
_MAX_GROWTH: Final = 1.2
_MAX_IMPORT: Final = 100.0


@dataclass(frozen=True, slots=True)
class Goal[T]:
    """A maximum for a figure."""

    name: str
    maximum: float
    figure: Callable[[T], float]
    kinds: tuple[str, ...] = ()
    """The kinds to which the goal applies; empty for all."""


REFRESH_GOALS: Final[Sequence[Goal[Refresh]]] = (
    Goal("times baseline, unchanged", 1.3, lambda row: row.baseline_ratio.wall, ("unchanged",)),
    Goal("times baseline, 30 fields", 2.0, lambda row: row.baseline_ratio.wall, ("30 fields",)),
    Goal("of tessie's net time", 0.5, lambda row: row.tessie_ratio.wall),
    Goal("of tessie's net time per entity", 0.5, lambda row: row.tessie_ratio_per_entity.wall),
    Goal(
        "entities of tessie per entity of the integration",
        1,
        lambda row: row.entities[TESSIE] / row.entities[INTEGRATION],
    ),
    Goal("requests per car", 1, lambda row: len(row.effects.requested_paths) / row.vehicles),
    Goal("unchanged states written", 0, lambda row: row.effects.unnecessary_writes),
    Goal(
        "states written that don't describe the polling",
        0,
        lambda row: row.effects.changed_car_states,
        ("unchanged",),
    ),
)
COMMAND_GOALS: Final[Sequence[Goal[Measurement]]] = (
    Goal("times baseline, a command", 1.5, lambda row: row.baseline_ratio.wall),
)
STARTUP_GOALS: Final[Sequence[Goal[StartupPairs]]] = (
    Goal("requests of an account before its entities are added", 1, lambda row: row.warm_requests),
    Goal(
        "KiB per car more than the null integration",
        400,
        lambda row: row.additional_memory,
        ("set-up and memory",),
    ),
)
LOOP_LAG_GOALS: Final[Sequence[Goal[EventLag]]] = (
    Goal("ms in one iteration of the event loop", 20, lambda row: row.iteration, ("30 fields",)),
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A goal and a figure that was measured for it."""

    goal: str
    at: str
    """The measurement of the figure."""
    figure: float
    maximum: float

    @property
    def is_met(self) -> bool:
        """Whether the goal is met."""
        return self.figure <= self.maximum

    @property
    def text(self) -> str:
        """The verdict on a missed goal as text."""
        return f"{self.at}: {self.figure:.4g} {self.goal}, not {self.maximum:g}"


def judge(results: Results) -> Iterator[Verdict]:
    """Yield the verdicts on all goals."""
    for refresh in results.refreshes:
        yield from _judge(REFRESH_GOALS, refresh, refresh.kind, refresh.vehicles)
    yield from _judge_growth(results.refreshes)
    for command in results.commands:
        yield from _judge(COMMAND_GOALS, command, command.kind, command.vehicles)
    for startup in results.startups:
        # The memory of few cars is small in comparison with the blocks that the process allocates.
        kind = "set-up" if startup.vehicles < _FEW else "set-up and memory"
        yield from _judge(STARTUP_GOALS, startup, kind, startup.vehicles)
    for event_lag in results.loop_lag:
        if event_lag.vehicles == _FEW:
            yield from _judge(LOOP_LAG_GOALS, event_lag, event_lag.event, event_lag.vehicles)
    if results.imports:
        yield Verdict("ms", "import", results.import_duration.wall / 1e3, _MAX_IMPORT)
        yield Verdict("libraries", "import", len(results.libraries), 0)


def _judge[T](goals: Sequence[Goal[T]], row: T, kind: str, vehicles: int) -> Iterator[Verdict]:
    for goal in goals:
        if not goal.kinds or kind in goal.kinds:
            yield Verdict(goal.name, f"{kind}, {vehicles}", goal.figure(row), goal.maximum)


def _judge_growth(refreshes: Sequence[Refresh]) -> Iterator[Verdict]:
    by_size: Mapping[tuple[str, int], Refresh] = {(row.kind, row.vehicles): row for row in refreshes}
    for (kind, vehicles), row in by_size.items():
        if vehicles == _MANY and (fewer := by_size.get((kind, _FEW))):
            growth = row.growth(fewer, INTEGRATION)
            yield Verdict(f"times a car's time among {_FEW}", f"{kind}, {_MANY}", growth, _MAX_GROWTH)
