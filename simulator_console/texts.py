"""Moments and a vehicle's activity as text."""

from datetime import UTC, datetime
from typing import Final

from custom_components.vehicle_remote_access.simulator import SimulatedVehicle
from custom_components.vehicle_remote_access.simulator.car.battery import ChargingState

OPENINGS: Final = {
    "df": "driver door open",
    "dr": "driver rear door open",
    "pf": "passenger door open",
    "pr": "passenger rear door open",
    "ft": "frunk open",
    "rt": "trunk open",
}
CHARGING: Final = {
    ChargingState.DISCONNECTED: "",
    ChargingState.NO_POWER: "plugged in without power",
    ChargingState.STARTING: "charging",
    ChargingState.CHARGING: "charging",
    ChargingState.COMPLETE: "charging complete",
    ChargingState.STOPPED: "plugged in",
}


def iso(moment: float) -> str:
    """Return a moment, given in Unix seconds, as date and time in UTC."""
    return datetime.fromtimestamp(moment, UTC).isoformat()


def time_of_day(moment: float) -> str:
    """Return a moment, given in Unix seconds, as local time of day."""
    return f"{datetime.fromtimestamp(moment, UTC).astimezone():%H:%M:%S}"


def describe_activity(vehicle: SimulatedVehicle) -> list[str]:
    """Return the state of a vehicle, and then each of its activities. No text contains a measurement."""
    body, climate = vehicle.body, vehicle.cabin
    texts = {
        vehicle.state: True,
        "in service": vehicle.in_service,
        "driving": vehicle.driving.in_gear,
        "occupied": body.user_present and not vehicle.driving.in_gear,
        CHARGING[vehicle.charging.state]: vehicle.charging.plugged,
        "climate on": climate.on and climate.keeper == "off",
        f"climate keeper: {climate.keeper}": climate.keeper != "off",
        "sentry mode": body.sentry,
        "valet mode": body.valet.on,
        f"software update {body.update.status}": bool(body.update.status),
        **{OPENINGS[name]: is_open for name, is_open in body.openings.items()},
    }
    return [text for text, is_active in texts.items() if is_active]
