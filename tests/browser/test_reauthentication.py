"""Reauthentication after the service rejects the token."""

from typing import Final

from development.process import DevelopProcess
from development.user import CARS, SimulatorControl, User

EXPECTED_PROBLEM: Final = "The service does not accept the access token"
INTEGRATION_PAGE: Final = "/config/integrations/integration/vehicle_remote_access"
# In Home Assistant 2026.10 and newer, and in older versions
ACCOUNT_ROW: Final = ".config-entry-wrapper > ha-row-item, ha-md-list-item.config_entry"


def test_new_token(user: User, simulation: SimulatorControl, running: DevelopProcess) -> None:
    """A wrong new token results in an error. The right one makes the account work again."""
    simulation.refuse_token()
    user.open(INTEGRATION_PAGE)
    user.press("Menu", inside=ACCOUNT_ROW)
    user.click("Reload")
    user.see("The integration was reloaded")

    user.open(INTEGRATION_PAGE)
    user.press("Reconfigure")
    user.see("New access token")
    simulation.clear_faults()
    user.fill("Access token", "a-wrong-token")
    user.press("Submit")
    user.see("The service does not accept the access token.")
    user.fill("Access token", running.token)
    user.press("Submit")
    # Since 2026.10, Home Assistant shows its own text.
    user.see("The account is connected again.", "Re-authentication was successful")

    simulation.do("unlock")
    user.open(CARS)
    user.press("Refresh")
    user.see("Doors Unlocked")
