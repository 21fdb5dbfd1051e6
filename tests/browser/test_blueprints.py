"""The blueprints, from the options of the account to an automation."""

import re
from typing import Final

from playwright.sync_api import expect

from .user import User

INTEGRATION_PAGE: Final = "/config/integrations/integration/vehicle_remote_access"
SAVED_AUTOMATION: Final = re.compile(r"/config/automation/edit/\d+$")


def test_from_option_to_automation(user: User) -> None:
    """An option adds the blueprints. An automation that locks the car needs only the car and the persons."""
    user.open(INTEGRATION_PAGE)
    user.press("Configure")
    user.click("Blueprints")
    user.press("Submit")
    user.see("Options successfully saved.")

    user.open("/config/blueprint/dashboard")
    user.click("Lock the car when everyone has left")
    user.click("Select a device")
    user.click("Comet")
    user.click("Select an entity *")
    user.click("demo Person")
    user.press("Save")
    expect(user.page).to_have_url(SAVED_AUTOMATION)

    user.open("/config/automation/dashboard")
    user.see("Lock the car when everyone has left")
