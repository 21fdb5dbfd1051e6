"""Every documented field that a service of today reports, and those that it rarely reports."""

from typing import Final

from freezegun.api import FrozenDateTimeFactory
from homeassistant.helpers import entity_registry as er
import pytest

from custom_components.vehicle_remote_access.api.service_types import SERVICE_TYPES
from custom_components.vehicle_remote_access.const import DOMAIN
from custom_components.vehicle_remote_access.simulator import Simulator
from custom_components.vehicle_remote_access.simulator.http.car_records import full_record

from ..api.raw_records import DOCUMENTED, GONE, found_in
from ..conftest import Home
from ..field_places import ALL_SEATS, NOT_IN_VIEW, PLACES, another, report, shown_in
from .conftest import each_service

# Fields that the fixtures of no known client contain for a car of today
RARE: Final = {
    "option_codes": "sensor",
    "charge_state.charge_to_max_range": "binary_sensor",
    "charge_state.managed_charging_active": "binary_sensor",
    "charge_state.managed_charging_start_time": "sensor",
    "charge_state.managed_charging_user_canceled": "binary_sensor",
    "climate_state.seat_heater_rear_left_back": "sensor",
    "climate_state.seat_heater_rear_right_back": "sensor",
    "climate_state.smart_preconditioning": "binary_sensor",
    "vehicle_state.autopark_state": "sensor",
    "vehicle_state.autopark_style": "sensor",
    "vehicle_state.homelink_nearby": "binary_sensor",
    "vehicle_state.last_autopark_error": "sensor",
}
# What the interface document has, and the simulated service does not report
NOT_REPORTED: Final = {
    "charge_state.charge_to_max_range",
    "climate_state.seat_heater_rear_center",
    "climate_state.seat_heater_rear_left_back",
    "climate_state.seat_heater_rear_right_back",
    "climate_state.smart_preconditioning",
    "vehicle_config.perf_config",
    "vehicle_state.autopark_state",
}


def _reported(simulator: Simulator) -> list[str]:
    """Return the documented fields in the record of the simulated service, with its list."""
    record = {"display_name": "", "option_codes": "", **full_record(simulator.vehicles[0])}
    return [path for path in DOCUMENTED if found_in(record, path) is not GONE]


@each_service("tessie")
@pytest.mark.usefixtures("entity_registry_enabled_by_default")
async def test_reported_field_is_shown_in_each_place(home: Home, freezer: FrozenDateTimeFactory) -> None:
    reported = _reported(home.simulator)
    assert DOCUMENTED.keys() - set(reported) == NOT_REPORTED
    not_shown = []
    for path in reported:
        if places := PLACES[path] - NOT_IN_VIEW:
            freezer.tick(2)
            not_shown += [f"{path}: {place}" for place in places - await shown_in(home, path)]
    assert not not_shown, "\n".join(not_shown)


def _entity(home: Home, path: str) -> str | None:
    return er.async_get(home.hass).async_get_entity_id(RARE[path], DOMAIN, f"{home.car.vin}-{path}")


@each_service("tesla_fleet", "other", other=True)
@pytest.mark.usefixtures("entity_registry_enabled_by_default")
async def test_field_that_many_cars_lack_has_no_entity_until_a_car_reports_it(
    empty_home: Home,
) -> None:
    """A service of the documented interface has no such fields."""
    home, faults = empty_home, empty_home.simulator.faults
    rare = set() if home.simulator.service == "other" else set(RARE)
    assert {field.path for field in SERVICE_TYPES[home.simulator.service].rare_fields} == rare
    for path in RARE:
        faults.remove(path)
    await home.set_up()
    await report(home, ALL_SEATS)
    assert {path for path in RARE if not _entity(home, path)} == rare
    faults.clear()
    await report(home, {**ALL_SEATS, **{path: another(path, None) for path in RARE}})
    assert not [path for path in RARE if not _entity(home, path)]
