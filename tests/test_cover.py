"""The covers: what is sent for the charge port and the sunroof, and their states."""

from typing import Final

from homeassistant.exceptions import HomeAssistantError
import pytest

from .conftest import Home

TRUNK: Final = "vehicle_state.rt"
FRUNK: Final = "vehicle_state.ft"
ROOF: Final = "vehicle_state.sun_roof_percent_open"


async def test_sun_roof(home: Home) -> None:
    """The sunroof moves to the requested position, and shows its position."""
    for service, data, query, position in (
        ("open_cover", {}, {"state": "open"}, 100),
        ("set_cover_position", {"position": 40}, {"state": "move", "percent": "40"}, 40),
        ("close_cover", {}, {"state": "closed"}, 0),
    ):
        home.simulator.requests.clear()
        await home.call("cover", service, ROOF, **data)
        assert home.queries("sun_roof_control") == [query]
        await home.advance(70)
        assert home.shown("cover", ROOF).attributes["current_position"] == position
    # A closed sunroof does not show as opening after a close command.
    await home.call("cover", "close_cover", ROOF)
    assert home.shown("cover", ROOF).state == "closed"


async def test_moving_sun_roof(home: Home) -> None:
    """The sunroof is opening or closing while it moves. Its final state shows as soon as it stops."""
    await home.call("cover", "open_cover", ROOF)
    assert home.shown("cover", ROOF).state == "opening"
    await home.advance(16)
    assert home.shown("cover", ROOF).state == "open"
    await home.call("cover", "close_cover", ROOF)
    assert home.shown("cover", ROOF).state == "closing"
    await home.advance(4)
    assert home.shown("cover", ROOF).state == "closing"
    await home.advance(12)
    assert home.shown("cover", ROOF).state == "closed"


async def test_sun_roof_without_percent(home: Home) -> None:
    """Without a position, the state of the sunroof follows from its reported state, or is unknown."""
    home.simulator.faults.corrupt("vehicle_state.sun_roof_percent_open", None)
    for state, shown in (
        ("closed", "closed"),
        ("vent", "open"),
        ("open", "open"),
        ("moving", "unknown"),
        ("unknown", "unknown"),
    ):
        home.simulator.faults.corrupt("vehicle_state.sun_roof_state", state)
        await home.poll()
        assert home.shown("cover", ROOF).state == shown, state


async def test_no_covers_without_remote_lids(empty_home: Home) -> None:
    """A car whose lids can't be opened remotely has no cover entities for them."""
    empty_home.simulator.faults.corrupt("vehicle_config.can_actuate_trunks", value=False)
    await empty_home.set_up()
    for path in (TRUNK, FRUNK):
        with pytest.raises(AssertionError, match="no cover"):
            empty_home.entity_id("cover", path)


async def test_sun_roof_moved_by_button(home: Home) -> None:
    """A sunroof that a button moves to a preset is not closing."""
    await home.call("cover", "open_cover", ROOF)
    await home.advance(20)
    await home.call("cover", "set_cover_position", ROOF, position=15)
    await home.advance(20)
    await home.call("button", "press", "sun_roof_control.comfort")
    assert home.shown("cover", ROOF).state == "open"
    await home.advance(20)
    assert home.shown("cover", ROOF).attributes["current_position"] == 80


async def test_refused_command_does_not_turn_a_moving_sun_roof(home: Home) -> None:
    """A sunroof that opens does not show as closing when the car refused to close it."""
    await home.call("cover", "set_cover_position", ROOF, position=15)
    await home.advance(20)
    await home.call("button", "press", "sun_roof_control.comfort")
    refusal = {"response": {"result": False, "reason": "not_allowed"}}
    home.simulator.faults.answer(200, body=refusal, times=2, only="/sun_roof_control")
    with pytest.raises(HomeAssistantError, match="not_allowed"):
        await home.call("cover", "close_cover", ROOF)
    home.simulator.faults.corrupt("vehicle_state.sun_roof_percent_open", 40)
    await home.poll()
    assert home.shown("cover", ROOF).state == "open"
