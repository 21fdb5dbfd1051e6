"""The climate of the cabin."""

from typing import Final

from .conftest import Home

PATH: Final = "climate_state"


async def test_set_temperature(home: Home) -> None:
    """The set temperature applies to both sides, unless the passenger's was set separately."""
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


async def test_hvac_action(home: Home) -> None:
    """The action depends on the cabin temperature. It is missing if the temperature is unknown."""
    await home.call("climate", "turn_on", PATH)
    home.simulator.faults.corrupt("climate_state.driver_temp_setting", 21.0)
    for inside_temp, is_preconditioning, action in (
        (5.0, True, "preheating"),
        (5.0, False, "heating"),
        (21.0, False, "idle"),
        (21.5, True, "cooling"),
        (40.0, True, "cooling"),
        (None, True, None),
    ):
        home.simulator.faults.corrupt("climate_state.is_preconditioning", is_preconditioning)
        home.simulator.faults.corrupt("climate_state.inside_temp", inside_temp)
        await home.poll()
        assert home.shown("climate", PATH).attributes.get("hvac_action") == action


async def test_unknown_state(home: Home) -> None:
    """The climate is unknown, not off, if the car doesn't report whether it is on."""
    home.simulator.faults.corrupt("climate_state.is_climate_on", None)
    await home.poll()
    assert home.shown("climate", PATH).state == "unknown"
    assert home.shown("climate", PATH).attributes.get("hvac_action") is None


async def test_temperature_range(home: Home) -> None:
    """The temperature range is the one that the car reports, or 15 to 28 °C without a valid one."""
    for minimum, maximum, shown in (
        (17.5, 26, (17.5, 26)),
        (None, 26, (15, 28)),
        (99, 26, (15, 28)),
    ):
        home.simulator.faults.corrupt("climate_state.min_avail_temp", minimum)
        home.simulator.faults.corrupt("climate_state.max_avail_temp", maximum)
        await home.poll()
        attributes = home.shown("climate", PATH).attributes
        assert (attributes["min_temp"], attributes["max_temp"]) == shown
