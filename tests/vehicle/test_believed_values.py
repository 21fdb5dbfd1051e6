"""What is believed: true changes at once, and wrong values of cars with habits of their own never.

One wrong value of each field, once and twice in a row, changes nothing in a day with drives, a charge and a
plan. The day is lived once, and then replayed: its sums, events and commands stay as they are.
"""

from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from functools import cache
from random import Random
from typing import Any, Final

from homeassistant.setup import async_setup_component
import pytest

from custom_components.vehicle_remote_access.api.fields import Field
from custom_components.vehicle_remote_access.api.records import FIELDS, ChargeState, ClimateState, Vehicle
from custom_components.vehicle_remote_access.charging_plan.decide import NO_PLAN, Action, Decision
from custom_components.vehicle_remote_access.charging_plan.departures import Departures
from custom_components.vehicle_remote_access.charging_plan.session import ChargingSession
from custom_components.vehicle_remote_access.diagnostics import async_get_config_entry_diagnostics
from custom_components.vehicle_remote_access.drive_log.entries import Charge
from custom_components.vehicle_remote_access.simulator import ManualClock, Simulator, full_record
from custom_components.vehicle_remote_access.vehicle.merged_data import (
    MergedData,
    merge_expected,
    merge_list_record,
    merge_live_answer,
    record_to_store,
    restore_merged,
    with_known_location,
)
from custom_components.vehicle_remote_access.vehicle.plausibility import Plausibility

from ..conftest import HOUR, Home
from .nights import read_wrong
from .observed_car import CHARGES, START, UNPLUGGED, ObservedCar, answer, prices

# The heating draws 3 kW from the charger, and nothing reaches the battery.
PREHEATS: Final[dict[str, Any]] = {
    "charger_power": 3,
    "charger_actual_current": 5,
    "charge_rate": 0.0,
    "is_climate_on": True,
}
SUPERCHARGES: Final[dict[str, Any]] = {
    # As in the recorded answer of a Model 3 (2019).
    "charging_state": "Charging",
    "fast_charger_present": True,
    "charger_power": 100,
    "charger_actual_current": 0,
    "charger_voltage": 2,
    "charger_phases": None,
    "charge_rate": 455.7,
    "time_to_full_charge": 0.25,
}
# As in the recorded answer of a Model S (2023), plugged in, whose charger sleeps.
SLEEPING_CHARGER: Final[dict[str, Any]] = {
    "charging_state": "Stopped",
    "conn_charge_cable": "<invalid>",
    "charge_port_latch": "<invalid>",
    "charge_port_door_open": None,
    "charger_power": None,
    "charger_voltage": None,
    "charger_actual_current": None,
    "charger_phases": None,
    "fast_charger_present": None,
    "charge_enable_request": False,
}


class Car(ObservedCar):
    """A car at home, whose answers tests change."""

    at = START.timestamp()

    def read(self, old: tuple[str, ...] = (), after: float = 120.0, **values: Any) -> Vehicle:
        self.at += after
        return self.add(answer(self.at - START.timestamp(), old, **values), self.at)

    def restart(self) -> Vehicle:
        self.merged = restore_merged(record_to_store(self.merged))
        return self.merged.vehicle

    @property
    def charging(self) -> str | None:
        return self.merged.vehicle.charge_state.charging_state

    def decided(self, session: ChargingSession, **values: Any) -> Decision:
        listed = prices(START.timestamp(), 12, cheap=range(4, 6))
        return self.decide(self.at, session=session, prices=listed, **values)


@pytest.mark.parametrize(
    "now",
    [
        pytest.param({"charging_state": "Stopped", "charge_enable_request": False}, id="a person stops it"),
        pytest.param(
            {"charging_state": "Complete", "battery_level": 79, "battery_range": 237.0},
            id="complete one percent below the limit",
        ),
    ],
)
def test_end_of_charge_while_the_car_is_heated_from_the_charger(now: dict[str, Any]) -> None:
    car = Car()
    car.read(**CHARGES, battery_level=78, battery_range=234.0, is_climate_on=True)
    car.read(**{"battery_level": 78, "battery_range": 234.0} | PREHEATS | now)
    assert car.charging == now["charging_state"].lower()


def test_charge_that_ended_while_the_car_slept_is_over_when_it_is_preheated() -> None:
    car = Car()
    car.read(**CHARGES)
    car.merged = merge_list_record(car.merged, {"state": "asleep"})
    car.read(after=8 * 3600, **PREHEATS)
    assert car.charging == "stopped"


def test_plan_does_not_stop_a_car_twice_that_is_preheated() -> None:
    """Read 3 s after the command, it still charges. Read 15 s after it, it has stopped, and heats."""
    car = Car()
    car.read(**CHARGES, is_climate_on=True)
    car.merged = merge_expected(car.merged, {ChargeState.charging_state: "stopped"}, car.at)
    car.read(after=3, **CHARGES, is_climate_on=True)
    car.read(after=12, **PREHEATS)
    assert car.charging == "stopped"


def test_fast_charge_is_one_again_after_a_single_wrong_value() -> None:
    car = Car()
    car.read(**SUPERCHARGES)
    car.read(**SUPERCHARGES | {"fast_charger_present": None})
    shown = car.read(**SUPERCHARGES)
    assert shown.charge_state.fast_charger_present is True


def test_null_before_a_wrong_position() -> None:
    car = Car()
    car.read()
    car.read(latitude=None)
    shown = car.read(latitude=0.0, longitude=0.0)
    assert shown.drive_state.latitude != 0


def test_wrong_position_in_the_first_read_after_a_restart() -> None:
    car = Car()
    car.read()
    car.restart()
    shown = car.read(latitude=0.0, longitude=0.0)
    assert shown.drive_state.position == (48.0, 11.0)


def test_one_wrong_position_while_the_location_is_left_out() -> None:
    """The option to ask for the location only while the car drives repeats what was held back."""
    car = Car()
    car.read(shift_state="D", speed=30, is_user_present=True, **UNPLUGGED)
    car.read(**UNPLUGGED, latitude=0.0, longitude=0.0)
    for _ in range(5):
        car.at += 120
        seconds = car.at - START.timestamp()
        raw = answer(seconds, **UNPLUGGED)
        del raw["drive_state"]["latitude"], raw["drive_state"]["longitude"]
        # None: the car is asked again, with its location.
        car.add(with_known_location(car.merged, raw) or answer(seconds, **UNPLUGGED), car.at)
        assert car.merged.vehicle.drive_state.position == (48.0, 11.0)


@pytest.mark.parametrize("state", ["Charging", "Starting"])
def test_wrong_charge_of_a_sleeping_charger_does_not_end_the_plan(state: str) -> None:
    car = Car()
    car.read(**SLEEPING_CHARGER)
    session = car.decided(ChargingSession()).session
    car.read(after=3600, **SLEEPING_CHARGER | {"charging_state": state})
    session = car.decided(session).session
    car.read(**SLEEPING_CHARGER)
    decision = car.decided(session)
    assert not decision.session.is_manual
    assert decision.plan.slots


def test_wrong_remaining_time_before_a_break_does_not_start_a_charge() -> None:
    """The car has started by itself. A wrong remaining time is in the answer with which it is stopped."""
    car = Car()
    since = START.timestamp()
    car.read(after=60, **CHARGES, battery_level=70, battery_range=210.0)
    right = car.decided(ChargingSession(), charging_since=since)
    car.read(after=70, **CHARGES | {"time_to_full_charge": 9.0}, battery_level=70, battery_range=210.0)
    session = car.decided(right.session, charging_since=since).session
    car.read(after=20, battery_level=70, battery_range=210.0)
    assert car.decided(replace(session, asked=False)).wants_charge is False


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"battery_level": 0}, ChargeState.battery_level),
        (UNPLUGGED | {"conn_charge_cable": "IEC"}, ChargeState.charging_state),
    ],
    ids=["level", "state"],
)
def test_what_is_held_back_is_not_stored_after_an_older_record(wrong: dict[str, Any], field: Any) -> None:
    car = Car()
    car.read()
    car.read(**wrong)
    shown = car.read(old=("charge_state",))
    assert field.get(shown) == field.get(car.restart())


def test_count_goes_on_over_an_older_record() -> None:
    """The third read shows a new range, also if an older record came in between."""
    car = Car()
    car.read()
    for old in ((), ("charge_state",), (), ()):
        shown = car.read(old, battery_range=100.0)
    assert shown.charge_state.battery_range == 100.0


@pytest.mark.parametrize("energy", [99.0, 99_999.0])
def test_wrong_counter_in_the_first_minutes_of_a_session(energy: float) -> None:
    """Both were 0 before, so any two values have risen by the same share."""
    car = Car()
    for added, miles in ((0.0, 0.0), (energy, 1.0), (0.6, 2.0), (0.9, 3.0)):
        car.read(**CHARGES, charge_energy_added=added, charge_miles_added_rated=miles)
    assert car.log.meter.lifetime < 2


@pytest.mark.parametrize(
    "wrong", [{"charger_voltage": 99_999}, {"charger_actual_current": 99}, {"charger_power": 99}], ids=str
)
def test_wrong_power_in_the_first_read_of_a_charge(wrong: dict[str, Any]) -> None:
    used = []
    for values in ({}, wrong):
        car = Car()
        car.read(charge_energy_added=0.0, charge_miles_added_rated=0.0)
        car.read(
            **CHARGES | {"charger_power": 0, "charger_actual_current": 0},
            charge_energy_added=0.0,
            charge_miles_added_rated=0.0,
        )
        for minute in range(2, 60, 2):
            energy = 10 / 60 * minute
            now = CHARGES | (values if minute == 2 else {})
            car.read(**now, charge_energy_added=energy, charge_miles_added_rated=energy * 3.75)
        used.append(car.log.charge_tracker.used_at_home)
    assert used[1] == pytest.approx(used[0], rel=0.03)


def test_wrong_odometer_in_the_read_that_shows_the_end_of_a_drive() -> None:
    car, drives = Car(), {**UNPLUGGED, "shift_state": "D", "speed": 60, "is_user_present": True}
    car.read(**UNPLUGGED)
    for mile in range(1, 10, 2):
        car.read(**drives, odometer=1000.0 + mile)
    car.read(**UNPLUGGED, odometer=99_999)
    car.read(after=600, **UNPLUGGED, odometer=1010.5)
    car.read(after=600, **UNPLUGGED, odometer=1010.5)
    assert [round(each.distance or 0, 1) for each in car.log.drives] == [10.5]


def _fast_charge(**wrong: Any) -> Car:
    car = Car()
    car.read(**UNPLUGGED, charge_energy_added=0.0, charge_miles_added_rated=0.0)
    for number in range(1, 8):
        energy = 3.3 * number
        values = SUPERCHARGES | {"charge_energy_added": energy, "charge_miles_added_rated": energy * 3.75}
        car.read(**values | (wrong.get(f"at{number}", {})))
    last = {**UNPLUGGED, "charge_energy_added": 23.1, "charge_miles_added_rated": 86.6}
    car.read(**last | wrong.get("end", {}), odometer=1000.5, shift_state="D", speed=20, is_user_present=True)
    for mile in range(1, 20):
        car.read(**last, odometer=1000.5 + mile, shift_state="D", speed=20, is_user_present=True)
    return car


@pytest.mark.parametrize(
    "wrong",
    [
        {"at5": {"fast_charger_present": False}},
        {"at7": {"fast_charger_present": None}},
        {"at6": {"fast_charger_present": False}, "at7": {"fast_charger_present": False}},
        {"end": {"charger_power": 100}},
        {"end": {"charger_actual_current": 16}},
        {"end": {"conn_charge_cable": "IEC"}},
    ],
    ids=str,
)
def test_fast_charge_stays_one_after_a_wrong_value(wrong: dict[str, Any]) -> None:
    (right,), charges = _fast_charge().log.charges, _fast_charge(**wrong).log.charges
    assert [each.current for each in charges] == ["dc"]
    assert charges[0].energy_used == pytest.approx(right.energy_used, rel=0.05)


def test_disconnected_while_it_drives_is_not_held_back() -> None:
    car = Car()
    car.read(**SUPERCHARGES)
    end = UNPLUGGED | {"conn_charge_cable": "IEC"}
    shown = car.read(**end, odometer=1001.0, shift_state="D", speed=30, is_user_present=True)
    assert shown.charge_state.charging_state == "disconnected"


@pytest.mark.parametrize("wrong", [{"charger_actual_current": 99}, {"charger_voltage": 9_999}], ids=str)
def test_wrong_current_while_the_car_is_heated(wrong: dict[str, Any]) -> None:
    used = []
    for values in ({}, wrong):
        car = Car()
        for number in range(4):
            car.read(after=120, **PREHEATS | (values if number == 2 else {}))
        used.append(car.log.charge_tracker.used_at_home)
    assert used[1] == pytest.approx(used[0], abs=0.5)


def test_command_for_equipment_that_the_car_lacks_is_no_report_of_it() -> None:
    """`is_reported` decides whether an entity of a rare field exists, and it stays for ever."""
    car, heater = Car(), ClimateState.steering_wheel_heater
    car.read()
    assert not heater.is_reported(car.merged.vehicle)
    car.merged = merge_expected(car.merged, {heater: True}, car.at)
    assert not heater.is_reported(car.merged.vehicle)


LEVEL: Final = ("sensor", "charge_state.battery_level")


async def _charge(home: Home) -> None:
    car = home.car
    await home.hass.config.async_update(latitude=car.home.latitude, longitude=car.home.longitude)
    await async_setup_component(home.hass, "zone", {})
    car.set_level(30)
    car.charging.start()
    await home.poll()
    await home.advance(HOUR, step=30)


async def test_diagnostics_say_what_is_held_back_and_the_third_read_shows_it(home: Home) -> None:
    await _charge(home)
    path, shown = "charge_state.battery_level", home.shown(*LEVEL).state
    home.simulator.faults.corrupt(path, 7)
    for expected, held_back in ((shown, [path]), (shown, [path]), ("7", [])):
        home.skip(20)
        await home.poll()
        (car,) = (await async_get_config_entry_diagnostics(home.hass, home.entry))["vehicles"]
        assert (home.shown(*LEVEL).state, car["held_back"]) == (expected, held_back)


async def test_restart_shows_what_was_shown(home: Home) -> None:
    await _charge(home)
    shown = home.shown(*LEVEL).state
    await read_wrong(home, {"charge_state.battery_level": 0})
    await home.unload()
    await home.load()
    assert home.shown(*LEVEL).state == shown


DRIVES: Final[dict[str, Any]] = {**UNPLUGGED, "shift_state": "D", "speed": 30, "is_user_present": True}


@pytest.mark.parametrize(
    ("before", "now", "held_back"),
    [
        # What is true is shown at once.
        ({}, CHARGES, []),
        ({}, UNPLUGGED, []),
        (CHARGES, UNPLUGGED, []),
        (UNPLUGGED, DRIVES, []),
        (UNPLUGGED, DRIVES | {"speed": 0}, []),
        ({}, DRIVES | {"odometer": 1004.0, "latitude": 48.05}, []),
        (DRIVES, {"odometer": 1004.0, "latitude": 48.05}, []),
        (CHARGES, {"charging_state": "Complete", "battery_level": 80, "battery_range": 240}, []),
        (CHARGES, CHARGES | {"charging_state": "Complete", "charge_limit_soc": 50}, []),
        ({}, {"battery_level": 20, "battery_range": 61}, []),
        ({}, {"charge_energy_added": 0.1, "charge_miles_added_rated": 0.5}, []),
        (CHARGES, CHARGES | {"charger_power": 3, "charger_phases": 1}, []),
        (CHARGES, CHARGES | {"charger_power": 5, "charger_actual_current": 8}, []),
        # What the rest of the answer contradicts is not.
        (CHARGES, CHARGES | {"charging_state": "Stopped"}, ["charging_state"]),
        (CHARGES, CHARGES | {"charging_state": "Complete"}, ["charging_state"]),
        (CHARGES, CHARGES | {"charging_state": "Disconnected"}, ["charging_state"]),
        ({}, {"charging_state": "Disconnected"}, ["charging_state"]),
        (UNPLUGGED, UNPLUGGED | {"charging_state": "Charging"}, ["charging_state"]),
        (UNPLUGGED, UNPLUGGED | {"charging_state": "Stopped"}, ["charging_state"]),
        ({}, {"shift_state": "D"}, ["shift_state"]),
        (UNPLUGGED, UNPLUGGED | {"shift_state": "D"}, ["shift_state"]),
        (DRIVES, DRIVES | {"shift_state": None}, ["shift_state"]),
        ({}, {"speed": 60}, ["speed"]),
        ({}, {"battery_range": 0}, ["battery_range"]),
        ({}, {"charge_miles_added_rated": 500}, ["charge_miles_added_rated"]),
        (CHARGES, CHARGES | {"charger_power": 0}, ["charger_power"]),
        (CHARGES, CHARGES | {"charger_actual_current": 0}, ["charger_actual_current"]),
        (CHARGES, CHARGES | {"fast_charger_present": True}, ["fast_charger_present"]),
        ({}, {"latitude": 48.05}, ["latitude"]),
        ({}, {"latitude": 0, "longitude": 0}, ["latitude", "longitude"]),
        ({}, {"battery_level": 0}, ["battery_level"]),
        (CHARGES, CHARGES | UNPLUGGED | {"charge_port_door_open": True}, ["charging_state"]),
        (CHARGES, CHARGES | {"charge_energy_added": 0}, ["charge_energy_added"]),
        (CHARGES, CHARGES | {"charge_energy_added": 500}, ["charge_energy_added"]),
    ],
)
def test_rules(before: dict[str, Any], now: dict[str, Any], held_back: list[str]) -> None:
    state, first = Plausibility(), Vehicle.parse(answer(**before))
    _, state = state.after(first, first, (), float)
    shown, state = state.after(Vehicle.parse(answer(**now)), first, (), float)
    assert {each.name for each in state.held} >= set(held_back)
    assert bool(state.held) is bool(held_back)
    for each in state.held:
        assert each.get(shown) == each.get(first)


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
            departures=Departures(usual=time(5)),
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
    for number, (at, lived, is_home) in enumerate(lived_day()[1]):
        is_wrong = first <= number < first + times
        day.read(at, _with(lived, path, value) if is_wrong else lived, is_home=is_home)
    return day


@cache
def _moments() -> dict[str, int]:
    """Return the indexes of answers in the middle of each part of the day."""
    parts: dict[str, list[int]] = {}
    for index, (_at, lived, is_home) in enumerate(lived_day()[1]):
        vehicle = Vehicle.parse(lived)
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


def test_other_unknown_fields_in_each_answer_do_not_fill_the_memory() -> None:
    merged = MergedData()
    for number in range(20):
        unknown = {f"unknown_{number}_{count}": "x" for count in range(100)}
        merged = merge_list_record(merged, {"display_name": "Blue", **unknown, "state": "online"})
        if number % 2:
            at = START + timedelta(hours=number)
            record = {"battery_level": 50, "timestamp": round(at.timestamp() * 1000), **unknown}
            merged = merge_live_answer(merged, {"charge_state": record, **unknown}, at, 3600.0 * number)
        assert len(merged.raw) < 110
    assert (merged.vehicle.display_name, merged.vehicle.charge_state.battery_level) == ("Blue", 50)
