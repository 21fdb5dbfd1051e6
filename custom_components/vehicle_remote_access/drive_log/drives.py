"""Drives: each difference of the odometer between two observations belongs to one drive."""

from dataclasses import dataclass
from typing import ClassVar, Final, Self, override

from ..util.immutable import replace
from ..util.local_time import HOUR
from ..util.stored import Stored
from .entries import LOCATION, Drive, Observation, Seen, without_none
from .open_entry import WATCHED, OpenEntry

# Differences below this can be a correction. They are part of the next drive.
_MOVED: Final = 0.1
# kWh. A smaller difference of the counter can be a correction, too.
_CHARGED: Final = 0.1
# A shorter stop, for example at a gate, does not end a drive.
MERGED_BELOW: Final = 180.0
# What the car uses within a longer time between two observations may be used while it is parked.
_MEASURED: Final = 600.0
_STANDING_AFTER: Final = 900.0
_STANDING_BELOW: Final = 5.0 / HOUR
# No car drives faster. The slack is for values that are some minutes old.
_FASTEST: Final = 160.0 / HOUR
_SLACK: Final = 5.0
_FASTEST_FROM_SLEEP: Final = 75.0 / HOUR
# Seconds. If an impossible odometer stays for longer, the instrument was replaced.
_REPLACED_AFTER: Final = HOUR
_CITY_MILES: Final = 10.0
_CITY_PACE, _ROAD_PACE = 120.0, 60.0


def typical_duration(miles: float) -> float:
    city = min(max(miles, 0.0), _CITY_MILES)
    return city * _CITY_PACE + max(0.0, miles - city) * _ROAD_PACE


@dataclass(frozen=True, kw_only=True)
class OpenDrive(OpenEntry):
    """A drive that has not ended, or ended a short time ago."""

    start_odometer: float | None
    first_odometer: float | None
    """The odometer when the drive was first seen."""
    start_battery: float | None
    start_place: str | None
    start_latitude: float | None
    start_longitude: float | None
    driven_at: float | None = None
    """The last observation in gear; None if no observation was."""
    driven_odometer: float | None = None
    is_end_known: bool = False
    """Whether the odometer was read since the stop."""
    end_battery: float | None = None
    end_place: str | None = None
    end_latitude: float | None = None
    end_longitude: float | None = None
    measured_miles: float = 0.0
    measured_range: float = 0.0
    other_range: float = 0.0
    max_speed: float | None = None
    temperatures: float = 0.0
    temperature_count: int = 0
    longest_gap: float = 0.0
    merged_below: ClassVar = MERGED_BELOW

    @property
    @override
    def settles_at(self) -> float | None:
        return super().settles_at if self.is_end_known else None

    def driven(self, now: float, odometer: float | None) -> Self:
        return replace(self, driven_at=now, driven_odometer=odometer, stopped_at=None, is_end_known=False)

    def stopped(self, now: float, *, has_moved: bool, is_read: bool) -> Self:
        """Return the drive of a car that stands. `is_read`: whether its odometer was read."""
        is_new = self.stopped_at is None or (self.is_end_known and has_moved)
        stopped_at = now if is_new else self.stopped_at
        return replace(self, stopped_at=stopped_at, is_end_known=self.is_end_known or is_read)

    def with_observation(self, observation: Observation) -> Self:
        values = {**observation.location("end_"), **without_none(end_battery=observation.level)}
        if observation.is_driving and observation.temperature is not None:
            values["temperatures"] = self.temperatures + observation.temperature
            values["temperature_count"] = self.temperature_count + 1
        if observation.is_driving and observation.speed is not None:
            values["max_speed"] = max(observation.speed, self.max_speed or 0.0)
        return replace(self, **values)

    def with_use(self, gap: float, miles: float, range_used: float | None) -> Self:
        if gap > _MEASURED or range_used is None:
            return self.with_added(other_range=range_used or 0.0)
        return self.with_added(measured_miles=miles, measured_range=range_used)

    def closed(self, drive_id: str, odometer: float | None, now: float) -> Drive:
        miles = 0.0 if odometer is None or self.start_odometer is None else odometer - self.start_odometer
        count = self.temperature_count
        drive = self.as_entry(
            Drive,
            now,
            self.driven_at,
            before=typical_duration((self.first_odometer or 0.0) - (self.start_odometer or 0.0)),
            after=typical_duration((odometer or 0.0) - (self.driven_odometer or 0.0)),
            total=typical_duration(miles),
            id=drive_id,
            end_odometer=odometer,
            range_used=self.range_used(miles),
            outside_temperature=round(self.temperatures / count, 1) if count else None,
        )
        if drive.seen == Seen.LIVE and self.longest_gap > _STANDING_AFTER:
            return drive._replace(seen=Seen.PARTLY.value)
        return drive

    def range_used(self, miles: float) -> float | None:
        """Return the rated miles of the whole drive, or None if too little is known."""
        total = self.measured_range + self.other_range
        if self.measured_miles > miles / 2:
            total = self.measured_range * miles / self.measured_miles
        # The range rises if the car was charged without a counter, or if a value was wrong.
        return round(total, 2) if total > 0 else None


@dataclass(frozen=True, kw_only=True)
class DriveTracker(Stored):
    """What the log must remember of earlier observations to find the drives."""

    at: float = 0.0
    odometer: float | None = None
    odometer_at: float = 0.0
    base: float | None = None
    """The odometer with which the last drive ended."""
    doubted: float | None = None
    """The first of the read odometers that no car can have reached in the time."""
    doubted_at: float = 0.0
    slept_at: float | None = None
    """When the car fell asleep, as far as known. None if it was not asleep since its odometer was read."""
    energy: float | None = None
    level: float | None = None
    range: float | None = None
    place: str | None = None
    latitude: float | None = None
    longitude: float | None = None
    next_id: int = 1
    open: OpenDrive | None = None

    def after(self, observation: Observation) -> tuple[Self, list[Drive]]:
        """Return the tracker after an observation, and the drives that it ends."""
        now = observation.at
        if observation.is_asleep:
            return self.asleep(now), []
        located, ended = self.with_odometer(observation.odometer, now), list[Drive]()
        if self.ended_before(observation, located):
            closed, ended = self.close(now)
            located = closed.with_odometer(observation.odometer, now)
        if located.open is None and self.was_driven_before_sleep(observation, located):
            # This drive happened between two observations. The current drive is a different one.
            with_missed = located.with_drive(replace(observation, is_driving=False), self)
            ready, missed = with_missed.close(now)
            before = replace(ready.with_observation(observation), at=self.at)
        else:
            ready, missed, before = located, [], self
        driven, settled = ready.with_drive(observation, before).settled(now)
        return driven.with_observation(observation), [*ended, *missed, *settled]

    # What ends a drive

    def ended_before(self, observation: Observation, later: Self) -> bool:
        """Return whether the open drive ended before an observation. `later` has its odometer."""
        drive, gap = self.open, observation.at - self.at
        if drive is None or later.base != self.base:
            # A replaced instrument ends the drive, too.
            return drive is not None
        if drive.stopped_at is None:
            is_long = observation.is_driving and gap > _STANDING_AFTER
            return is_long and later.miles_since(self) < gap * _STANDING_BELOW
        miles = later.miles_since(self)
        if not observation.is_driving and not drive.is_end_known:
            # The car was out of reach when it stopped. The rest of the way is part of this drive.
            reach = drive.stopped_at - (drive.driven_at or drive.stopped_at)
            return self.slept_at is not None and miles > reach * _FASTEST + _SLACK
        if observation.is_driving or miles >= _MOVED:
            stood = max(self.at, observation.at - typical_duration(miles)) - drive.stopped_at
            return self.slept_at is not None or stood >= MERGED_BELOW
        return False

    def was_driven_before_sleep(self, observation: Observation, later: Self) -> bool:
        """Return whether the car drove farther than it can have since it was last seen asleep."""
        gap = observation.at - self.at
        # A drive can have started in the last minute, but not have ended too.
        reach = gap * _FASTEST_FROM_SLEEP if observation.is_driving or gap > WATCHED else 0.0
        return self.slept_at is not None and later.miles_since(self) > reach + _MOVED

    def settled(self, now: float) -> tuple[Self, list[Drive]]:
        return self.close(now) if self.open and self.open.is_settled(now) else (self, [])

    def close(self, now: float) -> tuple[Self, list[Drive]]:
        """Return the tracker without the open drive, and its entry. A car that did not move has none."""
        entries, tracker = self.open_entries(now), replace(self, open=None)
        start = entries[0].start_odometer if entries else self.odometer
        if start is not None and (self.odometer or 0.0) - start < _MOVED:
            return tracker, []
        return replace(tracker, base=self.odometer, next_id=self.next_id + 1), entries

    def open_entries(self, now: float) -> list[Drive]:
        """Return the open drive, if there is one, as if it ended now."""
        return [self.open.closed(f"drive-{self.next_id}", self.odometer, now)] if self.open else []

    # Which odometer is right

    def accepted_odometer(self, at: float, read: float) -> float:
        """Return the odometer that was read, or the one before if no car can have driven that far."""
        if self.odometer is not None and self.odometer <= read <= self.odometer + _SLACK:
            return read
        return self.with_odometer(read, at).odometer or read

    def with_odometer(self, read: float | None, at: float) -> Self:
        """Return the tracker with the odometer that was read, if that is plausible, or stays for long."""
        if read is None:
            return self
        before = read if self.odometer is None else self.odometer
        is_doubted = self.doubted is not None and (
            abs(read - self.doubted) < abs(read - before)
            and is_plausible(self.doubted, read, at - self.doubted_at)
        )
        # Time that passes later makes it no more plausible. But a clock or a service can be late.
        latest = min(at, self.doubted_at + _REPLACED_AFTER) if is_doubted else at
        if is_plausible(before, read, latest - self.odometer_at):
            base = before if self.base is None else self.base
            return replace(self, odometer=max(read, before), odometer_at=at, base=base, doubted=None)
        if not is_doubted:
            return replace(self, doubted=read, doubted_at=at)
        if at - self.doubted_at < _REPLACED_AFTER:
            return self
        return replace(self, odometer=read, odometer_at=at, base=self.doubted, doubted=None)

    def miles_since(self, before: Self) -> float:
        """Return the miles since an earlier tracker, without the difference of two instruments."""
        return max(0.0, (self.odometer or 0.0) - max(before.odometer or 0.0, self.base or 0.0))

    # What an observation adds to a drive

    def asleep(self, now: float) -> Self:
        drive = self.open
        if drive is not None and drive.stopped_at is None:
            drive = replace(drive, stopped_at=now)
        is_first = self.slept_at is None or now - self.at > _MEASURED
        return replace(self, at=now, slept_at=now if is_first else self.slept_at, open=drive)

    def with_drive(self, observation: Observation, before: Self) -> Self:
        """Return the tracker with an open drive, if the car drives or was driven."""
        if self.open is None:
            pending = 0.0 if self.odometer is None or self.base is None else self.odometer - self.base
            if not observation.is_driving and pending < _MOVED:
                return self
            begun = self.begun(observation, before, has_moved=pending >= _MOVED)
        elif self.open.stopped_at is None or observation.is_driving:
            longest_gap = max(self.open.longest_gap, observation.at - before.at)
            begun = replace(self.open, longest_gap=longest_gap)
        else:
            begun = self.open
        miles, gap = self.miles_since(before), observation.at - before.odometer_at
        used = begun.with_use(gap, miles, before.range_used_until(observation))
        observed = used.with_observation(observation)
        if observation.is_driving:
            return replace(self, open=observed.driven(observation.at, self.odometer))
        at = begun.start if self.open is None else observation.at
        is_read = self.odometer is None or (observation.odometer is not None and self.doubted is None)
        return replace(self, open=observed.stopped(at, has_moved=miles >= _MOVED, is_read=is_read))

    def begun(self, observation: Observation, before: Self, *, has_moved: bool) -> OpenDrive:
        is_first = before.at == 0.0
        earliest, latest = before.at, observation.at
        if before.slept_at is not None:
            if has_moved and before.was_driven_before_sleep(observation, self):
                earliest, latest = before.odometer_at, before.slept_at
            elif not observation.is_driving:
                # The car may have been driven before it slept, or after that.
                earliest = before.odometer_at
        location = observation if is_first else before
        return OpenDrive(
            start=latest,
            earliest=latest if is_first else min(earliest, latest),
            start_odometer=self.base,
            first_odometer=self.odometer,
            start_battery=observation.level if before.level is None else before.level,
            **{f"start_{name}": getattr(location, name) for name in LOCATION},
        )

    def range_used_until(self, observation: Observation) -> float | None:
        """Return the rated miles used, None if they are unknown or the car was charged."""
        if self.range is None or observation.range is None:
            return None
        was_charged = self.energy is not None and (observation.energy or 0.0) > self.energy + _CHARGED
        return None if was_charged else self.range - observation.range

    def with_observation(self, observation: Observation) -> Self:
        return replace(
            self,
            at=observation.at,
            slept_at=self.slept_at if observation.odometer is None else None,
            **observation.location(),
            **without_none(energy=observation.energy, level=observation.level, range=observation.range),
        )


def is_plausible(before: float, read: float, seconds: float) -> bool:
    """Return whether a car can have driven from one odometer to another in this time."""
    return -_MOVED <= read - before <= max(0.0, seconds) * _FASTEST + _SLACK
