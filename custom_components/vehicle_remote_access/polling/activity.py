"""Tracks one car's activity: turns states and live reads into the inputs of the polling policy.

Methods take local time, because habits follow it. Times are stored as Unix seconds. No clock, no network.
"""

from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
import math
from typing import Any, Final, Self

from ..api.fields import Field
from ..api.records import DOORS, ChargeState, ClimateState, Vehicle, VehicleState
from ..api.value_types import NUMBER
from ..util.local_time import HOUR, LocalTime
from ..util.stored_values import read_mapping
from .departure import LONGEST_WATCH
from .habits import SELF_CHECK, Habits, Parking
from .modes import ASLEEP, ONLINE, TIMER_TOLERANCE, Mode

# After a longer gap between two observations, it is unknown how long the car slept or was awake.
_LONGEST_GAP: Final = 900.0
# After a longer gap, the time of falling asleep is unknown.
_EXACT_GAP: Final = 240.0
# After this many returns into coverage without use, another return does not cause a read.
_RETURNS_IGNORED_AFTER: Final = 2
_RETURN_MARGIN: Final = 1.25
# A car that is used later than this after it woke did not wake for this use.
_USED_SOON: Final = 1800.0
# After a command or a use other than driving, more use is likely.
_WATCH_AFTER_USE: Final = 300.0
# If the clock was set back by more than this, all stored times are wrong.
_CLOCK_ERROR: Final = 300.0
# After a shorter stay, the place says more than the time of the week about when the car is driven again.
_LONG_STAY: Final = HOUR
_MOVED_MILES: Final = 0.1
_SECONDS_PER_MILE: Final = 120.0
# The attributes that are stored. Their names are keys of format version 1.
_TEXTS: Final = ("state", "woke_from", "day")
_NUMBERS: Final = (
    "seen_at",
    "read_at",
    "touched_at",
    "tried_at",
    "used_at",
    "slept_at",
    "woke_after",
    "woke_at",
    "watched_until",
    "odometer",
    "slept_today",
)

_CHARGE_PORT: Final = ChargeState.charge_port_door_open
# Fields that a user changes. More activity is likely after a change.
SIGNS_OF_USE: Final[tuple[Field[Any], ...]] = (
    ChargeState.charging_state,
    _CHARGE_PORT,
    ChargeState.conn_charge_cable,
    ClimateState.is_climate_on,
    *DOORS,
    VehicleState.is_user_present,
    VehicleState.locked,
    VehicleState.sentry_mode,
)


@dataclass(slots=True, kw_only=True)
class ActivityTracker:
    """The observed activity of one car. All times are Unix seconds; 0 means never."""

    habits: Habits = field(default_factory=Habits)
    state: str | None = None
    """The last reported state: online, asleep, or another word for unreachable."""
    activity: Mode | None = None
    """The activity in the last live read that keeps the car awake anyway."""
    seen_at: float = 0.0
    """When a state was last reported."""
    read_at: float | None = None
    """When a live read was last answered by the car, or refused."""
    cached_at: float = 0.0
    """When a live read was last answered from a cache, with nothing new."""
    cached_answers: int = 0
    """How many such answers there were in a row."""
    touched_at: float = 0.0
    """When a request other than a live read last kept the car awake."""
    tried_at: float = 0.0
    """When a live read last failed. It may have kept the car awake."""
    used_at: float = 0.0
    """When the car was last used or last got a command."""
    slept_at: float = 0.0
    """When the reported state last changed to asleep, also from unknown."""
    woke_at: float = 0.0
    """When the car last came online, from sleep or from out of coverage."""
    woke_after: float = 0.0
    """When the car was last seen unreachable before it woke."""
    woke_from: str = ""
    is_use_likely: bool = False
    """Whether the car more likely woke for use than for a self-check."""
    was_wake_requested: bool = False
    """Whether this integration woke the car since it last slept."""
    returns: int = 0
    """How often in a row the car returned into coverage without being used."""
    returned_for: float = 0.0
    """The longest of those stays in coverage, in seconds."""
    watched_until: float = 0.0
    """Until when more activity is likely."""
    parking: Parking | None = None
    """When and where the car was parked; None while it drives."""
    odometer: float | None = None
    """Miles at the last live read."""
    day: str = ""
    """The local date of `slept_today`."""
    slept_today: float = 0.0
    """Seconds asleep since local midnight."""

    @property
    def wait_after_wake(self) -> float:
        """Seconds to wait before reading the car after it woke or returned into coverage."""
        if self.was_wake_requested:
            return 0.0
        if self.woke_from == ASLEEP:
            return 0.0 if self.is_use_likely else self.habits.self_check_wait
        if self.returns < _RETURNS_IGNORED_AFTER:
            return 0.0
        # A car with unstable coverage is still read once per quiet period.
        quiet_ends_at = self.last_contact + self.habits.quiet_period
        return max(0.0, min(self.returned_for * _RETURN_MARGIN, quiet_ends_at - self.woke_at))

    def asleep_today(self) -> float | None:
        """Return the seconds asleep since local midnight, or None before the first observation."""
        return self.slept_today if self.day else None

    @property
    def last_contact(self) -> float:
        """When an answered read or another request last kept the car awake."""
        return max(self.read_at or 0.0, self.touched_at)

    def on_state(self, state: str, moment: datetime, *, is_timely: bool = True) -> None:
        """Record the reported state. `is_timely`: whether a change has just happened, as far as is known."""
        now = moment.timestamp()
        if now < self.seen_at:
            self.reset_if_clock_set_back(moment)
        self._count_sleep(moment)
        if not self.habits.use_rate.since:
            self.habits = self.habits.observed(now)
        if state != self.state:
            if self.state == ONLINE:
                self._on_unreachable(state, moment, now - self.seen_at if is_timely else math.inf)
            elif state == ONLINE and self.state is not None:
                self._on_wake(self.state, moment)
            if state == ASLEEP:
                self.slept_at = now
            self.cached_answers = 0
        self.state, self.seen_at = state, now

    def _on_unreachable(self, state: str, moment: datetime, gap: float) -> None:
        """Record that the car fell asleep or left coverage, at most `gap` seconds ago."""
        now = moment.timestamp()
        if state != ASLEEP:
            if self._is_unused_since_wake:
                self.returns += 1
                self.returned_for = max(self.returned_for, now - self.woke_at)
            return
        contact = max(self.last_contact, self.tried_at)
        if gap <= _EXACT_GAP and self.activity is None and contact >= max(self.woke_at, self.used_at):
            self.habits = self.habits.fell_asleep(now - contact - min(gap, now - contact) / 2)
        if self._is_unused_since_wake and self.woke_from == ASLEEP:
            self._learn_self_check(moment)
        self.was_wake_requested = False

    def _on_wake(self, before: str, moment: datetime) -> None:
        now = moment.timestamp()
        if before == ASLEEP:
            self.is_use_likely = self.habits.is_use_likely(LocalTime.of(moment), now - self.slept_at)
            self.habits = self.habits.slept(now - self.slept_at)
        self.woke_at, self.woke_from, self.woke_after = now, before, self.seen_at

    def _count_sleep(self, moment: datetime) -> None:
        now, day = moment.timestamp(), moment.date().isoformat()
        if day != self.day:
            self.day, self.slept_today = day, 0.0
        if self.state == ASLEEP and now - self.seen_at <= _LONGEST_GAP:
            midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0).timestamp()
            self.slept_today += now - max(self.seen_at, midnight)

    def reset_if_clock_set_back(self, moment: datetime) -> bool:
        """Forget all times if the clock was set back behind them. Return whether it was."""
        was_set_back = moment.timestamp() < max(self.seen_at, self.last_contact, self.tried_at) - _CLOCK_ERROR
        if was_set_back:
            new = type(self)(habits=self.habits)
            for field in fields(self):
                setattr(self, field.name, getattr(new, field.name))
        return was_set_back

    def on_read(
        self, vehicle: Vehicle, before: Vehicle, moment: datetime, age: float = 0, *, is_pushed: bool = False
    ) -> None:
        """Record a live read. `age`: in seconds. What `is_pushed` by the car does not keep it awake."""
        now = moment.timestamp()
        was_undisturbed = self.activity is None and self._is_quiet_over(now)
        self.on_state(ONLINE, moment)
        activity, parking = activity_of(vehicle), self.parking
        miles = self._miles_since(vehicle.vehicle_state.odometer)
        # A drive is detected some time after its start. Its distance shows when it started.
        left_at = max(self.read_at or 0.0, now - miles * _SECONDS_PER_MILE)
        has_moved = activity is Mode.DRIVING or miles > _MOVED_MILES
        has_parked = self._update_parking(vehicle, activity, moment, left_at if has_moved else None)
        is_new = self.read_at is None or activity != self.activity
        is_used = has_parked or is_new or _shows_use(vehicle, before)
        if activity is not None or is_used:
            self._on_use(None if self.parking is parking else parking, left_at, moment)
        elif was_undisturbed:
            self.habits = self.habits.stayed_awake()
        self._update_watch(vehicle, activity, moment, has_parked=has_parked, is_used=is_used)
        self.activity = activity
        if not is_pushed:
            self.read_at, self.cached_answers = now - age, 0

    def _on_use(self, left: Parking | None, left_at: float, moment: datetime) -> None:
        """Record that a live read shows use. `left`: the parking that the car left at `left_at`, if any."""
        if self._is_unused_since_wake:
            self._learn_wake(moment)
        if left is not None:
            self._learn_departure(left, left_at, moment)
        self.used_at = moment.timestamp()
        self.returns, self.returned_for = 0, 0.0

    def on_cached(self, moment: datetime) -> None:
        """Record a live read that was answered from a cache. It did not keep the car awake."""
        self.cached_at = moment.timestamp()
        self.cached_answers += 1

    def _learn_wake(self, moment: datetime) -> None:
        """Learn that the car woke for this use, if it was used soon."""
        now = moment.timestamp()
        if now - self.woke_after > _USED_SOON:
            return
        # A car that is driven out of coverage and back did not wake.
        if self.woke_from != ASLEEP and self.woke_at - self.used_at <= _USED_SOON:
            return
        used_at = (self.woke_after + self.woke_at) / 2
        is_checking = self.woke_from == ASLEEP and self.habits.self_check_wait > 0
        if is_checking and not self._has_just_woken and now - self.woke_at > SELF_CHECK:
            # It woke for a self-check, and a read kept it awake until now.
            self._learn_self_check(moment)
            used_at = now
        self.habits = self.habits.woke_for_use(_earlier(moment, used_at))

    @property
    def _is_unused_since_wake(self) -> bool:
        return self.woke_at > max(self.used_at, self.slept_at) and not self.was_wake_requested

    def _learn_self_check(self, moment: datetime) -> None:
        slept = self.woke_at - self.slept_at
        self.habits = self.habits.checked_itself(_earlier(moment, self.woke_at), slept)

    def _learn_departure(self, parking: Parking, left_at: float, moment: datetime) -> None:
        """Learn when the car was driven after a long stay, if it woke earlier for another use."""
        was_used = self.used_at >= self.woke_at and left_at - self.woke_at > _USED_SOON
        if was_used and left_at - parking.at > _LONG_STAY:
            self.habits = self.habits.woke_for_use(_earlier(moment, left_at))

    @property
    def _has_just_woken(self) -> bool:
        return self.read_at is None or self.read_at < self.woke_at

    def _is_quiet_over(self, now: float) -> bool:
        """Return whether a whole quiet period passed without use, and the car is still awake."""
        if self.read_at is None or self._has_just_woken:
            return False
        if now - self.seen_at > _LONGEST_GAP or self.read_at + TIMER_TOLERANCE < self.watched_until:
            return False
        quiet_since = max(self.last_contact, self.used_at)
        return now - quiet_since >= self.habits.quiet_period - TIMER_TOLERANCE

    def _update_parking(
        self, vehicle: Vehicle, activity: Mode | None, moment: datetime, left_at: float | None
    ) -> bool:
        """Update the parking. Return whether the car was just parked. `left_at`: if it was driven away."""
        if self.parking is not None and left_at is not None:
            self.habits = self.habits.stayed(self.parking, left_at - self.parking.at)
            self.parking = None
        if vehicle.vehicle_state.odometer is not None:
            self.odometer = vehicle.vehicle_state.odometer
        if activity is Mode.DRIVING or self.parking is not None:
            return False
        self.parking = Parking(at=moment.timestamp(), place=vehicle.drive_state.position)
        return self.read_at is not None

    def _miles_since(self, odometer: float | None) -> float:
        """Return the miles driven since the last read, 0 if unknown."""
        return 0.0 if odometer is None or self.odometer is None else max(0.0, odometer - self.odometer)

    def _update_watch(
        self, vehicle: Vehicle, activity: Mode | None, moment: datetime, *, has_parked: bool, is_used: bool
    ) -> None:
        """Set how long more activity is likely after the car was used or woke."""
        now = moment.timestamp()
        if not is_used:
            if self._has_just_woken and self.woke_from == ASLEEP:
                # The user may have woken it and be on the way to it.
                idle = self.habits.watch_idle(LocalTime.of(moment))
                self.watched_until = max(self.watched_until, now + idle)
            return
        is_plugged_in = bool(vehicle.charge_state.is_plugged_in)
        if has_parked and self.parking is not None and not is_plugged_in:
            self.watched_until = now + self.habits.watch_parked(self.parking)
        elif self.activity is Mode.CHARGING and activity is None and is_plugged_in:
            self.watched_until = now + self.habits.watch_idle(LocalTime.of(moment))
        elif is_plugged_in:
            self.watched_until = now + _WATCH_AFTER_USE
        else:
            self.watched_until = max(self.watched_until, now + _WATCH_AFTER_USE)

    def on_refused(self, state: str, moment: datetime) -> None:
        """Record that a live read found the car unreachable. It is unknown since when."""
        self.on_state(state, moment, is_timely=False)
        self.read_at, self.cached_answers = moment.timestamp(), 0

    def on_used(self, moment: datetime) -> None:
        """Record a command. More activity is likely after it."""
        now = moment.timestamp()
        self.touched_at = self.used_at = now
        self.watched_until = max(self.watched_until, now + _WATCH_AFTER_USE)

    def as_json(self) -> dict[str, Any]:
        simple = {name: getattr(self, name) for name in (*_TEXTS, *_NUMBERS)}
        parking = None if self.parking is None else asdict(self.parking)
        return {**simple, "activity": self.activity, "arrival": parking, "habits": self.habits.as_json()}

    @classmethod
    def from_json(cls, stored: Any, moment: datetime) -> Self:
        values = read_mapping(stored)
        tracker = cls(habits=Habits.from_json(values.get("habits")))
        numbers = {name: number for name in _NUMBERS if (number := NUMBER.read(values.get(name))) is not None}
        if max(numbers.values(), default=0.0) > moment.timestamp() + LONGEST_WATCH + _CLOCK_ERROR:
            # The clock was wrong then, or is wrong now.
            return tracker
        texts = {name: values[name] for name in _TEXTS if isinstance(values.get(name), str)}
        for name, value in {**numbers, **texts}.items():
            setattr(tracker, name, value)
        tracker.activity = next((mode for mode in Mode if mode == values.get("activity")), None)
        tracker.parking = Parking.from_json(values.get("arrival"))
        return tracker


def _shows_use(vehicle: Vehicle, before: Vehicle) -> bool:
    """Return whether a field shows that the car was used. A missing value shows nothing."""
    for sign in SIGNS_OF_USE:
        was, now = sign.get(before), sign.get(vehicle)
        is_known = was is not None and now is not None
        # The charge port door closes automatically.
        if is_known and was != now and (sign is not _CHARGE_PORT or now):
            return True
    return False


def activity_of(vehicle: Vehicle) -> Mode | None:
    """Return the activity that keeps the car awake anyway, or None."""
    body, climate = vehicle.vehicle_state, vehicle.climate_state
    if vehicle.drive_state.is_driving:
        return Mode.DRIVING
    if vehicle.charge_state.is_charging:
        return Mode.CHARGING
    signs = (
        body.is_user_present,
        body.sentry_mode,
        body.remote_start,
        climate.is_climate_on,
        climate.climate_keeper_mode in ("on", "dog", "camp"),
        *[door.get(vehicle) for door in DOORS],
    )
    return Mode.IN_USE if any(signs) else None


def _earlier(moment: datetime, at: float) -> LocalTime:
    """Return the local time at an earlier moment in Unix seconds."""
    return LocalTime.of(datetime.fromtimestamp(at, moment.tzinfo))
