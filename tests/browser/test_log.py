"""The page with the log of a car."""

import re

from playwright.sync_api import expect

from development.user import CARS, SimulatorControl, User


def test_log_grows(user: User, simulation: SimulatorControl) -> None:
    """The page says what will appear on it, and shows a drive as soon as it starts."""
    user.page.set_viewport_size({"width": 390, "height": 844})
    user.open(CARS)
    user.click("Log")
    user.see("No drives or charges yet")
    simulation.do("unplug")
    simulation.do("drive", miles=20, speed=65)
    user.refresh()
    drive = user.page.get_by_role("listitem").filter(has_text=re.compile(r"Driving.*\skm"))
    expect(drive).to_have_count(1)
    expect(user.page.get_by_role("heading", level=2)).to_have_count(1)
    user.see_no_error()
