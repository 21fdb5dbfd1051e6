"""The fields of a service of today: documented ones that it rarely reports, and those that it has besides."""

from typing import Final

from freezegun.api import FrozenDateTimeFactory
from homeassistant.components.climate.const import ClimateEntityFeature
from homeassistant.helpers import entity_registry as er
import pytest

from custom_components.vehicle_remote_access.api.commands import CONTROLS
from custom_components.vehicle_remote_access.api.records import FIELDS
from custom_components.vehicle_remote_access.api.service_types import SERVICE_TYPES
from custom_components.vehicle_remote_access.const import DOMAIN

from ..conftest import Home
from ..field_places import ALL_SEATS, NOT_IN_VIEW, another, report, shown_in
from .conftest import each_service
from .fleet_fields import PLACES, PRECONDITIONS, ROUTE, STREAMED

pytestmark = pytest.mark.usefixtures("entity_registry_enabled_by_default")

# Fields that the fixtures of no known client contain for a car of today, or that some cars of today lack
_RARE: Final = {
    "charge_state": "charge_to_max_range",
    "climate_state": (
        "seat_heater_rear_left_back seat_heater_rear_right_back seat_heater_rear_center "
        "seat_heater_third_row_left seat_heater_third_row_right smart_preconditioning steering_wheel_heater"
    ),
    "vehicle_state": "autopark_state_v2 homelink_nearby sentry_mode",
}
RARE: Final = {f"{record}.{name}" for record, names in _RARE.items() for name in names.split()}


def _entities(home: Home) -> set[str]:
    """Return the paths of the car's entities."""
    return {each.unique_id.partition("-")[2] for each in home.entities()}


@each_service("tesla_fleet", "other", other=True)
async def test_field_that_many_cars_lack_has_no_entity_until_a_car_reports_it(empty_home: Home) -> None:
    """A service of the documented interface has no such fields."""
    home, faults = empty_home, empty_home.simulator.faults
    is_other = home.simulator.service == "other"
    rare = set() if is_other else RARE
    fields = {field.path for field in SERVICE_TYPES[home.simulator.service].rare_fields}
    assert fields == (set() if is_other else rare | (PLACES.keys() - ROUTE - STREAMED))
    for path in RARE:
        faults.remove(path)
    await home.set_up()
    await report(home, ALL_SEATS)
    assert RARE - _entities(home) == rare
    faults.clear()
    await report(home, {**ALL_SEATS, **{path: another(path, None) for path in RARE}})
    assert _entities(home) >= RARE


def test_table_has_exactly_the_fields_of_the_family() -> None:
    fields = {field.path: field for field in FIELDS if field.fleet_only}
    assert set(fields) == set(PLACES)
    private = {path for path, field in fields.items() if field.private}
    assert private == {path for path, places in PLACES.items() if "redacted" in places}


@each_service("tessie")
async def test_family_field_shows_in_each_of_its_places(home: Home, freezer: FrozenDateTimeFactory) -> None:
    not_shown = []
    for path, places in PLACES.items():
        # The coordinator ignores records with an older timestamp.
        freezer.tick(2)
        changed = await shown_in(home, path, PRECONDITIONS.get(path))
        not_shown += [f"{path}: {place}" for place in places - NOT_IN_VIEW - {"low tire"} - changed]
    assert not not_shown, "\n".join(not_shown)


@pytest.mark.parametrize("service", ["other"])
async def test_service_of_the_documented_interface_has_nothing_of_the_family(empty_home: Home) -> None:
    """It has none of these entities, even if its cars report the fields."""
    home = empty_home
    await home.set_up()
    before = home.states().keys()
    reported = {"vehicle_state.fd_window": 1, "vehicle_state.tpms_pressure_fl": 2.9}
    await report(home, {**reported, "vehicle_state.sentry_mode": True, "climate_state.bioweapon_mode": True})
    await home.restart()
    assert home.states().keys() == before
    assert not [each for each in home.entities() if each.domain in ("media_player", "select")]
    features = home.shown("climate", "climate_state").attributes["supported_features"]
    assert not features & ClimateEntityFeature.PRESET_MODE


@each_service("tessie", other=True)
async def test_control_replaces_the_entity_that_only_shows_the_value(home: Home) -> None:
    await report(home, ALL_SEATS)
    domains = {
        field: {each.domain for each in home.entities() if each.unique_id.endswith(f"-{field.path}")}
        for field in CONTROLS
    }
    assert all(len(found) == 1 for found in domains.values()), domains
    is_other = home.simulator.service == "other"
    shown = set().union(*domains.values())
    assert shown == ({"sensor", "binary_sensor"} if is_other else {"select", "switch", "number"})


@each_service("tessie")
@pytest.mark.parametrize(
    ("path", "closed", "opened", "entity"),
    [
        ("vehicle_config.has_seat_cooling", False, True, ("select", "climate_state.seat_fan_front_left")),
        ("vehicle_state.homelink_device_count", 0, 1, ("button", "trigger_homelink")),
        ("vehicle_state.remote_start_supported", False, True, ("button", "remote_start_drive")),
        ("climate_state.bioweapon_mode", None, True, ("switch", "climate_state.bioweapon_mode")),
    ],
)
async def test_control_exists_once_the_car_reports_the_equipment(
    empty_home: Home, path: str, closed: object, opened: object, entity: tuple[str, str]
) -> None:
    home, entities = empty_home, er.async_get(empty_home.hass)
    home.simulator.faults.corrupt(path, closed)
    await home.set_up()
    unique_id = f"{home.car.vin}-{entity[1]}"
    assert entities.async_get_entity_id(entity[0], DOMAIN, unique_id) is None
    await report(home, {path: opened})
    assert entities.async_get_entity_id(entity[0], DOMAIN, unique_id) is not None


@each_service("tessie")
async def test_overheat_protection_has_a_temperature_if_the_car_can_set_it(home: Home) -> None:
    features = []
    for supported in (False, True):
        await report(home, {"vehicle_config.cop_user_set_temp_supported": supported})
        state = home.shown("climate", "climate_state.cabin_overheat_protection")
        features.append(state.attributes["supported_features"] & ClimateEntityFeature.TARGET_TEMPERATURE)
    assert features == [0, ClimateEntityFeature.TARGET_TEMPERATURE]
