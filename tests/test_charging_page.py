"""The automation of the page about charging, which tells EV Smart Charging whether the car is plugged in."""

from homeassistant.const import ATTR_ENTITY_ID, STATE_ON
from homeassistant.setup import async_setup_component
from pytest_homeassistant_custom_component.common import async_mock_service

from .conftest import Home, examples_in

CONNECTED = "switch.ev_smart_charging_ev_connected"


async def test_plug_at_home_is_told_once(empty_home: Home) -> None:
    """The switch follows the plug at home, and nothing is called if the switch is right already."""
    home, hass = empty_home, empty_home.hass
    point = home.car.home.point
    await hass.config.async_update(latitude=point.latitude, longitude=point.longitude)
    assert await async_setup_component(hass, "zone", {})
    home.car.unplug()
    home.park_at(point)
    await home.set_up()
    turned_on = async_mock_service(hass, "switch", "turn_on")
    turned_off = async_mock_service(hass, "switch", "turn_off")
    hass.states.async_set(CONNECTED, "off")
    (example,) = (each for each in examples_in("charging.md") if "triggers" in each)
    await home.automate({**example, "alias": "It"})

    home.car.plug_in()
    await home.poll()
    assert [call.data[ATTR_ENTITY_ID] for call in turned_on] == [[CONNECTED]]
    hass.states.async_set(CONNECTED, STATE_ON)
    home.park_at(point.beyond(5, 0))
    await home.poll()
    assert [call.data[ATTR_ENTITY_ID] for call in turned_off] == [[CONNECTED]]
    home.park_at(point)
    await home.poll()
    assert len(turned_on) == len(turned_off) == 1
