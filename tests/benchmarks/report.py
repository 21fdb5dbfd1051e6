"""The figures as tables that a person reads."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from homeassistant.const import __version__ as home_assistant

from .budgets import BUDGETS, TRIALS, Trial
from .driver import Found
from .figures import Day, Figures

type Results = Mapping[str, Mapping[int, Figures]]
"""By trial and by the minutes of peace that a car needs."""

_BEGINNING: Final = f"""# A day with a car

How long the integration lets a car sleep, what it costs, and how soon it shows what happens: a whole Home
Assistant {home_assistant} reads a simulated car over HTTP, in virtual time. Written by `scripts/bench day`.

Each row is a car, named by the minutes of peace in which it falls asleep. Figures with dots between them are
those of one day after the other. *Possible* is what the same car sleeps if nobody reads it. The seconds from
the beginning of a drive or a charge until Home Assistant shows it, median and worst, stand under what the car
was then: *quiet* is awake and left alone so that it can fall asleep, *watched* is awake and read. What was
never shown counts with all its length.
"""

_HOLDS: Final = "holds"


def _daily(figure: Callable[[Day], str]) -> Callable[[Figures], str]:
    return lambda car: " · ".join(figure(day) for day in car.days)


def _delays(found: Found) -> Callable[[Figures], str]:
    def delays(car: Figures) -> str:
        usual, worst = car.usual_delay(found), car.worst_delay(found)
        return "" if usual is None else f"{usual:.0f}, {worst:.0f}"

    return delays


_COLUMNS: Final[Mapping[str, Callable[[Figures], str]]] = {
    "learned, min": lambda car: "" if car.need is None else f"{car.need:.1f}",
    "possible, h": _daily(lambda day: f"{day.limit:.1f}"),
    "slept of it, %": _daily(lambda day: f"{day.share:.1f}"),
    "requests": _daily(lambda day: f"{day.requests}"),
    "live reads": _daily(lambda day: f"{day.live_reads}"),
    "asleep, s": _delays("asleep"),
    "offline, s": _delays("offline"),
    "quiet, s": _delays("quiet"),
    "watched, s": _delays("watched"),
    "never shown": lambda car: f"{sum(not each.is_shown for each in car.outcomes)} of {len(car.outcomes)}",
    "unseen, min an hour driven": _daily(lambda day: f"{day.unseen_share * 0.6:.1f}"),
    "reads a minute driven": lambda car: _rounded(car.rate("drive")),
    "reads a minute charged": lambda car: _rounded(car.rate("charge")),
    "longest gap, s": lambda car: f"{car.longest_gap:.0f}",
    "battery lost, %": _daily(lambda day: f"{day.lost:.2f}"),
}


def written(results: Results) -> str:
    """Return the tables of all trials, and which budgets hold."""
    return "\n".join(
        [
            _BEGINNING,
            *(_table_of(trial, results[trial.name]) for trial in TRIALS if trial.name in results),
            "## Budgets\n",
            _table(["days", "budget", "worst", "bound", ""], _verdicts(results)),
            *(f"**Wrong**: {each}\n" for each in _wrong(results)),
        ]
    )


def missed(results: Results) -> list[str]:
    """Return what is not as it should be, in words."""
    verdicts = [", ".join(verdict) for verdict in _verdicts(results) if verdict[-1] != _HOLDS]
    return [*_wrong(results), *verdicts]


def _table_of(trial: Trial, cars: Mapping[int, Figures]) -> str:
    cells = {title: [of(car) for car in cars.values()] for title, of in _COLUMNS.items()}
    shown = {title: column for title, column in cells.items() if any(column)}
    rows = zip((f"{peace} min" for peace in cars), *shown.values(), strict=True)
    return f"## {trial.name}\n\n{trial.says}\n\n{_table(['car', *shown], rows)}"


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _verdicts(results: Results) -> Iterable[Sequence[str]]:
    """Say of each budget and each trial that it is for: what was measured, and whether it holds."""
    for budget in BUDGETS:
        for name in budget.trials.split():
            found = {peace: budget.measure(car) for peace, car in results.get(name, {}).items()}
            figures = {peace: figure for peace, figure in found.items() if figure is not None}
            if figures:
                bad = [f"{peace} min" for peace, figure in figures.items() if not budget.holds(figure)]
                verdict = f"**missed**: {', '.join(bad)}" if bad else _HOLDS
                yield name, budget.words, f"{budget.worst(figures.values()):.4g}", budget.bound, verdict


def _wrong(results: Results) -> list[str]:
    return [
        f"{name}, {peace} min: {len(car.wrong)} times, at first {car.wrong[0]}"
        for name, cars in results.items()
        for peace, car in cars.items()
        if car.wrong
    ]


def _rounded(rate: float | None) -> str:
    return "" if rate is None else f"{rate:.2f}"
