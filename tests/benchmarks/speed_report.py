"""The figures of the speed, as tables that a person reads and as JSON."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from importlib.metadata import version
import json
import os
import platform
from statistics import median
from typing import Any, Final

from .answering import MOST_IN_ACCOUNT
from .found import (
    BARE,
    FLOOR,
    KINDS,
    OURS,
    TESSIE,
    TESSIE_BARE,
    Beginnings,
    Found,
    Holding,
    Measured,
    Refresh,
)
from .goals import Verdict, verdicts
from .pairs import Took, usual

_LIBRARIES: Final = ("homeassistant", "aiohttp", "orjson", "tessie-api", "tesla-fleet-api")

_BEYOND: Final = "ours beyond the floor"

_BEGINNING: Final = """# How fast it is

A whole Home Assistant {homeassistant} reads cars that all drive, with every entity enabled, in real time and
without asyncio's debug mode. An account has at most {account} cars, because a config entry may have no more
than 10,000 entities. The service is an aiohttp server on another core that always says the same, or the same
with so many fields changed, and new times; before each refresh all clocks are set forward by a minute.

What is there after the beginning, the garbage collector leaves alone from then on: with a thousand cars it
would measure nothing but itself. Whatever is compared takes turns, for a machine is never quiet. Figures are
medians; times are microseconds, and behind them stand those of the processor. What is divided is divided pair
by pair, or round by round. Written by `scripts/bench`, on a machine with {cores} cores, with Python {python},
aiohttp {aiohttp} and orjson {orjson}.
"""
_REFRESHES: Final = """## A refresh

For each car. The *floor* is what no integration can do without, in the same process and over the same
session: the same request for each car, orjson, and a state written for each that changed. *Bare* is the same
without the writing. *tessie* is Home Assistant's own integration of that name, which gets the same answer and
has its own bare read; its *own time* is what it takes beyond that. A goal is judged by the wall's time.
"""
_WRITES: Final = """## What a refresh does

*Needless* are states that were written as they were.
"""
_COMMANDS: Final = """## A command

From the use of the service to the new state, of one car that is online. The floor: a service that does
nothing, one request and one state.
"""
_BEGINNINGS: Final = """## The beginning

Until the entities are there, in milliseconds: at first, and again with all remembered. *Bare* entities look
the same and do nothing. Each begins in a process of its own, in which another car was set up and removed
before. Requests are those until the entities are there. Memory is what a car holds, in KiB.
"""
_HOLDINGS: Final = """## The event loop

For how long something that happens to all cars at once holds it, in milliseconds. A *turn* is all that it
does between two looks at what has come; a *callback* is one thing of it. Without the garbage collector, whose
longest run stands beside them.
"""
_IMPORT: Final = """## Import

Where Home Assistant has imported what it imports for everybody, the whole of the integration takes
{took} ms to import, and brings {libraries}.
"""


def missed(found: Found) -> list[str]:
    """Return what is not as it should be, in words."""
    return [each.words for each in verdicts(found) if not each.holds]


def plain(found: Found) -> str:
    """Return all figures as JSON."""
    figures = {
        "machine": _machine(),
        "refreshes": [{**_plain(row), **_plain_facts(row)} for row in found.refreshes],
        "growth": list(_growth(found.refreshes)),
        "commands": [_plain(row) for row in found.commands],
        "beginnings": [_plain_beginnings(row) for row in found.beginnings],
        "holdings": [_plain_holding(row) for row in found.holdings],
        "imports": [asdict(each) for each in found.imports],
        "goals": [{**asdict(each), "holds": each.holds} for each in verdicts(found)],
        "missed": missed(found),
    }
    return json.dumps(_rounded(figures), indent=1) + "\n"


def written(found: Found) -> str:
    """Return it as tables, and what is missed."""
    refreshes = ["refresh", "vehicles", OURS, FLOOR, BARE, TESSIE, TESSIE_BARE, "times the floor"]
    writes = ["refresh", "vehicles", "entities", "of tessie", "requests", "states written", "needless"]
    begun = ["vehicles", "cold", "bare, cold", "requests", "warm", "bare, warm", "requests", "memory"]
    holdings = ["what happens", "vehicles", "turn", "callback", "worst callback", "", "collector"]
    return "\n".join(
        [
            _BEGINNING.format(**_machine(), account=MOST_IN_ACCOUNT),
            _REFRESHES,
            _table([*refreshes, "of tessie's own time", "for an entity"], map(_refresh, found.refreshes)),
            _table(["a car", OURS, FLOOR, _BEYOND, TESSIE], _grown(found.refreshes)),
            _WRITES,
            _table(writes, map(_facts, found.refreshes)),
            _COMMANDS,
            _table(["command", "vehicles", OURS, FLOOR, "times the floor"], map(_command, found.commands)),
            _BEGINNINGS,
            _table([*begun, "of bare", "above bare"], map(_beginnings, found.beginnings)),
            _HOLDINGS,
            _table(holdings, map(_holding, found.holdings)),
            *_imported(found),
            "## Goals\n",
            _table(["goal", "at most", "worst", "at", "reached"], _judged(found)),
            *(f"**Missed**: {each}\n" for each in missed(found) or ["nothing"]),
        ]
    )


def _machine() -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        **{library: version(library) for library in _LIBRARIES},
        "cores": os.cpu_count(),
    }


def _rounded(figures: Any) -> Any:
    """Return figures with no more digits than mean anything."""
    if isinstance(figures, dict):
        return {name: _rounded(each) for name, each in figures.items()}
    if isinstance(figures, list):
        return [_rounded(each) for each in figures]
    return float(f"{figures:.4g}") if isinstance(figures, float) else figures


def _plain(row: Measured) -> dict[str, Any]:
    return {
        "kind": row.kind,
        "vehicles": row.vehicles,
        "pairs": len(row.together[OURS]),
        "microseconds": {who: asdict(row.each(who)) for who in row.together},
        "times_floor": asdict(row.times_floor),
    }


def _plain_facts(row: Refresh) -> dict[str, Any]:
    return {
        "of_tessie": asdict(row.of_tessie),
        "of_tessie_by_entity": asdict(row.of_tessie_by_entity),
        "entities": row.entities,
        "requests": len(row.facts.asked),
        "changed": row.facts.changed,
        "reported": row.facts.reported,
    }


def _plain_beginnings(row: Beginnings) -> dict[str, Any]:
    return {
        "vehicles": row.vehicles,
        OURS: [asdict(each) for each in row.of(OURS)],
        BARE: [asdict(each) for each in row.of(BARE)],
        "cold_times_bare": asdict(row.cold),
        "warm_times_bare": asdict(row.warm),
        "kib_above_bare": row.memory,
    }


def _plain_holding(row: Holding) -> dict[str, Any]:
    return {
        "what": row.what,
        "vehicles": row.vehicles,
        "turns": [each.turns.turn for each in row.times],
        "callbacks": [each.turns.callback for each in row.times],
        "worst_callback": row.worst.callback_of,
        "collecting": row.collecting,
        "unavailable": row.unavailable,
    }


def _growth(refreshes: Sequence[Refresh]) -> Iterator[dict[str, Any]]:
    """Yield how much more a car takes among more cars, than among the fewest that are not alone."""
    for kind in KINDS:
        rows = [row for row in refreshes if row.kind == kind and row.vehicles > 1]
        for row in rows[1:]:
            grown = {who: row.growth(rows[0], who) for who in (OURS, FLOOR, TESSIE)}
            grown[_BEYOND] = row.growth(rows[0], OURS, FLOOR)
            yield {"kind": kind, "vehicles": row.vehicles, "than": rows[0].vehicles, **grown}


def _grown(refreshes: Sequence[Refresh]) -> Iterator[Sequence[str]]:
    for each in _growth(refreshes):
        yield (
            f"{each['kind']}: among {each['vehicles']}, times among {each['than']}",
            *(f"{each[who]:.2f}" for who in (OURS, FLOOR, _BEYOND, TESSIE)),
        )


def _refresh(row: Refresh) -> Iterator[str]:
    yield from (row.kind, f"{row.vehicles}")
    yield from (_micro(row.each(who)) for who in (OURS, FLOOR, BARE, TESSIE, TESSIE_BARE))
    yield from map(_ratio, (row.times_floor, row.of_tessie, row.of_tessie_by_entity))


def _facts(row: Refresh) -> Iterator[str]:
    facts = row.facts
    counts = (row.vehicles, row.entities[OURS], row.entities[TESSIE], len(facts.asked))
    return map(str, (row.kind, *counts, sum(facts.changed.values()), facts.needless))


def _command(row: Measured) -> Iterator[str]:
    yield from (row.kind, f"{row.vehicles}", *(_micro(row.each(who)) for who in (OURS, FLOOR)))
    yield _ratio(row.times_floor)


def _beginnings(row: Beginnings) -> Iterator[str]:
    ours, bare = row.of(OURS), row.of(BARE)
    yield str(row.vehicles)
    yield from (_milli(usual(each.cold for each in of)) for of in (ours, bare))
    yield str(max(each.asked for each in ours))
    yield from (_milli(usual(each.warm for each in of)) for of in (ours, bare))
    yield str(max(each.asked_again for each in ours))
    yield from (f"{median(each.memory for each in of) / row.vehicles:.0f}" for of in (ours, bare))
    yield f"{row.memory:.0f}"


def _holding(row: Holding) -> Iterator[str]:
    worst = row.worst
    yield from (row.what, f"{row.vehicles}", f"{row.turn:.1f}", f"{row.callback:.1f}")
    yield from (f"{worst.callback:.1f}", f"`{worst.callback_of}`", f"{row.collecting:.1f}")


def _imported(found: Found) -> Iterator[str]:
    if found.imports:
        libraries = ", ".join(found.libraries) or "no other library"
        yield _IMPORT.format(took=_milli(found.imported), libraries=libraries)


def _judged(found: Found) -> Iterator[Sequence[str]]:
    """Yield of each goal what comes next to missing it, or misses it most."""
    by_goal: dict[tuple[str, float], list[Verdict]] = {}
    for each in verdicts(found):
        by_goal.setdefault((each.goal, each.bound), []).append(each)
    for (goal, bound), all_of_it in by_goal.items():
        worst = max(all_of_it, key=lambda each: each.figure)
        good = f"{sum(each.holds for each in all_of_it)} of {len(all_of_it)}"
        yield goal, f"{bound:g}", f"{worst.figure:.4g}", worst.of, good if worst.holds else f"**{good}**"


def _micro(took: Took) -> str:
    return f"{took.wall:.0f}, {took.processor:.0f}"


def _milli(took: Took) -> str:
    return f"{took.wall / 1e3:.0f}, {took.processor / 1e3:.0f}"


def _ratio(took: Took) -> str:
    return f"{took.wall:.2f}, {took.processor:.2f}"


def _table(titles: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
