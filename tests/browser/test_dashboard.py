"""The dashboard that the integration adds to the sidebar."""

import re
from typing import Final, Literal

from playwright.sync_api import FloatRect, Locator, expect
import pytest

from development.user import CARS, SimulatorAdmin, User, exactly

from .accessibility import low_contrasts

CARD: Final = "vehicle-remote-access-car"
DOORS: Final = ("driverDoor", "driverRearDoor", "passengerDoor", "passengerRearDoor")
LIDS: Final = ("frunk", "trunk", "chargePort")
GRAPHIC, TEXT = 3.0, 4.5
"""The lowest contrasts that WCAG accepts."""
NEEDED_CONTRASTS: Final = {
    **{f"[data-part={part}] > .panel": GRAPHIC for part in (*DOORS, *LIDS, "lock")},
    **dict.fromkeys((".shackle", ".edge", ".bar .level", ".bar .limit"), GRAPHIC),
    **dict.fromkeys(("h2", ".headline", ".warning", ".battery", ".range"), TEXT),
}
FINGER: Final = 44
"""The smallest size in pixels that a finger hits."""
WIDTH_OF_PHONE, HEIGHT_OF_PHONE = 390, 844
UNLOCKED_COLOR: Final = "rgb(255, 190, 92)"
EDGES_OF_ROWS: Final = """sections => {
    const rows = {};
    for (const section of sections) {
        const { top, left, right } = section.getBoundingClientRect();
        (rows[Math.round(top)] ??= []).push(Math.round(left), Math.round(right));
    }
    return Object.values(rows).map(edges => [Math.min(...edges), Math.max(...edges)]);
}"""
"""The left and the right edge of each row of sections."""


def test_lock(user: User, simulation: SimulatorAdmin) -> None:
    """The dashboard unlocks the car after a confirmation, and locks it immediately."""
    user.open(CARS)
    user.press("Doors Locked")
    user.press("Unlock")
    user.see("Doors Unlocked")
    assert not simulation.car["record"]["vehicle_state"]["locked"]
    user.press("Doors Unlocked")
    user.see("Doors Locked")
    assert simulation.car["record"]["vehicle_state"]["locked"]


def test_card_is_suggested(user: User) -> None:
    user.add_card()
    user.fill("Search entities", "Comet Battery")
    user.click("Battery")
    user.see_card("vehicle-remote-access-car")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrasts(scheme: Literal["light", "dark"], user: User, simulation: SimulatorAdmin) -> None:
    """The picture has enough contrast in both color schemes, while the car is closed and while it is open."""
    user.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    unplug(simulation)
    for lock, move, state in (("unlock", "open", "Doors Unlocked"), ("lock", "close", "Doors Locked")):
        simulation.do(lock)
        for opening in ("df", "pr", "ft", "rt"):
            simulation.do(move, name=opening)
        user.open(CARS)
        user.refresh_until(state)
        assert low_contrasts(user.page.locator(CARD), NEEDED_CONTRASTS) == {}


@pytest.mark.parametrize("width", [1280, 1400])
def test_each_row_of_sections_is_as_wide_as_the_view(width: int, user: User) -> None:
    user.page.set_viewport_size({"width": width, "height": 900})
    user.open(CARS)
    user.see_card("hui-map-card")
    user.see_card("hui-empty-state-card")
    rows = user.page.locator("hui-grid-section").filter(visible=True).evaluate_all(EDGES_OF_ROWS)
    assert len(rows) > 1
    assert all(row == rows[0] for row in rows), rows


def test_sizes_and_names(user: User) -> None:
    """On a phone, a finger hits each part of the picture and the actions below. The picture has a name."""
    user.page.set_viewport_size({"width": WIDTH_OF_PHONE, "height": HEIGHT_OF_PHONE})
    user.open(CARS)
    picture = user.page.get_by_role("group", name="Comet, seen from above")
    expect(picture.get_by_role("button", name="Driver door: Closed")).to_be_visible()
    for part in (*DOORS, *LIDS, "lock"):
        box = box_of(picture.locator(f"[data-part={part}] > .touch"))
        assert min(box["width"], box["height"]) >= FINGER, part
    for action in ("Doors Locked", "Climate Off", "Trunk Closed"):
        box = box_of(user.page.get_by_role("button", name=exactly(action)).filter(visible=True))
        assert min(box["width"], box["height"]) >= FINGER, action
        assert box["y"] + box["height"] < HEIGHT_OF_PHONE, action


def test_drive_and_charge(user: User, simulation: SimulatorAdmin) -> None:
    """The picture shows the power of a charge. Unlocked doors are no alarm while the car is driven."""
    card = user.page.locator(CARD)
    padlock = card.locator("[data-part=lock] > .panel")
    unplug(simulation)
    simulation.do("unlock")
    user.open(CARS)
    user.refresh_until("Doors Unlocked")
    expect(padlock).to_have_css("fill", UNLOCKED_COLOR)

    simulation.do("set_level", percent=50)
    simulation.do("plug_in")
    user.refresh_until(re.compile(r"^Charging until .*\d:\d\d"))
    expect(card.locator(".power")).to_have_text(re.compile(r"^\d+ kW$"))

    simulation.do("unplug")
    simulation.do("drive", miles=20, speed=65)
    user.refresh_until("Driving · 105 km/h")
    user.see("Doors Unlocked")
    expect(padlock).not_to_have_css("fill", UNLOCKED_COLOR)


def unplug(simulation: SimulatorAdmin) -> None:
    if simulation.car["record"]["charge_state"]["charging_state"] != "Disconnected":
        simulation.do("unplug")


def box_of(element: Locator) -> FloatRect:
    box = element.bounding_box()
    assert box is not None
    return box
