"""The table of signals: what a car streams, and the fields of the interface document that follow.

A car sends a signal when its value changes (Fleet Telemetry). The names and values are in
github.com/teslamotors/fleet-telemetry, `protos/vehicle_data.proto`. Teslemetry passes them on as an object
(Python package `teslemetry-stream`), Tessie as a list of keys and typed values
(developer.tessie.com/reference/access-tesla-fleet-telemetry). The meanings and units are those that Home
Assistant's integration `teslemetry` shows, unless a comment names another source.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from .fields import Field
from .records import (
    ChargeState,
    ClimateState,
    DriveState,
    MediaInfo,
    SoftwareUpdate,
    SpeedLimitMode,
    VehicleConfig,
    VehicleState,
)
from .value_types import FLAG, NUMBER, TEXT

type _Convert = Callable[..., Any]
"""Returns a field's value as the interface document has it, from the newest value of each of its signals."""

_LARGEST: Final = 1e12
# What cars send instead of a word that they do not know.
_NO_WORD: Final = ("", "Unknown", "Invalid", "SNA")
_DISPLAYS: Final = (
    "Off",
    "Dim",
    "Accessory",
    "On",
    "Driving",
    "Charging",
    "Lock",
    "Sentry",
    "Dog",
    "Entertainment",
)


def _same(value: Any) -> Any:
    return value if isinstance(value, str | int | float | None) else None


def _round(value: Any, digits: int | None = None) -> float | None:
    """Return a rounded number, None if it is none, or larger than any that a car can mean."""
    number = NUMBER.read(value)
    return None if number is None or abs(number) > _LARGEST else round(number, digits)


def _rounded(digits: int | None = None, factor: float = 1.0) -> _Convert:
    """Return a conversion of a number, rounded as live reads are, so that histories do not flicker."""

    def convert(value: Any) -> float | None:
        number = NUMBER.read(value)
        return None if number is None else _round(number * factor, digits)

    return convert


def _word(enum: str, **also: str) -> _Convert:
    """Return a conversion of a word, before which some services leave the name of its enum.

    `also`: what other words are called in live reads.
    """
    spellings: dict[str, str | None] = {**dict.fromkeys(_NO_WORD), **also}

    def convert(value: Any) -> str | None:
        word = (TEXT.read(value) or "").removeprefix(enum)
        return spellings.get(word, word)

    return convert


def _is(enum: str, *words: str) -> _Convert:
    """Return a conversion of a word to whether it is one of `words`."""
    read = _word(enum)

    def convert(value: Any) -> bool | None:
        word = read(value)
        return None if word is None else word in words

    return convert


def _part(*names: str) -> _Convert:
    """Return a conversion of an object to one value. Older cars send a text with the names that are true."""

    def convert(value: Any) -> Any:
        if isinstance(value, str):
            return not {*names}.isdisjoint(value.split("|"))
        known = value if isinstance(value, dict) else {}
        return next((known[name] for name in names if name in known), None)

    return convert


def _display(value: Any) -> int | None:
    word = _word("DisplayState")(value)
    return _DISPLAYS.index(word) if word in _DISPLAYS else None


def _charger_power(ac: Any, dc: Any) -> float | None:
    """Return the power in kW: of the two, one is 0 or unknown."""
    return max((power for each in (ac, dc) if (power := _round(each)) is not None), default=None)


def _power_used(volts: Any, amperes: Any) -> float | None:
    """Return the power in kW from the battery's voltage and current, which is negative in use."""
    voltage, current = NUMBER.read(volts), NUMBER.read(amperes)
    return None if voltage is None or current is None else _round(-voltage * current / 1000)


def _is_above_zero(level: Any) -> bool | None:
    number = NUMBER.read(level)
    return None if number is None else number > 0


def _of_driver(left: Any, right: Any, is_right_hand_drive: Any) -> Any:
    return right if FLAG.read(is_right_hand_drive) else left


def _of_passenger(left: Any, right: Any, is_right_hand_drive: Any) -> Any:
    return _of_driver(right, left, is_right_hand_drive)


def _update_status(version: Any, download: Any, install: Any, starts_at: Any) -> str:
    """Return the status of a software update, which no signal has."""
    if TEXT.read(version) is None:
        return ""
    for status, progress in (("installing", install), ("downloading", download)):
        if 0 < (NUMBER.read(progress) or 0) < 100:  # noqa: PLR2004 - percent
            return status
    return "scheduled" if starts_at else "available"


@dataclass(frozen=True, eq=False)
class Signal:
    """A field, and the signals from which it follows."""

    field: Field[Any]
    names: tuple[str, ...]
    convert: _Convert = _same
    is_any_enough: bool = False
    """Whether it follows although some of the signals are unknown."""


def _row(field: Field[Any], *names: str, by: _Convert = _same, is_any_enough: bool = False) -> Signal:
    return Signal(field, names, by, is_any_enough)


_SENT_AT: Final = "sent at"
_RIGHT_HAND: Final = "RightHandDrive"
_SIDES: Final = ("HvacLeftTemperatureRequest", "HvacRightTemperatureRequest", _RIGHT_HAND)
_WINDOW: Final = _is("WindowState", "PartiallyOpen", "Opened")
_HVAC_ON: Final = _is("HvacPowerState", "On", "Precondition")
_DEFROST: Final = _is("DefrostModeState", "Normal", "Max", "AutoDefog")
_BAR: Final = _rounded(3, 1.01325)  # from atmospheres
_WHOLE: Final = _rounded()
_TENTHS: Final = _rounded(1)
_HUNDREDTHS: Final = _rounded(2)
_UPDATE: Final = (
    "SoftwareUpdateVersion",
    "SoftwareUpdateDownloadPercentComplete",
    "SoftwareUpdateInstallationPercentComplete",
    "SoftwareUpdateScheduledStartTime",
)

# Left out: ScheduledChargingStartTime and ScheduledDepartureTime, whose values Tesla calls wrong, and
# RemoteStartEnabled, whose meaning is not documented. Live reads have these fields.
SIGNALS: Final = (
    _row(ChargeState.charging_state, "DetailedChargeState", by=_word("DetailedChargeState")),
    _row(ChargeState.fast_charger_present, "FastChargerPresent"),
    _row(
        ChargeState.fast_charger_type,
        "FastChargerType",
        by=_word("FastCharger", Supercharger="Tesla", SNA="<invalid>"),
    ),
    _row(ChargeState.conn_charge_cable, "ChargingCableType", by=_word("CableType", SNA="<invalid>")),
    _row(ChargeState.charge_limit_soc, "ChargeLimitSoc", by=_WHOLE),
    _row(ChargeState.battery_range, "RatedRange", by=_HUNDREDTHS),
    _row(ChargeState.est_battery_range, "EstBatteryRange", by=_HUNDREDTHS),
    _row(ChargeState.ideal_battery_range, "IdealBatteryRange", by=_HUNDREDTHS),
    _row(ChargeState.battery_level, "BatteryLevel", by=_WHOLE),
    _row(ChargeState.usable_battery_level, "Soc", by=_WHOLE),
    # What reaches the battery, also of alternating current: teslamotors/fleet-telemetry, issue 287.
    _row(ChargeState.charge_energy_added, "DCChargingEnergyIn", by=_HUNDREDTHS),
    _row(ChargeState.charger_voltage, "ChargerVoltage", by=_WHOLE),
    _row(ChargeState.charger_actual_current, "ChargeAmps", by=_WHOLE),
    _row(
        ChargeState.charger_power,
        "ACChargingPower",
        "DCChargingPower",
        by=_charger_power,
        is_any_enough=True,
    ),
    _row(ChargeState.charger_phases, "ChargerPhases"),
    _row(ChargeState.time_to_full_charge, "TimeToFullCharge", by=_HUNDREDTHS),
    _row(ChargeState.trip_charging, "SuperchargerSessionTripPlanner"),
    _row(ChargeState.charge_rate, "ChargeRateMilePerHour", by=_TENTHS),
    _row(ChargeState.charge_port_door_open, "ChargePortDoorOpen"),
    _row(ChargeState.charge_port_latch, "ChargePortLatch", by=_word("ChargePortLatch")),
    _row(ChargeState.charge_port_cold_weather_mode, "ChargePortColdWeatherMode"),
    _row(ChargeState.charge_current_request, "ChargeCurrentRequest", by=_WHOLE),
    _row(ChargeState.charge_current_request_max, "ChargeCurrentRequestMax", by=_WHOLE),
    _row(ChargeState.charge_enable_request, "ChargeEnableRequest"),
    _row(ChargeState.scheduled_charging_mode, "ScheduledChargingMode", by=_word("ScheduledChargingMode")),
    _row(ChargeState.scheduled_charging_pending, "ScheduledChargingPending"),
    _row(ChargeState.preconditioning_enabled, "PreconditioningEnabled"),
    _row(ChargeState.battery_heater_on, "BatteryHeaterOn"),
    _row(ChargeState.not_enough_power_to_heat, "NotEnoughPowerToHeat"),
    _row(ChargeState.energy_remaining, "EnergyRemaining", by=_HUNDREDTHS),
    _row(ChargeState.module_temp_min, "ModuleTempMin", by=_TENTHS),
    _row(ChargeState.module_temp_max, "ModuleTempMax", by=_TENTHS),
    _row(ChargeState.lifetime_energy_used, "LifetimeEnergyUsed", by=_HUNDREDTHS),
    _row(ClimateState.inside_temp, "InsideTemp", by=_TENTHS),
    _row(ClimateState.outside_temp, "OutsideTemp", by=_TENTHS),
    _row(ClimateState.driver_temp_setting, *_SIDES, by=_of_driver),
    _row(ClimateState.passenger_temp_setting, *_SIDES, by=_of_passenger),
    _row(ClimateState.is_climate_on, "HvacPower", by=_HVAC_ON),
    _row(ClimateState.is_auto_conditioning_on, "HvacPower", by=_HVAC_ON),
    _row(ClimateState.is_preconditioning, "HvacPower", by=_is("HvacPowerState", "Precondition")),
    _row(
        ClimateState.cabin_overheat_protection_actively_cooling,
        "HvacPower",
        by=_is("HvacPowerState", "OverheatProtect"),
    ),
    _row(ClimateState.fan_status, "HvacFanStatus", by=_WHOLE),
    _row(ClimateState.defrost_mode, "DefrostMode", by=_DEFROST),
    _row(ClimateState.is_front_defroster_on, "DefrostMode", by=_DEFROST),
    _row(ClimateState.is_rear_defroster_on, "RearDefrostEnabled"),
    _row(ClimateState.wiper_blade_heater, "WiperHeatEnabled"),
    _row(ClimateState.seat_heater_left, "SeatHeaterLeft"),
    _row(ClimateState.seat_heater_right, "SeatHeaterRight"),
    _row(ClimateState.seat_heater_rear_left, "SeatHeaterRearLeft"),
    _row(ClimateState.seat_heater_rear_right, "SeatHeaterRearRight"),
    _row(ClimateState.seat_heater_rear_center, "SeatHeaterRearCenter"),
    _row(ClimateState.seat_fan_front_left, "ClimateSeatCoolingFrontLeft"),
    _row(ClimateState.seat_fan_front_right, "ClimateSeatCoolingFrontRight"),
    _row(ClimateState.auto_seat_climate_left, "AutoSeatClimateLeft"),
    _row(ClimateState.auto_seat_climate_right, "AutoSeatClimateRight"),
    _row(ClimateState.auto_steering_wheel_heat, "HvacSteeringWheelHeatAuto"),
    _row(ClimateState.steering_wheel_heat_level, "HvacSteeringWheelHeatLevel"),
    _row(ClimateState.steering_wheel_heater, "HvacSteeringWheelHeatLevel", by=_is_above_zero),
    _row(ClimateState.climate_keeper_mode, "ClimateKeeperMode", by=_word("ClimateKeeperModeState")),
    _row(
        ClimateState.cabin_overheat_protection,
        "CabinOverheatProtectionMode",
        by=_word("CabinOverheatProtectionModeState"),
    ),
    _row(
        ClimateState.cop_activation_temperature,
        "CabinOverheatProtectionTemperatureLimit",
        by=_word("ClimateOverheatProtectionTempLimit"),
    ),
    _row(DriveState.shift_state, "Gear", by=_word("ShiftState")),
    _row(DriveState.speed, "VehicleSpeed", by=_WHOLE),
    _row(DriveState.power, "PackVoltage", "PackCurrent", by=_power_used),
    _row(DriveState.latitude, "Location", by=_part("latitude")),
    _row(DriveState.longitude, "Location", by=_part("longitude")),
    # The native position would have precedence, and no signal has it.
    _row(DriveState.native_latitude, "Location", by=lambda _: None),
    _row(DriveState.native_longitude, "Location", by=lambda _: None),
    _row(DriveState.gps_as_of, "Location", _SENT_AT, by=lambda _, at: at),
    _row(DriveState.heading, "GpsHeading", by=_WHOLE),
    _row(DriveState.active_route_destination, "DestinationName"),
    _row(DriveState.active_route_latitude, "DestinationLocation", by=_part("latitude")),
    _row(DriveState.active_route_longitude, "DestinationLocation", by=_part("longitude")),
    _row(DriveState.active_route_miles_to_arrival, "MilesToArrival", by=_HUNDREDTHS),
    _row(DriveState.active_route_minutes_to_arrival, "MinutesToArrival", by=_HUNDREDTHS),
    _row(DriveState.active_route_energy_at_arrival, "ExpectedEnergyPercentAtTripArrival", by=_WHOLE),
    _row(DriveState.active_route_traffic_minutes_delay, "RouteTrafficMinutesDelay", by=_WHOLE),
    _row(VehicleState.locked, "Locked"),
    _row(VehicleState.odometer, "Odometer"),
    _row(VehicleState.df, "DoorState", by=_part("DriverFront")),
    _row(VehicleState.dr, "DoorState", by=_part("DriverRear")),
    _row(VehicleState.pf, "DoorState", by=_part("PassengerFront")),
    _row(VehicleState.pr, "DoorState", by=_part("PassengerRear")),
    _row(VehicleState.ft, "DoorState", by=_part("TrunkFront")),
    _row(VehicleState.rt, "DoorState", by=_part("TrunkRear")),
    _row(VehicleState.fd_window, "FdWindow", by=_WINDOW),
    _row(VehicleState.fp_window, "FpWindow", by=_WINDOW),
    _row(VehicleState.rd_window, "RdWindow", by=_WINDOW),
    _row(VehicleState.rp_window, "RpWindow", by=_WINDOW),
    _row(VehicleState.is_user_present, "DriverSeatOccupied"),
    _row(
        VehicleState.sentry_mode,
        "SentryMode",
        by=_is("SentryModeState", "Idle", "Armed", "Aware", "Panic", "Quiet"),
    ),
    _row(VehicleState.valet_mode, "ValetModeEnabled"),
    _row(VehicleState.homelink_nearby, "HomelinkNearby"),
    _row(VehicleState.homelink_device_count, "HomelinkDeviceCount"),
    _row(VehicleState.service_mode, "ServiceMode"),
    _row(VehicleState.center_display_state, "CenterDisplay", by=_display),
    _row(VehicleState.vehicle_name, "VehicleName"),
    _row(VehicleState.car_version, "Version"),
    _row(VehicleState.tpms_pressure_fl, "TpmsPressureFl", by=_BAR),
    _row(VehicleState.tpms_pressure_fr, "TpmsPressureFr", by=_BAR),
    _row(VehicleState.tpms_pressure_rl, "TpmsPressureRl", by=_BAR),
    _row(VehicleState.tpms_pressure_rr, "TpmsPressureRr", by=_BAR),
    _row(VehicleState.tpms_soft_warning_fl, "TpmsSoftWarnings", by=_part("frontLeft", "front_left")),
    _row(VehicleState.tpms_soft_warning_fr, "TpmsSoftWarnings", by=_part("frontRight", "front_right")),
    _row(VehicleState.tpms_soft_warning_rl, "TpmsSoftWarnings", by=_part("rearLeft", "rear_left")),
    _row(VehicleState.tpms_soft_warning_rr, "TpmsSoftWarnings", by=_part("rearRight", "rear_right")),
    _row(VehicleState.tpms_hard_warning_fl, "TpmsHardWarnings", by=_part("frontLeft", "front_left")),
    _row(VehicleState.tpms_hard_warning_fr, "TpmsHardWarnings", by=_part("frontRight", "front_right")),
    _row(VehicleState.tpms_hard_warning_rl, "TpmsHardWarnings", by=_part("rearLeft", "rear_left")),
    _row(VehicleState.tpms_hard_warning_rr, "TpmsHardWarnings", by=_part("rearRight", "rear_right")),
    _row(SpeedLimitMode.active, "SpeedLimitMode"),
    _row(SpeedLimitMode.current_limit_mph, "CurrentLimitMph"),
    _row(SoftwareUpdate.status, *_UPDATE, by=_update_status),
    _row(SoftwareUpdate.version, "SoftwareUpdateVersion"),
    _row(SoftwareUpdate.download_perc, "SoftwareUpdateDownloadPercentComplete", by=_WHOLE),
    _row(SoftwareUpdate.install_perc, "SoftwareUpdateInstallationPercentComplete", by=_WHOLE),
    _row(
        SoftwareUpdate.expected_duration_sec,
        "SoftwareUpdateExpectedDurationMinutes",
        by=_rounded(factor=60),
    ),
    _row(MediaInfo.media_playback_status, "MediaPlaybackStatus", by=_word("MediaStatus")),
    _row(MediaInfo.now_playing_source, "MediaPlaybackSource"),
    _row(MediaInfo.audio_volume, "MediaAudioVolume"),
    _row(MediaInfo.audio_volume_increment, "MediaAudioVolumeIncrement"),
    _row(MediaInfo.audio_volume_max, "MediaAudioVolumeMax"),
    _row(MediaInfo.now_playing_duration, "MediaNowPlayingDuration"),
    _row(MediaInfo.now_playing_elapsed, "MediaNowPlayingElapsed"),
    _row(MediaInfo.now_playing_artist, "MediaNowPlayingArtist"),
    _row(MediaInfo.now_playing_title, "MediaNowPlayingTitle"),
    _row(MediaInfo.now_playing_album, "MediaNowPlayingAlbum"),
    _row(MediaInfo.now_playing_station, "MediaNowPlayingStation"),
    _row(VehicleConfig.rhd, _RIGHT_HAND),
)
_BY_NAME: Final[dict[str, list[Signal]]] = {}
for _each in SIGNALS:
    for _name in _each.names:
        _BY_NAME.setdefault(_name, []).append(_each)


def signals_of(fields: Collection[Field[Any]]) -> set[str]:
    """Return the signals from which these fields follow."""
    return {name for row in SIGNALS if row.field in fields for name in row.names if name != _SENT_AT}


class SignalReader:
    """Reads the signals of one car. It remembers them, because some fields follow from several."""

    def __init__(self, *, is_right_hand_drive: bool | None = None) -> None:
        """`is_right_hand_drive`: as live reads report it. The signal is rarely sent."""
        self._newest: dict[str, Any] = {}
        if is_right_hand_drive is not None:
            self._newest[_RIGHT_HAND] = is_right_hand_drive
        self._sent_at: dict[str, float] = {}
        self.unknown_count = 0
        """How many signals had no field."""

    def read(self, signals: Mapping[str, Any], sent_at: float) -> dict[Field[Any], Any]:
        """Return the fields that follow from a message's signals, as a live read has them.

        A signal that is older than its known value changes nothing. `sent_at`: Unix seconds.
        """
        known = {name: value for name, value in signals.items() if name in _BY_NAME}
        self.unknown_count += len(signals) - len(known)
        newer = {name: value for name, value in known.items() if self._sent_at.get(name, sent_at) <= sent_at}
        self._newest |= newer | {_SENT_AT: sent_at}
        self._sent_at |= dict.fromkeys(newer, sent_at)
        rows = dict.fromkeys(row for name in newer for row in _BY_NAME[name])
        return {
            row.field: row.convert(*map(self._newest.get, row.names))
            for row in rows
            if row.is_any_enough or self._newest.keys() >= {*row.names}
        }
