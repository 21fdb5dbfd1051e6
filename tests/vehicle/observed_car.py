"""A car that is parked at home, plugged in and stopped, and what tests change in its answers.

They are merged and logged as in Home Assistant, and the plan decides for the car.
"""

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from functools import partial
from typing import Any, Final

from custom_components.vehicle_remote_access.account.options import VehicleOptions
from custom_components.vehicle_remote_access.api.records import Vehicle
from custom_components.vehicle_remote_access.charging_plan.decide import Decision, Snapshot, decide
from custom_components.vehicle_remote_access.charging_plan.departures import Departures
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
START: Final = datetime(2026, 5, 4, 20, tzinfo=UTC)
PARKED: Final[dict[str, dict[str, Any]]] = {
    "charge_state": {
        "charging_state": "Stopped",
        "conn_charge_cable": "IEC",
        "charge_port_door_open": True,
        "charge_port_latch": "Engaged",
        "charge_limit_soc": 80,
        "battery_level": 50,
        "battery_range": 150.0,
        "charge_energy_added": 12.0,
        "charge_miles_added_rated": 45.0,
        "charge_rate": 0.0,
        "charger_power": 0,
        "charger_actual_current": 0,
        "charger_voltage": 230,
        "charger_phases": 3,
        "fast_charger_present": False,
        "time_to_full_charge": 0.0,
        "charge_enable_request": True,
    },
    "climate_state": {"is_climate_on": False},
    "drive_state": {"shift_state": None, "speed": None, "latitude": 48.0, "longitude": 11.0},
    "vehicle_state": {"odometer": 1000.0, "is_user_present": False},
}
CHARGES: Final[dict[str, Any]] = {
    "charging_state": "Charging",
    "charger_power": 11,
    "charger_actual_current": 16,
    "charge_rate": 30.0,
    "time_to_full_charge": 2.0,
}
UNPLUGGED: Final[dict[str, Any]] = {
    "charging_state": "Disconnected",
    "conn_charge_cable": "<invalid>",
    "charge_port_door_open": False,
}


def answer(seconds: float = 0.0, old: tuple[str, ...] = (), **values: Any) -> dict[str, Any]:
    """Return an answer so many seconds after the start. `old`: records from a cache, 1000 s older."""
    raw: dict[str, Any] = {name: dict(record) for name, record in PARKED.items()}
    for name, value in values.items():
        record = next((record for record in raw.values() if name in record), raw["charge_state"])
        record[name] = value
    for name, record in raw.items():
        at = START + timedelta(seconds=seconds - (1000 if name in old else 0))
        record["timestamp"] = int(at.timestamp() * 1000)
    return {"state": "online", **raw}


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
        now, log, tracker = datetime.fromtimestamp(at, UTC), self.log, self.log.drive_tracker
        self.merged = merge_live_answer(self.merged, answer, now, at, partial(tracker.accepted_odometer, at))
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
            "departures": Departures(usual=time(7)),
            "options": VehicleOptions(),
            "usual_speed": USUAL,
        }
        return decide(Snapshot(**known | values))
