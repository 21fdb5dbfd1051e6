"""One car. Its state is computed from the elapsed time whenever it is read."""

from dataclasses import replace
from random import Random
from typing import Any, Final, override

from ..clock import Clock
from ..faults.switches import Switches
from ..persistence import Json, Persistent
from . import driving, physics
from .battery import Charging
from .body import INSTALLATION, Body, Roof, SoftwareUpdate
from .cabin import Cabin
from .location import Home, Point
from .model import Identity, Model
from .timeline import Timeline
from .weather import Weather

SLEEP_AFTER: Final = 660.0
WAKE_AFTER: Final = 8.0
SELF_CHECK_EVERY: Final = 3600.0
SELF_CHECK_LASTS: Final = 150.0
PARKED_AFTER: Final = 60.0  # seconds after parking until shift_state is null
LOW_BATTERY: Final = 20  # percent; below, climate control does not run from the battery

DRIVING_STEP: Final = 20.0
ACTIVE_STEP: Final = 60.0
IDLE_STEP: Final = 900.0
HOMELINK_RANGE: Final = 0.15  # miles around the home in which homelink_nearby is true
LONG_AGO: Final = 0.0
WEEKS: Final = 52
RELEASE_WEEKS: Final = 4  # weeks between two software versions


class Car(Persistent):
    """A car whose state is computed up to the present when `catch_up` is called. Nothing runs in between."""

    NOT_STORED = frozenset(
        {"clock", "home", "identity", "model", "password", "places", "planned_miles", "switches", "tokens"}
    )

    def __init__(
        self,
        identity: Identity,
        model: Model,
        home: Home,
        weather: Weather,
        clock: Clock,
        switches: Switches,
        random: Random,
    ) -> None:
        self.identity = identity
        self.model = model
        self.clock = clock
        self.switches = switches
        self.screen = replace(model.screen)
        self.password = "simulated"  # noqa: S105 - the password of a simulated account
        self.sleep_after = SLEEP_AFTER
        self.wake_after = WAKE_AFTER
        self.awake = True
        self.covered = True
        self.in_service = False
        self.service_ends = LONG_AGO
        self.home = home
        self.mobile_enabled = True
        self._random = random
        self._is_catching_up = False
        self.driver_gets_out = False
        self.follows_routine = False
        self.timeline = Timeline(clock.now())
        self.charging = Charging(self.timeline, model)
        self.cabin = Cabin(self.timeline, weather)
        self.driving = driving.Driving(home.point, random.uniform(0, 359), model.odometer)
        roof = Roof(self.timeline, installed=model.sun_roof_installed > 0)
        self.body = Body(self.timeline, roof, SoftwareUpdate(self.timeline, model.version))
        self.woke_at = LONG_AGO
        self.slept_at = self.timeline.now
        self.idle_since = self.timeline.now
        self.tokens = self._new_tokens()
        self.timeline.on("wakes", self.wake_now)
        self.timeline.on("self check", self._start_self_check)
        self.timeline.on("arrives", self.park)
        self.timeline.on("shift state forgotten", self._clear_shift_state)
        self.timeline.on("update", self._continue_update)
        if model.plugged:
            self.charging.plug_in(fast=False)
        if model.stopped:
            self.charging.pause()
        if model.asleep:
            self.sleep()

    @property
    def id(self) -> int:
        """The id in paths. It does not fit into a float."""
        return self.identity.id

    @property
    def vin(self) -> str:
        return self.identity.vin

    @property
    def name(self) -> str:
        return self.identity.name

    @property
    def state(self) -> str:
        if not self.covered or self.body.update.installing:
            return "offline"
        return "online" if self.awake else "asleep"

    @property
    def as_of(self) -> float:
        """The moment of the last reported data: now, or when the car fell asleep."""
        return self.timeline.now if self.awake else self.slept_at

    @property
    def homelink_nearby(self) -> bool:
        return self.driving.point.miles_to(self.home.point) < HOMELINK_RANGE

    @property
    def reasons_to_stay_awake(self) -> list[str]:
        """The reasons why the car stays awake, as texts for a person."""
        body, update = self.body, self.body.update
        reasons = (
            (self.driving.in_gear, "the car is in gear"),
            (self.charging.active, "the car is charging"),
            (self.cabin.on, "climate control is on"),
            (body.user_present, "someone is in the car"),
            (body.sentry, "sentry mode is on"),
            (any(body.openings.values()), "a door, trunk, or frunk is open"),
            (body.roof.moving, "the sunroof is moving"),
            (body.remote_start, "remote start is active"),
            (update.status in {"downloading", "installing"}, "a software update is in progress"),
            (self.switches.unlocked_blocks_sleep and not body.locked, "the car is unlocked"),
        )
        return [reason for is_true, reason in reasons if is_true]

    @property
    def falls_asleep_at(self) -> float:
        return self.idle_since + max(self.sleep_after, self.switches.shortest_awake * self.clock.speed)

    @property
    def power(self) -> float:
        """The power that the battery delivers, kW; negative while charging."""
        # A plugged-in car that does not charge runs climate control from the cable.
        uses_cable = self.charging.supplied and not self.charging.power
        climate = 0.0 if uses_cable else self.cabin.power
        motors = self.driving.power_at(self.timeline.now)
        return self._parked_power + climate + motors - self.charging.power

    def catch_up(self) -> None:
        """Compute the state up to the present. Each event on the way happens at its own moment."""
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
            must_stay_awake = bool(self.reasons_to_stay_awake)
            if self.awake and not must_stay_awake:
                until = min(until, max(timeline.now, self.falls_asleep_at))
            self._let_time_pass(until)
            timeline.now = until
            if must_stay_awake:
                self.keep_awake()
            timeline.run()
            self._update_sleep()

    def keep_awake(self) -> None:
        self.idle_since = self.timeline.now

    def request_wake(self) -> None:
        """Wake some seconds later. A second request does not change the time."""
        if self.awake:
            self.keep_awake()
        elif self.covered and not self.timeline.is_due("wakes"):
            self.timeline.after(self.wake_after, "wakes")

    def wake_now(self) -> None:
        self.keep_awake()
        if self.awake:
            return
        self.awake = True
        self.woke_at = self.timeline.now
        self.timeline.cancel("wakes")
        self.timeline.cancel("self check")
        self.tokens = self._new_tokens()

    def sleep(self) -> None:
        self.awake = False
        self.slept_at = self.timeline.now
        if self.switches.hourly_check:
            self.timeline.after(SELF_CHECK_EVERY, "self check")

    @property
    def is_battery_low(self) -> bool:
        return round(self.charging.level) < LOW_BATTERY and not self.charging.supplied

    def start_trip(
        self, miles: float, speed: float = driving.CRUISE, destination: Point | None = None
    ) -> driving.Trip:
        """Start a trip to a point, or in the car's direction. A driver who gets in for it gets out there."""
        acceleration = driving.ACCELERATION
        if self.body.valet.on:
            speed, acceleration = min(speed, driving.VALET_SPEED), driving.VALET_ACCELERATION
        if self.body.speed_limit.active:
            speed = min(speed, self.body.speed_limit.limit)
        origin = self.driving.point
        destination = destination or origin.beyond(miles, self.driving.heading)
        speed = min(speed, driving.highest_speed(miles, acceleration))
        trip = driving.Trip(self.timeline.now, miles, speed, acceleration, origin, destination)
        self.driver_gets_out = not self.body.user_present
        self.body.user_present = True
        self.body.locked = False
        self.timeline.cancel("remote start ends")
        self.timeline.cancel("shift state forgotten")
        self.driving.start(trip)
        self.timeline.after(trip.duration, "arrives")
        return trip

    def park(self) -> None:
        self.timeline.cancel("arrives")
        self.driving.park()
        self.driving.heading = self._random.uniform(0, 359)
        if self.driver_gets_out:
            self.get_out()
        self.timeline.after(PARKED_AFTER, "shift state forgotten")

    def get_out(self) -> None:
        self.body.user_present = False
        if self.cabin.keeper == "off":
            self.cabin.stop()

    def next_version(self) -> str:
        """Return the next software version: year, week, number and build."""
        year, week = (int(part) for part in self.body.update.version.split(".")[:2])
        weeks = year * WEEKS + week - 1 + RELEASE_WEEKS
        return f"{weeks // WEEKS}.{weeks % WEEKS + 1}.1 {self._random.getrandbits(48):012x}"

    @override
    def as_json(self) -> Json:
        return {**super().as_json(), "home": self.home.point}

    @override
    def restore(self, stored: Any) -> None:
        """Set the stored state. If the home has moved since, the car is parked at the new home.

        The same stored state leads to the same random events afterwards.
        """
        super().restore(stored)
        if tuple(stored.get("home", self.home.point)) != self.home.point:
            self.park()
            self.driving.point = self.home.point
        self._random.seed(f"{self.vin} {self.timeline.now}")

    @property
    def _parked_power(self) -> float:
        return (physics.AWAKE if self.awake else physics.ASLEEP) + physics.SENTRY * self.body.sentry

    @property
    def _step(self) -> float:
        if self.driving.trip:
            return DRIVING_STEP
        return ACTIVE_STEP if self.cabin.on or self.charging.active else IDLE_STEP

    def _let_time_pass(self, until: float) -> None:
        seconds = until - self.timeline.now
        energy = self.driving.advance(self.timeline.now, until)
        self.charging.advance(seconds, self._parked_power, self.cabin.power, self.cabin.outside)
        self.charging.level = max(0.0, self.charging.level - energy / physics.ENERGY_PER_PERCENT)
        self.cabin.advance(seconds)
        if self.is_battery_low and not self.driving.trip:
            self.cabin.stop()
        if not self.charging.level and self.driving.trip:
            self.park()

    def _update_sleep(self) -> None:
        if self.reasons_to_stay_awake:
            self.wake_now()
        elif self.awake and self.timeline.now >= self.falls_asleep_at:
            self.sleep()

    def _start_self_check(self) -> None:
        self.wake_now()
        # The car falls asleep when the check ends.
        self.idle_since -= self.falls_asleep_at - self.timeline.now - SELF_CHECK_LASTS

    def _continue_update(self, step: int) -> None:
        """Enter the next step of a software update. Installing waits until the car is parked."""
        if step == INSTALLATION and self.driving.in_gear:
            self.timeline.after(PARKED_AFTER, "update", step)
        else:
            self.body.update.enter(step)

    def _clear_shift_state(self) -> None:
        self.driving.shift_state = None

    def _new_tokens(self) -> list[str]:
        return [f"{self._random.getrandbits(64):016x}" for _ in range(2)]
