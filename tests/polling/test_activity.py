"""The activity tracker: what it learns from states and live reads of a car, and the habits of the car."""

from copy import replace
from datetime import UTC, datetime, timedelta
import json
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.api.records import Vehicle
from custom_components.vehicle_remote_access.polling.activity import ActivityTracker
from custom_components.vehicle_remote_access.polling.departure import LONGEST_WATCH, SHORTEST_WATCH
from custom_components.vehicle_remote_access.polling.habits import FIRST_QUIET, LONGEST_QUIET, Habits, Parking
from custom_components.vehicle_remote_access.polling.wake_rate import WakeRate
from custom_components.vehicle_remote_access.util.local_time import DAY, HOUR, LocalTime

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


@pytest.mark.parametrize("event", ["nothing", "touched_at", "tried_at"])
def test_time_to_fall_asleep_counts_from_the_last_answered_request(car: ObservedCar, event: str) -> None:
    if event != "nothing":
        car.observe("online", 5)
        setattr(car.tracker, event, car.moment.timestamp())
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
        car.tracker.was_wake_requested = True
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
            car.tracker.was_wake_requested = True
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


def test_contact_with_the_car_was_when_it_was_read(car: ObservedCar) -> None:
    car.wait(10)
    car.tracker.on_read(car.vehicle, car.vehicle, car.moment, age=240)
    assert car.tracker.last_contact == car.now - 240


MINUTE: Final = 60.0
HOUSE: Final = (52.3567, 4.8815)
WORK: Final = (52.4567, 4.8815)


def habits_after(*sleeps: float) -> Habits:
    """Return the habits of a car that fell asleep after so many minutes, one time after the other."""
    habits = Habits()
    for minutes in sleeps:
        habits = habits.fell_asleep(minutes * MINUTE)
    return habits


def at(place: Any = HOUSE) -> Parking:
    return Parking(at=0.0, place=place)


def test_quiet_period_is_the_time_needed_plus_a_margin() -> None:
    # Long enough for any car
    assert Habits().quiet_period == FIRST_QUIET > 30 * MINUTE
    assert Habits().time_to_fall_asleep is None
    for minutes in (10, 30):
        needed = minutes * MINUTE
        assert needed + MINUTE < habits_after(minutes).quiet_period < needed * 1.05 + 2 * MINUTE


def test_quiet_period_that_was_too_short_grows_up_to_an_hour_until_the_car_sleeps() -> None:
    habits = habits_after(12)
    periods = [habits.quiet_period]
    for _ in range(20):
        habits = habits.stayed_awake()
        periods.append(habits.quiet_period)
    assert periods[1] == pytest.approx(periods[0] * 1.5)
    assert periods[-1] == LONGEST_QUIET
    assert periods == sorted(periods)
    assert habits.fell_asleep(40 * MINUTE).quiet_period < LONGEST_QUIET == habits_after(60).quiet_period


@pytest.mark.parametrize(
    ("sleeps", "minutes"),
    [([12, 12, 45], 12), ([12, 45, 13], 13), ([12, 45], 45), ([12, 12, 12, 20, 20], 20), ([12, 2, 240], 12)],
)
def test_time_to_fall_asleep(sleeps: list[float], minutes: float) -> None:
    """A single longer time is not learned for long, a repeated one is, and an implausible one never is."""
    assert habits_after(*sleeps).time_to_fall_asleep == minutes * MINUTE


AT_NOON: Final = LocalTime(12 * HOUR, 12.0, is_weekend=False)


def test_car_gets_time_to_fall_asleep_after_two_self_checks_until_a_long_sleep() -> None:
    habits = Habits().slept(HOUR).checked_itself(AT_NOON, HOUR)
    assert habits.self_check_wait == 0
    habits = habits.slept(HOUR).checked_itself(AT_NOON, HOUR)
    assert 150 < habits.self_check_wait < 240
    assert habits.slept(9 * HOUR).self_check_wait == 0


def test_wake_at_a_usual_hour_is_a_use_unless_a_self_check_is_due() -> None:
    used = Habits().woke_for_use(AT_NOON)
    habits = replace(used, checks=(HOUR,) * 10)
    evening = AT_NOON._replace(hour=20.0)
    assert habits.is_use_likely(AT_NOON, HOUR / 2)
    assert not habits.is_use_likely(AT_NOON, HOUR)
    assert not habits.is_use_likely(evening, HOUR / 2)
    assert not used.is_use_likely(AT_NOON, HOUR / 2)


def test_hourly_self_checks_do_not_hide_the_use_at_noon() -> None:
    habits = Habits()
    for day in range(5):
        for hour in range(24):
            wake = LocalTime(day * DAY + hour * HOUR, hour, is_weekend=False)
            habits = habits.woke_for_use(wake) if hour == 12 else habits.checked_itself(wake, HOUR)
    at_noon = LocalTime(5 * DAY + 12 * HOUR, 12.0, is_weekend=False)
    assert habits.is_use_likely(at_noon, HOUR)
    assert not habits.is_use_likely(at_noon._replace(hour=11.0), HOUR)


LONG: Final = (14 * HOUR,)


def parked(*stays: float, place: Any = HOUSE) -> Habits:
    """Return the habits of a car that needs 15 minutes to fall asleep, after stays of so many seconds."""
    habits = habits_after(15)
    for lasted in stays:
        habits = habits.stayed(at(place), lasted)
    return habits


def test_short_stop_in_an_unknown_place_is_likely() -> None:
    assert 20 * MINUTE <= parked().watch_parked(at()) <= LONGEST_WATCH
    # A car that may need long to fall asleep would be left alone for long.
    assert Habits().watch_parked(at()) == LONGEST_WATCH


def test_long_stay_is_expected_again_near_the_place() -> None:
    unknown = parked().watch_parked(at())
    assert SHORTEST_WATCH < parked(*LONG).watch_parked(at()) < unknown / 2
    habits = parked(*LONG * 3)
    assert habits.watch_parked(at()) == SHORTEST_WATCH
    assert habits.watch_parked(at((HOUSE[0] + 0.001, HOUSE[1] - 0.002))) == SHORTEST_WATCH
    assert habits.watch_parked(at(WORK)) == habits.watch_parked(at(None)) == unknown
    # Stays without a position are compared with each other.
    assert parked(*LONG * 3, place=None).watch_parked(at(None)) == SHORTEST_WATCH


def test_repeated_short_stop_is_expected_again() -> None:
    assert 10 * MINUTE < parked(*(10 * MINUTE,) * 2, *LONG * 6).watch_parked(at()) < 20 * MINUTE
    assert parked(10 * MINUTE, *LONG * 25).watch_parked(at()) == SHORTEST_WATCH


def test_car_that_woke_or_was_charged_is_watched_if_it_is_usually_driven_soon() -> None:
    habits = habits_after(15)
    for day in range(10):
        habits = habits.woke_for_use(LocalTime(day * DAY, 7.6, is_weekend=False))
    watch = [habits.watch_idle(LocalTime(10 * DAY, hour, is_weekend=False)) for hour in (3, 7.3, 12)]
    assert watch[0] == watch[2] == SHORTEST_WATCH
    assert watch[1] > 18 * MINUTE


def test_only_the_last_stays_and_sleeps_are_kept() -> None:
    habits = Habits()
    for index in range(500):
        habits = habits.stayed(at((50.0, index / 100)), HOUR).fell_asleep(700 + index)
    assert len(habits.stays) < 150
    assert len(habits.sleeps) < 10


def test_valid_part_of_stored_data_is_restored() -> None:
    stays = [{"at": 4, "hour": 5, "lasted": 6, "place": place} for place in (None, [1, "x"])]
    habits = Habits.from_json({"sleeps": [700, "x"], "sleepless": 10**9, "stays": stays})
    assert habits.time_to_fall_asleep == 700
    assert habits.quiet_period <= LONGEST_QUIET
    assert [each.place for each in habits.stays] == [None, None]
