"""How fast the integration is, beside the least that is possible and beside another integration."""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, fields
import os
from pathlib import Path
import sys
from time import perf_counter
from typing import Final

from .found import (
    CHARGE_LIMIT,
    KINDS,
    LOCK,
    Beginning,
    Beginnings,
    Found,
    Held,
    Holding,
    Imported,
    Measured,
    Refresh,
)
from .processes import Worker, working
from .speed_report import missed, plain, written

_TABLES: Final = Path(__file__).with_suffix(".md")
_FIGURES: Final = Path(__file__).with_name("results.json")
_BEGAN: Final = perf_counter()
# Refreshes of each kind in a round, among however many cars
_FEWEST: Final = 3


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured."""

    vehicles: Sequence[int] = (1, 10, 100, 1000)
    rounds: int = 5
    refreshes: int = 200
    """Of a car, of each kind in each round: among many cars there are fewer of all."""
    commands: int = 50
    """Of each kind in each round."""
    processes: int = 3
    """Begun for each size, each for ours and for bare entities; among many cars fewer."""
    imports: int = 9

    def times(self, vehicles: int) -> int:
        """Return how often what concerns so many cars is done in a round."""
        return max(1, self.refreshes // vehicles)

    def beginnings(self, vehicles: int) -> int:
        """Return in how many processes so many cars begin."""
        return self.processes if vehicles < max(Size().vehicles) else 1


def main() -> int:
    """Measure, and return 1 if a goal is missed."""
    asked = _arguments()
    size = Size(**{each.name: getattr(asked, each.name) for each in fields(Size)})
    if asked.profile:
        sys.stdout.write(_profile(size, asked.profile))
        return 0
    found = _measured(size)
    sys.stdout.write(plain(found) if asked.json else written(found))
    if size == Size():
        _FIGURES.write_text(plain(found))
        _TABLES.write_text(written(found))
    return 1 if missed(found) else 0


def _arguments() -> argparse.Namespace:
    usual = Size()
    parser = argparse.ArgumentParser(prog="scripts/bench speed", description=__doc__)
    parser.add_argument("--vehicles", type=int, nargs="+", default=usual.vehicles, help="one or more sizes")
    parser.add_argument("--rounds", type=int, default=usual.rounds)
    parser.add_argument("--refreshes", type=int, default=usual.refreshes, help="of a car in a round")
    parser.add_argument("--commands", type=int, default=usual.commands, help="in a round")
    parser.add_argument("--processes", type=int, default=usual.processes, help="that begin with few cars")
    parser.add_argument("--imports", type=int, default=usual.imports)
    parser.add_argument("--json", action="store_true", help="print the figures and no tables")
    parser.add_argument("--profile", choices=KINDS, help="only say where the time of such a refresh goes")
    return parser.parse_args()


def _cores() -> tuple[int, int]:
    """Return one for Home Assistant and one for the service. With a single core they share it."""
    here, *_, there = sorted(os.sched_getaffinity(0)) * 2
    return here, there


def _stage(vehicles: int) -> AbstractContextManager[Worker]:
    """Run a fresh Home Assistant for so many cars."""
    here, there = _cores()
    return working("stage", here, vehicles, there)


def _profile(size: Size, kind: str) -> str:
    with _stage(size.vehicles[0]) as worker:
        worker.ask("begun")
        worker.ask("meet_rival")
        return str(worker.ask("profile", kind, size.refreshes))


def _measured(size: Size) -> Found:
    imports = _imports(size.imports)
    with ExitStack() as processes:
        workers: dict[int, Worker] = {}
        beginnings = []
        for vehicles in size.vehicles:
            begun = [_begun(vehicles, processes, workers) for _ in range(size.beginnings(vehicles))]
            beginnings.append(Beginnings(vehicles, begun))
            _say(f"{vehicles} vehicles set up")
        refreshes, commands = _rounds(workers, size)
        holdings = list(_holdings(workers, size))
    return Found(refreshes, commands, beginnings, holdings, imports)


def _imports(times: int) -> list[Imported]:
    if not times:
        return []
    with working("imports", _cores()[0], is_new=True) as worker:
        found: list[Imported] = worker.ask("imported", times)
    _say("imported")
    return found


def _begun(vehicles: int, processes: ExitStack, workers: dict[int, Worker]) -> tuple[Beginning, Beginning]:
    """Set up ours and then bare entities, each in a process; the last one of ours goes on."""
    if before := workers.get(vehicles):
        before.end()
    workers[vehicles] = processes.enter_context(_stage(vehicles))
    ours, like = workers[vehicles].ask("begun")
    with _stage(vehicles) as other:
        return ours, other.ask("begun_bare", like)


def _rounds(workers: Mapping[int, Worker], size: Size) -> tuple[list[Refresh], list[Measured]]:
    refreshes: list[Refresh] = []
    commands: list[Measured] = []
    for vehicles, worker in workers.items():
        entities = worker.ask("meet_rival")
        refreshes += (Refresh(kind, vehicles, entities, worker.ask("facts", kind)) for kind in KINDS)
        commands += (Measured(kind, vehicles) for kind in (LOCK, CHARGE_LIMIT))
        _say(f"{vehicles} vehicles of tessie set up")
    for number in range(size.rounds):
        for row in refreshes:
            times = max(size.times(row.vehicles), min(size.refreshes, _FEWEST))
            row.rounds.append(workers[row.vehicles].ask("refreshes", row.kind, times))
        for each in commands:
            each.rounds.append(workers[each.vehicles].ask("commands", each.kind, size.commands))
        _say(f"round {number + 1} of {size.rounds}")
    return refreshes, commands


def _holdings(workers: Mapping[int, Worker], size: Size) -> Iterable[Holding]:
    for vehicles, worker in workers.items():
        times = min(size.rounds, size.times(vehicles))
        found: dict[str, list[Held]] = worker.ask("held", times)
        yield from (Holding(what, vehicles, held) for what, held in found.items())
        _say(f"{vehicles} vehicles held the loop")


def _say(words: str) -> None:
    sys.stderr.write(f"{perf_counter() - _BEGAN:4.0f} s: {words}\n")


if __name__ == "__main__":
    sys.exit(main())
