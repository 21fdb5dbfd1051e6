"""With the car's other variants the entities are the right ones."""

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

# The cars of the fleet by what sets them apart
model_x_with_third_row = pytest.mark.parametrize("car_name", ["Noordster"])
model_3_without_motors = pytest.mark.parametrize("car_name", ["Pebble"])
right_hand_drive = pytest.mark.parametrize("car_name", ["Bluebell"])
legacy = pytest.mark.parametrize("profile", ["legacy-2018"])


@pytest.fixture
def cars() -> int:
    """The whole fleet, of which each test has one car."""
    return 5


@pytest.fixture
def car_name() -> str:
    """The Model S with the sun roof; a test that wants another car says so by a parameter."""
    return "Aurora"


@pytest.fixture
def profile() -> Profile:
    """What kind of service it is; a test that wants another says so by a parameter."""
    return "current-2019"


@pytest.fixture
def simulator(simulator: Simulator, car_name: str, profile: Profile) -> Simulator:
    """A service of that kind, whose only car is that one."""
    simulator.vehicles[:] = [car for car in simulator.vehicles if car.name == car_name]
    simulator.switches.profile = profile
    return simulator


@pytest.fixture
async def home(empty_home: Home) -> Home:
    """A home with its car, awake."""
    empty_home.car.wake()
    await empty_home.set_up()
    return empty_home


def _paths(home: Home, part: str = "") -> set[str]:
    """Return what the entities with `part` in it show, be they enabled or not."""
    ours = er.async_entries_for_config_entry(er.async_get(home.hass), home.entry.entry_id)
    paths = {each.unique_id.removeprefix(f"{home.car.vin}-") for each in ours}
    return {path for path in paths if part in path}


def _features(home: Home, path: str) -> CoverEntityFeature:
    return CoverEntityFeature(home.shown("cover", path).attributes["supported_features"])


def _names(home: Home) -> dict[str, str]:
    """Return under which names the entities are shown that there are now."""
    ours = (home.hass.states.get(entity_id) for entity_id in home.states())
    return {state.entity_id: state.name for state in ours if state and state.state != STATE_UNAVAILABLE}


def _is_enabled(home: Home, platform: str, path: str) -> bool:
    entity = er.async_get(home.hass).async_get(home.entity_id(platform, path))
    return entity is not None and entity.disabled_by is None


def _device_name(home: Home) -> str | None:
    devices = dr.async_entries_for_config_entry(dr.async_get(home.hass), home.entry.entry_id)
    return next(each.name for each in devices if each.serial_number == home.car.vin)


def _complaints(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what was logged as an error by anybody, and as a warning by us."""
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
async def test_every_car(
    entity_registry_enabled_by_default: None, empty_home: Home, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever the car and the service, all its entities can be enabled, and nothing goes wrong."""
    await empty_home.set_up()
    empty_home.car.wake()
    await empty_home.advance(60, step=60)
    await empty_home.poll()
    assert STATE_UNAVAILABLE not in empty_home.states().values()
    assert not _complaints(caplog)


# Roof, lids and charge port


async def test_sun_roof(home: Home) -> None:
    """A sun roof that opens is a cover that can be set to any position."""
    assert CoverEntityFeature.SET_POSITION in _features(home, ROOF)


async def test_sun_roof_presets(home: Home) -> None:
    """The positions of a sun roof that the service knows by name are buttons."""
    assert _paths(home, "sun_roof_control") == {"sun_roof_control.vent", "sun_roof_control.comfort"}


@model_3_without_motors
async def test_no_sun_roof(home: Home) -> None:
    """A car without a sun roof has nothing to show of it, and nothing to move it with."""
    assert not _paths(home, "sun_roof")


async def test_sun_roof_that_nobody_speaks_of(empty_home: Home) -> None:
    """A car that does not say whether it has a sun roof is taken to have none."""
    empty_home.simulator.faults.corrupt("vehicle_config.sun_roof_installed", None)
    await empty_home.set_up()
    assert not _paths(empty_home, "sun_roof")


async def test_powered_trunk(home: Home) -> None:
    """A trunk with a motor opens and closes."""
    assert _features(home, TRUNK) == CoverEntityFeature.OPEN | CoverEntityFeature.CLOSE


@model_3_without_motors
async def test_trunk_without_motor(home: Home) -> None:
    """A trunk without a motor opens, and is closed by hand."""
    assert _features(home, TRUNK) == CoverEntityFeature.OPEN


@right_hand_drive
async def test_lids_that_cannot_be_moved(home: Home) -> None:
    """Trunk and frunk are no covers if they cannot be moved by remote; the charge port is one."""
    assert _paths(home) & {TRUNK, FRUNK, PORT} == {PORT}


@right_hand_drive
async def test_lids_that_cannot_be_moved_still_open(home: Home) -> None:
    """A lid that cannot be moved by remote is still seen to be open."""
    home.car.open("rt")
    await home.poll()
    assert home.shown("binary_sensor", "vehicle_state.df.any").state == "on"


async def test_motorized_charge_port(home: Home) -> None:
    """A charge port with a motor opens and closes."""
    assert _features(home, PORT) == CoverEntityFeature.OPEN | CoverEntityFeature.CLOSE


@model_3_without_motors
async def test_charge_port_without_motor(home: Home) -> None:
    """A charge port without a motor opens, and is closed by hand."""
    assert _features(home, PORT) == CoverEntityFeature.OPEN


# Seats


@model_x_with_third_row
async def test_third_row(home: Home) -> None:
    """A third row brings two seat heaters more."""
    assert _paths(home, "third_row") == THIRD_ROW


@model_3_without_motors
async def test_no_third_row(home: Home) -> None:
    """A car whose third row is the text None has the heaters of two rows."""
    assert not _paths(home, "third_row")
    assert _paths(home, SEAT) >= FRONT_SEATS | REAR_SEATS


async def test_no_rear_seat_heaters(home: Home) -> None:
    """A car without heaters in the rear has those of the front seats."""
    assert _paths(home, SEAT) == FRONT_SEATS


@right_hand_drive
async def test_side_of_the_wheel(entity_registry_enabled_by_default: None, home: Home) -> None:
    """With the wheel on the other side, the entities are the same ones under the same names."""
    right = _names(home)
    home.simulator.faults.corrupt("vehicle_config.rhd", value=False)
    await home.hass.config_entries.async_reload(home.entry.entry_id)
    await home.idle()
    assert _names(home) == right


@right_hand_drive
async def test_doors_and_seats(home: Home) -> None:
    """Doors are named after who sits there, and seat heaters after the side, as the car itself does."""
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
    """On three phases, voltage and current are those of one of them, and the power is that of all."""
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
    """Units are those of Home Assistant, although the car's display is set to the others."""
    empty_home.hass.config.units = units
    empty_home.car.screen = screen
    empty_home.car.set_temperatures(inside=20.0)
    await empty_home.set_up()
    for path, (value, unit) in {INSIDE: temperature, ODOMETER: distance}.items():
        state = empty_home.shown("sensor", path)
        assert float(state.state) == pytest.approx(value, abs=0.01)
        assert state.attributes["unit_of_measurement"] == unit


async def test_setting_the_display(entity_registry_enabled_by_default: None, home: Home) -> None:
    """Setting the car's display to other units changes nothing of what the car tells."""
    told = set().union(*(home.shown_by(field) for field in FIELDS))
    before = {entity: state for entity, state in home.states().items() if entity in told}
    home.car.screen = METRIC_SCREEN
    await home.poll()
    assert before.items() <= home.states().items()


@pytest.mark.parametrize(("display", "enabled"), [("Rated", RATED), ("Ideal", IDEAL)])
async def test_range(empty_home: Home, display: str, enabled: str) -> None:
    """Of the two ranges, the one that the car's display shows is enabled by default."""
    empty_home.simulator.faults.corrupt("gui_settings.gui_range_display", display)
    await empty_home.set_up()
    assert {path for path in (RATED, IDEAL) if _is_enabled(empty_home, "sensor", path)} == {enabled}


# Names


@pytest.mark.parametrize(
    ("car_name", "shown"),
    [
        ("Aurora", "Model S 2019"),
        ("Noordster", "Model X 2019"),
        ("Pebble", "Model 3 2020"),
        ("Bluebell", "Model S 2018"),
        ("Juniper", "Model Y 2020"),
    ],
)
async def test_nameless(empty_home: Home, shown: str) -> None:
    """A car without a name, asleep or awake, is called by its model and year, and so are its entities."""
    empty_home.simulator.faults.corrupt("display_name", "")
    empty_home.simulator.faults.corrupt("vehicle_state.vehicle_name", "")
    await empty_home.set_up()
    assert _device_name(empty_home) == shown
    begin = shown.lower().replace(" ", "_")
    assert empty_home.entity_id("lock", "vehicle_state.locked") == f"lock.{begin}_doors"
    assert empty_home.entity_id("sensor", "charge_state.battery_level") == f"sensor.{begin}_battery"


@pytest.mark.parametrize("path", ["display_name", "vehicle_state.vehicle_name"])
async def test_named_once(empty_home: Home, path: str) -> None:
    """One of the two names is enough."""
    empty_home.simulator.faults.corrupt(path, "")
    await empty_home.set_up()
    assert _device_name(empty_home) == "Aurora"
    assert empty_home.entity_id("lock", "vehicle_state.locked") == "lock.aurora_doors"


# A service of the older kind


@legacy
@model_x_with_third_row
async def test_legacy_seats(entity_registry_enabled_by_default: None, empty_home: Home) -> None:
    """Where a service says only whether a seat is heated, that is what is shown."""
    empty_home.car.heat_seat("left", 2)
    empty_home.car.heat_seat("rear_center", 1)
    await empty_home.set_up()
    seats = ("left", "right", "rear_left", "rear_center")
    shown = {seat: empty_home.shown("sensor", f"{SEAT}_{seat}").state for seat in seats}
    assert shown == {"left": "on", "right": "off", "rear_left": "off", "rear_center": "on"}


@legacy
@model_x_with_third_row
async def test_legacy_fields(entity_registry_enabled_by_default: None, empty_home: Home) -> None:
    """What only the older service knows appears."""
    empty_home.car.heat_seat("third_row_right", 2)
    await empty_home.set_up()
    assert empty_home.shown("sensor", "vehicle_state.autopark_state").state == "not_available"
    assert empty_home.shown("sensor", f"{SEAT}_rear_right_back").state == "medium"
    assert empty_home.shown("sensor", f"{SEAT}_rear_left_back").state == "off"


@legacy
@model_x_with_third_row
async def test_fields_that_legacy_lacks(entity_registry_enabled_by_default: None, home: Home) -> None:
    """What only newer services know is unknown."""
    lacking = [
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
    shown = {path: home.shown(platform, path).state for platform, path in lacking}
    assert set(shown.values()) == {"unknown"}, shown


@legacy
async def test_legacy_is_found_out(home: Home) -> None:
    """That a service lacks the newer read is believed after three times in each start, and not before."""
    for _ in range(5):
        await home.poll()
    assert len(home.requests("/vehicle_data")) == 3
    home.simulator.requests.clear()
    await home.restart()
    for _ in range(5):
        await home.poll()
    assert len(home.requests("/vehicle_data")) == 3
