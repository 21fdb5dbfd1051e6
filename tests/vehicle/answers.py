"""Answers about a car that is parked at home, plugged in and stopped: what tests change in them."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

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
