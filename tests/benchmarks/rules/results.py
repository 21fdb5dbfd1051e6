"""The figures with all rules, and without one of them."""

from argparse import Namespace
import math
from statistics import fmean, median
from typing import Final, NamedTuple

from ..common.virtual_time import DAY, MINUTE
from ..day import commuter, soon_again
from ..day.car import Run, lost_sleep
from .model import measure
from .rules import ALL_RULES, RULES

_SLEEP_DELAYS: Final = (15, 30)
_JUDGED_DAYS: Final = 14
_SOON: Final = 45 * MINUTE


class Result(NamedTuple):
    """The figures of the judged weeks."""

    delay: float
    """Mean, in seconds."""
    lost_sleep: float
    """Percent of the possible sleep."""
    median: float


def _runs(seed: int) -> dict[str, Run]:
    options = Namespace(scenario=None, seeds=[seed], sleep_delay=_SLEEP_DELAYS)
    runs = [*commuter.runs(options), *soon_again.runs(options)]
    return {run.label: run for run in runs if run.scenario.interval is None}


def measure_without(number: int, label: str, seed: int) -> Result:
    """Return the figures without the rule with this number in the list, or with all rules."""
    run, rule = _runs(seed)[label], [*RULES, ALL_RULES][number]
    with rule.taken_out():
        car = measure(run, (label, seed))
    delays = car.delays_from(
        *("asleep", "quiet", "watched"),
        since=(run.scenario.days - _JUDGED_DAYS) * DAY,
        longest_idle=math.inf if run.name in {limit.name for limit in commuter.LIMITS} else _SOON,
    )
    return Result(fmean(delays), lost_sleep(car.days[-_JUDGED_DAYS:]), median(delays))
