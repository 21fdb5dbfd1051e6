"""The table of fields: every field of every record, in the order of the interface document.

A comment names the entity that uses a field without an entity of its own. Interface document, "Resources and
their fields".
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Final, Self, override

from . import value_types as types
from .fields import BINARY_SENSOR, SENSOR, Field, Nested, Record, ShownAs


def _fleet[T](value_type: types.ValueType[T], shown_as: ShownAs | None = None, **properties: Any) -> Field[T]:
    """Return a field that only services of the Fleet API's family report. `properties`: those of `Field`."""
    return Field(value_type, shown_as, fleet_only=True, **properties)


def _if_known(value: Any, other: Any) -> Any:
    return None if other is None else value


def _not(value: bool | None) -> bool | None:  # noqa: FBT001
    return None if value is None else not value


def _any(*values: bool | None) -> bool | None:
    """Return whether any value is true, or None if that is unknown."""
    return any(values) or (None if None in values else False)


class VehicleConfig(Record, key="vehicle_config"):
    """The car's model and equipment."""

    can_accept_navigation_requests = Field(types.FLAG)
    can_actuate_trunks = Field(types.FLAG)  # cover: trunk and frunk
    car_special_type = Field(types.TEXT)
    car_type = Field(types.TEXT)  # the device's model
    charge_port_type = Field(types.TEXT)
    exterior_color = Field(types.TEXT, SENSOR, diagnostic=True)
    perf_config = Field(types.TEXT)
    roof_color = Field(types.TEXT, SENSOR, diagnostic=True, enabled=False)
    spoiler_type = Field(types.TEXT, SENSOR, diagnostic=True, enabled=False)
    third_row_seats = Field(types.INSTALLED)  # seat heaters
    trim_badging = Field(types.TEXT)  # the device's model
    wheel_type = Field(types.TEXT, SENSOR, diagnostic=True, enabled=False)
    eu_vehicle = Field(types.FLAG)
    has_ludicrous_mode = Field(types.FLAG)
    motorized_charge_port = Field(types.FLAG)  # cover: charge port
    plg = Field(types.FLAG)  # cover: trunk
    rhd = Field(types.FLAG)
    has_air_suspension = Field(types.FLAG)
    rear_seat_heaters = Field(types.INTEGER)  # seat heaters
    rear_seat_type = Field(types.INTEGER)
    seat_type = Field(types.INTEGER)
    sun_roof_installed = Field(types.SUNROOF)  # cover: sunroof
    timestamp = Field(types.RECORD_TIMESTAMP)
    cop_user_set_temp_supported = _fleet(types.FLAG)  # climate: cabin overheat protection
    has_seat_cooling = _fleet(types.FLAG)  # select: seat cooling


class GuiSettings(Record, key="gui_settings"):
    """Settings of the car's display. They don't change the units of the other records."""

    gui_distance_units = Field(types.TEXT)
    gui_temperature_units = Field(types.TEXT)
    gui_charge_rate_units = Field(types.TEXT)
    gui_24_hour_time = Field(types.FLAG)
    gui_range_display = Field(types.one_of("Rated", "Ideal"))  # which range is enabled
    timestamp = Field(types.RECORD_TIMESTAMP)


CHARGING_STATES: Final = ("starting", "charging")
"""The states of a car that charges, or is about to."""
_CHARGING: Final = types.one_of("Disconnected", "NoPower", "Starting", "Charging", "Complete", "Stopped")
_SHOWN_RANGE: Final = GuiSettings.gui_range_display
_LATCH: Final = types.one_of("Engaged", "Disengaged", "Blocking")
_SCHEDULE: Final = types.one_of("Off", "StartAt", "DepartBy")
_SCHEDULED_DAYS: Final = types.one_of("all_week", "weekdays")
_CABLE: Final = types.one_of("SAE", "IEC", "GB_AC", "GB_DC", also={"<invalid>": "none"})


def _cable_unless_asleep(cable: str | None, charging_state: str | None) -> str | None:
    """Return None if a charger that sleeps does not see the cable."""
    return None if cable == "none" and charging_state not in (None, "disconnected") else cable


def _zero_while_idle(value: float | None, charging_state: str | None) -> float | None:
    """Return 0 if a charger that sleeps does not report its power or current."""
    return 0 if value is None and charging_state not in (None, *CHARGING_STATES) else value


class ChargeState(Record, key="charge_state"):
    """Battery, charge port and charger."""

    charging_state = Field(_CHARGING, SENSOR)
    fast_charger_type = Field(types.TEXT, SENSOR, diagnostic=True, enabled=False)
    fast_charger_brand = Field(types.TEXT, SENSOR, diagnostic=True, enabled=False)
    conn_charge_cable = Field(
        _CABLE, SENSOR, diagnostic=True, enabled=False, depends_on=(charging_state, _cable_unless_asleep)
    )
    charge_limit_soc = Field(types.PERCENT)  # number
    charge_limit_soc_std = Field(types.PERCENT)  # button: charge_standard
    charge_limit_soc_min = Field(types.PERCENT)  # number
    charge_limit_soc_max = Field(types.PERCENT)  # number
    charge_to_max_range = Field(types.FLAG, BINARY_SENSOR, diagnostic=True, enabled=False)
    max_range_charge_counter = Field(types.COUNTER, SENSOR, diagnostic=True, enabled=False)
    fast_charger_present = Field(types.FLAG, BINARY_SENSOR)
    # Enable the range that the car's own display shows.
    battery_range = Field(types.MILES, SENSOR, enabled_if=(_SHOWN_RANGE, "rated"))
    est_battery_range = Field(types.MILES, SENSOR, enabled=False)
    ideal_battery_range = Field(types.MILES, SENSOR, enabled=False, enabled_if=(_SHOWN_RANGE, "ideal"))
    battery_level = Field(types.CHARGE_LEVEL, SENSOR)
    usable_battery_level = Field(types.CHARGE_LEVEL, SENSOR, diagnostic=True, enabled=False)
    charge_energy_added = Field(types.KILOWATT_HOURS, SENSOR)
    charge_miles_added_rated = Field(types.MILES_ADDED, SENSOR, enabled=False)
    charge_miles_added_ideal = Field(types.MILES_ADDED, SENSOR, enabled=False)
    charger_voltage = Field(types.VOLTS, SENSOR, diagnostic=True)
    charger_pilot_current = Field(types.AMPERES, SENSOR, diagnostic=True, enabled=False)
    charger_actual_current = Field(
        types.AMPERES, SENSOR, diagnostic=True, depends_on=(charging_state, _zero_while_idle)
    )
    charger_power = Field(types.KILOWATTS, SENSOR, depends_on=(charging_state, _zero_while_idle))
    time_to_full_charge = Field(types.HOURS)  # sensor: charge finish
    trip_charging = Field(types.FLAG, BINARY_SENSOR, diagnostic=True, enabled=False)
    charge_rate = Field(types.MILES_PER_HOUR, SENSOR, diagnostic=True)
    charge_port_door_open = Field(types.LID)  # cover: charge port
    charge_port_latch = Field(_LATCH, SENSOR, diagnostic=True, enabled=False)
    charge_current_request = Field(types.AMPERES, SENSOR, diagnostic=True)
    charge_current_request_max = Field(types.AMPERES, SENSOR, diagnostic=True, enabled=False)
    scheduled_charging_pending = Field(types.FLAG, BINARY_SENSOR)
    charge_enable_request = Field(types.FLAG, BINARY_SENSOR, diagnostic=True, enabled=False)
    managed_charging_active = Field(types.FLAG, BINARY_SENSOR, diagnostic=True, retired=True)
    managed_charging_user_canceled = Field(types.FLAG, BINARY_SENSOR, diagnostic=True, retired=True)
    battery_heater_on = Field(types.HEATING, BINARY_SENSOR, diagnostic=True)
    not_enough_power_to_heat = Field(types.PROBLEM, BINARY_SENSOR, diagnostic=True, enabled=False)
    timestamp = Field(types.RECORD_TIMESTAMP, SENSOR, diagnostic=True, enabled=False)
    scheduled_charging_start_time = Field(types.TIMESTAMP, SENSOR)
    user_charge_enable_request = Field(types.FLAG, BINARY_SENSOR, diagnostic=True, enabled=False)
    charger_phases = Field(types.COUNT, SENSOR, diagnostic=True, enabled=False)
    managed_charging_start_time = Field(types.TIMESTAMP, SENSOR, diagnostic=True, retired=True)
    charge_port_cold_weather_mode = Field(types.COLD, BINARY_SENSOR, diagnostic=True, enabled=False)
    energy_remaining = _fleet(types.STORED_ENERGY, SENSOR, diagnostic=True)
    preconditioning_enabled = _fleet(types.FLAG, BINARY_SENSOR, enabled=False)
    scheduled_charging_mode = _fleet(_SCHEDULE, SENSOR, diagnostic=True, enabled=False)
    # The car keeps the time of an earlier departure.
    _if_departure = (scheduled_charging_mode, lambda time, mode: time if mode == "depart_by" else None)
    scheduled_departure_time = _fleet(types.TIMESTAMP, SENSOR, enabled=False, depends_on=_if_departure)
    module_temp_min = _fleet(types.CELSIUS, SENSOR, diagnostic=True, enabled=False)
    module_temp_max = _fleet(types.CELSIUS, SENSOR, diagnostic=True, enabled=False)
    lifetime_energy_used = _fleet(types.KILOWATT_HOURS, SENSOR, diagnostic=True, enabled=False)
    off_peak_charging_enabled = _fleet(types.FLAG, BINARY_SENSOR, diagnostic=True, enabled=False)
    off_peak_charging_times = _fleet(_SCHEDULED_DAYS, SENSOR, diagnostic=True, enabled=False)
    off_peak_hours_end_time = _fleet(types.TIME_OF_DAY, SENSOR, diagnostic=True, enabled=False)

    @property
    def is_plugged_in(self) -> bool | None:
        """Whether a cable is plugged in. A charger that sleeps sees none, so the charging state decides."""
        if self.charging_state is not None:
            return self.charging_state != "disconnected"
        return None if self.conn_charge_cable is None else self.conn_charge_cable != "none"

    @property
    def is_charging(self) -> bool | None:
        """Whether the car charges, or is about to, or None if unknown."""
        return None if self.charging_state is None else self.charging_state in CHARGING_STATES

    @property
    def is_at_limit(self) -> bool:
        """Whether the battery level has reached the charge limit, as both are shown: in whole percent."""
        level, limit = self.battery_level, self.charge_limit_soc
        return level is not None and limit is not None and round(level) >= round(limit)


_REAR_HEATERS: Final = VehicleConfig.rear_seat_heaters
_THIRD_ROW: Final = VehicleConfig.third_row_seats
_KEEPER: Final = types.one_of("off", "on", "dog", "camp", also={"keep": "on", "party": "camp"})


class ClimateState(Record, key="climate_state"):
    """Climate control, heaters and temperatures."""

    inside_temp = Field(types.CELSIUS, SENSOR)
    outside_temp = Field(types.CELSIUS, SENSOR)
    driver_temp_setting = Field(types.CELSIUS, SENSOR, diagnostic=True, enabled=False)
    passenger_temp_setting = Field(types.CELSIUS)  # climate, number
    min_avail_temp = Field(types.CELSIUS)  # climate, number
    max_avail_temp = Field(types.CELSIUS)  # climate, number
    left_temp_direction = Field(types.INTEGER, SENSOR, diagnostic=True, enabled=False)
    right_temp_direction = Field(types.INTEGER, SENSOR, diagnostic=True, enabled=False)
    is_front_defroster_on = Field(types.RUNNING, BINARY_SENSOR, diagnostic=True)
    is_rear_defroster_on = Field(types.HEATING, BINARY_SENSOR, diagnostic=True)
    fan_status = Field(types.COUNT, SENSOR, diagnostic=True, enabled=False)
    is_climate_on = Field(types.FLAG)  # climate
    is_auto_conditioning_on = Field(types.FLAG, BINARY_SENSOR, diagnostic=True, enabled=False)
    is_preconditioning = Field(types.FLAG, BINARY_SENSOR)
    smart_preconditioning = Field(types.FLAG, BINARY_SENSOR, diagnostic=True, enabled=False)
    battery_heater = Field(types.HEATING, BINARY_SENSOR, diagnostic=True, enabled=False)
    battery_heater_no_power = Field(types.PROBLEM, BINARY_SENSOR, diagnostic=True, enabled=False)
    steering_wheel_heater = Field(types.HEATING, BINARY_SENSOR, diagnostic=True)
    wiper_blade_heater = Field(types.HEATING, BINARY_SENSOR, diagnostic=True, enabled=False)
    side_mirror_heaters = Field(types.HEATING, BINARY_SENSOR, diagnostic=True, enabled=False)
    seat_heater_left = Field(types.SEAT_HEATER, SENSOR)
    seat_heater_right = Field(types.SEAT_HEATER, SENSOR)
    seat_heater_rear_left = Field(types.SEAT_HEATER, SENSOR, enabled=False, shown_if=_REAR_HEATERS)
    seat_heater_rear_right = Field(types.SEAT_HEATER, SENSOR, enabled=False, shown_if=_REAR_HEATERS)
    seat_heater_rear_center = Field(types.SEAT_HEATER, SENSOR, enabled=False, shown_if=_REAR_HEATERS)
    seat_heater_rear_right_back = Field(
        types.SEAT_HEATER, SENSOR, diagnostic=True, enabled=False, shown_if=_REAR_HEATERS
    )
    seat_heater_rear_left_back = Field(
        types.SEAT_HEATER, SENSOR, diagnostic=True, enabled=False, shown_if=_REAR_HEATERS
    )
    seat_heater_third_row_left = Field(types.SEAT_HEATER, SENSOR, enabled=False, shown_if=_THIRD_ROW)
    seat_heater_third_row_right = Field(types.SEAT_HEATER, SENSOR, enabled=False, shown_if=_THIRD_ROW)
    climate_keeper_mode = Field(_KEEPER, SENSOR)
    remote_heater_control_enabled = Field(types.FLAG, BINARY_SENSOR, diagnostic=True, enabled=False)
    timestamp = Field(types.RECORD_TIMESTAMP)
    auto_seat_climate_left = _fleet(types.FLAG)  # switch
    auto_seat_climate_right = _fleet(types.FLAG)  # switch
    auto_steering_wheel_heat = _fleet(types.FLAG)  # switch
    bioweapon_mode = _fleet(types.FLAG)  # switch
    cabin_overheat_protection = _fleet(types.one_of("Off", "On", "FanOnly"))  # climate
    cabin_overheat_protection_actively_cooling = _fleet(types.RUNNING, BINARY_SENSOR, enabled=False)
    cop_activation_temperature = _fleet(types.one_of("Low", "Medium", "High"))  # climate
    defrost_mode = _fleet(types.DEFROSTING)  # switch
    seat_fan_front_left = _fleet(types.HEAT_LEVELS, shown_if=VehicleConfig.has_seat_cooling)  # select
    seat_fan_front_right = _fleet(types.HEAT_LEVELS, shown_if=VehicleConfig.has_seat_cooling)  # select
    steering_wheel_heat_level = _fleet(types.WHEEL_LEVELS)  # select
    supports_fan_only_cabin_overheat_protection = _fleet(types.FLAG)  # climate: cabin overheat protection


class DriveState(Record, key="drive_state"):
    """Location, speed and gear."""

    # A parked car sends null, or an empty text with older software.
    shift_state = Field(types.one_of("P", "R", "N", "D", null="p", also={"": "p"}), SENSOR)
    speed = Field(types.SPEED, SENSOR)
    power = Field(types.KILOWATTS, SENSOR, diagnostic=True, enabled=False)
    latitude = Field(types.LATITUDE, private=True)  # tracker
    longitude = Field(types.LONGITUDE, private=True)  # tracker
    heading = Field(types.DEGREES, SENSOR, diagnostic=True, enabled=False)
    gps_as_of = Field(types.RECORD_TIMESTAMP, SENSOR, diagnostic=True, enabled=False)
    native_location_supported = Field(types.FLAG)  # tracker
    native_latitude = Field(types.LATITUDE, private=True)  # tracker
    native_longitude = Field(types.LONGITUDE, private=True)  # tracker
    native_type = Field(types.TEXT)  # tracker
    timestamp = Field(types.RECORD_TIMESTAMP)
    # The car navigates while it reports a destination. Without one, the other values mean nothing.
    active_route_destination = _fleet(types.TEXT, SENSOR, private=True)
    _navigating = (active_route_destination, _if_known)
    active_route_latitude = _fleet(types.LATITUDE, private=True, depends_on=_navigating)  # tracker: route
    active_route_longitude = _fleet(types.LONGITUDE, private=True, depends_on=_navigating)  # tracker: route
    active_route_miles_to_arrival = _fleet(types.MILES, SENSOR, depends_on=_navigating)
    active_route_minutes_to_arrival = _fleet(types.MINUTES, depends_on=_navigating)  # sensor: arrival
    active_route_energy_at_arrival = _fleet(types.LEVEL_AT_ARRIVAL, SENSOR, depends_on=_navigating)
    active_route_traffic_minutes_delay = _fleet(types.MINUTES, SENSOR, enabled=False, depends_on=_navigating)

    location: ClassVar[tuple[Field[Any], ...]] = (
        latitude,
        longitude,
        heading,
        gps_as_of,
        native_location_supported,
        native_latitude,
        native_longitude,
        native_type,
    )
    """The fields that some services leave out unless they are asked for."""

    @property
    def is_driving(self) -> bool | None:
        """Whether a gear is selected, also neutral, or None if unknown."""
        return None if self.shift_state is None else self.shift_state in ("d", "r", "n")

    @property
    def position(self) -> tuple[float, float] | None:
        """Latitude and longitude in degrees, or None if neither pair is complete.

        The native pair is the GPS position. In China, the law requires the other pair to be shifted.
        """
        other, native = (self.latitude, self.longitude), (self.native_latitude, self.native_longitude)
        pairs = [other]
        if self.native_type == "wgs":
            pairs = [native, other] if self.native_location_supported else [other, native]
        for north, east in pairs:
            if north is not None and east is not None:
                return north, east
        return None


class MediaState(Record, key="vehicle_state.media_state"):
    """Media player."""

    remote_control_enabled = Field(types.FLAG, BINARY_SENSOR, diagnostic=True, enabled=False)


class MediaInfo(Record, key="vehicle_state.media_info"):
    """What the media player plays."""

    audio_volume = _fleet(types.NUMBER)
    audio_volume_increment = _fleet(types.NUMBER)
    audio_volume_max = _fleet(types.NUMBER)
    media_playback_status = _fleet(types.one_of("Playing", "Paused", "Stopped"))
    now_playing_album = _fleet(types.TEXT, private=True)
    now_playing_artist = _fleet(types.TEXT, private=True)
    now_playing_duration = _fleet(types.TRACK_LENGTH)
    now_playing_elapsed = _fleet(types.MILLISECONDS, depends_on=(now_playing_duration, _if_known))
    now_playing_source = _fleet(types.TEXT)
    now_playing_station = _fleet(types.TEXT, private=True)
    now_playing_title = _fleet(types.TEXT, private=True)


_UPDATE: Final = types.one_of(
    "available", "scheduled", "downloading", "downloading_wifi_wait", "installing", also={"": "none"}
)


class SoftwareUpdate(Record, key="vehicle_state.software_update"):
    """Update of the car's software."""

    expected_duration_sec = Field(types.SECONDS, SENSOR, diagnostic=True, enabled=False)
    status = Field(_UPDATE, SENSOR, diagnostic=True)
    download_perc = _fleet(types.PERCENT, SENSOR, diagnostic=True, enabled=False)
    install_perc = _fleet(types.PERCENT)  # update
    version = _fleet(types.TEXT)  # update


class SpeedLimitMode(Record, key="vehicle_state.speed_limit_mode"):
    """Speed limit mode, which limits the car's speed while it is active."""

    active = Field(types.FLAG, BINARY_SENSOR)
    current_limit_mph = Field(types.MILES_PER_HOUR)  # number
    max_limit_mph = Field(types.MILES_PER_HOUR)  # number
    min_limit_mph = Field(types.MILES_PER_HOUR)  # number
    pin_code_set = Field(types.FLAG, BINARY_SENSOR, diagnostic=True, enabled=False)


_DISPLAY: Final = types.coded(
    "off", "dim", "accessory", "on", "driving", "charging", "lock", "sentry", "dog", "entertainment"
)
# In Home Assistant, the state `unavailable` has a meaning of its own.
_AUTOPARK: Final = types.one_of(
    "standby",
    "ready",
    "preparing",
    "active_forward",
    "active_reverse",
    "aborting",
    "disabled",
    also={"unavailable": "not_available"},
)


class VehicleState(Record, key="vehicle_state"):
    """Doors, locks, remote start and software."""

    api_version = Field(types.INTEGER)
    autopark_state = Field(_AUTOPARK, SENSOR, diagnostic=True, retired=True)
    autopark_state_v2 = Field(_AUTOPARK, SENSOR, diagnostic=True, enabled=False)
    autopark_style = Field(types.TEXT, SENSOR, diagnostic=True, retired=True)
    last_autopark_error = Field(types.TEXT, SENSOR, diagnostic=True, retired=True)
    calendar_supported = Field(types.FLAG, BINARY_SENSOR, diagnostic=True, retired=True)
    parsed_calendar_supported = Field(types.FLAG, BINARY_SENSOR, diagnostic=True, retired=True)
    notifications_supported = Field(types.FLAG, BINARY_SENSOR, diagnostic=True, retired=True)
    car_version = Field(types.TEXT)  # the device's software
    center_display_state = Field(_DISPLAY, SENSOR, diagnostic=True, enabled=False)
    df = Field(types.DOOR, BINARY_SENSOR)
    dr = Field(types.DOOR, BINARY_SENSOR)
    ft = Field(types.LID)  # cover: frunk
    pf = Field(types.DOOR, BINARY_SENSOR)
    pr = Field(types.DOOR, BINARY_SENSOR)
    rt = Field(types.LID)  # cover: trunk
    homelink_nearby = Field(types.FLAG, BINARY_SENSOR, diagnostic=True)
    is_user_present = Field(types.PRESENCE, BINARY_SENSOR)
    locked = Field(types.FLAG)  # lock
    media_state = Nested(MediaState)
    odometer = Field(types.ODOMETER, SENSOR)
    remote_start = Field(types.FLAG, BINARY_SENSOR)
    remote_start_supported = Field(types.FLAG, BINARY_SENSOR, diagnostic=True, enabled=False)
    remote_start_enabled = Field(types.FLAG, BINARY_SENSOR, diagnostic=True, enabled=False)
    sentry_mode = Field(types.RUNNING, BINARY_SENSOR)
    software_update = Nested(SoftwareUpdate)
    speed_limit_mode = Nested(SpeedLimitMode)
    sun_roof_percent_open = Field(types.PERCENT)  # cover: sunroof
    sun_roof_state = Field(types.one_of("closed", "open", "vent", "moving", "calibrating"))  # cover: sunroof
    valet_mode = Field(types.FLAG)  # switch
    vehicle_name = Field(types.TEXT, private=True)  # the device's name
    timestamp = Field(types.RECORD_TIMESTAMP)
    autopark_state_v3 = _fleet(_AUTOPARK, SENSOR, diagnostic=True, enabled=False)
    dashcam_state = _fleet(types.RECORDING, BINARY_SENSOR, enabled=False)
    fd_window = _fleet(types.WINDOW, BINARY_SENSOR)
    fp_window = _fleet(types.WINDOW, BINARY_SENSOR)
    rd_window = _fleet(types.WINDOW, BINARY_SENSOR)
    rp_window = _fleet(types.WINDOW, BINARY_SENSOR)
    guest_mode_enabled = _fleet(types.FLAG)  # switch, only streamed
    homelink_device_count = _fleet(types.COUNT)  # button: HomeLink
    media_info = Nested(MediaInfo)
    service_mode = _fleet(types.FLAG, BINARY_SENSOR, diagnostic=True, enabled=False)
    tonneau_position = _fleet(types.LID)  # cover: tonneau, only streamed
    tpms_pressure_fl = _fleet(types.BAR, SENSOR)
    tpms_pressure_fr = _fleet(types.BAR, SENSOR)
    tpms_pressure_rl = _fleet(types.BAR, SENSOR)
    tpms_pressure_rr = _fleet(types.BAR, SENSOR)
    tpms_last_seen_pressure_time_fl = _fleet(types.TIMESTAMP, SENSOR, diagnostic=True, enabled=False)
    tpms_last_seen_pressure_time_fr = _fleet(types.TIMESTAMP, SENSOR, diagnostic=True, enabled=False)
    tpms_last_seen_pressure_time_rl = _fleet(types.TIMESTAMP, SENSOR, diagnostic=True, enabled=False)
    tpms_last_seen_pressure_time_rr = _fleet(types.TIMESTAMP, SENSOR, diagnostic=True, enabled=False)
    tpms_rcp_front_value = _fleet(types.BAR, SENSOR, diagnostic=True, enabled=False)
    tpms_rcp_rear_value = _fleet(types.BAR, SENSOR, diagnostic=True, enabled=False)
    tpms_soft_warning_fl = _fleet(types.PROBLEM, BINARY_SENSOR, diagnostic=True, enabled=False)
    tpms_soft_warning_fr = _fleet(types.PROBLEM, BINARY_SENSOR, diagnostic=True, enabled=False)
    tpms_soft_warning_rl = _fleet(types.PROBLEM, BINARY_SENSOR, diagnostic=True, enabled=False)
    tpms_soft_warning_rr = _fleet(types.PROBLEM, BINARY_SENSOR, diagnostic=True, enabled=False)
    tpms_hard_warning_fl = _fleet(types.PROBLEM)  # binary sensor: tire pressure low
    tpms_hard_warning_fr = _fleet(types.PROBLEM)  # binary sensor: tire pressure low
    tpms_hard_warning_rl = _fleet(types.PROBLEM)  # binary sensor: tire pressure low
    tpms_hard_warning_rr = _fleet(types.PROBLEM)  # binary sensor: tire pressure low

    @property
    def software_version(self) -> str | None:
        """The version without the build, which follows after a space."""
        return (self.car_version or "").partition(" ")[0] or None

    @override
    def _copy(self, values: dict[str, Any], raw: Mapping[str, Any]) -> Self:
        record = super()._copy(values, raw)
        update = record.software_update
        if update.status is not None and update.version and update.version == record.software_version:
            # Some cars still report an update that is installed.
            vars(record)["software_update"] = update.with_value("status", "none")
        return record


class Vehicle(Record, key=""):
    """A vehicle's record, with all other records of the car."""

    id = Field(types.IDENTIFIER, private=True)
    user_id = Field(types.IDENTIFIER, private=True, secret=True)
    vehicle_id = Field(types.IDENTIFIER, private=True)
    vin = Field(types.VIN, private=True)
    display_name = Field(types.TEXT, private=True)  # the device's name
    option_codes = Field(types.TEXT, SENSOR, diagnostic=True, retired=True)
    color = Field(types.TEXT)
    tokens = Field(types.ANYTHING, private=True, secret=True)
    state = Field(types.one_of("online", "asleep", "offline"), SENSOR)
    in_service = Field(types.FLAG, BINARY_SENSOR, diagnostic=True)
    id_s = Field(types.IDENTIFIER, private=True)
    calendar_enabled = Field(types.FLAG, BINARY_SENSOR, diagnostic=True, retired=True)
    api_version = Field(types.INTEGER, SENSOR, diagnostic=True, retired=True)
    backseat_token = Field(types.ANYTHING, private=True, secret=True)
    backseat_token_updated_at = Field(types.ANYTHING, private=True, secret=True)

    gui_settings = Nested(GuiSettings)
    vehicle_state = Nested(VehicleState)
    climate_state = Nested(ClimateState)
    charge_state = Nested(ChargeState)
    drive_state = Nested(DriveState)
    vehicle_config = Nested(VehicleConfig)

    @property
    def path_id(self) -> str | None:
        """The id used in request paths. `id_s` keeps all digits in clients that read numbers as floats."""
        return self.id_s or self.id

    @property
    def name(self) -> str | None:
        """The car's name. The name that the car reports is newer than the account's."""
        return self.vehicle_state.vehicle_name or self.display_name

    @property
    def is_online(self) -> bool | None:
        """Whether the car answers requests, or None if unknown."""
        return None if self.state is None else self.state == "online"

    @property
    def is_any_door_open(self) -> bool | None:
        return _any(*(door.get(self) for door in DOORS))

    @property
    def is_any_window_open(self) -> bool | None:
        return _any(*(window.get(self) for window in WINDOWS))

    @property
    def are_windows_left_open(self) -> bool | None:
        """Whether a window is open and the car is empty and parked, or None if that is unknown."""
        return self._is_left(secured=_not(self.is_any_window_open))

    @property
    def is_left_unlocked(self) -> bool | None:
        """Whether the car is unlocked, empty and parked, or None if that is unknown."""
        return self._is_left(secured=self.vehicle_state.locked)

    @property
    def low_tires(self) -> list[str] | None:
        """The tires whose pressure the car warns of, or None if that is unknown."""
        found = {tire: [field.get(self) for field in fields] for tire, fields in TIRE_WARNINGS.items()}
        low = [tire for tire, warnings in found.items() if any(warnings)]
        is_known = all(False in warnings for warnings in found.values())
        return low if low or is_known else None

    def _is_left(self, *, secured: bool | None) -> bool | None:
        """Return whether the car is empty, parked and not secured."""
        return _not(_any(secured, self.vehicle_state.is_user_present, self.drive_state.is_driving))


FIELDS: Final[tuple[Field[Any], ...]] = tuple(Vehicle.all_fields())
DOORS: Final = (
    VehicleState.df,
    VehicleState.dr,
    VehicleState.pf,
    VehicleState.pr,
    VehicleState.ft,
    VehicleState.rt,
)
"""All doors, the frunk and the trunk."""
WINDOWS: Final = (
    VehicleState.fd_window,
    VehicleState.rd_window,
    VehicleState.fp_window,
    VehicleState.rp_window,
)
TIRE_WARNINGS: Final = {
    "front_left": (VehicleState.tpms_soft_warning_fl, VehicleState.tpms_hard_warning_fl),
    "front_right": (VehicleState.tpms_soft_warning_fr, VehicleState.tpms_hard_warning_fr),
    "rear_left": (VehicleState.tpms_soft_warning_rl, VehicleState.tpms_hard_warning_rl),
    "rear_right": (VehicleState.tpms_soft_warning_rr, VehicleState.tpms_hard_warning_rr),
}
_SECRET_NAMES: Final = frozenset(field.name for field in FIELDS if field.secret)


def without_secrets(response: Any) -> Any:
    """Return a response without the fields that must not be stored, at any depth."""
    if isinstance(response, dict):
        return {name: without_secrets(value) for name, value in response.items() if name not in _SECRET_NAMES}
    if isinstance(response, list):
        return [without_secrets(item) for item in response]
    return response
