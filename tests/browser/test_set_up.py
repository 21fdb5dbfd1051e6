"""Adding an account as a new user."""

from typing import Final

from development.process import DevelopProcess
from development.user import User

OPTIONS: Final = ("--empty", "--service", "tessie")
"""Start Home Assistant without an account. The simulator has the address of Tessie."""


def finish(user: User, car: str, clicks: int) -> None:
    """Finish the dialog. Check that the car is on a dashboard after at most so many clicks."""
    user.see("Name and assign")
    user.press("Skip and finish")
    user.click("Cars")

    user.see(car)
    user.see_card("vehicle-remote-access-car")
    user.see_no_error()
    assert user.clicks <= clicks
    assert user.fields <= 2


def test_from_setup_to_dashboard(user: User) -> None:
    """A simulated car is on a dashboard after at most six clicks."""
    user.find_integration()
    user.click("Try a simulated car")
    user.see("Number of cars")
    user.press("Submit")
    finish(user, "Aurora", clicks=6)


def test_from_token_to_dashboard(user: User, running: DevelopProcess) -> None:
    """The dialogs ask only for the token. After nine clicks, the car is on a dashboard."""
    user.find_integration()
    user.click("Connect an account")
    user.see("Service")
    user.click("Tessie")
    user.press("Submit")
    user.see("Connect Tessie")
    user.fill("Access token", running.token)
    user.press("Submit")
    user.see("Vehicles")
    user.press("Submit")
    finish(user, "Comet", clicks=9)
