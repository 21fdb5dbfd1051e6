"""Lets simulated cars live for a time, and observes them like any other car, so that they have a log."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Final

from ..drive_log.drive_log import DriveLog
from ..drive_log.entries import Drive, Observation
from ..drive_log.prices import Prices
from ..drive_log.samples import Samples
from ..drive_log.zones import Zones
from ..simulator import ManualClock, SimulatedVehicle, Simulator, full_record
from ..util.immutable import replace
from ..util.local_time import LocalTime
from ..vehicle.merged_data import MergedData, merge_live_answer
from ..vehicle.observe import observe

# Seconds until the next observation. Each event of the car is observed, and a sleeping car also before it.
_DRIVING, _CHARGING, _AWAKE, _ASLEEP = 90.0, 145.0, 1800.0, 7200.0
_BEFORE_EVENT: Final = 30.0
_SHORTEST: Final = 10.0


@dataclass(frozen=True, kw_only=True)
class PastOptions:
    """The settings of Home Assistant and the options of the cars on which their logs depend."""

    zones: Zones
    names: Mapping[str, str]
    """The names of the places where owners often drive, by their names in the simulator."""
    prices: Prices
    currency: str
    time_zone: tzinfo
    keep_positions: bool


def create_past(
    simulator: Simulator, options: PastOptions, until: float, on_progress: Callable[[float], None]
) -> dict[str, CarPast]:
    """Let simulated cars live until a moment, and return their logs by VIN. `on_progress` can stop it."""
    clock = simulator.clock
    assert isinstance(clock, ManualClock)  # noqa: S101 - the callers create it
    began = clock.now()
    pasts = [CarPast(car, options) for car in simulator.vehicles]
    while min(past.next_at for past in pasts) < until:
        next_past = min(pasts, key=lambda past: past.next_at)
        clock.advance(max(0.0, next_past.next_at - clock.now()))
        next_past.observe(clock.now())
        on_progress((clock.now() - began) / (until - began))
    clock.advance(until - clock.now())
    for past in pasts:
        past.observe(until)
        past.tag_drives()
    return {past.car.vin: past for past in pasts}


class CarPast:
    """The log of one car until now, which is observed about as often as the integration does it."""

    def __init__(self, car: SimulatedVehicle, options: PastOptions) -> None:
        self.car = car
        self.log = DriveLog(prices=options.prices, currency=options.currency)
        self.samples = Samples()
        """The samples of entries that have ended."""
        self.open_samples = Samples()
        self.merged = MergedData()
        """The data of the last read. The car may be asleep since then."""
        self.next_at = 0.0
        self._options = options
        self._zones = options.zones.with_places(car.named_places(options.names))

    def observe(self, now: float) -> None:
        self.car.catch_up()
        if self.car.state == "asleep":
            self._add(Observation(at=now, is_asleep=True))
        elif self.car.state == "online":
            self._add(self._read(now))
        next_at = min(now + self._interval, self.car.timeline.next_due)
        if not self.car.awake and next_at > now + _BEFORE_EVENT:
            next_at -= _BEFORE_EVENT
        self.next_at = max(now + _SHORTEST, next_at)

    def _read(self, now: float) -> Observation:
        moment = datetime.fromtimestamp(now, UTC)
        merged = self.merged = merge_live_answer(self.merged, full_record(self.car), moment, now)
        self.log.meter = self.log.meter.updated(merged.vehicle, moment)
        observation = self._zones.located(observe(merged, self.log, now))
        if self._options.keep_positions:
            return observation
        return replace(observation, latitude=None, longitude=None)

    @property
    def _interval(self) -> float:
        if self.car.driving.in_gear:
            return _DRIVING
        if self.car.charging.active:
            return _CHARGING
        return _AWAKE if self.car.awake else _ASLEEP

    def _add(self, observation: Observation) -> None:
        log, samples = self.log, self.open_samples
        settles_at = log.settles_at
        if settles_at is not None and settles_at <= observation.at:
            self.samples.put(samples.finish(log, log.settle(settles_at)))
        self.samples.put(samples.finish(log, log.add(observation)))
        samples.add(observation, log)

    def tag_drives(self) -> None:
        """Tag the drives to work and back, and those of weekends."""
        drives = self.log.drives
        drives[:] = [drive._replace(tag=self._tag(drive)) for drive in drives]

    def _tag(self, drive: Drive) -> str | None:
        ends = {drive.start_place, drive.end_place}
        if ends == {self._zones.home, self._options.names["work"]}:
            return "commute"
        day = datetime.fromtimestamp(drive.start, self._options.time_zone)
        return "private" if LocalTime.of(day).is_weekend else None
