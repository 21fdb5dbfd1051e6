"""What time it is and what a car is doing, in words."""

from datetime import UTC, datetime
from typing import Final

from custom_components.vehicle_remote_access.simulator.controls import Vehicle
from custom_components.vehicle_remote_access.simulator.vehicle.charging import ChargingState

OPENINGS: Final = {
    "df": "driver's door open",
    "dr": "door behind the driver open",
    "pf": "passenger's door open",
    "pr": "door behind the passenger open",
    "ft": "frunk open",
    "rt": "trunk open",
}
CHARGING: Final = {
    ChargingState.DISCONNECTED: "",
    ChargingState.NO_POWER: "plugged in without power",
    ChargingState.STARTING: "charging",
    ChargingState.CHARGING: "charging",
    ChargingState.COMPLETE: "charged",
    ChargingState.STOPPED: "plugged in",
}


def iso(moment: float) -> str:
    """Return a moment, given in Unix seconds, as date and time of day in UTC."""
    return datetime.fromtimestamp(moment, UTC).isoformat()


def time_of_day(moment: float) -> str:
    """Return what a clock on this machine's wall would show."""
    return f"{datetime.fromtimestamp(moment, UTC).astimezone():%H:%M:%S}"


def doing(vehicle: Vehicle) -> list[str]:
    """Return what a car is doing, first of all its state; no number is in it."""
    body, air = vehicle.body, vehicle.cabin
    words = {
        vehicle.state: True,
        "in service": vehicle.in_service,
        "driving": vehicle.driving.in_gear,
        "somebody inside": body.user_present and not vehicle.driving.in_gear,
        CHARGING[vehicle.charging.state]: vehicle.charging.plugged,
        "climate on": air.on and air.keeper == "off",
        f"climate kept {air.keeper}": air.keeper != "off",
        "sentry mode": body.sentry,
        "valet mode": body.valet.on,
        f"software {body.update.status}": bool(body.update.status),
        **{OPENINGS[name]: is_open for name, is_open in body.openings.items()},
    }
    return [word for word, holds in words.items() if holds]
