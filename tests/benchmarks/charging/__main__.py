"""A quarter of charging by the plan: its cost, whether the car is ready, and how often it is woken."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import timedelta
import multiprocessing
from pathlib import Path
import sys
from typing import Final

from custom_components.vehicle_remote_access.simulator.car.physics import Supply

from ..common.report import Goal, create_parser, publish, table
from .household import Household, model as house_model, read_household
from .prices import FIXED, TAX, Prices, model, read_file
from .quarter import LIMIT, READY_BY, Judged, Results, Scenario, run
from .sun import SUPPLY, SunnyScenario, run_sunny
from .sun_report import sunny_goals, sunny_name, sunny_sections

_QUARTER: Final = 91
_SUNNY_DAYS: Final = 28
_LIMIT: Final = 8.0
"""kW of the house."""
_CHARGERS: Final = (Supply(230, 10), Supply(230, 16), SUPPLY)
"""2.3, 3.7 and 11 kW"""
_INTRODUCTION: Final = f"""# A quarter of charging by the plan

Home Assistant reads a simulated car over HTTP, in virtual time, and its charging plan is on. The car must be
at {LIMIT} % by {READY_BY:.0f}:00. Its owner commutes 35 miles on four of five workdays, runs an errand on
every fourth evening, drives farther on weekends, sometimes forgets the cable, comes home at night, or leaves
before that time, and on every twelfth evening starts or stops the charge in the car or in Home
Assistant. The charger has 9.6 kW, unless another one is named.

In a *disturbed* quarter, Home Assistant restarts on every third night, and the price sensor comes back later.
The service fails on every fifth night for up to four hours. The owner plugs the car in again on every seventh
evening. The prices of the next day come at 20:00, half an hour after midnight or not at all on a quarter of
the days, and at 14:00 on the others.

An owner pays the price of the market with {TAX - 1:.0%} tax, and {FIXED:.2f} €/kWh for all else. The prices
of the market are day-ahead prices of Germany (Bundesnetzagentur | SMARD.de,
[CC BY 4.0](https://creativecommons.org/licenses/by/4.0/), converted to CSV), or those of a model, which needs
no file. To get such a file, open
`https://api.energy-charts.info/price?bzn=DE-LU&start=2025-07-01&end=2025-09-30` and save it with the ending
`.json`. `--prices` reads it, and CSV files with the columns `start_utc` and `eur_per_mwh`.

*Cheapest* is the least that the same energy can cost if all prices are known as soon as the car is plugged
in, by an independent computation in steps of five minutes. It may start three times, once more than the
plan, and else has its rules: blocks of at least half an hour, done 15 minutes before that time, and below
20 % at once. During an outage in which the car was plugged in, nothing can stop it. The first three days, in
which the speed of charging is learned, do not count, and neither do nights in which the owner decides.

*Short* are times at which the car had to be ready and was not, although it would have been if it had charged
at once, or had then less than that. A car that was complete and lost some percent in its sleep is not short.
*Cut off* is the same because of an outage after which the time was too short.

A wake is *for nothing* if no start or stop follows. The first one after an outage is not: a car that charged
before and sleeps now can be complete, or a power cut can have stopped it. Only a wake shows which.
"""


def main() -> int:
    parser = create_parser("charging", __doc__)
    parser.add_argument("--days", type=int, default=_QUARTER, help="number of days")
    parser.add_argument("--seed", type=int, default=0, help="the owner's habits, and the models")
    parser.add_argument("--prices", metavar="FILE", type=Path, nargs="+", default=[], help="files of prices")
    parser.add_argument("--house", metavar="FILE", type=Path, help="what a house takes, and its solar power")
    options = parser.parse_args()
    days, seed = options.days, options.seed
    curves = [*map(read_file, options.prices), model(days, seed)]
    scenarios = [
        Scenario(prices, min(days, prices.days), seed, is_disturbed=is_disturbed)
        for prices in curves
        for is_disturbed in (False, True)
    ]
    chargers = _CHARGERS if days == _QUARTER else ()
    scenarios += [Scenario(curves[-1], days, seed, is_disturbed=False, supply=supply) for supply in chargers]
    sunny = [
        SunnyScenario(
            prices,
            min(days, _SUNNY_DAYS),
            seed,
            is_disturbed=False,
            supply=SUPPLY,
            house=_house(options.house, prices, seed),
            is_at_home=is_at_home,
            limit=limit,
        )
        for prices in curves
        for is_at_home, limit in ((False, None), (True, None), (True, _LIMIT))
    ]
    context = multiprocessing.get_context("forkserver")
    with ProcessPoolExecutor(max_workers=2, mp_context=context, max_tasks_per_child=1) as pool:
        runs = pool.map(run, scenarios)
        sunny_runs = pool.map(run_sunny, sunny)
        measured = list(zip(scenarios, runs, strict=True))
        lit = list(zip(sunny, sunny_runs, strict=True))
    problems = [f"{_name(each)}: {problem}" for each, results in measured for problem in results.problems]
    problems += [f"{sunny_name(each)}: {problem}" for each, results in lit for problem in results.problems]
    goals = [goal for scenario, results in measured for goal in _goals(scenario, results)]
    goals += [goal for scenario, results in lit for goal in sunny_goals(scenario, results)]
    is_whole = bool(options.prices) and options.house is not None and options.days == _QUARTER
    sections = [_INTRODUCTION, *_sections(measured), *sunny_sections(lit)]
    return publish(parser, sections, goals, problems, is_whole=is_whole)


def _house(path: Path | None, prices: Prices, seed: int) -> Household:
    if path is None:
        return house_model(prices.first_day, _SUNNY_DAYS, seed)
    return read_household(path, prices.first_day, _SUNNY_DAYS)


def _name(scenario: Scenario) -> str:
    first = scenario.prices.first_day
    last = first + timedelta(days=scenario.days - 1)
    supply = scenario.supply
    charger = "" if supply is None else f", {supply.power(supply.amperes):.1f} kW"
    disturbed = ", disturbed" if scenario.is_disturbed else ""
    return f"{scenario.prices.name}, {first} to {last}{charger}{disturbed}"


def _costs(results: Results) -> tuple[float, float, float]:
    """Return the costs of charging at once, by the plan, and at best."""
    nights = results.nights
    return (
        sum(each.at_once for each in nights),
        sum(each.night.cost for each in nights),
        sum(each.cheapest for each in nights),
    )


def _dearer(results: Results) -> float:
    """Return by how many percent the plan is dearer than the cheapest possible."""
    _, cost, cheapest = _costs(results)
    return 100 * (cost / cheapest - 1)


def _saved(results: Results, cost: float) -> str:
    return f"{100 * (1 - cost / _costs(results)[0]):.1f}"


def _mornings(results: Results) -> list[Judged]:
    """Return the nights that ended when the car had to be ready."""
    return [each for each in results.nights if each.night.at_ready]


_COSTS: Final[Mapping[str, Callable[[Results], str]]] = {
    "kWh": lambda results: f"{sum(each.night.energy for each in results.nights):.0f}",
    "at once": lambda results: f"{_costs(results)[0]:.2f}",
    "plan": lambda results: f"{_costs(results)[1]:.2f}",
    "cheapest": lambda results: f"{_costs(results)[2]:.2f}",
    "plan dearer, %": lambda results: f"{_dearer(results):.1f}",
    "saved, %": lambda results: _saved(results, _costs(results)[1]),
    "possible, %": lambda results: _saved(results, _costs(results)[2]),
    "mornings": lambda results: f"{len(_mornings(results))}",
    "of them too late": lambda results: f"{sum(not each.is_reachable for each in _mornings(results))}",
    "short": lambda results: f"{sum(each.missing > 0 for each in _mornings(results))}",
    "cut off": lambda results: f"{sum(each.is_cut_off for each in _mornings(results))}",
}
_ACTS: Final[Mapping[str, Callable[[Results], str]]] = {
    "starts": lambda results: f"{sum(results.starts)}",
    "nights with 1 · 2 · 3": lambda results: " · ".join(f"{results.starts.count(n)}" for n in (1, 2, 3)),
    "stops": lambda results: f"{results.stops}",
    "wakes": lambda results: f"{results.wakes}",
    "of them for nothing": lambda results: f"{results.idle_wakes}",
    "nights of the owner": lambda results: f"{results.manual}",
    "of them disturbed": lambda results: f"{results.against_person}",
    "restarts": lambda results: f"{results.restarts}",
    "outages": lambda results: f"{results.outages}",
}


def _sections(measured: Sequence[tuple[Scenario, Results]]) -> Iterator[str]:
    for heading, columns in (("Cost, in €, and readiness", _COSTS), ("Starts, stops and wakes", _ACTS)):
        yield f"## {heading}\n"
        yield table(
            ["prices", *columns],
            ([_name(each), *(cell(results) for cell in columns.values())] for each, results in measured),
        )


def _goals(scenario: Scenario, results: Results) -> list[Goal]:
    at = _name(scenario)
    return [
        Goal("% dearer than the cheapest possible", at, _dearer(results), 3),
        Goal("% missing that could be avoided", at, max(each.missing for each in results.nights), 0),
        Goal("starts in a night", at, max(results.starts), 3),
        Goal("wakes without a start or stop", at, results.idle_wakes, 0),
        Goal("commands against the owner", at, results.against_person, 0),
    ]


if __name__ == "__main__":
    sys.exit(main())
