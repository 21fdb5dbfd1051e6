"""The dashboard that stands in the sidebar by itself."""

from typing import Literal

import pytest

from .conftest import DESKTOP, PHONE
from .visitor import CARS, Bystander, Visitor


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_car_at_a_glance(
    scheme: Literal["light", "dark"], size: tuple[int, int], visitor: Visitor, bystander: Bystander
) -> None:
    """The car, its battery, its lock and its place fit on every screen, in the person's colours."""
    visitor.open(CARS)
    visitor.see("Comet")
    visitor.see(f"{bystander.car['record']['charge_state']['battery_level']}%")
    visitor.see("Doors Locked")
    visitor.see_card("hui-map-card")
    visitor.see_no_error()
    assert visitor.is_in_the_dark is (scheme == "dark")


def test_lock(visitor: Visitor, bystander: Bystander) -> None:
    """The car obeys: it is unlocked once the person has said that this is meant, and locked at once."""
    visitor.open(CARS)
    visitor.press("Doors Locked")
    visitor.press("OK")
    visitor.see("Doors Unlocked")
    assert not bystander.car["record"]["vehicle_state"]["locked"]
    visitor.press("Doors Unlocked")
    visitor.see("Doors Locked")
    assert bystander.car["record"]["vehicle_state"]["locked"]


def test_card_is_suggested(visitor: Visitor) -> None:
    """The card picker suggests the car's card for an entity that is on it."""
    visitor.open_new_dashboard()
    visitor.press("Add card")
    visitor.fill("Search entities", "Comet Battery")
    visitor.click("Battery")
    visitor.see_card("vehicle-remote-access-car")
