"""A token that the service no longer accepts."""

from typing import Final

import pytest

from .visitor import CARS, Bystander, Visitor

INTEGRATION: Final = "/config/integrations/integration/vehicle_remote_access"
# Of Home Assistant 2026.10 and newer, and of older ones
ACCOUNT: Final = ".config-entry-wrapper > ha-row-item, ha-md-list-item.config_entry"


@pytest.fixture(scope="module")
def expected_complaint() -> str:
    """That the token was refused is in the log."""
    return "The service does not accept the access token"


def test_new_token(visitor: Visitor, bystander: Bystander, token: str) -> None:
    """Home Assistant asks for a new token; a wrong one is refused in words, the right one brings all back."""
    bystander.refuse_token()
    visitor.open(INTEGRATION)
    visitor.press("Menu", inside=ACCOUNT)
    visitor.click("Reload")
    visitor.see("The integration was reloaded")

    visitor.open(INTEGRATION)
    visitor.press("Reconfigure")
    visitor.see("New access token")
    bystander.accept_token()
    visitor.fill("Access token", "one-that-was-never-given")
    visitor.press("Submit")
    visitor.see("The service does not accept the access token.")
    visitor.fill("Access token", token)
    visitor.press("Submit")
    # Home Assistant shows its own words since 2026.10.
    visitor.see("The account is connected again.", "Re-authentication was successful")

    bystander.do("unlock")
    visitor.open(CARS)
    visitor.press("Refresh")
    visitor.see("Doors Unlocked")
