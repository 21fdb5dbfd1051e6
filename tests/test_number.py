"""Numbers."""

from typing import Final

from homeassistant.exceptions import ServiceValidationError
import pytest

from .conftest import Home

LIMIT: Final = "charge_state.charge_limit_soc"


async def test_charge_limit(home: Home) -> None:
    """Setting the number sets the car's limit."""
    assert home.shown("number", LIMIT).state == "80"
    await home.call("number", "set_value", LIMIT, value=90)
    assert home.shown("number", LIMIT).state == "90"
    await home.advance(5)
    assert home.shown("number", LIMIT).state == "90"
    (request,) = [each for each in home.simulator.requests if each.path.endswith("/set_charge_limit")]
    assert request.query == {"percent": "90"}


async def test_speed_limit(home: Home) -> None:
    """The speed limit is set in the car's own miles per hour."""
    path = "vehicle_state.speed_limit_mode.current_limit_mph"
    bounds = home.shown("number", path).attributes
    await home.call("number", "set_value", path, value=bounds["min"])
    (request,) = [each for each in home.simulator.requests if each.path.endswith("/speed_limit_set_limit")]
    assert request.query == {"limit_mph": "50"}


async def test_passenger_without_driver(home: Home) -> None:
    """Where the driver's side is not known, both sides get the passenger's temperature."""
    home.simulator.faults.remove("climate_state.driver_temp_setting")
    await home.poll()
    await home.call("number", "set_value", "climate_state.passenger_temp_setting", value=22)
    (request,) = [each for each in home.simulator.requests if each.path.endswith("/set_temps")]
    assert request.query == {"driver_temp": "22.0", "passenger_temp": "22.0"}


async def test_same_limit_again(home: Home) -> None:
    """Setting the limit that is set already is no error."""
    await home.call("number", "set_value", LIMIT, value=80)
    assert home.shown("number", LIMIT).state == "80"


async def test_limit_beyond_the_car(home: Home) -> None:
    """A limit that the car does not take is refused before anything is sent."""
    with pytest.raises(ServiceValidationError):
        await home.call("number", "set_value", LIMIT, value=30)
    assert not home.requests("/set_charge_limit")


@pytest.mark.parametrize(
    ("path", "lowest", "highest", "low", "high"),
    [
        (LIMIT, "charge_state.charge_limit_soc_min", "charge_state.charge_limit_soc_max", 60, 85),
        (
            "climate_state.passenger_temp_setting",
            "climate_state.min_avail_temp",
            "climate_state.max_avail_temp",
            17.5,
            26,
        ),
        (
            "vehicle_state.speed_limit_mode.current_limit_mph",
            "vehicle_state.speed_limit_mode.min_limit_mph",
            "vehicle_state.speed_limit_mode.max_limit_mph",
            55,
            70,
        ),
    ],
    ids=["charge limit", "passenger", "speed limit"],
)
async def test_bounds_of_the_car(
    home: Home, path: str, lowest: str, highest: str, low: float, high: float
) -> None:
    """The bounds are those that the car names, as soon as it names others."""
    for field, value, bound in ((lowest, low, "min"), (highest, high, "max")):
        home.simulator.faults.corrupt(field, value)
        await home.poll()
        assert home.shown("number", path).attributes[bound] == value


@pytest.mark.parametrize("low", [None, 100], ids=["missing", "absurd"])
async def test_bounds_that_make_no_sense(home: Home, low: float | None) -> None:
    """Bounds that the car does not name, or names the wrong way round, are 50 to 100 %."""
    home.simulator.faults.corrupt("charge_state.charge_limit_soc_min", low)
    await home.poll()
    bounds = home.shown("number", LIMIT).attributes
    assert (bounds["min"], bounds["max"]) == (50, 100)
