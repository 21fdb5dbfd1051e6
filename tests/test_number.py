"""Number entities."""

from typing import Final

from .conftest import Home

LIMIT: Final = "charge_state.charge_limit_soc"
PASSENGER: Final = "climate_state.passenger_temp_setting"
SPEED: Final = "vehicle_state.speed_limit_mode.current_limit_mph"
MAX_SPEED: Final = "vehicle_state.speed_limit_mode.max_limit_mph"


async def test_both_sides_get_the_passengers_temperature_if_the_drivers_is_unknown(home: Home) -> None:
    home.simulator.faults.remove("climate_state.driver_temp_setting")
    await home.poll()
    await home.call("number", "set_value", PASSENGER, value=22)
    assert home.queries("set_temps") == [{"driver_temp": "22.0", "passenger_temp": "22.0"}]


async def test_range_is_that_of_the_car(home: Home) -> None:
    for path, min_field, max_field, low, high in (
        (LIMIT, f"{LIMIT}_min", f"{LIMIT}_max", 60, 85),
        (PASSENGER, "climate_state.min_avail_temp", "climate_state.max_avail_temp", 17.5, 26),
    ):
        for field, value, bound in ((min_field, low, "min"), (max_field, high, "max")):
            home.simulator.faults.corrupt(field, value)
            await home.poll()
            assert home.shown("number", path).attributes[bound] == value, path


async def test_metric_home_sees_and_sets_the_speed_limit_in_kilometers(home: Home) -> None:
    home.simulator.faults.corrupt("vehicle_state.speed_limit_mode.min_limit_mph", 55)
    home.simulator.faults.corrupt(MAX_SPEED, 70)
    await home.poll()
    shown = home.shown("number", SPEED)
    assert shown.attributes["unit_of_measurement"] == "km/h"
    assert (shown.attributes["min"], shown.attributes["max"]) == (88.0, 113.0)
    await home.call("number", "set_value", SPEED, value=100)
    assert home.queries("speed_limit_set_limit") == [{"limit_mph": "62"}]
