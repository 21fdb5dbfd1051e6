"""The documented fields that a service of today rarely reports."""

from typing import Final

from homeassistant.helpers import entity_registry as er
import pytest

from custom_components.vehicle_remote_access.api.service_types import SERVICE_TYPES
from custom_components.vehicle_remote_access.const import DOMAIN

from ..conftest import Home
from ..field_places import ALL_SEATS, another, report
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
