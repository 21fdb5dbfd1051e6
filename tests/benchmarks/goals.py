"""What has to hold of the speed, in one place."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from .found import FLOOR, OURS, TESSIE, Beginnings, Found, Holding, Measured, Refresh

_FEW, _MANY = 10, 1000
"""The sizes at which the loop is not to be held, and among which a car is to cost the same."""
_GROWTH: Final = 1.2
_IMPORT: Final = 100.0


@dataclass(frozen=True, slots=True)
class Goal[T]:
    """Something that is to be no more than so much."""

    words: str
    bound: float
    figure: Callable[[T], float]
    kinds: tuple[str, ...] = ()
    """What it is for; everything, if nothing is named."""


REFRESHES: Final[Sequence[Goal[Refresh]]] = (
    Goal("times the floor, unchanged", 1.3, lambda row: row.times_floor.wall, ("unchanged",)),
    Goal("times the floor, 30 fields", 2.0, lambda row: row.times_floor.wall, ("30 fields",)),
    Goal("of tessie's own time", 0.5, lambda row: row.of_tessie.wall),
    Goal("of tessie's own time for an entity", 0.5, lambda row: row.of_tessie_by_entity.wall),
    Goal("tessie's entities for each of ours", 1, lambda row: row.entities[TESSIE] / row.entities[OURS]),
    Goal("requests for a car", 1, lambda row: len(row.facts.asked) / row.vehicles),
    Goal("states written as they were", 0, lambda row: row.facts.needless),
    Goal("states written that tell nothing of the reading", 0, lambda row: row.facts.news, ("unchanged",)),
)
COMMANDS: Final[Sequence[Goal[Measured]]] = (
    Goal("times the floor, a command", 1.5, lambda row: row.times_floor.wall),
)
BEGINNINGS: Final[Sequence[Goal[Beginnings]]] = (
    Goal("requests of an account before there are entities", 1, lambda row: row.asked_again),
    Goal("KiB of a car above bare entities", 400, lambda row: row.memory, ("set-up and memory",)),
)
HOLDINGS: Final[Sequence[Goal[Holding]]] = (
    Goal("ms in which the loop does one thing", 5, lambda row: row.callback),
    Goal("ms in which the loop looks at nothing else", 5, lambda row: row.turn),
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was measured of a goal."""

    goal: str
    of: str
    """At what it was measured."""
    figure: float
    bound: float

    @property
    def holds(self) -> bool:
        """Whether it is reached."""
        return self.figure <= self.bound

    @property
    def words(self) -> str:
        """Say it."""
        return f"{self.of}: {self.figure:.4g} {self.goal}, not {self.bound:g}"


def verdicts(found: Found) -> Iterator[Verdict]:
    """Judge what was measured."""
    for refresh in found.refreshes:
        yield from _judged(REFRESHES, refresh, refresh.kind, refresh.vehicles)
    yield from _grown(found.refreshes)
    for command in found.commands:
        yield from _judged(COMMANDS, command, command.kind, command.vehicles)
    for beginning in found.beginnings:
        # One car is lost among what the process takes and gives back in large pieces.
        kind = "set-up" if beginning.vehicles < _FEW else "set-up and memory"
        yield from _judged(BEGINNINGS, beginning, kind, beginning.vehicles)
    for holding in found.holdings:
        if holding.vehicles == _FEW and FLOOR not in holding.what:
            yield from _judged(HOLDINGS, holding, holding.what, holding.vehicles)
    if found.imports:
        yield Verdict("ms", "import", found.imported.wall / 1e3, _IMPORT)
        yield Verdict("libraries", "import", len(found.libraries), 0)


def _judged[T](goals: Sequence[Goal[T]], row: T, kind: str, vehicles: int) -> Iterator[Verdict]:
    for goal in goals:
        if not goal.kinds or kind in goal.kinds:
            yield Verdict(goal.words, f"{kind}, {vehicles}", goal.figure(row), goal.bound)


def _grown(refreshes: Sequence[Refresh]) -> Iterator[Verdict]:
    by_size: Mapping[tuple[str, int], Refresh] = {(row.kind, row.vehicles): row for row in refreshes}
    for (kind, vehicles), row in by_size.items():
        if vehicles == _MANY and (fewer := by_size.get((kind, _FEW))):
            of = f"{kind}, {_MANY}"
            yield Verdict(f"times what a car takes among {_FEW}", of, row.growth(fewer, OURS), _GROWTH)
