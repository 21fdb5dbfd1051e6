"""The controls of a simulated car: what a person can do at the car, but no command can do."""

from collections.abc import Callable, Mapping
from functools import wraps
from types import MappingProxyType
from typing import Concatenate, Final

from .car.body import OPENINGS
from .car.cabin import KEEPER_MODES
from .car.car import Car
from .car.driving import CRUISE
from .car.location import Point
from .car.physics import DAY, HOUR

FARTHEST: Final = 1000  # the longest drive, in miles
MIN_SPEED, MAX_SPEED = 5, 120  # limits of a drive's speed, in miles per hour
LONGEST_DELAY: Final = 168  # the longest delay of charging, in hours
COLDEST, HOTTEST = -60, 90  # limits of temperatures, °C
CONTROLS: Final[set[str]] = set()  # the names of all controls


class ControlError(ValueError):
    """The car refuses a control or a command. The message says why: of a control, for a person."""


def refuse_if(condition: object, reason: str) -> None:
    """Raise a ControlError if the condition holds."""
    if condition:
        raise ControlError(reason)


def control[C: Car, **P, R](method: Callable[Concatenate[C, P], R]) -> Callable[Concatenate[C, P], R]:
    """Make a method a control. It computes the car's state up to the present before it acts."""
    CONTROLS.add(method.__name__)

    @wraps(method)
    def run(vehicle: C, /, *args: P.args, **kwargs: P.kwargs) -> R:
        vehicle.catch_up()
        return method(vehicle, *args, **kwargs)

    return run


class SimulatedVehicle(Car):
    """A car that can also be controlled by hand.

    A control's name and arguments are part of the admin API. Its docstring is shown on the admin page.
    """

    planned_miles = 10.0
    """The distance of the next drive that a person starts in Home Assistant."""
    places: Mapping[str, Point] = MappingProxyType({})
    """The destinations that the owner often drives to: `work` and `shop`."""

    def named_places(self, names: Mapping[str, str]) -> dict[str, Point]:
        """Return the frequent destinations of the owner, by their names."""
        return {names[place]: point for place, point in self.places.items() if place in names}

    @control
    def plug_in(self, *, fast: bool = False) -> None:
        """Plug in the cable of the home charger, or of a fast charger."""
        refuse_if(self.charging.plugged, "the car is already plugged in")
        self._require_parked()
        self.wake_now()
        self.charging.plug_in(fast=fast)

    @control
    def unplug(self) -> None:
        """Unplug the cable."""
        refuse_if(not self.charging.plugged, "the car is not plugged in")
        self.wake_now()
        self.charging.unplug()
        if not self.model.motorized_charge_port:
            self.charging.close_port()

    @control
    def power_supply(self, *, on: bool) -> None:
        """Turn the home charger's power on or off."""
        if self.charging.plugged:
            self.wake_now()
        self.charging.switch_supply(on=on)

    @control
    def schedule_charging(self, hours: float) -> None:
        """Delay charging by a number of hours."""
        refuse_if(not 0 < hours <= LONGEST_DELAY, f"hours must be more than 0 and at most {LONGEST_DELAY}")
        self.charging.schedule(hours * HOUR)

    @control
    def enter(self) -> None:
        """Get in as the driver. The key unlocks the doors."""
        self.wake_now()
        self.body.locked = False
        self.body.user_present = True

    @control
    def leave(self) -> None:
        """Get out of the car."""
        self._require_parked()
        self.wake_now()
        self.get_out()

    @control
    def walk_away(self) -> None:
        """Get out, close all doors, the trunk, and the frunk, and leave with the key."""
        self._require_parked()
        self.wake_now()
        self._close_all()
        self.get_out()

    @control
    def open(self, name: str) -> None:
        """Open a door, trunk, or frunk."""
        self._move(name, is_open=True)

    @control
    def close(self, name: str) -> None:
        """Close a door, trunk, or frunk."""
        self._move(name, is_open=False)

    @control
    def lock(self) -> None:
        """Lock the doors with the key."""
        self.wake_now()
        self.body.locked = True

    @control
    def unlock(self) -> None:
        """Unlock the doors with the key."""
        self.wake_now()
        self.body.locked = False

    @control
    def drive(self, miles: float, speed: float = CRUISE) -> float:
        """Unplug, drive a number of miles at a speed in miles per hour, and park. With a route, follow it."""
        refuse_if(not MIN_SPEED <= speed <= MAX_SPEED, f"speed must be between {MIN_SPEED} and {MAX_SPEED}")
        return self.drive_to(None, miles, speed)

    @control
    def stop(self) -> None:
        """Stop driving, and park the car where it is."""
        refuse_if(not self.driving.trip, "the car is already parked")
        self.park()

    @control
    def fall_asleep(self) -> None:
        """Put the car to sleep now."""
        reasons = self.reasons_to_stay_awake
        refuse_if(reasons, f"the car stays awake: {', '.join(reasons)}")
        self.sleep()

    @control
    def wake(self) -> None:
        """Wake the car now."""
        self.wake_now()

    @control
    def coverage(self, *, on: bool) -> None:
        """Turn the car's cellular coverage on or off."""
        self.covered = on

    @control
    def service(self, *, on: bool) -> None:
        """Take the car to a service center, or bring it back."""
        self._require_parked()
        self.in_service = on
        self.service_ends = (self.timeline.now + DAY) // HOUR * HOUR

    @control
    def mobile_access(self, *, on: bool) -> None:
        """Turn mobile access on or off on the car's screen. Valet mode prevents turning it off."""
        refuse_if(self.body.valet.on and not on, "the car is in valet mode")
        self.mobile_enabled = on

    @control
    def sentry(self, *, on: bool) -> None:
        """Turn sentry mode on or off."""
        self.wake_now()
        self.body.sentry = on

    @control
    def climate_keeper(self, mode: str) -> None:
        """Set the climate keeper, which keeps the climate on in a parked car."""
        refuse_if(mode not in KEEPER_MODES, f"mode must be one of {', '.join(KEEPER_MODES)}")
        self.wake_now()
        self.cabin.keep(mode)

    @control
    def offer_update(self) -> None:
        """Offer a software update, which the car then downloads and installs."""
        refuse_if(self.body.update.status, "a software update is already in progress")
        self.body.update.offer(self.next_version())

    @control
    def set_level(self, percent: float) -> None:
        """Set the battery level in percent."""
        refuse_if(not 0 <= percent <= 100, "percent must be between 0 and 100")  # noqa: PLR2004
        self.charging.set_level(percent)
        if self.charging.active:
            self.wake_now()

    @control
    def set_temperatures(self, *, inside: float | None = None, outside: float | None = None) -> None:
        """Set the cabin or outside temperature in °C. The outside temperature then stays constant."""
        for temperature in (inside, outside):
            is_possible = temperature is None or COLDEST <= temperature <= HOTTEST
            refuse_if(not is_possible, f"a temperature must be between {COLDEST} and {HOTTEST}")
        if outside is not None:
            self.cabin.fixed_outside = outside
        if inside is not None:
            self.cabin.inside = inside

    @control
    def weather(self, *, on: bool) -> None:
        """Let the weather change the outside temperature, or keep the current one."""
        self.cabin.fixed_outside = None if on else self.cabin.outside

    @control
    def routine(self, *, on: bool) -> None:
        """Let an owner drive, charge, and park the car every day, or do everything yourself."""
        self.follows_routine = on
        self.timeline.after(0, "routine")
        if not on:
            self.timeline.cancel("routine notices")
            self.timeline.cancel("routine locks up")

    def drive_to(self, destination: Point | None, miles: float, speed: float = CRUISE) -> float:
        """Drive to a destination. Return the seconds until the car is parked.

        The cable is unplugged. Without a destination, the car drives in its direction.
        """
        self._require_parked()
        refuse_if(not 0 < miles <= FARTHEST, f"miles must be more than 0 and at most {FARTHEST}")
        refuse_if(self.in_service, "the car is in service")
        refuse_if(self.body.update.installing, "a software update is being installed")
        refuse_if(not self.charging.level, "the battery is empty")
        if self.charging.plugged:
            self.unplug()
        self.wake_now()
        self._close_all()
        self.charging.close_port()
        return self.start_trip(miles, speed, destination).duration

    def _close_all(self) -> None:
        for name in OPENINGS:
            self.body.move(name, is_open=False, delay=self.switches.lid_delay)

    def _require_parked(self) -> None:
        refuse_if(self.driving.in_gear, "the car is driving")

    def _move(self, name: str, *, is_open: bool) -> None:
        refuse_if(name not in OPENINGS, f"name must be one of {', '.join(OPENINGS)}")
        self._require_parked()
        self.wake_now()
        self.body.move(name, is_open=is_open, delay=self.switches.lid_delay)


ON_OFF_CONTROLS: Final[dict[str, Callable[[SimulatedVehicle], bool]]] = {
    "power_supply": lambda car: car.charging.supply_on,
    "coverage": lambda car: car.covered,
    "service": lambda car: car.in_service,
    "mobile_access": lambda car: car.mobile_enabled,
    "sentry": lambda car: car.body.sentry,
    "weather": lambda car: car.cabin.fixed_outside is None,
    "routine": lambda car: car.follows_routine,
}
"""The controls that turn something on or off, and whether it is on."""
