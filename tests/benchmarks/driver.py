"""Who drives the car, and what then truly happened to it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
import math
from typing import Final, Literal

from custom_components.vehicle_remote_access.simulator import Vehicle
from custom_components.vehicle_remote_access.simulator.vehicle.driving import ACCELERATION, CRUISE

MINUTE: Final = 60.0
HOUR: Final = 3600.0
DAY: Final = 86_400.0
# Often enough that the car cannot wake and sleep again unseen
_LOOK_EVERY: Final = 60.0
# Nobody leaves on the second: every appointment is kept so much later than the one before it.
_LATER: Final = 23.0
_FORTH, _BACK = 0.0, 180.0
_FULL_ENOUGH: Final = 70.0
# Minutes after which who drives out of the garage is in coverage
_OUT_OF_THE_GARAGE: Final = 2.0

type What = Literal["drive", "charge"]
type Found = Literal["asleep", "offline", "quiet", "watched"]
type Timetable = Callable[[Driver, int], Awaitable[None]]
"""What somebody does on a day, counted from 0."""


@dataclass(frozen=True, slots=True)
class Span:
    """A time, in seconds since the beginning."""

    begin: float
    end: float

    @property
    def seconds(self) -> float:
        """How long it is."""
        return max(0.0, self.end - self.begin)

    def within(self, other: Span) -> Span:
        """Return the part that lies within another."""
        return Span(max(self.begin, other.begin), min(self.end, other.end))


@dataclass(slots=True)
class Event:
    """A drive or a charge."""

    what: What
    found: Found
    """What the car was when it began."""
    begin: float
    reachable: float
    """From when on anybody could have known."""
    end: float = math.inf

    @property
    def span(self) -> Span:
        """From its beginning to its end."""
        return Span(self.begin, self.end)


@dataclass(slots=True)
class Truth:
    """What happened."""

    events: list[Event] = field(default_factory=list)
    sleeps: list[Span] = field(default_factory=list)
    _asleep_since: float | None = None

    def sees(self, car: Vehicle, begun: float) -> None:
        """Take note of whether the car sleeps; `begun` is the Unix time of the beginning."""
        car.catch_up()
        since = None if car.awake else car.slept_at - begun
        if self._asleep_since not in (None, since):
            self.sleeps.append(Span(self._asleep_since, car.woke_at - begun))
        self._asleep_since = since

    def ends(self, moment: float) -> None:
        """Count the sleep that is not over yet."""
        if self._asleep_since is not None:
            self.sleeps.append(Span(self._asleep_since, moment))


def miles_in(minutes: float) -> float:
    """Return how far a drive gets that speeds up, cruises and slows down."""
    return CRUISE * (minutes * MINUTE - CRUISE / ACCELERATION) / HOUR


class Driver:
    """A person with a car, on a straight road on which all places lie; the car begins at mile 0."""

    def __init__(self, car: Vehicle, is_quiet: Callable[[], bool] = lambda: False) -> None:
        """`is_quiet` tells whether whoever watches the car does not look for a while."""
        self.truth = Truth()
        self._car = car
        self._is_quiet = is_quiet
        self._loop = asyncio.get_running_loop()
        self._begun = car.clock.now() - self._loop.time()
        self._midnight = 0.0
        self._appointments = 0
        self._mile = 0.0

    async def lives(self, timetable: Timetable, days: int) -> None:
        """Do for some days what the timetable says."""
        looking = asyncio.create_task(self._look())
        for day in range(days):
            self._midnight = day * DAY
            await self._wait_for(self._midnight)
            await timetable(self, day)
        await self._wait_for(days * DAY)
        looking.cancel()
        self.truth.sees(self._car, self._begun)
        self.truth.ends(days * DAY)

    # What a timetable is made of

    async def until(self, clock: str) -> None:
        """Wait until a time of the day, and some seconds more."""
        hours, minutes = map(int, clock.split(":"))
        self._appointments += 1
        moment = self._midnight + hours * HOUR + minutes * MINUTE + self._appointments * _LATER % MINUTE
        assert moment >= self._loop.time(), f"too late for {clock}"
        await self._wait_for(moment)

    async def waits(self, minutes: float) -> None:
        """Let time pass."""
        await self._wait_for(self._loop.time() + minutes * MINUTE)

    async def drives(self, to: float) -> None:
        """Drive to a mile of the road."""
        drive = self._sets_off(to - self._mile)
        if not self._car.covered:
            await self.waits(_OUT_OF_THE_GARAGE)
            self._car.coverage(on=True)
            drive.reachable = self._loop.time()
        await self._arrives(drive)
        self._mile = to

    async def drives_around(self, minutes: float) -> None:
        """Drive and end where it began."""
        drive = self._sets_off(miles_in(minutes))
        await self._wait_for((drive.begin + drive.end) / 2)
        self._car.catch_up()
        self._turns_round()
        await self._arrives(drive)

    async def charges(self, minutes: float) -> None:
        """Plug the car in, and stop it after a while; the cable stays in."""
        charge = self._begins("charge")
        self._car.plug_in()
        await self.waits(minutes)
        self._car.catch_up()
        assert self._car.charging.active, "the battery was full too soon"
        self._car.charging.stop()
        charge.end = self._loop.time()

    def shuts_the_garage(self) -> None:
        """Leave the car where nobody reaches it."""
        self._car.coverage(on=False)

    # How it is done

    def _sets_off(self, miles: float) -> Event:
        drive = self._begins("drive")
        # How full the battery is decides nothing here.
        self._car.set_level(_FULL_ENOUGH)
        if self._car.charging.plugged:
            self._car.unplug()
        self._car.driving.heading = _FORTH if miles > 0 else _BACK
        drive.end = drive.begin + self._car.drive(abs(miles))
        return drive

    def _turns_round(self) -> None:
        """Drive the second half of the way back."""
        trip = self._car.driving.trip
        assert trip, "only half of the way is driven"
        self._car.driving.trip = replace(trip, origin=trip.destination, destination=trip.origin)

    async def _arrives(self, drive: Event) -> None:
        await self._wait_for(drive.end)
        self._car.catch_up()
        assert not self._car.driving.in_gear, "the drive took longer than it should"

    def _begins(self, what: What) -> Event:
        self.truth.sees(self._car, self._begun)
        now = self._loop.time()
        event = Event(what, self._found(), begin=now, reachable=now)
        self.truth.events.append(event)
        return event

    def _found(self) -> Found:
        if self._car.state == "asleep":
            return "asleep"
        if self._car.state == "offline":
            return "offline"
        return "quiet" if self._is_quiet() else "watched"

    async def _look(self) -> None:
        while True:
            self.truth.sees(self._car, self._begun)
            await asyncio.sleep(_LOOK_EVERY)

    async def _wait_for(self, moment: float) -> None:
        await asyncio.sleep(moment - self._loop.time())
