"""Adding an account of a service that owners can sign up for."""

from typing import Final

from development.process import DevelopProcess
from development.user import User

OPTIONS: Final = ("--empty", "--service", "tessie")
"""Start Home Assistant without an account. The simulator has the address of Tessie."""


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
    user.see("Name and assign")
    user.press("Skip and finish")
    user.click("Cars")

    user.see("Comet")
    user.see_card("hui-map-card")
    user.see_no_error()
    assert user.clicks <= 9
    assert user.fields <= 2
