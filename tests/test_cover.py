"""The states of the sunroof."""

from typing import Final

from homeassistant.exceptions import HomeAssistantError
import pytest

from .conftest import Home
from .field_places import report

ROOF: Final = "vehicle_state.sun_roof_percent_open"


async def test_sunroof_shows_its_movement_and_its_position(home: Home) -> None:
    for service, data, movement, state, position in (
        ("open_cover", {}, "opening", "open", 100),
        ("set_cover_position", {"position": 40}, "closing", "open", 40),
        ("close_cover", {}, "closing", "closed", 0),
        # A closed sunroof does not show as opening after a close command.
        ("close_cover", {}, "closed", "closed", 0),
    ):
        await home.call("cover", service, ROOF, **data)
        assert home.shown("cover", ROOF).state == movement
        await home.advance(4)
        assert home.shown("cover", ROOF).state == movement
        await home.advance(12)
        shown = home.shown("cover", ROOF)
        assert (shown.state, shown.attributes["current_position"]) == (state, position)


async def test_state_of_a_sunroof_without_a_position_is_the_reported_one_or_unknown(home: Home) -> None:
    for state, shown in (
        ("closed", "closed"),
        ("vent", "open"),
        ("open", "open"),
        ("moving", "unknown"),
        ("unknown", "unknown"),
    ):
        await report(home, {ROOF: None, "vehicle_state.sun_roof_state": state})
        assert home.shown("cover", ROOF).state == shown, state


async def test_sunroof_that_a_button_moves_is_not_closing(home: Home) -> None:
    await home.call("cover", "open_cover", ROOF)
    await home.advance(20)
    await home.call("cover", "set_cover_position", ROOF, position=15)
    await home.advance(20)
    await home.call("button", "press", "sun_roof_control.comfort")
    assert home.shown("cover", ROOF).state == "open"
    await home.advance(20)
    assert home.shown("cover", ROOF).attributes["current_position"] == 80


async def test_sunroof_that_opens_is_not_closing_after_a_refused_command_to_close_it(home: Home) -> None:
    await home.call("cover", "set_cover_position", ROOF, position=15)
    await home.advance(20)
    await home.call("button", "press", "sun_roof_control.comfort")
    refusal = {"response": {"result": False, "reason": "not_allowed"}}
    home.simulator.faults.answer(200, body=refusal, times=2, only="/sun_roof_control")
    with pytest.raises(HomeAssistantError, match="not_allowed"):
        await home.call("cover", "close_cover", ROOF)
    await report(home, {ROOF: 40})
    assert home.shown("cover", ROOF).state == "open"
