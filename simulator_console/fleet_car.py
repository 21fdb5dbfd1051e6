"""A car with what only today's services report and control, besides the interface document."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, NamedTuple, override

from custom_components.vehicle_remote_access.simulator import Clock, Home, Point, SimulatedVehicle
from custom_components.vehicle_remote_access.simulator.car.body import (
    INSTALLATION,
    UPDATE_STEPS,
    Body,
    SoftwareUpdate,
    ValetMode,
)
from custom_components.vehicle_remote_access.simulator.car.cabin import MAXIMUM, SEATS, Cabin
from custom_components.vehicle_remote_access.simulator.car.car import HOMELINK_RANGE, Car
from custom_components.vehicle_remote_access.simulator.car.driving import CRUISE, Driving
from custom_components.vehicle_remote_access.simulator.car.location import ARRIVAL_RADIUS
from custom_components.vehicle_remote_access.simulator.car.model import Identity, Model
from custom_components.vehicle_remote_access.simulator.car.timeline import Timeline
from custom_components.vehicle_remote_access.simulator.car.weather import Weather
from custom_components.vehicle_remote_access.simulator.controls import control, refuse_if
from custom_components.vehicle_remote_access.simulator.faults.switches import Switches

from .media import Media
from .schedules import Schedules

WINDOWS: Final = ("fd", "fp", "rd", "rp")
"""Front and rear windows, of the driver's and the passenger's side."""
TIRES: Final = ("fl", "fr", "rl", "rr")
RECOMMENDED_PRESSURE: Final = 2.9  # bar
HIGHEST_PRESSURE: Final = 4.0  # bar
SEAT_LEVELS: Final = 3
OVERHEAT_LIMITS: Final = ("Low", "Medium", "High")
"""The levels of heat at which cabin overheat protection starts. The car stores one, but does not cool."""
WHEEL_LEVELS: Final = (0, 1, 3)  # the levels of the steering wheel heater: off, low, and high


class Equipment(NamedTuple):
    """The equipment of a model that only today's services report."""

    seat_cooling: bool = False
    heated_steering_wheel: bool = True
    bioweapon_mode: bool = False
    overheat_limits: bool = True
    """Whether the temperature at which cabin overheat protection starts can be set."""
    homelink_devices: int = 0


EQUIPMENT: Final[Mapping[str, Equipment]] = {
    "models2": Equipment(seat_cooling=True, bioweapon_mode=True, homelink_devices=1),
    "modelx": Equipment(bioweapon_mode=True),
    "model3": Equipment(heated_steering_wheel=False),
    "models": Equipment(overheat_limits=False),
    "modely": Equipment(homelink_devices=2),
}
"""By `car_type`."""


class Route(NamedTuple):
    """The destination of the navigation system."""

    name: str
    point: Point


class FleetDriving(Driving):
    """The car's location and motion, and its route."""

    def __init__(self, point: Point, heading: float, odometer: float) -> None:
        super().__init__(point, heading, odometer)
        self.route: Route | None = None

    @override
    def park(self) -> None:
        super().park()
        if self.route and self.point.miles_to(self.route.point) < ARRIVAL_RADIUS:
            self.route = None

    @override
    def restore(self, stored: Any) -> None:
        super().restore(stored)
        if stored.get("route") is not None:
            name, point = stored["route"]
            self.route = Route(name, Point(*point))


class FleetCabin(Cabin):
    """The cabin with fans in its seats, the heated steering wheel, and further modes."""

    def __init__(self, timeline: Timeline, weather: Weather, switches: Switches) -> None:
        self.max_defrost = False
        super().__init__(timeline, weather)
        self._switches = switches
        self.auto_seats = {"left": False, "right": False}
        self.seat_fans = {"left": 0, "right": 0}
        self.wheel_level = WHEEL_LEVELS[-1]
        """The level of the steering wheel heater when it is on."""
        self.auto_wheel = False
        self.was_on = False
        """Whether climate control was on before the windows were defrosted."""
        self.bioweapon = False
        self.overheat_protection = "Off"
        self.overheat_limit = "High"

    @property
    @override
    def setting(self) -> float:
        return MAXIMUM if self.max_defrost else super().setting

    @property
    @override
    def is_defrosting(self) -> bool:
        return super().is_defrosting or (self.on and self.max_defrost)

    @property
    def wheel_heat_level(self) -> int:
        return self.wheel_level if self.steering_wheel_heater else 0

    @override
    def stop(self) -> None:
        super().stop()
        self.max_defrost = self.bioweapon = False
        if self._switches.is_fleet:
            self.seats = dict.fromkeys(self.seats, 0)
            self.seat_fans = dict.fromkeys(self.seat_fans, 0)
            self.steering_wheel_heater = False

    def defrost(self, *, on: bool) -> None:
        """Heat as much as possible, or return to what climate control did before."""
        if on and not self.max_defrost:
            self.was_on = self.on
            self.on = self.max_defrost = True
        elif self.max_defrost and not on:
            self.max_defrost = False
            if not self.was_on:
                self.stop()


@dataclass
class PinToDrive(ValetMode):
    """Whether the car asks for a PIN before it can be driven."""


@dataclass
class FleetUpdate(SoftwareUpdate):
    """The progress of an update, which owners can also schedule and cancel."""

    @property
    def download_percent(self) -> int:
        if self.status == "downloading":
            return self._percent(1)
        # An available update without a next step is one whose installation was canceled.
        is_waiting = self.status == "available" and self._timeline.is_due("update")
        return 0 if not self.status or is_waiting else 100

    @property
    def install_percent(self) -> int:
        return self._percent(INSTALLATION) if self.installing else 1

    def _percent(self, step: int) -> int:
        _, seconds = UPDATE_STEPS[step]
        return round(100 * (1 - self._timeline.remaining("update") / seconds))

    def schedule(self, seconds: float) -> None:
        self.status = "scheduled"
        self._timeline.after(seconds, "update", INSTALLATION)

    def cancel(self) -> None:
        """Cancel the installation. The update stays available."""
        self.status = "available"
        self._timeline.cancel("update")


@dataclass
class FleetBody(Body):
    """The body with its windows and tires, and further modes."""

    update: FleetUpdate
    windows: dict[str, bool] = field(default_factory=lambda: dict.fromkeys(WINDOWS, False))
    tires: dict[str, float] = field(default_factory=lambda: dict.fromkeys(TIRES, RECOMMENDED_PRESSURE))
    pin_to_drive: PinToDrive = field(default_factory=PinToDrive)
    new_name: str = ""  # empty until the owner changes it
    guest_mode: bool = False
    accessory_power: bool = False
    low_power: bool = False
    tonneau_open: bool = False
    homelink: int = 0  # how often it opened or closed the garage
    boombox: int = 0  # how often it played a sound
    dashcam_clips: int = 0  # how often the dashcam saved what it saw


class FleetCar(SimulatedVehicle):
    """A car of `SimulatedService`."""

    NOT_STORED = SimulatedVehicle.NOT_STORED | {"equipment"}

    body: FleetBody
    cabin: FleetCabin
    driving: FleetDriving

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
        super().__init__(identity, model, home, weather, clock, switches, random)
        driving, update = self.driving, FleetUpdate(self.timeline, model.version)
        self.driving = FleetDriving(driving.point, driving.heading, driving.odometer)
        self.cabin = FleetCabin(self.timeline, weather, switches)
        self.body = FleetBody(self.timeline, self.body.roof, update)
        self.equipment = EQUIPMENT.get(model.car_type, Equipment())
        self.media = Media(self.timeline, self.timeline.now)
        self.schedules = Schedules()

    @property
    @override
    def name(self) -> str:
        return self.body.new_name or super().name

    @property
    def heated_seats(self) -> tuple[str, ...]:
        rear = ("rear_left", "rear_center", "rear_right") if self.model.rear_seat_heaters else ()
        third_row = ("third_row_left", "third_row_right") if self.model.third_row_seats != "None" else ()
        return ("left", "right", *rear, *third_row)

    @override
    def drive_to(self, destination: Point | None, miles: float, speed: float = CRUISE) -> float:
        """Drive to a destination, which becomes that of the route. Without one, the car follows its route."""
        route, end = self.driving.route, destination
        distance = self.driving.miles_to(route.point) if route else 0.0
        if route and distance and destination is None:
            miles = min(miles, distance)
            end = self.driving.point.towards(route.point, miles / distance)
        seconds = super().drive_to(end, miles, speed)
        if self.switches.is_fleet and destination is not None:
            self.navigate_to(destination)
        return seconds

    def navigate_to(self, point: Point, name: str = "") -> None:
        """Start the route to a place. A place without a name is the home, or has its coordinates as name."""
        is_home = point.miles_to(self.home.point) < HOMELINK_RANGE
        unnamed = "Home" if is_home else f"{point.latitude:.5f}, {point.longitude:.5f}"
        self.driving.route = Route(name or unnamed, point)

    @control
    def open_window(self, name: str) -> None:
        """Open a window."""
        self._move_window(name, is_open=True)

    @control
    def close_window(self, name: str) -> None:
        """Close a window."""
        self._move_window(name, is_open=False)

    @control
    def set_tire_pressure(self, tire: str, bar: float) -> None:
        """Set a tire's pressure in bar, for example for a leak."""
        refuse_if(tire not in TIRES, f"tire must be one of {', '.join(TIRES)}")
        refuse_if(not 0 <= bar <= HIGHEST_PRESSURE, f"bar must be between 0 and {HIGHEST_PRESSURE}")
        self.wake_now()
        self.body.tires[tire] = bar

    @control
    def play_media(self, *, on: bool) -> None:
        """Play or pause the media player. Someone must be in the car."""
        refuse_if(not self.body.user_present, "no one is in the car")
        if on is self.media.is_paused:
            self.media.toggle()

    @control
    def heat_seat(self, seat: str, level: int) -> None:
        """Set a seat heater to a level from 0 to 3."""
        refuse_if(seat not in SEATS, f"seat must be one of {', '.join(SEATS)}")
        refuse_if(not 0 <= level <= SEAT_LEVELS, f"level must be between 0 and {SEAT_LEVELS}")
        self.wake_now()
        self.cabin.seats[seat] = level

    def _move_window(self, name: str, *, is_open: bool) -> None:
        refuse_if(name not in WINDOWS, f"name must be one of {', '.join(WINDOWS)}")
        self.wake_now()
        self.body.windows[name] = is_open


def as_fleet_car(car: Car) -> FleetCar:
    """Return a car of `SimulatedService` with its type."""
    assert isinstance(car, FleetCar)  # noqa: S101 - the service creates no others
    return car
