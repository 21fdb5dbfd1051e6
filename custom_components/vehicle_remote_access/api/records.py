"""THE TABLE of fields: every field of every record, in the order of the interface document.

A field that is shown nowhere by itself says who uses it. Interface document, "Resources and their fields".
"""

from typing import Any, Final

from .fields import BINARY, SENSOR, Field, Nested, Record
from .value_types import (
    AMPERES,
    ANYTHING,
    CELSIUS,
    CHARGE_LEVEL,
    CLOCK,
    COLD,
    COUNT,
    COUNTER,
    DEGREES,
    DOOR,
    FITTED,
    FLAG,
    HEATING,
    HOURS,
    IDENTIFIER,
    KILOWATT_HOURS,
    KILOWATTS,
    LATITUDE,
    LID,
    LONGITUDE,
    MILES,
    MILES_ADDED,
    MILES_PER_HOUR,
    MOMENT,
    ODOMETER,
    PERCENT,
    PRESENCE,
    PROBLEM,
    RUNNING,
    SEAT_HEAT,
    SECONDS,
    SPEED,
    TEXT,
    VOLTS,
    WHOLE,
    coded,
    one_of,
)


class VehicleConfig(Record, key="vehicle_config"):
    """What the car is and what it has."""

    can_accept_navigation_requests = Field(FLAG)
    can_actuate_trunks = Field(FLAG)  # cover: trunk and frunk
    car_special_type = Field(TEXT)
    car_type = Field(TEXT)  # the device's model
    charge_port_type = Field(TEXT)
    exterior_color = Field(TEXT, SENSOR, diagnostic=True, enabled=False)
    perf_config = Field(TEXT)
    roof_color = Field(TEXT, SENSOR, diagnostic=True, enabled=False)
    spoiler_type = Field(TEXT, SENSOR, diagnostic=True, enabled=False)
    third_row_seats = Field(FITTED)  # seat heaters
    trim_badging = Field(TEXT)  # the device's model
    wheel_type = Field(TEXT, SENSOR, diagnostic=True, enabled=False)
    eu_vehicle = Field(FLAG)
    has_ludicrous_mode = Field(FLAG)
    motorized_charge_port = Field(FLAG)  # cover: charge port
    plg = Field(FLAG)  # cover: trunk
    rhd = Field(FLAG)
    has_air_suspension = Field(FLAG)
    rear_seat_heaters = Field(WHOLE)  # seat heaters
    rear_seat_type = Field(WHOLE)
    seat_type = Field(WHOLE)
    sun_roof_installed = Field(WHOLE)  # cover: sun roof
    timestamp = Field(CLOCK)


class GuiSettings(Record, key="gui_settings"):
    """How the car's own display shows things. The other records keep their units whatever it says."""

    gui_distance_units = Field(TEXT)
    gui_temperature_units = Field(TEXT)
    gui_charge_rate_units = Field(TEXT)
    gui_24_hour_time = Field(FLAG)
    gui_range_display = Field(one_of("Rated", "Ideal"))  # which range is enabled
    timestamp = Field(CLOCK)


class ChargeState(Record, key="charge_state"):
    """The battery, the charger, and what is between them."""

    charging_state = Field(
        one_of("Disconnected", "NoPower", "Starting", "Charging", "Complete", "Stopped"), SENSOR
    )
    fast_charger_type = Field(TEXT, SENSOR, diagnostic=True, enabled=False)
    fast_charger_brand = Field(TEXT, SENSOR, diagnostic=True, enabled=False)
    conn_charge_cable = Field(
        one_of("SAE", "IEC", "GB_AC", "GB_DC", also={"<invalid>": "none"}),
        SENSOR,
        diagnostic=True,
        enabled=False,
    )
    charge_limit_soc = Field(PERCENT)  # number
    charge_limit_soc_std = Field(PERCENT)  # button: charge_standard
    charge_limit_soc_min = Field(PERCENT)  # number
    charge_limit_soc_max = Field(PERCENT)  # number
    charge_to_max_range = Field(FLAG, BINARY, diagnostic=True, enabled=False)
    max_range_charge_counter = Field(COUNTER, SENSOR, diagnostic=True, enabled=False)
    fast_charger_present = Field(FLAG, BINARY)
    # The range that the car's own display shows is the one that its owner goes by.
    battery_range = Field(MILES, SENSOR, enabled_if=(GuiSettings.gui_range_display, "rated"))
    est_battery_range = Field(MILES, SENSOR, enabled=False)
    ideal_battery_range = Field(
        MILES, SENSOR, enabled=False, enabled_if=(GuiSettings.gui_range_display, "ideal")
    )
    battery_level = Field(CHARGE_LEVEL, SENSOR)
    usable_battery_level = Field(CHARGE_LEVEL, SENSOR, diagnostic=True, enabled=False)
    charge_energy_added = Field(KILOWATT_HOURS, SENSOR)
    charge_miles_added_rated = Field(MILES_ADDED, SENSOR, enabled=False)
    charge_miles_added_ideal = Field(MILES_ADDED, SENSOR, enabled=False)
    charger_voltage = Field(VOLTS, SENSOR, diagnostic=True)
    charger_pilot_current = Field(AMPERES, SENSOR, diagnostic=True, enabled=False)
    charger_actual_current = Field(AMPERES, SENSOR, diagnostic=True)
    charger_power = Field(KILOWATTS, SENSOR)
    time_to_full_charge = Field(HOURS)  # sensor: charge finish
    trip_charging = Field(FLAG, BINARY, diagnostic=True, enabled=False)
    charge_rate = Field(MILES_PER_HOUR, SENSOR, diagnostic=True)
    charge_port_door_open = Field(LID)  # cover: charge port
    charge_port_latch = Field(
        one_of("Engaged", "Disengaged", "Blocking"), SENSOR, diagnostic=True, enabled=False
    )
    charge_current_request = Field(AMPERES, SENSOR, diagnostic=True)
    charge_current_request_max = Field(AMPERES, SENSOR, diagnostic=True, enabled=False)
    scheduled_charging_pending = Field(FLAG, BINARY)
    charge_enable_request = Field(FLAG, BINARY, diagnostic=True, enabled=False)
    managed_charging_active = Field(FLAG, BINARY, diagnostic=True, enabled=False)
    managed_charging_user_canceled = Field(FLAG, BINARY, diagnostic=True, enabled=False)
    battery_heater_on = Field(HEATING, BINARY, diagnostic=True)
    not_enough_power_to_heat = Field(PROBLEM, BINARY, diagnostic=True, enabled=False)
    timestamp = Field(CLOCK, SENSOR, diagnostic=True)
    scheduled_charging_start_time = Field(MOMENT, SENSOR)
    user_charge_enable_request = Field(FLAG, BINARY, diagnostic=True, enabled=False)
    charger_phases = Field(COUNT, SENSOR, diagnostic=True, enabled=False)
    managed_charging_start_time = Field(MOMENT, SENSOR, diagnostic=True, enabled=False)
    charge_port_cold_weather_mode = Field(COLD, BINARY, diagnostic=True, enabled=False)

    @property
    def is_plugged_in(self) -> bool | None:
        """Whether a cable is in the port. One not known by name is one, so the charger may know better."""
        if self.conn_charge_cable is not None:
            return self.conn_charge_cable != "none"
        return None if self.charging_state is None else self.charging_state != "disconnected"


class ClimateState(Record, key="climate_state"):
    """The cabin and what warms or cools it."""

    inside_temp = Field(CELSIUS, SENSOR)
    outside_temp = Field(CELSIUS, SENSOR)
    driver_temp_setting = Field(CELSIUS, SENSOR, diagnostic=True, enabled=False)
    passenger_temp_setting = Field(CELSIUS)  # climate, number
    min_avail_temp = Field(CELSIUS)  # climate, number
    max_avail_temp = Field(CELSIUS)  # climate, number
    left_temp_direction = Field(WHOLE, SENSOR, diagnostic=True, enabled=False)
    right_temp_direction = Field(WHOLE, SENSOR, diagnostic=True, enabled=False)
    is_front_defroster_on = Field(RUNNING, BINARY, diagnostic=True)
    is_rear_defroster_on = Field(HEATING, BINARY, diagnostic=True)
    fan_status = Field(COUNT, SENSOR, diagnostic=True, enabled=False)
    is_climate_on = Field(FLAG)  # climate
    is_auto_conditioning_on = Field(FLAG, BINARY, diagnostic=True, enabled=False)
    is_preconditioning = Field(FLAG, BINARY)
    smart_preconditioning = Field(FLAG, BINARY, diagnostic=True, enabled=False)
    battery_heater = Field(HEATING, BINARY, diagnostic=True, enabled=False)
    battery_heater_no_power = Field(PROBLEM, BINARY, diagnostic=True, enabled=False)
    steering_wheel_heater = Field(HEATING, BINARY, diagnostic=True)
    wiper_blade_heater = Field(HEATING, BINARY, diagnostic=True, enabled=False)
    side_mirror_heaters = Field(HEATING, BINARY, diagnostic=True, enabled=False)
    seat_heater_left = Field(SEAT_HEAT, SENSOR)
    seat_heater_right = Field(SEAT_HEAT, SENSOR)
    seat_heater_rear_left = Field(SEAT_HEAT, SENSOR, enabled=False, shown_if=VehicleConfig.rear_seat_heaters)
    seat_heater_rear_right = Field(SEAT_HEAT, SENSOR, enabled=False, shown_if=VehicleConfig.rear_seat_heaters)
    seat_heater_rear_center = Field(
        SEAT_HEAT, SENSOR, enabled=False, shown_if=VehicleConfig.rear_seat_heaters
    )
    seat_heater_rear_right_back = Field(
        SEAT_HEAT, SENSOR, diagnostic=True, enabled=False, shown_if=VehicleConfig.rear_seat_heaters
    )
    seat_heater_rear_left_back = Field(
        SEAT_HEAT, SENSOR, diagnostic=True, enabled=False, shown_if=VehicleConfig.rear_seat_heaters
    )
    seat_heater_third_row_left = Field(
        SEAT_HEAT, SENSOR, enabled=False, shown_if=VehicleConfig.third_row_seats
    )
    seat_heater_third_row_right = Field(
        SEAT_HEAT, SENSOR, enabled=False, shown_if=VehicleConfig.third_row_seats
    )
    climate_keeper_mode = Field(one_of("off", "on", "dog", "camp", also={"party": "camp"}), SENSOR)
    remote_heater_control_enabled = Field(FLAG, BINARY, diagnostic=True, enabled=False)
    timestamp = Field(CLOCK)


class DriveState(Record, key="drive_state"):
    """Where the car is and whether it moves."""

    # A parked car says null, and older software an empty text.
    shift_state = Field(one_of("P", "R", "N", "D", null="p", also={"": "p"}), SENSOR)
    speed = Field(SPEED, SENSOR)
    power = Field(KILOWATTS, SENSOR, diagnostic=True, enabled=False)
    latitude = Field(LATITUDE, private=True)  # tracker
    longitude = Field(LONGITUDE, private=True)  # tracker
    heading = Field(DEGREES, SENSOR, diagnostic=True, enabled=False)
    gps_as_of = Field(CLOCK, SENSOR, diagnostic=True, enabled=False)
    native_location_supported = Field(FLAG)  # tracker
    native_latitude = Field(LATITUDE, private=True)  # tracker
    native_longitude = Field(LONGITUDE, private=True)  # tracker
    native_type = Field(TEXT)  # tracker
    timestamp = Field(CLOCK)

    @property
    def position(self) -> tuple[float, float] | None:
        """Latitude and longitude in degrees, or None if neither pair is complete.

        The native pair is what the satellites say. In China, the law wants maps and the other pair shifted.
        """
        pairs = [(self.latitude, self.longitude)]
        if self.native_type == "wgs":
            pairs.insert(not self.native_location_supported, (self.native_latitude, self.native_longitude))
        return next(((north, east) for north, east in pairs if north is not None and east is not None), None)


class MediaState(Record, key="vehicle_state.media_state"):
    """Whether a phone may control what plays."""

    remote_control_enabled = Field(FLAG, BINARY, diagnostic=True, enabled=False)


class SoftwareUpdate(Record, key="vehicle_state.software_update"):
    """An update of the car's software."""

    expected_duration_sec = Field(SECONDS, SENSOR, diagnostic=True, enabled=False)
    status = Field(
        one_of(
            "available",
            "scheduled",
            "downloading",
            "downloading_wifi_wait",
            "installing",
            also={"": "none"},
        ),
        SENSOR,
        diagnostic=True,
    )


class SpeedLimitMode(Record, key="vehicle_state.speed_limit_mode"):
    """The speed that the car does not exceed while the mode is active."""

    active = Field(FLAG, BINARY)
    current_limit_mph = Field(MILES_PER_HOUR)  # number
    max_limit_mph = Field(MILES_PER_HOUR)  # number
    min_limit_mph = Field(MILES_PER_HOUR)  # number
    pin_code_set = Field(FLAG, BINARY, diagnostic=True, enabled=False)


# In Home Assistant, a sensor that says `unavailable` would be one that is lost.
_AUTOPARK: Final = one_of(
    "standby",
    "ready",
    "preparing",
    "active_forward",
    "active_reverse",
    "aborting",
    also={"unavailable": "not_available"},
)


class VehicleState(Record, key="vehicle_state"):
    """The body, its doors and locks, and the car's software."""

    api_version = Field(WHOLE)
    autopark_state = Field(_AUTOPARK, SENSOR, diagnostic=True, enabled=False)
    autopark_state_v2 = Field(_AUTOPARK, SENSOR, diagnostic=True, enabled=False)
    autopark_style = Field(TEXT, SENSOR, diagnostic=True, enabled=False)
    last_autopark_error = Field(TEXT, SENSOR, diagnostic=True, enabled=False)
    calendar_supported = Field(FLAG, BINARY, diagnostic=True, enabled=False)
    parsed_calendar_supported = Field(FLAG, BINARY, diagnostic=True, enabled=False)
    notifications_supported = Field(FLAG, BINARY, diagnostic=True, enabled=False)
    car_version = Field(TEXT)  # the device's software
    center_display_state = Field(
        coded(
            "off",
            "dim",
            "accessory",
            "on",
            "driving",
            "charging",
            "lock",
            "sentry",
            "dog",
            "entertainment",
        ),
        SENSOR,
        diagnostic=True,
        enabled=False,
    )
    df = Field(DOOR, BINARY)
    dr = Field(DOOR, BINARY)
    ft = Field(LID)  # cover: frunk
    pf = Field(DOOR, BINARY)
    pr = Field(DOOR, BINARY)
    rt = Field(LID)  # cover: trunk
    homelink_nearby = Field(FLAG, BINARY, diagnostic=True)
    is_user_present = Field(PRESENCE, BINARY)
    locked = Field(FLAG)  # lock
    media_state = Nested(MediaState)
    odometer = Field(ODOMETER, SENSOR)
    remote_start = Field(FLAG, BINARY)
    remote_start_supported = Field(FLAG, BINARY, diagnostic=True, enabled=False)
    remote_start_enabled = Field(FLAG, BINARY, diagnostic=True, enabled=False)
    sentry_mode = Field(RUNNING, BINARY)
    software_update = Nested(SoftwareUpdate)
    speed_limit_mode = Nested(SpeedLimitMode)
    sun_roof_percent_open = Field(PERCENT)  # cover: sun roof
    sun_roof_state = Field(one_of("closed", "open", "vent", "moving", "calibrating"))  # cover: sun roof
    valet_mode = Field(FLAG)  # switch
    vehicle_name = Field(TEXT, private=True)  # the device's name
    timestamp = Field(CLOCK)


class Vehicle(Record, key=""):
    """A vehicle's record: all that the service says of one car."""

    id = Field(IDENTIFIER, private=True)
    user_id = Field(IDENTIFIER, secret=True)
    vehicle_id = Field(IDENTIFIER, private=True)
    vin = Field(TEXT, private=True)
    display_name = Field(TEXT, private=True)  # the device's name
    option_codes = Field(TEXT, SENSOR, diagnostic=True, enabled=False)
    color = Field(TEXT)
    tokens = Field(ANYTHING, secret=True)
    state = Field(one_of("online", "asleep", "offline"), SENSOR)
    in_service = Field(FLAG, BINARY, diagnostic=True)
    id_s = Field(IDENTIFIER, private=True)
    calendar_enabled = Field(FLAG, BINARY, diagnostic=True, enabled=False)
    api_version = Field(WHOLE, SENSOR, diagnostic=True, enabled=False)
    backseat_token = Field(ANYTHING, secret=True)
    backseat_token_updated_at = Field(ANYTHING, secret=True)

    gui_settings = Nested(GuiSettings)
    vehicle_state = Nested(VehicleState)
    climate_state = Nested(ClimateState)
    charge_state = Nested(ChargeState)
    drive_state = Nested(DriveState)
    vehicle_config = Nested(VehicleConfig)

    @property
    def number(self) -> str | None:
        """The id that goes into paths, as text. `id_s` was made for readers that lose digits."""
        return self.id_s or self.id

    @property
    def name(self) -> str | None:
        """What the owner calls the car. The car's own word is the fresher one."""
        return self.vehicle_state.vehicle_name or self.display_name


FIELDS: Final[tuple[Field[Any], ...]] = tuple(Vehicle.all_fields())
DOORS: Final = (
    VehicleState.df,
    VehicleState.dr,
    VehicleState.pf,
    VehicleState.pr,
    VehicleState.ft,
    VehicleState.rt,
)
"""The doors and lids that people use."""
_SECRET: Final = frozenset(field.name for field in FIELDS if field.secret)


def without_secrets(answer: Any) -> Any:
    """Return an answer of the service without what nobody may keep, wherever in it that stands."""
    if isinstance(answer, dict):
        return {name: without_secrets(value) for name, value in answer.items() if name not in _SECRET}
    if isinstance(answer, list):
        return [without_secrets(each) for each in answer]
    return answer
