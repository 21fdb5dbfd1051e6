"""Entities for cars with different equipment, settings and names, and for a legacy service."""

import logging
from typing import Final, Literal

from homeassistant.components.cover import CoverEntityFeature
from homeassistant.const import STATE_UNAVAILABLE
from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.util.unit_system import METRIC_SYSTEM, US_CUSTOMARY_SYSTEM, UnitSystem
import pytest

from custom_components.vehicle_remote_access.api.records import FIELDS
from custom_components.vehicle_remote_access.simulator import Simulator
from custom_components.vehicle_remote_access.simulator.vehicle.equipment import Screen

from .conftest import Home

ROOF: Final = "vehicle_state.sun_roof_percent_open"
TRUNK: Final = "vehicle_state.rt"
FRUNK: Final = "vehicle_state.ft"
PORT: Final = "charge_state.charge_port_door_open"
INSIDE: Final = "climate_state.inside_temp"
ODOMETER: Final = "vehicle_state.odometer"
RATED: Final = "charge_state.battery_range"
IDEAL: Final = "charge_state.ideal_battery_range"
SEAT: Final = "climate_state.seat_heater"
FRONT_SEATS: Final = {f"{SEAT}_left", f"{SEAT}_right"}
REAR_SEATS: Final = {f"{SEAT}_rear_left", f"{SEAT}_rear_right"}
THIRD_ROW: Final = {f"{SEAT}_third_row_left", f"{SEAT}_third_row_right"}

METRIC_SCREEN: Final = Screen("km/hr", "C", "km/hr", gui_24_hour_time=True)
US_SCREEN: Final = Screen("mi/hr", "F", "mi/hr", gui_24_hour_time=False)

type Profile = Literal["current-2019", "legacy-2018"]

# The simulated cars, by their special equipment
model_x_with_third_row = pytest.mark.parametrize("car_name", ["Noordster"])
model_3_without_motors = pytest.mark.parametrize("car_name", ["Pebble"])
right_hand_drive = pytest.mark.parametrize("car_name", ["Bluebell"])
legacy = pytest.mark.parametrize("profile", ["legacy-2018"])


@pytest.fixture
def cars() -> int:
    """All simulated cars. Each test keeps one of them."""
    return 5


@pytest.fixture
def car_name() -> str:
    """The car of the test: the Model S with the sunroof, unless a parameter names another car."""
    return "Aurora"


@pytest.fixture
def profile() -> Profile:
    """The profile of the service: a current service, unless a parameter names another profile."""
    return "current-2019"


@pytest.fixture
def simulator(simulator: Simulator, car_name: str, profile: Profile) -> Simulator:
    """A service with this profile and only this car."""
    simulator.vehicles[:] = [car for car in simulator.vehicles if car.name == car_name]
    simulator.switches.profile = profile
    return simulator


@pytest.fixture
async def home(empty_home: Home) -> Home:
    """A home whose car is awake."""
    empty_home.car.wake()
    await empty_home.set_up()
    return empty_home


def _paths(home: Home, part: str = "") -> set[str]:
    """Return the paths of all entities, also disabled ones, that contain `part`."""
    entities = er.async_entries_for_config_entry(er.async_get(home.hass), home.entry.entry_id)
    paths = {entity.unique_id.removeprefix(f"{home.car.vin}-") for entity in entities}
    return {path for path in paths if part in path}


def _features(home: Home, path: str) -> CoverEntityFeature:
    return CoverEntityFeature(home.shown("cover", path).attributes["supported_features"])


def _names(home: Home) -> dict[str, str]:
    """Return the names of the available entities, by entity id."""
    states = (home.hass.states.get(entity_id) for entity_id in home.states())
    return {state.entity_id: state.name for state in states if state and state.state != STATE_UNAVAILABLE}


def _is_enabled(home: Home, platform: str, path: str) -> bool:
    entity = er.async_get(home.hass).async_get(home.entity_id(platform, path))
    return entity is not None and entity.disabled_by is None


def _device_name(home: Home) -> str | None:
    devices = dr.async_entries_for_config_entry(dr.async_get(home.hass), home.entry.entry_id)
    return next(device.name for device in devices if device.serial_number == home.car.vin)


def _problems(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the logged errors, and the logged warnings of the integration."""
    return [
        record.getMessage()
        for record in caplog.records
        if record.levelno >= logging.ERROR
        or (record.levelno >= logging.WARNING and record.name.startswith("custom_components"))
    ]


@pytest.mark.parametrize(
    ("car_name", "profile"),
    [
        ("Aurora", "current-2019"),
        ("Noordster", "current-2019"),
        ("Pebble", "current-2019"),
        ("Bluebell", "current-2019"),
        ("Juniper", "current-2019"),
        ("Noordster", "legacy-2018"),
    ],
)
async def test_all_entities_of_every_car(
    entity_registry_enabled_by_default: None, empty_home: Home, caplog: pytest.LogCaptureFixture
) -> None:
    """For each car and service, all entities can be enabled and are available, without errors in the log."""
    await empty_home.set_up()
    empty_home.car.wake()
    await empty_home.advance(60, step=60)
    await empty_home.poll()
    assert STATE_UNAVAILABLE not in empty_home.states().values()
    assert not _problems(caplog)


# Sunroof, trunk, frunk and charge port


async def test_sun_roof(home: Home) -> None:
    """A sunroof that opens is a cover that can be set to any position."""
    assert CoverEntityFeature.SET_POSITION in _features(home, ROOF)


async def test_sun_roof_presets(home: Home) -> None:
    """The named positions of the sunroof are buttons."""
    assert _paths(home, "sun_roof_control") == {"sun_roof_control.vent", "sun_roof_control.comfort"}


@model_3_without_motors
async def test_no_sun_roof(home: Home) -> None:
    """A car without a sunroof has no entities for it."""
    assert not _paths(home, "sun_roof")


async def test_unknown_sun_roof(empty_home: Home) -> None:
    """A car that does not report whether it has a sunroof has no entities for it."""
    empty_home.simulator.faults.corrupt("vehicle_config.sun_roof_installed", None)
    await empty_home.set_up()
    assert not _paths(empty_home, "sun_roof")


async def test_powered_trunk(home: Home) -> None:
    """A powered trunk can be opened and closed."""
    assert _features(home, TRUNK) == CoverEntityFeature.OPEN | CoverEntityFeature.CLOSE


@model_3_without_motors
async def test_unpowered_trunk(home: Home) -> None:
    """A trunk without a motor can be opened, but not closed."""
    assert _features(home, TRUNK) == CoverEntityFeature.OPEN


@right_hand_drive
async def test_trunk_without_remote_control(home: Home) -> None:
    """Trunk and frunk are not covers if they cannot be opened remotely. The charge port is a cover."""
    assert _paths(home) & {TRUNK, FRUNK, PORT} == {PORT}


@right_hand_drive
async def test_open_trunk_without_remote_control(home: Home) -> None:
    """An open trunk is shown even if it cannot be opened remotely."""
    home.car.open("rt")
    await home.poll()
    assert home.shown("binary_sensor", "vehicle_state.df.any").state == "on"


async def test_motorized_charge_port(home: Home) -> None:
    """A motorized charge port can be opened and closed."""
    assert _features(home, PORT) == CoverEntityFeature.OPEN | CoverEntityFeature.CLOSE


@model_3_without_motors
async def test_manual_charge_port(home: Home) -> None:
    """A charge port without a motor can be opened, but not closed."""
    assert _features(home, PORT) == CoverEntityFeature.OPEN


# Seats


@model_x_with_third_row
async def test_third_row(home: Home) -> None:
    """A car with a third row has two more seat heaters."""
    assert _paths(home, "third_row") == THIRD_ROW


@model_3_without_motors
async def test_no_third_row(home: Home) -> None:
    """A car whose third row is reported as the text "None" has the seat heaters of two rows."""
    assert not _paths(home, "third_row")
    assert _paths(home, SEAT) >= FRONT_SEATS | REAR_SEATS


async def test_no_rear_seat_heaters(home: Home) -> None:
    """A car without rear seat heaters has only those of the front seats."""
    assert _paths(home, SEAT) == FRONT_SEATS


@right_hand_drive
async def test_right_hand_drive_names(entity_registry_enabled_by_default: None, home: Home) -> None:
    """The names of the entities do not depend on the side of the steering wheel."""
    right_hand_drive_names = _names(home)
    home.simulator.faults.corrupt("vehicle_config.rhd", value=False)
    await home.hass.config_entries.async_reload(home.entry.entry_id)
    await home.idle()
    assert _names(home) == right_hand_drive_names


@right_hand_drive
async def test_names_of_doors_and_seats(home: Home) -> None:
    """Doors are named after the occupant, and seat heaters after the side, as in the car."""
    doors = {
        path: home.shown("binary_sensor", f"vehicle_state.{path}").name for path in ("df", "dr", "pf", "pr")
    }
    seats = {path: home.shown("sensor", f"{SEAT}_{path}").name for path in ("left", "right")}
    assert doors | seats == {
        "df": "Bluebell Driver door",
        "dr": "Bluebell Driver rear door",
        "pf": "Bluebell Passenger door",
        "pr": "Bluebell Passenger rear door",
        "left": "Bluebell Left seat heater",
        "right": "Bluebell Right seat heater",
    }


# Charging


@pytest.mark.parametrize(
    ("car_name", "phases", "volts", "amperes", "watts"),
    [("Noordster", 3, 230, 16, 11_040), ("Juniper", 1, 240, 32, 7_680)],
)
async def test_phases(
    entity_registry_enabled_by_default: None,
    home: Home,
    phases: int,
    volts: int,
    amperes: int,
    watts: int,
) -> None:
    """With three phases, voltage and current are those of one phase, and the power is the total."""
    home.car.plug_in()
    await home.advance(30)
    await home.poll()
    shown = {
        name: float(home.shown("sensor", f"charge_state.{name}").state)
        for name in (
            "charger_phases",
            "charger_voltage",
            "charger_actual_current",
            "charger_power",
            "charger_power.computed",
        )
    }
    assert shown == {
        "charger_phases": phases,
        "charger_voltage": volts,
        "charger_actual_current": amperes,
        "charger_power": watts // 1000,
        "charger_power.computed": watts,
    }


# The car's display


@pytest.mark.parametrize(
    ("units", "screen", "temperature", "distance"),
    [
        (METRIC_SYSTEM, US_SCREEN, (20.0, "°C"), (37_278.98, "km")),
        (US_CUSTOMARY_SYSTEM, METRIC_SCREEN, (68.0, "°F"), (23_164.08, "mi")),
    ],
    ids=["metric", "US"],
)
async def test_units(
    empty_home: Home,
    units: UnitSystem,
    screen: Screen,
    temperature: tuple[float, str],
    distance: tuple[float, str],
) -> None:
    """Units follow Home Assistant's settings, not those of the car's display."""
    empty_home.hass.config.units = units
    empty_home.car.screen = screen
    empty_home.car.set_temperatures(inside=20.0)
    await empty_home.set_up()
    for path, (value, unit) in {INSIDE: temperature, ODOMETER: distance}.items():
        state = empty_home.shown("sensor", path)
        assert float(state.state) == pytest.approx(value, abs=0.01)
        assert state.attributes["unit_of_measurement"] == unit


async def test_units_of_the_display_do_not_change_states(
    entity_registry_enabled_by_default: None, home: Home
) -> None:
    """Changing the units of the car's display changes no states."""
    entities = set().union(*(home.shown_by(field) for field in FIELDS))
    before = {entity_id: state for entity_id, state in home.states().items() if entity_id in entities}
    home.car.screen = METRIC_SCREEN
    await home.poll()
    assert before.items() <= home.states().items()


@pytest.mark.parametrize(("display", "enabled"), [("Rated", RATED), ("Ideal", IDEAL)])
async def test_range(empty_home: Home, display: str, enabled: str) -> None:
    """The range that the car's display shows is enabled by default, and the other one is not."""
    empty_home.simulator.faults.corrupt("gui_settings.gui_range_display", display)
    await empty_home.set_up()
    assert {path for path in (RATED, IDEAL) if _is_enabled(empty_home, "sensor", path)} == {enabled}


# Names


@pytest.mark.parametrize(
    ("car_name", "name"),
    [
        ("Aurora", "Model S 2019"),
        ("Noordster", "Model X 2019"),
        ("Pebble", "Model 3 2020"),
        ("Bluebell", "Model S 2018"),
        ("Juniper", "Model Y 2020"),
    ],
)
async def test_car_without_a_name(empty_home: Home, name: str) -> None:
    """A car without a name, asleep or awake, is named after its model and year, and so are its entities."""
    empty_home.simulator.faults.corrupt("display_name", "")
    empty_home.simulator.faults.corrupt("vehicle_state.vehicle_name", "")
    await empty_home.set_up()
    assert _device_name(empty_home) == name
    prefix = name.lower().replace(" ", "_")
    assert empty_home.entity_id("lock", "vehicle_state.locked") == f"lock.{prefix}_doors"
    assert empty_home.entity_id("sensor", "charge_state.battery_level") == f"sensor.{prefix}_battery"


@pytest.mark.parametrize("path", ["display_name", "vehicle_state.vehicle_name"])
async def test_car_with_one_of_two_names(empty_home: Home, path: str) -> None:
    """If one of the two name fields is empty, the other one is used."""
    empty_home.simulator.faults.corrupt(path, "")
    await empty_home.set_up()
    assert _device_name(empty_home) == "Aurora"
    assert empty_home.entity_id("lock", "vehicle_state.locked") == "lock.aurora_doors"


# Legacy service


@legacy
@model_x_with_third_row
async def test_legacy_seats(entity_registry_enabled_by_default: None, empty_home: Home) -> None:
    """Seat heaters are on or off if the service reports no levels."""
    empty_home.car.heat_seat("left", 2)
    empty_home.car.heat_seat("rear_center", 1)
    await empty_home.set_up()
    seats = ("left", "right", "rear_left", "rear_center")
    shown = {seat: empty_home.shown("sensor", f"{SEAT}_{seat}").state for seat in seats}
    assert shown == {"left": "on", "right": "off", "rear_left": "off", "rear_center": "on"}


@legacy
@model_x_with_third_row
async def test_legacy_fields(entity_registry_enabled_by_default: None, empty_home: Home) -> None:
    """Fields that only the legacy service has are shown."""
    empty_home.car.heat_seat("third_row_right", 2)
    await empty_home.set_up()
    assert empty_home.shown("sensor", "vehicle_state.autopark_state").state == "not_available"
    assert empty_home.shown("sensor", f"{SEAT}_rear_right_back").state == "medium"
    assert empty_home.shown("sensor", f"{SEAT}_rear_left_back").state == "off"


@legacy
@model_x_with_third_row
async def test_fields_that_legacy_lacks(entity_registry_enabled_by_default: None, home: Home) -> None:
    """Fields that only newer services have are unknown."""
    missing = [
        ("sensor", "api_version"),
        ("sensor", "climate_state.climate_keeper_mode"),
        ("sensor", f"{SEAT}_third_row_left"),
        ("sensor", f"{SEAT}_third_row_right"),
        ("sensor", "vehicle_state.software_update.status"),
        ("sensor", "vehicle_state.software_update.expected_duration_sec"),
        ("binary_sensor", "climate_state.remote_heater_control_enabled"),
        ("binary_sensor", "vehicle_state.is_user_present"),
        ("binary_sensor", "vehicle_state.media_state.remote_control_enabled"),
        ("binary_sensor", "vehicle_state.remote_start_enabled"),
        ("binary_sensor", "vehicle_state.sentry_mode"),
        ("binary_sensor", "vehicle_state.speed_limit_mode.active"),
        ("binary_sensor", "vehicle_state.speed_limit_mode.pin_code_set"),
        ("number", "vehicle_state.speed_limit_mode.current_limit_mph"),
        ("update", "vehicle_state.software_update"),
    ]
    shown = {path: home.shown(platform, path).state for platform, path in missing}
    assert set(shown.values()) == {"unknown"}, shown


@legacy
async def test_legacy_service_is_detected(home: Home) -> None:
    """After each start, the newer endpoint is requested three times before it counts as missing."""
    for _ in range(5):
        await home.poll()
    assert len(home.requests("/vehicle_data")) == 3
    home.simulator.requests.clear()
    await home.restart()
    for _ in range(5):
        await home.poll()
    assert len(home.requests("/vehicle_data")) == 3
