"""The activity tracker: what it learns from states and live reads of a car."""

from copy import replace
from datetime import UTC, datetime, timedelta
import json
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.api.records import Vehicle
from custom_components.vehicle_remote_access.polling.activity import ActivityTracker, activity_of
from custom_components.vehicle_remote_access.polling.departure import SHORTEST_WATCH
from custom_components.vehicle_remote_access.polling.wake_rate import WakeRate
from custom_components.vehicle_remote_access.util.local_time import LocalTime

AFTER_USE: Final = 300
NOON: Final = datetime(2026, 5, 4, 12, tzinfo=UTC)
HOME: Final = {"latitude": 52.3567, "longitude": 4.8812}
PARKED: Final[dict[str, Any]] = {
    "charge_state": {
        "charging_state": "Disconnected",
        "conn_charge_cable": "<invalid>",
        "charge_port_door_open": False,
    },
    "climate_state": {"is_climate_on": False},
    "drive_state": {"shift_state": None, **HOME},
    "vehicle_state": {"odometer": 1000.0, "locked": True, "is_user_present": False, "sentry_mode": False},
}


class ObservedCar:
    """A car that is observed while time passes."""

    def __init__(self, start: datetime = NOON) -> None:
        self.moment = start
        self.tracker = ActivityTracker()
        self.record: dict[str, Any] = PARKED
        self.vehicle = Vehicle.parse({})
        self.read()

    @property
    def now(self) -> float:
        return self.moment.timestamp()

    def wait(self, minutes: float) -> None:
        self.moment += timedelta(minutes=minutes)

    def observe(self, state: str, minutes: float = 0) -> None:
        """Let time pass, with the service reporting this state every minute."""
        for _ in range(round(minutes) or 1):
            self.wait(min(minutes, 1))
            self.tracker.on_state(state, self.moment)

    def read(self, **changes: dict[str, Any]) -> None:
        """Read the car after these fields changed."""
        self.record = {name: {**record, **changes.get(name, {})} for name, record in self.record.items()}
        vehicle = Vehicle.parse(self.record)
        self.tracker.on_read(vehicle, self.vehicle, self.moment)
        self.vehicle = vehicle

    def restart(self) -> None:
        stored = json.loads(json.dumps(self.tracker.as_json()))
        self.tracker = ActivityTracker.from_json(stored, self.moment)

    def drive(self, minutes: int = 15) -> None:
        """Drive to another place with a read every minute, and park."""
        for _ in range(minutes):
            self.read(drive_state={"shift_state": "D"})
            self.wait(1)
        self.arrive()

    def arrive(self) -> None:
        """Read the car parked in another place than before."""
        odometer = self.record["vehicle_state"]["odometer"] + 15
        latitude = self.record["drive_state"]["latitude"] + 0.2
        parked = {"shift_state": None, "latitude": latitude}
        self.read(drive_state=parked, vehicle_state={"odometer": odometer})

    @property
    def watch_left(self) -> float:
        """Seconds for which more activity is considered likely."""
        return self.tracker.watched_until - self.now


@pytest.fixture
def car() -> ObservedCar:
    """Create a car that was parked an hour ago, at noon."""
    car = ObservedCar()
    car.wait(60)
    car.read()
    return car


def test_only_the_first_read_and_changes_start_a_watch(car: ObservedCar) -> None:
    assert ObservedCar().watch_left == AFTER_USE
    assert car.watch_left < 0


@pytest.mark.parametrize(
    ("change", "is_use"),
    [
        ({"vehicle_state": {"locked": False}}, True),
        ({"vehicle_state": {"df": 1}}, True),
        ({"vehicle_state": {"is_user_present": True}}, True),
        ({"climate_state": {"is_climate_on": True}}, True),
        ({"charge_state": {"charge_port_door_open": True}}, True),
        ({"drive_state": {"shift_state": "P"}}, False),
        ({"climate_state": {"inside_temp": 20.0}}, False),
        ({"vehicle_state": {"locked": None}}, False),
    ],
)
def test_only_use_starts_a_watch(car: ObservedCar, change: dict[str, Any], *, is_use: bool) -> None:
    car.read(**change)
    assert car.watch_left == AFTER_USE if is_use else car.watch_left < 0


def test_closing_charge_port_is_no_use_because_it_closes_by_itself(car: ObservedCar) -> None:
    car.read(charge_state={"charge_port_door_open": True})
    car.wait(60)
    car.read(charge_state={"charge_port_door_open": False})
    assert car.watch_left < 0


def test_plugging_in_shortens_the_watch_and_charging_even_more(car: ObservedCar) -> None:
    car.drive()
    assert car.watch_left > 20 * 60
    car.wait(2)
    car.read(charge_state={"charging_state": "Charging", "conn_charge_cable": "IEC"})
    assert car.watch_left == AFTER_USE
    car.wait(60)
    car.read(charge_state={"charging_state": "Complete"})
    assert car.watch_left == SHORTEST_WATCH


@pytest.mark.parametrize(("minutes", "departures"), [(10, 0), (60, 1)])
def test_departure_after_a_long_charge_is_learned(car: ObservedCar, minutes: int, departures: int) -> None:
    car.drive()
    car.observe("asleep", 30)
    car.observe("online", 1)
    car.read(charge_state={"charging_state": "Charging", "conn_charge_cable": "IEC"})
    car.wait(minutes)
    car.read(charge_state={"charging_state": "Complete"})
    car.wait(2)
    car.drive()
    wakes = car.tracker.habits.use_rate.wakes
    assert len(wakes) == 1 + departures
    assert wakes[-1].hour == pytest.approx(14.8 if departures else 13.75, abs=0.1)


def test_stay_from_parking_to_driving_has_the_place_of_parking(car: ObservedCar) -> None:
    car.drive()
    car.wait(8)
    car.drive()
    first_stay, stay = car.tracker.habits.stays
    assert (first_stay.lasted, stay.lasted) == (3600, 8 * 60)
    assert (first_stay.place, stay.place) == ((52.357, 4.881), (52.557, 4.881))


def test_car_in_another_place_was_driven_there_before_it_was_read(car: ObservedCar) -> None:
    car.drive()
    car.wait(20)
    car.read()
    car.wait(30)
    car.arrive()
    assert 20 * 60 <= car.tracker.habits.stays[-1].lasted <= 45 * 60
    assert car.watch_left > 20 * 60


@pytest.mark.parametrize("event", ["nothing", "on_kept_awake", "on_read_failed"])
def test_time_to_fall_asleep_counts_from_the_last_answered_request(car: ObservedCar, event: str) -> None:
    if event != "nothing":
        car.observe("online", 5)
        getattr(car.tracker, event)(car.moment)
    car.observe("online", 11)
    car.observe("asleep", 1)
    assert car.tracker.habits.time_to_fall_asleep == 11.5 * 60


@pytest.mark.parametrize("between", ["unobserved", "offline", "hibernating"])
def test_unobserved_falling_asleep_is_not_learned(car: ObservedCar, between: str) -> None:
    """The time of falling asleep is unknown if the car was not observed or unreachable before."""
    if between == "unobserved":
        car.wait(20)
    else:
        car.observe("online", 8)
        car.observe(between, 8)
    car.observe("asleep", 1)
    assert car.tracker.habits.time_to_fall_asleep is None


@pytest.mark.parametrize(
    ("minutes", "locked", "grows"),
    [(15, True, True), (15, False, False), (10, True, False), (0, True, False)],
    ids=["awake", "used", "early read", "not observed"],
)
def test_quiet_period_grows_if_an_unused_car_stays_awake_during_it(
    car: ObservedCar, minutes: float, *, locked: bool, grows: bool
) -> None:
    car.tracker.habits = car.tracker.habits.fell_asleep(700)
    quiet = car.tracker.habits.quiet_period
    assert 10 * 60 < quiet < 15 * 60
    if minutes:
        car.observe("online", minutes)
    else:
        car.wait(480)
    car.read(vehicle_state={"locked": locked})
    assert (car.tracker.habits.quiet_period > quiet) is grows


def test_wake_starts_a_watch_because_a_person_may_be_on_the_way(car: ObservedCar) -> None:
    car.observe("asleep", 60)
    car.observe("online", 1)
    assert car.tracker.woke_at == car.now
    car.read()
    assert car.watch_left == SHORTEST_WATCH


def _observe_self_check(car: ObservedCar) -> None:
    car.observe("asleep", 60)
    car.observe("online", 3)


def test_later_wakes_are_not_read_at_once_after_two_without_use(car: ObservedCar) -> None:
    for is_patient in (False, False, True, True):
        _observe_self_check(car)
        assert bool(car.tracker.wait_after_wake) is is_patient
    # A drive does not end the habit.
    car.read(drive_state={"shift_state": "D"})
    car.wait(10)
    car.read(drive_state={"shift_state": None})
    car.observe("online", 20)
    _observe_self_check(car)
    assert car.tracker.wait_after_wake
    # A wake at a usual hour is read immediately.
    usual = LocalTime.of(car.moment + timedelta(minutes=86))._replace(at=car.now)
    car.tracker.habits = replace(car.tracker.habits, use_rate=WakeRate(wakes=(usual,) * 20))
    car.observe("asleep", 85)
    car.observe("online", 1)
    assert not car.tracker.wait_after_wake


def test_self_check_and_use_are_learned_if_a_read_keeps_the_car_awake_between(car: ObservedCar) -> None:
    for _ in range(3):
        _observe_self_check(car)
    car.observe("asleep", 60)
    car.observe("online", 1)
    car.read()
    car.observe("online", 10)
    car.read(drive_state={"shift_state": "D"})
    habits = car.tracker.habits
    assert len(habits.checks) == 4
    assert habits.use_rate.wakes[-1].at == car.now
    # Without a read in between, the car may have been used since it woke.
    car.read(drive_state={"shift_state": None})
    car.observe("online", 20)
    car.observe("asleep", 60)
    car.observe("online", 10)
    car.read(drive_state={"shift_state": "D"})
    assert car.tracker.habits.checks == habits.checks


@pytest.mark.parametrize(
    ("change", "is_learned"),
    [
        ({}, True),
        ({"use_after": 25}, True),
        ({"use_after": 60}, False),
        ({"is_requested": True}, False),
        ({"is_used": False}, False),
        ({"state": "offline"}, True),
        ({"state": "offline", "used_before": 14}, False),
        ({"unseen": 120}, False),
    ],
    ids=str,
)
def test_wake_counts_if_used_soon_and_not_requested(change: dict[str, Any], *, is_learned: bool) -> None:
    woke_at = NOON.replace(hour=7, minute=34)
    car = ObservedCar(woke_at - timedelta(minutes=change.get("used_before", 600)))
    for minutes in (13, 12, 4):
        car.moment = woke_at - timedelta(minutes=minutes + change.get("unseen", 0))
        car.tracker.on_state(change.get("state", "asleep"), car.moment)
    if change.get("is_requested"):
        car.tracker.on_wake_requested()
    car.moment = woke_at
    car.tracker.on_state("online", car.moment)
    car.wait(change.get("use_after", 0))
    car.read(drive_state={"shift_state": "D" if change.get("is_used", True) else None})
    car.read()
    expected = LocalTime((woke_at - timedelta(minutes=2)).timestamp(), 7.53, is_weekend=False)
    assert car.tracker.habits.use_rate.wakes == ((expected,) if is_learned else ())


def test_wakes_with_use_are_no_self_checks(car: ObservedCar) -> None:
    for locked in (False, True, False, True):
        car.observe("asleep", 60)
        car.observe("online", 1)
        car.read(vehicle_state={"locked": locked})
        car.observe("online", 12)
    _observe_self_check(car)
    assert not car.tracker.wait_after_wake


@pytest.mark.parametrize(("asleep", "is_requested"), [((30, 70, 45, 90), False), ((60, 60, 60, 60), True)])
def test_unusual_wakes_are_no_self_checks(car: ObservedCar, asleep: Any, *, is_requested: bool) -> None:
    for minutes in asleep:
        car.observe("asleep", minutes)
        if is_requested:
            car.tracker.on_wake_requested()
        car.observe("online", 3)
        assert not car.tracker.wait_after_wake
    car.observe("asleep", 60)
    assert not (is_requested and car.tracker.habits.self_checks)


def test_wake_without_read_does_not_change_the_time_to_fall_asleep(car: ObservedCar) -> None:
    car.observe("online", 11)
    car.observe("asleep", 10)
    car.observe("online", 3)
    car.observe("asleep", 1)
    assert car.tracker.habits.sleeps == (11.5 * 60,)


def test_car_back_in_coverage_is_read_at_once_unless_coverage_is_unstable(car: ObservedCar) -> None:
    wait_after_wake = []
    for _ in range(4):
        car.observe("offline", 2)
        car.observe("online", 1)
        assert car.tracker.woke_at == car.now
        wait_after_wake.append(car.tracker.wait_after_wake)
        car.observe("online", 7)
    # Each stay in coverage lasted eight minutes. In the end, two minutes of the quiet period are left.
    assert wait_after_wake == [0, 0, 600, 120]
    car.read(vehicle_state={"locked": False})
    # The use of the car ends the series: three stays of a minute begin a new one.
    for _ in range(3):
        car.observe("offline", 1)
        car.observe("online", 1)
        wait_after_wake.append(car.tracker.wait_after_wake)
    assert wait_after_wake[4:] == [0, 0, 75]


def test_hours_asleep_restart_at_midnight_and_are_unknown_at_first() -> None:
    assert ActivityTracker().asleep_today() is None
    car = ObservedCar(NOON.replace(hour=21, minute=30))
    car.observe("online", 30)
    car.observe("asleep", 1)
    assert car.tracker.asleep_today() == 0
    car.observe("asleep", 60)
    assert car.tracker.asleep_today() == 3600
    car.observe("asleep", 120)
    assert car.tracker.asleep_today() == 61 * 60
    # Hours without observations don't count.
    car.wait(180)
    car.observe("asleep")
    assert car.tracker.asleep_today() == 61 * 60


def test_read_that_the_sleeping_car_refuses_does_not_keep_it_awake(car: ObservedCar) -> None:
    car.observe("online", 14)
    car.tracker.on_refused("asleep", car.moment)
    assert car.tracker.state == "asleep"
    assert car.tracker.habits.time_to_fall_asleep is None
    assert car.tracker.read_at == car.now
    car.wait(1)
    car.read()
    assert car.watch_left == SHORTEST_WATCH


def test_stored_tracker_is_restored(car: ObservedCar) -> None:
    car.drive()
    car.observe("online", 12)
    for _ in range(2):
        _observe_self_check(car)
    car.drive()
    car.tracker.habits = habits = car.tracker.habits.stayed_awake()
    assert habits.sleeps
    assert habits.checks
    assert len(habits.stays) == 2
    assert habits.use_rate.wakes
    before = car.tracker
    car.restart()
    assert car.tracker == before


@pytest.mark.parametrize(
    "invalid",
    [
        None,
        7,
        {"read_at": "x", "state": 5, "activity": "flying", "arrival": 3, "habits": []},
        {"habits": {"sleeps": 7, "stays": {"a": 1}, "arrival_rate": 3}},
        {"habits": {"sleeps": ["x", None, -5, float("nan"), 1, 1e12], "sleepless": "no", "self_checks": -3}},
        {"habits": {"stays": [1, None, {"lasted": "x"}, {"at": 5}]}},
        {"habits": {"arrival_rate": {"wakes": 7, "since": "yesterday"}}},
        {"habits": {"arrival_rate": {"wakes": [[1, 2], [None, 3, False], [5, 31, True], "7:30", [5, 3, 2]]}}},
    ],
)
def test_invalid_stored_data_is_ignored(invalid: Any) -> None:
    assert ActivityTracker.from_json(invalid, NOON) == ActivityTracker()


@pytest.mark.parametrize("is_restarted", [True, False])
def test_clock_set_back_resets_all_times_but_no_habits(car: ObservedCar, *, is_restarted: bool) -> None:
    car.observe("online", 11)
    car.observe("asleep", 1)
    habits = car.tracker.habits
    car.wait(-24 * 60)
    if is_restarted:
        car.restart()
    car.tracker.reset_if_clock_set_back(car.moment)
    assert habits.time_to_fall_asleep
    assert car.tracker == ActivityTracker(habits=habits)


def test_small_change_of_the_clock_resets_nothing(car: ObservedCar) -> None:
    car.observe("asleep", 1)
    car.wait(-4)
    car.tracker.reset_if_clock_set_back(car.moment)
    assert car.tracker.state == "asleep"


def test_activity_without_data_is_unknown() -> None:
    assert activity_of(Vehicle.parse({})) is None


def test_contact_with_the_car_was_when_it_was_read(car: ObservedCar) -> None:
    car.wait(10)
    car.tracker.on_read(car.vehicle, car.vehicle, car.moment, age=240)
    assert car.tracker.last_contact == car.now - 240
