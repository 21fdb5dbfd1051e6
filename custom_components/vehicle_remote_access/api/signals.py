"""The table of signals: what a car streams, and the fields of the interface document that follow.

A car sends a signal when its value changes (Fleet Telemetry). The names and values are in
github.com/teslamotors/fleet-telemetry, `protos/vehicle_data.proto`. Teslemetry passes them on as an object
(Python package `teslemetry-stream`), Tessie as a list of keys and typed values
(developer.tessie.com/reference/access-tesla-fleet-telemetry). The meanings and units are those that Home
Assistant's integration `teslemetry` shows, unless a comment names another source.
"""

from collections.abc import Callable, Collection, Mapping
from functools import partial
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


def _same(value: Any) -> Any:
    return value if isinstance(value, str | int | float | None) else None


def _round(value: Any, digits: int | None = None, factor: float = 1.0) -> float | None:
    """Return a number rounded as live reads are, so that histories do not flicker.

    Return None if it is none, or larger than any that a car can mean.
    """
    number = NUMBER.read(value)
    return None if number is None or abs(number) > _LARGEST else round(number * factor, digits)


def _word(enum: str, **also: str) -> _Convert:
    """Return a conversion of a word, which may follow its enum's name. `also`: what differs in live reads."""
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
    states = VehicleState.center_display_state.value_type.options
    state = (_word("DisplayState")(value) or "").lower()
    return states.index(state) if state in states else None


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


class Row:
    """A field, and the signals from which it follows."""

    def __init__(self, field: Field[Any], *names: str, by: _Convert = _same, needs_all: bool = True) -> None:
        """`needs_all`: whether the field is unknown while some of the signals are."""
        self.field, self.names, self.convert, self.needs_all = field, names, by, needs_all


_SENT_AT: Final = "sent at"
_RIGHT_HAND: Final = "RightHandDrive"
_SIDES: Final = ("HvacLeftTemperatureRequest", "HvacRightTemperatureRequest", _RIGHT_HAND)
_POWERS: Final = ("ACChargingPower", "DCChargingPower")
_FAST_CHARGER: Final = _word("FastCharger", Supercharger="Tesla", SNA="<invalid>")
_WINDOW: Final = _is("WindowState", "PartiallyOpen", "Opened")
_HVAC_ON: Final = _is("HvacPowerState", "On", "Precondition")
_COOLING: Final = _is("HvacPowerState", "OverheatProtect")
_DEFROST: Final = _is("DefrostModeState", "Normal", "Max", "AutoDefog")
_PROTECTION: Final = _word("CabinOverheatProtectionModeState")
_LIMIT: Final = _word("ClimateOverheatProtectionTempLimit")
_SENTRY: Final = _is("SentryModeState", "Idle", "Armed", "Aware", "Panic", "Quiet")
_BAR: Final = partial(_round, digits=3, factor=1.01325)  # from atmospheres
_FROM_MINUTES: Final = partial(_round, factor=60)
_WHOLE: Final = _round
_TENTHS: Final = partial(_round, digits=1)
_HUNDREDTHS: Final = partial(_round, digits=2)
_UPDATE: Final = (
    "SoftwareUpdateVersion",
    "SoftwareUpdateDownloadPercentComplete",
    "SoftwareUpdateInstallationPercentComplete",
    "SoftwareUpdateScheduledStartTime",
)

# Left out: ScheduledChargingStartTime and ScheduledDepartureTime, whose values Tesla calls wrong, and
# RemoteStartEnabled, whose meaning is not documented. Live reads have these fields.
SIGNALS: Final = (
    Row(ChargeState.charging_state, "DetailedChargeState", by=_word("DetailedChargeState")),
    Row(ChargeState.fast_charger_present, "FastChargerPresent"),
    Row(ChargeState.fast_charger_type, "FastChargerType", by=_FAST_CHARGER),
    Row(ChargeState.conn_charge_cable, "ChargingCableType", by=_word("CableType", SNA="<invalid>")),
    Row(ChargeState.charge_limit_soc, "ChargeLimitSoc", by=_WHOLE),
    Row(ChargeState.battery_range, "RatedRange", by=_HUNDREDTHS),
    Row(ChargeState.est_battery_range, "EstBatteryRange", by=_HUNDREDTHS),
    Row(ChargeState.ideal_battery_range, "IdealBatteryRange", by=_HUNDREDTHS),
    Row(ChargeState.battery_level, "BatteryLevel", by=_WHOLE),
    Row(ChargeState.usable_battery_level, "Soc", by=_WHOLE),
    # What reaches the battery, also of alternating current: teslamotors/fleet-telemetry, issue 287.
    Row(ChargeState.charge_energy_added, "DCChargingEnergyIn", by=_HUNDREDTHS),
    Row(ChargeState.charger_voltage, "ChargerVoltage", by=_WHOLE),
    Row(ChargeState.charger_actual_current, "ChargeAmps", by=_WHOLE),
    Row(ChargeState.charger_power, *_POWERS, by=_charger_power, needs_all=False),
    Row(ChargeState.charger_phases, "ChargerPhases"),
    Row(ChargeState.time_to_full_charge, "TimeToFullCharge", by=_HUNDREDTHS),
    Row(ChargeState.trip_charging, "SuperchargerSessionTripPlanner"),
    Row(ChargeState.charge_rate, "ChargeRateMilePerHour", by=_TENTHS),
    Row(ChargeState.charge_port_door_open, "ChargePortDoorOpen"),
    Row(ChargeState.charge_port_latch, "ChargePortLatch", by=_word("ChargePortLatch")),
    Row(ChargeState.charge_port_cold_weather_mode, "ChargePortColdWeatherMode"),
    Row(ChargeState.charge_current_request, "ChargeCurrentRequest", by=_WHOLE),
    Row(ChargeState.charge_current_request_max, "ChargeCurrentRequestMax", by=_WHOLE),
    Row(ChargeState.charge_enable_request, "ChargeEnableRequest"),
    Row(ChargeState.scheduled_charging_mode, "ScheduledChargingMode", by=_word("ScheduledChargingMode")),
    Row(ChargeState.scheduled_charging_pending, "ScheduledChargingPending"),
    Row(ChargeState.preconditioning_enabled, "PreconditioningEnabled"),
    Row(ChargeState.battery_heater_on, "BatteryHeaterOn"),
    Row(ChargeState.not_enough_power_to_heat, "NotEnoughPowerToHeat"),
    Row(ChargeState.energy_remaining, "EnergyRemaining", by=_HUNDREDTHS),
    Row(ChargeState.module_temp_min, "ModuleTempMin", by=_TENTHS),
    Row(ChargeState.module_temp_max, "ModuleTempMax", by=_TENTHS),
    Row(ChargeState.lifetime_energy_used, "LifetimeEnergyUsed", by=_HUNDREDTHS),
    Row(ClimateState.inside_temp, "InsideTemp", by=_TENTHS),
    Row(ClimateState.outside_temp, "OutsideTemp", by=_TENTHS),
    Row(ClimateState.driver_temp_setting, *_SIDES, by=_of_driver),
    Row(ClimateState.passenger_temp_setting, *_SIDES, by=_of_passenger),
    Row(ClimateState.is_climate_on, "HvacPower", by=_HVAC_ON),
    Row(ClimateState.is_auto_conditioning_on, "HvacPower", by=_HVAC_ON),
    Row(ClimateState.is_preconditioning, "HvacPower", by=_is("HvacPowerState", "Precondition")),
    Row(ClimateState.cabin_overheat_protection_actively_cooling, "HvacPower", by=_COOLING),
    Row(ClimateState.fan_status, "HvacFanStatus", by=_WHOLE),
    Row(ClimateState.defrost_mode, "DefrostMode", by=_DEFROST),
    Row(ClimateState.is_front_defroster_on, "DefrostMode", by=_DEFROST),
    Row(ClimateState.is_rear_defroster_on, "RearDefrostEnabled"),
    Row(ClimateState.wiper_blade_heater, "WiperHeatEnabled"),
    Row(ClimateState.seat_heater_left, "SeatHeaterLeft"),
    Row(ClimateState.seat_heater_right, "SeatHeaterRight"),
    Row(ClimateState.seat_heater_rear_left, "SeatHeaterRearLeft"),
    Row(ClimateState.seat_heater_rear_right, "SeatHeaterRearRight"),
    Row(ClimateState.seat_heater_rear_center, "SeatHeaterRearCenter"),
    Row(ClimateState.seat_fan_front_left, "ClimateSeatCoolingFrontLeft"),
    Row(ClimateState.seat_fan_front_right, "ClimateSeatCoolingFrontRight"),
    Row(ClimateState.auto_seat_climate_left, "AutoSeatClimateLeft"),
    Row(ClimateState.auto_seat_climate_right, "AutoSeatClimateRight"),
    Row(ClimateState.auto_steering_wheel_heat, "HvacSteeringWheelHeatAuto"),
    Row(ClimateState.steering_wheel_heat_level, "HvacSteeringWheelHeatLevel"),
    Row(ClimateState.steering_wheel_heater, "HvacSteeringWheelHeatLevel", by=_is_above_zero),
    Row(ClimateState.climate_keeper_mode, "ClimateKeeperMode", by=_word("ClimateKeeperModeState")),
    Row(ClimateState.cabin_overheat_protection, "CabinOverheatProtectionMode", by=_PROTECTION),
    Row(ClimateState.cop_activation_temperature, "CabinOverheatProtectionTemperatureLimit", by=_LIMIT),
    Row(DriveState.shift_state, "Gear", by=_word("ShiftState")),
    Row(DriveState.speed, "VehicleSpeed", by=_WHOLE),
    Row(DriveState.power, "PackVoltage", "PackCurrent", by=_power_used),
    Row(DriveState.latitude, "Location", by=_part("latitude")),
    Row(DriveState.longitude, "Location", by=_part("longitude")),
    # The native position would have precedence, and no signal has it.
    Row(DriveState.native_latitude, "Location", by=lambda _: None),
    Row(DriveState.native_longitude, "Location", by=lambda _: None),
    Row(DriveState.gps_as_of, "Location", _SENT_AT, by=lambda _, at: at),
    Row(DriveState.heading, "GpsHeading", by=_WHOLE),
    Row(DriveState.active_route_destination, "DestinationName"),
    Row(DriveState.active_route_latitude, "DestinationLocation", by=_part("latitude")),
    Row(DriveState.active_route_longitude, "DestinationLocation", by=_part("longitude")),
    Row(DriveState.active_route_miles_to_arrival, "MilesToArrival", by=_HUNDREDTHS),
    Row(DriveState.active_route_minutes_to_arrival, "MinutesToArrival", by=_HUNDREDTHS),
    Row(DriveState.active_route_energy_at_arrival, "ExpectedEnergyPercentAtTripArrival", by=_WHOLE),
    Row(DriveState.active_route_traffic_minutes_delay, "RouteTrafficMinutesDelay", by=_WHOLE),
    Row(VehicleState.locked, "Locked"),
    Row(VehicleState.odometer, "Odometer"),
    Row(VehicleState.df, "DoorState", by=_part("DriverFront")),
    Row(VehicleState.dr, "DoorState", by=_part("DriverRear")),
    Row(VehicleState.pf, "DoorState", by=_part("PassengerFront")),
    Row(VehicleState.pr, "DoorState", by=_part("PassengerRear")),
    Row(VehicleState.ft, "DoorState", by=_part("TrunkFront")),
    Row(VehicleState.rt, "DoorState", by=_part("TrunkRear")),
    Row(VehicleState.fd_window, "FdWindow", by=_WINDOW),
    Row(VehicleState.fp_window, "FpWindow", by=_WINDOW),
    Row(VehicleState.rd_window, "RdWindow", by=_WINDOW),
    Row(VehicleState.rp_window, "RpWindow", by=_WINDOW),
    Row(VehicleState.is_user_present, "DriverSeatOccupied"),
    Row(VehicleState.sentry_mode, "SentryMode", by=_SENTRY),
    Row(VehicleState.valet_mode, "ValetModeEnabled"),
    Row(VehicleState.homelink_nearby, "HomelinkNearby"),
    Row(VehicleState.homelink_device_count, "HomelinkDeviceCount"),
    Row(VehicleState.service_mode, "ServiceMode"),
    Row(VehicleState.center_display_state, "CenterDisplay", by=_display),
    Row(VehicleState.vehicle_name, "VehicleName"),
    Row(VehicleState.car_version, "Version"),
    Row(VehicleState.tpms_pressure_fl, "TpmsPressureFl", by=_BAR),
    Row(VehicleState.tpms_pressure_fr, "TpmsPressureFr", by=_BAR),
    Row(VehicleState.tpms_pressure_rl, "TpmsPressureRl", by=_BAR),
    Row(VehicleState.tpms_pressure_rr, "TpmsPressureRr", by=_BAR),
    Row(VehicleState.tpms_soft_warning_fl, "TpmsSoftWarnings", by=_part("frontLeft", "front_left")),
    Row(VehicleState.tpms_soft_warning_fr, "TpmsSoftWarnings", by=_part("frontRight", "front_right")),
    Row(VehicleState.tpms_soft_warning_rl, "TpmsSoftWarnings", by=_part("rearLeft", "rear_left")),
    Row(VehicleState.tpms_soft_warning_rr, "TpmsSoftWarnings", by=_part("rearRight", "rear_right")),
    Row(VehicleState.tpms_hard_warning_fl, "TpmsHardWarnings", by=_part("frontLeft", "front_left")),
    Row(VehicleState.tpms_hard_warning_fr, "TpmsHardWarnings", by=_part("frontRight", "front_right")),
    Row(VehicleState.tpms_hard_warning_rl, "TpmsHardWarnings", by=_part("rearLeft", "rear_left")),
    Row(VehicleState.tpms_hard_warning_rr, "TpmsHardWarnings", by=_part("rearRight", "rear_right")),
    Row(SpeedLimitMode.active, "SpeedLimitMode"),
    Row(SpeedLimitMode.current_limit_mph, "CurrentLimitMph"),
    Row(SoftwareUpdate.status, *_UPDATE, by=_update_status),
    Row(SoftwareUpdate.version, "SoftwareUpdateVersion"),
    Row(SoftwareUpdate.download_perc, "SoftwareUpdateDownloadPercentComplete", by=_WHOLE),
    Row(SoftwareUpdate.install_perc, "SoftwareUpdateInstallationPercentComplete", by=_WHOLE),
    Row(SoftwareUpdate.expected_duration_sec, "SoftwareUpdateExpectedDurationMinutes", by=_FROM_MINUTES),
    Row(MediaInfo.media_playback_status, "MediaPlaybackStatus", by=_word("MediaStatus")),
    Row(MediaInfo.now_playing_source, "MediaPlaybackSource"),
    Row(MediaInfo.audio_volume, "MediaAudioVolume"),
    Row(MediaInfo.audio_volume_increment, "MediaAudioVolumeIncrement"),
    Row(MediaInfo.audio_volume_max, "MediaAudioVolumeMax"),
    Row(MediaInfo.now_playing_duration, "MediaNowPlayingDuration"),
    Row(MediaInfo.now_playing_elapsed, "MediaNowPlayingElapsed"),
    Row(MediaInfo.now_playing_artist, "MediaNowPlayingArtist"),
    Row(MediaInfo.now_playing_title, "MediaNowPlayingTitle"),
    Row(MediaInfo.now_playing_album, "MediaNowPlayingAlbum"),
    Row(MediaInfo.now_playing_station, "MediaNowPlayingStation"),
    Row(VehicleConfig.rhd, _RIGHT_HAND),
)
_BY_NAME: Final[dict[str, list[Row]]] = {}
for _each in SIGNALS:
    for _name in _each.names:
        _BY_NAME.setdefault(_name, []).append(_each)


def signals_of(fields: Collection[Field[Any]]) -> set[str]:
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
            if not row.needs_all or self._newest.keys() >= {*row.names}
        }
