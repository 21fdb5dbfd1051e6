"""What happens to one car, and when: from what is seen of it to what `polling` has to know. Pure.

Moments come in as local time, because people's habits follow it; they are kept as Unix seconds.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from typing import Any, Final, Self

from ..api.fields import Field
from ..api.records import DOORS, ChargeState, ClimateState, Vehicle, VehicleState
from ..api.value_types import NUMBER
from .habits import LONG_STAY, SHORT_STOP, USUAL, Arrival, Habits, is_night
from .policy import EARLY, ONLINE, Mode

# Seen more seldom than this, nobody knows when a car fell asleep, or that it slept in between.
_BLINK: Final = 900.0
# Returns into coverage that came to nothing, after which one more is no reason to read the car
_RETURNS_BELIEVED: Final = 2
_LONGER: Final = 1.25
# By more than this a clock that was set back is wrong about everything that was.
_CLOCK_ERROR: Final = 300.0
_MOVED: Final = 0.1
_SECONDS_A_MILE: Final = 120.0
# What is remembered as it is
_WORDS: Final = ("state", "woke_from", "day")
_NUMBERS: Final = (
    "seen_at",
    "read_at",
    "touched_at",
    "tried_at",
    "used_at",
    "slept_at",
    "woke_at",
    "watched_until",
    "odometer",
    "slept_today",
)

# What a person did to the car: after it, more is likely to come.
_SIGNS_OF_USE: Final[frozenset[Field[Any]]] = frozenset(
    {
        ChargeState.charging_state,
        ChargeState.charge_port_door_open,
        ChargeState.conn_charge_cable,
        ClimateState.is_climate_on,
        *DOORS,
        VehicleState.is_user_present,
        VehicleState.locked,
        VehicleState.sentry_mode,
    }
)


@dataclass(slots=True, kw_only=True)
class Watch:
    """What is known of a car's doings. All moments are Unix seconds; 0 is long ago."""

    habits: Habits = field(default_factory=Habits)
    state: str | None = None
    """The last word on its state: online, asleep, or another for out of reach."""
    activity: Mode | None = None
    """What the last live read saw it do that keeps it awake anyway."""
    seen_at: float = 0.0
    read_at: float | None = None
    touched_at: float = 0.0
    """When it was last asked for something else that keeps it awake."""
    tried_at: float = 0.0
    """When it was last to be read and that failed; it may have been kept awake by it."""
    used_at: float = 0.0
    """When somebody was last seen to use it, or told it something from here."""
    slept_at: float = 0.0
    """When it was last seen to have fallen asleep."""
    woke_at: float = 0.0
    woke_from: str = ""
    """The state in which it was before it woke."""
    is_called: bool = False
    """Whether it was woken from here, since it last slept."""
    returns: int = 0
    """How often in a row it came back into coverage and was not used."""
    returned_for: float = 0.0
    """How long it then stayed, at most."""
    watched_until: float = 0.0
    arrival: Arrival | None = None
    """Where it stands, if it stands."""
    odometer: float | None = None
    day: str = ""
    slept_today: float = 0.0

    @property
    def patience(self) -> float:
        """Seconds for which the car is not to be read after it woke, or came back into coverage.

        A car that comes and goes is still read once in each quiet time.
        """
        if self.is_called:
            return 0.0
        if self.woke_from == Mode.ASLEEP:
            return self.habits.patience
        if self.returns < _RETURNS_BELIEVED:
            return 0.0
        quiet_ends_at = max(self.read_at or 0.0, self.touched_at) + self.habits.quiet
        return max(0.0, min(self.returned_for * _LONGER, quiet_ends_at - self.woke_at))

    def asleep_today(self) -> float | None:
        """Return the seconds that it was seen to sleep since midnight, or None before it was seen at all."""
        return self.slept_today if self.day else None

    # What the service says of it

    def sighted(self, state: str, moment: datetime, *, is_timely: bool = True) -> None:
        """Take note of the state in which the car was just said to be; `is_timely`: if not so long before."""
        now = moment.timestamp()
        self.check_clock(moment)
        self._count_sleep(moment)
        before, last_seen = self.state, self.seen_at
        self.state, self.seen_at = state, now
        if state == before:
            return
        if before == ONLINE:
            self._leaves(state, now, is_timely=is_timely and now - last_seen <= _BLINK)
        elif state == ONLINE and before is not None:
            self._comes(before, now)
        if state == Mode.ASLEEP:
            self.slept_at = now

    def _leaves(self, state: str, now: float, *, is_timely: bool) -> None:
        is_unused = self.woke_at > max(self.used_at, self.slept_at) and not self.is_called
        if state != Mode.ASLEEP:
            if is_unused:
                self.returns += 1
                self.returned_for = max(self.returned_for, now - self.woke_at)
            return
        contact = max(self.read_at or 0.0, self.touched_at, self.tried_at)
        if is_timely and self.activity is None and contact >= max(self.woke_at, self.used_at):
            self.habits = self.habits.fell_asleep(now - contact)
        if is_unused and self.woke_from == Mode.ASLEEP:
            self.habits = self.habits.checked_itself(self.woke_at - self.slept_at)
        self.is_called = False

    def _comes(self, before: str, now: float) -> None:
        if before == Mode.ASLEEP:
            self.habits = self.habits.slept(now - self.slept_at)
        self.woke_at, self.woke_from = now, before

    def _count_sleep(self, moment: datetime) -> None:
        now, day = moment.timestamp(), moment.date().isoformat()
        since = self.seen_at
        if day != self.day:
            self.day, self.slept_today = day, 0.0
            midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0).timestamp()
            since = max(since, midnight)
        if self.state == Mode.ASLEEP and now - self.seen_at <= _BLINK:
            self.slept_today += now - since

    def check_clock(self, moment: datetime) -> None:
        """Forget all moments if the clock was set back behind them."""
        last = max(self.seen_at, self.read_at or 0.0, self.touched_at, self.tried_at)
        if moment.timestamp() < last - _CLOCK_ERROR:
            self._forget_moments()

    def _forget_moments(self) -> None:
        new = type(self)(habits=self.habits)
        for each in fields(self):
            setattr(self, each.name, getattr(new, each.name))

    # What the car says itself

    def heard(
        self, vehicle: Vehicle, before: Vehicle, changes: Iterable[Field[Any]], moment: datetime
    ) -> None:
        """Take note of a live read; `before`: what was known until then, `changes`: what is new."""
        now = moment.timestamp()
        was_left_in_peace = self._is_quiet_over(now)
        self.sighted(ONLINE, moment)
        activity = activity_of(vehicle)
        has_moved = self._follow(vehicle, activity, moment)
        is_new = self.read_at is None or activity != self.activity
        signs = _SIGNS_OF_USE.intersection(changes)
        is_used = has_moved or is_new or any(_is_use(field, vehicle, before) for field in signs)
        if activity is not None or is_used:
            self.used_at = now
            self.returns, self.returned_for = 0, 0.0
        elif was_left_in_peace:
            self.habits = self.habits.stayed_awake()
        if is_used:
            self._expect_more(vehicle, activity, moment, has_moved=has_moved)
        elif self._has_just_woken and self.woke_from == Mode.ASLEEP:
            # Who woke it may be on the way to it.
            self.watched_until = max(self.watched_until, now + LONG_STAY)
        self.activity, self.read_at = activity, now

    @property
    def _has_just_woken(self) -> bool:
        return self.read_at is None or self.read_at < self.woke_at

    def _is_quiet_over(self, now: float) -> bool:
        """Whether the car was given all the time that it should need, was not used, and is awake."""
        if self.read_at is None or self._has_just_woken or self.activity is not None:
            return False
        if now - self.seen_at > _BLINK or self.read_at + EARLY < self.watched_until:
            return False
        return now - max(self.read_at, self.touched_at, self.used_at) >= self.habits.quiet - EARLY

    def _follow(self, vehicle: Vehicle, activity: Mode | None, moment: datetime) -> bool:
        """Keep track of where it stands, and return whether it was just parked somewhere."""
        now, is_driving = moment.timestamp(), activity is Mode.DRIVING
        was_known = self.odometer is not None or self.read_at is not None
        miles = self._drive_on(vehicle.vehicle_state.odometer)
        if self.arrival is not None and (is_driving or miles > _MOVED):
            # A drive that nobody saw begin began some time before it is seen.
            left_at = max(self.read_at or 0.0, now - miles * _SECONDS_A_MILE)
            self.habits = self.habits.stayed(self.arrival, left_at - self.arrival.at)
            self.arrival = None
        if is_driving or self.arrival is not None:
            return False
        self.arrival = Arrival(at=now, hour=_hour(moment), place=vehicle.drive_state.position)
        return was_known

    def _drive_on(self, odometer: float | None) -> float:
        """Return the miles since the last read, as far as they are known."""
        if odometer is None:
            return 0.0
        before, self.odometer = self.odometer, odometer
        return 0.0 if before is None else max(0.0, odometer - before)

    def _expect_more(
        self, vehicle: Vehicle, activity: Mode | None, moment: datetime, *, has_moved: bool
    ) -> None:
        """Decide for how long to watch a car to which something has happened."""
        now = moment.timestamp()
        is_plugged_in = bool(vehicle.charge_state.is_plugged_in)
        if has_moved and self.arrival is not None and not is_plugged_in:
            self.watched_until = now + self.habits.settling(self.arrival)
        elif self.activity is Mode.CHARGING and activity is None and is_plugged_in:
            self.watched_until = now + LONG_STAY
        elif is_plugged_in:
            self.watched_until = now + USUAL
        else:
            likely = LONG_STAY if is_night(_hour(moment)) else USUAL
            self.watched_until = max(self.watched_until, now + likely)

    def refused(self, state: str, moment: datetime) -> None:
        """Take note that the car was asked and is out of reach: that kept it from nothing.

        Nor does it tell when it fell asleep: some services hear of that before their own records do.
        """
        self.sighted(state, moment, is_timely=False)
        self.read_at = moment.timestamp()

    # What was done to it from here

    def touched(self, moment: datetime) -> None:
        """Take note that it was asked for something that keeps it awake."""
        self.touched_at = moment.timestamp()

    def tried(self, moment: datetime) -> None:
        """Take note that it was to be read and that failed."""
        self.tried_at = moment.timestamp()

    def called(self, *, in_vain: bool = False) -> None:
        """Take note that it is being woken from here, or that it did not wake."""
        self.is_called = not in_vain

    def used(self, moment: datetime) -> None:
        """Take note that it was told something: more is likely to come."""
        now = moment.timestamp()
        self.touched_at = self.used_at = now
        self.watched_until = max(self.watched_until, now + USUAL)

    # Over a restart

    def as_json(self) -> dict[str, Any]:
        """Return what has to be remembered."""
        simple = {name: getattr(self, name) for name in (*_WORDS, *_NUMBERS)}
        arrival = None if self.arrival is None else asdict(self.arrival)
        return {**simple, "activity": self.activity, "arrival": arrival, "habits": self.habits.as_json()}

    @classmethod
    def from_json(cls, kept: Any, moment: datetime) -> Self:
        """Return the watch as it was remembered; what cannot be understood is forgotten."""
        if not isinstance(kept, Mapping):
            return cls()
        watch = cls(habits=Habits.from_json(kept.get("habits")))
        numbers = {name: number for name in _NUMBERS if (number := NUMBER.read(kept.get(name))) is not None}
        if max(numbers.values(), default=0.0) > moment.timestamp() + SHORT_STOP + _CLOCK_ERROR:
            # The clock was wrong then, or is now.
            return watch
        words = {name: word for name in _WORDS if isinstance(word := kept.get(name), str)}
        for name, value in {**numbers, **words}.items():
            setattr(watch, name, value)
        watch.activity = next((mode for mode in Mode if mode == kept.get("activity")), None)
        watch.arrival = Arrival.from_json(kept.get("arrival"))
        return watch


def _is_use(field: Field[Any], vehicle: Vehicle, before: Vehicle) -> bool:
    """Return whether a sign's new value tells that somebody did something. What is not said tells nothing."""
    was, now = field.of(before), field.of(vehicle)
    if was is None or now is None:
        return False
    # The flap of the charge port closes by itself.
    return field is not ChargeState.charge_port_door_open or now


def activity_of(vehicle: Vehicle) -> Mode | None:
    """Return what keeps the car awake whether it is read or not."""
    body, climate = vehicle.vehicle_state, vehicle.climate_state
    if vehicle.drive_state.shift_state in ("d", "r", "n"):
        return Mode.DRIVING
    if vehicle.charge_state.charging_state in ("starting", "charging"):
        return Mode.CHARGING
    signs = (
        body.is_user_present,
        body.sentry_mode,
        body.remote_start,
        climate.is_climate_on,
        climate.climate_keeper_mode in ("on", "dog", "camp"),
        *(door.of(vehicle) for door in DOORS),
    )
    return Mode.IN_USE if any(signs) else None


def _hour(moment: datetime) -> float:
    return moment.hour + moment.minute / 60
