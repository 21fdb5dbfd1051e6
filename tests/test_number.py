"""Number entities."""

from typing import Final

from homeassistant.exceptions import ServiceValidationError
import pytest

from .conftest import Home

LIMIT: Final = "charge_state.charge_limit_soc"


async def test_charge_limit(home: Home) -> None:
    """Setting the number sets the car's charge limit."""
    assert home.shown("number", LIMIT).state == "80"
    await home.call("number", "set_value", LIMIT, value=90)
    assert home.shown("number", LIMIT).state == "90"
    await home.advance(5)
    assert home.shown("number", LIMIT).state == "90"
    (request,) = [
        request for request in home.simulator.requests if request.path.endswith("/set_charge_limit")
    ]
    assert request.query == {"percent": "90"}


async def test_speed_limit(home: Home) -> None:
    """The speed limit is sent in miles per hour, the car's unit."""
    path = "vehicle_state.speed_limit_mode.current_limit_mph"
    bounds = home.shown("number", path).attributes
    await home.call("number", "set_value", path, value=bounds["min"])
    (request,) = [
        request for request in home.simulator.requests if request.path.endswith("/speed_limit_set_limit")
    ]
    assert request.query == {"limit_mph": "50"}


async def test_passenger_temperature_without_driver_temperature(home: Home) -> None:
    """If the driver's temperature is unknown, both sides get the passenger's temperature."""
    home.simulator.faults.remove("climate_state.driver_temp_setting")
    await home.poll()
    await home.call("number", "set_value", "climate_state.passenger_temp_setting", value=22)
    (request,) = [request for request in home.simulator.requests if request.path.endswith("/set_temps")]
    assert request.query == {"driver_temp": "22.0", "passenger_temp": "22.0"}


async def test_setting_the_current_limit(home: Home) -> None:
    """Setting the limit to its current value is not an error."""
    await home.call("number", "set_value", LIMIT, value=80)
    assert home.shown("number", LIMIT).state == "80"


async def test_limit_out_of_range(home: Home) -> None:
    """A limit outside the car's range is refused, and no command is sent."""
    with pytest.raises(ServiceValidationError):
        await home.call("number", "set_value", LIMIT, value=30)
    assert not home.requests("/set_charge_limit")


@pytest.mark.parametrize(
    ("path", "min_field", "max_field", "low", "high"),
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
    ids=["charge limit", "passenger temperature", "speed limit"],
)
async def test_range_follows_the_car(
    home: Home, path: str, min_field: str, max_field: str, low: float, high: float
) -> None:
    """The entity's range changes when the car reports another range."""
    for field, value, bound in ((min_field, low, "min"), (max_field, high, "max")):
        home.simulator.faults.corrupt(field, value)
        await home.poll()
        assert home.shown("number", path).attributes[bound] == value


@pytest.mark.parametrize("low", [None, 100], ids=["missing", "above the maximum"])
async def test_invalid_range(home: Home, low: float | None) -> None:
    """The range is 50 to 100 % if the car reports no minimum, or one that is not below the maximum."""
    home.simulator.faults.corrupt("charge_state.charge_limit_soc_min", low)
    await home.poll()
    bounds = home.shown("number", LIMIT).attributes
    assert (bounds["min"], bounds["max"]) == (50, 100)
