"""What happens to a car, and what follows for when it is read."""

from datetime import UTC, datetime, timedelta
import json
from typing import Any, Final

import pytest

from custom_components.vehicle_remote_access.api.records import Vehicle
from custom_components.vehicle_remote_access.polling.activity import Watch, activity_of
from custom_components.vehicle_remote_access.polling.habits import LONG_STAY, SHORT_STOP, USUAL
from custom_components.vehicle_remote_access.polling.policy import Mode

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


class Days:
    """A car that is watched while time passes."""

    def __init__(self, start: datetime = NOON) -> None:
        """Begin with the first read of a parked car."""
        self.moment = start
        self.watch = Watch()
        self.record: dict[str, Any] = PARKED
        self.known = Vehicle.parse({})
        self.read()

    @property
    def now(self) -> float:
        """Unix seconds."""
        return self.moment.timestamp()

    def wait(self, minutes: float) -> None:
        """Let time pass unseen."""
        self.moment += timedelta(minutes=minutes)

    def see(self, state: str, minutes: float = 0) -> None:
        """Let time pass, in every minute of which the service says this of the car."""
        for _ in range(round(minutes)):
            self.wait(1)
            self.watch.sighted(state, self.moment)
        if not minutes:
            self.watch.sighted(state, self.moment)

    def read(self, **changes: dict[str, Any]) -> None:
        """Read the car, after what is named of it has changed."""
        self.record = {name: {**record, **changes.get(name, {})} for name, record in self.record.items()}
        vehicle = Vehicle.parse(self.record)
        self.watch.heard(vehicle, self.known, vehicle.changed_since(self.known), self.moment)
        self.known = vehicle

    def drive(self, minutes: int = 15) -> None:
        """Drive to another place, seen every minute, and park."""
        for _ in range(minutes):
            self.read(drive_state={"shift_state": "D"})
            self.wait(1)
        self.arrive()

    def arrive(self) -> None:
        """Stand elsewhere than before."""
        odometer = self.record["vehicle_state"]["odometer"] + 15
        latitude = self.record["drive_state"]["latitude"] + 0.2
        self.read(
            drive_state={"shift_state": None, "latitude": latitude}, vehicle_state={"odometer": odometer}
        )

    @property
    def watched_for(self) -> float:
        """Seconds for which more is expected to happen."""
        return self.watch.watched_until - self.now


@pytest.fixture
def days() -> Days:
    """A car at noon, parked and left alone since an hour."""
    days = Days()
    days.wait(60)
    days.read()
    return days


def test_first_read_is_watched_for_a_while() -> None:
    """What a car that is new here will do, nobody knows."""
    assert Days().watched_for == USUAL


def test_nothing_new_expects_nothing(days: Days) -> None:
    """A read without news makes nobody wait for more."""
    assert days.watched_for < 0


@pytest.mark.parametrize(
    "change",
    [
        {"vehicle_state": {"locked": False}},
        {"vehicle_state": {"df": 1}},
        {"vehicle_state": {"is_user_present": True}},
        {"climate_state": {"is_climate_on": True}},
        {"charge_state": {"charge_port_door_open": True}},
    ],
)
def test_use_expects_more(days: Days, change: dict[str, Any]) -> None:
    """After somebody did something to the car, more is likely to come; at night less so."""
    days.read(**change)
    assert days.watched_for == USUAL
    night = Days(NOON.replace(hour=23))
    night.wait(60)
    night.read(**change)
    assert night.watched_for == LONG_STAY


@pytest.mark.parametrize(
    "change",
    [
        {"drive_state": {"shift_state": "P"}},
        {"climate_state": {"inside_temp": 20.0}},
        {"vehicle_state": {"locked": None}},
    ],
)
def test_what_is_no_use(days: Days, change: dict[str, Any]) -> None:
    """What the car does by itself makes nobody wait for more."""
    days.read(**change)
    assert days.watched_for < 0


def test_flap_closes_by_itself(days: Days) -> None:
    """Somebody opened the charge port; that it closes some minutes later was nobody."""
    days.read(charge_state={"charge_port_door_open": True})
    assert days.watched_for == USUAL
    days.wait(60)
    days.read(charge_state={"charge_port_door_open": False})
    assert days.watched_for < 0


def test_plugging_in_is_a_long_stay(days: Days) -> None:
    """Where it is plugged in, it will not be driven on in a minute; after charging still less."""
    days.drive()
    assert days.watched_for == SHORT_STOP
    days.wait(2)
    days.read(charge_state={"charging_state": "Charging", "conn_charge_cable": "IEC"})
    assert days.watched_for == USUAL
    days.wait(60)
    days.read(charge_state={"charging_state": "Complete"})
    assert days.watched_for == LONG_STAY


def test_stays_are_learned_from_drives_that_were_seen(days: Days) -> None:
    """From park to drive is a stay, where it was parked and at that hour."""
    days.drive()
    parked_at = days.moment
    days.wait(8)
    days.drive()
    first, stay = days.watch.habits.stays
    assert first.lasted == 3600
    assert stay.lasted == 8 * 60
    assert stay.hour == pytest.approx(parked_at.hour + parked_at.minute / 60, abs=0.1)
    assert stay.place == (52.557, 4.881)
    assert first.place == (52.357, 4.881)


def test_stays_are_learned_from_drives_that_were_not_seen(days: Days) -> None:
    """A car that stands elsewhere was driven there, some time before it was seen."""
    days.drive()
    days.wait(20)
    days.read()
    days.wait(30)
    days.arrive()
    assert 20 * 60 <= days.watch.habits.stays[-1].lasted <= 45 * 60
    assert days.watched_for == SHORT_STOP


def test_time_to_fall_asleep_is_learned(days: Days) -> None:
    """From the last read to the first look that finds it asleep: so long it needed."""
    days.see("online", 11)
    days.see("asleep", 1)
    assert days.watch.habits.need == 12 * 60


def test_touches_count(days: Days) -> None:
    """What else keeps it awake begins the time anew."""
    days.see("online", 5)
    days.watch.touched(days.moment)
    days.see("online", 11)
    days.see("asleep", 1)
    assert days.watch.habits.need == 12 * 60


def test_failed_reads_count(days: Days) -> None:
    """So may a read that failed: its answer was lost on the way back, perhaps."""
    days.see("online", 5)
    days.watch.tried(days.moment)
    days.see("online", 11)
    days.see("asleep", 1)
    assert days.watch.habits.need == 12 * 60


def test_sleep_that_nobody_saw_begin_says_nothing(days: Days) -> None:
    """After an hour in which nobody looked, nobody knows when it fell asleep."""
    days.wait(60)
    days.see("asleep")
    assert days.watch.habits.need is None


@pytest.mark.parametrize("between", ["offline", "hibernating"])
def test_sleep_out_of_sight_says_nothing(days: Days, between: str) -> None:
    """Nor is it known of a car that was out of reach before."""
    days.see("online", 8)
    days.see(between, 8)
    days.see("asleep", 1)
    assert days.watch.habits.need is None


def test_quiet_that_was_too_short(days: Days) -> None:
    """A car that had all its time, was not used, and is awake, needs longer."""
    days.watch.habits = days.watch.habits.fell_asleep(700)
    quiet = days.watch.habits.quiet
    days.see("online", quiet // 60 + 1)
    days.read()
    assert days.watch.habits.quiet > quiet


def test_quiet_that_was_used(days: Days) -> None:
    """A car that was used in its quiet time could not sleep; it does not need longer for that."""
    quiet = days.watch.habits.quiet
    days.see("online", quiet // 60 + 1)
    days.read(vehicle_state={"locked": False})
    assert days.watch.habits.quiet == quiet


def test_quiet_that_nobody_watched(days: Days) -> None:
    """After hours in which nobody looked, nobody knows whether it slept."""
    quiet = days.watch.habits.quiet
    days.wait(480)
    days.read()
    assert days.watch.habits.quiet == quiet


def test_quiet_that_was_cut_short(days: Days) -> None:
    """A read that somebody asks for says nothing of what the car needs."""
    quiet = days.watch.habits.quiet
    days.see("online", 20)
    days.read()
    assert days.watch.habits.quiet == quiet


def _sleep(days: Days, minutes: float = 60) -> None:
    days.see("asleep", minutes)


def test_wake_is_watched(days: Days) -> None:
    """A car that woke is watched for some minutes: who woke it may be on the way."""
    _sleep(days)
    days.see("online", 1)
    assert days.watch.woke_at == days.now
    days.read()
    assert days.watched_for == LONG_STAY


def _check_itself(days: Days) -> None:
    _sleep(days)
    days.see("online", 3)


def test_self_checks(days: Days) -> None:
    """Two wakes in a row in which nothing happened: the third is waited out."""
    for patient in (False, False, True, True):
        _check_itself(days)
        assert bool(days.watch.patience) is patient
    # Somebody drives, and the car goes on to check itself afterwards.
    days.read(drive_state={"shift_state": "D"})
    days.wait(10)
    days.read(drive_state={"shift_state": None})
    days.see("online", 20)
    _check_itself(days)
    assert days.watch.patience


def test_wakes_with_a_reason_are_no_self_checks(days: Days) -> None:
    """A car that is used each time it wakes does not wake by itself."""
    for locked in (False, True, False, True):
        _sleep(days)
        days.see("online", 1)
        days.read(vehicle_state={"locked": locked})
        days.see("online", 12)
    _check_itself(days)
    assert not days.watch.patience


def test_wakes_at_odd_times_are_no_self_checks(days: Days) -> None:
    """Who looks at the car with another app now and then does not make it one that wakes by itself."""
    for minutes in (30, 70, 45, 90):
        _sleep(days, minutes)
        days.see("online", 3)
        assert not days.watch.patience


def test_wakes_from_here_are_no_self_checks(days: Days) -> None:
    """A car that is woken from here is read at once, and not thought to have woken by itself."""
    for _ in range(4):
        _sleep(days)
        days.watch.called()
        days.see("online", 3)
        assert not days.watch.patience
    _sleep(days)
    assert not days.watch.habits.self_checks


def test_waiting_out_learns_nothing_of_falling_asleep(days: Days) -> None:
    """How long a self-check lasted is not how long the car needs to fall asleep."""
    days.see("online", 11)
    for _ in range(5):
        _check_itself(days)
    _sleep(days)
    assert days.watch.habits.sleeps == (12 * 60,)


def test_short_wake_learns_nothing_of_falling_asleep(days: Days) -> None:
    """Nor does a wake that was over before anybody asked the car for anything."""
    days.see("online", 11)
    _sleep(days, 10)
    days.see("online", 3)
    _sleep(days, 1)
    assert days.watch.habits.sleeps == (12 * 60,)


def test_coverage(days: Days) -> None:
    """A car that comes back into coverage is read at once, if it does not come and go."""
    patience = []
    for _ in range(4):
        days.see("offline", 2)
        days.see("online", 1)
        assert days.watch.woke_at == days.now
        patience.append(days.watch.patience)
        days.see("online", 7)
    # It stayed for eight minutes each time. At last, two minutes of its quiet time are left.
    assert patience == [0, 0, 600, 120]
    days.read(vehicle_state={"locked": False})
    days.see("offline", 2)
    days.see("online", 1)
    assert days.watch.patience == 0


def test_hours_asleep_begin_anew_at_midnight() -> None:
    """What it slept counts for the day on which it slept."""
    days = Days(NOON.replace(hour=21, minute=30))
    days.see("online", 30)
    days.see("asleep", 1)
    assert days.watch.asleep_today() == 0
    days.see("asleep", 60)
    assert days.watch.asleep_today() == 3600
    days.see("asleep", 89)
    days.see("asleep", 31)
    assert days.watch.asleep_today() == 61 * 60


def test_hours_that_nobody_saw_do_not_count(days: Days) -> None:
    """Nobody knows whether it slept while nobody looked."""
    _sleep(days, 10)
    seen = days.watch.asleep_today()
    days.wait(180)
    days.see("asleep")
    assert days.watch.asleep_today() == seen == 9 * 60


def test_never_seen() -> None:
    """Before a car was seen at all, nobody knows whether it slept."""
    assert Watch().asleep_today() is None


def test_refused(days: Days) -> None:
    """A read that finds it asleep keeps it from nothing, and is how some services tell."""
    days.see("online", 14)
    days.watch.refused("asleep", days.moment)
    assert days.watch.state == "asleep"
    assert days.watch.habits.need is None
    assert days.watch.read_at == days.now
    days.wait(1)
    days.read()
    assert days.watched_for == LONG_STAY


# Over a restart


def test_remembered(days: Days) -> None:
    """A restart changes nothing of what is planned."""
    days.drive()
    _check_itself(days)
    again = Watch.from_json(json.loads(json.dumps(days.watch.as_json())), days.moment)
    assert again == days.watch


def test_remembered_while_driving(days: Days) -> None:
    """A restart in the middle of a drive makes no stay of it."""
    days.read(drive_state={"shift_state": "D"})
    days.watch = Watch.from_json(days.watch.as_json(), days.moment)
    assert days.watch.activity is Mode.DRIVING
    days.drive()
    assert len(days.watch.habits.stays) == 1
    assert days.watched_for == SHORT_STOP


@pytest.mark.parametrize(
    "spoiled", [None, 7, [], {"read_at": "x", "state": 5, "activity": "flying", "arrival": 3, "habits": []}]
)
def test_spoiled(spoiled: Any) -> None:
    """What cannot be understood is forgotten."""
    assert Watch.from_json(spoiled, NOON) == Watch()


def test_from_the_future(days: Days) -> None:
    """After the clock was set back, moments say nothing, but what was learned holds."""
    days.see("online", 11)
    days.see("asleep", 1)
    again = Watch.from_json(days.watch.as_json(), days.moment - timedelta(days=1))
    assert again == Watch(habits=days.watch.habits)


def test_clock_that_is_set_back(days: Days) -> None:
    """When the clock is set back while the car is watched, it is read anew."""
    days.see("online", 11)
    days.see("asleep", 1)
    days.wait(-1000)
    days.see("online")
    assert days.watch.habits.need
    assert days.watch.read_at is None
    assert days.watch.watched_until == 0


def test_activity_of_nothing() -> None:
    """A car that says nothing does nothing that is known."""
    assert activity_of(Vehicle.parse({})) is None
