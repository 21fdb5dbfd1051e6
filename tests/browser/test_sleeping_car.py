"""The dashboard of a car that is asleep."""

import re
from typing import Final

from playwright.sync_api import expect

from custom_components.vehicle_remote_access.const import DOMAIN
from development.process import DevelopProcess
from development.user import CARS, SimulatorControl, User

OPTIONS: Final = ("--empty",)
"""Start Home Assistant without an account, so that the car has never been read."""
WITHOUT_DATA: Final = "Comet is asleep. Its data appears when it wakes up."
OLD_DATA: Final = re.compile(r"^Data from .*\d:\d\d.*\.$")
ASLEEP: Final = re.compile(r"\bAsleep\b")


def add_account(user: User, running: DevelopProcess) -> None:
    flows = "config/config_entries/flow"
    step = user.post(flows, handler=DOMAIN)
    account = {"base_url": running.simulator_url, "access_token": running.token}
    for values in ({"next_step_id": "account"}, {"service": "other"}, account):
        step = user.post(f"{flows}/{step['flow_id']}", **values)
    cars = step["data_schema"][0]["selector"]["select"]["options"]
    user.post(f"{flows}/{step['flow_id']}", vehicles=[car["value"] for car in cars])


def test_page_says_how_old_its_data_is(
    user: User, simulation: SimulatorControl, running: DevelopProcess
) -> None:
    """While the car is asleep, the headline says so once, and a notice at the top has the time of its data.

    If the car was never read, the picture says so, and nothing is unknown. After waking, the data appears.
    While a command wakes the car, the headline says that.
    """
    simulation.do("fall_asleep")
    add_account(user, running)
    user.open(CARS)
    user.see(WITHOUT_DATA)
    expect(user.page.get_by_text("Unknown").filter(visible=True)).to_have_count(0)
    expect(user.page.locator("hui-tile-card, hui-map-card").filter(visible=True)).to_have_count(0)
    user.press("Wake up")
    user.see("Doors Locked")
    user.see("Parked at home")
    user.see_card("hui-map-card")
    expect(user.page.get_by_text(WITHOUT_DATA)).to_be_hidden()

    simulation.do("fall_asleep")
    user.press("Refresh")
    notice = user.page.get_by_text(OLD_DATA)
    expect(notice).to_be_visible()
    user.see("72%")
    expect(user.page.get_by_text(ASLEEP).filter(visible=True)).to_have_count(1)
    user.press("Doors Locked")
    user.press("OK")
    user.see("Waking the car…")
    user.see("Parked at home")
    user.see("Doors Unlocked")
    expect(notice).to_be_hidden()
