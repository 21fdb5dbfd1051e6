"""The true drives and charges of a simulated car, to compare its log with."""

from dataclasses import dataclass

from custom_components.vehicle_remote_access.simulator import ManualClock, SimulatedVehicle
from custom_components.vehicle_remote_access.simulator.car.physics import ENERGY_PER_PERCENT


@dataclass(slots=True)
class Activity:
    """A drive or a charge."""

    start: float
    end: float
    miles: float = 0.0
    added: float = 0.0
    """The energy added to the battery, kWh; negative in a drive."""

    @property
    def used(self) -> float:
        return -self.added


class ActivityRecorder:
    """Records a car's drives and charges while time passes."""

    def __init__(self, clock: ManualClock, car: SimulatedVehicle) -> None:
        self.drives: list[Activity] = []
        self.charges: list[Activity] = []
        self._clock = clock
        self._car = car
        self._was_driving = self._was_charging = False

    def advance(self, seconds: float) -> None:
        """Let time pass, with a stop at each event of the car: a drive begins and ends exactly there."""
        end = self._clock.now() + seconds
        while (now := self._clock.now()) < end:
            due = self._car.timeline.next_due
            # What is already due happens as soon as time passes.
            self._pass((min(end, due) if due > now else end) - now)

    def _pass(self, seconds: float) -> None:
        clock, car = self._clock, self._car
        is_driving, is_charging = car.driving.in_gear, car.charging.active
        start, odometer, level = clock.now(), car.driving.odometer, car.charging.level
        clock.advance(seconds)
        car.catch_up()
        miles = car.driving.odometer - odometer
        added = (car.charging.level - level) * ENERGY_PER_PERCENT
        for activities, is_active, was_active in (
            (self.drives, is_driving, self._was_driving),
            (self.charges, is_charging, self._was_charging),
        ):
            if not is_active:
                continue
            if not was_active:
                activities.append(Activity(start, start))
            activities[-1].end = clock.now()
            activities[-1].miles += miles
            activities[-1].added += added
        self._was_driving, self._was_charging = is_driving, is_charging
