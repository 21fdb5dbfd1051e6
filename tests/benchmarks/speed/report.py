"""The goals and the report."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import Final

from ..common.report import Goal, table
from .results import (
    BASELINE,
    INTEGRATION,
    SUBJECTS,
    Duration,
    Measurement,
    Refresh,
    Results,
    Startup,
    medians,
)

_FEW, _MANY = 10, 1000
"""The number of cars for the loop lag, and the number in which a car must not cost more."""

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
requests of an account. The *null integration* has as many entities, which do nothing. Each measurement runs
in its own process, in which another car was set up and removed before. Memory is in KiB per car.
"""
_LOOP_LAG: Final = """## The event loop

How long an event that affects all cars at once holds the event loop, in milliseconds: the longest time from
one poll for I/O to the next, without the garbage collector.
"""
_IMPORT: Final = """## Import

After Home Assistant's default imports, all modules of the integration take {duration} ms to import, and
require {libraries}.
"""

_REFRESH_GOALS: Final[Sequence[tuple[str, float, Callable[[Refresh], float], tuple[str, ...]]]] = (
    ("times baseline, unchanged", 1.3, lambda row: row.baseline_ratio.wall, ("unchanged",)),
    ("times baseline, 30 fields", 2, lambda row: row.baseline_ratio.wall, ("30 fields",)),
    ("of tessie's net time", 0.5, lambda row: row.tessie_ratio.wall, ()),
    ("of tessie's net time per entity", 0.5, lambda row: row.tessie_ratio_per_entity.wall, ()),
    ("entities of tessie per entity", 1, lambda row: row.tessie_entities / row.entities, ()),
    ("requests per car", 1, lambda row: row.requests / row.vehicles, ()),
    ("unchanged states written", 0, lambda row: row.unnecessary, ()),
    (
        "states written that don't describe the polling",
        0,
        lambda row: row.written_of_cars,
        ("unchanged",),
    ),
)
"""Name, maximum, figure, and the kinds of refresh to which a goal applies; empty for all."""


def judge(results: Results) -> Iterator[Goal]:
    """Yield the goals with their figures."""
    for name, maximum, figure, kinds in _REFRESH_GOALS:
        rows = (row for row in results.refreshes if not kinds or row.kind in kinds)
        yield from (Goal(name, _at(row), figure(row), maximum) for row in rows)
    few, many = ([row for row in results.refreshes if row.vehicles == size] for size in (_FEW, _MANY))
    for row, fewer in zip(many, few, strict=False):
        yield Goal(f"times a car's time among {_FEW}", _at(row), row.growth(fewer), 1.2)
    for command in results.commands:
        yield Goal("times baseline, a command", _at(command), command.baseline_ratio.wall, 1.5)
    for vehicles, pairs in results.startups.items():
        requests = max(own.requests for own, _ in pairs)
        yield Goal("requests of an account before its entities are added", f"{vehicles}", requests, 1)
        # The memory of few cars is small in comparison with the blocks that the process allocates.
        if vehicles >= _FEW:
            memory = median(own.memory - null.memory for own, null in pairs)
            yield Goal("KiB per car more than the null integration", f"{vehicles}", memory, 400)
    if lag := results.loop_lag.get(("30 fields", _FEW)):
        yield Goal("ms in one iteration of the event loop", f"30 fields, {_FEW}", lag[0], 20)
    if results.imports:
        yield Goal("ms to import", "import", _import_time(results).wall / 1e3, 100)
        yield Goal("libraries imported", "import", len(_libraries(results)), 0)


def sections(results: Results) -> Iterator[str]:
    """Yield the introduction and the tables."""
    yield _INTRODUCTION
    yield _REFRESHES
    ratios = ("times baseline", "of tessie's net time", "per entity")
    yield table(["refresh", "vehicles", *SUBJECTS, *ratios], map(_refresh_row, results.refreshes))
    yield _EFFECTS
    yield table(
        ["refresh", "vehicles", "entities", "of tessie", "requests", "states written", "unnecessary"],
        map(_effects_row, results.refreshes),
    )
    yield _COMMANDS
    yield table(
        ["command", "vehicles", INTEGRATION, BASELINE, "times baseline"],
        map(_command_row, results.commands),
    )
    yield _STARTUPS
    yield table(["vehicles", "integration", *_STARTUP_COLUMNS], _startup_rows(results.startups))
    yield _LOOP_LAG
    yield table(
        ["event", "vehicles", "iteration", "unavailable entities"],
        (
            (event, f"{vehicles}", f"{iteration:.1f}", f"{unavailable}")
            for (event, vehicles), (iteration, unavailable) in results.loop_lag.items()
        ),
    )
    if results.imports:
        libraries = ", ".join(sorted(_libraries(results))) or "no other library"
        yield _IMPORT.format(duration=_milliseconds(_import_time(results)), libraries=libraries)


def _refresh_row(row: Refresh) -> Iterator[str]:
    yield from (row.kind, f"{row.vehicles}")
    for subject in SUBJECTS:
        yield _pair(medians(row.samples(subject)) / row.vehicles, 0)
    for ratio in (row.baseline_ratio, row.tessie_ratio, row.tessie_ratio_per_entity):
        yield _pair(ratio, 2)


def _effects_row(row: Refresh) -> Iterator[str]:
    counts = (row.vehicles, row.entities, row.tessie_entities, row.requests, row.written, row.unnecessary)
    return map(str, (row.kind, *counts))


def _command_row(row: Measurement) -> Iterator[str]:
    yield from (row.kind, f"{row.vehicles}")
    yield from (_pair(medians(row.samples(subject)), 0) for subject in (INTEGRATION, BASELINE))
    yield _pair(row.baseline_ratio, 2)


_STARTUP_COLUMNS: Final[Mapping[str, Callable[[Sequence[Startup]], str]]] = {
    "entities": lambda startups: f"{startups[0].entities}",
    "cold": lambda startups: _milliseconds(medians(startup.cold for startup in startups)),
    "warm": lambda startups: _milliseconds(medians(startup.warm for startup in startups)),
    "requests": lambda startups: f"{max(startup.requests for startup in startups)}",
    "memory": lambda startups: f"{median(startup.memory for startup in startups):.0f}",
}


def _startup_rows(startups: Mapping[int, Iterable[tuple[Startup, Startup]]]) -> Iterator[Sequence[str]]:
    for vehicles, pairs in startups.items():
        for name, same in zip((INTEGRATION, "null integration"), zip(*pairs, strict=True), strict=True):
            yield f"{vehicles}", name, *(figure(same) for figure in _STARTUP_COLUMNS.values())


def _at(row: Measurement) -> str:
    return f"{row.kind}, {row.vehicles}"


def _import_time(results: Results) -> Duration:
    return medians(duration for duration, _ in results.imports)


def _libraries(results: Results) -> set[str]:
    return {library for _, libraries in results.imports for library in libraries}


def _pair(duration: Duration, digits: int) -> str:
    return f"{duration.wall:.{digits}f}, {duration.cpu:.{digits}f}"


def _milliseconds(duration: Duration) -> str:
    return _pair(duration / 1e3, 0)
