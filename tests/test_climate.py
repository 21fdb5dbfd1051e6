"""The climate of the cabin."""

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


async def test_temperature(home: Home) -> None:
    """A temperature is set on both sides of the car."""
    await home.call("climate", "set_temperature", PATH, temperature=23.5)
    request = next(each for each in home.simulator.requests if each.path.endswith("/set_temps"))
    assert request.query == {"driver_temp": "23.5", "passenger_temp": "23.5"}
    assert home.shown("climate", PATH).attributes["temperature"] == 23.5


async def test_passenger_set_apart(home: Home) -> None:
    """A passenger's side that was set apart stays as it was set."""
    await home.call("number", "set_value", "climate_state.passenger_temp_setting", value=25)
    await home.call("climate", "set_temperature", PATH, temperature=19)
    sent = [each.query for each in home.simulator.requests if each.path.endswith("/set_temps")]
    assert sent == [
        {"driver_temp": "21.0", "passenger_temp": "25.0"},
        {"driver_temp": "19.0", "passenger_temp": "25.0"},
    ]


async def test_temperature_and_mode(home: Home) -> None:
    """A temperature may come with the wish to start."""
    await home.call("climate", "set_temperature", PATH, temperature=20, hvac_mode="heat_cool")
    assert home.car.cabin.on
    assert home.shown("climate", PATH).attributes["temperature"] == 20


async def test_temperature_beyond_the_car(home: Home) -> None:
    """A temperature that the car does not take is refused before anything is sent."""
    with pytest.raises(ServiceValidationError):
        await home.call("climate", "set_temperature", PATH, temperature=40)
    assert not home.requests("/set_temps")


@pytest.mark.parametrize(
    ("inside", "ahead", "action"),
    [
        pytest.param(5.0, True, "preheating", id="cold, nobody in it"),
        pytest.param(5.0, False, "heating", id="cold"),
        pytest.param(40.0, True, "cooling", id="hot"),
        pytest.param(None, True, None, id="unknown"),
    ],
)
async def test_what_it_does(home: Home, inside: float | None, action: str | None, *, ahead: bool) -> None:
    """The climate heats a cold cabin and cools a hot one; without a temperature, nobody knows."""
    await home.call("climate", "turn_on", PATH)
    home.simulator.faults.corrupt("climate_state.is_preconditioning", ahead)
    home.simulator.faults.corrupt("climate_state.inside_temp", inside)
    await home.poll()
    assert home.shown("climate", PATH).attributes.get("hvac_action") == action


async def test_idle_at_the_set_temperature(home: Home) -> None:
    """A cabin that is as warm as it was asked to be is neither heated nor cooled."""
    await home.call("climate", "turn_on", PATH)
    home.simulator.faults.corrupt("climate_state.inside_temp", 21.0)
    home.simulator.faults.corrupt("climate_state.driver_temp_setting", 21.0)
    await home.poll()
    assert home.shown("climate", PATH).attributes["hvac_action"] == "idle"


async def test_unknown(home: Home) -> None:
    """A climate of which the car does not say whether it is on is unknown, not off."""
    home.simulator.faults.corrupt("climate_state.is_climate_on", None)
    await home.poll()
    assert home.shown("climate", PATH).state == "unknown"
    assert home.shown("climate", PATH).attributes.get("hvac_action") is None


@pytest.mark.parametrize(
    ("field", "bound", "value"),
    [("min_avail_temp", "min_temp", 17.5), ("max_avail_temp", "max_temp", 26)],
    ids=["lowest", "highest"],
)
async def test_bounds_of_the_car(home: Home, field: str, bound: str, value: float) -> None:
    """The bounds are those that the car names, as soon as it names others."""
    home.simulator.faults.corrupt(f"climate_state.{field}", value)
    await home.poll()
    assert home.shown("climate", PATH).attributes[bound] == value


@pytest.mark.parametrize("low", [None, 99], ids=["missing", "absurd"])
async def test_bounds_that_make_no_sense(home: Home, low: float | None) -> None:
    """Bounds that the car does not name, or names the wrong way round, are 15 to 28 °C."""
    home.simulator.faults.corrupt("climate_state.min_avail_temp", low)
    await home.poll()
    bounds = home.shown("climate", PATH).attributes
    assert (bounds["min_temp"], bounds["max_temp"]) == (15, 28)
