"""Every field of the interface document can be found: the owner sees it, or it decides what the owner sees.

What is held against the integration here was written by hand: the fields from the interface document, and
where each of them is from what an owner would look for. Neither is made from the integration's own table.
"""

from collections.abc import Iterable, Mapping
import json
from typing import Any, Final, Literal

from freezegun.api import FrozenDateTimeFactory
from homeassistant.components.cover import CoverEntityFeature
from homeassistant.components.diagnostics import REDACTED
from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.util import dt as dt_util
import pytest

from custom_components.vehicle_remote_access.api.records import FIELDS
from custom_components.vehicle_remote_access.api.value_types import ANYTHING, CLOCK, MOMENT
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.diagnostics import async_get_config_entry_diagnostics

from .api.test_records import DOCUMENTED
from .conftest import Home

# Record → where → fields. Besides the platforms that show a field:
# - "device": the device's page shows it; "identity": everything of the car is named by it
# - "gate": it decides whether there is an entity, or what that can do
# - "redacted": the download of diagnostics says only that it is there
# - "diagnostics": it stands in that download, as every field does that is not redacted, and nowhere else
TABLE: Final[Mapping[str, Mapping[str, str]]] = {
    "": {
        "redacted identity": "vin",
        "redacted device": "display_name",
        "redacted": "id id_s user_id vehicle_id tokens backseat_token backseat_token_updated_at",
        "sensor binary_sensor": "state",
        "sensor": "option_codes api_version",
        "binary_sensor": "in_service calendar_enabled",
        "diagnostics": "color",
    },
    "gui_settings": {
        "gate": "gui_range_display",
        "diagnostics": (
            "gui_distance_units gui_temperature_units gui_charge_rate_units gui_24_hour_time timestamp"
        ),
    },
    "charge_state": {
        "sensor binary_sensor switch": "charging_state",
        "sensor binary_sensor": "conn_charge_cable charge_port_latch",
        "sensor": (
            "battery_level usable_battery_level battery_range est_battery_range ideal_battery_range "
            "charge_energy_added charge_miles_added_rated charge_miles_added_ideal charge_rate "
            "charger_voltage charger_pilot_current charger_actual_current charger_power charger_phases "
            "charge_current_request charge_current_request_max fast_charger_type fast_charger_brand "
            "max_range_charge_counter time_to_full_charge scheduled_charging_start_time "
            "managed_charging_start_time timestamp"
        ),
        "binary_sensor": (
            "charge_to_max_range fast_charger_present trip_charging scheduled_charging_pending "
            "charge_enable_request user_charge_enable_request managed_charging_active "
            "managed_charging_user_canceled battery_heater_on not_enough_power_to_heat "
            "charge_port_cold_weather_mode"
        ),
        "number": "charge_limit_soc charge_limit_soc_min charge_limit_soc_max",
        "cover": "charge_port_door_open",
        "gate": "charge_limit_soc_std",
    },
    "climate_state": {
        "climate": "is_climate_on",
        "climate sensor": "inside_temp driver_temp_setting",
        "climate binary_sensor": "is_preconditioning",
        "climate number": "min_avail_temp max_avail_temp",
        "number": "passenger_temp_setting",
        "sensor": (
            "outside_temp left_temp_direction right_temp_direction fan_status climate_keeper_mode "
            "seat_heater_left seat_heater_right seat_heater_rear_left seat_heater_rear_right "
            "seat_heater_rear_center seat_heater_rear_right_back seat_heater_rear_left_back "
            "seat_heater_third_row_left seat_heater_third_row_right"
        ),
        "binary_sensor": (
            "is_front_defroster_on is_rear_defroster_on is_auto_conditioning_on smart_preconditioning "
            "battery_heater battery_heater_no_power steering_wheel_heater wiper_blade_heater "
            "side_mirror_heaters remote_heater_control_enabled"
        ),
        "diagnostics": "timestamp",
    },
    "drive_state": {
        "sensor binary_sensor": "shift_state",
        "sensor": "speed power heading gps_as_of",
        "redacted device_tracker": "latitude longitude native_latitude native_longitude",
        "device_tracker": "native_location_supported native_type",
        "diagnostics": "timestamp",
    },
    "vehicle_state": {
        "lock": "locked",
        "switch": "valet_mode",
        "cover": "ft rt sun_roof_percent_open sun_roof_state",
        "update sensor": "software_update.status",
        "update device": "car_version",
        "redacted device": "vehicle_name",
        "number": (
            "speed_limit_mode.current_limit_mph speed_limit_mode.max_limit_mph speed_limit_mode.min_limit_mph"
        ),
        "sensor": (
            "odometer center_display_state autopark_state autopark_state_v2 autopark_style "
            "last_autopark_error software_update.expected_duration_sec"
        ),
        "binary_sensor": (
            "df dr pf pr homelink_nearby is_user_present sentry_mode calendar_supported "
            "parsed_calendar_supported notifications_supported media_state.remote_control_enabled "
            "remote_start remote_start_supported remote_start_enabled speed_limit_mode.active "
            "speed_limit_mode.pin_code_set"
        ),
        "diagnostics": "api_version timestamp",
    },
    "vehicle_config": {
        "device": "car_type trim_badging",
        "sensor": "exterior_color roof_color spoiler_type wheel_type",
        "gate": (
            "can_actuate_trunks motorized_charge_port plg rear_seat_heaters sun_roof_installed "
            "third_row_seats"
        ),
        "diagnostics": (
            "can_accept_navigation_requests car_special_type charge_port_type eu_vehicle "
            "has_air_suspension has_ludicrous_mode perf_config rear_seat_type rhd seat_type timestamp"
        ),
    },
}
ROWS: Final = [
    (f"{record}.{name}".lstrip("."), frozenset(words.split()))
    for record, groups in TABLE.items()
    for words, names in groups.items()
    for name in names.split()
]
WHERE: Final = dict(ROWS)

# Here each field has an entity of its own. One that is drawn from several fields does not stand for them.
ALONE: Final = {"sensor", "binary_sensor"}
NOT_SHOWING: Final = {"gate", "identity", "redacted", "diagnostics"}

# A value that says no, one that says yes, and what the car has with the second only.
GATES: Final[Mapping[str, tuple[Any, Any, str]]] = {
    "gui_settings.gui_range_display": ("Ideal", "Rated", "sensor charge_state.battery_range enabled"),
    "charge_state.charge_limit_soc_std": (None, 90, "button charge_standard"),
    "vehicle_config.can_actuate_trunks": (False, True, "cover vehicle_state.rt"),
    "vehicle_config.motorized_charge_port": (False, True, "cover charge_state.charge_port_door_open CLOSE"),
    "vehicle_config.plg": (False, True, "cover vehicle_state.rt CLOSE"),
    "vehicle_config.rear_seat_heaters": (0, 3, "sensor climate_state.seat_heater_rear_left"),
    "vehicle_config.sun_roof_installed": (0, 2, "cover vehicle_state.sun_roof_percent_open"),
    "vehicle_config.third_row_seats": (
        "None",
        "FuturisFoldFlat",
        "sensor climate_state.seat_heater_third_row_left",
    ),
}

# A car with a bench to warm, so that there is something to show.
SEATS: Final[Mapping[str, Any]] = {
    "vehicle_config.rear_seat_heaters": 3,
    "vehicle_config.third_row_seats": "FuturisFoldFlat",
}
# What has to hold before a field changes, for the change to make a difference everywhere.
_SHIFTED: Final = {"drive_state.latitude": 52.0, "drive_state.longitude": 5.0}
_NOT_NATIVE: Final = {"drive_state.native_location_supported": 0}
WHILE: Final[Mapping[str, Mapping[str, Any]]] = {
    "display_name": {"vehicle_state.vehicle_name": None},
    "charge_state.charging_state": {"charge_state.charging_state": "Charging"},
    "charge_state.conn_charge_cable": {"charge_state.conn_charge_cable": "<invalid>"},
    "charge_state.time_to_full_charge": {"charge_state.charging_state": "Charging"},
    "climate_state.is_preconditioning": {
        "climate_state.is_climate_on": True,
        "climate_state.inside_temp": 5.0,
    },
    "drive_state.latitude": _NOT_NATIVE,
    "drive_state.longitude": _NOT_NATIVE,
    "drive_state.native_location_supported": _SHIFTED,
    "drive_state.native_type": _SHIFTED,
    "vehicle_state.sun_roof_state": {"vehicle_state.sun_roof_percent_open": None},
}

PROFILES: Final[Mapping[str, Literal["current-2019", "legacy-2018"]]] = {
    "current": "current-2019",
    "legacy": "legacy-2018",
}
KINDS: Final = {field.path: field.kind for field in FIELDS}


def _at(record: Any, path: str) -> Any:
    for step in path.split("."):
        record = record.get(step) if isinstance(record, dict) else None
    return record


def another(path: str, now: Any) -> Any:
    """Return a value that means something else than the present one, and is of its type."""
    kind = KINDS.get(path, ANYTHING)
    number = now if isinstance(now, int | float) else 0
    step = 1
    if kind in (CLOCK, MOMENT):
        # Timestamps count milliseconds, and entities show seconds.
        number, step = number or int(dt_util.utcnow().timestamp()), 1000
    text = f"another {path}"
    candidates = (text, [text], "None", True, False, number + step, number - step, "1234567", *kind.options)
    meant = kind.null if now is None else kind.read(now)
    return next(
        each
        for each in candidates
        if (now is None or type(each) is type(now)) and kind.read(each) not in (None, meant)
    )


def _documented_in(variant: str) -> list[str]:
    return [path for path, about in DOCUMENTED.items() if variant in about["variants"]]


def _device(home: Home, vin: str) -> dr.DeviceEntry:
    devices = dr.async_entries_for_config_entry(dr.async_get(home.hass), home.entry.entry_id)
    (car,) = (device for device in devices if (DOMAIN, vin) in device.identifiers)
    return car


def _entries(home: Home, vin: str) -> list[er.RegistryEntry]:
    device = _device(home, vin)
    return er.async_entries_for_device(er.async_get(home.hass), device.id, include_disabled_entities=True)


def _view(home: Home) -> dict[tuple[str, str], Any]:
    """Return all that an owner sees: by platform and by what names the entity, and the device's page."""
    device = _device(home, home.car.vin)
    return {("device", ""): (device.name, device.model, device.sw_version)} | {
        (entry.domain, entry.unique_id.partition("-")[2]): (state.state, dict(state.attributes))
        for entry in _entries(home, home.car.vin)
        if (state := home.hass.states.get(entry.entity_id)) is not None
    }


async def _say(home: Home, says: Mapping[str, Any]) -> None:
    for path, value in says.items():
        home.simulator.faults.corrupt(path, value)
    await home.poll()


async def _shown_in(home: Home, path: str) -> set[str]:
    """Return where an owner sees that the field has got another value."""
    home.simulator.faults.clear()
    await _say(home, {**SEATS, **WHILE.get(path, {})})
    before = _view(home)
    await _say(home, {path: another(path, _at(home.coordinator.raw, path))})
    changed = {key for key, seen in _view(home).items() if seen != before.get(key)}
    return {platform for platform, shown in changed if platform not in ALONE or shown == path}


def _offers(home: Home) -> set[str]:
    """Return which entities there are, which of them are enabled, and what the covers can do."""
    offers = set()
    for entry in _entries(home, home.car.vin):
        name = f"{entry.domain} {entry.unique_id.partition('-')[2]}"
        features = CoverEntityFeature(entry.supported_features) if entry.domain == "cover" else ()
        offers |= {name, *(f"{name} {feature.name}" for feature in features)}
        if entry.disabled_by is None:
            offers.add(f"{name} enabled")
    return offers


def _strings(value: Any) -> Iterable[str]:
    return map(str, value) if isinstance(value, list) else (str(value),)


def test_every_field_has_its_place() -> None:
    """The table has each documented field once, and no other."""
    assert set(WHERE) == set(DOCUMENTED)
    assert len(WHERE) == len(ROWS)


def test_every_gate_is_tried() -> None:
    """What is called a gate is tried as one."""
    assert set(GATES) == {path for path, words in WHERE.items() if "gate" in words}


@pytest.mark.parametrize("variant", PROFILES)
async def test_every_field_is_shown(
    entity_registry_enabled_by_default: None, empty_home: Home, freezer: FrozenDateTimeFactory, variant: str
) -> None:
    """A field that gets another value changes something in every place where the table has it."""
    empty_home.simulator.switches.profile = PROFILES[variant]
    await empty_home.set_up()
    hidden = []
    for path in _documented_in(variant):
        if places := WHERE[path] - NOT_SHOWING:
            # A car that takes back what it has said of a later time would not be believed.
            freezer.tick(2)
            hidden += [f"{path}: {place}" for place in places - await _shown_in(empty_home, path)]
    assert not hidden, "\n".join(hidden)


@pytest.mark.parametrize("says", ["no", "yes"])
@pytest.mark.parametrize("path", GATES)
async def test_gate(empty_home: Home, path: str, says: str) -> None:
    """What a field stands for is there if the field says so from the beginning, and is not if it does not."""
    no, yes, what = GATES[path]
    empty_home.simulator.faults.corrupt(path, yes if says == "yes" else no)
    await empty_home.set_up()
    is_there = what in _offers(empty_home)
    assert is_there is (says == "yes")


async def test_identity(empty_home: Home) -> None:
    """Everything of a car is named by its VIN."""
    vin = "ANOTHERVIN0123456"
    empty_home.simulator.faults.corrupt("vin", vin)
    await empty_home.set_up()
    assert _device(empty_home, vin).serial_number == vin
    assert {entry.unique_id.partition("-")[0] for entry in _entries(empty_home, vin)} == {vin}


@pytest.mark.parametrize("variant", PROFILES)
async def test_every_field_is_in_the_download(empty_home: Home, variant: str) -> None:
    """The download says of every field what the service said, or that this is nobody's business."""
    empty_home.simulator.switches.profile = PROFILES[variant]
    await empty_home.set_up()
    raw = empty_home.coordinator.raw
    given = {path: another(path, _at(raw, path)) for path in _documented_in(variant)}
    await _say(empty_home, given)
    report = await async_get_config_entry_diagnostics(empty_home.hass, empty_home.entry)
    private = {path for path in given if "redacted" in WHERE[path]}
    (vehicle,) = report["vehicles"]
    expected = {path: REDACTED if path in private else value for path, value in given.items()}
    wrong = [path for path, value in expected.items() if _at(vehicle["response"], path) != value]
    assert not wrong, "\n".join(wrong)
    text = json.dumps(report)
    assert not [path for path in private if any(secret in text for secret in _strings(given[path]))]
