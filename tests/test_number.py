"""Number entities."""

from typing import Final

from .conftest import Home

PASSENGER: Final = "climate_state.passenger_temp_setting"
SPEED: Final = "vehicle_state.speed_limit_mode.current_limit_mph"
MAX_SPEED: Final = "vehicle_state.speed_limit_mode.max_limit_mph"


async def test_both_sides_get_the_passengers_temperature_if_the_drivers_is_unknown(home: Home) -> None:
    home.simulator.faults.remove("climate_state.driver_temp_setting")
    await home.poll()
    await home.call("number", "set_value", PASSENGER, value=22)
    assert home.queries("set_temps") == [{"driver_temp": "22.0", "passenger_temp": "22.0"}]


async def test_metric_home_sees_and_sets_the_speed_limit_in_kilometers(home: Home) -> None:
    home.simulator.faults.corrupt("vehicle_state.speed_limit_mode.min_limit_mph", 55)
    home.simulator.faults.corrupt(MAX_SPEED, 70)
    await home.poll()
    shown = home.shown("number", SPEED)
    assert shown.attributes["unit_of_measurement"] == "km/h"
    assert (shown.attributes["min"], shown.attributes["max"]) == (88.0, 113.0)
    await home.call("number", "set_value", SPEED, value=100)
    assert home.queries("speed_limit_set_limit") == [{"limit_mph": "62"}]
