"""One wrong value of each field, once and twice in a row, in a day with drives, a charge and a plan.

The day is lived once, and then replayed with a wrong value. Its sums, events and commands stay as they are.
"""

from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from datetime import UTC, datetime, time
from functools import cache
from random import Random
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.api.fields import Field
from custom_components.vehicle_remote_access.api.records import FIELDS, ChargeState, Vehicle
from custom_components.vehicle_remote_access.charging_plan.decide import NO_PLAN, Action, Decision
from custom_components.vehicle_remote_access.charging_plan.session import ChargingSession
from custom_components.vehicle_remote_access.drive_log.entries import Charge
from custom_components.vehicle_remote_access.simulator import ManualClock, Simulator, full_record

from .observed_car import HOUR, ObservedCar, prices

MORNING: Final = datetime(2026, 5, 4, 6, tzinfo=UTC).timestamp()
PRICES: Final = prices(MORNING, 26, cheap=range(20, 23))
DRIVING, CHARGING, AWAKE = 90.0, 145.0, 600.0


class Day(ObservedCar):
    """What follows from the answers of a day."""

    decision = Decision(NO_PLAN, ChargingSession())

    def __init__(self) -> None:
        super().__init__()
        self.commands: list[tuple[float, Action]] = []

    def read(self, at: float, answer: dict[str, Any], *, is_home: bool) -> Action | None:
        """Add an answer to all that follows from it, and return what the plan does."""
        self.add(answer, at, is_home=is_home)
        charge, last = self.log.charge_tracker.open, self.decision
        self.decision = self.decide(
            at,
            charging_since=None if charge is None else charge.start,
            is_at_home=is_home,
            ready_by=time(5),
            prices=PRICES,
            session=last.session,
            attempts=last.attempts,
            plan=last.plan,
        )
        if (action := self.decision.action) is not None:
            self.commands.append((at, action))
            session = replace(self.decision.session, asked=action is not Action.STOP)
            self.decision = self.decision._replace(session=session)
        return action

    @property
    def results(self) -> dict[str, Any]:
        log = self.log
        return {
            "drives": [(round(each.distance or 0.0, 1), each.start, each.end) for each in log.drives],
            "charges": [round(each.energy_added, 1) for each in log.charges],
            "cost": round(sum(each.cost or 0.0 for each in log.charges), 1),
            "at home": round(log.charge_tracker.used_at_home or 0.0, 1),
            "energy": round(self.log.meter.lifetime, 1),
            "odometer": round(self.merged.vehicle.vehicle_state.odometer or 0.0, 1),
            "events": Counter(self.events),
            "commands": self.commands,
        }


@cache
def lived_day() -> tuple[Day, list[tuple[float, dict[str, Any], bool]]]:
    """Return a day, and the answers in it, each with its time and whether the car is at home."""
    clock = ManualClock(MORNING)
    (car,) = Simulator(seed=1, clock=clock).vehicles
    car.unplug()
    car.set_level(60)
    plan: dict[float, Callable[[], object]] = {
        MORNING + 1 * HOUR: lambda: car.drive(20),
        MORNING + 4 * HOUR: lambda: car.drive_to(car.home.point, 20),
        MORNING + 6 * HOUR: car.plug_in,
    }
    day, answers = Day(), []
    while clock.now() < MORNING + 24 * HOUR:
        now = clock.now()
        for moment in [each for each in plan if each <= now]:
            plan.pop(moment)()
        car.wake()
        answer = deepcopy(full_record(car))
        is_home = car.homelink_nearby
        answers.append((now, answer, is_home))
        match day.read(now, answer, is_home=is_home):
            case Action.START:
                car.charging.start()
            case Action.STOP:
                car.charging.stop()
        interval = DRIVING if car.driving.in_gear else CHARGING if car.charging.active else AWAKE
        clock.advance(interval)
    return day, answers


def _with(answer: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    record, _, name = path.partition(".")
    return {**answer, record: {**answer[record], name: value}}


def _replayed(path: str, value: Any, first: int, times: int) -> Day:
    """Return the day with a wrong value in so many answers."""
    day = Day()
    for number, (at, answer, is_home) in enumerate(lived_day()[1]):
        is_wrong = first <= number < first + times
        day.read(at, _with(answer, path, value) if is_wrong else answer, is_home=is_home)
    return day


@cache
def _moments() -> dict[str, int]:
    """Return the indexes of answers in the middle of each part of the day."""
    parts: dict[str, list[int]] = {}
    for index, (_at, answer, is_home) in enumerate(lived_day()[1]):
        vehicle = Vehicle.parse(answer)
        is_plugged_in = vehicle.charge_state.is_plugged_in
        at_rest = "plugged in" if is_plugged_in else "at home" if is_home else "away"
        part = "charging" if vehicle.charge_state.is_charging else at_rest
        parts.setdefault("driving" if vehicle.drive_state.is_driving else part, []).append(index)
    return {part: indexes[len(indexes) // 2] for part, indexes in parts.items()}


def _wrong_values(each: Field[Any]) -> list[Any]:
    """Return raw values that a field can have: words, or numbers beside the one of the charging car."""
    if each.value_type.options:
        words = each.value_type.options
        spellings = (*words, *(word.replace("_", "") for word in words), *range(len(words)), "<invalid>", "")
        states = {each.value_type.read(raw): raw for raw in spellings}
        return [raw for state, raw in states.items() if state is not None]
    now = each.get(Vehicle.parse(lived_day()[1][_moments()["charging"]][1]))
    factors = [now * factor for factor in (0.5, 1.609, 3)] if isinstance(now, int | float) else []
    return [value for value in (0, 99, 99_999, *factors) if each.value_type.read(value) is not None]


# A person can change them at any time. Nothing contradicts them.
SET_BY_PERSONS: Final = (ChargeState.charge_limit_soc, ChargeState.scheduled_charging_pending)


def _all_wrong() -> list[tuple[str, Any, str, int]]:
    """Return what can be wrong: the path, the value, the part of the day, and in how many answers."""
    return [
        (each.path, value, part, times)
        for each in FIELDS
        if each.path.rpartition(".")[0] in ("charge_state", "climate_state", "drive_state", "vehicle_state")
        and not each.fleet_only
        and each not in SET_BY_PERSONS
        for value in (*_wrong_values(each), None)
        for part in _moments()
        for times in (1, 2)
    ]


def _check(path: str, value: Any, part: str, times: int) -> None:
    right, day = lived_day()[0].results, _replayed(path, value, _moments()[part], times).results
    # While the car waits, nothing contradicts that it starts to charge. This is shown at once.
    if path == ChargeState.charging_state.path and value in ("starting", "charging") and part == "plugged in":
        day["events"] -= Counter([("started", Charge)])
    for name in ("energy", "at home", "cost"):
        # Without a value, what happened meanwhile is counted for a shorter time, or with the next value.
        assert day.pop(name) == pytest.approx(right[name], rel=0.03), name
    charges = day.pop("charges")
    assert charges == pytest.approx(right["charges"], abs=0.4)
    assert day == {name: right[name] for name in day}


@pytest.mark.parametrize("count", [150, pytest.param(1000, marks=pytest.mark.exhaustive)])
def test_wrong_value_changes_nothing(count: int) -> None:
    failed = []
    for each in Random(count).sample(_all_wrong(), count):  # noqa: S311 - repeatable
        try:
            _check(*each)
        except AssertionError as error:
            failed.append(f"{each}: {error}")
    assert not failed, "\n".join(failed)
