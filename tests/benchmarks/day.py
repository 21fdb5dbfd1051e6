"""Days with a car: how long it sleeps, what it is asked, and how soon is shown what it does."""

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

from .budgets import TRIALS, Trial
from .figures import Figures
from .report import Results, missed, written
from .scene import measure

_FILE: Final = Path(__file__).with_suffix(".md")


def main() -> int:
    """Measure what is asked for, and return 1 if a budget is missed."""
    asked = _arguments()
    trials = [trial for trial in TRIALS if asked.timetable in (None, trial.name)]
    results = _measured(trials, asked.peace, asked.days)
    problems = missed(results)
    if asked.json:
        sys.stdout.write(json.dumps(_plain(results, problems), indent=1) + "\n")
    else:
        sys.stdout.write(written(results))
    if asked.timetable is asked.peace is asked.days is None:
        _FILE.write_text(written(results))
    return 1 if problems else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench day", description=__doc__)
    parser.add_argument("--timetable", choices=[trial.name for trial in TRIALS], help="only these days")
    parser.add_argument("--peace", type=int, help="only the car that needs so many minutes to fall asleep")
    parser.add_argument("--days", type=int, help="so many days instead of as many as usual")
    parser.add_argument("--json", action="store_true", help="print the figures and no tables")
    return parser.parse_args()


def _measured(trials: Iterable[Trial], peace: int | None, days: int | None) -> Results:
    """Return the figures of one car or of all, each of them measured in a process of its own."""
    runs = [(trial, car) for trial in trials for car in (trial.cars if peace is None else (peace,))]
    scenes = [trial.scene(car, days) for trial, car in runs]
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([measure.__module__])
    results: dict[str, dict[int, Figures]] = {}
    worked, began = 0.0, perf_counter()
    with ProcessPoolExecutor(os.cpu_count(), context, max_tasks_per_child=1) as pool:
        measured = pool.map(measure, scenes) if len(scenes) > 1 else map(measure, scenes)
        for (trial, car), (figures, seconds) in zip(runs, measured, strict=True):
            results.setdefault(trial.name, {})[car] = figures
            worked += seconds
            _say(f"{trial.name}, {car} min: {perf_counter() - began:.0f} s")
    days = sum(scene.days for scene in scenes)
    _say(f"{days} days of a car, each in {1000 * worked / days:.0f} ms of a processor")
    return results


def _say(words: str) -> None:
    sys.stderr.write(f"{words}\n")


def _plain(results: Results, problems: list[str]) -> dict[str, Any]:
    """Return all figures as JSON takes them."""
    cars = {name: {car: asdict(figures) for car, figures in of.items()} for name, of in results.items()}
    return {"trials": cars, "missed": problems}


if __name__ == "__main__":
    sys.exit(main())
