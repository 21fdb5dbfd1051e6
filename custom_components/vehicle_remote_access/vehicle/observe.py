"""What a live read shows of the car, for its log."""

import math

from ..api.records import ChargeState, ClimateState, DriveState, Vehicle, VehicleState
from ..drive_log.energy_meter import EnergyMeter
from ..drive_log.entries import Observation
from .charging import charging_power
from .merged_data import MergedData

_WATTS = 1000


def observe(merged: MergedData, before: Vehicle, meter: EnergyMeter, at: float) -> Observation:
    """Return what a live read shows. Values from a cache are left out: they are older, and end no drive.

    `before`: what was known before the read.
    """
    vehicle = merged.vehicle
    charge, drive = vehicle.charge_state, vehicle.drive_state
    fresh = merged.record_times.fresh
    has_charge, has_drive = ChargeState.key in fresh, DriveState.key in fresh
    has_climate, has_body = ClimateState.key in fresh, VehicleState.key in fresh
    power = charging_power(charge)
    # A car that does not charge can report an old current and voltage.
    is_idle = charge.charger_power and charge.is_plugged_in and not charge.is_charging
    is_driving = bool(drive.is_driving)
    if DriveState.key not in merged.raw:
        # An account with which a car is shared may have no permission to read its gear.
        odometer, odometer_before = vehicle.vehicle_state.odometer, before.vehicle_state.odometer
        is_driving = (odometer or 0.0) > (odometer_before or math.inf)
    # The log remembers an odometer that it does not accept.
    doubted = merged.plausibility.doubted_odometer
    odometer = vehicle.vehicle_state.odometer if doubted is None else doubted
    latitude, longitude = (drive.position if has_drive else None) or (None, None)
    return Observation(
        at=at,
        is_driving=is_driving,
        odometer=odometer if has_body else None,
        energy=meter.total,
        level=charge.battery_level if has_charge else None,
        range=charge.battery_range if has_charge else None,
        charging=charge.charging_state if has_charge else None,
        power=power / _WATTS if has_charge and power is not None else None,
        idle_power=power / _WATTS if has_charge and power and is_idle else 0.0,
        is_fast=bool(charge.fast_charger_present),
        temperature=vehicle.climate_state.outside_temp if has_climate else None,
        speed=drive.speed if has_drive else None,
        drive_power=drive.power if has_drive else None,
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
