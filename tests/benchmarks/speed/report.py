"""The report as Markdown tables and as JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from importlib.metadata import version
import json
import os
import platform
from statistics import median
from typing import Any, Final

from ..common.markdown import table
from .goals import Verdict, judge
from .results import (
    BASELINE,
    INTEGRATION,
    NULL_INTEGRATION,
    REFRESH_KINDS,
    REQUESTS_ONLY,
    TESSIE,
    TESSIE_REQUESTS_ONLY,
    EventLag,
    Measurement,
    Refresh,
    Results,
    StartupPairs,
)
from .stub_service import VEHICLES_PER_ACCOUNT
from .timing import Duration, median_duration

_LIBRARIES: Final = ("homeassistant", "aiohttp", "orjson", "tessie-api", "tesla-fleet-api")
_ABOVE_BASELINE: Final = "integration minus baseline"

_INTRODUCTION: Final = """# How fast the integration is

Home Assistant {homeassistant} polls cars that all drive, with every entity enabled, in real time and without
asyncio's debug mode. An account has at most {account} cars, because a config entry may have at most 10,000
entities. The service is an aiohttp server on another core. It sends the same record, or a record with changed
fields, always with new timestamps. Before each refresh all clocks advance by a minute.

Objects from the set-up are excluded from garbage collection: with a thousand cars the benchmark would measure
the garbage collector. Measurements that are compared alternate, because other processes slow the machine
down. Figures are medians. Times are in microseconds, wall time first, then CPU time. Ratios are calculated
pair by pair or round by round. Written by `scripts/bench`, on a machine with {cores} cores, with Python
{python}, aiohttp {aiohttp} and orjson {orjson}.
"""
_REFRESHES: Final = """## A refresh

Times are per car. The *baseline* is the work that any integration must do, in the same process with the same
session: the same request for each car, orjson, and a state write for each changed state. *Requests only* is
the baseline without the state writes. *tessie* is Home Assistant's own integration of that name. It gets the
same data, and has its own *requests only*. *Net time* is the time above requests only. Goals apply to wall
time.
"""
_EFFECTS: Final = """## Effects of a refresh

*Unnecessary* are writes of unchanged states.
"""
_COMMANDS: Final = """## A command

From the service call to the new state, for one car that is online. The baseline is a service that does
nothing, one request and one state write.
"""
_STARTUPS: Final = """## Startup

Milliseconds until the entities are added: cold without stored data, warm with stored data. The entities of
the *null integration* look the same and do nothing. Each measurement runs in its own process, in which
another car was set up and removed before. Requests are those until the entities are added. Memory is in KiB
per car.
"""
_LOOP_LAG: Final = """## The event loop

How long an event that affects all cars at once blocks the event loop, in milliseconds. An *iteration* lasts
from one poll for I/O to the next; a *callback* is part of an iteration. The time of the garbage collector is
excluded. Its longest run is in the last column.
"""
_IMPORT: Final = """## Import

After Home Assistant's default imports, all modules of the integration take {duration} ms to import, and
require {libraries}.
"""


def missed_goals(results: Results) -> list[str]:
    """Return the goals that are missed, as text."""
    return [verdict.text for verdict in judge(results) if not verdict.is_met]


def as_json(results: Results) -> str:
    """Return all figures as JSON."""
    figures = {
        "machine": _machine(),
        "refreshes": [{**_measurement_json(row), **_refresh_json(row)} for row in results.refreshes],
        "growth": list(_growth(results.refreshes)),
        "commands": [_measurement_json(row) for row in results.commands],
        "startups": [_startup_json(row) for row in results.startups],
        "loop_lag": [_loop_lag_json(row) for row in results.loop_lag],
        "imports": [asdict(row) for row in results.imports],
        "goals": [{**asdict(verdict), "is_met": verdict.is_met} for verdict in judge(results)],
        "missed": missed_goals(results),
    }
    return json.dumps(_rounded(figures), indent=1) + "\n"


def as_markdown(results: Results) -> str:
    """Return the tables and the missed goals."""
    subjects = [INTEGRATION, BASELINE, REQUESTS_ONLY, TESSIE, TESSIE_REQUESTS_ONLY]
    ratios = ["times baseline", "of tessie's net time", "per entity"]
    startups = ["vehicles", "cold", "null, cold", "requests", "warm", "null, warm", "requests", "memory"]
    effects = ["refresh", "vehicles", "entities", "of tessie", "requests", "states written", "unnecessary"]
    loop_lag = ["event", "vehicles", "iteration", "callback", "worst callback", "", "garbage collector"]
    return "\n".join(
        [
            _INTRODUCTION.format(**_machine(), account=VEHICLES_PER_ACCOUNT),
            _REFRESHES,
            table(["refresh", "vehicles", *subjects, *ratios], map(_refresh_row, results.refreshes)),
            table(["a car", INTEGRATION, BASELINE, _ABOVE_BASELINE, TESSIE], _growth_rows(results.refreshes)),
            _EFFECTS,
            table(effects, map(_effects_row, results.refreshes)),
            _COMMANDS,
            table(
                ["command", "vehicles", INTEGRATION, BASELINE, "times baseline"],
                map(_command_row, results.commands),
            ),
            _STARTUPS,
            table([*startups, "null, memory", "difference"], map(_startup_row, results.startups)),
            _LOOP_LAG,
            table(loop_lag, map(_loop_lag_row, results.loop_lag)),
            *_import_section(results),
            "## Goals\n",
            table(["goal", "at most", "worst", "at", "met"], _goal_rows(results)),
            *(f"**Missed**: {missed}\n" for missed in missed_goals(results) or ["nothing"]),
        ]
    )


def _machine() -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        **{library: version(library) for library in _LIBRARIES},
        "cores": os.cpu_count(),
    }


def _rounded(figures: Any) -> Any:
    """Round all floats to 4 significant digits."""
    if isinstance(figures, dict):
        return {name: _rounded(value) for name, value in figures.items()}
    if isinstance(figures, list):
        return [_rounded(value) for value in figures]
    return float(f"{figures:.4g}") if isinstance(figures, float) else figures


def _measurement_json(row: Measurement) -> dict[str, Any]:
    return {
        "kind": row.kind,
        "vehicles": row.vehicles,
        "pairs": len(row.samples[INTEGRATION]),
        "microseconds": {subject: asdict(row.per_vehicle(subject)) for subject in row.samples},
        "baseline_ratio": asdict(row.baseline_ratio),
    }


def _refresh_json(row: Refresh) -> dict[str, Any]:
    return {
        "tessie_ratio": asdict(row.tessie_ratio),
        "tessie_ratio_per_entity": asdict(row.tessie_ratio_per_entity),
        "entities": row.entities,
        "requests": len(row.effects.requested_paths),
        "changed": row.effects.changed,
        "reported": row.effects.reported,
    }


def _startup_json(row: StartupPairs) -> dict[str, Any]:
    return {
        "vehicles": row.vehicles,
        INTEGRATION: [asdict(startup) for startup in row.startups(INTEGRATION)],
        NULL_INTEGRATION: [asdict(startup) for startup in row.startups(NULL_INTEGRATION)],
        "cold_ratio": asdict(row.cold_ratio),
        "warm_ratio": asdict(row.warm_ratio),
        "additional_kib": row.additional_memory,
    }


def _loop_lag_json(row: EventLag) -> dict[str, Any]:
    return {
        "event": row.event,
        "vehicles": row.vehicles,
        "iterations": [sample.lag.iteration for sample in row.samples],
        "callbacks": [sample.lag.callback for sample in row.samples],
        "worst_callback": row.worst.callback_name,
        "garbage_collection": row.garbage_collection,
        "unavailable": row.unavailable,
    }


def _growth(refreshes: Sequence[Refresh]) -> Iterator[dict[str, Any]]:
    """Yield one car's time among more cars, divided by its time among the fewest cars (but more than one)."""
    for kind in REFRESH_KINDS:
        rows = [row for row in refreshes if row.kind == kind and row.vehicles > 1]
        for row in rows[1:]:
            growth = {subject: row.growth(rows[0], subject) for subject in (INTEGRATION, BASELINE, TESSIE)}
            growth[_ABOVE_BASELINE] = row.growth(rows[0], INTEGRATION, BASELINE)
            yield {"kind": kind, "vehicles": row.vehicles, "than": rows[0].vehicles, **growth}


def _growth_rows(refreshes: Sequence[Refresh]) -> Iterator[Sequence[str]]:
    for growth in _growth(refreshes):
        yield (
            f"{growth['kind']}: among {growth['vehicles']}, times among {growth['than']}",
            *(f"{growth[subject]:.2f}" for subject in (INTEGRATION, BASELINE, _ABOVE_BASELINE, TESSIE)),
        )


def _refresh_row(row: Refresh) -> Iterator[str]:
    yield from (row.kind, f"{row.vehicles}")
    for subject in (INTEGRATION, BASELINE, REQUESTS_ONLY, TESSIE, TESSIE_REQUESTS_ONLY):
        yield _microseconds(row.per_vehicle(subject))
    yield from map(_ratio, (row.baseline_ratio, row.tessie_ratio, row.tessie_ratio_per_entity))


def _effects_row(row: Refresh) -> Iterator[str]:
    effects, entities = row.effects, row.entities
    counts = (row.vehicles, entities[INTEGRATION], entities[TESSIE], len(effects.requested_paths))
    return map(str, (row.kind, *counts, sum(effects.changed.values()), effects.unnecessary_writes))


def _command_row(row: Measurement) -> Iterator[str]:
    yield from (row.kind, f"{row.vehicles}")
    yield from (_microseconds(row.per_vehicle(subject)) for subject in (INTEGRATION, BASELINE))
    yield _ratio(row.baseline_ratio)


def _startup_row(row: StartupPairs) -> Iterator[str]:
    own = row.startups(INTEGRATION)
    both = (own, row.startups(NULL_INTEGRATION))
    yield str(row.vehicles)
    yield from (_milliseconds(median_duration(one.cold for one in startups)) for startups in both)
    yield str(max(one.cold_requests for one in own))
    yield from (_milliseconds(median_duration(one.warm for one in startups)) for startups in both)
    yield str(row.warm_requests)
    yield from (f"{median(one.memory for one in startups) / row.vehicles:.0f}" for startups in both)
    yield f"{row.additional_memory:.0f}"


def _loop_lag_row(row: EventLag) -> Iterator[str]:
    worst = row.worst
    yield from (row.event, f"{row.vehicles}", f"{row.iteration:.1f}", f"{row.callback:.1f}")
    yield from (f"{worst.callback:.1f}", f"`{worst.callback_name}`", f"{row.garbage_collection:.1f}")


def _import_section(results: Results) -> Iterator[str]:
    if results.imports:
        libraries = ", ".join(results.libraries) or "no other library"
        yield _IMPORT.format(duration=_milliseconds(results.import_duration), libraries=libraries)


def _goal_rows(results: Results) -> Iterator[Sequence[str]]:
    """Yield each goal with the highest figure."""
    by_goal: dict[tuple[str, float], list[Verdict]] = {}
    for verdict in judge(results):
        by_goal.setdefault((verdict.goal, verdict.maximum), []).append(verdict)
    for (goal, maximum), verdicts in by_goal.items():
        worst = max(verdicts, key=lambda verdict: verdict.figure)
        met = f"{sum(verdict.is_met for verdict in verdicts)} of {len(verdicts)}"
        yield goal, f"{maximum:g}", f"{worst.figure:.4g}", worst.at, met if worst.is_met else f"**{met}**"


def _microseconds(duration: Duration) -> str:
    return f"{duration.wall:.0f}, {duration.cpu:.0f}"


def _milliseconds(duration: Duration) -> str:
    return f"{duration.wall / 1e3:.0f}, {duration.cpu / 1e3:.0f}"


def _ratio(duration: Duration) -> str:
    return f"{duration.wall:.2f}, {duration.cpu:.2f}"
