"""The day benchmark without Home Assistant and HTTP: the polling reads the simulated car directly.

It follows the coordinators of the account and of the vehicle, with one car and no failures.
"""

from argparse import Namespace
import asyncio
from http import HTTPStatus
import math
from statistics import fmean, median
import time
from typing import Final, NamedTuple
from unittest.mock import Mock, patch

from homeassistant.util import dt as dt_util

from custom_components.vehicle_remote_access.account.options import READ_INTERVALS, AccountOptions
from custom_components.vehicle_remote_access.account.request_budget import RequestBudget
from custom_components.vehicle_remote_access.api.client import Client
from custom_components.vehicle_remote_access.api.records import Vehicle
from custom_components.vehicle_remote_access.api.service_types import OTHER
from custom_components.vehicle_remote_access.polling import policy
from custom_components.vehicle_remote_access.polling.activity import ActivityTracker
from custom_components.vehicle_remote_access.polling.modes import ASLEEP, TIMER_TOLERANCE, Mode
from custom_components.vehicle_remote_access.simulator import Request, SimulatedVehicle
from custom_components.vehicle_remote_access.simulator.http.car_records import full_record
from custom_components.vehicle_remote_access.vehicle import merged_data

from ..common import driver
from ..common.virtual_time import DAY, HOUR, VirtualLoop, run_in_virtual_time
from ..day import commuter, soon_again
from ..day.car import Changes, Figures, Run, Scenario, create_simulator, judge, lost_sleep
from ..day.soon_again import JUDGED_DAYS, SOON
from .rules import ALL_RULES, RULES

_SHORTEST_DELAY: Final = 1.0
# Home Assistant polls at the same fraction of each second.
_FRACTION: Final = 0.275
_CHECK_INTERVAL: Final = 600.0


class Poller:
    """The polling of one car. Its requests take no time."""

    def __init__(self, car: SimulatedVehicle, scenario: Scenario) -> None:
        self._car = car
        self._loop = asyncio.get_running_loop()
        self._has_list = scenario.has_vehicle_list
        self._client = Mock(Client, request_count=0, live_read_count=0, billed={}, quota=None, type=OTHER)
        self._requests = RequestBudget(self._client, AccountOptions.from_entry(scenario.options), {})
        self._requests.only_live = not self._has_list
        self._tracker = ActivityTracker()
        self._merged = merged_data.MergedData()
        self._listed_at = self._list_due_at = 0.0
        self.reads: list[Request] = []
        self.changes: Changes = {"drive": [], "charge": []}
        self.plan = self._make_plan()
        self.next_poll: asyncio.TimerHandle

    def poll(self) -> None:
        """Request what is due, now and whenever something is due from then on."""
        now = self._loop.time()
        self._requests.begin_day_if_new()
        self.plan = self._make_plan()
        if self._list_due_at <= time.time() + TIMER_TOLERANCE:
            self._request_list()
        if policy.is_due(self.plan, time.time()) and not self._requests.opens_at(is_live_read=True):
            self._requests.planned += not self._has_list and policy.is_wake_awaited(self.plan)
            self._read(now)
        self._list_due_at = self._plan_list()
        read_at = math.inf if self.plan.due_at is None else self.plan.due_at
        if self._merged.list_trust is not merged_data.ListTrust.CONTRADICTED:
            self._list_due_at = policy.postpone_for_reads(self._list_due_at, [read_at])
        delay = max(min(self._list_due_at, read_at) - time.time(), _SHORTEST_DELAY)
        self.next_poll = self._loop.call_at(int(now) + _FRACTION + delay, self.poll)

    def _request_list(self) -> None:
        self._listed_at = time.time()
        if self._has_list:
            self._client.request_count += 1
            self._requests.planned += 1
            self._car.catch_up()
            state, known = self._car.state, self._merged
            if known.raw.get(Vehicle.state.name) != state or known.refused or not self._is_state_listed:
                self._merged = merged_data.merge_list_record(known, {Vehicle.state.name: state})
            if self._merged.raw[Vehicle.state.name] == state:
                self._tracker.on_state(state, dt_util.now())
        self.plan = self._make_plan()

    def _read(self, at: float) -> None:
        self._car.catch_up()
        now, before = dt_util.now(), self._merged.vehicle
        if self._car.awake:
            self._count_read(HTTPStatus.OK)
            self._car.keep_awake()
            self._merged = merged_data.merge_live_answer(
                self._merged, full_record(self._car), now, time.time()
            )
            vehicle = self._merged.vehicle
            self._tracker.on_read(vehicle, before, now)
            self._show("drive", at, is_on=bool(vehicle.drive_state.is_driving))
            self._show("charge", at, is_on=bool(vehicle.charge_state.is_charging))
        else:
            self._count_read(HTTPStatus.REQUEST_TIMEOUT)
            if self._has_list:
                self._client.request_count += 1
            self._tracker.on_refused(ASLEEP, now)
            self._merged = merged_data.merge_refusal(self._merged, Vehicle.state, ASLEEP)
        self.plan = self._make_plan()

    def _show(self, kind: str, at: float, *, is_on: bool) -> None:
        changes = self.changes[kind]
        if not changes or changes[-1][1] is not is_on:
            changes.append((at, is_on))

    def _count_read(self, status: int) -> None:
        self.reads.append(Request("GET", "/vehicle_data", {}, status, time.time()))
        self._client.request_count += 1
        self._client.live_read_count += 1

    def _make_plan(self) -> policy.Plan:
        tracker, requests, is_listed = self._tracker, self._requests, self._is_state_listed
        use_rate = tracker.habits.use_rate
        charge = self._merged.vehicle.charge_state
        situation = policy.Situation(
            state=self._merged.vehicle.state or tracker.state,
            is_state_listed=is_listed,
            is_complete=self._merged.is_complete,
            ask_at=0.0 if is_listed else requests.next_request(tracker.read_at or 0.0, [use_rate]),
            allowed_at=self._requests.opens_at(is_live_read=True),
            read_interval=requests.read_interval(
                READ_INTERVALS[tracker.activity or Mode.IN_USE],
                use_rate,
                charge.charger_power if tracker.activity is Mode.CHARGING else None,
            ),
        )
        return policy.make_read_plan(tracker, situation)

    @property
    def _is_state_listed(self) -> bool:
        return self._has_list and self._merged.list_trust is merged_data.ListTrust.CURRENT

    def _plan_list(self) -> float:
        last = self._listed_at
        if self._merged.list_trust is not merged_data.ListTrust.CONTRADICTED:
            last = max(last, self._tracker.read_at or 0.0)
        rates = [self._tracker.habits.use_rate] if policy.is_wake_awaited(self.plan) else []
        state_change = policy.list_for_state_change(
            self._tracker, self.plan, last, is_state_listed=self._is_state_listed
        )
        return self._requests.next_request(last, rates, [state_change])


def measure(run: Run, key: tuple[str, int]) -> Figures:
    """Return the figures of a run. `key`: names the days and their seed."""
    scenario = run.scenario
    alone = _drive_alone(key, run)

    async def run_observed(_: VirtualLoop) -> Figures:
        (car,) = create_simulator(scenario, run.sleep_delay).vehicles
        poller = Poller(car, scenario)
        poller.poll()
        person = driver.Driver(car, lambda: poller.plan.mode is Mode.QUIET)
        await person.follow(scenario.timetable, scenario.days)
        assert poller.next_poll.when() > scenario.days * DAY - HOUR, "a poll failed"
        return judge(person, alone, poller.reads, poller.changes, scenario.days)

    # A car without self-checks is awake for ten minutes or longer between two sleeps.
    interval = driver._CHECK_INTERVAL if scenario.wakes_hourly else _CHECK_INTERVAL  # noqa: SLF001
    with patch.object(driver, "_CHECK_INTERVAL", interval):
        return run_in_virtual_time(run_observed)


_ALONE: Final[dict[tuple[str, int], driver.Driver]] = {}


def _drive_alone(key: tuple[str, int], run: Run) -> driver.Driver:
    """Return the same days without any requests. They are the same without each rule."""

    async def run_alone(_: VirtualLoop) -> driver.Driver:
        person = driver.Driver(create_simulator(run.scenario, run.sleep_delay).vehicles[0])
        await person.follow(run.scenario.timetable, run.scenario.days)
        return person

    if key not in _ALONE:
        _ALONE[key] = run_in_virtual_time(run_alone)
    return _ALONE[key]


class Result(NamedTuple):
    """The figures of the judged weeks."""

    delay: float
    """Mean, in seconds."""
    lost_sleep: float
    """Percent of the possible sleep."""
    median: float


def measure_without(number: int, label: str, seed: int) -> Result:
    """Return the figures without the rule with this number in the list, or with all rules."""
    options = Namespace(scenario=None, seeds=[seed], sleep_delay=(15, 30))
    runs = [*commuter.runs(options), *soon_again.runs(options)]
    (run,) = [each for each in runs if each.label == label and each.scenario.interval is None]
    with [*RULES, ALL_RULES][number].taken_out():
        car = measure(run, (label, seed))
    delays = car.delays_from(
        *("asleep", "quiet", "watched"),
        since=(run.scenario.days - JUDGED_DAYS) * DAY,
        longest_idle=math.inf if run.name in {limit.name for limit in commuter.LIMITS} else SOON,
    )
    return Result(fmean(delays), lost_sleep(car.days[-JUDGED_DAYS:]), median(delays))
