"""The report about surplus power and the limit of a house."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from ..common.report import Goal, table
from .sun import FEED_IN, LEAST_AMPS, SUPPLY, SunnyResults, SunnyScenario

type _Measured = Sequence[tuple[SunnyScenario, SunnyResults]]

_INTRODUCTION: Final = f"""## Surplus power, and the limit of the house

In four weeks of each season, the owner is *at home* (on two of three days a trip of up to 80 miles), or
commutes as above. The car is not needed on Saturday and Sunday. The charger has
{SUPPLY.power(SUPPLY.amperes):.0f} kW on three phases, and takes at least {SUPPLY.power(LEAST_AMPS):.1f} kW.
An exported kWh earns {FEED_IN:.2f} €.

What the house takes and its solar power are measured: a house in Konstanz in 2016, in quarters of an hour
(Open Power System Data, Household Data, from the project CoSSMic,
[CC BY 4.0](https://creativecommons.org/licenses/by/4.0/), without its heat pump), on the same weekdays of
the year of the prices. `--house` reads a CSV file with the columns `utc`, `load_w` and `solar_w`. Within a
quarter, clouds and devices are a model with the same energy: where the neighbours differ more, clouds are
darker. The meter reports each minute.

*From the sun* is what would have been exported without the car. *Possible* is the most that whole amperes of
at least {LEAST_AMPS} could have taken, if everything had been known. A car can get more than that, because it
goes on for ten minutes with less. *Cheapest* is the least that the same energy can cost if all prices and all
clouds are known in advance. The rules of the blueprint *Charge with surplus power* and of evcc (mode `pv`, at
least 6 A, on after one minute and off after three) are models on the same days. What they leave is charged in
the cheapest minutes, also with knowledge of the future, so that both are cheaper here than they can be.

*Over the limit* are reports above the limit of the house, right after another one, although the house takes
no more and the car more than its least power.
"""
_COLUMNS: Final[Mapping[str, Callable[[SunnyResults], str]]] = {
    "kWh": lambda results: f"{results.energy:.0f}",
    "from the sun": lambda results: f"{results.from_sun:.0f}",
    "possible": lambda results: f"{results.possible:.0f}",
    "€": lambda results: f"{results.cost:.2f}",
    "cheapest": lambda results: f"{results.best:.2f}",
    "blueprint": lambda results: f"{results.blueprint:.2f}",
    "evcc": lambda results: f"{results.evcc:.2f}",
    "changes a day, most": lambda results: f"{max(results.changes, default=0)}",
    "starts a day, most": lambda results: f"{max(results.starts, default=0)}",
    "short": lambda results: f"{results.short}",
    "over the limit": lambda results: f"{results.over_limit}",
}


def sunny_name(scenario: SunnyScenario) -> str:
    owner = "at home" if scenario.is_at_home else "commuter"
    limit = "" if scenario.limit is None else f", at most {scenario.limit:g} kW"
    return f"{scenario.house.name}, from {scenario.prices.first_day}, {owner}{limit}"


def sunny_sections(measured: _Measured) -> Iterator[str]:
    yield _INTRODUCTION
    yield table(
        ["days", *_COLUMNS],
        ([sunny_name(each), *(cell(results) for cell in _COLUMNS.values())] for each, results in measured),
    )


def sunny_goals(scenario: SunnyScenario, results: SunnyResults) -> Iterator[Goal]:
    name = sunny_name(scenario)
    yield Goal("mornings without a full car that could be full", name, results.short, 0)
    yield Goal("reports over the limit after another one", name, results.over_limit, 0)
    if scenario.limit is None:
        yield Goal("changes of the current in a day", name, max(results.changes, default=0), 20)
        dearer = 100 * (results.cost / results.best - 1) if results.best > 0 else 0.0
        limit = 12 if scenario.is_at_home else 5
        owner = "at home" if scenario.is_at_home else "commuter"
        yield Goal(f"% dearer than with all knowledge, {owner}", name, dearer, limit)
        yield Goal("% of the blueprint's cost", name, 100 * results.cost / results.blueprint, 105)
