"""Test the climate platform."""

from typing import Final

from homeassistant.exceptions import ServiceValidationError
import pytest

from .conftest import Home

PATH: Final = "climate_state"


async def test_turn_on(home: Home) -> None:
    """Turning the climate on starts it in the car."""
    assert home.shown("climate", PATH).state == "off"
    await home.call("climate", "turn_on", PATH)
    assert home.car.cabin.on
    assert home.shown("climate", PATH).state == "heat_cool"


async def test_turn_off(home: Home) -> None:
    """Turning the climate off stops it in the car."""
    await home.call("climate", "set_hvac_mode", PATH, hvac_mode="heat_cool")
    await home.call("climate", "set_hvac_mode", PATH, hvac_mode="off")
    assert not home.car.cabin.on
    assert home.shown("climate", PATH).state == "off"


async def test_set_temperature(home: Home) -> None:
    """The set temperature applies to both sides of the car."""
    await home.call("climate", "set_temperature", PATH, temperature=23.5)
    request = next(request for request in home.simulator.requests if request.path.endswith("/set_temps"))
    assert request.query == {"driver_temp": "23.5", "passenger_temp": "23.5"}
    assert home.shown("climate", PATH).attributes["temperature"] == 23.5


async def test_separate_passenger_temperature_stays(home: Home) -> None:
    """A passenger temperature that was set separately stays."""
    await home.call("number", "set_value", "climate_state.passenger_temp_setting", value=25)
    await home.call("climate", "set_temperature", PATH, temperature=19)
    queries = [request.query for request in home.simulator.requests if request.path.endswith("/set_temps")]
    assert queries == [
        {"driver_temp": "21.0", "passenger_temp": "25.0"},
        {"driver_temp": "19.0", "passenger_temp": "25.0"},
    ]


async def test_set_temperature_with_mode(home: Home) -> None:
    """Setting a temperature and a mode in one call also starts the climate."""
    await home.call("climate", "set_temperature", PATH, temperature=20, hvac_mode="heat_cool")
    assert home.car.cabin.on
    assert home.shown("climate", PATH).attributes["temperature"] == 20


async def test_temperature_out_of_range(home: Home) -> None:
    """A temperature outside of the car's range is rejected before a request is sent."""
    with pytest.raises(ServiceValidationError):
        await home.call("climate", "set_temperature", PATH, temperature=40)
    assert not home.requests("/set_temps")


@pytest.mark.parametrize(
    ("inside_temp", "is_preconditioning", "action"),
    [
        pytest.param(5.0, True, "preheating", id="cold, preconditioning"),
        pytest.param(5.0, False, "heating", id="cold"),
        pytest.param(40.0, True, "cooling", id="hot"),
        pytest.param(None, True, None, id="unknown temperature"),
    ],
)
async def test_hvac_action(
    home: Home, inside_temp: float | None, action: str | None, *, is_preconditioning: bool
) -> None:
    """The action depends on the cabin temperature. It is missing if the temperature is unknown."""
    await home.call("climate", "turn_on", PATH)
    home.simulator.faults.corrupt("climate_state.is_preconditioning", is_preconditioning)
    home.simulator.faults.corrupt("climate_state.inside_temp", inside_temp)
    await home.poll()
    assert home.shown("climate", PATH).attributes.get("hvac_action") == action


async def test_idle_at_set_temperature(home: Home) -> None:
    """The action is idle if the cabin has the set temperature."""
    await home.call("climate", "turn_on", PATH)
    home.simulator.faults.corrupt("climate_state.inside_temp", 21.0)
    home.simulator.faults.corrupt("climate_state.driver_temp_setting", 21.0)
    await home.poll()
    assert home.shown("climate", PATH).attributes["hvac_action"] == "idle"


async def test_unknown_state(home: Home) -> None:
    """The climate is unknown, not off, if the car doesn't report whether it is on."""
    home.simulator.faults.corrupt("climate_state.is_climate_on", None)
    await home.poll()
    assert home.shown("climate", PATH).state == "unknown"
    assert home.shown("climate", PATH).attributes.get("hvac_action") is None


@pytest.mark.parametrize(
    ("field", "attribute", "value"),
    [("min_avail_temp", "min_temp", 17.5), ("max_avail_temp", "max_temp", 26)],
    ids=["minimum", "maximum"],
)
async def test_temperature_range_of_car(home: Home, field: str, attribute: str, value: float) -> None:
    """The temperature range follows the limits that the car reports."""
    home.simulator.faults.corrupt(f"climate_state.{field}", value)
    await home.poll()
    assert home.shown("climate", PATH).attributes[attribute] == value


@pytest.mark.parametrize("minimum", [None, 99], ids=["missing", "minimum above maximum"])
async def test_default_temperature_range(home: Home, minimum: float | None) -> None:
    """The temperature range is 15 to 28 °C if the car reports no limits or inverted ones."""
    home.simulator.faults.corrupt("climate_state.min_avail_temp", minimum)
    await home.poll()
    attributes = home.shown("climate", PATH).attributes
    assert (attributes["min_temp"], attributes["max_temp"]) == (15, 28)
