"""Pages of Home Assistant on which a user creates an automation, or adds the car to the Energy dashboard."""

import re
from typing import Final

from playwright.sync_api import expect

from development.user import User

SAVED_AUTOMATION: Final = re.compile(r"/config/automation/edit/\d+$")
OFFERED: Final = "dialog-energy-device-settings ha-statistic-picker >> nth=0 >> ha-combo-box-item"
"""The text in the field for the energy, and then the entities that it offers."""


def test_saved_automation_needs_only_the_car_and_the_persons(user: User) -> None:
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


def test_add_car(user: User) -> None:
    """The Energy dashboard offers the two sums of the car, and accepts the energy charged at home."""
    user.open("/config/energy")
    user.press("Add device")
    offered = user.page.locator(OFFERED)
    offered.click()
    user.see("Energy charged at home")
    expect(offered).to_have_text(
        [
            "Select a statistic",
            "Energy charged at home Garage ▸ Comet",
            "Total energy charged Garage ▸ Comet",
            "Why is my entity not listed?",
        ]
    )
    user.click("Energy charged at home")
    user.press("Save")
    user.see("Comet Energy charged at home")
    user.open("/energy")
    user.see("Individual devices")
    user.see("Comet Energy charged at home")
