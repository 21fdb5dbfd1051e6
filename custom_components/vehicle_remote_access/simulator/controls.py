"""The controls of a simulated car: what a person beside the car can do, but no command."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, Final, Literal, NoReturn

from .vehicle.body import OPENINGS
from .vehicle.cabin import KEEPER_MODES, SEATS
from .vehicle.car import Car
from .vehicle.driving import CRUISE
from .vehicle.location import Point
from .vehicle.physics import DAY, HOUR

SEAT_LEVELS: Final = 3
FARTHEST: Final = 1000
"""The longest drive, in miles."""
MIN_SPEED, MAX_SPEED = 5, 120
"""Limits of a drive's speed, in miles per hour."""
LONGEST_DELAY: Final = 168
"""The longest delay of charging, in hours."""
COLDEST, HOTTEST = -60, 90
"""Limits of temperatures, °C."""
CONTROLS: Final[set[str]] = set()
"""The names of all controls."""


class ControlError(ValueError):
    """A control is not possible. The message says why, for a person."""


def refuse(reason: str) -> NoReturn:
    """Raise a ControlError."""
    raise ControlError(reason)


def control[**P, R](
    method: Callable[Concatenate[SimulatedVehicle, P], R],
) -> Callable[Concatenate[SimulatedVehicle, P], R]:
    """Make a method a control. It computes the car's state up to the present before it acts."""
    CONTROLS.add(method.__name__)

    @wraps(method)
    def run(vehicle: SimulatedVehicle, /, *args: P.args, **kwargs: P.kwargs) -> R:
        vehicle.catch_up()
        return method(vehicle, *args, **kwargs)

    return run


class SimulatedVehicle(Car):
    """A car with the controls of a person beside it.

    A control's name and arguments are part of the admin API. Its docstring is shown on the admin page.
    """

    @control
    def plug_in(self, *, fast: bool = False) -> None:
        """Put the cable of the charging point, or of a fast charger, into the port."""
        if self.charging.plugged:
            refuse("a cable is already in the charge port")
        self._require_parked()
        self.wake_now()
        self.charging.plug_in(fast=fast)

    @control
    def unplug(self) -> None:
        """Pull the cable out."""
        if not self.charging.plugged:
            refuse("no cable is in the charge port")
        self.wake_now()
        self.charging.unplug()
        if not self.equipment.motorized_charge_port:
            self.charging.close_port()

    @control
    def power_supply(self, *, on: bool) -> None:
        """Switch the charging point's power on or off."""
        if self.charging.plugged:
            self.wake_now()
        self.charging.switch_supply(on=on)

    @control
    def schedule_charging(self, hours: float) -> None:
        """Let the car begin to charge only some hours from now."""
        if not 0 < hours <= LONGEST_DELAY:
            refuse(f"hours has to be more than 0 and at most {LONGEST_DELAY}")
        self.charging.schedule(hours * HOUR)

    @control
    def enter(self) -> None:
        """Sit down at the wheel; the doors unlock for the key."""
        self.wake_now()
        self.body.locked = False
        self.body.user_present = True

    @control
    def leave(self) -> None:
        """Get out."""
        self._require_parked()
        self.wake_now()
        self.get_out()

    @control
    def walk_away(self) -> None:
        """Get out, shut all doors and lids, and go away with the key."""
        self._require_parked()
        self.wake_now()
        self._close_all()
        self.get_out()

    @control
    def open(self, name: str) -> None:
        """Open a door or lid: df, dr, pf, pr, ft or rt."""
        self._move(name, is_open=True)

    @control
    def close(self, name: str) -> None:
        """Close a door or lid: df, dr, pf, pr, ft or rt."""
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
        """Drive away at a speed in miles an hour, and park somewhere else."""
        if not MIN_SPEED <= speed <= MAX_SPEED:
            refuse(f"speed has to be between {MIN_SPEED} and {MAX_SPEED}")
        return self.drive_to(None, miles, speed)

    @control
    def stop(self) -> None:
        """End a drive where the car is, and put it into park."""
        if not self.driving.trip:
            refuse("the car is parked")
        self.park()

    @control
    def fall_asleep(self) -> None:
        """Let the car fall asleep at once."""
        if reasons := self.reasons_to_stay_awake:
            refuse(f"the car stays awake: {', '.join(reasons)}")
        self.sleep()

    @control
    def wake(self) -> None:
        """Let the car be awake at once."""
        self.wake_now()

    @control
    def coverage(self, *, on: bool) -> None:
        """Bring the car into radio coverage or out of it."""
        self.covered = on

    @control
    def service(self, *, on: bool) -> None:
        """Bring the car into the workshop or out of it."""
        self._require_parked()
        self.in_service = on
        self.service_ends = (self.timeline.now + DAY) // HOUR * HOUR

    @control
    def mobile_access(self, *, on: bool) -> None:
        """Allow remote access on the car's screen, or forbid it, which a valet cannot."""
        if self.body.valet.on and not on:
            refuse("the car is in valet mode")
        self.mobile_enabled = on

    @control
    def leave_valet_mode(self, pin: str) -> None:
        """End valet mode on the car's screen, which takes the PIN."""
        if not self.body.valet.on:
            refuse("the car is not in valet mode")
        if not self.body.valet.accepts(pin):
            refuse("this is not the PIN of valet mode")
        self.body.valet.on = False

    @control
    def set_screen(
        self,
        *,
        distance: Literal["mi/hr", "km/hr"] | None = None,
        temperature: Literal["F", "C"] | None = None,
        range_display: Literal["Rated", "Ideal"] | None = None,
    ) -> None:
        """Set what the car's screen shows: distances, temperatures, which range. Nothing else changes."""
        screen = self.screen
        screen.gui_distance_units = screen.gui_charge_rate_units = distance or screen.gui_distance_units
        screen.gui_temperature_units = temperature or screen.gui_temperature_units
        screen.gui_range_display = range_display or screen.gui_range_display

    @control
    def sentry(self, *, on: bool) -> None:
        """Switch sentry mode."""
        self.wake_now()
        self.body.sentry = on

    @control
    def climate_keeper(self, mode: str) -> None:
        """Keep the climate for who stays in the car: off, on, dog or camp."""
        if mode not in KEEPER_MODES:
            refuse(f"mode has to be one of {', '.join(KEEPER_MODES)}")
        self.wake_now()
        if mode != self.cabin.keeper:
            self.cabin.on = mode != "off"
            self.cabin.keeper = mode

    @control
    def heat_seat(self, seat: str, level: int) -> None:
        """Set a seat's heater to a level from 0 to 3."""
        if seat not in SEATS:
            refuse(f"seat has to be one of {', '.join(SEATS)}")
        if not 0 <= level <= SEAT_LEVELS:
            refuse(f"level has to be between 0 and {SEAT_LEVELS}")
        self.wake_now()
        self.cabin.seats[seat] = level

    @control
    def offer_update(self) -> None:
        """Offer new software, which the car then loads and installs."""
        if self.body.update.status:
            refuse("an update is already on its way")
        self.body.update.offer(self.next_version())

    @control
    def set_level(self, percent: float) -> None:
        """Set the battery's level."""
        if not 0 <= percent <= 100:  # noqa: PLR2004 - percent
            refuse("percent has to be between 0 and 100")
        self.charging.set_level(percent)
        if self.charging.active:
            self.wake_now()

    @control
    def set_temperatures(self, *, inside: float | None = None, outside: float | None = None) -> None:
        """Set the temperature of the cabin, of the air outside from now on, or of both, in °C."""
        for temperature in (inside, outside):
            if temperature is not None and not COLDEST <= temperature <= HOTTEST:
                refuse(f"a temperature has to be between {COLDEST} and {HOTTEST}")
        if outside is not None:
            self.cabin.fixed_outside = outside
        if inside is not None:
            self.cabin.inside = inside

    @control
    def weather(self, *, on: bool) -> None:
        """Let the air outside be as the weather makes it, or stay as it is now."""
        self.cabin.fixed_outside = None if on else self.cabin.outside

    @control
    def routine(self, *, on: bool) -> None:
        """Let the owner drive, charge and park the car day by day, or leave all that to you."""
        self.follows_routine = on
        self.timeline.after(0, "routine")
        if not on:
            self.timeline.cancel("routine notices")
            self.timeline.cancel("routine locks up")

    def drive_to(self, destination: Point | None, miles: float, speed: float = CRUISE) -> float:
        """Drive to a destination, or in the car's direction. Return the seconds until the car is parked.

        Raises:
            ControlError: if the car can't drive.
        """
        self._require_parked()
        if not 0 < miles <= FARTHEST:
            refuse(f"miles has to be more than 0 and at most {FARTHEST}")
        if self.charging.plugged:
            refuse("a cable is in the charge port")
        if self.in_service:
            refuse("the car is in service")
        if self.body.update.installing:
            refuse("software is being installed")
        if not self.charging.level:
            refuse("the battery is empty")
        self.wake_now()
        self._close_all()
        return self.start_trip(miles, speed, destination).duration

    def _close_all(self) -> None:
        for name in OPENINGS:
            self.body.move(name, is_open=False, delay=self.switches.lid_delay)

    def _require_parked(self) -> None:
        if self.driving.in_gear:
            refuse("the car is driving")

    def _move(self, name: str, *, is_open: bool) -> None:
        if name not in OPENINGS:
            refuse(f"name has to be one of {', '.join(OPENINGS)}")
        self._require_parked()
        self.wake_now()
        self.body.move(name, is_open=is_open, delay=self.switches.lid_delay)
