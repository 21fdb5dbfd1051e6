"""Test the button platform."""

from homeassistant.exceptions import HomeAssistantError
import pytest

from custom_components.vehicle_remote_access.simulator.faults.faults import ResponseFault

from .conftest import Home


@pytest.mark.parametrize("command", ["honk_horn", "flash_lights"])
async def test_press_sends_command(home: Home, command: str) -> None:
    """Pressing a button sends its command once."""
    await home.call("button", "press", command)
    assert len(home.requests(f"/command/{command}")) == 1


@pytest.mark.parametrize(("command", "limit"), [("charge_max_range", "100"), ("charge_standard", "90")])
async def test_charge_limit_buttons(home: Home, command: str, limit: str) -> None:
    """The buttons for the usual charge limits set the limit, and its entity shows it at once."""
    await home.call("button", "press", command)
    assert home.shown("number", "charge_state.charge_limit_soc").state == limit
    await home.advance(5)
    assert home.shown("number", "charge_state.charge_limit_soc").state == limit


async def test_same_limit_is_no_error(home: Home) -> None:
    """Setting the limit that is already set is not an error."""
    await home.call("button", "press", "charge_standard")
    await home.call("button", "press", "charge_standard")
    assert home.shown("number", "charge_state.charge_limit_soc").state == "90"


async def test_reset_valet_pin_fails_in_valet_mode(
    entity_registry_enabled_by_default: None, home: Home
) -> None:
    """Resetting the PIN fails while valet mode is on, and the error contains the reason."""
    await home.call("switch", "turn_on", "vehicle_state.valet_mode")
    with pytest.raises(HomeAssistantError, match="valet mode active"):
        await home.call("button", "press", "reset_valet_pin")


@pytest.mark.parametrize("status", [500, 504])
async def test_horn_is_not_retried(home: Home, status: int) -> None:
    """The horn command is not retried after a server error. The error says that its outcome is unknown."""
    home.simulator.faults.answer(status, only="honk_horn")
    with pytest.raises(HomeAssistantError, match="nobody can tell"):
        await home.call("button", "press", "honk_horn")
    await home.advance(60)
    assert len(home.requests("/command/honk_horn")) == 1


async def test_wake_up(home: Home) -> None:
    """The button wakes a sleeping car, waits until it is awake, and sends no other command."""
    home.car.fall_asleep()
    await home.advance(65)
    assert await home.while_time_passes(home.call("button", "press", "wake_up")) == [None]
    assert home.car.state == "online"
    assert home.shown("sensor", "state").state == "online"
    assert len(home.requests("/wake_up")) == 1
    assert not home.requests("/command/")


async def test_wake_up_of_car_that_seems_awake(home: Home) -> None:
    """The button wakes a car that fell asleep after the last poll."""
    home.car.fall_asleep()
    assert await home.while_time_passes(home.call("button", "press", "wake_up")) == [None]
    assert home.car.state == "online"


async def test_wake_up_ends_backoff(home: Home) -> None:
    """The button ends the backoff after repeated failed reads of a car that is awake."""
    home.car.unplug()
    home.car.drive(60)
    fault = home.simulator.faults.inject(ResponseFault(status=500, only="/vehicle_data"), times=1000)
    await home.advance(10 * 60, step=10)
    home.simulator.faults.withdraw(fault)
    assert home.shown("sensor", "polling_mode").state == "backing_off"
    await home.call("button", "press", "wake_up")
    await home.advance(15)
    assert home.shown("sensor", "polling_mode").state == "driving"


async def test_refresh(home: Home) -> None:
    """The button reads the car at once, even while polling is paused to let the car sleep."""
    await home.advance(600, step=20)
    home.car.set_level(41)
    await home.call("button", "press", "refresh")
    assert home.shown("sensor", "charge_state.battery_level").state == "41"


async def test_refresh_does_not_wake_car(home: Home) -> None:
    """The button does not wake a sleeping car."""
    home.car.fall_asleep()
    await home.advance(65)
    home.simulator.requests.clear()
    await home.call("button", "press", "refresh")
    assert home.car.state == "asleep"
    assert home.requests() == [f"/api/1/vehicles/{home.car.id}"]


async def test_failed_refresh(home: Home) -> None:
    """A failed read is an error with a translated message, and the last known values stay."""
    home.simulator.faults.answer(500, only="/vehicle_data")
    with pytest.raises(HomeAssistantError, match="The service fails at the moment"):
        await home.call("button", "press", "refresh")
    assert home.shown("sensor", "charge_state.battery_level").state == "72"


async def test_sun_roof_presets(home: Home) -> None:
    """The buttons move the sunroof to its presets."""
    for preset, percent in (("vent", 15), ("comfort", 80)):
        await home.call("button", "press", f"sun_roof_control.{preset}")
        assert home.shown("cover", "vehicle_state.sun_roof_percent_open").state in ("opening", "open")
        await home.advance(20)
        roof = home.shown("cover", "vehicle_state.sun_roof_percent_open")
        assert roof.attributes["current_position"] == percent
