"""Lets the prediction follow a simulated drive, as a stream or as live reads show it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
import math
from random import Random
from typing import Any, Final, NamedTuple

from custom_components.vehicle_remote_access.api.records import DriveState, Vehicle
from custom_components.vehicle_remote_access.polling.arrival import (
    EXTRA_READS,
    Approach,
    Home,
    PastDrive,
    next_read,
)

from .drives import Drive, Moment, Point, earlier_drives, make_drive

WANTED: Final = 60.0
"""Seconds before the arrival."""
TOLERANCE: Final = 20.0
LATITUDE: Final = 48.0
METERS: Final = 111_195.0
NOON: Final = 1_780_000_000.0
MILES_PER_HOUR: Final = 2.23694
READ_EVERY: Final = 60.0
ANSWERED_AFTER: Final = 1.5
"""Seconds until an answer or a message of a stream is there."""


@dataclass
class Outcome:
    """What happened on a drive."""

    drive: Drive
    fired: list[float] = field(default_factory=list)
    """Seconds from the beginning of the drive."""
    extra_reads: int = 0

    @property
    def error(self) -> float | None:
        """Return how many seconds too early it first fired, None without one or without an arrival."""
        if not self.fired or self.drive.arrives_at is None:
            return None
        return self.drive.arrives_at - self.fired[0] - WANTED

    @property
    def is_right(self) -> bool:
        return len(self.fired) == 1 and self.error is not None and abs(self.error) <= TOLERANCE


def position(point: Point) -> tuple[float, float]:
    longitude = point.x / METERS / math.cos(math.radians(LATITUDE))
    return round(LATITUDE + point.y / METERS, 6), round(longitude, 6)


def record(drive: Drive, moment: Moment, located: Moment | None, sent_at: float) -> DriveState:
    """Return the record of a moment. `located`: the last moment with a position."""
    values: dict[str, Any] = {
        "shift_state": None if moment.is_parked else "D",
        "speed": None if moment.is_parked else round(moment.speed * MILES_PER_HOUR),
        "timestamp": round((NOON + sent_at) * 1000),
    }
    if located is not None:
        values["latitude"], values["longitude"] = position(located.point)
        values["gps_as_of"] = round(NOON + located.at)
    if drive.destination is not None and moment.minutes is not None:
        latitude, longitude = position(drive.destination)
        values |= {
            "active_route_destination": "A place",
            "active_route_latitude": latitude,
            "active_route_longitude": longitude,
            "active_route_minutes_to_arrival": moment.minutes,
        }
    return Vehicle.parse({"drive_state": values}).drive_state


def streamed(drive: Drive) -> Iterator[tuple[float, DriveState]]:
    """Yield when a message is there and the record after it. A value is sent when it changes."""
    located: Moment | None = None
    speed, shown_at, was_parked = -1, -math.inf, None
    for moment in drive.moments:
        is_due = moment.at >= shown_at + drive.stream_interval
        has_moved = moment.has_gps and (
            located is None or (math.dist(located.point, moment.point) > 1 and moment.speed > 0.3)
        )
        new_speed = round(moment.speed * MILES_PER_HOUR)
        if moment.is_parked is was_parked and not (is_due and (has_moved or new_speed != speed)):
            continue
        if has_moved:
            located = moment
        speed, shown_at, was_parked = new_speed, moment.at, moment.is_parked
        yield moment.at, record(drive, moment, located, moment.at)


def logged(drive: Drive, home: Home, *, polled: bool) -> PastDrive | None:
    """Return what the log keeps of a drive."""
    moving = [moment for moment in drive.moments if not moment.is_parked and moment.has_gps]
    step = max(round(READ_EVERY if polled else drive.stream_interval), math.ceil(len(moving) / 120))
    seen = moving[round(drive.moments[0].at) % step :: step]
    track = [(moment.at, position(moment.point)) for moment in seen]
    if moving:
        # The end is known when the car is seen parked.
        track.append((seen[-1].at + step if polled else moving[-1].at, position(moving[-1].point)))
    return PastDrive.of(track, home) if track else None


def follow(drive: Drive, *, polled: bool, earlier: Sequence[Drive] = ()) -> Outcome:
    """Let the prediction follow a drive second by second."""
    outcome, approach = Outcome(drive), Approach()
    home = Home(position(drive.zone_offset), 100.0)
    approach.past_drives = [way for each in earlier if (way := logged(each, home, polled=polled)) is not None]
    random = Random(drive.seed)  # noqa: S311 - a simulation
    begin = drive.moments[0]
    parked = begin._replace(is_parked=True, speed=0.0)
    approach.update(record(drive, parked, begin if begin.has_gps else None, 0.0), NOON, home)
    messages = list(streamed(drive))
    read_at, planned_at = begin.at + random.uniform(0, READ_EVERY), math.inf
    has_fired = False
    located: Moment | None = None
    for moment in drive.moments:
        if moment.has_gps:
            located = moment
        now, is_new = NOON + moment.at, False
        if not polled:
            while messages and messages[0][0] + ANSWERED_AFTER <= moment.at:
                sent_at, drive_state = messages.pop(0)
                has_fired &= not approach.update(drive_state, NOON + sent_at, home)
                is_new = True
        elif moment.at >= min(read_at, planned_at):
            outcome.extra_reads += planned_at < read_at
            has_fired &= not approach.update(record(drive, moment, located, moment.at), now, home)
            read_at, is_new = moment.at + READ_EVERY, True
        left = approach.seconds_left(now, home)
        if left is not None and left <= WANTED and not has_fired:
            has_fired = True
            outcome.fired.append(moment.at)
        if is_new and polled:
            planned_at = math.inf
            if outcome.extra_reads < EXTRA_READS:
                planned_at = next_read(left, [] if has_fired else [WANTED], moment.at)
    return outcome


def follow_seed(seed: int) -> list[Outcome]:
    """Return the outcomes on new and on known roads, each as a stream and as live reads."""
    drive, earlier = make_drive(seed), earlier_drives(seed)
    outcomes = [
        follow(drive, polled=polled, earlier=earlier if is_known else ())
        for is_known in (False, True)
        for polled in (False, True)
    ]
    # Another process gets the outcomes.
    drive.moments = []
    return outcomes


class Figures(NamedTuple):
    """The figures of some drives."""

    arrivals: int
    """How many came home with known positions."""
    right: float
    """The share of these for which the trigger fired once and in time."""
    missed: int
    twice: int
    false: int
    """How often it fired without an arrival, or without positions."""
    errors: Sequence[float]
    """In seconds, positive if too early: what 5, 50 and 95 % do not exceed."""
    most_reads: int
    mean_reads: float


def figures(outcomes: Sequence[Outcome]) -> Figures:
    arriving = [
        each for each in outcomes if each.drive.arrives_at is not None and each.drive.kind != "no GPS"
    ]
    errors = sorted(each.error for each in arriving if each.error is not None)
    reads = [each.extra_reads for each in outcomes]
    return Figures(
        len(arriving),
        sum(each.is_right for each in arriving) / max(len(arriving), 1),
        sum(not each.fired for each in arriving),
        sum(len(each.fired) > 1 for each in outcomes),
        sum(bool(each.fired) for each in outcomes if each not in arriving),
        [errors[int(len(errors) * share)] for share in (0.05, 0.5, 0.95)] if errors else [],
        max(reads, default=0),
        sum(reads) / max(len(reads), 1),
    )
