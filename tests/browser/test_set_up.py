"""Adding an account as a new user."""

from typing import Final

from playwright.sync_api import expect

from development.process import DevelopProcess
from development.user import User

OPTIONS: Final = ("--empty", "--service", "tessie")
"""Start Home Assistant without an account. The simulator has the address of Tessie."""


def finish(user: User, car: str, clicks: int) -> None:
    """Open the dashboard from the dialog. Check that it shows the car after at most so many clicks."""
    user.see("Name and assign")
    user.click("Cars")

    user.see(car)
    user.see_card("vehicle-remote-access-car")
    user.see_no_error()
    assert user.clicks <= clicks
    assert user.fields <= 2


def test_from_setup_to_the_log_of_a_year(user: User) -> None:
    """After five clicks, a simulated car is on a dashboard. The sixth shows a year of drives and charges."""
    user.find_integration()
    user.click("Try a simulated car")
    user.see("Number of cars")
    user.press("Submit")
    user.see("Simulating a year of drives and charges. This takes some seconds for each car.")
    finish(user, "Aurora", clicks=5)
    user.click("Log")
    expect(user.page.get_by_text("Work → ").first).to_be_visible()
    assert user.clicks <= 6
    user.click("Months")
    expect(user.page.get_by_text("so far", exact=False).first).to_be_visible()


def test_from_token_to_dashboard(user: User, running: DevelopProcess) -> None:
    """The dialogs ask only for the token. After seven clicks, the car is on a dashboard."""
    user.find_integration()
    user.click("Connect an account")
    user.click("Tessie")
    user.see("Connect Tessie")
    user.fill("Access token", running.token)
    user.press("Submit")
    user.see("Vehicles")
    user.press("Submit")
    finish(user, "Comet", clicks=7)
