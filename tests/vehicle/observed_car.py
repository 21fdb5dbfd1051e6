"""A car whose answers are merged and logged as in Home Assistant, and what the plan decides for it."""

from dataclasses import replace
from datetime import UTC, datetime, time
from functools import partial
from typing import Any, Final

from custom_components.vehicle_remote_access.account.options import VehicleOptions
from custom_components.vehicle_remote_access.api.records import Vehicle
from custom_components.vehicle_remote_access.charging_plan.decide import Decision, Snapshot, decide
from custom_components.vehicle_remote_access.charging_plan.planner import STEP
from custom_components.vehicle_remote_access.charging_plan.slots import Slot
from custom_components.vehicle_remote_access.drive_log.drive_log import DriveLog
from custom_components.vehicle_remote_access.drive_log.estimates import ChargingSpeed
from custom_components.vehicle_remote_access.drive_log.prices import Prices
from custom_components.vehicle_remote_access.vehicle.charging import charging_power
from custom_components.vehicle_remote_access.vehicle.merged_data import MergedData, merge_live_answer
from custom_components.vehicle_remote_access.vehicle.observe import observe

HOUR: Final = 3600.0
USUAL: Final = ChargingSpeed(added=10.0, used=11.0, per_percent=0.75)


def prices(start: float, hours: int, cheap: range) -> list[Slot]:
    """Return the prices of so many hours: 10 cents in the cheap ones, else 30."""
    return [
        Slot(start + index * STEP, start + (index + 1) * STEP, 0.1 if index * STEP // HOUR in cheap else 0.3)
        for index in range(round(hours * HOUR / STEP))
    ]


class ObservedCar:
    """What follows from the answers of a car."""

    def __init__(self) -> None:
        self.merged = MergedData()
        self.log = DriveLog(prices=Prices(home=0.3), currency="EUR")
        self.events: list[tuple[str, type[Any]]] = []

    def add(self, answer: dict[str, Any], at: float, *, is_home: bool = True) -> Vehicle:
        """Add an answer, and return what is shown of the car."""
        now, log = datetime.fromtimestamp(at, UTC), self.log
        self.merged = merge_live_answer(self.merged, answer, now, at, partial(log.drive_tracker.accepted, at))
        log.meter = log.meter.updated(self.merged.vehicle, now)
        place = "Home" if is_home else None
        seen = replace(observe(self.merged, log, at), is_home=is_home, place=place)
        for changes in (log.settle(at), log.add(seen)):
            self.events += [("started", kind) for kind in changes.started]
            self.events += [("ended", type(entry)) for entry in changes.ended]
        return self.merged.vehicle

    def decide(self, at: float, **values: Any) -> Decision:
        power = charging_power(self.merged.vehicle.charge_state)
        known: dict[str, Any] = {
            "now": datetime.fromtimestamp(at, UTC),
            "vehicle": self.merged.vehicle,
            "power": None if power is None else power / 1000,
            "ready_by": time(7),
            "options": VehicleOptions(),
            "usual_speed": USUAL,
        }
        return decide(Snapshot(**known | values))
