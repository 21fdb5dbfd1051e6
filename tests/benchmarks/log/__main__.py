"""A year of the log: its sums, drives, costs and estimates, compared with what the car really did."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise
import sys
from typing import Final, NamedTuple

from custom_components.vehicle_remote_access.drive_log.drives import MERGED_BELOW
from custom_components.vehicle_remote_access.drive_log.entries import Charge, Drive
from custom_components.vehicle_remote_access.simulator.car.physics import PACK

from ..common.report import Goal, create_parser, publish, table
from . import other
from .activities import Activity
from .year import AWAY_PRICE, START, Year, price_at, run_year

_INTRODUCTION: Final = """# A year of the log

A simulated car is used by its owner for a year: work, errands, visits, weekend trips, and charging at night.
It is read with the polling policy, and the log is made from these reads. During the year there are 30
restarts, 12 outages of up to 8 hours, 80 coverage gaps of up to 3 hours, and a week in which Home Assistant
is off. The price changes every 15 minutes.

What the car really did is recorded. A drive is *found* if exactly one entry belongs to it, and that entry
belongs to no other drive. The last column is what TeslaMate's published rules make of the same reads.
"""
_MONTHS_NOTE: Final = """In the week without Home Assistant, the car charged more than once. Its counter shows
only the last session, so the other ones are in neither log.
"""
_COST_NOTE: Final = f"""TeslaMate's cost is the energy added times the mean price at home. The price away from
home is {AWAY_PRICE}.
"""
_TOLERANCE: Final = 120.0


type _Span = Activity | Drive | Charge | other.Seen


class Match(NamedTuple):
    """How entries belong to true activities."""

    pairs: list[tuple[int, int]]
    """The true activity and its entry, where they belong only to each other."""
    split: int
    invented: int


def match(true: Sequence[_Span], entries: Sequence[_Span]) -> Match:
    """Assign entries to the activities with which they overlap."""
    by_true = [
        [number for number, entry in enumerate(entries) if _overlap(activity, entry)] for activity in true
    ]
    shares = Counter(number for numbers in by_true for number in numbers)
    pairs = [
        (index, numbers[0])
        for index, numbers in enumerate(by_true)
        if len(numbers) == 1 and shares[numbers[0]] == 1
    ]
    split = sum([shares[number] for number in numbers].count(1) > 1 for numbers in by_true)
    return Match(pairs, split, len(entries) - len(shares))


def _overlap(activity: _Span, entry: _Span) -> bool:
    earliest, latest = getattr(entry, "start_earliest", None), getattr(entry, "end_latest", None)
    start, end = earliest or entry.start, latest or entry.end
    return activity.start < end + _TOLERANCE and activity.end > start - _TOLERANCE


def true_drives(year: Year) -> list[Activity]:
    """Return the simulator's drives. Short stops are part of a drive."""
    merged: list[Activity] = []
    for drive in year.true.drives:
        if merged and drive.start - merged[-1].end < MERGED_BELOW:
            last = merged.pop()
            drive = Activity(  # noqa: PLW2901
                last.start, drive.end, miles=last.miles + drive.miles, added=last.added + drive.added
            )
        merged.append(drive)
    return merged


def _month(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m}"


def _by_month(amounts: Sequence[tuple[float, float]]) -> dict[str, float]:
    sums: dict[str, float] = {}
    for at, amount in amounts:
        sums[_month(at)] = sums.get(_month(at), 0.0) + amount
    return sums


class Figures:
    def __init__(self, year: Year) -> None:
        log, true = year.log, year.true
        drives, charges = log.drives, log.charges
        self.year = year
        self.drives = true_drives(year)
        self.match = match(self.drives, drives)
        self.charge_match = match(true.charges, charges)
        self.other_drives = other.drives(year.observations)
        self.other_charges = other.charges(year.observations)
        self.other_match = match(self.drives, self.other_drives)
        self.miles = _by_month([(each.end, each.distance) for each in drives])
        self.true_miles = _by_month([(each.end, each.miles) for each in self.drives])
        self.energy = _by_month([(each.end, each.energy_added) for each in charges])
        self.true_energy = _by_month([(each.end, each.added) for each in true.charges])
        self.other_miles = _by_month([(each.end, each.amount) for each in self.other_drives])
        self.other_energy = _by_month([(each.end, each.amount) for each in self.other_charges])
        # The counter at the end of each month, without a charge that is still open
        self.counter = {_month(charge.end): (charge.end_energy or 0.0) for charge in charges}
        found = [(self.drives[index], drives[number]) for index, number in self.match.pairs]
        live = [(true, own) for true, own in found if own.seen == "live"]
        errors = [max(abs(true.start - own.start), abs(true.end - own.end)) for true, own in live]
        self.worst_time = max(errors, default=0.0)
        known = [drive for drive in drives if drive.range_used is not None]
        energy = sum(log.energy(drive) or 0.0 for drive in known)
        used = sum(drive.used for drive in self.drives) / sum(drive.miles for drive in self.drives)
        self.consumption = 100 * abs(energy / sum(drive.distance for drive in known) / used - 1)
        pairs = self.charge_match.pairs
        self.true_cost = sum(year.true_costs[index] for index, _ in pairs)
        self.cost = sum(charges[number].cost or 0.0 for _, number in pairs)
        self.capacity = abs(100 * year.capacities[9] / PACK - 100)
        self.jump = max(abs(100 * (b / a - 1)) for a, b in pairwise(year.capacities[9:]))
        mean = sum(price_at(START + step * 900) for step in range(365 * 96)) / 365 / 96
        self.other_cost = sum(charge.amount for charge in self.other_charges) * mean

    def counter_error(self) -> float:
        """Return the largest difference of a month's charges and the counter, in kWh."""
        first = self.year.log.charges[0].start_energy or 0.0
        ends = [first, *self.counter.values()]
        grown = [after - before for before, after in pairwise(ends)]
        return max(abs(self.energy[month] - each) for month, each in zip(self.counter, grown, strict=True))

    def goals(self) -> list[Goal]:
        miles = max(abs(self.miles.get(month, 0.0) - true) for month, true in self.true_miles.items())
        found = 100 * len(self.match.pairs) / len(self.drives)
        year = "year"
        return [
            Goal("miles wrong in a month", year, miles, 0.1),
            Goal("kWh between a month's charges and the lifetime counter", year, self.counter_error(), 0.1),
            Goal("% of the drives not found", year, 100 - found, 5),
            Goal("drives split", year, self.match.split, 0),
            Goal("drives invented", year, self.match.invented, 0),
            Goal("seconds wrong at the start or end of a watched drive", year, self.worst_time, 120),
            Goal("% wrong in the cost", year, abs(100 * self.cost / self.true_cost - 100), 1),
            Goal("% wrong in the capacity after ten wide charges", year, self.capacity, 2),
            Goal("% between two estimates of the capacity", year, self.jump, 1),
            Goal("% wrong in the consumption", year, self.consumption, 3),
        ]

    def sections(self) -> list[str]:
        own, teslamate = self.match, self.other_match
        miles = (self.true_miles, self.miles, self.other_miles)
        energy = (self.true_energy, self.energy, self.other_energy)
        costs = (
            sum(self.year.true_costs.values()),
            sum(charge.cost or 0.0 for charge in self.year.log.charges),
            self.other_cost,
        )
        drives = (self.drives, self.year.log.drives, self.other_drives)
        return [
            _INTRODUCTION,
            "## Months\n",
            table(
                ["month", "true miles", "log", "TeslaMate", "true kWh added", "log", "TeslaMate"],
                (
                    [month, *(f"{each.get(month, 0.0):.1f}" for each in (*miles, *energy))]
                    for month in self.true_miles
                ),
            ),
            _MONTHS_NOTE,
            "## Drives and cost\n",
            table(
                ["", "true", "log", "TeslaMate"],
                [
                    ["drives", *(f"{len(each)}" for each in drives)],
                    ["found", "", f"{len(own.pairs)}", f"{len(teslamate.pairs)}"],
                    ["split", "", f"{own.split}", f"{teslamate.split}"],
                    ["invented", "", f"{own.invented}", f"{teslamate.invented}"],
                    ["cost of all charges", *(f"{cost:.0f}" for cost in costs)],
                ],
            ),
            _COST_NOTE,
        ]


def main() -> int:
    parser = create_parser("log", __doc__)
    parser.add_argument("--days", type=int, default=365, help="number of days")
    parser.add_argument("--seed", type=int, default=0, help="the owner's habits")
    options = parser.parse_args()
    figures = Figures(run_year(options.days, options.seed))
    return publish(parser, figures.sections(), figures.goals())


if __name__ == "__main__":
    sys.exit(main())
