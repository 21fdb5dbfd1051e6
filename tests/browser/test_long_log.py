"""The page with a log of more than 5,500 drives."""

from datetime import datetime
from typing import Final

from custom_components.vehicle_remote_access.const import DOMAIN
from development.commuter_log import nine_years
from development.user import User

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
        assert time_of_day(entry["start"]) in text.replace("\u202f", " ")


def time_of_day(moment: str) -> str:
    """Return the time of day as the page shows it, in the local time of this machine."""
    return f"{datetime.fromisoformat(moment).astimezone():%-I:%M %p}"
