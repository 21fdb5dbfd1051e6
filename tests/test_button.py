"""Buttons."""

from homeassistant.exceptions import HomeAssistantError
import pytest

from custom_components.vehicle_remote_access.simulator.faults.faults import Answer

from .conftest import Home


@pytest.mark.parametrize("command", ["honk_horn", "flash_lights"])
async def test_press(home: Home, command: str) -> None:
    """Pressing a button sends its command once."""
    await home.call("button", "press", command)
    assert len(home.requests(f"/command/{command}")) == 1


@pytest.mark.parametrize(("command", "limit"), [("charge_max_range", "100"), ("charge_standard", "90")])
async def test_limits(home: Home, command: str, limit: str) -> None:
    """The buttons for the usual limits set them, and the limit shows it at once."""
    await home.call("button", "press", command)
    assert home.shown("number", "charge_state.charge_limit_soc").state == limit
    await home.advance(5)
    assert home.shown("number", "charge_state.charge_limit_soc").state == limit


async def test_same_limit_again(home: Home) -> None:
    """A limit that is set already is no error."""
    await home.call("button", "press", "charge_standard")
    await home.call("button", "press", "charge_standard")
    assert home.shown("number", "charge_state.charge_limit_soc").state == "90"


async def test_reset_valet_pin(entity_registry_enabled_by_default: None, home: Home) -> None:
    """Resetting the PIN is refused while valet mode is on, with the reason."""
    await home.call("switch", "turn_on", "vehicle_state.valet_mode")
    with pytest.raises(HomeAssistantError, match="valet mode active"):
        await home.call("button", "press", "reset_valet_pin")


@pytest.mark.parametrize("status", [500, 504])
async def test_horn_is_honked_once(home: Home, status: int) -> None:
    """A horn whose command got no answer is not honked again; the person hears that nobody knows."""
    home.simulator.faults.answer(status, only="honk_horn")
    with pytest.raises(HomeAssistantError, match="nobody can tell"):
        await home.call("button", "press", "honk_horn")
    await home.advance(60)
    assert len(home.requests("/command/honk_horn")) == 1


async def test_wake_up(home: Home) -> None:
    """The button wakes a sleeping car, waits until it is awake, and sends it nothing else."""
    home.car.fall_asleep()
    await home.advance(65)
    assert await home.while_time_passes(home.call("button", "press", "wake_up")) == [None]
    assert home.car.state == "online"
    assert home.shown("sensor", "state").state == "online"
    assert len(home.requests("/wake_up")) == 1
    assert not home.requests("/command/")


async def test_wake_up_unseen(home: Home) -> None:
    """The button wakes a car that is thought to be awake and is not."""
    home.car.fall_asleep()
    assert await home.while_time_passes(home.call("button", "press", "wake_up")) == [None]
    assert home.car.state == "online"


async def test_wake_up_of_a_car_that_does_not_answer(home: Home) -> None:
    """The button also ends the wait for a car that failed again and again while it was awake."""
    home.car.unplug()
    home.car.drive(60)
    failing = home.simulator.faults.tell(Answer(status=500, only="/vehicle_data"), times=1000)
    await home.advance(10 * 60, step=10)
    home.simulator.faults.take_back(failing)
    assert home.shown("sensor", "polling_mode").state == "backing_off"
    await home.call("button", "press", "wake_up")
    await home.advance(15)
    assert home.shown("sensor", "polling_mode").state == "driving"


async def test_refresh(home: Home) -> None:
    """The button reads the car at once, also in its quiet time."""
    await home.advance(600, step=20)
    home.car.set_level(41)
    await home.call("button", "press", "refresh")
    assert home.shown("sensor", "charge_state.battery_level").state == "41"


async def test_refresh_lets_the_car_sleep(home: Home) -> None:
    """The button leaves a sleeping car asleep."""
    home.car.fall_asleep()
    await home.advance(65)
    home.simulator.requests.clear()
    await home.call("button", "press", "refresh")
    assert home.car.state == "asleep"
    assert home.requests() == [f"/api/1/vehicles/{home.car.id}"]


async def test_refresh_that_fails(home: Home) -> None:
    """A car that cannot be read now is an error in words, and what was known stays shown."""
    home.simulator.faults.answer(500, only="/vehicle_data")
    with pytest.raises(HomeAssistantError, match="The service fails at the moment"):
        await home.call("button", "press", "refresh")
    assert home.shown("sensor", "charge_state.battery_level").state == "72"


async def test_sun_roof_presets(home: Home) -> None:
    """The sun roof goes to its presets at a press."""
    for preset, percent in (("vent", 15), ("comfort", 80)):
        await home.call("button", "press", f"sun_roof_control.{preset}")
        assert home.shown("cover", "vehicle_state.sun_roof_percent_open").state in ("opening", "open")
        await home.advance(20)
        roof = home.shown("cover", "vehicle_state.sun_roof_percent_open")
        assert roof.attributes["current_position"] == percent
