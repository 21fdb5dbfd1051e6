"""The blueprints, from Home Assistant's page to an automation."""

import re
from typing import Final

from playwright.sync_api import expect

from development.user import User

SAVED_AUTOMATION: Final = re.compile(r"/config/automation/edit/\d+$")


def test_automation_from_blueprint(user: User) -> None:
    """The account added the blueprints. A saved automation needs only the car and the persons."""
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
