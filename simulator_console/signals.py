"""The signals that a car streams (Tesla's Fleet Telemetry), as Teslemetry and Tessie write them.

Names, enums and kinds of values are those of `protos/vehicle_data.proto` of
https://github.com/teslamotors/fleet-telemetry. Meanings and units are those of
https://developer.tesla.com/docs/fleet-api/fleet-telemetry/available-data, except that pressures are in
atmospheres, as Home Assistant's integration for Teslemetry takes them. All were read on 2026-11-29.
"""

from collections.abc import Mapping
import json
import math
import re
from typing import Any, Final

from custom_components.vehicle_remote_access.simulator.car.car import Car
from custom_components.vehicle_remote_access.simulator.persistence import Json

from .fleet_car import WINDOWS, FleetCar, as_fleet_car
from .fleet_commands import PICKUP_TRUCK
from .fleet_records import full_record

ENUMS: Final = {
    "BMSState": ("bmsStateValue", "BMSState"),
    "CabinOverheatProtectionMode": ("cabinOverheatProtectionModeValue", "CabinOverheatProtectionModeState"),
    "CabinOverheatProtectionTemperatureLimit": (
        "cabinOverheatProtectionTemperatureLimitValue",
        "ClimateOverheatProtectionTempLimit",
    ),
    "CarType": ("carTypeValue", "CarType"),
    "CenterDisplay": ("displayStateValue", "DisplayState"),
    "ChargePort": ("chargePortValue", "ChargePort"),
    "ChargePortLatch": ("chargePortLatchValue", "ChargePortLatch"),
    "ChargingCableType": ("cableTypeValue", "CableType"),
    "ClimateKeeperMode": ("climateKeeperModeValue", "ClimateKeeperModeState"),
    "DefrostMode": ("defrostModeValue", "DefrostModeState"),
    "DetailedChargeState": ("detailedChargeStateValue", "DetailedChargeState"),
    "FastChargerType": ("fastChargerValue", "FastCharger"),
    **{f"{name.capitalize()}Window": ("windowStateValue", "WindowState") for name in WINDOWS},
    "Gear": ("shiftStateValue", "ShiftState"),
    "HvacAutoMode": ("hvacAutoModeValue", "HvacAutoModeState"),
    "HvacPower": ("hvacPowerValue", "HvacPowerState"),
    "MediaPlaybackStatus": ("mediaStatusValue", "MediaStatus"),
    "ScheduledChargingMode": ("scheduledChargingModeValue", "ScheduledChargingMode"),
    "SentryMode": ("sentryModeStateValue", "SentryModeState"),
    "SettingChargeUnit": ("chargeUnitPreferenceValue", "ChargeUnit"),
    "SettingDistanceUnit": ("distanceUnitValue", "DistanceUnit"),
    "SettingTemperatureUnit": ("temperatureUnitValue", "TemperatureUnit"),
    "TonneauPosition": ("tonneauPositionValue", "TonneauPositionState"),
    "SunroofInstalled": ("sunroofInstalledStateValue", "SunroofInstalledState"),
}
"""By signal, the kind of its value, and the prefix of its enum."""
KINDS: Final = {bool: "booleanValue", int: "intValue", float: "doubleValue", str: "stringValue"}
OBJECTS: Final = {
    "DriverFront": "doorValue",
    "frontLeft": "tireLocationValue",
    "hour": "timeValue",
    "latitude": "locationValue",
}
"""The kinds of objects, by one of their names."""
ALWAYS_TYPED: Final = re.compile(
    "Cabin|CenterDisplay|ChargePortDoor|ChargeRate|Charger|ChargingCable|Climate|Defrost|Detailed|Door|DriverSeat|"
    "Estimated|Europe|Expected|FastChargerType|Gear|Homelink|Hvac|LocatedAt|Media|Miles|Minutes|RearDefrost|"
    "RemoteStart|RightHand|RouteTraffic|SeatVent|Setting|SoftwareUpdate|Sunroof|TpmsHard|TpmsSoft|Valet|"
    "WheelType|WiperHeat"
)
"""Signals that are never text at Tessie, by their beginnings. Most are as new as DetailedChargeState."""
BAR: Final = 1.01325
"""Bar in one atmosphere."""
DISPLAY: Final = {0: "Off", 2: "Dim", 3: "On", 4: "Driving", 5: "Charging", 7: "Sentry", 8: "Dog"}
"""The display by the number in the record."""
SIDES: Final = {"Fl": "frontLeft", "Fr": "frontRight", "Rl": "rearLeft", "Rr": "rearRight"}
DOORS: Final = {
    "df": "DriverFront",
    "dr": "DriverRear",
    "pf": "PassengerFront",
    "pr": "PassengerRear",
    "ft": "TrunkFront",
    "rt": "TrunkRear",
}


def teslemetry_value(name: str, value: Any) -> Any:
    """Return the value of a signal as Teslemetry sends it. An invalid value is null."""
    if value is None or name not in ENUMS:
        return value
    _, prefix = ENUMS[name]
    return f"{prefix}{value}"


def tessie_value(name: str, value: Any, *, is_typed: bool) -> Json:
    """Return the value of a signal as Tessie sends it.

    `is_typed`: whether older signals are typed, too. Otherwise they are text, as in Tessie's documentation.
    """
    if value is None:
        return {"invalid": True}
    if isinstance(value, Mapping):
        return {next((kind for key, kind in OBJECTS.items() if key in value), "objectValue"): value}
    if not is_typed and not ALWAYS_TYPED.match(name):
        return {"stringValue": _text(value)}
    if name in ENUMS:
        kind, prefix = ENUMS[name]
        return {kind: f"{prefix}{value}"}
    return {KINDS.get(type(value), "stringValue"): value}


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    return value if isinstance(value, str) else json.dumps(value)


def signals(any_car: Car) -> Json:
    """Return the value of each signal, None if it is invalid. Enums are without their prefix."""
    car = as_fleet_car(any_car)
    record = full_record(car)
    return {
        **_battery(car, record["charge_state"]),
        **_charging(car, record["charge_state"]),
        **_climate(car, record["climate_state"]),
        **_drive(car, record["drive_state"]),
        **_body(car, record["vehicle_state"]),
        **_software(car, record["vehicle_state"]["software_update"]),
        **_media(record["vehicle_state"]["media_info"]),
        **_configuration(car, record["vehicle_config"], record["gui_settings"]),
    }


def _battery(car: FleetCar, record: Json) -> Json:
    charge = car.charging
    volts = round(320 + 0.8 * charge.level, 1)
    parked_state = "Charge" if charge.active else "Standby"
    return {
        "BatteryHeaterOn": charge.is_heating_pack,
        # BatteryLevel counts the whole battery, Soc only what it can deliver in the cold.
        "BatteryLevel": round(charge.level, 2),
        "Soc": round(charge.usable_level, 2),
        "BmsFullchargecomplete": charge.full,
        "BMSState": "Drive" if car.driving.in_gear else parked_state,
        "EnergyRemaining": record["energy_remaining"],
        "EstBatteryRange": record["est_battery_range"],
        "IdealBatteryRange": record["ideal_battery_range"],
        "RatedRange": record["battery_range"],
        "LifetimeEnergyUsed": record["lifetime_energy_used"],
        "ModuleTempMax": record["module_temp_max"],
        "ModuleTempMin": record["module_temp_min"],
        "NotEnoughPowerToHeat": record["not_enough_power_to_heat"],
        # Positive while charging
        "PackCurrent": round(-car.power * 1000 / volts, 1),
        "PackVoltage": volts,
    }


def _charging(car: FleetCar, record: Json) -> Json:
    charge, minutes = car.charging, record["scheduled_departure_time_minutes"]
    hours = round(charge.hours_to_limit / car.clock.speed, 2)
    return {
        # In kWh, measured at the charger: to be ignored at a fast charger
        "ACChargingEnergyIn": round(charge.energy_added / charge.supply.efficiency, 2),
        "ACChargingPower": 0.0 if charge.fast else round(charge.power, 2),
        # In kWh, measured at the battery at any charger
        "DCChargingEnergyIn": round(charge.energy_added, 2),
        "DCChargingPower": round(charge.power, 2) if charge.fast else 0.0,
        "ChargeAmps": round(charge.current, 1),
        "ChargeCurrentRequest": charge.full_current,
        "ChargeCurrentRequestMax": charge.highest_current,
        "ChargeEnableRequest": record["charge_enable_request"],
        "ChargeLimitSoc": charge.limit,
        "ChargePort": car.model.charge_port_type,
        "ChargePortColdWeatherMode": False,
        "ChargePortDoorOpen": charge.port_open,
        "ChargePortLatch": charge.latch,
        "ChargeRateMilePerHour": record["charge_rate"],
        "ChargerPhases": record["charger_phases"],
        "ChargerVoltage": float(record["charger_voltage"]),
        "ChargeState": "Enable" if charge.active else "Idle",
        "ChargingCableType": car.model.cable if charge.plugged else None,
        "DetailedChargeState": charge.state.value,
        "EstimatedHoursToChargeTermination": hours,
        "FastChargerPresent": charge.fast,
        "FastChargerType": "Supercharger" if charge.fast else "SNA",
        "ScheduledChargingMode": record["scheduled_charging_mode"],
        "ScheduledChargingPending": charge.pending,
        "ScheduledChargingStartTime": record["scheduled_charging_start_time"],
        "ScheduledDepartureTime": (
            {"hour": minutes // 60, "minute": minutes % 60, "second": 0} if car.schedules.departure else None
        ),
        "TimeToFullCharge": hours,
    }


def _climate(car: FleetCar, record: Json) -> Json:
    climate, seats = car.cabin, car.cabin.seats
    settings = [climate.driver_temp, climate.passenger_temp]
    left, right = reversed(settings) if car.model.rhd else settings
    cooling = climate.seat_fans if car.equipment.seat_cooling else {"left": None, "right": None}
    defrost = "Normal" if climate.is_defrosting else "Off"
    power = "On" if climate.on else "Off"
    return {
        "AutoSeatClimateLeft": climate.auto_seats["left"],
        "AutoSeatClimateRight": climate.auto_seats["right"],
        "CabinOverheatProtectionMode": climate.overheat_protection,
        "CabinOverheatProtectionTemperatureLimit": climate.overheat_limit,
        "ClimateKeeperMode": "Party" if climate.keeper == "camp" else climate.keeper.capitalize(),
        "ClimateSeatCoolingFrontLeft": cooling["left"],
        "ClimateSeatCoolingFrontRight": cooling["right"],
        "DefrostForPreconditioning": climate.is_defrosting and not car.body.user_present,
        "DefrostMode": "Max" if climate.max_defrost else defrost,
        "HvacACEnabled": climate.on,
        "HvacAutoMode": "On" if climate.on else "Override",
        "HvacFanSpeed": climate.fan_status,
        "HvacFanStatus": climate.fan_status,
        "HvacLeftTemperatureRequest": float(left),
        "HvacRightTemperatureRequest": float(right),
        "HvacPower": "Precondition" if record["is_preconditioning"] else power,
        "HvacSteeringWheelHeatAuto": climate.auto_wheel,
        "HvacSteeringWheelHeatLevel": climate.wheel_heat_level,
        "InsideTemp": record["inside_temp"],
        "OutsideTemp": record["outside_temp"],
        "PreconditioningEnabled": record["is_preconditioning"],
        "RearDefrostEnabled": climate.is_defrosting,
        "SeatHeaterLeft": seats["left"],
        "SeatHeaterRight": seats["right"],
        "SeatHeaterRearCenter": seats["rear_center"],
        "SeatHeaterRearLeft": seats["rear_left"],
        "SeatHeaterRearRight": seats["rear_right"],
        "SeatVentEnabled": any(cooling.values()),
        "WiperHeatEnabled": climate.is_defrosting,
    }


def _drive(car: FleetCar, record: Json) -> Json:
    driving, route = car.driving, car.driving.route
    speed = driving.speed_at(car.timeline.now)
    return {
        "DriveRail": driving.in_gear,
        "Gear": driving.shift_state or "P",
        "GpsHeading": round(driving.heading % 360, 1),
        "GpsState": True,
        "HomelinkNearby": car.homelink_nearby,
        "LocatedAtHome": car.homelink_nearby,
        "Location": {"latitude": record["latitude"], "longitude": record["longitude"]},
        "Odometer": round(driving.odometer, 3),
        "VehicleSpeed": None if speed is None else round(speed, 3),
        "DestinationLocation": route
        and {
            "latitude": record["active_route_latitude"],
            "longitude": record["active_route_longitude"],
        },
        "DestinationName": record.get("active_route_destination"),
        "ExpectedEnergyPercentAtTripArrival": record.get("active_route_energy_at_arrival"),
        "MilesToArrival": record.get("active_route_miles_to_arrival"),
        "MinutesToArrival": record.get("active_route_minutes_to_arrival"),
        "RouteTrafficMinutesDelay": record.get("active_route_traffic_minutes_delay"),
    }


def _body(car: FleetCar, record: Json) -> Json:
    body = car.body
    return {
        "CenterDisplay": DISPLAY[record["center_display_state"]],
        "CurrentLimitMph": float(body.speed_limit.limit),
        "DoorState": {name: bool(record[door]) for door, name in DOORS.items()},
        "DriverSeatOccupied": body.user_present,
        "GuestModeEnabled": body.guest_mode,
        **(
            {"TonneauPosition": "FullyOpen" if body.tonneau_open else "Closed"}
            if car.model.car_type == PICKUP_TRUCK
            else {}
        ),
        **{
            f"{name.capitalize()}Window": "Opened" if is_open else "Closed"
            for name, is_open in body.windows.items()
        },
        "Locked": body.locked,
        "RemoteStartEnabled": body.remote_start,
        "SentryMode": "Armed" if body.sentry else "Off",
        "ServiceMode": record["service_mode"],
        "SpeedLimitMode": body.speed_limit.active,
        **{f"TpmsPressure{tire}": round(record[f"tpms_pressure_{tire.lower()}"] / BAR, 3) for tire in SIDES},
        "TpmsHardWarnings": _tires(record, "hard"),
        "TpmsSoftWarnings": _tires(record, "soft"),
        "ValetModeEnabled": body.valet.on,
    }


def _tires(record: Json, warning: str) -> Json:
    return {side: record[f"tpms_{warning}_warning_{tire.lower()}"] for tire, side in SIDES.items()}


def _software(car: FleetCar, record: Json) -> Json:
    update = car.body.update
    starts = car.clock.real(car.timeline.now + car.timeline.remaining("update"))
    return {
        "SoftwareUpdateDownloadPercentComplete": record["download_perc"],
        "SoftwareUpdateExpectedDurationMinutes": record["expected_duration_sec"] // 60,
        "SoftwareUpdateInstallationPercentComplete": record["install_perc"],
        "SoftwareUpdateScheduledStartTime": math.floor(starts) if update.status == "scheduled" else None,
        "SoftwareUpdateVersion": record["version"],
        "Version": update.version,
    }


def _media(record: Json) -> Json:
    playing = ("album", "artist", "duration", "elapsed", "station", "title")
    return {
        "MediaAudioVolume": record["audio_volume"],
        "MediaAudioVolumeIncrement": record["audio_volume_increment"],
        "MediaAudioVolumeMax": record["audio_volume_max"],
        **{f"MediaNowPlaying{name.capitalize()}": record[f"now_playing_{name}"] for name in playing},
        "MediaPlaybackSource": record["now_playing_source"],
        "MediaPlaybackStatus": record["media_playback_status"],
    }


def _configuration(car: FleetCar, record: Json, screen: Json) -> Json:
    model = car.model
    return {
        "CarType": model.name.replace(" ", ""),
        "EuropeVehicle": model.eu_vehicle,
        "ExteriorColor": model.exterior_color,
        "HomelinkDeviceCount": car.equipment.homelink_devices,
        "RearSeatHeaters": str(model.rear_seat_heaters),
        "RightHandDrive": model.rhd,
        "RoofColor": model.roof_color,
        "Setting24HourTime": screen["gui_24_hour_time"],
        "SettingChargeUnit": "Distance",
        "SettingDistanceUnit": "Miles" if screen["gui_distance_units"] == "mi/hr" else "Kilometers",
        "SettingTemperatureUnit": "Fahrenheit" if screen["gui_temperature_units"] == "F" else "Celsius",
        "SunroofInstalled": "Gen2Installed" if record["sun_roof_installed"] else "NotInstalled",
        "Trim": model.trim_badging,
        "VehicleName": car.name,
        "WheelType": model.wheel_type,
    }
