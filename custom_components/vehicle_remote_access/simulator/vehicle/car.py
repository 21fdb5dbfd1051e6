"""One car: its state at a moment, computed from the time that has passed when somebody asks."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Final, override

from ..clock import Clock
from ..faults.switches import Switches
from ..persistence import Json, Kept
from . import physics
from .body import Body, Roof, SoftwareUpdate
from .cabin import Cabin
from .charging import Charging
from .driving import ACCELERATION, CRUISE, VALET_ACCELERATION, VALET_SPEED, Driving, Trip
from .equipment import Equipment, Identity, Screen
from .place import Place, Point
from .timeline import Timeline
from .weather import Weather

SLEEP_AFTER: Final = 660.0
SEEN_FOR: Final = 90.0
"""Real seconds for which a car stays awake at least, however fast its time runs: who asks once a minute which
cars are awake has to see that it was."""
WAKE_AFTER: Final = 8.0
SELF_CHECK_EVERY: Final = 3600.0
SELF_CHECK_LASTS: Final = 150.0
SENSORS_AFTER: Final = 30.0
"""Seconds after waking until the cabin's sensors report."""
PARKED_AFTER: Final = 60.0
"""Seconds after parking until shift_state is null."""
LOW_BATTERY: Final = 20
"""Below this, in percent, climate control does not run from the battery."""

DRIVING_STEP: Final = 20.0
ACTIVE_STEP: Final = 60.0
IDLE_STEP: Final = 900.0
GARAGE: Final = 0.15
"""Miles around its home in which the garage door's radio is in reach."""
LONG_AGO: Final = 0.0
WEEKS: Final = 52
RELEASE_WEEKS: Final = 4
"""How far apart software is."""


class Car(Kept):
    """A car that is computed up to the present whenever it is looked at; nothing runs in between."""

    KEPT = (
        "timeline",
        "screen",
        "sleep_after",
        "wake_after",
        "awake",
        "covered",
        "in_service",
        "service_ends",
        "mobile_enabled",
        "last_live_read",
        "driver_gets_out",
        "charging",
        "cabin",
        "driving",
        "body",
        "woke_at",
        "slept_at",
        "idle_since",
        "follows_routine",
    )

    def __init__(
        self,
        identity: Identity,
        equipment: Equipment,
        home: Place,
        weather: Weather,
        *,
        version: str,
        odometer: float,
        clock: Clock,
        switches: Switches,
        random: Random,
    ) -> None:
        """Begin parked at home, locked, awake and idle."""
        self.identity = identity
        self.equipment = equipment
        self.clock = clock
        self.switches = switches
        self.screen = Screen()
        self.password = "simulated"  # noqa: S105 - the account's, at first; there is no account
        self.sleep_after = SLEEP_AFTER
        self.wake_after = WAKE_AFTER
        self.awake = True
        self.covered = True
        self.in_service = False
        self.service_ends = LONG_AGO
        self.home = home
        self.mobile_enabled = True
        self.last_live_read = LONG_AGO
        self._random = random
        self._is_catching_up = False
        self.driver_gets_out = False
        self.follows_routine = False
        self.timeline = Timeline(clock.now())
        self.charging = Charging(self.timeline, equipment, switches)
        self.cabin = Cabin(self.timeline, weather, heat_pump=equipment.heat_pump)
        self.driving = Driving(home.point, random.uniform(0, 359), odometer)
        roof = Roof(self.timeline, installed=equipment.sun_roof_installed > 0)
        self.body = Body(self.timeline, roof, SoftwareUpdate(self.timeline, version))
        self.woke_at = LONG_AGO
        self.slept_at = self.timeline.now
        self.idle_since = self.timeline.now
        self.tokens = self._new_tokens()
        events: dict[str, Callable[..., None]] = {
            "wakes": self.rouse,
            "self check": self._check_itself,
            "arrives": self.park,
            "shift state forgotten": self._forget_shift_state,
            "update": self._go_on_with_update,
        }
        for event, happens in events.items():
            self.timeline.on(event, happens)

    @property
    def id(self) -> int:
        """The id in paths; it does not fit into a float."""
        return self.identity.id

    @property
    def vehicle_id(self) -> int:
        """The other number, which is not the id in paths."""
        return self.identity.vehicle_id

    @property
    def vin(self) -> str:
        """Seventeen characters with a valid check digit."""
        return self.identity.vin

    @property
    def name(self) -> str:
        """What its owner calls it."""
        return self.identity.name

    @property
    def state(self) -> str:
        """The value of state: online, asleep or offline."""
        if not self.covered or self.body.update.installing:
            return "offline"
        return "online" if self.awake else "asleep"

    @property
    def as_of(self) -> float:
        """The moment of the car's last word: now, or when it fell asleep."""
        return self.timeline.now if self.awake else self.slept_at

    @property
    def homelink_nearby(self) -> bool:
        """Whether the car is at home."""
        return self.driving.point.miles_to(self.home.point) < GARAGE

    @property
    def senses_temperature(self) -> bool:
        """Whether inside_temp and outside_temp are known."""
        return not self.switches.null_temps and self.timeline.now - self.woke_at >= SENSORS_AFTER

    @property
    def reasons_to_stay_awake(self) -> list[str]:
        """What keeps the car from falling asleep, in words."""
        return list(self._reasons_to_stay_awake())

    @property
    def falls_asleep_at(self) -> float:
        """When it falls asleep if nothing keeps it awake."""
        return self.idle_since + max(self.sleep_after, SEEN_FOR * self.clock.speed)

    @property
    def is_busy(self) -> bool:
        """Whether anything keeps the car from falling asleep."""
        return next(self._reasons_to_stay_awake(), None) is not None

    def _reasons_to_stay_awake(self) -> Iterator[str]:
        if self.driving.in_gear:
            yield "it is in gear"
        if self.charging.active:
            yield "it is charging"
        if self.cabin.on:
            yield "climate control is on"
        yield from self.body.reasons_to_stay_awake()
        if self.switches.unlocked_blocks_sleep and not self.body.locked:
            yield "it is unlocked"

    @property
    def power(self) -> float:
        """What the battery gives, kW; negative while it takes."""
        on_wall = self.charging.supplied and not self.charging.power
        climate = 0.0 if on_wall else self.cabin.draw
        return self._drain + climate + self.driving.power_at(self.timeline.now) - self.charging.power

    def catch_up(self) -> None:
        """Compute the state up to the present, through all that happens until then, each in its own time."""
        if not self._is_catching_up:
            self._is_catching_up = True
            try:
                self._advance(self.clock.now())
            finally:
                self._is_catching_up = False

    def _advance(self, now: float) -> None:
        timeline = self.timeline
        while timeline.now < now:
            until = min(now, timeline.next_due, timeline.now + self._step)
            busy = self.is_busy
            if self.awake and not busy:
                until = min(until, max(timeline.now, self.falls_asleep_at))
            self._pass(until)
            timeline.now = until
            if busy:
                self.keep_awake()
            timeline.run()
            self._consider_sleep()

    def keep_awake(self) -> None:
        """Start the time anew after which the car falls asleep."""
        self.idle_since = self.timeline.now

    def ask_to_wake(self) -> None:
        """Wake some seconds later; asking again does not make it faster."""
        if self.awake:
            self.keep_awake()
        elif self.covered and not self.timeline.is_due("wakes"):
            jitter = self._random.uniform(0, self.switches.wake_jitter)
            self.timeline.after(self.wake_after + jitter, "wakes")

    def rouse(self) -> None:
        """Be awake at once, as when a hand is on the door handle."""
        self.keep_awake()
        if self.awake:
            return
        self.awake = True
        self.woke_at = self.timeline.now
        self.timeline.cancel("wakes")
        self.timeline.cancel("self check")
        self.tokens = self._new_tokens()

    def sleep(self) -> None:
        """Fall asleep at once."""
        self.awake = False
        self.slept_at = self.timeline.now
        if self.switches.hourly_check:
            self.timeline.after(SELF_CHECK_EVERY, "self check")

    @property
    def is_low(self) -> bool:
        """Whether the battery is too low for climate control."""
        return round(self.charging.level) < LOW_BATTERY and not self.charging.supplied

    def set_off(self, miles: float, speed: float = CRUISE, destination: Point | None = None) -> Trip:
        """Drive away, straight on or to a place; the trip ends by itself. Who came only for it gets out."""
        top, push = speed, ACCELERATION
        if self.body.valet.on:
            top, push = min(top, VALET_SPEED), VALET_ACCELERATION
        if self.body.speed_limit.active:
            top = min(top, self.body.speed_limit.limit)
        here = self.driving.point
        there = destination or here.beyond(miles, self.driving.heading)
        trip = Trip.plan(self.timeline.now, miles, top, push, here, there)
        self.driver_gets_out = not self.body.user_present
        self.body.user_present = True
        self.body.locked = False
        self.timeline.cancel("remote start ends")
        self.timeline.cancel("shift state forgotten")
        self.driving.set_off(trip)
        self.timeline.after(trip.duration, "arrives")
        return trip

    def park(self) -> None:
        """Put the car into park, where it is."""
        self.timeline.cancel("arrives")
        self.driving.park()
        self.driving.heading = self._random.uniform(0, 359)
        if self.driver_gets_out:
            self.get_out()
        self.timeline.after(PARKED_AFTER, "shift state forgotten")

    def get_out(self) -> None:
        """Be left by everybody; climate control ends with that unless it is kept on."""
        self.body.user_present = False
        if self.cabin.keeper == "off":
            self.cabin.stop()
        if self.switches.walk_away_lock:
            self.body.locked = True

    def busy(self) -> bool:
        """Return whether the car's own network is not to be woken for a command."""
        chance = self.switches.bus_busy
        if chance == "strict":
            return self.timeline.now - self.last_live_read < 1
        return self._random.random() < chance

    def noise(self) -> float:
        """Return by how much a measured value wavers: not at all, or between -1 and 1."""
        return self._random.uniform(-1, 1) if self.switches.charger_noise else 0.0

    def next_version(self) -> str:
        """Return the software that follows the present one: its year, week and number, and its build."""
        year, week = (int(part) for part in self.body.update.version.split(".")[:2])
        weeks = year * WEEKS + week - 1 + RELEASE_WEEKS
        return f"{weeks // WEEKS}.{weeks % WEEKS + 1}.1 {self._random.getrandbits(48):012x}"

    @override
    def as_json(self) -> Json:
        """Return the state, and where the car is at home."""
        return {**super().as_json(), "home": self.home.point}

    @override
    def take_up(self, kept: Any) -> None:
        """Be again as it was written down, or parked at home if that is elsewhere now.

        What happens from then on is decided by that moment alone.
        """
        super().take_up(kept)
        if tuple(kept.get("home", self.home.point)) != self.home.point:
            self.park()
            self.driving.point = self.home.point
        self._random.seed(f"{self.vin} {self.timeline.now}")

    @property
    def _drain(self) -> float:
        return (physics.AWAKE if self.awake else physics.ASLEEP) + physics.SENTRY * self.body.sentry

    @property
    def _step(self) -> float:
        if self.driving.trip:
            return DRIVING_STEP
        return ACTIVE_STEP if self.cabin.on or self.charging.active else IDLE_STEP

    def _pass(self, until: float) -> None:
        seconds = until - self.timeline.now
        driven = self.driving.advance(self.timeline.now, until)
        self.charging.advance(seconds, self._drain, self.cabin.draw, self.cabin.outside)
        self.charging.level = max(0.0, self.charging.level - driven / physics.ENERGY_PER_PERCENT)
        self.cabin.advance(seconds)
        if self.is_low and not self.driving.trip:
            self.cabin.stop()
        if not self.charging.level and self.driving.trip:
            self.park()

    def _consider_sleep(self) -> None:
        if self.is_busy:
            self.rouse()
        elif self.awake and self.timeline.now >= self.falls_asleep_at:
            self.sleep()

    def _check_itself(self) -> None:
        self.rouse()
        self.idle_since -= self.falls_asleep_at - self.timeline.now - SELF_CHECK_LASTS

    def _go_on_with_update(self, step: int) -> None:
        """Take the next step of a software update; nothing is installed in a car that is driven."""
        if self.body.update.installs_in(step) and self.driving.in_gear:
            self.timeline.after(PARKED_AFTER, "update", step)
        else:
            self.body.update.enter(step)

    def _forget_shift_state(self) -> None:
        self.driving.shift_state = None

    def _new_tokens(self) -> list[str]:
        return [f"{self._random.getrandbits(64):016x}" for _ in range(2)]
