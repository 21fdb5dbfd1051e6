"""The report as Markdown tables."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from homeassistant.const import __version__ as home_assistant

from ..common.driver import CarState
from ..common.markdown import table
from .metrics import DayMetrics, Metrics
from .scenarios import BUDGETS, SCENARIOS, Scenario

type Results = Mapping[str, Mapping[int, Metrics]]
"""By scenario and sleep delay in minutes."""

_INTRODUCTION: Final = f"""# A day with a car

How long the integration lets a car sleep, how many requests it sends, and how soon it shows drives and
charges. Home Assistant {home_assistant} reads a simulated car over HTTP, in virtual time. Written by
`scripts/bench day`.

Each row is a car, named by the minutes without a live read after which it falls asleep. A dot separates the
figures of consecutive days. *Possible* is the sleep of the same car without Home Assistant. The delay from
the start of a drive or a charge until Home Assistant shows it is in seconds, median and longest, by the car's
state at the start: *quiet* is awake while the integration lets it fall asleep, *watched* is awake and polled.
An activity that is never shown counts with its whole length.
"""

_MET: Final = "met"


def _daily(figure: Callable[[DayMetrics], str]) -> Callable[[Metrics], str]:
    return lambda car: " · ".join(figure(day) for day in car.days)


def _delays(state: CarState) -> Callable[[Metrics], str]:
    def delays(car: Metrics) -> str:
        typical, longest = car.median_delay(state), car.longest_delay(state)
        return "" if typical is None else f"{typical:.0f}, {longest:.0f}"

    return delays


def _never_shown(car: Metrics) -> str:
    return f"{sum(not activity.is_shown for activity in car.activities)} of {len(car.activities)}"


_COLUMNS: Final[Mapping[str, Callable[[Metrics], str]]] = {
    "learned, min": lambda car: "" if car.learned_sleep_delay is None else f"{car.learned_sleep_delay:.1f}",
    "possible, h": _daily(lambda day: f"{day.possible:.1f}"),
    "slept, % of possible": _daily(lambda day: f"{day.sleep_share:.1f}"),
    "requests": _daily(lambda day: f"{day.requests}"),
    "live reads": _daily(lambda day: f"{day.live_reads}"),
    "asleep, s": _delays("asleep"),
    "offline, s": _delays("offline"),
    "quiet, s": _delays("quiet"),
    "watched, s": _delays("watched"),
    "never shown": _never_shown,
    "not shown, min per hour driven": _daily(lambda day: f"{day.not_shown_share * 0.6:.1f}"),
    "reads per minute driven": lambda car: _rounded(car.read_rate("drive")),
    "reads per minute charged": lambda car: _rounded(car.read_rate("charge")),
    "longest gap, s": lambda car: f"{car.longest_gap:.0f}",
    "battery lost, %": _daily(lambda day: f"{day.battery_lost:.2f}"),
}


def as_markdown(results: Results) -> str:
    """Return the tables of all scenarios and the budgets."""
    return "\n".join(
        [
            _INTRODUCTION,
            *(
                _section(scenario, results[scenario.name])
                for scenario in SCENARIOS
                if scenario.name in results
            ),
            "## Budgets\n",
            table(["scenario", "budget", "worst", "limit", ""], _check_budgets(results)),
            *(f"**Problem**: {problem}\n" for problem in _problems(results)),
        ]
    )


def missed_budgets(results: Results) -> list[str]:
    """Return the problems and the budgets that are not met, as text."""
    missed = [", ".join(row) for row in _check_budgets(results) if row[-1] != _MET]
    return [*_problems(results), *missed]


def _section(scenario: Scenario, cars: Mapping[int, Metrics]) -> str:
    cells = {title: [figure(car) for car in cars.values()] for title, figure in _COLUMNS.items()}
    shown = {title: column for title, column in cells.items() if any(column)}
    rows = zip((f"{sleep_delay} min" for sleep_delay in cars), *shown.values(), strict=True)
    return f"## {scenario.name}\n\n{scenario.description}\n\n{table(['car', *shown], rows)}"


def _check_budgets(results: Results) -> Iterable[Sequence[str]]:
    """Yield the row of each budget for each of its scenarios."""
    for budget in BUDGETS:
        for name in budget.scenarios.split():
            measured = {delay: budget.metric(car) for delay, car in results.get(name, {}).items()}
            values = {delay: value for delay, value in measured.items() if value is not None}
            if values:
                bad = [f"{delay} min" for delay, value in values.items() if not budget.is_met(value)]
                verdict = f"**missed**: {', '.join(bad)}" if bad else _MET
                yield name, budget.name, f"{budget.worst(values.values()):.4g}", budget.limit, verdict


def _problems(results: Results) -> list[str]:
    return [
        f"{name}, {sleep_delay} min: {len(car.problems)} times, first {car.problems[0]}"
        for name, cars in results.items()
        for sleep_delay, car in cars.items()
        if car.problems
    ]


def _rounded(rate: float | None) -> str:
    return "" if rate is None else f"{rate:.2f}"
