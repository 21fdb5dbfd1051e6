"""Switch entities."""

from typing import Final

from .conftest import Home

CHARGING: Final = "charge_state.charging_state"
VALET: Final = "vehicle_state.valet_mode"


async def test_start_and_stop_charging(home: Home) -> None:
    """The switch starts and stops charging."""
    assert home.shown("switch", CHARGING).state == "off"
    await home.call("switch", "turn_on", CHARGING)
    assert home.shown("switch", CHARGING).state == "on"
    await home.advance(20)
    assert home.shown("sensor", CHARGING).state == "charging"
    assert home.shown("binary_sensor", CHARGING).state == "on"
    await home.call("switch", "turn_off", CHARGING)
    await home.advance(5)
    assert home.shown("switch", CHARGING).state == "off"
    assert home.shown("sensor", CHARGING).state == "stopped"


async def test_valet_mode(home: Home) -> None:
    """The switch turns valet mode on and off, without a PIN."""
    await home.call("switch", "turn_on", VALET)
    assert home.shown("switch", VALET).state == "on"
    await home.call("switch", "turn_off", VALET)
    await home.advance(5)
    assert home.shown("switch", VALET).state == "off"
    sent = [request.query for request in home.simulator.requests if request.path.endswith("/set_valet_mode")]
    assert sent == [{"on": "true"}, {"on": "false"}]
