"""What each rule of the polling earns: the delays and the sleep without it."""

from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from statistics import fmean, stdev
import sys
from typing import Final

from ..common.report import create_parser, publish, table
from .model import Result, measure_without
from .rules import ALL_RULES, COLUMNS, RULES

# No setting of the integration was chosen with these.
_SEEDS: Final = (311, 312, 313, 314, 315)
_CLARITIES: Final = ("**no**", "weakly", "clearly")
_FIGURES: Final = (("Delay, s", 1, 0.5), ("Lost sleep, percentage points", 2, 0.05))
"""Title, decimals and least difference of each figure."""
_INTRODUCTION: Final = """# What the rules of the polling earn

Each rule is taken out alone. A row shows how much later drives and charges are shown without it, and how much
more sleep the car loses. A positive figure is what the rule earns, and a negative one is what it costs.

The days are those of [the day benchmark](day.md): the commuter with a number of requests a day, *short_stops*
and *leaves_again*. The simulated car is read without HTTP and Home Assistant, so requests take no time. The
last two weeks are judged. Delays are those of all drives and charges, in *short_stops* and *leaves_again* of
those within 45 minutes after the one before. One that is never shown counts with its whole length.

After ± is the noise: the standard deviation of the difference over the seeds. A difference is *clearly* above
the noise, and bold, if it is more than twice as large: one in a hundred is by chance. It is *weakly* above
the noise if it is larger: one in eleven is by chance. Less than half a second or 0.05 points is not counted.
A cell is empty where a rule was not measured, because it acts more on other days.
A plain 0 means that the rule never acts on these days.
"""
_NOT_HERE: Final = """These rules earn nothing on such days, and are kept for others. *Forgetting
uses* and *even share* are for
habits that change. *Assumption for new cars* and *assumed stays* are for what is unknown. *Deviation* earned
more with other seeds. *Shortest spacing* and *reads replace the list* spare the service. The reserves are for
people, and for the evening after a long drive. *Share for further use* is for long trips. *Time to fall
asleep*, *list when it falls asleep*, *margin* and *growth of the quiet period* are for cars that need longer,
or that something keeps awake. *Long sleep ends self-checks* is for a car that no longer checks itself. *Watch
of an idle car* and *departures* are for cars that leave soon after they were charged. Each can do some of the
work of the other: without both, the mean delay of *leaves_again* is three minutes longer. *Odometer* is for
drives that are noticed late. *Watch after use* is for doors and commands.

These rules show nothing on such days, and tests prove them: returns into coverage
(`test_later_wakes_are_not_read_at_once_after_two_without_use`,
`test_car_back_in_coverage_is_read_at_once_unless_coverage_is_unstable`), a clock that is set back
(`test_clock_set_back_resets_all_times_but_no_habits`), the service's quota
(`test_quota_of_an_hour_but_not_of_a_minute_limits_the_day`), commands and wakes by request
(`test_wake_counts_if_used_soon_and_not_requested`), the reserves
(`test_automation_of_a_poll_reads_despite_a_spent_limit`, `test_limits_in_random_days`), and
slow charges
(`test_live_reads_last_for_this_and_further_uses_and_slow_charging_is_read_less_often`).
"""


type Results = Mapping[str, list[Result]]
"""The result with each seed, by the scenario."""
type Difference = tuple[float, float]
"""The mean difference and its noise."""


def _differences(results: Results, base: Results, figure: int) -> list[Difference | None]:
    """Return the difference on the days of each scenario, None where it was not measured."""
    differences: list[Difference | None] = []
    for label in COLUMNS:
        pairs = zip(results[label], base[label], strict=True) if label in results else ()
        each = [without[figure] - all_rules[figure] for without, all_rules in pairs]
        differences.append((fmean(each), stdev(each)) if each else None)
    return differences


def _clarity(difference: Difference | None, least: float) -> int:
    """Return ±2 for a difference of more than twice the noise, ±1 for one above the noise, 0 for others."""
    if difference is None or abs(difference[0]) < least:
        return 0
    mean, noise = difference
    return sum(abs(mean) > times * noise for times in (1, 2)) * (1 if mean > 0 else -1)


def _cell(difference: Difference | None, decimals: int, least: float) -> str:
    if difference is None:
        return ""
    mean, noise = difference
    text = f"{mean:+.{decimals}f} ± {noise:.{decimals}f}" if mean or noise else "0"
    return f"**{text}**" if abs(_clarity(difference, least)) > 1 else text


def _sections(measured: Mapping[str, Results]) -> Iterator[str]:
    base, rules = measured[ALL_RULES.name], [rule for rule in RULES if rule.name in measured]
    rows = []
    for label, heading in COLUMNS.items():
        delay, lost_sleep, median = map(fmean, zip(*base[label], strict=True))
        rows.append([heading, f"{median:.0f}", f"{delay:.0f}", f"{lost_sleep:.2f}"])
    titles = ["days", "median delay, s", "mean delay, s", "lost sleep, %"]
    yield f"## All rules\n\n{table(titles, rows)}"
    clarity = dict.fromkeys(measured, 0)
    for figure, (title, decimals, least) in enumerate(_FIGURES):
        rows = []
        for rule in rules:
            differences = _differences(measured[rule.name], base, figure)
            rows.append([rule.name, *(_cell(each, decimals, least) for each in differences)])
            clarity[rule.name] = max(clarity[rule.name], *(_clarity(each, least) for each in differences))
        yield f"## {title}\n\n{table(['without', *COLUMNS.values()], rows)}"
    rows = [[rule.name, rule.text, _CLARITIES[clarity[rule.name]]] for rule in rules]
    yield f"## Rules\n\n{table(['rule', 'what it does', 'earns something'], rows)}"
    yield _NOT_HERE


def main() -> int:
    parser = create_parser("rules", __doc__)
    parser.add_argument("--seeds", metavar="SEED", type=int, nargs="+", default=_SEEDS, help="at least two")
    parser.add_argument("--rule", choices=[rule.name for rule in RULES], help="take out only this rule")
    options = parser.parse_args()
    chosen = [*(rule for rule in RULES if options.rule in (None, rule.name)), ALL_RULES]
    with ProcessPoolExecutor() as pool:
        futures = {
            rule.name: {
                label: [pool.submit(measure_without, number, label, seed) for seed in options.seeds]
                for label in rule.scenarios
            }
            for number, rule in enumerate([*RULES, ALL_RULES])
            if rule in chosen
        }
        measured = {
            name: {label: [each.result() for each in waiting] for label, waiting in by_label.items()}
            for name, by_label in futures.items()
        }
    return publish(parser, [_INTRODUCTION, *_sections(measured)], [])


if __name__ == "__main__":
    sys.exit(main())
