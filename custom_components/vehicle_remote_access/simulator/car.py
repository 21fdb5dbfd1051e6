"""One car: its state at a moment, computed from the time that has passed when somebody asks."""

from datetime import UTC, datetime
import math
from random import Random
from typing import Final

from . import physics
from .body import Body, Roof, SoftwareUpdate
from .cabin import Cabin
from .charging import Charging
from .clock import Clock
from .driving import CRUISE, VALET_POWER, VALET_SPEED, Driving, Trip
from .equipment import Equipment, Identity, Place, Screen
from .switches import Switches
from .timeline import Timeline

SLEEP_AFTER: Final = 660.0
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
IDLE_STEP: Final = 3600.0
HOME: Final = 0.002
"""Degrees around the first place in which the garage door's radio is in reach."""


class Car:
    """A car that is computed up to the present whenever it is looked at; nothing runs in between."""

    def __init__(
        self,
        identity: Identity,
        equipment: Equipment,
        place: Place,
        *,
        version: str,
        odometer: float,
        clock: Clock,
        switches: Switches,
        random: Random,
    ) -> None:
        """Begin parked, locked, awake and idle."""
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
        self.service_ends = datetime.fromtimestamp(0, UTC)
        self._home = place
        self.mobile_enabled = True
        self.last_live_read = -math.inf
        self._random = random
        self._driver_gets_out = False
        self.timeline = Timeline(clock.now())
        self.charging = Charging(self.timeline, equipment, switches)
        self.cabin = Cabin(self.timeline, place, heat_pump=equipment.heat_pump)
        self.driving = Driving(place, random.uniform(0, 359), odometer)
        roof = Roof(self.timeline, installed=equipment.sun_roof_installed > 0)
        self.body = Body(self.timeline, roof, SoftwareUpdate(self.timeline, version))
        self.woke_at = -math.inf
        self.slept_at = self.timeline.now
        self.idle_since = self.timeline.now
        self.tokens = self._new_tokens()

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
        if not self.covered or self.body.update.status == "installing":
            return "offline"
        return "online" if self.awake else "asleep"

    @property
    def as_of(self) -> float:
        """The moment of the car's last word: now, or when it fell asleep."""
        return self.timeline.now if self.awake else self.slept_at

    @property
    def homelink_nearby(self) -> bool:
        """Whether the car stands where it stood at first."""
        north = self.driving.latitude - self._home.latitude
        east = self.driving.longitude - self._home.longitude
        return max(abs(north), abs(east)) < HOME

    @property
    def senses_temperature(self) -> bool:
        """Whether inside_temp and outside_temp are known."""
        return not self.switches.null_temps and self.timeline.now - self.woke_at >= SENSORS_AFTER

    @property
    def reasons_to_stay_awake(self) -> list[str]:
        """What keeps the car from falling asleep, in words."""
        body = self.body
        reasons = {
            "somebody is in the car": body.user_present,
            "it is in gear": self.driving.in_gear,
            "it is charging": self.charging.active,
            "climate control is on": self.cabin.on,
            "the climate keeper is on": self.cabin.keeper != "off",
            "sentry mode is on": body.sentry,
            "a door or lid is open": any(body.openings.values()),
            "the sun roof moves": body.roof.moving,
            "it may be driven without a key": body.remote_start,
            "software is being loaded": body.update.loading,
            "it is unlocked": self.switches.unlocked_blocks_sleep and not body.locked,
        }
        return [reason for reason, holds in reasons.items() if holds]

    @property
    def power(self) -> float:
        """What the battery gives, kW; negative while it takes."""
        climate = 0.0 if self.charging.supplied else self.cabin.draw
        return self._drain + climate + self._propulsion - self.charging.power

    def advance(self, now: float) -> None:
        """Compute the state up to a moment, through everything that happens until then."""
        timeline = self.timeline
        while timeline.now < now:
            until = min(now, timeline.next_due, timeline.now + self._step)
            busy = bool(self.reasons_to_stay_awake)
            if self.awake and not busy:
                until = min(until, max(timeline.now, self.idle_since + self.sleep_after))
            self._pass(until)
            timeline.now = until
            if busy:
                self.keep_awake()
            timeline.run()
            self._consider_sleep()

    def catch_up(self) -> None:
        """Compute the state up to the present."""
        self.advance(self.clock.now())

    def keep_awake(self) -> None:
        """Start the time anew after which the car falls asleep."""
        self.idle_since = self.timeline.now

    def ask_to_wake(self) -> None:
        """Wake some seconds later; asking again does not make it faster."""
        if self.awake:
            self.keep_awake()
        elif self.covered and not self.timeline.is_due("wakes"):
            jitter = self._random.uniform(0, self.switches.wake_jitter)
            self.timeline.after(self.wake_after + jitter, "wakes", self.rouse)

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
            self.timeline.after(SELF_CHECK_EVERY, "self check", self._check_itself)

    def set_off(self, miles: float) -> Trip:
        """Drive away; the trip ends by itself, and who only came for it gets out again."""
        top = CRUISE
        if self.body.valet.on:
            top = min(top, VALET_SPEED)
        if self.body.speed_limit.active:
            top = min(top, self.body.speed_limit.limit)
        trip = Trip.plan(self.timeline.now, miles, top)
        self._driver_gets_out = not self.body.user_present
        self.body.user_present = True
        self.body.locked = False
        self.timeline.cancel("remote start ends")
        self.timeline.cancel("shift state forgotten")
        self.driving.set_off(trip)
        self.timeline.after(trip.duration, "arrives", self.park)
        return trip

    def park(self) -> None:
        """Put the car into park, where it is."""
        self.timeline.cancel("arrives")
        self.driving.park()
        self.driving.heading = self._random.uniform(0, 359)
        if self._driver_gets_out:
            self.get_out()
        self.timeline.after(PARKED_AFTER, "shift state forgotten", self._forget_shift_state)

    def get_out(self) -> None:
        """Be left by everybody."""
        self.body.user_present = False
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

    @property
    def _drain(self) -> float:
        return (physics.AWAKE if self.awake else physics.ASLEEP) + physics.SENTRY * self.body.sentry

    @property
    def _propulsion(self) -> float:
        power = self.driving.power_at(self.timeline.now)
        return min(power, VALET_POWER) if self.body.valet.on else power

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
        if self.charging.level < LOW_BATTERY and not self.charging.supplied and not self.driving.trip:
            self.cabin.stop()
        if not self.charging.level and self.driving.trip:
            self.park()

    def _consider_sleep(self) -> None:
        if self.reasons_to_stay_awake:
            self.rouse()
        elif self.awake and self.timeline.now >= self.idle_since + self.sleep_after:
            self.sleep()

    def _check_itself(self) -> None:
        self.rouse()
        self.idle_since -= self.sleep_after - SELF_CHECK_LASTS

    def _forget_shift_state(self) -> None:
        self.driving.shift_state = None

    def _new_tokens(self) -> list[str]:
        return [f"{self._random.getrandbits(64):016x}" for _ in range(2)]
