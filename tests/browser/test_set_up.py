"""Setting up a simulated car as a new user."""

from typing import Final

from .user import User

OPTIONS: Final = ("--empty",)
"""Start Home Assistant without an account."""


def test_from_setup_to_dashboard(user: User) -> None:
    """A simulated car is on a dashboard after at most six clicks and two text fields."""
    user.open("/config/integrations/dashboard")

    user.press("Add integration")
    user.fill("Search for a brand name", "Vehicle Remote")
    user.click("Vehicle Remote Access")
    user.click("Try a simulated car")
    user.see("Number of cars")
    user.press("Submit")
    user.see("Name and assign")
    user.press("Skip and finish")
    user.click("Cars")

    user.see("Aurora")
    user.see_card("hui-map-card")
    user.see_no_error()
    assert user.clicks <= 6
    assert user.fields <= 2
