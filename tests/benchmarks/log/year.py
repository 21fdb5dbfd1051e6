"""A year with a simulated car, watched through quiet times, coverage gaps, restarts and outages."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from random import Random
from typing import Any, Final

from homeassistant.util import dt as dt_util

from custom_components.vehicle_remote_access.account.options import READ_INTERVALS
from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog
from custom_components.vehicle_remote_access.drive_log.entries import Observation
from custom_components.vehicle_remote_access.drive_log.prices import Prices
from custom_components.vehicle_remote_access.polling import policy
from custom_components.vehicle_remote_access.polling.activity import ActivityTracker
from custom_components.vehicle_remote_access.polling.modes import ASLEEP, ONLINE, Mode
from custom_components.vehicle_remote_access.simulator import ManualClock, SimulatedVehicle, Simulator
from custom_components.vehicle_remote_access.simulator.http.car_records import full_record
from custom_components.vehicle_remote_access.vehicle.merged_data import MergedData, merge_live_answer
from custom_components.vehicle_remote_access.vehicle.observe import observe

from .activities import ActivityRecorder

START: Final = datetime(2026, 1, 1, tzinfo=UTC).timestamp()
MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0
PRICE_STEP: Final = 900.0
AWAY_PRICE: Final = 0.59
_WEEK_OFF: Final = 188 * DAY
_RESTARTS: Final = 30
_OUTAGES: Final = 12
_GAPS: Final = 80


def price_at(moment: float) -> float:
    """Return the price at home, which changes every quarter of an hour."""
    return round(Random(int(moment // PRICE_STEP)).uniform(0.08, 0.45), 4)  # noqa: S311 - repeatable prices


@dataclass
class Year:
    """What the log and the simulator know after a year."""

    log: DriveLog
    car: SimulatedVehicle
    true: ActivityRecorder
    observations: list[tuple[Observation, float | None]] = field(default_factory=list)
    """All live observations, with the car's own counter of the session."""
    true_costs: dict[int, float] = field(default_factory=dict)
    """The cost of each true charge, by its index."""
    capacities: list[float] = field(default_factory=list)
    """The estimated capacity after each wide charge."""


class Watcher:
    """Reads the car as the integration does, without Home Assistant and without a network."""

    def __init__(self, year: Year) -> None:
        self.year = year
        self.merged = MergedData()
        self.tracker = ActivityTracker()
        self.price_step = -1.0
        self.archive: dict[str, Any] = {}

    def watch(self, now: float) -> None:
        """Do what is due at a minute."""
        year, car = self.year, self.year.car
        log, moment = year.log, datetime.fromtimestamp(now, UTC)
        if (step := now // PRICE_STEP) != self.price_step:
            self.price_step = step
            log.prices = log.prices.changed(step * PRICE_STEP, price_at(now))
        log.settle(now)
        self.tracker.on_state(car.state, moment)
        if car.state == ASLEEP:
            log.add(Observation(at=now, is_asleep=True))
        situation = policy.Situation(
            car.state,
            is_state_listed=True,
            is_complete=self.merged.is_complete,
            read_interval=READ_INTERVALS[self.tracker.activity or Mode.IN_USE],
        )
        if not policy.is_due(policy.make_read_plan(self.tracker, situation), now):
            return
        if car.state != ONLINE:
            self.tracker.on_refused(car.state, moment)
            return
        answer = full_record(car)
        merged = merge_live_answer(self.merged, answer, moment, now)
        self.tracker.on_read(merged.vehicle, self.merged.vehicle, moment)
        self.merged, log.meter = merged, log.meter.updated(merged.vehicle, moment)
        observation = replace(
            observe(merged, log, now),
            is_home=car.homelink_nearby,
            place="Home" if car.homelink_nearby else None,
        )
        year.observations.append((observation, merged.vehicle.charge_state.charge_energy_added))
        charges = len(log.charges)
        log.add(observation)
        if len(log.charges) > charges and log.capacity is not None:
            year.capacities.append(log.capacity.energy)

    def restart(self, now: float) -> None:
        """Restore everything from what is stored."""
        log = self.year.log
        if log.is_archive_due:
            self.archive = log.start_archive()
            log.end_archive(self.archive)
        restored = DriveLog.restored(self.archive, log.journal())
        restored.prices, restored.currency = log.prices, log.currency
        self.year.log = restored
        self.tracker = ActivityTracker.from_json(self.tracker.as_json(), datetime.fromtimestamp(now, UTC))


def run_year(days: int = 365, seed: int = 0) -> Year:
    """Return a year with a car that its owner uses every day."""
    dt_util.set_default_time_zone(UTC)
    random, clock = Random(seed), ManualClock(START)  # noqa: S311 - repeatable days
    simulator = Simulator(vehicles=1, seed=seed, clock=clock, routine=True)
    (car,) = simulator.vehicles
    car.catch_up()
    year = Year(DriveLog(currency="EUR", prices=Prices(away=AWAY_PRICE)), car, ActivityRecorder(clock, car))
    watcher, end = Watcher(year), days * DAY
    restarts = {round(random.uniform(0, end) / MINUTE) for _ in range(_RESTARTS)}
    outages = list(_periods(random, end, _OUTAGES, 1 * HOUR, 8 * HOUR))
    gaps = list(_periods(random, end, _GAPS, 10 * MINUTE, 3 * HOUR))
    off = [*outages, (START + _WEEK_OFF, START + _WEEK_OFF + 7 * DAY)]
    drawn = car.charging.energy_drawn
    for minute in range(int(end / MINUTE)):
        year.true.advance(MINUTE)
        now = START + (minute + 1) * MINUTE
        price = price_at(now - MINUTE) if car.homelink_nearby and not car.charging.fast else AWAY_PRICE
        index, more = len(year.true.charges) - 1, car.charging.energy_drawn - drawn
        year.true_costs[index] = year.true_costs.get(index, 0.0) + more * price
        drawn += more
        car.covered = not _is_in(now, gaps)
        if minute in restarts:
            watcher.restart(now)
        elif not _is_in(now, off):
            watcher.watch(now)
    return year


def _periods(
    random: Random, end: float, count: int, shortest: float, longest: float
) -> Iterator[tuple[float, float]]:
    for _ in range(count):
        start = START + random.uniform(0, end)
        yield start, start + random.uniform(shortest, longest)


def _is_in(now: float, periods: list[tuple[float, float]]) -> bool:
    return any(start <= now < end for start, end in periods)
