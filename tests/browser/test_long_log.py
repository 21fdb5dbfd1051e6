"""The page with a log of more than 5,500 drives."""

from datetime import datetime
from typing import Final

from playwright.sync_api import expect

from custom_components.vehicle_remote_access.const import DOMAIN
from development.commuter_log import nine_years
from development.user import CARS, User

LOG: Final = nine_years
LOG_PAGE: Final = "vehicle-remote-access-log"
FIRST_ENTRIES: Final = 150
"""More than the first pages of entries, which a screen needs."""
ENTRIES: Final = 450
"""Several pages of entries."""
SCROLL: Final = """async ([log, count]) => {
    const entries = () => [...log.shadowRoot.querySelectorAll("li")];
    while (entries().length < count) {
        log.shadowRoot.querySelector(".end").scrollIntoView();
        await new Promise(requestAnimationFrame);
    }
    return entries().map(entry => entry.textContent);
}"""
"""Scroll down. Return the texts of the entries."""


def test_scrolling_loads_each_entry_once(user: User) -> None:
    """How long the log is does not matter for its first page. Older entries are loaded in order."""
    user.open_page_of_car("log")
    user.see_card(f"{LOG_PAGE} .day")
    log = user.page.locator(LOG_PAGE)
    assert log.locator("li").count() < FIRST_ENTRIES
    shown = user.page.evaluate(SCROLL, [log.element_handle(), ENTRIES])
    command = f"{DOMAIN}/log/list"
    entries = user.send(command, device_id=user.car_id(), limit=len(shown))["entries"]
    assert len(entries) == len(shown)
    for text, entry in zip(shown, entries, strict=True):
        # A short stay is a line without times.
        wanted = "Parked" if entry["kind"] == "stay" else time_of_day(entry["start"])
        assert wanted in text.replace("\u202f", " ")


def test_all_found_drives_are_selected(user: User) -> None:
    """They are loaded first. Only a search offers it."""
    user.open_page_of_car("log")
    log = user.page.locator(LOG_PAGE)
    log.get_by_role("button", name="Select", exact=True).click()
    everything = log.get_by_role("button", name="Select all found")
    expect(log.get_by_role("checkbox").filter(visible=True).first).to_be_visible()
    expect(everything).to_be_hidden()
    year = datetime.now().astimezone().year - 1
    user.open(f"{CARS}/{user.car_id()}-log?period={year}&longer_than=1")
    log.get_by_role("button", name="Select", exact=True).click()
    everything.click()
    command = f"{DOMAIN}/log/list"
    found = user.send(command, device_id=user.car_id(), period=str(year), longer_than=1)["found"]
    assert found["drives"] > FIRST_ENTRIES
    expect(log.get_by_role("status").filter(has_text=f"Drives: {found['drives']} ·").last).to_be_visible()
    expect(log.get_by_role("listitem").get_by_role("checkbox", checked=True)).to_have_count(found["drives"])


def time_of_day(moment: str) -> str:
    """Return the time of day as the page shows it, in the local time of this machine."""
    return f"{datetime.fromisoformat(moment).astimezone():%-I:%M %p}"
