"""The climate of the cabin."""

from typing import Final

from .conftest import Home
from .field_places import report

PATH: Final = "climate_state"


async def test_temperature_is_set_on_both_sides_unless_they_differ(home: Home) -> None:
    await home.call("climate", "set_temperature", PATH, temperature=23.5)
    assert home.shown("climate", PATH).attributes["temperature"] == 23.5
    await home.call("number", "set_value", "climate_state.passenger_temp_setting", value=25)
    await home.call("climate", "set_temperature", PATH, temperature=20, hvac_mode="heat_cool")
    assert home.shown("climate", PATH).attributes["temperature"] == 20
    assert home.car.cabin.on
    assert home.queries("set_temps") == [
        {"driver_temp": "23.5", "passenger_temp": "23.5"},
        {"driver_temp": "23.5", "passenger_temp": "25.0"},
        {"driver_temp": "20.0", "passenger_temp": "25.0"},
    ]


async def test_action_depends_on_the_temperature_inside(home: Home) -> None:
    await home.call("climate", "turn_on", PATH)
    for inside_temp, is_preconditioning, action in (
        (5.0, True, "preheating"),
        (5.0, False, "heating"),
        (21.0, False, "idle"),
        (21.5, True, "cooling"),
        (40.0, True, "cooling"),
        (None, True, None),
    ):
        await report(
            home, {f"{PATH}.is_preconditioning": is_preconditioning, f"{PATH}.inside_temp": inside_temp}
        )
        assert home.shown("climate", PATH).attributes.get("hvac_action") == action


async def test_climate_is_unknown_if_the_car_does_not_report_it(home: Home) -> None:
    await report(home, {"climate_state.is_climate_on": None})
    assert home.shown("climate", PATH).state == "unknown"
    assert home.shown("climate", PATH).attributes.get("hvac_action") is None
