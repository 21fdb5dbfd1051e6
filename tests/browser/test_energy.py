"""The Energy dashboard, to which a user adds the car."""

from typing import Final

from playwright.sync_api import expect

from development.user import User

OFFERED: Final = "dialog-energy-device-settings ha-statistic-picker >> nth=0 >> ha-combo-box-item"
"""The text in the field for the energy, and then the entities that it offers."""


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
