"""What a live read shows of the car, for its log."""

import math
from typing import Any, Final

from ..api.fields import Field
from ..api.records import ChargeState, ClimateState, DriveState, Vehicle, VehicleState
from ..drive_log.drive_log import DriveLog
from ..drive_log.entries import Observation
from ..polling.activity import SIGNS_OF_USE
from .charging import charging_power
from .merged_data import CAR_RECORDS, MergedData

_EMPTY: Final = Vehicle.parse({})
OBSERVED_FIELDS: Final[frozenset[Field[Any]]] = frozenset(
    {
        ChargeState.battery_level,
        ChargeState.battery_range,
        ChargeState.charge_energy_added,
        ChargeState.charge_limit_soc,
        ChargeState.charger_actual_current,
        ChargeState.charger_phases,
        ChargeState.charger_power,
        ChargeState.charger_voltage,
        ChargeState.fast_charger_present,
        ChargeState.scheduled_charging_pending,
        ChargeState.time_to_full_charge,
        ClimateState.climate_keeper_mode,
        ClimateState.outside_temp,
        DriveState.latitude,
        DriveState.power,
        DriveState.shift_state,
        DriveState.speed,
        VehicleState.odometer,
        *SIGNS_OF_USE,
    }
)
"""The fields that the log, the polling policy and the charging plan need, also if no entity shows them."""


def observe(merged: MergedData, log: DriveLog, at: float) -> Observation:
    """Return what a live read shows, without old values from a cache, which end no drive."""
    vehicle = fresh = merged.vehicle
    for name in CAR_RECORDS - merged.record_times.fresh:
        fresh = fresh.with_record(name, getattr(_EMPTY, name))
    charge, drive, odometer = fresh.charge_state, fresh.drive_state, fresh.vehicle_state.odometer
    power = charging_power(charge)
    power_in_kw = None if power is None else power / 1000
    # A car that does not charge can report an old current and voltage.
    is_idle = charge.charger_power and charge.is_plugged_in and not charge.is_charging
    is_driving = bool(vehicle.drive_state.is_driving)
    if DriveState.key not in merged.raw:
        # An account with which a car is shared may have no permission to read its gear.
        is_driving = (vehicle.vehicle_state.odometer or 0.0) > (log.drive_tracker.odometer or math.inf)
    # The log remembers an odometer that it does not accept.
    doubted = merged.plausibility.doubted_odometer
    latitude, longitude = drive.position or (None, None)
    return Observation(
        at=at,
        is_driving=is_driving,
        odometer=odometer if doubted is None or odometer is None else doubted,
        energy=log.meter.total,
        level=charge.battery_level,
        range=charge.battery_range,
        charging=charge.charging_state,
        power=power_in_kw,
        idle_power=power_in_kw or 0.0 if is_idle else 0.0,
        is_fast=bool(vehicle.charge_state.fast_charger_present),
        temperature=fresh.climate_state.outside_temp,
        speed=drive.speed,
        drive_power=drive.power,
        latitude=latitude,
        longitude=longitude,
        reasons=frozenset() if is_driving else frozenset(_reasons(vehicle)),
    )


def _reasons(vehicle: Vehicle) -> list[str]:
    """Return what keeps the parked car awake."""
    signs = {
        "charging": vehicle.charge_state.is_charging,
        "climate": vehicle.climate_state.is_climate_on,
        "door_open": vehicle.is_any_door_open,
        "plugged_in": vehicle.charge_state.is_plugged_in,
        "sentry": vehicle.vehicle_state.sentry_mode,
        "user_present": vehicle.vehicle_state.is_user_present,
    }
    return [reason for reason, is_on in signs.items() if is_on]
