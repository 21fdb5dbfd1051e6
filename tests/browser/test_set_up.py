"""The first minutes of somebody who wants to see what this is."""

import pytest

from .visitor import Visitor


@pytest.fixture(scope="module")
def options() -> tuple[str, ...]:
    """A Home Assistant without an account."""
    return ("--empty",)


def test_from_the_dialog_to_the_dashboard(visitor: Visitor) -> None:
    """A simulated car is on a dashboard after six clicks at most, with two fields at most to fill in."""
    visitor.open("/config/integrations/dashboard")

    visitor.press("Add integration")
    visitor.fill("Search for a brand name", "Vehicle Remote")
    visitor.click("Vehicle Remote Access")
    visitor.click("Try it with a simulated car")
    visitor.see("Number of cars")
    visitor.press("Submit")
    visitor.see("Name and assign")
    visitor.press("Skip and finish")
    visitor.click("Cars")

    visitor.see("Aurora")
    visitor.see_card("hui-map-card")
    visitor.see_no_error()
    assert visitor.clicks <= 6
    assert visitor.fields <= 2
