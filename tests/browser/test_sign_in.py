"""Signing in at a service, from nothing to the car."""

from typing import Final

from development.process import DevelopProcess
from development.user import User
from simulator_console.authorization import CLIENT_SECRET
from simulator_console.program import SIGN_IN_PORT

OPTIONS: Final = ("--empty", "--service", "tesla_fleet")


def choose_sign_in(user: User) -> None:
    user.click("Connect an account")
    user.click("Tesla Fleet API")
    user.click("Sign in")


def test_from_an_application_to_the_car(user: User, running: DevelopProcess) -> None:
    """The owner enters the client ID and its secret once, and no token."""
    address, _, port = running.simulator_url.rpartition(":")
    server = f"{address}:{int(port) + SIGN_IN_PORT}"
    user.find_integration()
    choose_sign_in(user)
    user.fill("Name", "Mine")
    user.fill("OAuth client ID", "simulated-client")
    user.fill("OAuth client secret", CLIENT_SECRET)
    user.press("Add")
    choose_sign_in(user)
    user.fill("Domain", server)
    with user.page.expect_popup() as popup:
        user.press("Submit")
    popup.value.locator("#allow").click()
    user.see("Vehicles")
    user.press("Submit")
    user.see("Name and assign")
    user.click("Cars")
    user.see("Comet")
    user.see_no_error()
