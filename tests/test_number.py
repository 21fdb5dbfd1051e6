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


async def test_same_limit_again(home: Home) -> None:
    """Setting the limit that is set already is no error."""
    await home.call("number", "set_value", LIMIT, value=80)
    assert home.shown("number", LIMIT).state == "80"


async def test_limit_beyond_the_car(home: Home) -> None:
    """A limit that the car does not take is refused before anything is sent."""
    with pytest.raises(ServiceValidationError):
        await home.call("number", "set_value", LIMIT, value=30)
    assert not home.requests("/set_charge_limit")


@pytest.mark.parametrize("low", [None, 100], ids=["missing", "absurd"])
async def test_bounds_that_make_no_sense(home: Home, low: float | None) -> None:
    """Bounds that the car does not name, or names the wrong way round, are 50 to 100 %."""
    home.simulator.faults.corrupt("charge_state.charge_limit_soc_min", low)
    await home.poll()
    bounds = home.shown("number", LIMIT).attributes
    assert (bounds["min"], bounds["max"]) == (50, 100)
