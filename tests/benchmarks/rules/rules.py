"""The rules of the polling, each with what replaces it to take it out."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from copy import replace
import math
from statistics import fmean
from typing import Any, Final, NamedTuple
from unittest.mock import patch

from custom_components.vehicle_remote_access.polling import wake_rate
from custom_components.vehicle_remote_access.polling.departure import SHORTEST_WATCH
from custom_components.vehicle_remote_access.polling.habits import FIRST_QUIET
from custom_components.vehicle_remote_access.util.local_time import DAY

_PACKAGE: Final = "custom_components.vehicle_remote_access"
_WEEKDAYS: Final = 5 / 7
_CHANCES: Final = wake_rate.WakeRate._chances  # noqa: SLF001 - a rule under test

DEFAULT: Final = "720 (default), 15 min"
CHECKS: Final = "720, hourly self-checks, 15 min"
SMALL: Final = "240, 15 min"
LIVE: Final = "161, live reads only, 15 min"
STOPS: Final = "short_stops, 15 min"
LEAVES: Final = "leaves_again, 30 min"
COLUMNS: Final = {
    DEFAULT: "720",
    SMALL: "240",
    LIVE: "161 live reads",
    CHECKS: "720, self-checks",
    STOPS: "short_stops, 15 min",
    LEAVES: "leaves_again, 30 min",
}
"""The headings of the scenarios, by their labels in the day benchmark."""
_ALL: Final = tuple(COLUMNS)
_LIMITED: Final = (SMALL, LIVE)
_PLANNED: Final = (DEFAULT, SMALL)
_SOON: Final = (STOPS, LEAVES)


class Rule(NamedTuple):
    name: str
    text: str
    """What the rule does, and what replaces it."""
    scenarios: tuple[str, ...]
    """The labels of the scenarios in which it acts most."""
    replaced: Mapping[str, Any]
    """Other values of constants and methods, by their path in the integration."""

    @contextmanager
    def taken_out(self) -> Iterator[None]:
        with ExitStack() as stack:
            for path, value in self.replaced.items():
                stack.enter_context(patch(f"{_PACKAGE}.{path}", value))
            yield


def _mean_chance(*arguments: Any) -> tuple[float, ...]:
    chances = _CHANCES(*arguments)
    return (fmean(chances),) * len(chances)


def _on_all_days(rate: wake_rate.WakeRate, today: float, _: bool) -> tuple[float, ...]:  # noqa: FBT001
    """Return the chances as if all days and wakes were weekdays."""
    wakes = tuple(wake._replace(is_weekend=False) for wake in rate.wakes)
    chances = _CHANCES(replace(rate, wakes=wakes), today, is_weekend=False)
    return tuple(chance * _WEEKDAYS for chance in chances)


ALL_RULES: Final = Rule("all rules", "", _ALL, {})
RULES: Final = (
    Rule("time of day",
         "Use is expected at the times of day of earlier uses. Instead: the mean chance all day.",
         (DEFAULT, SMALL, LIVE, CHECKS), {"polling.wake_rate.WakeRate._chances": _mean_chance}),
    Rule("weekends apart", "Weekdays and weekends are learned apart. Instead: all days together.",
         _PLANNED, {"polling.wake_rate.WakeRate._chances": _on_all_days}),
    Rule("forgetting uses", "A use counts half after four days. Instead: none is forgotten.",
         _PLANNED, {"polling.wake_rate._LIFE": 10_000 * DAY}),
    Rule("assumption for new cars", "A new car may be used at any time. Instead: this hardly counts.",
         (SMALL,), {"polling.wake_rate._ASSUMED_DAYS": 0.05}),
    Rule("even share", "60 % of an even rate is kept at all times. Instead: none.",
         _PLANNED, {"polling.request_rates._EVEN_SHARE": 0.0}),
    Rule("chance asleep",
         "Requests that a car in use will not need are planned for other times. Instead: it sleeps all day.",
         (DEFAULT, SMALL, LIVE), {"polling.request_rates._awake": lambda *_: 0.0}),
    Rule("deviation", "A use may be ten minutes earlier or later next time. Instead: four minutes.",
         _PLANNED, {"polling.wake_rate._DEVIATION": 0.4}),
    Rule("longest interval with a limit",
         "With a limit, the interval is up to an hour. Instead: five minutes.",
         (SMALL,), {"account.request_budget._INTERVAL_WITH_LIMIT": 300.0}),
    Rule("shortest spacing", "Requests are at least 25 seconds apart. Instead: five.",
         (DEFAULT,), {"polling.request_rates._HIGHEST_RATE": 1 / 5}),
    Rule("reserve for users",
         "Some requests are kept for users, and none are sent here. Instead: none are kept.",
         (LIVE,), {"account.request_budget.reserve": lambda _: 0}),
    Rule("reserve for the evening",
         "Some are kept for the evening after a very long drive, which is not here. Instead: none.",
         (LIVE,),
         {"account.request_budget._FOR_EVENING": 0, "account.request_budget._EVENING_SHARE": 0.0}),
    Rule("share for use",
         "Requests to see a wake leave a share of the limit for the use. Instead: they may take all.",
         _LIMITED, {"account.request_budget.RequestBudget._for_use": 0.0}),
    Rule("share for further use",
         "When the share for use is spent, a tenth of the requests left is for cars in use. Instead: none.",
         (SMALL,), {"account.request_budget._FURTHER_USE_SHARE": 0.0}),
    Rule("spacing of reads",
         "With a limit, reads of a car in use are spaced. Instead: one a minute until the limit.",
         _LIMITED, {"account.request_budget.RequestBudget.read_interval": lambda _, wanted, *__: wanted}),
    Rule("time to fall asleep",
         f"It is learned how fast the car falls asleep. Instead: left alone for {FIRST_QUIET:.0f} s.",
         (DEFAULT, LEAVES), {"polling.habits.Habits.fell_asleep": lambda habits, _: habits}),
    Rule("list when it falls asleep", "The list is requested every two minutes then. Instead: as planned.",
         (LEAVES,), {"polling.policy._WATCH_SLEEP_INTERVAL": math.inf}),
    Rule("list before a read",
         "The list is requested five seconds before a quiet car is read. Instead: as planned.",
         (DEFAULT,), {"polling.policy._CHECK_VALID_FOR": math.inf}),
    Rule("margin of the quiet period",
         "The car is left alone a little longer than it needed before. Instead: as long.",
         (LEAVES,), {"polling.habits._MARGIN": 0.0}),
    Rule("growth of the quiet period",
         "A car that stayed awake is left alone for longer. Instead: as long as before.",
         (LEAVES,), {"polling.habits.Habits.stayed_awake": lambda habits: habits}),
    Rule("self-checks", "A car with self-checks is not read at once after it woke. Instead: it is.",
         (CHECKS,), {"polling.habits.Habits.self_check_wait": 0.0}),
    Rule("use or self-check",
         "It is read at once if use is more likely than a check. Instead: never at once.",
         (CHECKS,), {"polling.habits.Habits.is_use_likely": lambda *_: False}),
    Rule("time of day of self-checks",
         "Checks are likely at the times of day of earlier ones. Instead: at all times.",
         (CHECKS,), {"polling.habits._ASSUMED_CHECKS": 1e9}),
    Rule("long sleep ends self-checks",
         "A car that slept for eight hours is read at once next time. Instead: it is not.",
         (CHECKS,), {"polling.habits.Habits.slept": lambda habits, _: habits}),
    Rule("learned watch, or 3 min",
         "A parked car is watched as long as its stays suggest. Instead: for 180 s.",
         _SOON, {"polling.habits.Habits.watch_parked": lambda *_: SHORTEST_WATCH}),
    Rule("learned watch, or 5 min", "As before. Instead: for 300 s.",
         _SOON, {"polling.habits.Habits.watch_parked": lambda *_: 300.0}),
    Rule("value of sleep", "A minute of sleep is worth three seconds of delay. Instead: nothing.",
         _SOON, {"polling.departure._SLEEP_VALUE": 0.0}),
    Rule("places of stays", "Only stays at the same place count. Instead: those at all places.",
         _SOON, {"polling.habits._is_near": lambda *_: True}),
    Rule("assumed stays", "At an unknown place, any length is possible. Instead: this hardly counts.",
         (STOPS,), {"polling.departure._ASSUMED": 0.01}),
    Rule("watch of an idle car",
         "A car that woke or was charged is watched if use is likely soon. Instead: never.",
         (LEAVES,), {"polling.habits.Habits.watch_idle": lambda *_: 0.0}),
    Rule("departures",
         "A departure long after the car woke for a charge counts as a use. Instead: it does not.",
         (LEAVES,), {"polling.activity.ActivityTracker._learn_departure": lambda *_: None}),
    Rule("odometer",
         "The odometer shows when a drive started. Instead: it started at the read that shows it.",
         (LIVE,), {"polling.activity._SECONDS_PER_MILE": 0.0}),
    Rule("watch after use",
         "After a use other than a drive, a car is watched for five minutes. Instead: not at all.",
         (LEAVES,), {"polling.activity._WATCH_AFTER_USE": 0.0}),
    Rule("reads replace the list", "The list is not requested while the car is read. Instead: it is.",
         (DEFAULT,), {"polling.policy.postpone_for_reads": lambda planned_at, *_: planned_at}),
)  # fmt: skip
