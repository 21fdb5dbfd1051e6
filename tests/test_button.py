"""Buttons of a car."""

from homeassistant.exceptions import HomeAssistantError
import pytest

from custom_components.vehicle_remote_access.simulator.faults.faults import ResponseFault

from .conftest import Home


@pytest.mark.parametrize("seconds", [65, 0], ids=["known to be asleep", "asleep since the last poll"])
async def test_wake_up_waits_until_the_car_is_awake_and_sends_nothing_else(home: Home, seconds: int) -> None:
    home.car.fall_asleep()
    await home.advance(seconds)
    assert await home.gather(home.call("button", "press", "wake_up")) == [None]
    assert home.car.state == "online"
    assert home.shown("sensor", "state").state == "online"
    assert len(home.requests("/wake_up")) == 1
    assert not home.requests("/command/")


async def test_wake_up_ends_the_backoff_of_failed_reads(home: Home) -> None:
    home.car.unplug()
    home.car.drive(60)
    fault = home.simulator.faults.inject(ResponseFault(status=500, only="/vehicle_data"), times=1000)
    await home.advance(10 * 60, step=10)
    home.simulator.faults.withdraw(fault)
    assert home.shown("sensor", "polling_mode").state == "backing_off"
    await home.call("button", "press", "wake_up")
    await home.advance(15)
    assert home.shown("sensor", "polling_mode").state == "driving"


async def test_failed_refresh_is_an_error_and_the_last_values_stay(home: Home) -> None:
    home.simulator.faults.answer(500, only="/vehicle_data")
    with pytest.raises(HomeAssistantError, match="The service is failing"):
        await home.call("button", "press", "refresh")
    assert home.shown("sensor", "charge_state.battery_level").state == "72"
