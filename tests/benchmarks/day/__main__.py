"""Whole days with a car: its sleep, the requests, and how soon drives and charges are shown."""

from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
import multiprocessing
import sys
from typing import Any, Final

from custom_components.vehicle_remote_access.api.service_types import SERVICE_TYPES
from custom_components.vehicle_remote_access.simulator import OTHER
from simulator_console.services import SERVICES

from ..common.report import create_parser, publish
from . import commuter, days, months, soon_again
from .car import measure

_INTRODUCTION: Final = """# A day with a car

How long the integration lets a car sleep, how many requests it sends, and how soon it shows drives and
charges. Home Assistant reads a simulated car over HTTP, in virtual time.

Each row is a car, named by the minutes without a live read after which it falls asleep. A dot separates the
figures of consecutive days. *Possible* is the sleep of the same car without Home Assistant. The delay from
the start of a drive or a charge until Home Assistant shows it is in seconds, median and longest, by the car's
state at the start: *quiet* is awake while the integration lets it fall asleep, *watched* is awake and polled.
An activity that is never shown counts with its whole length. A gap is between two live reads of a drive, and
of a charge.

What each rule of the polling earns on these days is in [rules.md](rules.md).
"""


def main() -> int:
    parser = create_parser("day", __doc__)
    names = [*days.SCENARIOS, commuter.NAME, soon_again.NAME, months.NAME]
    parser.add_argument("--scenario", choices=names, help="run only this scenario")
    parser.add_argument(
        "--sleep-delay",
        metavar="MINUTES",
        type=int,
        nargs="+",
        default=(10, 15, 30),
        help="after how many minutes the cars fall asleep",
    )
    parser.add_argument("--service", choices=SERVICES, default=OTHER, help="the service to play")
    parser.add_argument("--live", action="store_true", help="the service passes on what the car sends")
    parser.add_argument(
        "--seeds",
        metavar="SEED",
        type=int,
        nargs="+",
        default=commuter.SEEDS,
        help="random seeds of the weeks",
    )
    options = parser.parse_args()
    if options.live and SERVICE_TYPES[options.service].stream is None:
        parser.error("--live: this service has no stream, name one with --service")
    played: dict[str, Any] = {"is_live": options.live}
    if options.service != OTHER:
        played["service"] = options.service
    parts = (days, commuter, soon_again, months)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([measure.__module__])
    with ProcessPoolExecutor(mp_context=context, max_tasks_per_child=1) as pool:
        futures = {
            # The longest runs first
            part: [
                (run, pool.submit(measure, replace(run.scenario, **played), run.sleep_delay))
                for run in part.runs(options)
            ]
            for part in reversed(parts)
        }
        measured = {part: [(run, future.result()) for run, future in futures[part]] for part in parts}
    problems = [
        f"{run.label}: {problem}"
        for cars in measured.values()
        for run, car in cars
        for problem in car.problems
    ]
    sections = [section for part, cars in measured.items() for section in part.sections(cars)]
    goals = [goal for part, cars in measured.items() for goal in part.goals(cars)]
    return publish(parser, [_INTRODUCTION, *sections], goals, problems)


if __name__ == "__main__":
    sys.exit(main())
