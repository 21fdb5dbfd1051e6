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
# The words that cars send for an unknown value
_UNKNOWN_WORDS: Final = ("", "Unknown", "Invalid", "SNA")


def _same(value: Any) -> Any:
    return value if isinstance(value, str | int | float | None) else None


def _round(value: Any, digits: int | None = None, factor: float = 1.0) -> float | None:
    """Return a number rounded as in live reads, so that histories do not flicker, or None if invalid."""
    number = NUMBER.read(value)
    return None if number is None or abs(number) > _LARGEST else round(number * factor, digits)


def _word(enum: str, **also: str) -> _Convert:
    """Return a conversion of a word, which may follow its enum's name. `also`: what differs in live reads."""
    spellings: dict[str, str | None] = {**dict.fromkeys(_UNKNOWN_WORDS), **also}

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
    """Return the charging power in kW. Only one of the two is above 0."""
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
    """Return the status of a software update. No signal has the status itself."""
    if TEXT.read(version) is None:
        return ""
    for status, progress in (("installing", install), ("downloading", download)):
        if 0 < (NUMBER.read(progress) or 0) < 100:  # noqa: PLR2004 - percent
            return status
    return "scheduled" if starts_at else "available"


class Streamed:
    """A field that cars stream, and the signals from which it follows."""

    def __init__(self, field: Field[Any], *names: str, by: _Convert = _same, needs_all: bool = True) -> None:
        """`needs_all`: whether the field is unknown while some of the signals are."""
        self.field, self.names, self.convert, self.needs_all = field, names, by, needs_all


_SENT_AT: Final = "sent at"
_RIGHT_HAND: Final = "RightHandDrive"
_SIDES: Final = ("HvacLeftTemperatureRequest", "HvacRightTemperatureRequest", _RIGHT_HAND)
_POWERS: Final = ("ACChargingPower", "DCChargingPower")
_FAST_CHARGER: Final = _word("FastCharger", Supercharger="Tesla", SNA="<invalid>")
_WINDOW: Final = _is("WindowState", "PartiallyOpen", "Opened")
_TONNEAU: Final = _is("TonneauPositionState", "PartiallyOpen", "FullyOpen")
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

# Left out: ScheduledChargingStartTime, ScheduledDepartureTime and TpmsLastSeenPressureTime, whose values
# Tesla calls wrong, and RemoteStartEnabled, whose meaning is not documented. Live reads have these fields.
SIGNALS: Final = (
    Streamed(ChargeState.charging_state, "DetailedChargeState", by=_word("DetailedChargeState")),
    Streamed(ChargeState.fast_charger_present, "FastChargerPresent"),
    Streamed(ChargeState.fast_charger_type, "FastChargerType", by=_FAST_CHARGER),
    Streamed(ChargeState.conn_charge_cable, "ChargingCableType", by=_word("CableType", SNA="<invalid>")),
    Streamed(ChargeState.charge_limit_soc, "ChargeLimitSoc", by=_WHOLE),
    Streamed(ChargeState.battery_range, "RatedRange", by=_HUNDREDTHS),
    Streamed(ChargeState.est_battery_range, "EstBatteryRange", by=_HUNDREDTHS),
    Streamed(ChargeState.ideal_battery_range, "IdealBatteryRange", by=_HUNDREDTHS),
    Streamed(ChargeState.battery_level, "BatteryLevel", by=_WHOLE),
    Streamed(ChargeState.usable_battery_level, "Soc", by=_WHOLE),
    # What reaches the battery, also of alternating current: teslamotors/fleet-telemetry, issue 287.
    Streamed(ChargeState.charge_energy_added, "DCChargingEnergyIn", by=_HUNDREDTHS),
    Streamed(ChargeState.charger_voltage, "ChargerVoltage", by=_WHOLE),
    Streamed(ChargeState.charger_actual_current, "ChargeAmps", by=_WHOLE),
    Streamed(ChargeState.charger_power, *_POWERS, by=_charger_power, needs_all=False),
    Streamed(ChargeState.charger_phases, "ChargerPhases"),
    Streamed(ChargeState.time_to_full_charge, "TimeToFullCharge", by=_HUNDREDTHS),
    Streamed(ChargeState.trip_charging, "SuperchargerSessionTripPlanner"),
    Streamed(ChargeState.charge_rate, "ChargeRateMilePerHour", by=_TENTHS),
    Streamed(ChargeState.charge_port_door_open, "ChargePortDoorOpen"),
    Streamed(ChargeState.charge_port_latch, "ChargePortLatch", by=_word("ChargePortLatch")),
    Streamed(ChargeState.charge_port_cold_weather_mode, "ChargePortColdWeatherMode"),
    Streamed(ChargeState.charge_current_request, "ChargeCurrentRequest", by=_WHOLE),
    Streamed(ChargeState.charge_current_request_max, "ChargeCurrentRequestMax", by=_WHOLE),
    Streamed(ChargeState.charge_enable_request, "ChargeEnableRequest"),
    Streamed(ChargeState.scheduled_charging_mode, "ScheduledChargingMode", by=_word("ScheduledChargingMode")),
    Streamed(ChargeState.scheduled_charging_pending, "ScheduledChargingPending"),
    Streamed(ChargeState.preconditioning_enabled, "PreconditioningEnabled"),
    Streamed(ChargeState.battery_heater_on, "BatteryHeaterOn"),
    Streamed(ChargeState.not_enough_power_to_heat, "NotEnoughPowerToHeat"),
    Streamed(ChargeState.energy_remaining, "EnergyRemaining", by=_HUNDREDTHS),
    Streamed(ChargeState.module_temp_min, "ModuleTempMin", by=_TENTHS),
    Streamed(ChargeState.module_temp_max, "ModuleTempMax", by=_TENTHS),
    Streamed(ChargeState.lifetime_energy_used, "LifetimeEnergyUsed", by=_HUNDREDTHS),
    Streamed(ClimateState.inside_temp, "InsideTemp", by=_TENTHS),
    Streamed(ClimateState.outside_temp, "OutsideTemp", by=_TENTHS),
    Streamed(ClimateState.driver_temp_setting, *_SIDES, by=_of_driver),
    Streamed(ClimateState.passenger_temp_setting, *_SIDES, by=_of_passenger),
    Streamed(ClimateState.is_climate_on, "HvacPower", by=_HVAC_ON),
    Streamed(ClimateState.is_auto_conditioning_on, "HvacPower", by=_HVAC_ON),
    Streamed(ClimateState.is_preconditioning, "HvacPower", by=_is("HvacPowerState", "Precondition")),
    Streamed(ClimateState.cabin_overheat_protection_actively_cooling, "HvacPower", by=_COOLING),
    Streamed(ClimateState.fan_status, "HvacFanStatus", by=_WHOLE),
    Streamed(ClimateState.defrost_mode, "DefrostMode", by=_DEFROST),
    Streamed(ClimateState.is_front_defroster_on, "DefrostMode", by=_DEFROST),
    Streamed(ClimateState.is_rear_defroster_on, "RearDefrostEnabled"),
    Streamed(ClimateState.wiper_blade_heater, "WiperHeatEnabled"),
    Streamed(ClimateState.seat_heater_left, "SeatHeaterLeft"),
    Streamed(ClimateState.seat_heater_right, "SeatHeaterRight"),
    Streamed(ClimateState.seat_heater_rear_left, "SeatHeaterRearLeft"),
    Streamed(ClimateState.seat_heater_rear_right, "SeatHeaterRearRight"),
    Streamed(ClimateState.seat_heater_rear_center, "SeatHeaterRearCenter"),
    Streamed(ClimateState.seat_fan_front_left, "ClimateSeatCoolingFrontLeft"),
    Streamed(ClimateState.seat_fan_front_right, "ClimateSeatCoolingFrontRight"),
    Streamed(ClimateState.auto_seat_climate_left, "AutoSeatClimateLeft"),
    Streamed(ClimateState.auto_seat_climate_right, "AutoSeatClimateRight"),
    Streamed(ClimateState.auto_steering_wheel_heat, "HvacSteeringWheelHeatAuto"),
    Streamed(ClimateState.steering_wheel_heat_level, "HvacSteeringWheelHeatLevel"),
    Streamed(ClimateState.steering_wheel_heater, "HvacSteeringWheelHeatLevel", by=_is_above_zero),
    Streamed(ClimateState.climate_keeper_mode, "ClimateKeeperMode", by=_word("ClimateKeeperModeState")),
    Streamed(ClimateState.cabin_overheat_protection, "CabinOverheatProtectionMode", by=_PROTECTION),
    Streamed(ClimateState.cop_activation_temperature, "CabinOverheatProtectionTemperatureLimit", by=_LIMIT),
    Streamed(DriveState.shift_state, "Gear", by=_word("ShiftState")),
    Streamed(DriveState.speed, "VehicleSpeed", by=_WHOLE),
    Streamed(DriveState.power, "PackVoltage", "PackCurrent", by=_power_used),
    Streamed(DriveState.latitude, "Location", by=_part("latitude")),
    Streamed(DriveState.longitude, "Location", by=_part("longitude")),
    # The native position would have precedence, and no signal has it.
    Streamed(DriveState.native_latitude, "Location", by=lambda _: None),
    Streamed(DriveState.native_longitude, "Location", by=lambda _: None),
    Streamed(DriveState.gps_as_of, "Location", _SENT_AT, by=lambda _, at: at),
    Streamed(DriveState.heading, "GpsHeading", by=_WHOLE),
    Streamed(DriveState.active_route_destination, "DestinationName"),
    Streamed(DriveState.active_route_latitude, "DestinationLocation", by=_part("latitude")),
    Streamed(DriveState.active_route_longitude, "DestinationLocation", by=_part("longitude")),
    Streamed(DriveState.active_route_miles_to_arrival, "MilesToArrival", by=_HUNDREDTHS),
    Streamed(DriveState.active_route_minutes_to_arrival, "MinutesToArrival", by=_HUNDREDTHS),
    Streamed(DriveState.active_route_energy_at_arrival, "ExpectedEnergyPercentAtTripArrival", by=_WHOLE),
    Streamed(DriveState.active_route_traffic_minutes_delay, "RouteTrafficMinutesDelay", by=_WHOLE),
    Streamed(VehicleState.locked, "Locked"),
    Streamed(VehicleState.odometer, "Odometer"),
    Streamed(VehicleState.df, "DoorState", by=_part("DriverFront")),
    Streamed(VehicleState.dr, "DoorState", by=_part("DriverRear")),
    Streamed(VehicleState.pf, "DoorState", by=_part("PassengerFront")),
    Streamed(VehicleState.pr, "DoorState", by=_part("PassengerRear")),
    Streamed(VehicleState.ft, "DoorState", by=_part("TrunkFront")),
    Streamed(VehicleState.rt, "DoorState", by=_part("TrunkRear")),
    Streamed(VehicleState.fd_window, "FdWindow", by=_WINDOW),
    Streamed(VehicleState.fp_window, "FpWindow", by=_WINDOW),
    Streamed(VehicleState.rd_window, "RdWindow", by=_WINDOW),
    Streamed(VehicleState.rp_window, "RpWindow", by=_WINDOW),
    Streamed(VehicleState.is_user_present, "DriverSeatOccupied"),
    Streamed(VehicleState.sentry_mode, "SentryMode", by=_SENTRY),
    Streamed(VehicleState.valet_mode, "ValetModeEnabled"),
    Streamed(VehicleState.guest_mode_enabled, "GuestModeEnabled"),
    Streamed(VehicleState.tonneau_position, "TonneauPosition", by=_TONNEAU),
    Streamed(VehicleState.homelink_nearby, "HomelinkNearby"),
    Streamed(VehicleState.homelink_device_count, "HomelinkDeviceCount"),
    Streamed(VehicleState.service_mode, "ServiceMode"),
    Streamed(VehicleState.center_display_state, "CenterDisplay", by=_display),
    Streamed(VehicleState.vehicle_name, "VehicleName"),
    Streamed(VehicleState.car_version, "Version"),
    Streamed(VehicleState.tpms_pressure_fl, "TpmsPressureFl", by=_BAR),
    Streamed(VehicleState.tpms_pressure_fr, "TpmsPressureFr", by=_BAR),
    Streamed(VehicleState.tpms_pressure_rl, "TpmsPressureRl", by=_BAR),
    Streamed(VehicleState.tpms_pressure_rr, "TpmsPressureRr", by=_BAR),
    Streamed(VehicleState.tpms_soft_warning_fl, "TpmsSoftWarnings", by=_part("frontLeft", "front_left")),
    Streamed(VehicleState.tpms_soft_warning_fr, "TpmsSoftWarnings", by=_part("frontRight", "front_right")),
    Streamed(VehicleState.tpms_soft_warning_rl, "TpmsSoftWarnings", by=_part("rearLeft", "rear_left")),
    Streamed(VehicleState.tpms_soft_warning_rr, "TpmsSoftWarnings", by=_part("rearRight", "rear_right")),
    Streamed(VehicleState.tpms_hard_warning_fl, "TpmsHardWarnings", by=_part("frontLeft", "front_left")),
    Streamed(VehicleState.tpms_hard_warning_fr, "TpmsHardWarnings", by=_part("frontRight", "front_right")),
    Streamed(VehicleState.tpms_hard_warning_rl, "TpmsHardWarnings", by=_part("rearLeft", "rear_left")),
    Streamed(VehicleState.tpms_hard_warning_rr, "TpmsHardWarnings", by=_part("rearRight", "rear_right")),
    Streamed(SpeedLimitMode.active, "SpeedLimitMode"),
    Streamed(SpeedLimitMode.current_limit_mph, "CurrentLimitMph"),
    Streamed(SoftwareUpdate.status, *_UPDATE, by=_update_status),
    Streamed(SoftwareUpdate.version, "SoftwareUpdateVersion"),
    Streamed(SoftwareUpdate.download_perc, "SoftwareUpdateDownloadPercentComplete", by=_WHOLE),
    Streamed(SoftwareUpdate.install_perc, "SoftwareUpdateInstallationPercentComplete", by=_WHOLE),
    Streamed(SoftwareUpdate.expected_duration_sec, "SoftwareUpdateExpectedDurationMinutes", by=_FROM_MINUTES),
    Streamed(MediaInfo.media_playback_status, "MediaPlaybackStatus", by=_word("MediaStatus")),
    Streamed(MediaInfo.now_playing_source, "MediaPlaybackSource"),
    Streamed(MediaInfo.audio_volume, "MediaAudioVolume"),
    Streamed(MediaInfo.audio_volume_increment, "MediaAudioVolumeIncrement"),
    Streamed(MediaInfo.audio_volume_max, "MediaAudioVolumeMax"),
    Streamed(MediaInfo.now_playing_duration, "MediaNowPlayingDuration"),
    Streamed(MediaInfo.now_playing_elapsed, "MediaNowPlayingElapsed"),
    Streamed(MediaInfo.now_playing_artist, "MediaNowPlayingArtist"),
    Streamed(MediaInfo.now_playing_title, "MediaNowPlayingTitle"),
    Streamed(MediaInfo.now_playing_album, "MediaNowPlayingAlbum"),
    Streamed(MediaInfo.now_playing_station, "MediaNowPlayingStation"),
    Streamed(VehicleConfig.rhd, _RIGHT_HAND),
)
_BY_NAME: Final[dict[str, list[Streamed]]] = {}
for _each in SIGNALS:
    for _name in _each.names:
        _BY_NAME.setdefault(_name, []).append(_each)


def signals_of(fields: Collection[Field[Any]]) -> set[str]:
    return {name for line in SIGNALS if line.field in fields for name in line.names if name != _SENT_AT}


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
        """Return the fields of a message's newer signals, as in a live read. `sent_at`: Unix seconds."""
        known = {name: value for name, value in signals.items() if name in _BY_NAME}
        self.unknown_count += len(signals) - len(known)
        newer = {name: value for name, value in known.items() if self._sent_at.get(name, sent_at) <= sent_at}
        self._newest |= newer | {_SENT_AT: sent_at}
        self._sent_at |= dict.fromkeys(newer, sent_at)
        changed = dict.fromkeys(line for name in newer for line in _BY_NAME[name])
        return {
            line.field: line.convert(*map(self._newest.get, line.names))
            for line in changed
            if not line.needs_all or self._newest.keys() >= {*line.names}
        }
