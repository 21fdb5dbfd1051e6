"""Whole days with a car: its sleep, the requests, and how soon drives and charges are shown."""

import argparse
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
import json
import multiprocessing
import os
from pathlib import Path
import sys
from time import perf_counter
from typing import Any, Final

from .metrics import Metrics
from .report import Results, as_markdown, missed_budgets
from .scenario_run import measure
from .scenarios import SCENARIOS, Scenario

_REPORT: Final = Path(__file__).parent.with_suffix(".md")


def main() -> int:
    """Run the selected scenarios, and return 1 if a budget is not met."""
    options = _parse_options()
    scenarios = [scenario for scenario in SCENARIOS if options.scenario in (None, scenario.name)]
    results = _measure(scenarios, options.sleep_delay, options.days)
    missed = missed_budgets(results)
    if options.json:
        sys.stdout.write(json.dumps(_as_json(results, missed), indent=1) + "\n")
    else:
        sys.stdout.write(as_markdown(results))
    if options.scenario is options.sleep_delay is options.days is None:
        _REPORT.write_text(as_markdown(results))
    return 1 if missed else 0


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench day", description=__doc__)
    names = [scenario.name for scenario in SCENARIOS]
    parser.add_argument("--timetable", dest="scenario", choices=names, help="run only this scenario")
    parser.add_argument(
        "--peace",
        dest="sleep_delay",
        metavar="MINUTES",
        type=int,
        help="run only a car that falls asleep after this many minutes without a live read",
    )
    parser.add_argument("--days", type=int, help="number of days, instead of the scenario's own")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    return parser.parse_args()


def _measure(scenarios: Iterable[Scenario], sleep_delay: int | None, days: int | None) -> Results:
    """Run the scenarios with one car or all cars, each run in its own process."""
    cars = [
        (scenario, delay)
        for scenario in scenarios
        for delay in (scenario.sleep_delays if sleep_delay is None else (sleep_delay,))
    ]
    runs = [scenario.run(delay, days) for scenario, delay in cars]
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([measure.__module__])
    results: dict[str, dict[int, Metrics]] = {}
    cpu, started = 0.0, perf_counter()
    with ProcessPoolExecutor(os.cpu_count(), context, max_tasks_per_child=1) as pool:
        measured = pool.map(measure, runs) if len(runs) > 1 else map(measure, runs)
        for (scenario, delay), (metrics, seconds) in zip(cars, measured, strict=True):
            results.setdefault(scenario.name, {})[delay] = metrics
            cpu += seconds
            _log(f"{scenario.name}, {delay} min: {perf_counter() - started:.0f} s")
    total_days = sum(run.days for run in runs)
    _log(f"{total_days} days with a car, {1000 * cpu / total_days:.0f} ms of CPU time each")
    return results


def _log(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def _as_json(results: Results, missed: list[str]) -> dict[str, Any]:
    scenarios = {
        name: {sleep_delay: asdict(metrics) for sleep_delay, metrics in cars.items()}
        for name, cars in results.items()
    }
    return {"scenarios": scenarios, "missed": missed}


if __name__ == "__main__":
    sys.exit(main())
